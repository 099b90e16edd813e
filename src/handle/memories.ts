import { z } from 'zod';
import { conflict, notFound, type VarveError } from '../errors.ts';
import { dayIn, endedByNote, formText, isPlainText, readText } from '../form/form-text.ts';
import { inOwnZone } from '../form/form.ts';
import type { FormDeps } from '../form/formation-settings.ts';
import { ARCHIVE_REASONS, memoryChangeSchema, newMemorySchema, withoutForgottenWords } from '../record/memory.ts';
import type { ArchiveReason, Memory, MemoryChange, NewMemory } from '../record/memory.ts';
import { assertTypes } from '../record/memory-types.ts';
import type { Forgotten } from '../record/forgotten.ts';
import { limitSchema, parse } from '../record/parse.ts';
import type { Change, Revision } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Page } from '../store/rows.ts';
import type { Parts, Reader, Writer } from '../store/database.ts';
import { forget, unforget } from '../store/forget/forget.ts';
import { listForgotten } from '../store/forget/forgotten-store.ts';
import { listRevisions } from '../store/history-store.ts';
import { ownTimeZone } from '../store/owner-store.ts';
import { newMemory, type Sources, withSources } from '../store/record-rows.ts';
import { upgradeSnapshot } from '../store/migrations/older-memory.ts';
import { findChangeable, findMemory, listMemories, memoryFilterSchema } from '../store/read-memories.ts';
import type { MemoryFilter } from '../store/read-memories.ts';
import { archiveMemory, restoreMemory, reviseMemory, singlesOf } from '../store/write-memory.ts';
import { supersedeMemory, writeMemory, type WrittenMemory } from '../store/write-memory.ts';
import { parseChange } from './change.ts';
import { isMoreTrusted } from '../record/statement.ts';

export interface MemoryReader {
  /** Returns a live or archived memory, or null if this handle can see none with this id. */
  get(id: string): Promise<Memory | null>;
  /** Returns a page of memories. Default: the live ones, newest first. */
  list(filter?: MemoryFilter): Promise<Page<Memory>>;
}

/** Reads and writes single memories. Every change is recorded as a revision. */
export interface MemoryHandle extends MemoryReader {
  /**
   * Stores a memory, unless an exact duplicate is live. With `contradicts`, the contradicted memory is archived. With `read: true`, the
   * call returns a known memory as `unchanged` if it states the same or is trusted more.
   */
  create(memory: NewMemory, why?: Partial<Change>): Promise<WrittenMemory>;
  /** Changes a memory, which gets a new version. */
  revise(id: string, change: MemoryChange, why?: Partial<Change>): Promise<Memory>;
  /** Archives a memory: recall no longer finds it, but the turns that state it stay visible. Default reason: `pruned`. */
  archive(id: string, reason?: ArchiveReason, why?: Partial<Change>): Promise<Memory>;
  /** Forgets a memory: hides it and the words that state it everywhere, until it is restored or erased. */
  forget(id: string, why?: Partial<Change>): Promise<Memory>;
  /** Restores an archived memory. Throws `conflict` if another memory has replaced it. */
  restore(id: string, why?: Partial<Change>): Promise<Memory>;
  /** Replaces a memory, which is archived and points to the new one. Throws `conflict` if the new memory is trusted less. */
  supersede(id: string, replacement: NewMemory, options?: SupersedeOptions): Promise<Memory>;
  /** Returns all changes of a memory, oldest first. */
  history(id: string): Promise<Revision[]>;
}

export interface SupersedeOptions extends Partial<Change> {
  /** The reason for archiving the old memory. Default: `superseded`. */
  as?: 'superseded' | 'contradicted';
  /** Whether the user asked for the change, so that the agent's wording may replace the user's. Default: false. */
  asked?: boolean;
}

export function memoryReader(parts: Parts, scope: Scope, asOf: Date | null): MemoryReader {
  const { database, clock } = parts;
  return {
    async get(id) {
      const memory = await database.read(scope.tenant, (reader) => findMemory(reader, scope, id, asOf));
      return memory && withoutForgottenWords(memory);
    },
    async list(filter = {}) {
      const checked = parse(memoryFilterSchema, filter, 'The filter');
      assertTypes(checked.types, parts.memoryTypes);
      const now = clock.now();
      const page = await database.read(scope.tenant, (reader) => listMemories(reader, scope, checked, { now, asOf }));
      return { ...page, items: page.items.map(withoutForgottenWords) };
    },
  };
}

