import { type RawBuilder, sql } from 'kysely';
import { conflict } from '../errors.ts';
import { DAY } from '../record/clock.ts';
import { knownTimeZone } from '../record/parse.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { type Database, EVERY_TENANT, type Reader, type Writer } from './database.ts';
import { insertion, ofOwner, ofOwnerKey, ownerColumns, rowsBy, rowsWhere, scopeOfRow } from './rows.ts';
import type { OwnerProgressTable, Placed } from './schema.ts';

/** Changes when a record of the owner is erased or forgotten, and when an erased owner is created again. */
function incarnationOf({ created_at, epoch }: { created_at: number; epoch: number }): string {
  return `${created_at} ${epoch}`;
}

/** Versions are in microseconds (see `changeOwner`). */
export function versionsOf(milliseconds: number): number {
  return milliseconds * 1000;
}

// The latest version that this process has issued. It orders writes to different owners within one tick of the clock. All stores can share
// it, because versions only have to grow.
let latest = 0;

/**
 * Locks the owner's row until the transaction ends, so that writes to one owner never overlap. Returns the owner's new version; with
 * several `steps`, the last of them.
 *
 * Versions are a hybrid logical clock: each is greater than all earlier versions of the owner, and at least the current time in
 * microseconds. Versions of different owners can therefore be compared.
 */
export async function changeOwner(writer: Writer, scope: Scope, now: number, steps: number = 1): Promise<number> {
  const time = Math.max(versionsOf(now), latest);
  const row = { ...ownerColumns(scope), version: time + steps, epoch: 0, created_at: now };
  const { rows } = await sql<{ version: number }>`
    ${insertion('owners', [row])} on conflict (tenant_id, owner_key) do update set
      version = case when owners.version > ${time} then owners.version + ${steps} else excluded.version end
    returning version`.execute(writer);
  const { version } = rows[0]!;
  latest = Math.max(latest, version);
  return version;
}

export interface OwnerState {
  owner: string;
  version: number;
  incarnation: string;
}

/** Leaves out owners that were never written. */
export async function ownerStates(reader: Reader, tenant: string, owners: readonly string[]): Promise<OwnerState[]> {
  const columns = ['owner_key', 'version', 'epoch', 'created_at'] as const;
  const rows = await rowsBy(reader, tenant, 'owners', { owner_key: owners }, columns);
  return rows.map((row) => ({ owner: row.owner_key, version: row.version, incarnation: incarnationOf(row) }));
}

/** `incarnation` is null if the owner did not exist. */
export interface SeenOwner {
  scope: Scope;
  incarnation: string | null;
}

/** Call this before reading the owner's records, and `assertNotErased` before writing. */
export async function seeOwner(reader: Reader, scope: Scope): Promise<SeenOwner> {
  const [state] = await ownerStates(reader, scope.tenant, [ownerKey(scope)]);
  return { scope, incarnation: state?.incarnation ?? null };
}

/** Blocks erasures of the owner until the transaction ends. Throws `conflict` if a record was erased or forgotten since `seeOwner`. */
export async function assertNotErased(writer: Writer, { scope, incarnation }: SeenOwner): Promise<void> {
  if (incarnation === null) return;
  const { rows } = await sql<{ created_at: number; epoch: number }>`
    update owners set version = version where ${ofOwner(scope)} returning created_at, epoch`.execute(writer);
  if (rows[0] !== undefined && incarnationOf(rows[0]) === incarnation) return;
  throw conflict(
    'A record was erased or forgotten while the work was running. The work starts again with the remaining records.',
    { retryable: true, details: { erased: true } },
  );
}

/** Agent and user are null if the owner was erased. */
export async function partsOfOwner(
  reader: Reader,
  tenant: string,
  owner: string,
): Promise<Pick<Scope, 'tenant' | 'agent' | 'user'>> {
  const [row] = await rowsBy(reader, tenant, 'owners', { owner_key: [owner] }, ['agent_id', 'user_id']);
  return { tenant, agent: row?.agent_id ?? null, user: row?.user_id ?? null };
}

