import { type RawBuilder, sql } from 'kysely';
import { type ArchiveReason, FOLLOW_UP, type Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import { isNoLongerSo } from './block-store.ts';
import type { Database, Parts, Reader, Writer } from './database.ts';
import { recordRevisions } from './history-store.ts';
import { type MemoryRow, toMemory, toSnapshot } from './record-rows.ts';
import { changeOwner } from './owner-store.ts';
import { allOf, chunks, isIn, ofOwner, rowsWhere } from './rows.ts';
import type { OwnerTable } from './schema.ts';
import { restateMerged } from './write-memory.ts';

// This file reads memories of exactly one owner or of a whole tenant, for formation, consolidation and maintenance. To read what a handle
// sees, which may span several owners, use `read-memories.ts`.

/** A record with the number of its row. */
export interface Numbered<Item> {
  item: Item;
  row: number;
}

/** Only live memories are read, unless `archivedAs` is set. */
export interface OwnMemoryFilter {
  types?: readonly string[];
  attribute?: string;
  /** Only memories with exactly this session and connection. A null stands for "none". Default: no restriction. */
  place?: Pick<Scope, 'session' | 'connection'>;
  /** Includes memories that were archived for one of these reasons. */
  archivedAs?: readonly ArchiveReason[];
  /** Leaves out the local reader's statements from turns of the user that no formation has read yet. A model will replace them. */
  withoutDrafts?: boolean;
  /** Leaves out statements with low trust, such as those from tools, pages and pasted text. */
  withoutUnverified?: boolean;
  /** Leaves out texts that consolidation has merged from several statements. */
  withoutMerged?: boolean;
  /** Only memories with at least one tag. */
  tagged?: boolean;
  updatedSince?: number;
  /** Default `oldest`: by the time of creation. `stated` lists the latest statement first. */
  order?: 'oldest' | 'newest' | 'stated';
  limit?: number;
}

export async function ownMemories(reader: Reader, owner: Scope, filter: OwnMemoryFilter = {}): Promise<Memory[]> {
  return (await ownMemoryRows(reader, owner, filter)).map(({ item }) => item);
}

export async function ownMemoryRows(
  reader: Reader,
  owner: Scope,
  { types, attribute, place, updatedSince, order = 'oldest', limit, ...filter }: OwnMemoryFilter,
): Promise<Numbered<Memory>[]> {
  const isMeant = allOf([
    ofOwner(owner),
    filter.archivedAs === undefined
      ? sql`archived_at is null`
      : sql`(archived_at is null or ${isIn('archive_reason', filter.archivedAs)})`,
    types && isIn('type', types),
    attribute !== undefined && sql`attribute = ${attribute}`,
    place && sql`session_id = ${place.session ?? ''} and connection_id = ${place.connection ?? ''}`,
    filter.withoutDrafts && IS_NO_DRAFT,
    filter.withoutUnverified && sql`trust <> 'low'`,
    filter.withoutMerged && sql`source_type <> 'consolidation'`,
    filter.tagged && sql`tags <> '[]'`,
    updatedSince !== undefined && sql`updated_at >= ${updatedSince}`,
  ]);
  const most = limit === undefined ? sql`` : sql`limit ${limit}`;
  const rows = await rowsWhere(reader, 'memories', sql`${isMeant} order by ${OWN_ORDERS[order]} ${most}`);
  return rows.map((row) => ({ item: toMemory(row), row: row.row_id }));
}

const OWN_ORDERS: Readonly<Record<NonNullable<OwnMemoryFilter['order']>, RawBuilder<unknown>>> = {
  oldest: sql`created_at, row_id`,
  newest: sql`created_at desc, row_id desc`,
  stated: sql`stated_at desc, created_at desc, row_id desc`,
};

const IS_NO_DRAFT = sql`not (coalesce(reader, '') = 'local' and stated_by = 'user' and exists
  (select 1 from memory_sources s join events e on e.id = s.event_id and e.tenant_id = s.tenant_id
    where s.tenant_id = memories.tenant_id and s.memory_id = memories.id and e.processed_at is null))`;

/** The fields of a live memory that maintenance needs. */
export interface LiveRow extends Pick<Memory, 'id' | 'type' | 'tense' | 'importance' | 'accessCount'> {
  rowId: number;
  owner: string;
  /** Whether the memory is a permanent fact, which never fades and is never archived by age. */
  permanent: boolean;
  /** Start of its validity; null if no time was stated. */
  beginsAt: number | null;
  /** End of its validity; null if there is none, and always null for past events. */
  endedAt: number | null;
  /** Whether the statement names no day. Its due time then only says when to bring it up again. */
  isFollowUp: boolean;
  /** The later of its planned day and its due day; null if it has neither. */
  plannedFor: number | null;
  createdAt: number;
  updatedAt: number;
  lastAccessedAt: number | null;
  expiresAt: number | null;
  confirmed: number;
  lastConfirmedAt: number | null;
  outcomes: number;
}

/** Reads the next live memories of a tenant after the row `after`, in row order. Batches limit how much a pass keeps in memory. */
export async function liveStretch(
  reader: Reader,
  { syntax }: Pick<Database, 'syntax'>,
  { tenant, after, limit }: { tenant: string; after: number; limit: number },
): Promise<LiveRow[]> {
  const { rows } = await sql<
    Omit<LiveRow, 'permanent' | 'isFollowUp' | 'plannedFor'> & {
      permanent: number;
      dueAt: number | null;
      due: string | null;
    }
  >`
    select m.row_id as "rowId", m.id, m.owner_key as owner, m.type, m.permanent, m.importance, m.tense, m.due_at as "dueAt",
      ${syntax.jsonText('m.internal', ['due'])} as due,
      m.valid_from as "beginsAt", case when m.tense <> 'happened' then m.valid_to end as "endedAt", m.created_at as "createdAt",
      m.updated_at as "updatedAt", m.last_accessed_at as "lastAccessedAt", m.expires_at as "expiresAt",
      m.access_count as "accessCount", coalesce(u.confirmed, 0) as confirmed, u.last_confirmed_at as "lastConfirmedAt",
      (select count(*) from memory_sources s join events e on e.id = s.event_id
        where s.tenant_id = ${tenant} and e.tenant_id = ${tenant} and s.memory_id = m.id and e.kind = 'outcome'
          and ${syntax.jsonText('e.metadata', ['effect'])} = 'positive') as outcomes
    from memories m left join memory_use u on u.tenant_id = m.tenant_id and u.memory_id = m.id
    where m.tenant_id = ${tenant} and m.archived_at is null and m.row_id > ${after}
    order by m.row_id limit ${limit}`.execute(reader);
  return rows.map(({ dueAt, due, ...row }) => {
    const day = Math.max(row.tense === 'planned' ? (row.beginsAt ?? 0) : 0, dueAt ?? 0);
    const plannedFor = day === 0 ? null : day;
    return { ...row, permanent: row.permanent === 1, isFollowUp: due === FOLLOW_UP, plannedFor };
  });
}

/**
 * Lowers the importance of memories without writing revisions, as for access counters. With four passes a day, the revisions would soon
 * outgrow the memories. The audit log records the run, and the owner's new version invalidates caches.
 */
export async function fadeMemories(
  writer: Writer,
  tenant: string,
  faded: readonly { rowId: number; owner: string; importance: number }[],
): Promise<void> {
  for (const some of chunks(faded)) {
    const owners = [...new Set(some.map(({ owner }) => owner))].sort();
    await sql`update owners set version = version + 1
      where tenant_id = ${tenant} and ${isIn('owner_key', owners)}`.execute(writer);
    const values = some.map(
      ({ rowId, importance }) => sql`(cast(${rowId} as bigint), cast(${importance} as double precision))`,
    );
    await sql`with faded (row_id, importance) as (values ${sql.join(values)})
      update memories set importance = (select f.importance from faded f where f.row_id = memories.row_id),
        sequence = (select o.version from owners o where o.tenant_id = ${tenant} and o.owner_key = memories.owner_key)
      where tenant_id = ${tenant} and archived_at is null and row_id in (select row_id from faded)`.execute(writer);
  }
}

/** Archives memories of one tenant in one batch, with a revision for each. Returns the ids of those that were still live. */
export async function archiveMemories(
  writer: Writer,
  parts: Parts,
  tenant: string,
  {
    archived,
    why,
  }: { archived: readonly { rowId: number; reason: ArchiveReason }[]; why: (reason: ArchiveReason) => Change },
): Promise<string[]> {
  if (archived.length === 0) return [];
  const reasons = new Map(archived.map(({ rowId, reason }) => [rowId, reason]));
  const isLive = sql`tenant_id = ${tenant} and ${isIn('row_id', [...reasons.keys()])} and archived_at is null`;
  const rows = await rowsWhere(writer, 'memories', isLive);
  const memories = rows.map((row) => ({ row, memory: toMemory(row) }));
  // Uses a fixed order of owners, so that two passes cannot deadlock.
  const owners = [...Map.groupBy(memories, ({ row }) => row.owner_key)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  for (const [, members] of owners) await archiveOfOwner(writer, parts, members, { reasons, why });
  return memories.map(({ memory }) => memory.id);
}

async function archiveOfOwner(
  writer: Writer,
  parts: Parts,
  members: readonly { row: MemoryRow; memory: Memory }[],
  { reasons, why }: { reasons: ReadonlyMap<number, ArchiveReason>; why: (reason: ArchiveReason) => Change },
): Promise<void> {
  const now = parts.clock.now();
  const scope = members[0]?.memory.scope;
  if (scope === undefined) return;
  const sequence = await changeOwner(writer, ownerOf(scope), now);
  for (const [reason, some] of Map.groupBy(members, ({ row }) => reasons.get(row.row_id) ?? 'decayed')) {
    const rowIds = some.map(({ row }) => row.row_id);
    // Without the condition on `archived_at`, SQLite scans all rows of the tenant.
    await sql`update memories set archived_at = ${now}, archive_reason = ${reason}, updated_at = ${now},
        sequence = ${sequence}, version = version + 1
      where tenant_id = ${scope.tenant} and ${isIn('row_id', rowIds)} and archived_at is null`.execute(writer);
    const revisions = some.map(({ memory }) => ({
      scope: memory.scope,
      recordId: memory.id,
      version: memory.version + 1,
      at: now,
      change: why(reason),
      before: toSnapshot(memory, memory),
    }));
    await recordRevisions(writer, revisions);
  }
  // Rewriting a merged text also revises the statements that remain in it. It is done last and once per merged text, when all these
  // memories are archived.
  const ended = members.flatMap(({ row, memory }) => {
    const archiveReason = reasons.get(row.row_id) ?? 'decayed';
    return isNoLongerSo({ ...memory, archiveReason }) ? [{ memory, archiveReason }] : [];
  });
  for (const [first] of Map.groupBy(ended, ({ memory }) => memory.contradictedBy).values()) {
    if (first === undefined) continue;
    const { memory: before, archiveReason } = first;
    await restateMerged(writer, parts, { before, after: null, change: why(archiveReason) });
  }
}

export async function tenantsWithMemories(reader: Reader): Promise<string[]> {
  const { rows } = await sql<Pick<OwnerTable, 'tenant_id'>>`
    select distinct tenant_id from owners order by tenant_id`.execute(reader);
  return rows.map((row) => row.tenant_id);
}

/** Returns a tenant's plans whose day has come, after the row `after` and in row order. */
export async function plansUntil(
  reader: Reader,
  now: number,
  { tenant, types, after, limit }: { tenant: string; types: readonly string[]; after: number; limit: number },
): Promise<Numbered<Memory>[]> {
  const isDue = sql`tenant_id = ${tenant} and archived_at is null and tense = 'planned' and ${isIn('type', types)}
    and coalesce(valid_from, due_at) <= ${now} and row_id > ${after} order by row_id limit ${limit}`;
  const rows = await rowsWhere(reader, 'memories', isDue);
  return rows.map((row) => ({ item: toMemory(row), row: row.row_id }));
}
