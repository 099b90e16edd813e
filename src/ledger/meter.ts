import { VarveError } from '../errors.ts';
import type { Embedder } from '../models/embedder.ts';
import {
  type Generated,
  type LanguageModel,
  type ModelUsage,
  NO_USAGE,
  usageOfFailure,
} from '../models/language-model.ts';
import type { Task } from '../models/prompt.ts';
import type { Reranker } from '../models/reranker.ts';
import type { Clock } from '../record/clock.ts';
import type { IdSource } from '../record/id.ts';
import type { Writer } from '../store/database.ts';
import type { Operation, UsageEntry, UsageScope } from '../store/doors/usage-store.ts';

/** Whose work is metered. */
export interface MeterContext {
  scope: UsageScope;
  operation: Operation;
  run?: string | null;
  /** True for work that somebody waits for: the day's budget does not stop it, credit does. Default false. */
  foreground?: boolean;
}

/**
 * Counts what one piece of work uses. Its models refuse with `out_of_credit` or `budget_spent` before a paid call
 * that nobody would pay for, and note every other.
 */
export interface Meter {
  languageModel(model: LanguageModel): LanguageModel;
  embedder(embedder: Embedder): Embedder;
  reranker(reranker: Reranker): Reranker;
  /** Notes use that no model of the meter saw: what remembered text costs in a prompt, for one. */
  note(use: NotedUse): void;
  /** Writes what was noted so far and takes its cost, in the transaction of the work that it paid for. Call it last in there. */
  settle(writer: Writer): Promise<void>;
  /** What was noted so far. */
  readonly entries: readonly UsageEntry[];
}

export interface NotedUse {
  task: string;
  model: string;
  usage: Partial<ModelUsage>;
  operation?: Operation;
  failed?: boolean;
}

export interface MeterParts {
  clock: Clock;
  ids: IdSource;
  /** Throws when a paid call of this model may not be made. */
  ensurePaid(model: string, entries: readonly UsageEntry[]): Promise<void>;
  record(writer: Writer, entries: readonly UsageEntry[]): Promise<number>;
}

/** Makes the meter of one piece of work. */
export function createMeter(context: MeterContext, parts: MeterParts): Meter {
  const entries: UsageEntry[] = [];
  const note = (use: NotedUse): void => {
    entries.push({
      id: parts.ids.next('use'),
      scope: context.scope,
      run: context.run ?? null,
      operation: use.operation ?? context.operation,
      task: use.task,
      model: use.model,
      usage: { ...NO_USAGE, calls: 1, ...use.usage },
      failed: use.failed ?? false,
      at: parts.clock.now(),
    });
  };

  /** A call that fails is noted as well, when something was used up. */
  const noted: Noted = async (use, call, usageOf) => {
    await parts.ensurePaid(use.model, entries);
    const started = parts.clock.now();
    try {
      const result = await call();
      const usage = usageOf(result, Math.round(parts.clock.now() - started));
      // No tokens: it all came from a cache.
      if (usage.tokensIn !== 0) note({ ...use, usage });
      return result;
    } catch (error) {
      const usage = usageOfFailure(error);
      if (usage !== null) note({ ...use, usage, failed: true });
      throw error;
    }
  };

  return {
    entries,
    note,
    ...meteredModels(noted),
    async settle(writer) {
      if (entries.some(({ scope }) => scope.tenant !== context.scope.tenant)) {
        throw new VarveError('A meter holds usage of another tenant.', { code: 'outside_scope' });
      }
      await parts.record(writer, entries);
    },
  };
}

/** Makes a call and notes what it used. */
type Noted = <Result>(
  use: Pick<NotedUse, 'task' | 'model' | 'operation'>,
  call: () => Promise<Result>,
  usageOf: (result: Result, milliseconds: number) => Partial<ModelUsage>,
) => Promise<Result>;

function meteredModels(noted: Noted): Pick<Meter, 'languageModel' | 'embedder' | 'reranker'> {
  const byTokens = ({ tokens }: { tokens: number }, milliseconds: number) => ({ tokensIn: tokens, milliseconds });
  const generated = <Data>(result: Generated<Data>): ModelUsage => result.usage;
  return {
    languageModel: (model) => {
      const useOf = ({ task }: { task: Task }) => ({ task, model: model.modelOf(task) });
      return {
        modelOf: (task) => model.modelOf(task),
        generate: (request) => noted(useOf(request), () => model.generate(request), generated),
        generateText: (request) => noted(useOf(request), () => model.generateText(request), generated),
      };
    },
    embedder: (embedder) => ({
      id: embedder.id,
      dimensions: embedder.dimensions,
      embed: (texts, options) => {
        const use = { task: 'embed', model: embedder.id, operation: 'embedding' } as const;
        return noted(use, () => embedder.embed(texts, options), byTokens);
      },
    }),
    reranker: (reranker) => ({
      id: reranker.id,
      rerank: (query, documents, options) => {
        const use = { task: 'rerank', model: reranker.id };
        return noted(use, () => reranker.rerank(query, documents, options), byTokens);
      },
    }),
  };
}
