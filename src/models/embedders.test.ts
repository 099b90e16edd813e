import type { EmbeddingModel, RerankingModel } from 'ai';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { manualDelay } from '../../test/manual-delay.ts';
import { partReading } from '../../test/part-reading.ts';
import {
  drop,
  half,
  hang,
  type ProtocolServer,
  raw,
  type Reply,
  startProtocolServer,
  status,
  vectors,
} from '../../test/protocol-server.ts';
import { manualClock } from '../record/clock.ts';
import {
  aiSdkEmbedder,
  type AiSdkEmbedderOptions,
  type AiSdkEmbeddingModel,
  type AiSdkRerankingModel,
} from './ai-sdk.ts';
import { cachedEmbedder, type Embedder, functionEmbedder } from './embedder.ts';
import { usageOfFailure } from './language-model.ts';
import { aiSdkReranker } from './reranker.ts';

let server: ProtocolServer;
beforeAll(async () => {
  server = await startProtocolServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const clock = manualClock(0);
const patient = { clock, delay: manualDelay(clock).delay };

function embedder(options: Partial<AiSdkEmbedderOptions> & { maximum?: number } = {}): Embedder {
  const { maximum, ...rest } = options;
  return aiSdkEmbedder(server.embeddingModel('e', { maximum }), { dimensions: 64, ...patient, ...rest });
}

const length = (vector: Float32Array): number => Math.hypot(...vector);

describe('any AI SDK embedding model', () => {
  it('returns vectors of unit length in the order of the texts, and the number of tokens', async () => {
    const { vectors: found, tokens } = await embedder().embed(['red apples', 'red apples', 'cold winters']);
    expect(found.map(length)).toEqual([1, 1, 1].map((one) => expect.closeTo(one, 6)));
    expect(found[0]).toEqual(found[1]);
    expect(found[0]).not.toEqual(found[2]);
    expect(tokens).toBe(6);
  });

  it('has an id with provider, model and dimensions', () => {
    expect(embedder().id).toBe('test.embedding:e/64');
    expect(embedder({ id: 'mine' }).id).toBe('mine');
    expectTypeOf<Exclude<EmbeddingModel, string>>().toExtend<AiSdkEmbeddingModel>();
  });

  it('respects the batch size, the model’s own limit and the order', async () => {
    const texts = Array.from({ length: 23 }, (_, index) => `text number ${index}`);
    const whole = await embedder().embed(texts);
    const parts = await embedder({ batch: 10, maximum: 4, parallel: 2 }).embed(texts);
    expect(server.requests.slice(1).map(({ body }) => body.input?.length)).toEqual([4, 4, 4, 4, 4, 3]);
    expect(parts).toEqual(whole);
  });

  it('makes no call for an empty list', async () => {
    expect(await embedder().embed([])).toEqual({ vectors: [], tokens: 0 });
    expect(server.requests).toHaveLength(0);
  });

  const useless: [string, Reply, string][] = [
    ['a wrong dimension', vectors({ dimensions: 63 }), 'wrong_dimensions'],
    ['too few vectors', vectors({ count: 1 }), 'wrong_count'],
    ['too many vectors', vectors({ count: 3 }), 'wrong_count'],
    ['zeros', vectors({ vector: () => Array.from({ length: 64 }, () => 0) }), 'zero_vector'],
    ['numbers that overflow', vectors({ vector: () => Array.from({ length: 64 }, () => 1e300) }), 'not_finite'],
  ];
  it.each(useless)('[T16] refuses %s', async (_name, reply, reason) => {
    server.otherwise(reply);
    await expect(embedder().embed(['a', 'b'])).rejects.toMatchObject({
      code: 'embedder_unavailable',
      retryable: false,
      details: { reason },
    });
  });

  it('[T16] refuses NaN and text in a vector of a function', async () => {
    for (const bad of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      'x' as unknown as number,
      undefined as unknown as number,
    ]) {
      const broken = functionEmbedder({ id: 'f', dimensions: 2, embed: async () => [[1, bad]], ...patient });
      await expect(broken.embed(['a'])).rejects.toMatchObject({
        code: 'embedder_unavailable',
        details: { reason: 'not_finite' },
      });
    }
  });

  const down: [string, Reply][] = [
    ['500', status(500)],
    ['429', status(429, { retryAfter: 1 })],
    ['a closed connection', drop()],
    ['half an answer', half()],
    ['a page instead of JSON', raw('<html>', 'text/html')],
    ['null in a vector', vectors({ vector: () => [null] })],
  ];
  it.each(down)(
    '[T16] throws a retryable error when the provider answers with %s, and recovers',
    async (_name, reply) => {
      server.otherwise(reply);
      await expect(embedder().embed(['a'])).rejects.toMatchObject({ code: 'embedder_unavailable', retryable: true });
      server.reset();
      server.next(reply);
      expect((await embedder().embed(['a'])).vectors).toHaveLength(1);
    },
  );

  it('[T16] times out and is cancelled', async () => {
    server.otherwise(hang());
    const time = manualDelay(clock);
    const pending = embedder({ delay: time.delay, retries: 0 })
      .embed(['a'])
      .catch((error: unknown) => error);
    await server.arrived(1);
    time.timeOut();
    expect(await pending).toMatchObject({ code: 'timed_out' });
    await expect(embedder().embed(['a'], { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('[T14] reports the usage of the batches before a failed batch', async () => {
    server.next(vectors(), status(400));
    const error: unknown = await embedder({ batch: 2, parallel: 1 })
      .embed(['a b', 'c', 'd'])
      .catch((thrown: unknown) => thrown);
    expect(usageOfFailure(error)).toMatchObject({ tokensIn: 3, calls: 1 });
  });
});

describe('the cache', () => {
  /** An embedder that records its calls. */
  function counting(): { inner: Embedder; asked: string[] } {
    const asked: string[] = [];
    const inner = functionEmbedder({
      id: 'f',
      dimensions: 2,
      embed: async (texts) => {
        asked.push(...texts);
        return texts.map((text) => [text.length + 1, text.codePointAt(0) ?? 0]);
      },
    });
    return { inner, asked };
  }

  it('returns the vectors of the embedder for any texts in any order', async () => {
    const { inner } = counting();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom('a', 'b', 'cc', 'dd', 'eee', 'fff'))),
        fc.integer({ min: 1, max: 4 }),
        async (calls, size) => {
          const cached = cachedEmbedder(inner, { size });
          for (const texts of calls)
            expect((await cached.embed(texts)).vectors).toEqual((await inner.embed(texts)).vectors);
        },
      ),
    );
  });

  it('embeds a repeated text once, also within one call, and counts its tokens once', async () => {
    const { inner, asked } = counting();
    const cached = cachedEmbedder(inner);
    await cached.embed(['a', 'b', 'a']);
    const again = await cached.embed(['b', 'c', 'a']);
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(again.tokens).toBe((await inner.embed(['c'])).tokens);
    expect((await cached.embed(['a'])).tokens).toBe(0);
  });

  it('evicts the least recently used vector', async () => {
    const { inner, asked } = counting();
    const cached = cachedEmbedder(inner, { size: 2 });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await cached.embed([text]);
    expect(asked).toEqual(['a', 'b', 'c', 'b']);
  });

  it('caches the results of `readParts` for a message, separately from vectors', async () => {
    const { inner } = counting();
    const asked: string[][] = [];
    const cached = cachedEmbedder({
      ...inner,
      async readParts(parts) {
        asked.push([...parts]);
        return partReading(parts.length, { foreign: Float32Array.from(parts, () => 1) });
      },
    });
    for (const parts of [['a'], ['a', 'b'], ['a'], ['a,b']]) await cached.readParts?.(parts);
    expect(asked).toEqual([['a'], ['a', 'b'], ['a,b']]);
    expect(await cached.readParts?.(['a'])).toEqual(partReading(1, { foreign: Float32Array.of(1) }));
    expect((await cached.embed(['a'])).vectors).toEqual((await inner.embed(['a'])).vectors);
  });

  it('does not change when a caller changes a returned vector', async () => {
    const cached = cachedEmbedder(counting().inner);
    (await cached.embed(['a'])).vectors[0]?.fill(9);
    expect(length((await cached.embed(['a'])).vectors[0] as Float32Array)).toBeCloseTo(1);
  });
});

describe('any AI SDK reranking model', () => {
  const reranking = (ranking: { index: number; relevanceScore: number }[]): AiSdkRerankingModel => ({
    specificationVersion: 'v4',
    provider: 'fake',
    modelId: 'r',
    doRerank: async () => ({ ranking }),
  });

  it('returns indexes and scores, best first', async () => {
    expectTypeOf<Exclude<RerankingModel, string>>().toExtend<AiSdkRerankingModel>();
    const reranker = aiSdkReranker(
      reranking([
        { index: 0, relevanceScore: 0.1 },
        { index: 2, relevanceScore: 0.9 },
      ]),
    );
    expect((await reranker.rerank('q', ['a', 'b', 'c'])).ranking).toEqual([
      { index: 2, score: 0.9 },
      { index: 0, score: 0.1 },
    ]);
    expect((await reranker.rerank('q', ['a', 'b', 'c'], { limit: 1 })).ranking).toHaveLength(1);
    expect((await reranker.rerank('q', [])).ranking).toEqual([]);
  });

  it.each([
    ['an index that does not exist', [{ index: 3, relevanceScore: 1 }]],
    [
      'a duplicate index',
      [
        { index: 0, relevanceScore: 1 },
        { index: 0, relevanceScore: 0.5 },
      ],
    ],
    ['no score', [{ index: 0, relevanceScore: Number.NaN }]],
  ])('[T16] refuses %s', async (_name, ranking) => {
    await expect(aiSdkReranker(reranking(ranking)).rerank('q', ['a', 'b'])).rejects.toMatchObject({
      code: 'model_answer_invalid',
    });
  });
});
