import { VarveError } from '../errors.ts';

// The AI SDK's specifications V2, V3 and V4 as far as we use them. Structural, so that `ai` is no dependency.

/** A language model object of any AI SDK provider: `openai('gpt-4o-mini')`, `ollama('llama3.2')`, … */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** OpenAI-compatible providers say with this whether they take a JSON schema. */
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

/** V2 counts flat, V3 and V4 in parts. */
export interface AiSdkUsage {
  inputTokens: Count | { total: Count; cacheRead?: Count };
  outputTokens: Count | { total: Count };
  cachedInputTokens?: Count;
}

/** An embedding model object of any AI SDK provider. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  readonly supportsParallelCalls: PromiseLike<boolean> | boolean;
  doEmbed(options: { values: string[]; abortSignal?: AbortSignal }): PromiseLike<{
    embeddings: readonly (readonly number[])[];
    usage?: { tokens: number };
  }>;
}

/** A reranking model object of any AI SDK provider. */
export interface AiSdkRerankingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doRerank(options: {
    query: string;
    documents: { type: 'text'; values: string[] };
    topN?: number;
    abortSignal?: AbortSignal;
  }): PromiseLike<{ ranking: readonly { index: number; relevanceScore: number }[] }>;
}

interface AnyModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** `provider:model`, by which prices, logs and stored vectors know a model. */
export function aiSdkModelId(model: AnyModel): string {
  return `${model.provider}:${model.modelId}`;
}

/** Refuses what is no model object, above all a plain id: resolving one would need the `ai` package and its gateway. */
export function assertModel(model: AnyModel, method: 'doGenerate' | 'doEmbed' | 'doRerank'): void {
  const given: unknown = model;
  const object = (typeof given === 'object' || typeof given === 'function') && given !== null ? given : {};
  if (typeof (object as Record<string, unknown>)[method] === 'function') return;
  const shown = typeof given === 'string' ? `the text ${JSON.stringify(given)}` : `a value without ${method}()`;
  throw new VarveError(
    `Expected the model object of an AI SDK provider, such as openai('gpt-4o-mini'); got ${shown}.`,
    {
      code: 'invalid_input',
    },
  );
}
