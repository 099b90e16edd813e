import { type RawBuilder, sql } from 'kysely';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Quote } from '../record/statement.ts';
import type { Database, Reader, Writer } from './database.ts';
import { derivedOf } from './derivation-store.ts';
import { removeEntityRows } from './entity-store.ts';
import { eraseForgotten } from './forget/forgotten-store.ts';
import { eraseRefusals } from './history-store.ts';
import { removeVectors } from './indexing.ts';
import {
  chunks,
  memoryRowsOf,
  ofVisibleOwners,
  type RecordRow,
  removeRows,
  rowsBy,
  rowsWhere,
  scopeOfRow,
  setColumns,
  withinScope,
} from './rows.ts';
import { isLearnedFrom } from './record-rows.ts';

/** The numbers of removed records and of their removed dependent rows. */
export interface ErasedRecords {
  events: number;
  memories: number;
  revisions: number;
  blocks: number;
  embeddings: number;
  refusals: number;
  /** Includes entities that no remaining memory mentions. */
  entities: number;
}

interface RecordsToErase {
  events: readonly RecordRow[];
  memories: readonly RecordRow[];
  blockIds: readonly string[];
}

/** The remaining memories lose their references to the erased records. */
export async function eraseRecords(
  writer: Writer,
  database: Database,
  tenant: string,
  records: RecordsToErase,
): Promise<ErasedRecords> {
  await beginEpoch(writer, tenant, await placesOf(writer, tenant, records));
  const { events, memories, blockIds } = records;
  const [eventIds, eventRows] = [events.map(({ id }) => id), events.map(({ rowId }) => rowId)];
  const [memoryIds, memoryRows] = [memories.map(({ id }) => id), memories.map(({ rowId }) => rowId)];
  const refusals = await eraseRefusals(writer, tenant, await readFrom(writer, tenant, eventIds, memoryIds));
  await forgetSources(writer, tenant, eventIds, memoryIds);
  await forgetReplacements(writer, tenant, memoryIds);
  await database.text.remove(writer, 'event', tenant, eventRows);
  await database.text.remove(writer, 'memory', tenant, memoryRows);
  const links = await rowsBy(writer, tenant, 'memory_entities', { memory_id: memoryIds }, ['entity_id']);
  for (const table of LINKED_TO_MEMORIES) await removeRows(writer, tenant, table, { memory_id: memoryIds });
  await removeRows(writer, tenant, 'memory_derivations', { from_id: memoryIds });
  const entities = await removeUnlinked(writer, tenant, new Set(links.map(({ entity_id }) => entity_id)));
  await eraseForgotten(writer, tenant, { memories: memoryIds, events: eventIds });
  return {
    refusals,
    entities,
    revisions: await removeRows(writer, tenant, 'revisions', { record_id: [...memoryIds, ...blockIds] }),
    embeddings:
      (await removeVectors(writer, tenant, 'event', eventRows)) +
      (await removeVectors(writer, tenant, 'memory', memoryRows)),
    events: await removeRows(writer, tenant, 'events', { id: eventIds }),
    memories: await removeRows(writer, tenant, 'memories', { id: memoryIds }),
    blocks: await removeRows(writer, tenant, 'blocks', { id: blockIds }),
  };
}

const LINKED_TO_MEMORIES = [
  'memory_tags',
  'memory_sources',
  'memory_entities',
  'memory_derivations',
  'given_memories',
  'memory_use',
] as const;

async function removeUnlinked(writer: Writer, tenant: string, ids: ReadonlySet<string>): Promise<number> {
  const links = await rowsBy(writer, tenant, 'memory_entities', { entity_id: [...ids] }, ['entity_id']);
  const linked = new Set(links.map(({ entity_id }) => entity_id));
  const unlinked = [...ids].filter((id) => !linked.has(id));
  return removeEntityRows(writer, tenant, unlinked);
}

/** Adds memories that were derived only from these, directly or indirectly, such as merged texts and patterns. */
export async function withDerivedAlone(
  writer: Writer,
  tenant: string,
  memories: readonly RecordRow[],
): Promise<RecordRow[]> {
  const found = new Map(memories.map((row) => [row.id, row]));
  for (let added = [...found.keys()]; added.length > 0;) {
    const derived = await derivedOf(writer, tenant, added);
    const alone = [...derived].filter(([id, from]) => !found.has(id) && from.every((source) => found.has(source)));
    added = alone.map(([id]) => id);
    for (const row of await memoryRowsOf(writer, tenant, added)) found.set(row.id, row);
    // A derivation whose memory no longer exists would be visited forever.
    added = added.filter((id) => found.has(id));
  }
  return [...found.values()];
}

export async function learnedFrom(
  writer: Writer,
  tenant: string,
  eventIds: readonly string[],
): Promise<(RecordRow & { sources: string[]; quotes: Quote[] })[]> {
  const columns = ['id', 'row_id', 'source_events', 'quotes'] as const;
  const rows = await rowsWhere(writer, 'memories', isLearnedFrom(tenant, eventIds), columns);
  return rows.map(({ id, row_id: rowId, source_events, quotes }) => ({
    id,
    rowId,
    sources: JSON.parse(source_events) as string[],
    quotes: JSON.parse(quotes) as Quote[],
  }));
}