/** Call this before writing rows, so that caches load them. Returns 0 if the owner was erased. */
export async function nextOwnerVersion(writer: Writer, tenant: string, owner: string): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    update owners set version = version + 1 where ${ofOwnerKey(tenant, owner)} returning version`.execute(writer);
  return rows[0]?.version ?? 0;
}

export interface OwnerProgress {
  timeZone: string | null;
  reflectionHour: number | null;
  nextReflectionAt: number | null;
  /** The nightly reflection has read all messages recorded before this time. */
  reflectedUntil: number | null;
  /** Of the messages recorded exactly at `reflectedUntil`, the reflection has read those up to this sequence. 0 means all of them. */
  reflectedSequence: number;
  eventSequence: number;
  consolidatedVersion: number;
}

const NONE: OwnerProgress = {
  timeZone: null,
  reflectionHour: null,
  nextReflectionAt: null,
  reflectedUntil: null,
  reflectedSequence: 0,
  eventSequence: 0,
  consolidatedVersion: 0,
};

export async function findProgress(reader: Reader, scope: Scope): Promise<OwnerProgress> {
  const [row] = await rowsWhere(reader, 'owner_progress', ofOwner(scope));
  if (row === undefined) return NONE;
  return {
    timeZone: row.time_zone,
    reflectionHour: row.reflection_hour,
    nextReflectionAt: row.next_reflection_at,
    reflectedUntil: row.reflected_until,
    reflectedSequence: row.reflected_sequence,
    eventSequence: row.event_row,
    consolidatedVersion: row.consolidated_version,
  };
}

export async function ownTimeZone(reader: Reader, scope: Scope, otherwise: string): Promise<string> {
  return knownTimeZone((await findProgress(reader, scope)).timeZone, otherwise);
}

function toColumns(progress: OwnerProgress): Omit<OwnerProgressTable, keyof Placed> {
  return {
    time_zone: progress.timeZone,
    reflection_hour: progress.reflectionHour,
    next_reflection_at: progress.nextReflectionAt,
    reflected_until: progress.reflectedUntil,
    event_row: progress.eventSequence,
    reflected_sequence: progress.reflectedSequence,
    consolidated_version: progress.consolidatedVersion,
  };
}

/** Sets only the defined fields: Kysely leaves undefined columns out of an update. */
export async function saveProgress(writer: Writer, scope: Scope, fields: Partial<OwnerProgress>): Promise<void> {
  const set = toColumns(fields as OwnerProgress);
  if (Object.values(set).every((value) => value === undefined)) return;
  await writer
    .insertInto('owner_progress')
    .values({ ...ownerColumns(scope), ...toColumns({ ...NONE, ...fields }) })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'owner_key']).doUpdateSet(set))
    .execute();
}

export type ChangedOwner = Placed;

/**
 * By key, after the last owner of the previous call: otherwise, an owner that stays changed, for lack of credit or a model, would block the
 * others.
 */
export async function changedOwners(
  database: Database,
  after: Pick<ChangedOwner, 'tenant_id' | 'owner_key'>,
  limit: number,
): Promise<ChangedOwner[]> {
  const { rows } = await database.read(EVERY_TENANT, (reader) =>
    sql<ChangedOwner>`
      select o.tenant_id, o.owner_key, o.agent_id, o.user_id
      from owners o left join owner_progress p on p.tenant_id = o.tenant_id and p.owner_key = o.owner_key
      where o.version > coalesce(p.consolidated_version, 0) and (o.user_id is not null or o.agent_id is not null)
        and (o.tenant_id, o.owner_key) > (${after.tenant_id}, ${after.owner_key})
      order by o.tenant_id, o.owner_key limit ${limit}`.execute(reader),
  );
  return rows;
}

export interface ReflectionRow
  extends ChangedOwner, Pick<OwnerProgressTable, 'time_zone' | 'reflection_hour' | 'next_reflection_at'> {
  created_at: number;
  has_news: number | boolean;
}

export async function ownersWithNews(reader: Reader, scope: Scope, now: number): Promise<Scope[]> {
  const agent = scope.agent === null ? sql`1 = 1` : sql`o.agent_id = ${scope.agent}`;
  const user = scope.user === null ? sql`o.user_id is not null` : sql`o.user_id = ${scope.user}`;
  const { rows } = await sql<Pick<ReflectionRow, 'tenant_id' | 'agent_id' | 'user_id'>>`
    select o.tenant_id, o.agent_id, o.user_id
    from owners o left join owner_progress p on p.tenant_id = o.tenant_id and p.owner_key = o.owner_key
    where o.tenant_id = ${scope.tenant} and ${agent} and ${user} and ${hasNews(now)}
    order by o.owner_key`.execute(reader);
  return rows.map(scopeOfRow);
}

/** A `reflected_until` in the future counts as one day ago: the clock was set back. */
function hasNews(now: number): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from events e where e.tenant_id = o.tenant_id and e.owner_key = o.owner_key
    and e.kind = 'message' and e.recorded_at <= ${now} and (e.recorded_at >
      case when p.reflected_until is null then 0 when p.reflected_until <= ${now} then p.reflected_until
        else ${now - DAY} end
      or (p.reflected_sequence > 0 and e.recorded_at = p.reflected_until and e.sequence > p.reflected_sequence)))`;
}

/**
 * Includes owners without a due time, and those due more than `farthest` milliseconds from now: that happens only if the clock was set
 * back.
 */
export async function ownersToReflect(
  reader: Reader,
  { now, farthest, limit }: { now: number; farthest: number; limit: number },
): Promise<ReflectionRow[]> {
  const { rows } = await sql<ReflectionRow>`
    select o.tenant_id, o.owner_key, o.agent_id, o.user_id, p.time_zone, p.reflection_hour, p.next_reflection_at,
      o.created_at, ${hasNews(now)} as has_news
    from owners o left join owner_progress p on p.tenant_id = o.tenant_id and p.owner_key = o.owner_key
    where o.user_id is not null and (p.next_reflection_at is null or p.next_reflection_at <= ${now}
      or p.next_reflection_at > ${now + farthest})
    order by o.tenant_id, o.owner_key limit ${limit}`.execute(reader);
  return rows;
}

/** Compare-and-set: of several workers that read the same due time, only one succeeds. */
export async function moveReflection(writer: Writer, row: ReflectionRow, next: number): Promise<boolean> {
  const result = await sql`
    insert into owner_progress (tenant_id, owner_key, agent_id, user_id, next_reflection_at, event_row, reflected_sequence, consolidated_version)
    values (${row.tenant_id}, ${row.owner_key}, ${row.agent_id}, ${row.user_id}, ${next}, 0, 0, 0)
    on conflict (tenant_id, owner_key) do update set next_reflection_at = ${next}
      where owner_progress.next_reflection_at is null or owner_progress.next_reflection_at = ${row.next_reflection_at}
    returning owner_key`.execute(writer);
  return result.rows.length > 0;
}
