import { invalidInput, VarveError } from '../errors.ts';
import { type CallSettings, createCaller } from './caller.ts';
import { type Embedded, type Embedder, estimateTokensOf, unitVectors } from './embedder.ts';
import { NO_USAGE, withUsage } from './language-model.ts';

// Only the parts of the AI SDK's specifications V2, V3 and V4 that Varve uses, so that Varve does not depend on the package `ai`.

interface AnyModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** A language model object from any AI SDK provider: `openai('gpt-4o-mini')`, `ollama('llama3.2')`. */
export interface AiSdkLanguageModel extends AnyModel {
  /** Whether an OpenAI-compatible provider accepts a JSON schema. */
  readonly supportsStructuredOutputs?: boolean;
  doGenerate(options: AiSdkCall): PromiseLike<AiSdkAnswer>;
}

export interface AiSdkCall {
  prompt: AiSdkMessage[];
  maxOutputTokens?: number;
  temperature?: number;
  responseFormat?: { type: 'json'; schema?: object; name?: string };
  abortSignal?: AbortSignal;
}

export type AiSdkMessage =
  | { role: 'system'; content: string }
  | { role: 'user' | 'assistant'; content: { type: 'text'; text: string }[] };

export interface AiSdkAnswer {
  content: readonly { type: string; text?: string }[];
  structuredOutputText?: string;
  finishReason: string | { unified: string };
  usage?: AiSdkUsage;
  warnings?: readonly { type: string; feature?: string; setting?: unknown }[];
}

type Count = number | undefined;

/** Token counts: numbers in V2, objects in V3 and V4. */
export interface AiSdkUsage {
  inputTokens: Count | { total: Count; cacheRead?: Count };
  outputTokens: Count | { total: Count };
  cachedInputTokens?: Count;
}

/** An embedding model object from any AI SDK provider. */
export interface AiSdkEmbeddingModel extends AnyModel {
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  readonly supportsParallelCalls: PromiseLike<boolean> | boolean;
  doEmbed(options: { values: string[]; abortSignal?: AbortSignal }): PromiseLike<{
    embeddings: readonly (readonly number[])[];
    usage?: { tokens: number };
  }>;
}

/** A reranking model object from any AI SDK provider. */
export interface AiSdkRerankingModel extends AnyModel {
  doRerank(options: {
    query: string;
    documents: { type: 'text'; values: string[] };
    topN?: number;
    abortSignal?: AbortSignal;
  }): PromiseLike<{ ranking: readonly { index: number; relevanceScore: number }[] }>;
}

export function aiSdkModelId(model: AnyModel): string {
  return `${model.provider}:${model.modelId}`;
}

/** Throws for a plain model id: looking it up would require the `ai` package and its gateway. */
export function assertModel(model: AnyModel, method: 'doGenerate' | 'doEmbed' | 'doRerank'): void {
  const given: unknown = model;
  const object = (typeof given === 'object' || typeof given === 'function') && given !== null ? given : {};
  if (typeof (object as Record<string, unknown>)[method] === 'function') return;
  const shown = typeof given === 'string' ? `the text ${JSON.stringify(given)}` : `a value without ${method}()`;
  throw invalidInput(`Expected the model object of an AI SDK provider, such as openai('gpt-4o-mini'); got ${shown}.`);
}

export function readTokens(usage: AiSdkUsage | undefined): { in: number | null; out: number | null; cached: number } {
  const input = usage?.inputTokens;
  const output = usage?.outputTokens;
  const cached = typeof input === 'object' ? input.cacheRead : usage?.cachedInputTokens;
  const tokensIn = countOf(typeof input === 'object' ? input.total : input);
  return {
    in: tokensIn,
    out: countOf(typeof output === 'object' ? output.total : output),
    cached: Math.min(countOf(cached) ?? 0, tokensIn ?? 0),
  };
}

/** A provider's numbers are not trusted. */
function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e9 ? Math.round(value) : null;
}

export interface AiSdkEmbedderOptions extends CallSettings {
  /** How many dimensions the vectors must have. Vectors of another length are refused. */
  dimensions: number;
  /** The maximum number of texts per call, unless the model's own limit is lower. Default 96. */
  batch?: number;
  /** Default `provider:model/dimensions`. */
  id?: string;
}

/** Creates an embedder from any AI SDK embedding model object. */
export function aiSdkEmbedder(model: AiSdkEmbeddingModel, options: AiSdkEmbedderOptions): Embedder {
  assertModel(model, 'doEmbed');
  const { dimensions } = options;
  const name = aiSdkModelId(model);
  const caller = createCaller(name, 'embedder_unavailable', options);

  const embedBatch = async (texts: readonly string[], signal?: AbortSignal): Promise<Embedded> => {
    const answer = await caller((calling) => model.doEmbed({ values: [...texts], abortSignal: calling }), { signal });
    return {
      vectors: unitVectors(answer.embeddings, { name, count: texts.length, dimensions }),
      tokens: countOf(answer.usage?.tokens) ?? estimateTokensOf(texts),
    };
  };

  return {
    id: options.id ?? `${name}/${dimensions}`,
    dimensions,
    async embed(texts, { signal } = {}) {
      if (texts.length === 0) return { vectors: [], tokens: 0 };
      const size = Math.max(1, Math.min(options.batch ?? 96, (await model.maxEmbeddingsPerCall) ?? Infinity));
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

/** Stops at the first failure, because further calls would probably fail too and cost money. */
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
