import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { VarveError } from '../errors.ts';
import { ownerKey, type Scope, visibleOwners } from '../record/scope.ts';
import { type Database, EVERY_TENANT, type Reader, type Tenant, type Writer } from './database.ts';
import type { Tables } from './schema.ts';

/**
 * Identifies one incarnation of an owner. It changes when a record that the owner sees is erased or forgotten, and when an erased owner is
 * created again.
 */
function incarnationOf({ created_at, epoch }: { created_at: number; epoch: number }): string {
  return `${created_at} ${epoch}`;
}

/** Converts a duration to a difference between versions. Versions count microseconds (see `changeOwner`). */
export function versionsOf(milliseconds: number): number {
  return milliseconds * 1000;
}

// The latest version that this process has issued for any owner and store. It orders writes to different owners within one tick of the
// clock. Stores can share it, because versions only have to grow.
let latest = 0;

/**
 * Begins a change to the records of an owner. It locks the owner's row until the transaction ends, which serialises the writes to one
 * owner. It returns the owner's new version, by which caches detect the change. `steps` is the number of versions that the change needs;
 * the last of them is returned.
 *
 * Versions are a hybrid logical clock: a version is greater than all earlier versions of the same owner and not below the time in
 * microseconds. Versions of different owners can therefore be ordered, too.
 */
export async function changeOwner(writer: Writer, scope: Scope, now: number, steps: number = 1): Promise<number> {
  const time = Math.max(versionsOf(now), latest);
  const { version } = await writer
    .insertInto('owners')
    .values({ ...ownerColumns(scope), version: time + steps, epoch: 0, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'owner_key']).doUpdateSet({
        version: sql`case when owners.version > ${time} then owners.version + ${steps} else ${time + steps} end`,
      }),
    )
    .returning('version')
    .executeTakeFirstOrThrow();
  latest = Math.max(latest, version);
  return version;
}

/**
 * The memories and blocks that a handle sees: those of its own scope and of the wider scopes above it. Records of other sessions and
 * connections are excluded; `connections` names further active connections.
 */
export function visibleFrom(scope: Scope, connections: readonly string[] = []): RawBuilder<SqlBool> {
  const sessions = new Set(['', scope.session ?? '']);
  const open = new Set(['', scope.connection ?? '', ...connections]);
  return sql`${ofVisibleOwners(scope)} and session_id in (${sql.join([...sessions])})
    and connection_id in (${sql.join([...open])})`;
}

/** The rows of the owners that a handle sees. */
export function ofVisibleOwners(scope: Scope): RawBuilder<SqlBool> {
  return sql`tenant_id = ${scope.tenant} and owner_key in (${sql.join(visibleOwners(scope))})`;
}

/** The same as `ofVisibleOwners`, as a condition for which the planner uses no index. */
export function isSeenFrom(scope: Scope, { syntax }: Database): RawBuilder<SqlBool> {
  return sql<SqlBool>`${syntax.unindexed('tenant_id')} = ${scope.tenant}
    and ${syntax.unindexed('owner_key')} in (${sql.join(visibleOwners(scope))})`;
}

/** The rows of exactly one owner. */
export function ofOwner(scope: Scope): RawBuilder<SqlBool> {
  return ofOwnerKey(scope.tenant, ownerKey(scope));
}

export function ofOwnerKey(tenant: string, owner: string): RawBuilder<SqlBool> {
  return sql`tenant_id = ${tenant} and owner_key = ${owner}`;
}

/** The rows of one tenant or of all tenants. */
export function ofTenant(tenant: Tenant): RawBuilder<SqlBool> {
  return tenant === EVERY_TENANT ? sql`1 = 1` : sql`tenant_id = ${tenant}`;
}

/** The record of a tenant with this id. */
export function ofId(tenant: string, id: string): RawBuilder<SqlBool> {
  return sql`tenant_id = ${tenant} and id = ${id}`;
}

/**
 * The rows of one session of an owner. For a scope without a session: the rows outside of sessions, in tables that store their session as
 * `''`.
 */
export function ofSession(scope: Scope): RawBuilder<SqlBool> {
  return sql`${ofOwner(scope)} and session_id = ${scope.session ?? ''}`;
}

/**
 * The rows within a scope, as a condition on any table with columns for tenant, agent, user and session. A part of the scope that is null
 * matches every row. Operators and erasures use this condition.
 */
