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

// Reads memories of exactly one owner or of a whole tenant, for background work. For all that a handle sees, use `read-memories.ts`.

export interface Numbered<Item> {
  item: Item;
  row: number;
}

export interface OwnMemoryFilter {
  types?: readonly string[];
  attribute?: string;
  /** Exactly this session and connection; null matches only memories without one. Default: no restriction. */
  place?: Pick<Scope, 'session' | 'connection'>;
  /** Also memories archived for one of these reasons. Default: live memories only. */
  archivedAs?: readonly ArchiveReason[];
  /** Leaves out the local reader's statements from user turns that no formation has processed yet: a model will replace them. */
  withoutDrafts?: boolean;
  /** For example, from tools, pages and pasted text. */
  withoutUnverified?: boolean;
  withoutMerged?: boolean;
  tagged?: boolean;
  updatedSince?: number;
  /** Default `oldest`, by time of creation. `stated`: latest statement first. */
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

export interface LiveRow extends Pick<Memory, 'id' | 'type' | 'tense' | 'importance' | 'accessCount'> {
  rowId: number;
  owner: string;
  /** A permanent fact never fades and is never archived by age. */
  permanent: boolean;
  beginsAt: number | null;
  /** Always null for past events, because they stay true. */
  endedAt: number | null;
  /** Whether the statement names no day. Its due time then only says when to bring it up again. */
  isFollowUp: boolean;
  /** The later of the planned day and the due day; null if there is neither. */
  plannedFor: number | null;
  createdAt: number;
  updatedAt: number;
  lastAccessedAt: number | null;
  expiresAt: number | null;
  confirmed: number;
  lastConfirmedAt: number | null;
  outcomes: number;
}

/** One batch in row order. Batches limit the memory that a pass needs. */
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
 * Lowers importance without revisions: with four passes a day, the revisions would soon outgrow the memories. The audit log records the
 * run, and the owner's new version invalidates caches.
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

/** Returns the ids of the memories that were still live. */
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
  const memories = rows.map((row) => ({
    row,
    memory: toMemory(row),
    archiveReason: reasons.get(row.row_id) as ArchiveReason,
  }));
  // A fixed order of locks keeps two passes from a deadlock.
  const owners = [...Map.groupBy(memories, ({ row }) => row.owner_key)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  for (const [, members] of owners) await archiveOfOwner(writer, parts, members, why);
  return memories.map(({ memory }) => memory.id);
}

async function archiveOfOwner(
  writer: Writer,
  parts: Parts,
  members: readonly { row: MemoryRow; memory: Memory; archiveReason: ArchiveReason }[],
  why: (reason: ArchiveReason) => Change,
): Promise<void> {
  const now = parts.clock.now();
  const scope = members[0]?.memory.scope;
  if (scope === undefined) return;
  const sequence = await changeOwner(writer, ownerOf(scope), now);
  for (const [reason, some] of Map.groupBy(members, ({ archiveReason }) => archiveReason)) {
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
  // Once per merged text, after all its memories are archived, because the rewrite also revises the remaining statements.
  const ended = members.filter(({ memory, archiveReason }) => isNoLongerSo({ ...memory, archiveReason }));
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
