import { VarveError } from '../errors.ts';
import type { Clock } from '../record/clock.ts';
import type { TokenCounter } from '../language/token-count.ts';
import type { AiSdkAnswer, AiSdkCall, AiSdkLanguageModel, AiSdkMessage } from './ai-sdk-model.ts';
import type { Caller } from './caller.ts';
import type { TextRequest } from './language-model.ts';
import type { AnswerLimits, AnswerProblem, AnswerText } from './parse-answer.ts';
import { readTokens, withUsage, type ModelUsage } from './usage.ts';

/** How a model is asked for JSON: by a schema it is held to, by a JSON mode, or by words alone. */
export type AnswerFormat = 'schema' | 'json' | 'words';

/** A model with what belongs to it: its caller, and what is known of it. */
export interface ModelInUse {
  id: string;
  model: AiSdkLanguageModel;
  caller: Caller;
  /** The best format that worked, by task: a provider may take one schema and refuse another. */
  formats: Map<string, AnswerFormat>;
  clock: Clock;
  counter: TokenCounter;
  temperature: number | undefined;
  limits: AnswerLimits;
}

export interface Answered extends AnswerText {
  usage: ModelUsage;
  warnings: NonNullable<AiSdkAnswer['warnings']>;
}

/** One answer of the model, with its usage. */
export async function callForAnswer(
  used: ModelInUse,
  request: TextRequest,
  messages: AiSdkMessage[],
  responseFormat?: AiSdkCall['responseFormat'],
): Promise<Answered> {
  let started = used.clock.now();
  const answer = await used.caller(
    (abortSignal) => {
      started = used.clock.now();
      return used.model.doGenerate({
        prompt: messages,
        abortSignal,
        ...(responseFormat === undefined ? {} : { responseFormat }),
        ...(request.maximumTokens === undefined ? {} : { maxOutputTokens: request.maximumTokens }),
        ...(used.temperature === undefined ? {} : { temperature: used.temperature }),
      });
    },
    { signal: request.signal, timeout: request.timeout },
  );
  const text = answer.structuredOutputText ?? textOf(answer);
  return {
    text,
    finishReason: typeof answer.finishReason === 'object' ? answer.finishReason.unified : String(answer.finishReason),
    usage: { ...countedUsage(used, answer, messages, text), milliseconds: Math.round(used.clock.now() - started) },
    warnings: answer.warnings ?? [],
  };
}

function textOf(answer: AiSdkAnswer): string {
  return answer.content
    .filter((part) => part.type === 'text')
    .map((part) => part.text ?? '')
    .join('');
}

function countedUsage(
  used: ModelInUse,
  answer: AiSdkAnswer,
  messages: readonly AiSdkMessage[],
  text: string,
): ModelUsage {
  const tokens = readTokens(answer.usage);
  return {
    tokensIn: tokens.in ?? used.counter.count(messages.map(wordsOf).join('\n')),
    // Bounded: an answer of 10 MB is not worth counting twice.
    tokensOut: tokens.out ?? used.counter.count(text.slice(0, 1_000_000)),
    tokensCached: tokens.cached,
    calls: 1,
    milliseconds: 0,
    estimated: tokens.in === null || tokens.out === null,
  };
}

function wordsOf(message: AiSdkMessage): string {
  return typeof message.content === 'string' ? message.content : message.content.map(({ text }) => text).join('\n');
}

const PROBLEMS: Record<AnswerProblem, string> = {
  empty: 'it is empty',
  refused: 'the model refuses',
  too_long: 'it is far too long',
  truncated: 'it ends before it is complete',
  not_json: 'it is not JSON',
  several_answers: 'it holds several different answers',
  wrong_shape: 'it does not fit the schema',
};

export interface InvalidAnswer {
  problem: AnswerProblem;
  issues: { path: string; code: string }[];
}

/** `model_answer_invalid`, with the reason and the usage, and without a word of the answer. */
export function invalidAnswer(
  used: ModelInUse,
  request: TextRequest,
  invalid: InvalidAnswer,
  usage: ModelUsage,
): VarveError {
  // The message for the model may quote what it wrote; this one names places only.
  const places = invalid.issues.map(({ path, code }) => `${path || 'the whole'} (${code})`).join(', ');
  const what = places === '' ? PROBLEMS[invalid.problem] : `${PROBLEMS[invalid.problem]}: ${places}`;
  const error = new VarveError(`${used.id} gave no usable answer to the task ${request.task}: ${what}.`, {
    code: 'model_answer_invalid',
    details: { model: used.id, task: request.task, problem: invalid.problem, issues: invalid.issues },
  });
  return withUsage(error, usage);
}

export function userMessage(text: string): AiSdkMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function assistantMessage(text: string): AiSdkMessage {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}
