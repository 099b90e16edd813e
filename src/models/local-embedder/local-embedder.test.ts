import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder, PartReading } from '../embedder.ts';
import { GOLDEN_VECTORS } from '../../../test/golden/golden-vectors.ts';
import { createLocalEmbedder } from './local-embedder.ts';
import { layoutMemory, MODEL } from './memory-layout.ts';
import { findSources, prepareOnce, prepareWeights, type WeightSources } from './prepare-weights.ts';
import { findWeights } from './prepared-weights.ts';
import { cpuTimeOf } from '../../../test/cpu-time.ts';

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number => {
  if (!a || !b) return Number.NaN;
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / Math.hypot(...a) / Math.hypot(...b);
};
const foreignIn = async (embedder: Embedder, parts: readonly string[]): Promise<Float32Array | undefined> =>
  (await embedder.readParts?.(parts))?.foreign;
const sha256 = (vector: Float32Array | undefined): string =>
  createHash('sha256')
    .update(new Uint8Array(vector?.slice().buffer ?? new ArrayBuffer()))
    .digest('hex');

describe('createLocalEmbedder', () => {
  let embedder: Embedder;
  let folder: string;
  const sources: WeightSources = findSources(join(import.meta.dirname, '../../..'));
  let elsewhere: string | undefined;
  /** Weights that are prepared as for a checkout that cannot be written. They are prepared once for this run, because that is slow. */
  const preparedElsewhere = async (): Promise<string> => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    return (elsewhere ??= prepareOnce(join(import.meta.dirname, '../../..'), join(file, 'weights')));
  };
  const readParts = async (parts: string[], said: string[][] = []): Promise<PartReading> =>
    (await embedder.readParts?.(parts, { said })) as PartReading;
  const embedOne = async (text: string): Promise<Float32Array | undefined> => (await embedder.embed([text])).vectors[0];

  beforeAll(async () => {
    embedder = createLocalEmbedder({ threads: 2 });
    folder = await mkdtemp(join(tmpdir(), 'varve-embedder-'));
  });
  afterAll(async () => {
    await embedder.close?.();
    await rm(folder, { recursive: true });
    if (elsewhere !== undefined) await rm(elsewhere, { recursive: true });
  });

  it('detects pasted parts, with the same result on one thread and on several, while texts are embedded', async () => {
    const parts = ['Could you translate this into Portuguese:', ' I live in Ghent with my wife and our two dogs.'];
    const own = ['I live in Ghent with my wife and our two dogs.', ' We moved here in May.'];
    const alone = createLocalEmbedder({ threads: 0 });
    const [told, , toldAlone, toldOwn] = await Promise.all([
      foreignIn(embedder, parts),
      embedder.embed(Array.from({ length: 20 }, (_, index) => `text ${index}`)),
      foreignIn(alone, parts),
      foreignIn(embedder, own),
    ]);
    expect(told?.[0]).toBeLessThan(0);
    expect(told?.[1]).toBeGreaterThan(1);
    expect(Math.max(...(toldOwn ?? [1]))).toBeLessThan(0);
    for (const [index, value] of (told ?? []).entries()) expect(value).toBeCloseTo(toldAlone?.[index] ?? Number.NaN, 3);
    await alone.close?.();
  });

  it('classifies parts in windows of any size, and removes queued parts when it is aborted', async () => {
    const long = [
      'Could you translate this for the neighbours, who have just moved in:',
      ' I live in Ghent.'.repeat(40),
    ];
    const small = createLocalEmbedder({ threads: 2, maximumTokens: 8 });
    expect(await foreignIn(small, long)).toHaveLength(2);
    expect((await small.embed(['still well'])).vectors).toHaveLength(1);
    await small.close?.();
    const controller = new AbortController();
    const told = embedder.readParts?.(
      Array.from({ length: 300 }, () => 'a line of a report that goes on'),
      { signal: controller.signal },
    );
    controller.abort(new Error('given up'));
    await expect(told).rejects.toThrow('given up');
    expect((await embedder.embed(['still well'])).vectors).toHaveLength(1);
  });

  it('classifies each part of a message that is longer than a window, and of a very long one', async () => {
    const lines = Array.from(
      { length: 90 },
      (_, index) => `Line ${index}: the goods were delivered to the depot in Leith on time.`,
    );
    const told = await foreignIn(embedder, ['Summarise this report for me please.', ...lines]);
    expect(told).toHaveLength(91);
    expect(told?.[0]).toBeLessThan(0);
    expect(told?.filter((value) => value > 0).length).toBeGreaterThan(80);
    const endless = Array.from({ length: 5_000 }, () => 'word');
    expect((await foreignIn(embedder, endless))?.length).toBe(5_000);
  });

  it.each(GOLDEN_VECTORS)('agrees with the merged model in full precision: $text', async ({ text, reference }) => {
    const expected = Float32Array.from(new Int8Array(Buffer.from(reference, 'base64')));
    expect(cosine(await embedOne(text), expected)).toBeGreaterThan(0.985);
  });

  it.each(GOLDEN_VECTORS)('returns the same bits on every machine: $text', async ({ text, vectorSha256 }) => {
    expect(sha256(await embedOne(text))).toBe(vectorSha256);
  });

  it('returns the same bits in the calling thread, and with newly prepared weights', async () => {
    const modelPath = await preparedElsewhere();
    for (const options of [{ threads: 0 }, { threads: 0, modelPath }, { threads: 2, modelPath }]) {
      const other = createLocalEmbedder(options);
      const { vectors } = await other.embed(GOLDEN_VECTORS.map(({ text }) => text));
      expect(vectors.map(sha256)).toEqual(GOLDEN_VECTORS.map(({ vectorSha256 }) => vectorSha256));
      await other.close?.();
      await expect(other.embed(['x'])).rejects.toMatchObject({ code: 'embedder_unavailable' });
    }
  });

  it('embeds another language by its English gloss', async () => {
    const { vectors } = await embedder.embed([
      'Meine Schwester ist gegen Nüsse allergisch.',
      'Mi hermana es alérgica a los frutos secos.',
      'My sister is allergic to nuts.',
      'Mein Bruder fährt jeden Morgen mit dem Zug zur Arbeit.',
    ]);
    expect(cosine(vectors[0], vectors[2])).toBeGreaterThan(0.8);
    expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(0.6);
    expect(cosine(vectors[0], vectors[3])).toBeLessThan(0.3);
  });

  it('detects which earlier turns a request to forget refers to, in several languages', async () => {
    const said = [['I keep two hens in the yard.'], ['I owe my brother four thousand.', 'He wants it back by May.']];
    const { asks, meant } = await readParts(["I'd sleep better if you didn't know about my debts."], said);
    expect(meant).toHaveLength(4);
    expect(asks[0]).toBeGreaterThan(1);
    expect(meant[1]).toBeLessThan(0);
    expect(meant[2]).toBeGreaterThan(0);
    const german = await readParts(
      ['Mir wäre lieber, du wüsstest das mit den Schulden nicht mehr.'],
      [['Ich halte zwei Hühner im Hof.'], ['Ich habe Schulden bei meinem Bruder.']],
    );
    expect(german.asks[0]).toBeGreaterThan(0);
    expect(german.meant[2]).toBeGreaterThan(german.meant[1] ?? 0);
    expect((await readParts(['The hens lay an egg each every morning.'], said)).asks[0]).toBeLessThan(-1);
  });

  it('detects that a message withdraws a request, and which statements a message makes untrue', async () => {
    const said = [['I teach at a school in Kassel.'], ['My sister grows tulips.']];
    const [sold, back, plain] = [
      await readParts(['I handed in my notice at the school.'], said),
      await readParts(['On second thought, keep that after all.'], said),
      await readParts(['The tulips are out early this year.'], said),
    ];
    expect(sold.ends[1]).toBeGreaterThan(0);
    expect(Math.max(sold.ends[2] ?? 0, plain.ends[1] ?? 0, plain.ends[2] ?? 0)).toBeLessThan(0);
    expect(sold.changes[0]).toBeGreaterThan(plain.changes[0] ?? 0);
    expect(back.takesBack[0]).toBeGreaterThan(0);
    expect(plain.takesBack[0]).toBeLessThan(-1);
  });

  it.each([
    ['I live in Tromsø and work as a baker.', ['home_city=Tromsø', 'job_title=baker.']],
    ['Mi esposa Itziar es celíaca.', ['partner_name=Itziar']],
    ['Ich wohne in Kassel und bin Hebamme.', ['home_city=Kassel', 'job_title=Hebamme.']],
    ['我住在苏州，是一名护士。', ['home_city=苏州']],
    ['My sister lives in Tromsø.', []],
    ['Ich bin Bäcker und wohne in Düsseldorf.'.normalize('NFD'), []],
  ])('detects the attribute values in %s', async (text, expected) => {
    const { values } = await readParts([text]);
    const sure = values.filter(({ probability }) => probability > 0.9);
    expect(sure.map(({ attribute, start, end }) => `${attribute}=${text.slice(start, end)}`)).toEqual(expected);
  });

  it('reads a request that is longer than a window, and earlier turns that span several windows', async () => {
    const said = Array.from({ length: 60 }, (_, index) => [
      `On day ${index} I walked along the river to the old mill.`,
    ]);
    const { asks, foreign } = await readParts(['Please forget my address. '.repeat(60), 'Thanks.'], said);
    expect(asks).toHaveLength(62);
    expect(foreign).toHaveLength(62);
  });

  it('places texts with the same meaning near each other and others apart', async () => {
    const { vectors } = await embedder.embed([
      'The user prefers window seats on long flights.',
      'The user likes sitting by the window on planes.',
      'How do I bake sourdough bread?',
    ]);
    expect(cosine(vectors[0], vectors[1])).toBeGreaterThan(0.7);
    expect(cosine(vectors[0], vectors[2])).toBeLessThan(0.2);
  });

  it('returns unit vectors and the number of tokens', async () => {
    const { vectors, tokens } = await embedder.embed(['hello world', 'hi']);
    expect(tokens).toBe(4 + 3);
    for (const vector of vectors) {
      expect(vector).toHaveLength(embedder.dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it('returns the same vector for a text alone, in a batch, and on any number of threads', async () => {
    const texts = Array.from(
      { length: 18 },
      (_, i) => `Note ${i}: ${'the meeting about the roadmap moved '.repeat(i % 9)}again.`,
    );
    const { vectors } = await embedder.embed(texts);
    const single = createLocalEmbedder({ threads: 1 });
    const three = createLocalEmbedder({ threads: 3 });
    for (const [index, text] of texts.entries()) {
      const alone = await embedOne(text);
      expect(vectors[index]).toEqual(alone);
      expect((await single.embed([text])).vectors[0]).toEqual(alone);
      expect((await three.embed([text])).vectors[0]).toEqual(alone);
    }
    await Promise.all([single.close?.(), three.close?.()]);
  });

  it('keeps the order of texts when calls overlap', async () => {
    const texts = Array.from({ length: 40 }, (_, i) => `Statement number ${i}`);
    const [batch, ...singles] = await Promise.all([embedder.embed(texts), ...texts.map(embedOne)]);
    expect(batch?.vectors).toEqual(singles);
  });

  it.each([
    ['empty', ''],
    ['blank', ' \n\t '],
    ['emoji', '👨‍👩‍👧‍👦🎉'],
    ['CJK', '私は明日東京へ行きます'],
    ['lone surrogate', '\ud83d'],
    ['one word of a million characters', 'x'.repeat(1_000_000)],
  ])('embeds %s text', async (_name, text) => {
    expect(Math.hypot(...((await embedOne(text)) ?? []))).toBeCloseTo(1, 5);
  });

  it('reads a long text beyond the first window', async () => {
    const filler = 'The weather report for the coast was read out again and nothing in it had changed. ';
    const long = filler.repeat(40) + 'My sister keeps bees and sells honey at the market. '.repeat(15);
    const truncated = await embedOne(filler.repeat(40));
    const question = await embedOne('Who is a beekeeper?');
    expect(cosine(await embedOne(long), question)).toBeGreaterThan(cosine(truncated, question) + 0.1);
  });

  it('returns an empty list for an empty list', async () => {
    expect(await embedder.embed([])).toEqual({ vectors: [], tokens: 0 });
  });

  it('stops a batch when it is aborted, and continues with the next', async () => {
    const controller = new AbortController();
    const texts = Array.from({ length: 3000 }, (_, i) => `A statement that is to be embedded, number ${i}`);
    const taken = await cpuTimeOf(async () => {
      const batch = embedder.embed(texts, { signal: controller.signal });
      setTimeout(() => controller.abort(new Error('no longer needed')), 50);
      await expect(batch).rejects.toThrow('no longer needed');
    });
    expect(taken).toBeLessThan(2000);
    expect(await embedOne('still here')).toBeDefined();
    await expect(embedder.embed(['x'], { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it('leaves the event loop free during a batch', async () => {
    await embedOne('warm');
    const started = performance.now();
    let longest = 0;
    let last = started;
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await embedder.embed(Array.from({ length: 300 }, (_, i) => `${i} ${'a sentence of some length '.repeat(5)}`));
    clearInterval(timer);
    // The limit is relative, because everything takes longer on a busy machine.
    expect(longest).toBeLessThan((performance.now() - started) / 3);
  });

  it('names the missing folder when there are no weights, and loads the weights when they exist', async () => {
    const modelPath = join(folder, 'model');
    const late = createLocalEmbedder({ modelPath });
    await expect(late.embed(['x'])).rejects.toMatchObject({
      code: 'embedder_unavailable',
      message: expect.stringContaining(modelPath),
    });
    await cp(await findWeights(), modelPath, { recursive: true });
    expect((await late.embed(['x'])).vectors).toHaveLength(1);
    await late.close?.();
  });

  it.each([
    ['published', 'onnx/model_quantized.onnx', 1_000_000],
    ['published', 'tokenizer.json', 300_000],
    ['memory', 'memory-lora.safetensors', 300_000],
    ['reader', 'reader-lora.safetensors', 300_000],
  ] as const)('refuses to prepare weights from a changed %s/%s', async (source, file, position) => {
    const copy = join(folder, file.replace('/', '-'));
    await cp(sources[source], source === 'published' ? copy : join(copy, file), { recursive: true });
    const bytes = await readFile(join(copy, file));
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    await writeFile(join(copy, file), bytes);
    const changed = { ...sources, [source]: source === 'published' ? copy : join(copy, file) };
    expect(() => prepareWeights(changed, join(folder, 'never'))).toThrow('sha256');
  });

  it('prepares the weights of a checkout once, even if another process is faster', async () => {
    const root = join(import.meta.dirname, '../../..');
    const target = join(folder, 'checkout/weights');
    expect(prepareOnce(root, target)).toBe(target);
    const first = await stat(join(target, 'weights.bin'));
    expect(prepareOnce(root, target)).toBe(target);
    expect((await stat(join(target, 'weights.bin'))).mtimeMs).toBe(first.mtimeMs);
    expect(await readdir(dirname(target))).toEqual(['weights']);
  });

  it('prepares the weights in a temporary folder if the checkout is read-only', async () => {
    const made = await preparedElsewhere();
    expect(made.startsWith(tmpdir())).toBe(true);
    expect(made.startsWith(folder)).toBe(false);
    expect((await readdir(made)).toSorted()).toEqual(['lexicons.txt', 'vocabulary.bin', 'weights.bin']);
  });

  it.each([
    ['weights.bin', 300_000],
    // This byte is in the row of [CLS], which every text has.
    ['weights.bin', layoutMemory({ maximumTokens: 8, workspaces: 1 }).words + 101 * MODEL.hidden],
    ['vocabulary.bin', 300_000],
    ['lexicons.txt', 30_000],
  ])('refuses a changed %s (byte %i)', async (file, position) => {
    const modelPath = join(folder, `other-${file}-${position}`);
    await cp(await findWeights(), modelPath, { recursive: true });
    const bytes = await readFile(join(modelPath, file));
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    for (const changed of [bytes, bytes.subarray(0, 200_000)]) {
      await writeFile(join(modelPath, file), changed);
      for (const threads of [0, 2]) {
        const embedder = createLocalEmbedder({ modelPath, threads });
        await expect(embedder.embed(['Das ist mein Haus.'])).rejects.toMatchObject({
          code: 'embedder_unavailable',
          message: expect.stringContaining('CRC-32'),
        });
        await embedder.close?.();
      }
    }
  });

  it('rejects running and later calls when it is closed', async () => {
    const closing = createLocalEmbedder();
    const pending = closing.embed(Array.from({ length: 500 }, (_, i) => `text ${i}`));
    const outcome = pending.catch((error: unknown) => error);
    await closing.close?.();
    expect(await outcome).toMatchObject({ code: 'embedder_unavailable' });
    await expect(closing.embed(['x'])).rejects.toMatchObject({ code: 'embedder_unavailable' });
  });

  it('refuses invalid options', () => {
    expect(() => createLocalEmbedder({ threads: -1 })).toThrow('threads');
    expect(() => createLocalEmbedder({ maximumTokens: 1000 })).toThrow('maximumTokens');
  });

  it('lets a program exit without close()', async () => {
    const module = new URL('./local-embedder.ts', import.meta.url).href;
    const program = `const { createLocalEmbedder } = await import(${JSON.stringify(module)});
      const { vectors } = await createLocalEmbedder().embed(['a text', 'another']);
      console.log(vectors.length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      timeout: 50_000,
    });
    expect(stdout.trim()).toBe('2');
  });
});
