import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateOf, tellMessage } from '../../src/form/read/local/reading-layers.ts';
import type { Seen } from '../../src/form/read/local/selector.ts';
import type { ReadUnit } from '../../src/form/read/local/units.ts';
import { createLocalEmbedder } from '../../src/models/local-embedder/local-embedder.ts';
import { WEIGHTS_NAME } from '../../src/models/local-embedder/weights.ts';

const TURNS = 32;
const SIZE = 384;

/**
 * What the local model sees of sentences: the states of their parts and their vectors. It is cached between runs in the system's folder for
 * temporary files.
 */
export async function seenOf(units: readonly ReadUnit[]): Promise<Seen[]> {
  const hash = createHash('sha256').update(WEIGHTS_NAME);
  for (const { turn, start, end } of units) hash.update(`\n${start} ${end} ${turn}`);
  const folder = join(tmpdir(), 'varve-train');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${hash.digest('hex').slice(0, 12)}.seen`);
  if (!existsSync(file)) writeFileSync(file, await readAll(units));
  const bytes = readFileSync(file);
  const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const at = (place: number): Float32Array => numbers.subarray(place * SIZE, (place + 1) * SIZE);
  return units.map((_, index) => ({ state: at(2 * index), vector: at(2 * index + 1) }));
}

async function readAll(units: readonly ReadUnit[]): Promise<Uint8Array> {
  const embedder = createLocalEmbedder();
  const all = new Float32Array(units.length * 2 * SIZE);
  const byTurn = [...Map.groupBy([...units.entries()], ([, { turn }]) => turn)];
  for (let start = 0; start < byTurn.length; start += TURNS) {
    const some = byTurn.slice(start, start + TURNS);
    const told = await Promise.all(some.map(async ([turn]) => tellMessage(turn, embedder.readParts, {})));
    const places = some.flatMap(([, own]) => own);
    const { vectors } = await embedder.embed(places.map(([, { text }]) => text));
    for (const [index, [place]] of places.entries()) all.set(vectors[index]!, (2 * place + 1) * SIZE);
    for (const [index, [, own]] of some.entries())
      for (const [place, unit] of own) all.set(stateOf(told[index]!, unit) ?? [], 2 * place * SIZE);
    if ((start / TURNS) % 50 === 0) process.stderr.write(`read ${start} of ${byTurn.length} turns\n`);
  }
  await embedder.close?.();
  return new Uint8Array(all.buffer);
}
