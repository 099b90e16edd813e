import { type RawBuilder, type Selectable, sql } from 'kysely';
import { ownerKey, ownerOf, type Scope } from '../../record/scope.ts';
import type { Revision } from '../../record/revision.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { toRevision, toRevisionRow } from '../history-store.ts';
import { type EventRow, isNotForgotten, type MemoryRow } from '../record-rows.ts';
import { countRows, insertNew, pages, rowsBy, withinScope } from '../rows.ts';
import type { OwnerTable, RevisionTable, Tables } from '../schema.ts';

const PAGE = 500;

type TableWithId = 'entities' | 'blocks' | 'refusals' | 'forgotten';

export interface ExportedRows {
  of<Table extends TableWithId>(table: Table): AsyncGenerator<Selectable<Tables[Table]>>;
  events(): AsyncGenerator<EventRow>;
  /**
   * `kept`: all that are not forgotten. `hidden`: derived memories, such as summaries, that were hidden because of a forgotten statement
   * and have no record of their own in `forgotten`.
   */
  memories(which: 'kept' | 'hidden'): AsyncGenerator<MemoryRow>;
  revisions(): AsyncGenerator<Revision & { scope: Scope }>;
}

/** `withShared`: includes the user's facts that all agents share. */
export function exportedRows(database: Database, scope: Scope, withShared: boolean): ExportedRows {
  const { tenant } = scope;
  const here = withShared ? withinShared(scope) : withinScope(scope);
  const read = <Row>(query: RawBuilder<Row>): Promise<Row[]> =>
    database.read(tenant, async (reader) => (await query.execute(reader)).rows);
  return {
    of: <Table extends TableWithId>(table: Table) =>
      pages<Selectable<Tables[Table]> & { id: string }>(PAGE, (after) =>
        read(
          sql`select * from ${sql.table(table)} where ${here} and id > ${after?.id ?? ''} order by id limit ${PAGE}`,
        ),
      ),
    events: () =>
      pages<EventRow>(PAGE, (after) =>
        read(sql`select * from events where ${here}
          and (sequence, row_id) > (${after?.sequence ?? -1}, ${after?.row_id ?? 0})
          order by sequence, row_id limit ${PAGE}`),
      ),
    memories: (which) =>
      pages<MemoryRow>(PAGE, (after) =>
        read(sql`select * from memories where ${here} and row_id > ${after?.row_id ?? 0}
          and ${which === 'kept' ? isNotForgotten : IS_MADE_OF_FORGOTTEN} order by row_id limit ${PAGE}`),
      ),
    async *revisions() {
      const owners = await read(sql<Selectable<OwnerTable>>`select * from owners where ${here} order by owner_key`);
      for (const { agent_id: agent, user_id: user } of owners) {
        const place = ownerOf({ tenant, agent, user });
        const rows = pages<Selectable<RevisionTable>>(PAGE, (after) => read(revisionsAfter(place, after)));
        for await (const row of rows) yield { ...toRevision(row), scope: place };
      }
    },
  };
}

const IS_MADE_OF_FORGOTTEN: RawBuilder<unknown> = sql`archive_reason = 'forgotten' and not exists (select 1 from forgotten f
  where f.tenant_id = memories.tenant_id and f.memory_id = memories.id)`;

function withinShared(scope: Scope): RawBuilder<unknown> {
  const ofAgent = scope.agent === null ? sql`1 = 1` : sql`(agent_id = ${scope.agent} or agent_id is null)`;
  return sql`${withinScope({ ...scope, agent: null })} and ${ofAgent}`;
}

function revisionsAfter(place: Scope, last: Selectable<RevisionTable> | null): RawBuilder<Selectable<RevisionTable>> {
  const after = last === null ? sql`` : sql`and (record_id, version) > (${last.record_id}, ${last.version})`;
  return sql`select * from revisions
    where tenant_id = ${place.tenant} and owner_key = ${ownerKey(place)} ${after}
      and not exists (select 1 from memories m where m.tenant_id = revisions.tenant_id and m.id = revisions.record_id
        and m.archive_reason = 'forgotten')
    order by record_id, version limit ${PAGE}`;
}

interface RecordKey {
  tenant: string;
  id: string;
}

export async function ownersOfRecords(
  reader: Reader,
  table: 'events' | 'memories' | 'blocks' | 'entities' | 'forgotten',
  { tenant, ids }: { tenant: string; ids: readonly string[] },
): Promise<{ id: string; agent: string | null; user: string | null }[]> {
  const rows = await rowsBy(reader, tenant, table, { id: ids }, ['id', 'agent_id', 'user_id']);
  return rows.map(({ id, agent_id, user_id }) => ({ id, agent: agent_id, user: user_id }));
}

export async function ownerKeyOf(reader: Reader, { tenant, id }: RecordKey): Promise<string | null> {
  const table = id.startsWith('blk_') ? 'blocks' : 'memories';
  const [row] = await rowsBy(reader, tenant, table, { id: [id] }, ['owner_key']);
  return row?.owner_key ?? null;
}

export async function revisionExists(reader: Reader, { tenant, id }: RecordKey, version: number): Promise<boolean> {
  const isMeant = sql`tenant_id = ${tenant} and record_id = ${id} and version = ${version}`;
  return (await countRows(reader, 'revisions', isMeant)) > 0;
}

export async function removeFirstRevision(writer: Writer, { tenant, id }: RecordKey): Promise<Revision | null> {
  const { rows } = await sql<Selectable<RevisionTable>>`delete from revisions
    where tenant_id = ${tenant} and record_id = ${id} and version = 1 returning *`.execute(writer);
  return rows[0] === undefined ? null : { ...toRevision(rows[0]), before: null };
}

/** Idempotent: returns false for a known version. */
export async function addRevision(writer: Writer, revision: Revision & { scope: Scope }): Promise<boolean> {
  const before = revision.before === null ? null : JSON.stringify(revision.before);
  const row = toRevisionRow({ ...revision, at: revision.at.getTime(), change: revision, before });
  return (await insertNew(writer, 'revisions', [row])) > 0;
}
