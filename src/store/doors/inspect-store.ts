import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Event } from '../../record/event.ts';
import { type Memory, withoutForgottenWords } from '../../record/memory.ts';
import type { Parsed } from '../../record/parse.ts';
import type { Scope } from '../../record/scope.ts';
import { findUse, type MemoryUse } from '../context-log-store.ts';
import type { Reader } from '../database.ts';
import { derivedFrom, derivedOf } from '../derivation-store.ts';
import { isNotForgotten, toEvent, toMemory } from '../record-rows.ts';
import { allOf, countRows, rowsBy, rowsInReach, rowsWhere, withinScope } from '../rows.ts';
import { isMeantBy, type MemoryFilter } from '../read-memories.ts';

// Read-only queries of the inspector, each within a scope.

export interface OwnerSummary {
  agent: string | null;
  user: string | null;
  memories: number;
  sessions: number;
  lastEventAt: Date | null;
}

export async function listOwners(
  reader: Reader,
  tenant: string,
  { agents, users, match, limit }: { agents: string[] | null; users: string[] | null; match?: string; limit: number },
): Promise<OwnerSummary[]> {
  const name = sql`lower(coalesce(o.user_id, '') || ' ' || coalesce(o.agent_id, ''))`;
  const { rows } = await sql<{
    agent: string | null;
    user: string | null;
    memories: number | null;
    sessions: number | null;
    last: number | null;
  }>`
    select o.agent_id as agent, o.user_id as "user", m.count as memories, s.count as sessions, s.last as last
    from owners o
    left join (select owner_key, count(*) as count from memories where tenant_id = ${tenant} and archived_at is null group by owner_key) m
      on m.owner_key = o.owner_key
    left join (select owner_key, count(*) as count, max(last_event_at) as last from sessions where tenant_id = ${tenant} group by owner_key) s
      on s.owner_key = o.owner_key
    where o.tenant_id = ${tenant} ${among(sql`o.agent_id`, agents)} ${among(sql`o.user_id`, users)}
      ${match === undefined ? sql`` : sql`and ${contains(name, match)}`}
      and (m.count > 0 or s.count > 0
        or exists (select 1 from memories a where a.tenant_id = ${tenant} and a.owner_key = o.owner_key)
        or exists (select 1 from events e where e.tenant_id = ${tenant} and e.owner_key = o.owner_key))
    order by coalesce(s.last, 0) desc, coalesce(m.count, 0) desc, o.owner_key
    limit ${limit}`.execute(reader);
  return rows.map((row) => ({
    agent: row.agent,
    user: row.user,
    memories: Number(row.memories ?? 0),
    sessions: Number(row.sessions ?? 0),
    lastEventAt: row.last === null ? null : new Date(Number(row.last)),
  }));
}

/** Expects a lower-case text. `%` and `_` in the part have no special meaning. */
function contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
  return sql<boolean>`${text} like ${`%${part.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
}

function among(column: RawBuilder<unknown>, names: string[] | null): RawBuilder<unknown> {
  return names === null ? sql`` : sql`and ${column} in (${sql.join(names)})`;
}

export interface RowsRequest extends Omit<Parsed<MemoryFilter>, 'cursor' | 'reach' | 'order' | 'limit'> {
  offset: number;
  limit: number;
  order: 'newest' | 'oldest' | 'important' | 'stated';
  text?: string;
}

export interface MemoryRows {
  total: number;
  offset: number;
  items: Memory[];
}

const ORDERS: Readonly<Record<RowsRequest['order'], RawBuilder<unknown>>> = {
  newest: sql`created_at desc, row_id desc`,
  oldest: sql`created_at, row_id`,
  important: sql`importance desc, row_id desc`,
  stated: sql`stated_at desc, row_id desc`,
};

/**
 * Paged by offset and not by cursor, because a person who scrolls through 50,000 memories jumps to any place. Only the rows on the page are
 * read completely.
 */
export async function readMemoryRows(
  reader: Reader,
  scope: Scope,
  { offset, limit, order, ...filter }: RowsRequest,
  now: number,
): Promise<MemoryRows> {
  const isMeant = filtered(scope, filter, now);
  const total = await countRows(reader, 'memories', isMeant);
  const page = sql`${isMeant} order by ${ORDERS[order]} limit ${limit} offset ${offset}`;
  const places = await rowsWhere(reader, 'memories', page, ['row_id']);
  const rows = await rowsBy(reader, scope.tenant, 'memories', { row_id: places.map(({ row_id }) => row_id) });
  const byRow = new Map(rows.map((row) => [Number(row.row_id), row]));
  const items = places.flatMap(({ row_id }) => {
    const row = byRow.get(Number(row_id));
    return row === undefined ? [] : [withoutForgottenWords(toMemory(row))];
  });
  return { total, offset, items };
}

