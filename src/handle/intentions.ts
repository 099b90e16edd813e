import { z } from 'zod';
import { DAY } from '../record/clock.ts';
import { ruleAuthorises } from '../language/claims.ts';
import { type Due, dueOn, isLapsed } from '../language/due.ts';
import { isPlanOver, type Memory, plannedFor } from '../record/memory.ts';
import { parse, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Reader } from '../store/database.ts';
import { closeIntention, forget } from '../store/forget/forget.ts';
import { ownTimeZone } from '../store/owner-store.ts';
import { findChangeable, listMemories, type MemoryFilter } from '../store/read-memories.ts';
import { archiveMemory, reviseMemory, writeMemory } from '../store/write-memory.ts';
import { type ObservationSource, sourceFields } from '../observe/record-observation.ts';
import { logOf } from './events.ts';
import { noSuchMemory } from './memories.ts';
import { vouchedBy } from '../form/check/stated-by.ts';

/** An action that the user intends to take. */
export interface NewIntention {
  text: string;
  /** When the intention is due. Default: after `followUpDays`. */
  dueAt?: TimeInput;
  /** Default: 3. */
  followUpDays?: number;
  /** The circumstances in which the intention was mentioned. */
  context?: string;
  /** Who states it. Default: the application. */
  statedBy?: ObservationSource['statedBy'];
  /** The page, mail or tool that the intention was read from. An intention with a source is unverified. */
  source?: string | null;
}

/** Plans of the user. The agent mentions them when they are due, until they are done or dismissed. */
export interface IntentionHandle {
  add(intention: NewIntention): Promise<Memory>;
  /** Returns the intentions that are due today or became due at most three days ago, the longest overdue first. Default: 20. */
  due(options?: { at?: TimeInput; limit?: number }): Promise<Memory[]>;
  /**
   * Lists the open intentions, the earliest due date first. Leaves out those whose stated day is over and that `due` no longer returns:
   * prompts no longer bring them up, and maintenance archives them later. With `plans`, lists planned statements of other types too.
   */
  list(options?: { plans?: boolean }): Promise<Memory[]>;
  /** Marks the intention as done. It is never due again and stays in the history. */
  done(id: string): Promise<Memory>;
  dismiss(id: string): Promise<Memory>;
  /** Postpones the intention. */
  snooze(id: string, until: TimeInput): Promise<Memory>;
}

export const newIntentionSchema: z.ZodType<Parsed<NewIntention>, NewIntention> = z.strictObject({
  text: textSchema(2000),
  dueAt: timeSchema.optional(),
  followUpDays: z.number().min(0).max(3650).optional(),
  context: textSchema(2000).optional(),
  ...sourceFields,
});

const dueOptionsSchema = z.strictObject({
  at: timeSchema.optional(),
  limit: z.int().min(1).max(1000).default(20),
});

const OPEN: ReadonlySet<string | null> = new Set([null, 'open', 'snoozed']);

const dayOf = (memory: Memory): number => Number(memory.dueAt ?? plannedFor(memory));

type PlanParts = Parts & { settings: { timeZone: string } };

/** The open intentions at a time, and on request other plans. Leaves out those whose day is over. */
async function openPlans(
  { database, clock, memoryTypes, settings }: PlanParts,
  scope: Scope,
  { now, plans = false }: { now: Date; plans?: boolean },
): Promise<{ memory: Memory; due: Due | null }[]> {
  const found = (reader: Reader, filter: Pick<MemoryFilter, 'types' | 'tenses'>): Promise<{ items: Memory[] }> =>
    listMemories(reader, scope, { ...filter, order: 'oldest', limit: 1000 }, { now: clock.now() });
  return database.read(scope.tenant, async (reader) => {
    const at = { now, timeZone: await ownTimeZone(reader, scope, settings.timeZone) };
    const intentions = (await found(reader, { types: ['intention'] })).items.filter(
      (memory) => OPEN.has(memory.state) && !isLapsed(memory, memoryTypes.get(memory.type), at),
    );
    const planned = plans ? (await found(reader, { tenses: ['planned'] })).items : [];
    const others = planned.filter(
      (memory) => memory.type !== 'intention' && plannedFor(memory) !== null && !isPlanOver(memory, now.getTime()),
    );
    return [...intentions, ...others]
      .sort((one, other) => dayOf(one) - dayOf(other))
      .map((memory) => ({ memory, due: dueOn(memory, memoryTypes.get(memory.type), at) }));
  });
}