export function withinScope(scope: Scope): RawBuilder<SqlBool> {
  const conditions = [sql`tenant_id = ${scope.tenant}`];
  if (scope.agent !== null) conditions.push(sql`agent_id = ${scope.agent}`);
  if (scope.user !== null) conditions.push(sql`user_id = ${scope.user}`);
  if (scope.session !== null) conditions.push(sql`session_id = ${scope.session}`);
  return sql.join<SqlBool>(conditions, sql` and `);
}

/** The rows of the owners within a scope, for tables without columns for agent and user. */
export function ofOwnersWithin(scope: Scope): RawBuilder<SqlBool> {
  return sql`tenant_id = ${scope.tenant}
    and owner_key in (select owner_key from owners where ${withinScope({ ...scope, session: null })})`;
}

/** The rows that a handle may refer to by id: all rows that it sees, and all rows of its agent and user. */
export function withinReach(scope: Scope): RawBuilder<SqlBool> {
  const agent = scope.agent === null ? sql`1 = 1` : sql`agent_id = ${scope.agent}`;
  const user = scope.user === null ? sql`1 = 1` : sql`user_id = ${scope.user}`;
  return sql`tenant_id = ${scope.tenant}
    and (owner_key in (${sql.join(visibleOwners(scope))}) or (${agent} and ${user}))`;
}

/** The version and the incarnation of an owner, which a cache compares with its own. */
export interface OwnerState {
  owner: string;
  version: number;
  incarnation: string;
}

/** The states of owners. An owner that was never written has none. */
export async function ownerStates(reader: Reader, tenant: string, owners: readonly string[]): Promise<OwnerState[]> {
  const rows = await reader
    .selectFrom('owners')
    .select(['owner_key', 'version', 'epoch', 'created_at'])
    .where('tenant_id', '=', tenant)
    .where('owner_key', 'in', [...owners])
    .execute();
  return rows.map((row) => ({ owner: row.owner_key, version: row.version, incarnation: incarnationOf(row) }));
}

/** An owner and the incarnation at the time of reading; null if the owner did not exist. */
export interface SeenOwner {
  scope: Scope;
  incarnation: string | null;
}

/** Reads the current incarnation of an owner, before its records are read. */
export async function seeOwner(reader: Reader, scope: Scope): Promise<SeenOwner> {
  const [state] = await ownerStates(reader, scope.tenant, [ownerKey(scope)]);
  return { scope, incarnation: state?.incarnation ?? null };
}

/** Locks the owner against further erasures. Throws `conflict` if a record was erased or forgotten since `seeOwner` read the owner. */
export async function assertNotErased(writer: Writer, { scope, incarnation }: SeenOwner): Promise<void> {
  if (incarnation === null) return;
  const row = await writer
    .updateTable('owners')
    .set((owner) => ({ version: owner.ref('version') }))
    .where(ofOwner(scope))
    .returning(['created_at', 'epoch'])
    .executeTakeFirst();
  if (row !== undefined && incarnationOf(row) === incarnation) return;
  throw new VarveError(
    'A record was erased or forgotten while the work was running. The work starts again with the remaining records.',
    { code: 'conflict', retryable: true, details: { erased: true } },
  );
}

/** The agent and the user of an owner; both are null after the owner was erased. */
export async function partsOfOwner(
  reader: Reader,
  tenant: string,
  owner: string,
): Promise<Pick<Scope, 'tenant' | 'agent' | 'user'>> {
  const [row] = await rowsBy(reader, tenant, 'owners', { owner_key: [owner] }, ['agent_id', 'user_id']);
  return { tenant, agent: row?.agent_id ?? null, user: row?.user_id ?? null };
}

/**
 * Increments the owner's version, so that caches load the rows that are written with the new version. Returns 0 if the owner was erased.
 */
export async function nextOwnerVersion(writer: Writer, tenant: string, owner: string): Promise<number> {
  const row = await writer
    .updateTable('owners')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where(ofOwnerKey(tenant, owner))
    .returning('version')
    .executeTakeFirst();
  return row?.version ?? 0;
}

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** One column and its allowed values, such as `{ id: ids }`. The values are sent in chunks, so their number is not limited. */
type ColumnIn<Table extends keyof Tables> = Partial<Record<keyof Row<Table> & string, readonly (string | number)[]>>;

/** The conditions on a tenant's rows, one for each chunk of the values. */
function* conditions<Table extends keyof Tables>(tenant: string, by: ColumnIn<Table>): Generator<RawBuilder<SqlBool>> {
  for (const [column, values = []] of Object.entries<readonly (string | number)[] | undefined>(by)) {
    for (const some of chunks([...new Set(values)]))
      yield sql`tenant_id = ${tenant} and ${sql.ref(column)} in (${sql.join(some)})`;
  }
}

