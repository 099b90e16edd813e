import { VarveError } from '../errors.ts';
import { estimateTokens } from '../language/token-count.ts';
import { type AiSdkEmbeddingModel, aiSdkModelId, assertModel } from './ai-sdk-model.ts';
import { type CallSettings, createCaller } from './caller.ts';
import { type Embedded, type Embedder, unitVectors } from './embedder.ts';
import { countOf, NO_USAGE, withUsage } from './usage.ts';

export interface AiSdkEmbedderOptions extends CallSettings {
  /** How long the model's vectors are. Anything else is refused. */
  dimensions: number;
  /** Texts in one call; the model's own limit counts as well. Default 96. */
  batch?: number;
  /** Default `provider:model/dimensions`. */
  id?: string;
}

/** Any AI SDK embedding model object (V2–V4) as an embedder. */
export function aiSdkEmbedder(model: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions): Embedder {
  assertModel(model, 'doEmbed');
  const { dimensions } = options;
  const name = aiSdkModelId(model);
  const caller = createCaller(name, 'embedder_unavailable', options);

  const embedBatch = async (texts: readonly string[], signal?: AbortSignal): Promise<Embedded> => {
    const answer = await caller((calling) => model.doEmbed({ values: [...texts], abortSignal: calling }), { signal });
    return {
      vectors: unitVectors(answer.embeddings, { name, count: texts.length, dimensions }),
      tokens: countOf(answer.usage?.tokens) ?? texts.reduce((sum, text) => sum + estimateTokens(text), 0),
    };
  };

  return {
    id: options.id ?? `${name}/${dimensions}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      if (texts.length === 0) return { vectors: [], tokens: 0 };
      const size = Math.max(
        1,
        Math.min(options.batch ?? 96, (await model.maxEmbeddingsPerCall) ?? Number.POSITIVE_INFINITY),
      );
      const batches = Array.from({ length: Math.ceil(texts.length / size) }, (_, index) =>
        texts.slice(index * size, (index + 1) * size),
      );
      const settled = (await model.supportsParallelCalls)
        ? await Promise.allSettled(batches.map((batch) => embedBatch(batch, signal)))
        : await oneByOne(batches, (batch) => embedBatch(batch, signal));
      return joined(settled);
    },
  };
}

/** Stops at the first failure: what follows it would most likely fail as well, and cost. */
async function oneByOne(
  batches: readonly (readonly string[])[],
  embed: (batch: readonly string[]) => Promise<Embedded>,
): Promise<PromiseSettledResult<Embedded>[]> {
  const settled: PromiseSettledResult<Embedded>[] = [];
  for (const batch of batches) {
    const [result] = await Promise.allSettled([embed(batch)]);
    settled.push(result);
    if (result.status === 'rejected') break;
  }
  return settled;
}

function joined(settled: readonly PromiseSettledResult<Embedded>[]): Embedded {
  const done = settled.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  const tokens = done.reduce((sum, { tokens: used }) => sum + used, 0);
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed === undefined) return { vectors: done.flatMap(({ vectors }) => vectors), tokens };
  if (!VarveError.isInstance(failed.reason)) throw failed.reason;
  throw withUsage(failed.reason, { ...NO_USAGE, tokensIn: tokens, calls: done.length });
}
