import { sql, type RawBuilder } from 'kysely';
import type { Scope } from '../record/scope.ts';
import type { Database, Writer } from './database.ts';
import type { Tables } from './schema.ts';

/** How many rows of each kind were removed for good. */
export interface Erased {
  events: number;
  memories: number;
  revisions: number;
  blocks: number;
  sessions: number;
  entities: number;
  embeddings: number;
  toolSchemas: number;
  jobs: number;
}

/**
 * Removes everything that lies within a scope: records, versions, text and vectors, links, queued work.
 * Memories elsewhere that were learned from nothing but erased events go with them; others lose their pointer to it.
 */
export async function eraseScope(writer: Writer, database: Database, scope: Scope): Promise<Erased> {
  const { tenant } = scope;
  const events = await rowsWithin(writer, 'events', scope);
  const eventIds = events.map((event) => event.id);
  const memories = await memoriesToErase(writer, scope, eventIds);
  const memoryIds = memories.map((memory) => memory.id);
  const blockIds = (await rowsWithin(writer, 'blocks', scope)).map((block) => block.id);

  const eventRows = events.map((event) => event.rowId);
  const memoryRows = memories.map((memory) => memory.rowId);
  await forgetSources(writer, tenant, eventIds, memoryIds);
  await database.text.remove(writer, 'event', eventRows);
  await database.text.remove(writer, 'memory', memoryRows);
  const remove = (
    table: keyof Tables,
    column: string,
    values: readonly (string | number)[],
    and?: RawBuilder<unknown>,
  ) => removeRows(writer, { table, tenant, column, values, and });
  for (const table of ['memory_tags', 'memory_sources', 'memory_entities'] as const) {
    await remove(table, 'memory_id', memoryIds);
  }
  for (const [kind, rows] of [
    ['event', eventRows],
    ['memory', memoryRows],
  ] as const) {
    await remove('embedding_queue', 'record_row', rows, sql`and record_kind = ${kind}`);
  }
  const erased: Erased = {
    revisions: await remove('revisions', 'record_id', [...memoryIds, ...blockIds]),
    embeddings:
      (await remove('embeddings', 'record_row', eventRows, sql`and record_kind = 'event'`)) +
      (await remove('embeddings', 'record_row', memoryRows, sql`and record_kind = 'memory'`)),
    events: await remove('events', 'id', eventIds),
    memories: await remove('memories', 'id', memoryIds),
    blocks: await remove('blocks', 'id', blockIds),
    sessions: await removeWithin(writer, 'sessions', scope),
    jobs: await eraseJobs(writer, database, scope),
    entities: 0,
    toolSchemas: 0,
  };
  if (scope.session === null) {
    const entityIds = (await rowsWithin(writer, 'entities', scope)).map((entity) => entity.id);
    await remove('entity_names', 'entity_id', entityIds);
    await remove('memory_entities', 'entity_id', entityIds);
    erased.entities = await remove('entities', 'id', entityIds);
    erased.toolSchemas = await removeWithin(writer, 'tool_schemas', scope);
    await removeWithin(writer, 'owners', scope);
  }
  await removeWithin(writer, 'request_answers', scope);
  await removeWithin(writer, 'context_log', scope);
  // Other processes hold vectors in memory: a new epoch tells them to let go of them.
  await sql`update owners set epoch = epoch + 1, version = version + 1 where tenant_id = ${tenant}`.execute(writer);
  return erased;
}

interface RecordRow {
  id: string;
  rowId: number;
}

const NUMBERED = new Set(['events', 'memories']);

async function rowsWithin(
  writer: Writer,
  table: 'events' | 'memories' | 'blocks' | 'entities',
  scope: Scope,
): Promise<RecordRow[]> {
  const number = NUMBERED.has(table) ? sql`row_id` : sql`0`;
  const { rows } = await sql<RecordRow>`
    select id, ${number} as "rowId" from ${sql.table(table)} where ${within(scope)}`.execute(writer);
  return rows;
}

