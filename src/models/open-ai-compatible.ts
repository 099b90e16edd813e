import { invalidInput } from '../errors.ts';
import { withoutEnd } from '../language/words.ts';
import type { AiSdkAnswer, AiSdkCall, AiSdkLanguageModel, AiSdkMessage } from './ai-sdk.ts';

/** The options of {@link openAiCompatible}. */
export interface OpenAiCompatibleOptions {
  /** The name of the model at the endpoint, such as `gpt-5-mini` or `qwen3`. */
  model: string;
  /** The base URL, such as `http://localhost:11434/v1` for Ollama. Default: `$OPENAI_BASE_URL`, or else OpenAI. */
  url?: string;
  /** Default: `$OPENAI_API_KEY`. A local server usually needs none. */
  key?: string;
}

interface Completion {
  choices?: { message?: { content?: string | null; refusal?: string | null }; finish_reason?: string | null }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number };
  };
}

/** A model at an endpoint that speaks OpenAI's chat protocol (OpenAI, Ollama, vLLM, gateways). Needs no package of the AI SDK. */
export function openAiCompatible({ model, ...given }: OpenAiCompatibleOptions): AiSdkLanguageModel {
  const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
  const { url = OPENAI_BASE_URL || 'https://api.openai.com/v1', key = OPENAI_API_KEY } = given;
  if (typeof model !== 'string' || model === '')
    throw invalidInput('The `model` of openAiCompatible() must be the name of a model.');
  if (!/^https?:\/\//.test(url))
    throw invalidInput('The `url` of openAiCompatible() must begin with http:// or https://.');
  const authorization: Record<string, string> =
    key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` };
  return {
    specificationVersion: 'v3',
    provider: 'openai-compatible',
    modelId: model,
    async doGenerate(call) {
      const response = await fetch(`${withoutEnd(url, '/')}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization },
        body: JSON.stringify(bodyOf(model, call)),
        signal: call.abortSignal,
      });
      if (!response.ok) {
        // The caller decides by these fields whether to retry.
        const [statusCode, responseHeaders] = [response.status, Object.fromEntries(response.headers)];
        throw Object.assign(new Error((await response.text()).slice(0, 500)), { statusCode, responseHeaders });
      }
      return answerOf((await response.json()) as Completion);
    },
  };
}

function bodyOf(model: string, { prompt, maxOutputTokens, temperature, responseFormat }: AiSdkCall): object {
  const { schema, name } = responseFormat ?? {};
  const asked = schema === undefined ? { type: 'json_object' } : { type: 'json_schema', json_schema: { name, schema } };
  return {
    model,
    messages: prompt.map(({ role, content }) => ({ role, content: textOf(content) })),
    max_completion_tokens: maxOutputTokens,
    temperature,
    response_format: responseFormat === undefined ? undefined : asked,
  };
}

function textOf(content: AiSdkMessage['content']): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}

function answerOf({ choices, usage }: Completion): AiSdkAnswer {
  const { message = {}, finish_reason: reason } = choices?.[0] ?? {};
  const isRefused = reason === 'content_filter' || typeof message.refusal === 'string';
  return {
    content: [{ type: 'text', text: message.content ?? '' }],
    finishReason: isRefused ? 'content-filter' : (reason ?? 'stop'),
    usage: {
      inputTokens: usage?.prompt_tokens,
      outputTokens: usage?.completion_tokens,
      cachedInputTokens: usage?.prompt_tokens_details?.cached_tokens,
    },
  };
}
