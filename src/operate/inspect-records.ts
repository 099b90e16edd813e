import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../record/clock.ts';
import type { Memory } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import type { Database, Reader } from '../store/database.ts';
import {
  countFacets,
  type Growth,
  listOwners,
  listSessionRows,
  type MemoryFacets,
  type MemoryLinks,
  type MemoryRows,
  type OwnerSummary,
  readGraph,
  readGrowth,
  readLinks,
  readMemoryRows,
  type RowsRequest,
  type SessionSummary,
  type SubjectGraph,
} from '../store/inspect-store.ts';

export type { Growth, MemoryFacets, MemoryLinks, MemoryRows, OwnerSummary, RowsRequest, SessionSummary, SubjectGraph };

/** What the inspector shows of a scope: everything that lies within it, of all its agents, users and sessions. */
export interface Inspector {
  owners(
    tenant: string,
    options: { agents: string[] | null; users: string[] | null; match?: string; limit: number },
  ): Promise<OwnerSummary[]>;
  rows(scope: Scope, request: RowsRequest): Promise<MemoryRows>;
  facets(scope: Scope): Promise<MemoryFacets>;
  links(scope: Scope, memory: Memory): Promise<MemoryLinks>;
  sessions(scope: Scope, page: { offset: number; limit: number }): Promise<{ total: number; items: SessionSummary[] }>;
  graph(scope: Scope): Promise<SubjectGraph>;
  growth(scope: Scope): Promise<Growth>;
}

export function createInspector({ database, clock }: { database: Database; clock: Clock }): Inspector {
  return {
    owners: (tenant, options) => database.read(tenant, (reader) => listOwners(reader, tenant, options)),
    rows: (scope, request) =>
      database.read(scope.tenant, (reader) => readMemoryRows(reader, scope, request, clock.now())),
    facets: (scope) => database.read(scope.tenant, (reader) => countFacets(reader, scope)),
    links: (scope, memory) => database.read(scope.tenant, (reader) => readLinks(reader, scope, memory)),
    sessions: (scope, page) => database.read(scope.tenant, (reader) => listSessionRows(reader, scope, page)),
    graph: (scope) => database.read(scope.tenant, (reader) => readGraph(reader, scope)),
    growth: (scope) => database.read(scope.tenant, (reader) => readGrowth(reader, scope)),
  };
}

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
