import { sql } from 'kysely';
import { hash } from 'node:crypto';
import { digest } from '../record/id.ts';
import { contentStems } from '../language/words.ts';
import type { Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Database, Parts, Reader, Writer } from './database.ts';
import { derivedFrom, derivedOf } from './derivation-store.ts';
import { removeEntityRows } from './entity-store.ts';
import { type ErasedRecords, eraseRecords, learnedFrom, textsOf, withDerivedAlone } from './erase-records.ts';
import { memoriesBy, redactMemory } from './forget/hide-in-derived.ts';
import { memoriesReplacedBy } from './read-memories.ts';
import {
  allOf,
  chunks,
  countRows,
  memoryRowsOf,
  ofOwnersWithin,
  ofVisibleOwners,
  type RecordRow,
  rowsWhere,
  withinScope,
} from './rows.ts';
import type { Tables } from './schema.ts';
import { restoreMemory } from './write-memory.ts';

/** The numbers of rows that were removed for good. */
export interface Erased extends ErasedRecords {
  sessions: number;
  toolSchemas: number;
  jobs: number;
}

/**
 * Removes everything within a scope, and memories outside of it that were learned only from erased events. A memory with other sources as
 * well loses only the sentences with words from erased events.
 */
export async function eraseScope(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  /** Both lists are filled with ids: `rewritten` with those of memories that lost some sentences. */
  { removed, rewritten, why }: { removed: string[]; rewritten: string[]; why: Change },
): Promise<Erased> {
  const { tenant } = scope;
  const { database } = parts;
  const events = await rowsWithin(writer, 'events', scope);
  const eventIds = events.map((event) => event.id);
  const memories = await withDerivedAlone(writer, tenant, await memoriesToErase(writer, database, scope, eventIds));
  const blockIds = await idsWithin(writer, 'blocks', scope);

  removed.push(...eventIds, ...memories.map(({ id }) => id), ...blockIds);
  await eraseWorkOn(writer, scope);
  await clearErrors(writer, scope);
  // `eraseRecords` removes refusals outside the scope if erased events led to them.
  const refusals = await removeWithin(writer, 'refusals', scope);
  const mixed = await madeOfMore(writer, tenant, { events: eventIds, memories: memories.map(({ id }) => id) });
  const records = await eraseRecords(writer, database, tenant, { events, memories, blockIds });
  rewritten.push(...mixed.map(({ id }) => id));
  const emptied = await rewriteMixed(writer, parts, tenant, { mixed, why });
  if (scope.session === null) await eraseForgottenWithin(writer, scope);
  const erased: Erased = {
    ...records,
    memories: records.memories + emptied.memories,
    entities: records.entities + emptied.entities,
    refusals: refusals + records.refusals,
    sessions: await removeWithin(writer, 'sessions', scope),
    jobs: await eraseJobs(writer, database, scope),
    toolSchemas: 0,
  };
  if (scope.session === null) {
    const entityIds = await idsWithin(writer, 'entities', scope);
    removed.push(...entityIds);
    erased.entities += await removeEntityRows(writer, tenant, entityIds);
    erased.toolSchemas = await removeWithin(writer, 'tool_schemas', scope);
    await removeWithin(writer, 'owners', scope);
  }
  for (const table of ['request_answers', 'webhook_deliveries', 'context_log'] as const)
    await removeWithin(writer, table, scope);
  return erased;
}

async function rowsWithin(writer: Writer, table: 'events' | 'memories', scope: Scope): Promise<RecordRow[]> {
  const { rows } = await sql<RecordRow>`
    select id, row_id as "rowId" from ${sql.table(table)} where ${withinScope(scope)}`.execute(writer);
  return rows;
}

async function idsWithin(writer: Writer, table: 'blocks' | 'entities', scope: Scope): Promise<string[]> {
  return (await rowsWhere(writer, table, withinScope(scope), ['id'])).map(({ id }) => id);
}

