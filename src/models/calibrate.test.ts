import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { calibrate } from './calibrate.ts';
import { calibrationPairs, type CalibrationPair, type PairClass } from './calibration-pairs.ts';
import {
  calibratedSimilarity,
  calibrationSchema,
  cosineFor,
  type Embedder,
  type EmbedOptions,
  identityCalibration,
  LOCAL_EMBEDDER_CALIBRATION,
} from './embedder.ts';
import { createLocalEmbedder } from './local-embedder/local-embedder.ts';

interface FakeEmbedder extends Embedder {
  readonly calls: number[];
}

/** An embedder with vectors in the plane: the first text of each pair is on the axis, the second at the angle with the given cosine. */
function embedderOf(
  cosineOf: (pair: CalibrationPair, index: number) => number,
  beforeCall: (call: number, options?: EmbedOptions) => void = () => {},
): FakeEmbedder {
  const pairs = calibrationPairs({ multilingual: true });
  const cosines = new Map(pairs.map((pair, index) => [pair.second, cosineOf(pair, index)]));
  const calls: number[] = [];
  return {
    id: 'fake',
    dimensions: 2,
    calls,
    async embed(texts, options) {
      beforeCall(calls.push(texts.length), options);
      const vectors = texts.map((text) => {
        const cosine = cosines.get(text) ?? 1;
        return Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2));
      });
      return { vectors, tokens: texts.length };
    },
  };
}

/** Values that are spread evenly from -1 to 1 within each class, in an order that is not sorted. */
const scatter = (index: number): number => ((index * 37) % 61) / 30 - 1;

const around = (centers: Record<PairClass, number>, width: number) => (pair: CalibrationPair, index: number) =>
  centers[pair.class] + width * scatter(index);

// The range of gte-small: all cosines are between 0.6 and 1.
const COMPRESSED = { same: 0.985, near: 0.95, related: 0.9, unrelated: 0.68 };

