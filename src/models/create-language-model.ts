import { invalidInput } from '../errors.ts';
import { estimatingCounter, type TokenCounter } from '../language/token-count.ts';
import { systemClock } from '../record/clock.ts';
import { aiSdkModelId, assertModel, type AiSdkLanguageModel } from './ai-sdk-model.ts';
import type { ModelInUse } from './answer-call.ts';
import { createCaller, type CallSettings } from './caller.ts';
import { generateData } from './generate-data.ts';
import { generatePlain } from './generate-plain.ts';
import type { LanguageModel } from './language-model.ts';
import type { AnswerLimits } from './parse-answer.ts';
import { TASK_TIERS, type Task } from './task.ts';

export interface LanguageModelOptions extends CallSettings, AnswerLimits {
  /** Does the quick tasks, and all of them when there is no other. */
  fast: AiSdkLanguageModel;
  /** Does the careful tasks. Default: the fast one. */
  slow?: AiSdkLanguageModel;
  /** Models for single tasks. */
  tasks?: Partial<Record<Task, AiSdkLanguageModel>>;
  /** Left to the provider by default. */
  temperature?: number;
  /** Counts tokens where a provider does not. Default: an estimate. */
  counter?: TokenCounter;
}

/** Makes the language model of AI SDK model objects (V2–V4): a fast and a slow one, or one for each task. */
export function createLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { tasks = {} } = options;
  for (const task of Object.keys(tasks)) {
    if (!Object.hasOwn(TASK_TIERS, task)) {
      throw invalidInput(`There is no task ${JSON.stringify(task)}. Tasks: ${Object.keys(TASK_TIERS).join(', ')}.`);
    }
  }
  // By object: one model in two places has one limit and one breaker.
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
  };
}