async function memoriesToErase(
  writer: Writer,
  database: Database,
  scope: Scope,
  eventIds: readonly string[],
): Promise<RecordRow[]> {
  const found = new Map((await rowsWithin(writer, 'memories', scope)).map((row) => [row.id, row]));
  for (const row of await learnedInSession(writer, database, scope)) found.set(row.id, row);
  const erased = new Set(eventIds);
  for (const ids of chunks(eventIds)) {
    for (const memory of await learnedFrom(writer, scope.tenant, ids)) {
      if (memory.sources.every((source) => erased.has(source))) found.set(memory.id, memory);
    }
  }
  return [...found.values()];
}

/** Memories that have lost all source events to retention. */
async function learnedInSession(writer: Writer, database: Database, scope: Scope): Promise<RecordRow[]> {
  if (scope.session === null) return [];
  // A memory without a reader was written by hand, not learned from events.
  const by = database.syntax.jsonText('internal', ['by']);
  const { rows } = await sql<RecordRow>`
    select id, row_id as "rowId" from memories where ${withinScope({ ...scope, session: null })}
      and source_session = ${scope.session} and source_events = '[]'
      and coalesce(reader, ${by}) is not null`.execute(writer);
  return rows;
}

interface MixedMemory {
  id: string;
  erased: ReadonlySet<string>;
  kept: ReadonlySet<string>;
}

/** Remaining memories with an erased source, such as merged texts, or summaries that continued in another session. */
async function madeOfMore(
  writer: Writer,
  tenant: string,
  { events, memories }: { events: readonly string[]; memories: readonly string[] },
): Promise<MixedMemory[]> {
  const gone = new Set([...events, ...memories]);
  const ids = new Set((await derivedOf(writer, tenant, memories)).keys());
  for (const some of chunks(events)) for (const { id } of await learnedFrom(writer, tenant, some)) ids.add(id);
  const mixed: MixedMemory[] = [];
  const left = [...ids].filter((id) => !gone.has(id));
  for (const { id, sourceEvents } of await memoriesBy(writer, tenant, { id: left })) {
    const made = [...sourceEvents, ...(await derivedFrom(writer, tenant, id))];
    const stemsOf = async (from: readonly string[]): Promise<Set<string>> =>
      new Set((await textsOf(writer, tenant, from)).flatMap((text) => [...contentStems(text)]));
    const erased = await stemsOf(made.filter((from) => gone.has(from)));
    mixed.push({ id, erased, kept: await stemsOf(made.filter((from) => !gone.has(from))) });
  }
  return mixed;
}

/**
 * Removes sentences with a word that only erased sources have. If nothing is left, removes the memory and restores the episodes that it had
 * absorbed.
 */
async function rewriteMixed(
  writer: Writer,
  parts: Parts,
  tenant: string,
  { mixed, why }: { mixed: readonly MixedMemory[]; why: Change },
): Promise<ErasedRecords> {
  const emptied: Memory[] = [];
  for (const { id, erased, kept } of mixed) {
    const says = (text: string): boolean => [...contentStems(text)].some((stem) => erased.has(stem) && !kept.has(stem));
    const [memory] = await memoriesBy(writer, tenant, { id: [id] });
    if (memory !== undefined && !(await redactMemory(writer, parts, memory, { says, why }))) emptied.push(memory);
  }
  const ids = emptied.map(({ id }) => id);
  const memories = await memoryRowsOf(writer, tenant, ids);
  for (const id of ids) {
    for (const replaced of await memoriesReplacedBy(writer, tenant, id))
      if (replaced.archiveReason === 'absorbed') await restoreMemory(writer, parts, replaced, why);
  }
  return eraseRecords(writer, parts.database, tenant, { events: [], memories, blockIds: [] });
}

async function eraseForgottenWithin(writer: Writer, scope: Scope): Promise<void> {
  await sql`delete from forgotten_spans where tenant_id = ${scope.tenant}
    and forgotten_id in (select id from forgotten where ${withinScope(scope)})`.execute(writer);
  await removeWithin(writer, 'forgotten', scope);
}

