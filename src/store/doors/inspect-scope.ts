import { type RawBuilder, type Selectable, sql } from 'kysely';
import { WEEKDAYS } from '../../language/calendar.ts';
import { DAY } from '../../record/clock.ts';
import type { Scope } from '../../record/scope.ts';
import { belongsToUser, isUser, USER } from '../../record/statement.ts';
import type { Reader } from '../database.ts';
import { countRows, ofOwnersWithin, rowsWhere, withinReach, withinScope } from '../rows.ts';
import type { SessionTable } from '../schema.ts';

export interface RecordCounts {
  events: number;
  /** Events that formation has not read yet. */
  eventsWaiting: number;
  memories: number;
  memoriesArchived: number;
  /** Live memories of each type. */
  byType: Record<string, number>;
  blocks: number;
  sessions: number;
  entities: number;
  /** Records that wait for a vector. */
  vectorsWaiting: number;
  /** Block changes that await review, because they would remove much that is still true. */
  heldChanges: number;
  /** Owners: the tenant itself, agents, users, and pairs of an agent and a user. */
  owners: number;
}

export async function countRecords(reader: Reader, scope: Scope): Promise<RecordCounts> {
  const here = withinScope(scope);
  const owner = withinScope({ ...scope, session: null });
  const types = await sql<{ type: string; count: number }>`
      select type, count(*) as count from memories where ${here} and archived_at is null group by type order by type`.execute(
    reader,
  );
  const byType = Object.fromEntries(types.rows.map((row) => [row.type, Number(row.count)]));
  return {
    events: await countRows(reader, 'events', here),
    eventsWaiting: await countRows(reader, 'events', sql`${here} and processed_at is null`),
    memories: Object.values(byType).reduce((sum, some) => sum + some, 0),
    memoriesArchived: await countRows(reader, 'memories', sql`${here} and archived_at is not null`),
    byType,
    blocks: await countRows(reader, 'blocks', here),
    sessions: await countRows(reader, 'sessions', here),
    entities: await countRows(reader, 'entities', owner),
    vectorsWaiting: await countRows(reader, 'embedding_queue', ofOwnersWithin(scope)),
    heldChanges: await countRows(reader, 'held_changes', sql`${owner} and decided_at is null`),
    owners: await countRows(reader, 'owners', owner),
  };
}

export interface SessionSummary {
  id: string;
  agent: string | null;
  user: string | null;
  status: string;
  startedAt: Date;
  lastEventAt: Date;
  events: number;
  opening: string | null;
  memories: number;
  refused: number;
}

export async function listSessionRows(
  reader: Reader,
  scope: Scope,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; items: SessionSummary[] }> {
  const total = await countRows(reader, 'sessions', withinScope(scope));
  const { rows } = await sql<SessionRow>`
    select * from sessions where ${withinScope(scope)}
    order by last_event_at desc, session_id limit ${limit} offset ${offset}`.execute(reader);
  if (rows.length === 0) return { total, items: [] };
  const cameOf = await whatCameOf(reader, scope.tenant, rows);
  const items = rows.map((row): SessionSummary => {
    const { spoken, ...counts } = cameOf(row);
    return {
      id: row.session_id,
      agent: row.agent_id,
      user: row.user_id,
      status: row.status,
      // The times when the turns were said. The session row has recording times, which are later for imported turns.
      startedAt: new Date(Number(spoken?.first ?? row.started_at)),
      lastEventAt: new Date(Number(spoken?.last ?? row.last_event_at)),
      events: Number(row.event_count),
      ...counts,
    };
  });
  items.sort((one, other) => other.lastEventAt.getTime() - one.lastEventAt.getTime());
  return { total, items };
}

type SessionRow = Selectable<SessionTable>;

async function whatCameOf(reader: Reader, tenant: string, sessions: readonly SessionRow[]) {
  const ids = sql.join([...new Set(sessions.map(({ session_id }) => session_id))]);
  const bySession = async <Row>(query: RawBuilder<Row & { place: string }>): Promise<Map<string, Row>> =>
    new Map((await query.execute(reader)).rows.map((row) => [row.place, row]));
  const place = (session: string): RawBuilder<string> => sql`owner_key || ' ' || ${sql.ref(session)} as place`;
  const openings = await bySession(sql<{ place: string; content: string }>`
    select ${place('session_id')}, content from events where tenant_id = ${tenant} and session_id in (${ids})
      and origin = 'user' and position <= 4 and trim(content) <> '' order by position desc`);
  const spoken = await bySession(sql<{ place: string; first: number; last: number }>`
    select ${place('session_id')}, min(occurred_at) as first, max(occurred_at) as last
    from events where tenant_id = ${tenant} and session_id in (${ids}) group by owner_key, session_id`);
  const countBy = (table: string, session: string, and: RawBuilder<unknown> = sql``) =>
    bySession(sql<{ place: string; count: number }>`
      select ${place(session)}, count(*) as count from ${sql.table(table)}
      where tenant_id = ${tenant} and ${sql.ref(session)} in (${ids}) ${and} group by owner_key, ${sql.ref(session)}`);
  // Summaries and reflections are about the whole conversation and not statements learned in it.
  const memories = await countBy('memories', 'source_session', sql`and type not in ('summary', 'reflection')`);
  const refused = await countBy('refusals', 'session_id');
  return (session: SessionRow) => {
    const key = `${session.owner_key} ${session.session_id}`;
    return {
      // Forgotten turns are blank.
      opening: openings.get(key)?.content.trimStart().slice(0, 200) ?? null,
      spoken: spoken.get(key),
      memories: Number(memories.get(key)?.count ?? 0),
      refused: Number(refused.get(key)?.count ?? 0),
    };
  };
}