async function readFrom(
  writer: Writer,
  tenant: string,
  eventIds: readonly string[],
  memoryIds: readonly string[],
): Promise<{ owners: string[]; events: Set<string> }> {
  const erased = await rowsBy(writer, tenant, 'events', { id: eventIds }, ['owner_key']);
  const learned = await rowsBy(writer, tenant, 'memories', { id: memoryIds }, ['owner_key', 'source_events']);
  const sources = learned.flatMap((row) => JSON.parse(row.source_events) as string[]);
  return {
    owners: [...new Set([...erased, ...learned].map((row) => row.owner_key))],
    events: new Set([...eventIds, ...sources]),
  };
}

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
      const source_events = JSON.stringify(memory.sources.filter((source) => !erased.has(source)));
      const quotes = JSON.stringify(memory.quotes.filter((quote) => !erased.has(quote.event)));
      await setColumns(writer, 'memories', { tenant, id: memory.id }, { source_events, quotes });
    }
    await removeRows(writer, tenant, 'memory_sources', { event_id: ids });
  }
}

/**
 * A replaced memory points to the next replacement that still exists. If there is none, an archived memory keeps the id of the erased one
 * as a mark: without it, `isNoLongerSo` would treat the memory as still true, and a question about the past would not find it.
 */
async function forgetReplacements(writer: Writer, tenant: string, erased: readonly string[]): Promise<void> {
  for (const ids of chunks(erased)) {
    await sql`update memories set contradicts = null
      where tenant_id = ${tenant} and contradicts in (${sql.join(ids)})`.execute(writer);
  }
  const columns = ['id', 'contradicted_by', 'archived_at'] as const;
  const own = await rowsBy(writer, tenant, 'memories', { id: erased }, columns);
  const replacedBy = new Map(own.map((row) => [row.id, row.contradicted_by]));
  const replaced = await rowsBy(writer, tenant, 'memories', { contradicted_by: erased }, columns);
  for (const { id, contradicted_by, archived_at } of replaced) {
    if (replacedBy.has(id)) continue;
    let next = contradicted_by;
    // Imported memories may replace each other in a cycle, so the number of steps is limited.
    for (let steps = replacedBy.size; next !== null && replacedBy.has(next); steps -= 1)
      next = steps > 0 ? (replacedBy.get(next) ?? null) : null;
    if (next === id) next = null;
    if (next === null && archived_at !== null) continue;
    await setColumns(writer, 'memories', { tenant, id }, { contradicted_by: next });
  }
}

export type Place = Pick<Scope, 'agent' | 'user'>;

async function placesOf(
  writer: Writer,
  tenant: string,
  { events, memories, blockIds }: RecordsToErase,
): Promise<Place[]> {
  const places = new Map<string, Place>();
  for (const [table, values] of [
    ['events', events.map(({ id }) => id)],
    ['memories', memories.map(({ id }) => id)],
    ['blocks', blockIds],
  ] as const) {
    const rows = await rowsBy(writer, tenant, table, { id: values }, ['agent_id', 'user_id']);
    for (const { agent_id: agent, user_id: user } of rows) places.set(JSON.stringify([agent, user]), { agent, user });
  }
  return [...places.values()];
}

/** Makes caches and work in progress start again for every owner that sees the records. */
export async function beginEpoch(writer: Writer, tenant: string, places: readonly Place[]): Promise<void> {
  const renew = async (condition: RawBuilder<unknown>): Promise<void> => {
    await sql`update owners set epoch = epoch + 1, version = version + 1
      where tenant_id = ${tenant} and ${condition}`.execute(writer);
  };
  const seeing = { owner_key: new Set<string>(), agent_id: new Set<string>(), user_id: new Set<string>() };
  for (const { agent, user } of places) {
    if (agent === null && user === null) return renew(sql`1 = 1`);
    if (agent !== null && user !== null) seeing.owner_key.add(ownerKey({ tenant, agent, user }));
    else if (agent !== null) seeing.agent_id.add(agent);
    else if (user !== null) seeing.user_id.add(user);
  }
  for (const [column, values] of Object.entries(seeing)) {
    for (const some of chunks([...values].sort())) await renew(sql`${sql.ref(column)} in (${sql.join(some)})`);
  }
}

/** Usage and payments stay, under a pseudonym, so that accounts and reports still add up. */
export async function anonymiseUsage(
  writer: Writer,
  { tenant, user, agent, alias }: { tenant: string; user: string; agent: string | null; alias: string },
): Promise<number> {
  const rename = async (table: string, and: RawBuilder<unknown> = sql``): Promise<number> => {
    const { numAffectedRows } = await sql`update ${sql.table(table)} set user_id = ${alias}
      where tenant_id = ${tenant} and user_id = ${user} ${and}`.execute(writer);
    return Number(numAffectedRows ?? 0);
  };
  const renamed = await rename('usage', agent === null ? sql`` : sql`and agent_id = ${agent}`);
  const elsewhere = await rowsBy(writer, tenant, 'owners', { user_id: [user] }, ['owner_key']);
  // A credit account covers all agents of a user, so it is renamed only when the user has no owner left.
  if (elsewhere.length > 0) return renamed;
  await rename('credit_accounts');
  await rename('credit_entries');
  return renamed;
}