export function memoryHandle(parts: FormDeps, scope: Scope): MemoryHandle {
  const { database } = parts;
  const change = changing(parts, scope);
  const forgetMemory = (id: string, why?: Partial<Change>): Promise<Memory> => {
    const checked = parseChange(why, 'forgotten by the application');
    return change(id, async (writer, memory) => {
      if (memory.archiveReason === 'forgotten') return withoutForgottenWords(memory);
      const by = checked.actor ?? 'application';
      const memories = await statementsOf(writer, memory);
      if (memories[0]?.id !== id) await archiveMemory(writer, parts, memory, { reason: 'forgotten', why: checked });
      await forget(writer, parts, { scope: memory.scope, memories, by, why: checked });
      return withoutForgottenWords((await findMemory(writer, scope, id)) ?? memory);
    });
  };
  return {
    ...memoryReader(parts, scope, null),
    create: (memory, why) => createMemory(parts, scope, memory, why),
    async revise(id, fields, why) {
      const checked = parse(memoryChangeSchema, fields, 'The change');
      const reason = parseChange(why, 'revised by the application');
      return change(id, async (writer, memory) =>
        withoutForgottenWords(await reviseMemory(writer, parts, memory, { change: checked, why: reason })),
      );
    },
    async archive(id, reason = 'pruned', why) {
      parse(z.enum(ARCHIVE_REASONS), reason, 'The reason');
      if (reason === 'forgotten') return forgetMemory(id, why);
      const checked = parseChange(why, 'archived by the application');
      return change(id, async (writer, memory) =>
        withoutForgottenWords(await archiveMemory(writer, parts, memory, { reason, why: checked })),
      );
    },
    forget: forgetMemory,
    async restore(id, why) {
      const reason = parseChange(why, 'restored by the application');
      return change(id, async (writer, memory) => {
        const restored = await restoreMemory(writer, parts, memory, reason);
        const records = await listForgotten(writer, memory.scope, { memories: [id] });
        for (const record of records) await unforget(writer, parts, record);
        return restored;
      });
    },
    async supersede(id, replacement, { as = 'superseded', asked = false, ...why } = {}) {
      const input = parse(newMemorySchema, replacement, 'The memory');
      const reason = parseChange(why, 'superseded by the application');
      return change(id, async (writer, old) => {
        assertLive(old);
        const dated = input.read === true ? { ...input, ...(await movedTo(writer, parts, old, input)) } : input;
        const next = newMemory(parts, old.scope.session === null ? { ...scope, ...old.scope } : scope, dated);
        assertMayReplace(old, next, asked);
        return supersedeMemory(writer, parts, { old, next, reason: as, change: reason });
      });
    },
    history: (id) => database.read(scope.tenant, (reader) => historyOf(reader, scope, id)),
  };
}

/** Returns the fields that change with the day that the new text of a plan or a reminder names. If it names no day, the times stay. */
async function movedTo(
  writer: Writer,
  { clock, settings }: FormDeps,
  { scope, tense, dueAt, validFrom }: Memory,
  { content, value = null }: Pick<NewMemory, 'content' | 'value'>,
): Promise<Partial<Pick<Memory, 'tense' | 'dueAt' | 'validFrom' | 'value'>>> {
  if (dueAt === null && tense !== 'planned') return {};
  const at = { now: new Date(clock.now()), timeZone: await ownTimeZone(writer, scope, settings.timeZone) };
  const day = dayIn(content, at);
  if (day === null) return { tense, dueAt, validFrom };
  const isDay = value !== null && dayIn(value, at) !== null;
  const moved = { tense: 'planned' as const, dueAt: dueAt === null ? null : day.at, validFrom: day.at };
  return isDay ? { ...moved, value: day.written } : moved;
}

