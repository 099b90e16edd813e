import { type RawBuilder, type Selectable, sql } from 'kysely';
import { ownerKey, type Scope } from '../record/scope.ts';
import { chunks, type Reader, type Writer } from './database.ts';
import type { Tables } from './schema.ts';

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** Rows of a tenant that have one of these values in a column. The values are sent in chunks, so that there may be any number. */
interface RowsBy<Table extends keyof Tables> {
  table: Table;
  tenant: string;
  column: keyof Row<Table> & string;
  values: readonly (string | number)[];
}

/** Reads rows, in no order, with the columns of `select` or with all of them. */
export async function rowsBy<Table extends keyof Tables, Column extends keyof Row<Table> & string>(
  reader: Reader,
  { table, tenant, column, values, select }: RowsBy<Table> & { select?: readonly Column[] },
): Promise<Pick<Row<Table>, Column>[]> {
  const columns = select === undefined ? sql`*` : sql.join(select.map((name) => sql.ref(name)));
  const found: Pick<Row<Table>, Column>[] = [];
  for (const some of chunks([...new Set(values)])) {
    const { rows } = await sql<Pick<Row<Table>, Column>>`select ${columns} from ${sql.table(table)}
      where tenant_id = ${tenant} and ${sql.ref(column)} in (${sql.join(some)})`.execute(reader);
    found.push(...rows);
  }
  return found;
}

/** A record, by its id and by the number of its row. */
export interface RecordRow {
  id: string;
  rowId: number;
}

/** The rows of memories by their ids. */
export async function memoryRowsOf(reader: Reader, tenant: string, ids: readonly string[]): Promise<RecordRow[]> {
  const rows = await rowsBy(reader, { table: 'memories', tenant, column: 'id', values: ids, select: ['id', 'row_id'] });
  return rows.map(({ id, row_id: rowId }) => ({ id, rowId }));
}

/** Removes rows and returns how many there were. */
export async function removeRows<Table extends keyof Tables>(
  writer: Writer,
  { table, tenant, column, values, and = sql`` }: RowsBy<Table> & { and?: RawBuilder<unknown> },
): Promise<number> {
  let count = 0;
  for (const some of chunks(values)) {
    const result = await sql`delete from ${sql.table(table)}
      where tenant_id = ${tenant} and ${sql.ref(column)} in (${sql.join(some)}) ${and}`.execute(writer);
    count += Number(result.numAffectedRows ?? 0);
  }
  return count;
}

/** The columns that say whose a row is. */
export function ownerColumns(scope: Scope): {
  tenant_id: string;
  owner_key: string;
  agent_id: string | null;
  user_id: string | null;
} {
  return { tenant_id: scope.tenant, owner_key: ownerKey(scope), agent_id: scope.agent, user_id: scope.user };
}

/** The scope of a row. An open part is '' or null, and a table without a column for a part leaves it open. */
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
