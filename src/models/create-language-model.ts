import type { z } from 'zod';
import { invalidInput, VarveError } from '../errors.ts';
import { type PrivacyPolicy, redactSensitive } from '../language/privacy-policy.ts';
import { type Clock, systemClock } from '../record/clock.ts';
import {
  type AiSdkAnswer,
  type AiSdkCall,
  type AiSdkLanguageModel,
  type AiSdkMessage,
  aiSdkModelId,
  assertModel,
  readTokens,
} from './ai-sdk.ts';
import { type Caller, type CallSettings, createCaller } from './caller.ts';
import {
  addUsage,
  type DataRequest,
  type Generated,
  type LanguageModel,
  type ModelUsage,
  NO_USAGE,
  type TextRequest,
  usageOfFailure,
  withUsage,
} from './language-model.ts';
import {
  acceptedKinds,
  type AnswerLimits,
  type AnswerProblem,
  type AnswerText,
  jsonSchemaOf,
  parseAnswer,
} from './parse-answer.ts';
import { type Task, TASK_TIERS } from './prompt.ts';
import { estimatingCounter, type TokenCounter } from '../language/words.ts';

export interface LanguageModelOptions extends CallSettings, AnswerLimits {
  /** The model for the quick tasks. If there is no other model, it does all tasks. */
  fast: AiSdkLanguageModel;
  /** The model for the careful tasks. Default: the fast model. */
  slow?: AiSdkLanguageModel;
  /** Models for individual tasks. */
  tasks?: Partial<Record<Task, AiSdkLanguageModel>>;
  /** Default: the provider's temperature. */
  temperature?: number;
  /** Counts tokens if a provider does not report them. Default: an estimate. */
  counter?: TokenCounter;
}