export function intentionHandle(parts: PlanParts, scope: Scope): IntentionHandle {
  const { database, clock } = parts;
  const close = (id: string, state: 'done' | 'dismissed'): Promise<Memory> =>
    database.write(scope.tenant, async (writer) => {
      const memory = await findChangeable(writer, scope, id);
      if (memory?.type !== 'intention') throw noSuchMemory(id);
      if (memory.archivedAt !== null) return memory;
      const why = { reason: `the intention is ${state}` };
      const closed = await reviseMemory(writer, parts, memory, { change: { state }, why });
      await closeIntention(writer, parts, closed, { as: state, by: 'application', why });
      return archiveMemory(writer, parts, closed, { reason: 'expired', why });
    });
  return {
    async add(intention) {
      const checked = parse(newIntentionSchema, intention, 'The intention');
      const { text, dueAt, followUpDays = 3, context, ...from } = checked;
      const statedBy = await vouchedBy(logOf(parts, scope), text, { ...from, otherwise: 'system' });
      const due = dueAt ?? new Date(clock.now() + followUpDays * DAY);
      const metadata = context === undefined ? {} : { context };
      const input = { type: 'intention', content: text, dueAt: due, state: 'open', metadata, statedBy };
      const why = { reason: 'noted as an intention' };
      return (await database.write(scope.tenant, (writer) => writeMemory(writer, parts, scope, input, why))).memory;
    },
    async due(options = {}) {
      const { at, limit } = parse(dueOptionsSchema, options, 'The options of due intentions');
      const open = await openPlans(parts, scope, { now: at ?? new Date(clock.now()) });
      return open.flatMap(({ memory, due }) => (due === null ? [] : memory)).slice(0, limit);
    },
    async list({ plans } = {}) {
      const open = await openPlans(parts, scope, { now: new Date(clock.now()), plans });
      return open.map(({ memory }) => memory);
    },
    done: (id) => close(id, 'done'),
    dismiss: (id) => close(id, 'dismissed'),
    async snooze(id, until) {
      const dueAt = parse(timeSchema, until, 'The time');
      return database.write(scope.tenant, async (writer) => {
        const memory = await findChangeable(writer, scope, id);
        if (memory?.type !== 'intention' || memory.archivedAt !== null) throw noSuchMemory(id);
        // The user has named this day. The earlier one may have been only the default follow-up day.
        const change = { dueAt, state: 'snoozed', internal: { ...memory.internal, due: null } };
        return reviseMemory(writer, parts, memory, { change, why: { reason: 'put off' } });
      });
    },
  };
}

/** A rule for the agent. */
export interface NewLearning {
  rule: string;
  /** The rule's category, such as `communication`. Default: `general`. */
  category?: string;
  /**
   * The origin of the rule: `user`, `correction`, `reflection` or `application` (default). A rule from any other source never appears in a
   * prompt, nor does one that permits payments or other actions without asking the user, unless a turn of the user states the permission.
   */
  source?: string;
  /** The events that the rule was learned from. */
  sourceEvents?: string[];
}

/** Rules for the agent that apply until they are forgotten. */
export interface LearningHandle {
  /** Adds a rule. If the same rule exists, nothing changes. */
  add(learning: NewLearning): Promise<Memory>;
  /** Lists the live rules, the most important first. */
  list(options?: { category?: string }): Promise<Memory[]>;
  /** Forgets a rule. It is hidden everywhere until it is restored or erased. */
  forget(id: string): Promise<Memory>;
}

export const newLearningSchema: z.ZodType<NewLearning, NewLearning> = z.strictObject({
  rule: textSchema(2000),
  category: textSchema(50).optional(),
  source: textSchema(100).optional(),
  sourceEvents: z.array(textSchema(200)).max(1000).optional(),
});

export function learningHandle(parts: Parts, scope: Scope): LearningHandle {
  const { database, clock } = parts;
  return {
    async add(learning) {
      const checked = parse(newLearningSchema, learning, 'The learning');
      const { rule, category = 'general', source = 'application', sourceEvents } = checked;
      const isOwn = /^(?:application|correction|reflection)$/i.test(source.trim());
      const statedBy = await vouchedBy(logOf(parts, scope), rule, {
        source: isOwn ? null : source,
        otherwise: 'system',
        needsUser: ruleAuthorises,
      });
      const input = { type: 'learning', content: rule, category, metadata: { source }, sourceEvents, statedBy };
      const why = { reason: 'learned as a rule' };
      return (await database.write(scope.tenant, (writer) => writeMemory(writer, parts, scope, input, why))).memory;
    },
    async list({ category } = {}) {
      const categories = category === undefined ? undefined : [category];
      const filter = { types: ['learning'], categories, order: 'important' as const, limit: 1000 };
      return (await database.read(scope.tenant, (reader) => listMemories(reader, scope, filter, { now: clock.now() })))
        .items;
    },
    async forget(id) {
      return database.write(scope.tenant, async (writer) => {
        const memory = await findChangeable(writer, scope, id);
        if (memory?.type !== 'learning') throw noSuchMemory(id);
        const why = { reason: 'the rule no longer holds' };
        await forget(writer, parts, { scope: memory.scope, memories: [memory], by: 'application', why });
        return (await findChangeable(writer, scope, id)) ?? memory;
      });
    },
  };
}
