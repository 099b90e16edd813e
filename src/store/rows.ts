import { type Insertable, type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { ownerKey, type Scope, visibleOwners } from '../record/scope.ts';
import { type Database, EVERY_TENANT, type Reader, type Tenant, type Writer } from './database.ts';
import type { Placed, Tables } from './schema.ts';

// Whose rows a statement reads or changes. A condition that is too wide shows one user's records to another, so choose it by the caller:
//
// | caller | rows | condition |
// | --- | --- | --- |
// | a handle, for what it shows | those of its scope and of the wider scopes, without other sessions and connections | `visibleFrom` |
// | a handle, in tables without sessions | those of its owner and of the wider owners | `ofVisibleOwners` |
// | recall, by row numbers that it has already selected by session | those of the same owners | `isSeenFrom` |
// | a handle that names an id | those that it sees, and all of its agent and user, in every session | `withinReach`, `rowsInReach()` |
// | formation and background work | those of one owner, or of one session of the owner | `ofOwner`, `ofOwnerKey`, `ofSession` |
// | an operator, an export, an erasure | all below a scope: a part that is null matches every value | `withinScope`, `ofOwnersWithin` |
// | an operator, the jobs of embedding | all of one tenant or of all tenants | `ofTenant` |
// | code that has checked the owner | the one with an id | `ofId` |

/** Excludes records of other sessions and of connections that are not listed. */
export function visibleFrom(scope: Scope, connections: readonly string[] = []): RawBuilder<SqlBool> {
  const sessions = new Set(['', scope.session ?? '']);
  const open = new Set(['', scope.connection ?? '', ...connections]);
  return sql`${ofVisibleOwners(scope)} and session_id in (${sql.join([...sessions])})
    and connection_id in (${sql.join([...open])})`;
}

export function ofVisibleOwners(scope: Scope): RawBuilder<SqlBool> {
  return sql`tenant_id = ${scope.tenant} and owner_key in (${sql.join(visibleOwners(scope))})`;
}

/** The same rows as `ofVisibleOwners`, without the use of an index. */
export function isSeenFrom(scope: Scope, { syntax }: Database): RawBuilder<SqlBool> {
  return sql<SqlBool>`${syntax.unindexed('tenant_id')} = ${scope.tenant}
    and ${syntax.unindexed('owner_key')} in (${sql.join(visibleOwners(scope))})`;
}

/** The rows that a handle may refer to by id: those that it sees, and all rows of its agent and user. */
export function withinReach(scope: Scope): RawBuilder<SqlBool> {
  const agent = scope.agent === null ? sql`1 = 1` : sql`agent_id = ${scope.agent}`;
  const user = scope.user === null ? sql`1 = 1` : sql`user_id = ${scope.user}`;
  return sql`tenant_id = ${scope.tenant}
    and (owner_key in (${sql.join(visibleOwners(scope))}) or (${agent} and ${user}))`;
}

export function ofOwner(scope: Scope): RawBuilder<SqlBool> {
  return ofOwnerKey(scope.tenant, ownerKey(scope));
}

export function ofOwnerKey(tenant: string, owner: string): RawBuilder<SqlBool> {
  return sql`tenant_id = ${tenant} and owner_key = ${owner}`;
}

/** Without a session, selects the owner's rows outside of sessions. Their session column must then be `''`, not null. */
export function ofSession(scope: Scope): RawBuilder<SqlBool> {
  return sql`${ofOwner(scope)} and session_id = ${scope.session ?? ''}`;
}

/** For operators and erasures: a part of the scope that is null matches every row. */
export function withinScope(scope: Scope): RawBuilder<SqlBool> {
  return allOf([
    sql`tenant_id = ${scope.tenant}`,
    scope.agent !== null && sql`agent_id = ${scope.agent}`,
    scope.user !== null && sql`user_id = ${scope.user}`,
    scope.session !== null && sql`session_id = ${scope.session}`,
  ]);
}

/** Like `withinScope`, for tables without columns for agent and user. */
export function ofOwnersWithin(scope: Scope): RawBuilder<SqlBool> {
  return sql`tenant_id = ${scope.tenant}
    and owner_key in (select owner_key from owners where ${withinScope({ ...scope, session: null })})`;
}

export function ofTenant(tenant: Tenant): RawBuilder<SqlBool> {
  return tenant === EVERY_TENANT ? sql`1 = 1` : sql`tenant_id = ${tenant}`;
}

export function ofId(tenant: string, id: string): RawBuilder<SqlBool> {
  return sql`tenant_id = ${tenant} and id = ${id}`;
}

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** For example `{ id: ids }`, with any number of values: they are sent in chunks. */
type ColumnIn<Table extends keyof Tables> = Partial<Record<keyof Row<Table> & string, readonly (string | number)[]>>;

export async function rowsWhere<Table extends keyof Tables, Column extends keyof Row<Table> & string>(
  reader: Reader,
  table: Table,
  where: RawBuilder<unknown>,
  select?: readonly Column[],
): Promise<Pick<Row<Table>, Column>[]> {
  const columns = select === undefined ? sql`*` : sql.join(select.map((name) => sql.ref(name)));
  const { rows } = await sql<Pick<Row<Table>, Column>>`
    select ${columns} from ${sql.table(table)} where ${where}`.execute(reader);
  return rows;
}

export async function rowsBy<Table extends keyof Tables, Column extends keyof Row<Table> & string>(
  reader: Reader,
  tenant: string,
  table: Table,
  by: ColumnIn<Table>,
  select?: readonly Column[],
  and: RawBuilder<unknown> = sql``,
): Promise<Pick<Row<Table>, Column>[]> {
  const found: Pick<Row<Table>, Column>[] = [];
  for (const condition of conditions(tenant, by))
    found.push(...(await rowsWhere(reader, table, sql`${condition} ${and}`, select)));
  return found;
}

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

function* conditions<Table extends keyof Tables>(tenant: string, by: ColumnIn<Table>): Generator<RawBuilder<SqlBool>> {
  for (const [column, values = []] of Object.entries<readonly (string | number)[] | undefined>(by)) {
    for (const some of chunks([...new Set(values)]))
      yield sql`tenant_id = ${tenant} and ${sql.ref(column)} in (${sql.join(some)})`;
  }
}

export async function countRows(reader: Reader, table: keyof Tables, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from ${sql.table(table)} where ${where}`.execute(reader);
  return Number(rows[0]?.count ?? 0);
}

/** Ignores conditions that are undefined or false. */
export function allOf(conditions: readonly (RawBuilder<unknown> | false | undefined)[]): RawBuilder<SqlBool> {
  const given = conditions.filter((condition) => condition !== undefined && condition !== false);
  return given.length === 0 ? sql`1 = 1` : sql.join(given, sql` and `);
}

/** An empty list matches no row. */
export function isIn(column: string, values: readonly (string | number)[]): RawBuilder<SqlBool> {
  return values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`;
}

/** All rows must have the same columns. Callers may append `on conflict` and `returning`. */
export function insertion<Table extends keyof Tables>(
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
): RawBuilder<unknown> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
  return sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`;
}

/** Returns the number of inserted rows: those that conflict with any unique key are skipped. */
export async function insertNew<Table extends keyof Tables>(
  writer: Writer,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
): Promise<number> {
  let count = 0;
  for (const some of chunks(rows)) {
    const { numAffectedRows } = await sql`${insertion(table, some)} on conflict do nothing`.execute(writer);
    count += Number(numAffectedRows ?? 0);
  }
  return count;
}

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

export interface RecordRow {
  id: string;
  rowId: number;
}

export async function memoryRowsOf(reader: Reader, tenant: string, ids: readonly string[]): Promise<RecordRow[]> {
  const rows = await rowsBy(reader, tenant, 'memories', { id: ids }, ['id', 'row_id']);
  return rows.map(({ id, row_id: rowId }) => ({ id, rowId }));
}

export function ownerColumns(scope: Scope): Placed {
  return { tenant_id: scope.tenant, owner_key: ownerKey(scope), agent_id: scope.agent, user_id: scope.user };
}

export function scopeOfRow(
  row: Omit<Placed, 'owner_key'> & { session_id?: string | null; connection_id?: string | null },
): Scope {
  return {
    tenant: row.tenant_id,
    agent: row.agent_id,
    user: row.user_id,
    session: row.session_id || null,
    connection: row.connection_id || null,
  };
}

/** `page` reads up to `size` rows after the given row. */
export async function* pages<Row>(size: number, page: (after: Row | null) => Promise<Row[]>): AsyncGenerator<Row> {
  let after: Row | null = null;
  do {
    const rows: Row[] = await page(after);
    yield* rows;
    after = rows.length < size ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Pass it as `cursor` for the next page. Null on the last page. */
  cursor: string | null;
}

/**
 * Expects one row more than `limit` if there is a next page. By default, the cursor is the id of the page's last row, because ids sort by
 * time of creation.
 */
export function pageOf<Row extends { id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => string = ({ id }) => id,
): Page<Item> {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { items: page.map(toItem), cursor: last === undefined ? null : cursorOf(last) };
}

/** Far below the parameter limits of both databases. */
const CHUNK = 500;

export function* chunks<Item>(items: readonly Item[], size: number = CHUNK): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