async function memoriesToErase(writer: Writer, scope: Scope, eventIds: readonly string[]): Promise<RecordRow[]> {
  const found = new Map((await rowsWithin(writer, 'memories', scope)).map((row) => [row.id, row]));
  const erased = new Set(eventIds);
  for (const ids of chunks(eventIds)) {
    for (const memory of await learnedFrom(writer, scope.tenant, ids)) {
      if (memory.sources.every((source) => erased.has(source))) found.set(memory.id, memory);
    }
  }
  return [...found.values()];
}

async function learnedFrom(
  writer: Writer,
  tenant: string,
  eventIds: readonly string[],
): Promise<(RecordRow & { sources: string[] })[]> {
  const rows = await writer
    .selectFrom('memories')
    .select(['id', 'row_id as rowId', 'source_events'])
    .where('tenant_id', '=', tenant)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('memory_sources')
        .select('memory_id')
        .where('tenant_id', '=', tenant)
        .where('event_id', 'in', [...eventIds]),
    )
    .execute();
  return rows.map((row) => ({ ...row, sources: JSON.parse(row.source_events) as string[] }));
}

/** Takes erased events out of the provenance of memories that stay. */
async function forgetSources(
  writer: Writer,
  tenant: string,
  eventIds: readonly string[],
  erasedMemories: readonly string[],
): Promise<void> {
  const erased = new Set(eventIds);
  const goingToo = new Set(erasedMemories);
  for (const ids of chunks(eventIds)) {
    for (const memory of await learnedFrom(writer, tenant, ids)) {
      if (goingToo.has(memory.id)) continue;
      const left = memory.sources.filter((source) => !erased.has(source));
      await writer
        .updateTable('memories')
        .set({ source_events: JSON.stringify(left) })
        .where('tenant_id', '=', tenant)
        .where('id', '=', memory.id)
        .execute();
    }
    await writer.deleteFrom('memory_sources').where('tenant_id', '=', tenant).where('event_id', 'in', ids).execute();
  }
}

/** Queued and ended work is kept by owner; a session's carries the session in its payload. */
async function eraseJobs(writer: Writer, database: Database, scope: Scope): Promise<number> {
  const owners = sql`select owner_key from owners where ${within({ ...scope, session: null })}`;
  const session =
    scope.session === null
      ? sql``
      : sql`and ${database.syntax.jsonText('payload', ['scope', 'session'])} = ${scope.session}`;
  const result = await sql`
    delete from jobs where tenant_id = ${scope.tenant} and owner_key in (${owners}) ${session}`.execute(writer);
  return Number(result.numAffectedRows ?? 0);
}

function within(scope: Scope): RawBuilder<unknown> {
  const conditions = [sql`tenant_id = ${scope.tenant}`];
  if (scope.agent !== null) conditions.push(sql`agent_id = ${scope.agent}`);
  if (scope.user !== null) conditions.push(sql`user_id = ${scope.user}`);
  if (scope.session !== null) conditions.push(sql`session_id = ${scope.session}`);
  return sql.join(conditions, sql` and `);
}

async function removeWithin(
  writer: Writer,
  table: 'sessions' | 'tool_schemas' | 'owners' | 'request_answers' | 'context_log',
  scope: Scope,
): Promise<number> {
  const result = await sql`delete from ${sql.table(table)} where ${within(scope)}`.execute(writer);
  return Number(result.numAffectedRows ?? 0);
}

interface Removal {
  table: keyof Tables;
  tenant: string;
  column: string;
  values: readonly (string | number)[];
  and?: RawBuilder<unknown>;
}

async function removeRows(writer: Writer, { table, tenant, column, values, and = sql`` }: Removal): Promise<number> {
  let count = 0;
  for (const some of chunks(values)) {
    const result = await sql`delete from ${sql.table(table)}
      where tenant_id = ${tenant} and ${sql.ref(column)} in (${sql.join(some)}) ${and}`.execute(writer);
    count += Number(result.numAffectedRows ?? 0);
  }
  return count;
}

const CHUNK = 500;

function* chunks<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += CHUNK) yield items.slice(start, start + CHUNK);
}
