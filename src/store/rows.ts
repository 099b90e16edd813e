import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Reader, Writer } from './database.ts';
import type { Tables } from './schema.ts';
import { ofId, withinReach } from './scope-conditions.ts';

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** One column and its allowed values, such as `{ id: ids }`. The values are sent in chunks, so their number is not limited. */
type ColumnIn<Table extends keyof Tables> = Partial<Record<keyof Row<Table> & string, readonly (string | number)[]>>;

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

/** The conditions on a tenant's rows, one for each chunk of the values. */
function* conditions<Table extends keyof Tables>(tenant: string, by: ColumnIn<Table>): Generator<RawBuilder<SqlBool>> {
  for (const [column, values = []] of Object.entries<readonly (string | number)[] | undefined>(by)) {
    for (const some of chunks([...new Set(values)]))
      yield sql`tenant_id = ${tenant} and ${sql.ref(column)} in (${sql.join(some)})`;
  }
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