/** Creates a language model from AI SDK model objects: a fast and a slow one, or one for each task. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { tasks = {} } = options;
  for (const task of Object.keys(tasks)) {
    if (!Object.hasOwn(TASK_TIERS, task)) {
      throw invalidInput(`There is no task ${JSON.stringify(task)}. Tasks: ${Object.keys(TASK_TIERS).join(', ')}.`);
    }
  }
  // Keyed by the model object, so that a model with two tasks has one limit and one breaker.
  const inUse = new Map<AiSdkLanguageModel, ModelInUse>();
  const use = (model: AiSdkLanguageModel): ModelInUse => {
    const known = inUse.get(model);
    if (known !== undefined) return known;
    assertModel(model, 'doGenerate');
    const id = aiSdkModelId(model);
    const made: ModelInUse = {
      id,
      model,
      caller: createCaller(id, 'model_unavailable', options),
      formats: new Map(),
      clock: options.clock ?? systemClock,
      counter: options.counter ?? estimatingCounter,
      temperature: options.temperature,
      limits: options,
    };
    inUse.set(model, made);
    return made;
  };
  const tiers = { fast: use(options.fast), slow: use(options.slow ?? options.fast) };
  const own = new Map(Object.entries(tasks).map(([task, model]) => [task, use(model)]));
  const modelFor = (task: Task): ModelInUse => own.get(task) ?? tiers[TASK_TIERS[task]];

  return {
    generate: (request) => generateData(modelFor(request.task), request),
    generateText: (request) => generatePlain(modelFor(request.task), request),
    modelOf: (task) => modelFor(task).id,
    withOneModel(task) {
      const { slow: _slow, tasks: _tasks, ...settings } = options;
      return createLanguageModel({ ...settings, fast: modelFor(task).model });
    },
  };
}

export function asLanguageModel(model?: LanguageModel | AiSdkLanguageModel): LanguageModel | null {
  if (model === undefined) return null;
  return 'doGenerate' in model ? createLanguageModel({ fast: model }) : model;
}

const TRIES = 2;
// An invalid answer longer than this would be too expensive to send back. Only its errors are sent.
const LONGEST_QUOTE = 20_000;

async function generateData<Schema extends z.ZodType>(
  used: ModelInUse,
  request: DataRequest<Schema>,
): Promise<Generated<z.output<Schema>>> {
  let usage = NO_USAGE;
  let correction: AiSdkMessage[] = [];
  for (let tries = 1; ; tries += 1) {
    const answer = await askInBestFormat(used, request, correction).catch((error: unknown) => {
      throw VarveError.isInstance(error) ? withUsage(error, addUsage(usage, usageOfFailure(error) ?? NO_USAGE)) : error;
    });
    usage = addUsage(usage, answer.usage);
    const parsed = parseAnswer(answer, request.schema, used.limits);
    if (parsed.ok) {
      const { data, repaired, isCut } = parsed;
      return { data, model: used.id, usage, repaired: repaired || tries > 1, isCut };
    }
    if (tries === TRIES && parsed.problem === 'truncated' && request.usesPart !== undefined) {
      const part = parseAnswer(answer, request.schema, { ...used.limits, keepsWhole: true });
      if (part.ok && request.usesPart(part.data))
        return { data: part.data, model: used.id, usage, repaired: true, isCut: true };
    }
    // A model that has refused once would refuse again.
    if (tries === TRIES || parsed.problem === 'refused') throw invalidAnswer(used, request, parsed, usage);
    const again = 'Answer again, completely, with one JSON value that fits the schema and nothing else.';
    correction = [
      ...(answer.text === '' || answer.text.length > LONGEST_QUOTE ? [] : [message('assistant', answer.text)]),
      message('user', `${parsed.message}\n${again}`),
    ];
  }
}

const NEXT_FORMAT: Record<AnswerFormat, AnswerFormat | null> = { schema: 'json', json: 'words', words: null };

/** If the provider rejects a format, uses the next simpler one and remembers it. */
async function askInBestFormat<Schema extends z.ZodType>(
  used: ModelInUse,
  request: DataRequest<Schema>,
  correction: readonly AiSdkMessage[],
): Promise<Answered> {
  const known = used.formats.get(request.task) ?? firstFormat(used, request.schema);
  for (let format: AnswerFormat = known; ;) {
    try {
      const messages = messagesFor(request, format, correction);
      const answer = await callForAnswer(used, request, messages, responseFormat(request, format));
      // Some providers ignore the schema and only warn. The next call then describes the schema in words.
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
  // Providers' JSON modes return only objects, so a list is requested in words.
  if (!acceptedKinds(jsonSchemaOf(schema)).has('object')) return 'words';
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
    message('user', user),
    ...correction,
  ];
}

async function generatePlain(used: ModelInUse, request: TextRequest): Promise<Generated<string>> {
  const { longestAnswer = 1_000_000 } = used.limits;
  const { system, user } = request.prompt;
  const answer = await callForAnswer(used, request, [{ role: 'system', content: system }, message('user', user)]);
  const invalid = (problem: AnswerProblem): Error =>
    invalidAnswer(used, request, { problem, issues: [] }, answer.usage);
  if (answer.finishReason === 'content-filter') throw invalid('refused');
  if (answer.text.length > longestAnswer) throw invalid('too_long');
  const data = answer.text.trim();
  if (data === '') throw invalid('empty');
  if (['length', 'error', 'interrupted'].includes(answer.finishReason)) throw invalid('truncated');
  return { data, model: used.id, usage: answer.usage, repaired: false };
}

/** Keeps passwords, keys and card numbers out of prompts, as the privacy policy keeps them out of memories. */
export function redactingModel(model: LanguageModel, policy: PrivacyPolicy): LanguageModel {
  const clean = <Request extends TextRequest>(request: Request): Request => ({
    ...request,
    prompt: { ...request.prompt, user: redactSensitive(request.prompt.user, policy) },
  });
  return {
    generate: (request) => model.generate(clean(request)),
    generateText: (request) => model.generateText(clean(request)),
    modelOf: (task) => model.modelOf(task),
  };
}

/** How to ask for JSON: with an enforced schema, in a JSON mode, or in words alone. */
type AnswerFormat = 'schema' | 'json' | 'words';

interface ModelInUse {
  id: string;
  model: AiSdkLanguageModel;
  caller: Caller;
  /** The best format that has worked for each task: a provider may accept one task's schema and refuse another's. */
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

async function callForAnswer(
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
  const parts = answer.content.filter(({ type }) => type === 'text').map((part) => part.text ?? '');
  const text = answer.structuredOutputText ?? parts.join('');
  const { finishReason } = answer;
  const tokens = readTokens(answer.usage);
  const sent = messages.flatMap(({ content }) =>
    typeof content === 'string' ? content : content.map((part) => part.text),
  );
  return {
    text,
    finishReason: typeof finishReason === 'object' ? finishReason.unified : String(finishReason),
    usage: {
      tokensIn: tokens.in ?? used.counter.count(sent.join('\n')),
      // Only the beginning, because counting the tokens of a 10 MB answer would be slow.
      tokensOut: tokens.out ?? used.counter.count(text.slice(0, 1_000_000)),
      tokensCached: tokens.cached,
      calls: 1,
      milliseconds: Math.round(used.clock.now() - started),
      estimated: tokens.in === null || tokens.out === null,
    },
    warnings: answer.warnings ?? [],
  };
}

const PROBLEMS: Record<AnswerProblem, string> = {
  empty: 'it is empty',
  refused: 'the model refuses',
  too_long: 'it is longer than the limit',
  truncated: 'it ends before it is complete',
  not_json: 'it is not JSON',
  several_answers: 'it has several different JSON values',
  wrong_shape: 'it does not fit the schema',
};

interface InvalidAnswer {
  problem: AnswerProblem;
  issues: { path: string; code: string }[];
}

function invalidAnswer(used: ModelInUse, request: TextRequest, invalid: InvalidAnswer, usage: ModelUsage): VarveError {
  // Names only paths and no text from the answer, which the message for the model may quote.
  const places = invalid.issues.map(({ path, code }) => `${path || 'the whole answer'} (${code})`).join(', ');
  const what = places === '' ? PROBLEMS[invalid.problem] : `${PROBLEMS[invalid.problem]}: ${places}`;
  const error = new VarveError(`${used.id} returned no usable answer to the task ${request.task}: ${what}.`, {
    code: 'model_answer_invalid',
    details: { model: used.id, task: request.task, problem: invalid.problem, issues: invalid.issues },
  });
  return withUsage(error, usage);
}

function message(role: 'user' | 'assistant', text: string): AiSdkMessage {
  return { role, content: [{ type: 'text', text }] };
}
