import { sql, type RawBuilder } from 'kysely';
import type { Scope } from '../record/scope.ts';
import type { Database, Reader } from '../store/database.ts';

/** How much there is within a scope. */
export interface RecordCounts {
  events: number;
  /** Events that wait to be distilled. */
  eventsWaiting: number;
  memories: number;
  memoriesArchived: number;
  /** Live memories by type. */
  byType: Record<string, number>;
  blocks: number;
  sessions: number;
  entities: number;
  /** Records that wait for their vector. */
  vectorsWaiting: number;
  /** Changes of documents that wait for review, because they would lose much that still holds. */
  heldChanges: number;
  /** Owners: the tenant itself, its agents, its users and their pairs. */
  owners: number;
}

/** Counts what lies within a scope. */
export async function countRecords(database: Database, scope: Scope): Promise<RecordCounts> {
  return database.read(scope.tenant, async (reader) => {
    const here = within(scope);
    const owners = sql`select owner_key from owners where ${within({ ...scope, session: null })}`;
    const types = await sql<{ type: string; count: number }>`
      select type, count(*) as count from memories where ${here} and archived_at is null group by type order by type`.execute(
      reader,
    );
    const byType = Object.fromEntries(types.rows.map((row) => [row.type, Number(row.count)]));
    return {
      events: await count(reader, 'events', here),
      eventsWaiting: await count(reader, 'events', sql`${here} and processed_at is null`),
      memories: Object.values(byType).reduce((sum, some) => sum + some, 0),
      memoriesArchived: await count(reader, 'memories', sql`${here} and archived_at is not null`),
      byType,
      blocks: await count(reader, 'blocks', here),
      sessions: await count(reader, 'sessions', here),
      entities: await count(reader, 'entities', within({ ...scope, session: null })),
      vectorsWaiting: await count(
        reader,
        'embedding_queue',
        sql`tenant_id = ${scope.tenant} and owner_key in (${owners})`,
      ),
      heldChanges: await count(
        reader,
        'held_changes',
        sql`${within({ ...scope, session: null })} and decided_at is null`,
      ),
      owners: await count(reader, 'owners', within({ ...scope, session: null })),
    };
  });
}

async function count(reader: Reader, table: string, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from ${sql.table(table)} where ${where}`.execute(reader);
  return Number(rows[0]?.count ?? 0);
}

/** What lies within a scope, as a condition on any table that carries one. */
export function within(scope: Scope): RawBuilder<unknown> {
  const conditions = [sql`tenant_id = ${scope.tenant}`];
  if (scope.agent !== null) conditions.push(sql`agent_id = ${scope.agent}`);
  if (scope.user !== null) conditions.push(sql`user_id = ${scope.user}`);
  if (scope.session !== null) conditions.push(sql`session_id = ${scope.session}`);
  return sql.join(conditions, sql` and `);
}