function filtered(scope: Scope, { text = '', ...filter }: FacetFilter, now: number): RawBuilder<SqlBool> {
  const contained = text !== '' && allOf([contains(sql`lower(content)`, text), isNotForgotten]);
  return allOf([withinScope(scope), isMeantBy(filter, now), contained]);
}

interface FacetCount {
  name: string;
  count: number;
}

export interface MemoryFacets {
  live: number;
  archived: number;
  types: FacetCount[];
  subjects: FacetCount[];
  attributes: FacetCount[];
  archiveReasons: FacetCount[];
}

const MOST_FACETS = 200;

export type FacetFilter = Omit<RowsRequest, 'offset' | 'limit' | 'order'>;

/**
 * Counts the memories for each value of a field under the filters of the other fields: the number of rows that the user sees after choosing
 * the value.
 */
export async function countFacets(
  reader: Reader,
  scope: Scope,
  filter: FacetFilter,
  now: number,
): Promise<MemoryFacets> {
  const left = (own: FacetFilter) => filtered(scope, { ...filter, ...own }, now);
  const by = async (
    column: 'type' | 'subject' | 'attribute' | 'archive_reason',
    own: FacetFilter,
  ): Promise<FacetCount[]> => {
    const name = sql.ref(column);
    const { rows } = await sql<{ name: string; count: number | string }>`
      select ${name} as name, count(*) as count from memories where ${left(own)} and ${name} is not null
      group by ${name} order by count desc, ${name} limit ${MOST_FACETS}`.execute(reader);
    return rows.map((row) => ({ name: row.name, count: Number(row.count) }));
  };
  const count = (archived: 'exclude' | 'only'): Promise<number> =>
    countRows(reader, 'memories', left({ archived, archiveReasons: undefined }));
  return {
    live: await count('exclude'),
    archived: await count('only'),
    types: await by('type', { types: undefined }),
    subjects: await by('subject', { subjects: undefined }),
    attributes: await by('attribute', { attributes: undefined }),
    archiveReasons: await by('archive_reason', { archived: 'only', archiveReasons: undefined }),
  };
}

export interface MemoryLinks {
  replaced: Memory[];
  replacedBy: Memory[];
  madeOf: Memory[];
  madeInto: Memory[];
  events: Event[];
  use: MemoryUse | null;
}

const MOST_LINKS = 500;
const MOST_POINTING = 200;

export async function readLinks(reader: Reader, scope: Scope, memory: Memory): Promise<MemoryLinks> {
  const { tenant } = scope;
  const memories = async (ids: readonly string[]): Promise<Memory[]> => {
    const rows = await rowsInReach(reader, scope, 'memories', ids.slice(0, MOST_LINKS));
    const byTime = rows.sort((one, other) => one.stated_at - other.stated_at);
    return byTime.map((row) => withoutForgottenWords(toMemory(row)));
  };
  const sources = new Set([...memory.quotes.map(({ event }) => event), ...memory.sourceEvents]);
  const events = await rowsInReach(reader, scope, 'events', [...sources].slice(0, MOST_POINTING));
  const pointing = async (column: 'contradicts' | 'contradicted_by'): Promise<string[]> => {
    const points = sql`tenant_id = ${tenant} and ${sql.ref(column)} = ${memory.id} limit ${MOST_POINTING}`;
    return (await rowsWhere(reader, 'memories', points, ['id'])).map(({ id }) => id);
  };
  const only = (ids: (string | null)[]): string[] => ids.filter((id) => id !== null && id !== memory.id) as string[];
  return {
    replaced: await memories(only([memory.contradicts, ...(await pointing('contradicted_by'))])),
    replacedBy: await memories(only([memory.contradictedBy, ...(await pointing('contradicts'))])),
    madeOf: await memories(await derivedFrom(reader, tenant, memory.id)),
    madeInto: await memories([...(await derivedOf(reader, tenant, [memory.id])).keys()]),
    use: await findUse(reader, tenant, memory.id),
    events: events
      .sort((one, other) => one.occurred_at - other.occurred_at || one.sequence - other.sequence)
      .map(toEvent),
  };
}