async function createMemory(
  parts: FormDeps,
  scope: Scope,
  memory: NewMemory,
  why: Partial<Change> | undefined,
): Promise<WrittenMemory> {
  const input = parse(newMemorySchema, memory, 'The memory');
  const reason = parseChange(why, 'stored by the application');
  const isRead = input.read === true && isPlainText(parts, scope, input);
  const at = input.statedAt ?? new Date(parts.clock.now());
  const deps = await parts.database.read(scope.tenant, (reader) => inOwnZone(reader, parts, scope));
  const read = isRead
    ? { ...(await readText(deps, scope, input.content, at)), ends: await endedByNote(parts, scope, input.content, at) }
    : { statements: [] };
  return parts.database.write(scope.tenant, async (writer) => {
    const old = input.contradicts == null ? null : await findChangeable(writer, scope, input.contradicts);
    if (old !== null) assertMayReplace(old, newMemory(parts, scope, input), false);
    const text = { scope, memory: input, ...read, readBy: 'remember', why: reason };
    return (await formText(writer, parts, text)) ?? writeMemory(writer, parts, scope, input, reason);
  });
}

/** A merged text gets no forgotten record of its own, because restoring both would duplicate its statements. */
async function statementsOf(writer: Writer, memory: Memory): Promise<Memory[]> {
  const singles = await singlesOf(writer, memory);
  return singles.length > 0 ? singles : [memory];
}

function changing({ database }: Parts, scope: Scope) {
  return <Result>(id: string, work: (writer: Writer, memory: Memory) => Promise<Result>): Promise<Result> =>
    database.write(scope.tenant, async (writer) => {
      const memory = await findChangeable(writer, scope, id);
      if (memory === null) throw noSuchMemory(id);
      return work(writer, memory);
    });
}

function assertLive({ id, archivedAt }: Memory): void {
  if (archivedAt === null) return;
  throw conflict(
    `The memory ${id} is archived: only a live memory can be superseded. Restore it first, or create a new one.`,
  );
}

/** Throws if the old memory is trusted more than the new one, unless the user asked the agent for the correction. */
function assertMayReplace(old: Memory, next: Memory, asked: boolean): void {
  if (!isMoreTrusted(old.trust, next.trust) || (asked && next.trust !== 'low')) return;
  const message = `The memory ${old.id} is trusted more (${old.trust}) than its replacement (${next.trust}).`;
  throw conflict(message, { details: { id: old.id } });
}

async function historyOf(reader: Reader, scope: Scope, id: string): Promise<Revision[]> {
  const memory = await findMemory(reader, scope, id);
  if (memory === null) return [];
  let next: Sources = memory;
  const revisions = (await listRevisions(reader, scope.tenant, id)).toReversed().map((revision) => {
    if (revision.before === null) return revision;
    const before = withSources(upgradeSnapshot(revision.before), next);
    next = before;
    return { ...revision, before: memory.archiveReason === 'forgotten' ? null : before };
  });
  return revisions.toReversed();
}

export function noSuchMemory(id: string): VarveError {
  return notFound(`There is no memory ${id} that this handle can see.`, id);
}

/** Lists and restores forgotten records, which are hidden everywhere else until they are erased. They are never shown to a model. */
export interface ForgottenHandle {
  /** Lists the forgotten records, newest first, each with its text, who asked to forget it, and when. Default: 100. */
  list(options?: { limit?: number }): Promise<Forgotten[]>;
  /** Restores a forgotten record and its words in the log. Throws `conflict` if the record was imported without its words. */
  restore(id: string, why?: Partial<Change>): Promise<void>;
}

export function forgottenHandle(parts: Parts, scope: Scope): ForgottenHandle {
  const { database } = parts;
  return {
    async list({ limit = 100 } = {}) {
      const most = parse(limitSchema, limit, 'The limit');
      return database.read(scope.tenant, (reader) => listForgotten(reader, scope, { limit: most }));
    },
    async restore(id, why) {
      const reason = parseChange(why, 'restored by the application');
      await database.write(scope.tenant, async (writer) => {
        const [record] = await listForgotten(writer, scope, { id });
        if (record === undefined || (record.scope.user !== null && record.scope.user !== scope.user)) {
          throw notFound(`There is no forgotten record ${id} that this handle can see.`, id);
        }
        if (record.text === '') {
          const problem = `The record ${id} was imported without its words, so it cannot be restored here. Restore it in the store that it came from.`;
          throw conflict(problem, { details: { id } });
        }
        const memory = record.memory === null ? null : await findChangeable(writer, scope, record.memory);
        if (memory !== null) await restoreMemory(writer, parts, memory, reason);
        await unforget(writer, parts, record);
      });
    },
  };
}
