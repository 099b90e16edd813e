import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalEmbedder } from '../../src/models/local-embedder/local-embedder.ts';

const BATCH = 64;

/** The vectors of texts from the local embedder. They are cached between runs in the system's folder for temporary files. */
export async function embedAll(texts: readonly string[]): Promise<Float32Array[]> {
  const embedder = createLocalEmbedder();
  const folder = join(tmpdir(), 'varve-train');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${createHash('sha256').update(embedder.id).digest('hex').slice(0, 12)}.vectors`);
  const known = new Map<string, Float32Array>();
  const size = embedder.dimensions * 4;
  if (existsSync(file)) {
    const bytes = readFileSync(file);
    for (let at = 0; at + 16 + size <= bytes.length; at += 16 + size) {
      known.set(
        bytes.toString('hex', at, at + 16),
        new Float32Array(bytes.buffer.slice(bytes.byteOffset + at + 16, bytes.byteOffset + at + 16 + size)),
      );
    }
  }
  const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
  const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)));
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH);
    const { vectors } = await embedder.embed(batch);
    const made = vectors.map((vector) => Float32Array.from(vector));
    made.forEach((vector, index) => known.set(keyOf(batch[index] ?? ''), vector));
    // A run that is interrupted continues where it stopped.
    appendFileSync(
      file,
      Buffer.concat(
        made.flatMap((vector, index) => [
          Buffer.from(keyOf(batch[index] ?? ''), 'hex'),
          Buffer.from(vector.buffer, vector.byteOffset, size),
        ]),
      ),
    );
    if ((at / BATCH) % 20 === 0) process.stderr.write(`embedded ${at} of ${missing.length}\n`);
  }
  await embedder.close?.();
  return texts.map((text) => known.get(keyOf(text)) ?? new Float32Array(embedder.dimensions));
}