describe('calibrate', () => {
  it('calibrates an embedder with a narrow range of cosines', async () => {
    const { calibration, report } = await calibrate(embedderOf(around(COMPRESSED, 0.014)));
    const similarity = (cosine: number): number => calibratedSimilarity(cosine, calibration);
    expect(similarity(COMPRESSED.same)).toBeGreaterThan(0.92);
    expect(similarity(COMPRESSED.near)).toBeGreaterThan(0.85);
    expect(similarity(COMPRESSED.near)).toBeLessThan(0.92);
    expect(similarity(COMPRESSED.related)).toBeGreaterThan(0.7);
    expect(similarity(COMPRESSED.related)).toBeLessThan(0.85);
    expect(similarity(COMPRESSED.unrelated)).toBeCloseTo(0.2, 1);
    expect(similarity(0.72)).toBeLessThan(0.6);
    expect(report).toMatchObject({ embedder: 'fake', usable: true, warnings: [] });
    expect(report.boundaries.map(({ accuracy, separation }) => [accuracy, separation])).toEqual(
      Array.from({ length: 4 }, () => [1, 1]),
    );
    expect(report.classes.related).toMatchObject({ median: expect.closeTo(0.9, 2), maximum: expect.closeTo(0.914, 2) });
  });

  it('has a knot at each boundary of its report, in increasing order', async () => {
    const { calibration, report } = await calibrate(embedderOf(around(COMPRESSED, 0.014)));
    expect(report.boundaries.map((boundary) => boundary.similarity)).toEqual([0.6, 0.7, 0.85, 0.92]);
    for (const { similarity, cosine } of report.boundaries) expect(cosineFor(similarity, calibration)).toBe(cosine);
  });

  it('prefers false negatives where classes overlap, except at the threshold for showing a record', async () => {
    const overlapping = around({ same: 0.85, near: 0.75, related: 0.65, unrelated: 0.55 }, 0.1);
    const { report } = await calibrate(embedderOf(overlapping));
    for (const { similarity, aboveFound, belowKeptOut, accuracy } of report.boundaries) {
      if (similarity > 0.6) expect(belowKeptOut).toBeGreaterThan(aboveFound + 0.1);
      else expect(Math.abs(belowKeptOut - aboveFound)).toBeLessThan(0.1);
      expect(accuracy).toBeGreaterThan(0.7);
    }
  });

  it('is deterministic', async () => {
    const cosineOf = around({ same: 0.8, near: 0.75, related: 0.5, unrelated: 0.1 }, 0.2);
    expect(await calibrate(embedderOf(cosineOf))).toEqual(await calibrate(embedderOf(cosineOf)));
  });

  it('returns a valid calibration for any cosines', async () => {
    const center = fc.double({ min: -1, max: 1, noNaN: true });
    const centers = fc.record({ same: center, near: center, related: center, unrelated: center });
    await fc.assert(
      fc.asyncProperty(centers, fc.double({ min: 0, max: 1, noNaN: true }), async (at, width) => {
        const clamped = (pair: CalibrationPair, index: number) =>
          Math.max(-1, Math.min(1, around(at, width)(pair, index)));
        const { calibration, report } = await calibrate(embedderOf(clamped));
        expect(calibrationSchema.safeParse(calibration).error).toBeUndefined();
        expect(report.usable || report.warnings.length > 0).toBe(true);
      }),
      { numRuns: 40, examples: [[{ same: 0.2, near: 0.4, related: 0.9, unrelated: 0.1 }, 0.05]] },
    );
  });

  it.each([
    ['random', (_pair: CalibrationPair, index: number) => Math.sin(index * 12.9898 + 78.233)],
    ['all the same', () => 1],
    ['reversed', around({ same: 0.1, near: 0.3, related: 0.6, unrelated: 0.9 }, 0.05)],
  ])('reports that an embedder is unusable and does not change its cosines: %s', async (_name, cosineOf) => {
    const { calibration, report } = await calibrate(embedderOf(cosineOf));
    expect(report.usable).toBe(false);
    expect(report.warnings[0]).toContain('fake cannot distinguish related texts from unrelated ones');
    expect(calibration).toEqual(identityCalibration('fake'));
  });

  it('warns of classes that the embedder cannot distinguish, and still calibrates the others', async () => {
    const { calibration, report } = await calibrate(
      embedderOf(around({ same: 0.8, near: 0.8, related: 0.4, unrelated: 0.1 }, 0.1)),
    );
    expect(report.usable).toBe(true);
    expect(report.warnings).toEqual([
      expect.stringContaining('cannot distinguish the same statement in other words from a changed'),
    ]);
    expect(calibratedSimilarity(0.4, calibration)).toBeGreaterThan(0.7);
    expect(calibratedSimilarity(0.75, calibration)).toBeGreaterThan(0.85);
  });

  it('embeds in batches, and embeds pairs in other languages only on request', async () => {
    const cosineOf = around(COMPRESSED, 0.01);
    const [english, all] = [embedderOf(cosineOf), embedderOf(cosineOf)];
    const { report } = await calibrate(english);
    await calibrate(all, { multilingual: true });
    const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
    expect(Math.max(...english.calls)).toBeLessThanOrEqual(64);
    expect(sum(english.calls)).toBe(calibrationPairs().length * 2);
    expect(report.tokens).toBe(sum(english.calls));
    expect(sum(all.calls)).toBe(calibrationPairs({ multilingual: true }).length * 2);
  });

  it('stops when it is aborted, before the first call or between two calls', async () => {
    const never = embedderOf(() => 1);
    await expect(calibrate(never, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    expect(never.calls).toEqual([]);

    const controller = new AbortController();
    const deaf = embedderOf(
      () => 1,
      (call) => {
        if (call === 2) controller.abort(new Error('enough'));
      },
    );
    await expect(calibrate(deaf, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
      cause: { message: 'enough' },
    });
    expect(deaf.calls).toHaveLength(2);
  });

  it('passes the signal to the embedder and rethrows its error', async () => {
    const { signal } = new AbortController();
    const broken = embedderOf(
      () => 1,
      (_call, options) => {
        expect(options?.signal).toBe(signal);
        throw new Error('no network');
      },
    );
    await expect(calibrate(broken, { signal })).rejects.toThrow('no network');
    await expect(calibrate(embedderOf(() => Number.NaN))).rejects.toMatchObject({ code: 'embedder_unavailable' });
  });
});

describe('the calibration of the default embedder', () => {
  const embedder = createLocalEmbedder();
  afterAll(() => embedder.close?.());

  it('is the result of calibrate()', async () => {
    const { calibration, report } = await calibrate(embedder);
    expect(calibration.embedder).toBe(LOCAL_EMBEDDER_CALIBRATION.embedder);
    expect(calibration.knots).toEqual(
      LOCAL_EMBEDDER_CALIBRATION.knots.map(({ cosine, similarity }) => ({
        cosine: expect.closeTo(cosine, 2),
        similarity,
      })),
    );
    expect(report.usable).toBe(true);
    expect(report.warnings).toEqual([expect.stringContaining('only roughly distinguishes the same statement')]);
  });

  // Texts that are not among the pairs.
  it.each([
    ['John works at Acme', 'John works at Acme as CTO', 0.85, 1],
    ['User prefers short blog posts', 'Prefers blog posts under 800 words', 0.84, 0.92],
    ['User likes pizza', 'User hates pizza', 0.7, 1],
    ['User likes pizza', 'The user is fond of pizza', 0.85, 1],
    ['User likes pizza', 'User makes pizza dough on Fridays', 0.7, 0.85],
    // The embedder was trained to place a question near its answer.
    ['What food does the user like?', 'User likes pizza', 0.7, 0.92],
    ['User likes pizza', 'The invoice of the web agency is overdue', 0, 0.6],
    ['Where does John work?', 'User repaired the garden gate', 0, 0.6],
  ])('gives “%s” and “%s” a similarity from %d to %d', async (first, second, least, most) => {
    const [a, b] = (await embedder.embed([first, second])).vectors;
    const cosine = a?.reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0) ?? Number.NaN;
    const similarity = calibratedSimilarity(cosine, LOCAL_EMBEDDER_CALIBRATION);
    expect(similarity).toBeGreaterThanOrEqual(least);
    expect(similarity).toBeLessThan(most);
  });
});
