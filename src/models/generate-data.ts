import type { z } from 'zod';
import { VarveError } from '../errors.ts';
import type { AiSdkCall, AiSdkMessage } from './ai-sdk-model.ts';
import {
  assistantMessage,
  callForAnswer,
  invalidAnswer,
  userMessage,
  type Answered,
  type AnswerFormat,
  type ModelInUse,
} from './answer-call.ts';
import { acceptedKinds, jsonSchemaOf } from './json-schema.ts';
import type { DataRequest, Generated } from './language-model.ts';
import { parseAnswer } from './parse-answer.ts';
import { addUsage, NO_USAGE, usageOfFailure, withUsage } from './usage.ts';

const TRIES = 2;
// Enough for a model to see its mistake; a longer answer would cost more than it helps.
const LONGEST_QUOTE = 20_000;

/** Asks, checks, asks once more with what was wrong, and gives up loudly. */
export async function generateData<Schema extends z.ZodType>(
  used: ModelInUse,
  request: DataRequest<Schema>,
): Promise<Generated<z.output<Schema>>> {
  let usage = NO_USAGE;
  let correction: AiSdkMessage[] = [];
  for (let tries = 1; ; tries += 1) {
    let answer: Answered;
    try {
      answer = await askInBestFormat(used, request, correction);
    } catch (error) {
      throw VarveError.isInstance(error) ? withUsage(error, addUsage(usage, usageOfFailure(error) ?? NO_USAGE)) : error;
    }
    usage = addUsage(usage, answer.usage);
    const parsed = parseAnswer(answer, request.schema, used.limits);
    if (parsed.ok) {
      return { data: parsed.data, model: used.id, usage, repaired: parsed.repaired || tries > 1 };
    }
    // Asking again does not talk a model out of a refusal.
    if (tries === TRIES || parsed.problem === 'refused') throw invalidAnswer(used, request, parsed, usage);
    correction = [
      ...(answer.text === '' || answer.text.length > LONGEST_QUOTE ? [] : [assistantMessage(answer.text)]),
      userMessage(
        `${parsed.message}\nAnswer again, completely, with one JSON value that fits the schema and nothing else.`,
      ),
    ];
  }
}

const NEXT_FORMAT: Record<AnswerFormat, AnswerFormat | null> = { schema: 'json', json: 'words', words: null };

/** Strict output where the provider has it. One that says no is asked more plainly, and that is remembered. */
async function askInBestFormat<Schema extends z.ZodType>(
  used: ModelInUse,
  request: DataRequest<Schema>,
  correction: readonly AiSdkMessage[],
): Promise<Answered> {
  const known = used.formats.get(request.task) ?? firstFormat(used, request.schema);
  for (let format: AnswerFormat = known; ;) {
    try {
      const answer = await callForAnswer(
        used,
        request,
        messagesFor(request, format, correction),
        responseFormat(request, format),
      );
      // Some providers only warn that they have dropped the schema: the next call says it in words.
      const next = format === 'schema' && answer.warnings.some(isAboutFormat) ? 'json' : format;
      if (next !== (used.formats.get(request.task) ?? known)) used.formats.set(request.task, next);
      return answer;
    } catch (error) {
      const next = NEXT_FORMAT[format];
      if (next === null || !refusesFormat(error)) throw error;
      format = next;
    }
  }
}

function firstFormat(used: ModelInUse, schema: z.ZodType): AnswerFormat {
  // The providers' JSON modes know objects only: a list has to be asked for in words.
  if (!acceptedKinds(jsonSchemaOf(schema), jsonSchemaOf(schema)).has('object')) return 'words';
  return used.model.supportsStructuredOutputs === false ? 'json' : 'schema';
}

function isAboutFormat(warning: { type: string; feature?: string; setting?: unknown }): boolean {
  return warning.type.startsWith('unsupported') && /responseFormat/i.test(String(warning.feature ?? warning.setting));
}

const ABOUT_FORMAT = /response.?format|json.?(?:schema|mode|object)|structured.?output|invalid schema|guided|grammar/i;

function refusesFormat(error: unknown): boolean {
  return (
    VarveError.isInstance(error, 'model_unavailable') &&
    error.details['reason'] === 'rejected' &&
    ABOUT_FORMAT.test(error.message)
  );
}

function responseFormat<Schema extends z.ZodType>(
  request: DataRequest<Schema>,
  format: AnswerFormat,
): AiSdkCall['responseFormat'] {
  if (format === 'words') return undefined;
  return format === 'json'
    ? { type: 'json' }
    : { type: 'json', schema: jsonSchemaOf(request.schema), name: request.task };
}

function messagesFor<Schema extends z.ZodType>(
  request: DataRequest<Schema>,
  format: AnswerFormat,
  correction: readonly AiSdkMessage[],
): AiSdkMessage[] {
  const { system, user } = request.prompt;
  const inWords = `${system}\n\nAnswer with JSON only, no other text, that fits this JSON schema:\n`;
  return [
    { role: 'system', content: format === 'schema' ? system : inWords + JSON.stringify(jsonSchemaOf(request.schema)) },
    userMessage(user),
    ...correction,
  ];
}