// Limits memory. These texts serve only to redact stored answers of other owners, because an erased user, agent or tenant loses its own
// blocks as well.
const MOST_TEXTS = 2000;

/** Includes forgotten words. For scopes wider than a session or one user of one agent, returns at most `MOST_TEXTS` texts. */
export async function textsWithin(reader: Reader, scope: Scope): Promise<string[]> {
  const isPart = scope.session !== null || (scope.agent !== null && scope.user !== null);
  const limit = isPart ? sql`` : sql`limit ${MOST_TEXTS}`;
  const owner = withinScope({ ...scope, session: null });
  const inSession = scope.session === null ? sql`1 = 1` : sql`session_id = ${scope.session}`;
  const ofSession =
    scope.session === null ? sql`1 = 1` : sql`(session_id = ${scope.session} or source_session = ${scope.session})`;
  const { rows } = await sql<{ content: string }>`
    select content from memories where ${owner} and ${ofSession}
    union all
    select content from events where ${owner} and ${inSession} and origin = 'user'
    union all
    select words from forgotten_spans where tenant_id = ${scope.tenant}
      and event_id in (select id from events where ${owner} and ${inSession} and origin = 'user')
    ${limit}`.execute(reader);
  return rows.map(({ content }) => content);
}

export async function textsOf(reader: Reader, tenant: string, ids: readonly string[]): Promise<string[]> {
  const memories = await rowsBy(reader, tenant, 'memories', { id: ids }, ['content']);
  const events = await rowsBy(reader, tenant, 'events', { id: ids }, ['content']);
  const cut = await rowsBy(reader, tenant, 'forgotten_spans', { event_id: ids }, ['words']);
  return [...[...memories, ...events].map(({ content }) => content), ...cut.map(({ words }) => words)];
}

export async function textsByOwner(
  reader: Reader,
  tenant: string,
  ids: readonly string[],
): Promise<{ owner: Scope; texts: string[] }[]> {
  const columns = ['tenant_id', 'owner_key', 'agent_id', 'user_id', 'content'] as const;
  const rows = await rowsBy(reader, tenant, 'memories', { id: ids }, columns);
  return [...Map.groupBy(rows, (row) => row.owner_key).values()].map((own) => ({
    owner: scopeOfRow(own[0]!),
    texts: own.map(({ content }) => content),
  }));
}

/** An erasure keeps a sentence that one of these texts supports. */
export async function liveTexts(reader: Reader, scope: Scope): Promise<string[]> {
  const isLive = sql`${ofVisibleOwners(scope)} and archived_at is null`;
  return (await rowsWhere(reader, 'memories', isLive, ['content'])).map(({ content }) => content);
}

export interface OldRecords {
  tenant: string;
  /** The type of memories, or the kind of events. */
  name: string;
  before: number;
  after: number;
  limit: number;
}

export async function oldMemories(
  reader: Reader,
  { tenant, name, before, after, limit }: OldRecords,
): Promise<RecordRow[]> {
  const { rows } = await sql<RecordRow>`
    select id, row_id as "rowId" from memories
    where tenant_id = ${tenant} and type = ${name} and created_at <= ${before} and row_id > ${after}
    order by row_id limit ${limit}`.execute(reader);
  return rows;
}

/**
 * Old events that background work no longer needs: formation has read them. With `waitForTiers`, the working memory includes them; with
 * `reflectedBy`, the nightly reflection has read those recorded after that time.
 */
export async function oldEvents(
  reader: Reader,
  { tenant, name, before, after, limit }: OldRecords,
  { reflectedBy, waitForTiers }: { reflectedBy: number | null; waitForTiers: boolean },
): Promise<RecordRow[]> {
  const waitsForNight =
    reflectedBy !== null
      ? sql`and (e.user_id is null or e.recorded_at <= ${reflectedBy} or exists (
          select 1 from owner_progress p where p.tenant_id = ${tenant} and p.owner_key = e.owner_key
            and (p.reflected_until > e.recorded_at or (p.reflected_until = e.recorded_at
              and (p.reflected_sequence = 0 or p.reflected_sequence >= e.sequence)))))`
      : sql``;
  const waitsForTiers = waitForTiers ? sql`and (e.processed_at is not null or e.user_id is null)` : sql``;
  const { rows } = await sql<RecordRow>`
    select e.id, e.row_id as "rowId" from events e
    where e.tenant_id = ${tenant} and e.kind = ${name} and e.recorded_at <= ${before} and e.row_id > ${after}
      ${waitsForTiers} ${waitsForNight}
      and not exists (select 1 from sessions s where s.tenant_id = ${tenant} and s.owner_key = e.owner_key
        and s.session_id = e.session_id and s.formed_position <= e.position)
    order by e.row_id limit ${limit}`.execute(reader);
  return rows;
}
