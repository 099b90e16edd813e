import { z } from 'zod';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import type { ConsolidationReport } from '../consolidate/consolidate.ts';
import { nextReflection } from '../consolidate/nightly/due-reflections.ts';
import { suggestTools, type ToolSuggestion } from '../consolidate/patterns/find-patterns.ts';
import { notFound } from '../errors.ts';
import { limitSchema, parse, textSchema, timeZoneSchema } from '../record/parse.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import { findUse, type MemoryUse } from '../store/context-log-store.ts';
import { eventsSetAside, retrySetAside, type SetAside } from '../store/event-store.ts';
import { type HeldChange, listHeldChanges } from '../store/held-change-store.ts';
import { listRefusals, listRuns, type RefusalFilter, type RefusalRecord } from '../store/history-store.ts';
import type { Run, RunFilter } from '../store/history-store.ts';
import { findProgress, saveProgress } from '../store/owner-store.ts';
import { findMemory } from '../store/read-memories.ts';
import type { Parts } from '../store/database.ts';
import type { Page } from '../store/rows.ts';
import { parseRunOptions, type RunOptions } from './change.ts';

/** Runs the background work on a scope, and shows and changes its results. */
export interface ConsolidationHandle {
  /** Consolidates now. With `dryRun`, changes are rolled back and only reported; language models are still called and metered. */
  run(options?: RunOptions): Promise<ConsolidationReport>;
  /** Returns the runs of background work on this scope, newest first. */
  runs(filter?: RunFilter): Promise<Run[]>;
  /** Returns the model answers that were not applied because they would have removed too much. */
  held(): Promise<HeldChange[]>;
  /** Applies a held answer. Throws `conflict` if the document has changed since. */
  accept(id: string, actor?: string): Promise<void>;
  /** Discards a held answer. The next run reads the same observations again. */
  reject(id: string): Promise<void>;
  /** Returns the observations that every attempt failed to read, and that are no longer tried. */
  setAside(): Promise<SetAside[]>;
  /** Retries an observation that was set aside. */
  retry(eventId: string): Promise<void>;
  /** Suggests tools that fit the learned patterns. */
  suggestTools(options?: { message?: string; limit?: number }): Promise<ToolSuggestion[]>;
  /** Returns how often a memory was given to the model, used, confirmed and corrected. Null if its use was never judged. */
  use(memoryId: string): Promise<MemoryUse | null>;
  /** Sets the user's time zone, also for formation, recall and prompts, and the hour of the nightly reflection. */
  configure(settings: ReflectionSettings): Promise<void>;
}

/** When a user's nightly reflection runs. `null` restores the default of the server. */
export interface ReflectionSettings {
  timeZone?: string | null;
  /** The hour of the day, 0 to 23, in this time zone. */
  reflectionHour?: number | null;
}

export const reflectionSettingsSchema: z.ZodType<ReflectionSettings, ReflectionSettings> = z.strictObject({
  timeZone: timeZoneSchema.nullable().optional(),
  reflectionHour: z.int().min(0).max(23).nullable().optional(),
});

const runFilterSchema = z.strictObject({
  kinds: z.array(textSchema(100)).optional(),
  statuses: z.array(z.enum(['done', 'failed', 'held', 'skipped'])).optional(),
  limit: limitSchema.optional(),
});

const suggestSchema = z.strictObject({ message: z.string().max(20_000).optional(), limit: limitSchema.optional() });

const loadConsolidation = () => import('../consolidate/consolidate.ts');

export function consolidationHandle(deps: ConsolidateDeps, scope: Scope): ConsolidationHandle {
  const { database, clock } = deps;
  const owner = ownerOf(scope);
  const { tries } = deps.consolidation.tiers;
  return {
    async run(options) {
      const checked = parseRunOptions(options);
      const { consolidateOwner } = await loadConsolidation();
      return consolidateOwner(deps, owner, checked);
    },
    async runs(filter = {}) {
      const checked = parse(runFilterSchema, filter, 'The filter');
      return database.read(owner.tenant, (reader) => listRuns(reader, scope, checked));
    },
    held: () => database.read(owner.tenant, (reader) => listHeldChanges(reader, owner)),
    accept: async (id, actor = 'application') => (await loadConsolidation()).acceptHeldChange(deps, owner, id, actor),
    reject: async (id) => (await loadConsolidation()).rejectHeldChange(deps, owner, id),
    setAside: () => database.read(owner.tenant, (reader) => eventsSetAside(reader, owner, tries)),
    async retry(eventId) {
      const isRetried = await database.write(owner.tenant, (writer) => retrySetAside(writer, owner, eventId, tries));
      if (isRetried) return;
      throw notFound(`The event ${eventId} was not set aside.`, eventId);
    },
    suggestTools: async (options = {}) => suggestTools(deps, scope, parse(suggestSchema, options, 'The options')),
    use: (memoryId) =>
      database.read(owner.tenant, async (reader) =>
        (await findMemory(reader, scope, memoryId)) === null ? null : findUse(reader, owner.tenant, memoryId),
      ),
    async configure(settings) {
      const { timeZone, reflectionHour } = parse(reflectionSettingsSchema, settings, 'The settings');
      await database.write(owner.tenant, async (writer) => {
        const before = await findProgress(writer, owner);
        const own = {
          timeZone: timeZone === undefined ? before.timeZone : timeZone,
          reflectionHour: reflectionHour === undefined ? before.reflectionHour : reflectionHour,
        };
        const nextReflectionAt = nextReflection(deps.consolidation.nightly, own, clock.now());
        await saveProgress(writer, owner, { ...own, nextReflectionAt });
      });
    },
  };
}

/** The statements that a reader found and the checks refused. */
export interface RefusalHandle {
  /** Returns a page of the refused statements, newest first, each with the reason. */
  list(filter?: RefusalFilter): Promise<Page<RefusalRecord>>;
}

const refusalFilterSchema: z.ZodType<RefusalFilter, RefusalFilter> = z.strictObject({
  limit: limitSchema.optional(),
  cursor: textSchema(500).optional(),
  session: textSchema(200).optional(),
});

export function refusalHandle({ database }: Parts, scope: Scope): RefusalHandle {
  return {
    async list(filter = {}) {
      const checked = parse(refusalFilterSchema, filter, 'The filter');
      return database.read(scope.tenant, (reader) => listRefusals(reader, scope, checked));
    },
  };
}