/** The nodes are the subjects and entities of live statements. An edge joins two that occur in the same statement. */
export interface SubjectGraph {
  nodes: { id: string; label: string; kind: string; subject: string | null; entity: string | null; memories: number }[];
  edges: { from: string; to: string; count: number }[];
}

const MOST_STATEMENTS = 5_000;
const MOST_NODES = 200;

/** A subject that ends with the name of an entity ("User's sister Ana") shares its node. */
export async function readGraph(reader: Reader, scope: Scope): Promise<SubjectGraph> {
  const isLive = sql`${withinScope(scope)} and archived_at is null order by importance desc limit ${MOST_STATEMENTS}`;
  const statements = await rowsWhere(reader, 'memories', isLive, ['subject', 'entities']);
  const reachable = sql`${withinReach(scope)} limit ${MOST_STATEMENTS}`;
  const known = await rowsWhere(reader, 'entities', reachable, ['id', 'name', 'type']);
  const entityByName = new Map(known.map((entity) => [entity.name.toLowerCase(), entity]));
  const entityById = new Map(known.map((entity) => [entity.id, entity]));
  const nodes = new Map<string, SubjectGraph['nodes'][number]>();
  const edges = new Map<string, SubjectGraph['edges'][number]>();
  const touch = (node: Omit<SubjectGraph['nodes'][number], 'memories'>): string => {
    const there = nodes.get(node.id);
    if (there === undefined) nodes.set(node.id, { ...node, memories: 1 });
    else {
      there.memories += 1;
      if (there.subject === null && node.subject !== null) Object.assign(there, node);
    }
    return node.id;
  };
  const nodeOfSubject = (subject: string): string => {
    const entity =
      entityByName.get(subject.toLowerCase()) ?? entityByName.get(subject.split(' ').at(-1)?.toLowerCase() ?? '');
    const kind = isUser(subject) ? 'user' : (entity?.type ?? 'thing');
    return touch({ id: entity?.id ?? `subject:${subject}`, label: subject, kind, subject, entity: entity?.id ?? null });
  };
  const join = (one: string, other: string): void => {
    if (one === other) return;
    const [from, to] = one < other ? [one, other] : [other, one];
    const edge = edges.get(`${from} ${to}`);
    if (edge === undefined) edges.set(`${from} ${to}`, { from, to, count: 1 });
    else edge.count += 1;
  };
  for (const { subject, entities } of statements) {
    const about = nodeOfSubject(subject);
    // "User's sister Ana" is linked to the user.
    if (belongsToUser(subject)) join(about, nodes.has(USER_NODE.id) ? USER_NODE.id : touch(USER_NODE));
    for (const id of JSON.parse(entities) as string[]) {
      const entity = entityById.get(id);
      // A date is neither a person nor a thing.
      if (entity === undefined || DATE.test(entity.name)) continue;
      join(about, touch({ id, label: entity.name, kind: entity.type, subject: null, entity: id }));
    }
  }
  const kept = [...nodes.values()].sort((one, other) => other.memories - one.memories).slice(0, MOST_NODES);
  const ids = new Set(kept.map(({ id }) => id));
  return { nodes: kept, edges: [...edges.values()].filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}

const DATE = new RegExp(`\\b(?:19|20)\\d\\d$|^(?:${WEEKDAYS.join('|')})s?\\b`, 'i');

const USER_NODE = { id: `subject:${USER}`, label: USER, kind: 'user', subject: USER, entity: null };

export interface Growth {
  learned: { day: string; type: string; count: number }[];
  archived: { day: string; reason: string; count: number }[];
  events: { day: string; count: number }[];
}

export async function readGrowth(reader: Reader, scope: Scope): Promise<Growth> {
  const byDay = async (table: string, time: string, name: RawBuilder<unknown>) => {
    const { rows } = await sql<{ day: number; name: string; count: number }>`
      select cast(${sql.ref(time)} as bigint) / ${sql.lit(DAY)} as day, ${name} as name, count(*) as count
      from ${sql.table(table)} where ${withinScope(scope)} and ${sql.ref(time)} is not null
      group by 1, 2 order by 1, 2`.execute(reader);
    const dayOf = (day: number): string => new Date(Number(day) * DAY).toISOString().slice(0, 10);
    return rows.map((row) => ({ ...row, day: dayOf(row.day), count: Number(row.count) }));
  };
  const learned = await byDay('memories', 'created_at', sql`type`);
  const archived = await byDay('memories', 'archived_at', sql`coalesce(archive_reason, 'unknown')`);
  const events = await byDay('events', 'recorded_at', sql`'event'`);
  return {
    learned: learned.map(({ day, name, count }) => ({ day, type: name, count })),
    archived: archived.map(({ day, name, count }) => ({ day, reason: name, count })),
    events: events.map(({ day, count }) => ({ day, count })),
  };
}