/** Reads rows of a tenant, in no particular order, with the columns of `select` or with all columns. */
export async function rowsBy<Table extends keyof Tables, Column extends keyof Row<Table> & string>(
  reader: Reader,
  tenant: string,
  table: Table,
  by: ColumnIn<Table>,
  select?: readonly Column[],
  and: RawBuilder<unknown> = sql``,
): Promise<Pick<Row<Table>, Column>[]> {
  const columns = select === undefined ? sql`*` : sql.join(select.map((name) => sql.ref(name)));
  const found: Pick<Row<Table>, Column>[] = [];
  for (const condition of conditions(tenant, by)) {
    const { rows } = await sql<Pick<Row<Table>, Column>>`
      select ${columns} from ${sql.table(table)} where ${condition} ${and}`.execute(reader);
    found.push(...rows);
  }
  return found;
}

/** The rows with these ids that a handle may refer to. */
export async function rowsInReach<
  Table extends 'memories' | 'events' | 'entities',
  Column extends keyof Row<Table> & string,
>(
  reader: Reader,
  scope: Scope,
  table: Table,
  ids: readonly string[],
  select?: readonly Column[],
): Promise<Pick<Row<Table>, Column>[]> {
  const by = { id: ids } as ColumnIn<Table>;
  return rowsBy(reader, scope.tenant, table, by, select, sql`and ${withinReach(scope)}`);
}

/** The number of rows for which a condition holds. */
export async function countRows(reader: Reader, table: keyof Tables, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from ${sql.table(table)} where ${where}`.execute(reader);
  return Number(rows[0]?.count ?? 0);
}

/** Sets columns of one record. Columns that are undefined stay as they are. */
export async function setColumns<Table extends keyof Tables>(
  writer: Writer,
  table: Table,
  { tenant, id }: { tenant: string; id: string },
  columns: Partial<Row<Table>>,
): Promise<void> {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  const set = given.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  await sql`update ${sql.table(table)} set ${sql.join(set)} where ${ofId(tenant, id)}`.execute(writer);
}

/** The id and the row number of a record. */
export interface RecordRow {
  id: string;
  rowId: number;
}

/** The ids and row numbers of the memories with these ids. */
export async function memoryRowsOf(reader: Reader, tenant: string, ids: readonly string[]): Promise<RecordRow[]> {
  const rows = await rowsBy(reader, tenant, 'memories', { id: ids }, ['id', 'row_id']);
  return rows.map(({ id, row_id: rowId }) => ({ id, rowId }));
}

/** Removes rows and returns their number. */
export async function removeRows<Table extends keyof Tables>(
  writer: Writer,
  tenant: string,
  table: Table,
  by: ColumnIn<Table>,
  and: RawBuilder<unknown> = sql``,
): Promise<number> {
  let count = 0;
  for (const condition of conditions(tenant, by)) {
    const result = await sql`delete from ${sql.table(table)} where ${condition} ${and}`.execute(writer);
    count += Number(result.numAffectedRows ?? 0);
  }
  return count;
}

export function ownerColumns(scope: Scope): {
  tenant_id: string;
  owner_key: string;
  agent_id: string | null;
  user_id: string | null;
} {
  return { tenant_id: scope.tenant, owner_key: ownerKey(scope), agent_id: scope.agent, user_id: scope.user };
}

/** The scope of a row. A column that is '', null or absent becomes null. */
export function scopeOfRow(row: {
  tenant_id: string;
  agent_id: string | null;
  user_id: string | null;
  session_id?: string | null;
  connection_id?: string | null;
}): Scope {
  return {
    tenant: row.tenant_id,
    agent: row.agent_id,
    user: row.user_id,
    session: row.session_id || null,
    connection: row.connection_id || null,
  };
}

/** Yields the rows of all pages. `page` reads up to `size` rows after the given row. */
export async function* pages<Row>(size: number, page: (after: Row | null) => Promise<Row[]>): AsyncGenerator<Row> {
  let after: Row | null = null;
  do {
    const rows: Row[] = await page(after);
    yield* rows;
    after = rows.length < size ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

/** 500 values in one statement stay far below the parameter limits of both databases. */
const CHUNK = 500;

/** Splits a list into chunks that fit into one statement. */
export function* chunks<Item>(items: readonly Item[], size: number = CHUNK): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