async function eraseWorkOn(writer: Writer, scope: Scope): Promise<void> {
  const session = scope.session === null ? sql`` : sql`and session_id = ${scope.session}`;
  await sql`delete from given_memories where ${ofOwnersWithin(scope)} ${session}`.execute(writer);
  await removeWithin(writer, 'runs', scope);
  // Not limited to the session: a held change may be derived from anything that the owner has said.
  await removeWithin(writer, 'held_changes', { ...scope, session: null });
  if (scope.session === null) await removeWithin(writer, 'owner_progress', scope);
}

/** A provider's error message may quote the prompt. */
export async function clearErrors(writer: Writer, scope: Scope): Promise<void> {
  const owner = withinScope({ ...scope, session: null });
  await sql`update runs set error = 'erased' where ${owner} and error is not null`.execute(writer);
  await sql`update events set last_error = 'erased' where ${owner} and last_error is not null`.execute(writer);
  await sql`update jobs set last_error = 'erased'
    where ${ofOwnersWithin(scope)} and last_error is not null`.execute(writer);
}

/** A job's owner is in a column, but its session is only in the payload. */
async function eraseJobs(writer: Writer, database: Database, scope: Scope): Promise<number> {
  const inPayload = database.syntax.jsonText('payload', ['scope', 'session']);
  const session = scope.session === null ? sql`` : sql`and ${inPayload} = ${scope.session}`;
  const result = await sql`delete from jobs where ${ofOwnersWithin(scope)} ${session}`.execute(writer);
  return Number(result.numAffectedRows ?? 0);
}

async function removeWithin(writer: Writer, table: keyof Tables, scope: Scope): Promise<number> {
  const result = await sql`delete from ${sql.table(table)} where ${withinScope(scope)}`.execute(writer);
  return Number(result.numAffectedRows ?? 0);
}

/** A certificate of an erasure, without any erased content. */
export interface ErasureCertificate {
  id: string;
  at: Date;
  actor: string;
  reason: string;
  /** A digest of the erased scope or record. Anyone who knows the scope or record can use it to find the certificate. */
  subject: string;
  counts: Record<string, number>;
  /** The number of removed records. */
  removed: number;
  /** SHA-256 of the sorted ids of the removed records, one id per line. */
  removedHash: string;
}

export interface Remaining {
  memories: number;
  events: number;
}

export async function remainingOf(reader: Reader, scope: Scope): Promise<Remaining> {
  if (scope.user === null) return { memories: 0, events: 0 };
  const isOfUser = allOf([ofVisibleOwners(scope), sql`user_id = ${scope.user}`]);
  return {
    memories: await countRows(reader, 'memories', isOfUser),
    events: await countRows(reader, 'events', isOfUser),
  };
}

export function erasureSubject(scope: Scope, id?: string): string {
  return digest(['erased', scope.tenant, scope.agent, scope.user, scope.session, id ?? null], 24);
}

export function hashIds(ids: readonly string[]): string {
  return hash('sha256', [...ids].sort().join('\n'));
}

export async function insertErasure(
  writer: Writer,
  tenant: string,
  { id, at, actor, reason, subject, counts, removed, removedHash }: ErasureCertificate,
): Promise<void> {
  const row = { id, at: at.getTime(), actor, reason, subject, counts: JSON.stringify(counts), removed };
  await writer
    .insertInto('erasures')
    .values({ tenant_id: tenant, ...row, removed_hash: removedHash })
    .execute();
}

const MOST_CERTIFICATES = 100;

export async function listErasures(reader: Reader, tenant: string): Promise<ErasureCertificate[]> {
  const latest = sql`tenant_id = ${tenant} order by at desc, id desc limit ${MOST_CERTIFICATES}`;
  const rows = await rowsWhere(reader, 'erasures', latest);
  return rows.map(({ id, at, actor, reason, subject, removed, removed_hash: removedHash, ...row }) => {
    const counts = JSON.parse(row.counts) as Record<string, number>;
    return { id, at: new Date(at), actor, reason, subject, counts, removed, removedHash };
  });
}
