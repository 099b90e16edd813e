import { sql } from 'kysely';
import { USER } from '../../record/statement.ts';
import type { Scope } from '../../record/scope.ts';
import type { MemoryUse } from '../context-log-store.ts';
import type { Reader } from '../database.ts';
import type { MemoryRow } from '../record-rows.ts';
import { chunks, countRows, isIn, ofOwnersWithin, rowsBy, rowsWhere, withinScope } from '../rows.ts';

type UseSums = Pick<MemoryUse, 'given' | 'used' | 'corrected'>;

export async function sumUse(reader: Reader, scope: Scope): Promise<UseSums> {
  const { rows } = await sql<Record<keyof UseSums, number | string | null>>`
    select sum(given) as given, sum(used) as used, sum(corrected) as corrected from memory_use
    where ${ofOwnersWithin(scope)}`.execute(reader);
  const { given, used, corrected } = rows[0] ?? {};
  return { given: Number(given ?? 0), used: Number(used ?? 0), corrected: Number(corrected ?? 0) };
}

interface TalkCounts {
  conversations: number;
  userTurns: number;
  observations: number;
  corrections: number;
  statements: number;
}

export async function countTalk(reader: Reader, scope: Scope): Promise<TalkCounts> {
  const { rows } = await sql<Record<'turns' | 'observations' | 'corrections', number | string | null>>`
    select sum(case when origin = 'user' then 1 else 0 end) as turns,
      sum(case when kind = 'observation' then 1 else 0 end) as observations,
      sum(case when kind = 'observation' and category = 'correction' then 1 else 0 end) as corrections
    from events where ${withinScope(scope)}`.execute(reader);
  const { turns, observations, corrections } = rows[0] ?? {};
  const isLearned = scope.session === null ? sql`is not null` : sql`= ${scope.session}`;
  const owner = withinScope({ ...scope, session: null });
  return {
    conversations: await countRows(reader, 'sessions', withinScope(scope)),
    userTurns: Number(turns ?? 0),
    observations: Number(observations ?? 0),
    corrections: Number(corrections ?? 0),
    statements: await countRows(reader, 'memories', sql`${owner} and source_session ${isLearned}`),
  };
}

export async function correctionsByMonth(
  reader: Reader,
  scope: Scope,
): Promise<{ month: string; turns: number; corrections: number }[]> {
  const isCounted = sql`${withinScope(scope)} and (origin = 'user' or category = 'correction')
    order by occurred_at desc limit ${MOST_EVENTS}`;
  const rows = await rowsWhere(reader, 'events', isCounted, ['occurred_at', 'category']);
  const months = new Map<string, { month: string; turns: number; corrections: number }>();
  for (const { occurred_at, category } of rows) {
    const month = new Date(Number(occurred_at)).toISOString().slice(0, 7);
    const counts = months.get(month) ?? { month, turns: 0, corrections: 0 };
    if (category === 'correction') counts.corrections += 1;
    else counts.turns += 1;
    months.set(month, counts);
  }
  return [...months.values()].sort((one, other) => (one.month < other.month ? -1 : 1));
}

const MOST_EVENTS = 50_000;
const MOST_SCAFFOLDS = 500;

export interface ScaffoldState {
  block: string;
  at: number;
  keys: number;
}

export async function scaffoldStates(reader: Reader, scope: Scope): Promise<ScaffoldState[]> {
  const isScaffold = sql`${withinScope({ ...scope, session: null })} and kind = 'scaffold' limit ${MOST_SCAFFOLDS}`;
  const blocks = await rowsWhere(reader, 'blocks', isScaffold, ['id', 'content', 'updated_at']);
  const states: ScaffoldState[] = [];
  const ids = blocks.map(({ id }) => id);
  const columns = ['record_id', 'version', 'at', 'before'] as const;
  const revisions = await rowsBy(reader, scope.tenant, 'revisions', { record_id: ids }, columns);
  const byBlock = Map.groupBy(revisions, (revision) => revision.record_id);
  for (const { id, content, updated_at } of blocks) {
    // A revision contains the state before its change. The state after it is in the next revision or, for the last one, in the block
    // itself.
    const own = (byBlock.get(id) ?? []).sort((one, other) => one.version - other.version);
    for (const [index, { at }] of own.entries()) {
      const next = own[index + 1]?.before;
      states.push({ block: id, at: Number(at), keys: keysOf(next === undefined ? content : next) });
    }
    if (own.length === 0) states.push({ block: id, at: Number(updated_at), keys: keysOf(content) });
  }
  return states.sort((one, other) => one.at - other.at);
}

/** Accepts the content of a scaffold or the row of a block. Older versions of Varve also stored scaffolds that are not objects. */
function keysOf(text: string | null): number {
  const value = asObject(text);
  const scaffold = 'content' in value && 'kind' in value ? asObject(value['content']) : value;
  return Object.keys(scaffold).length;
}

function asObject(value: unknown): Record<string, unknown> {
  const given: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
}

interface AgentQuestion {
  ownerKey: string;
  content: string;
  at: number;
}

export async function agentQuestions(reader: Reader, scope: Scope, limit: number): Promise<AgentQuestion[]> {
  const { rows } = await sql<AgentQuestion>`
    select owner_key as "ownerKey", content, recorded_at as at from events
    where ${withinScope(scope)} and origin = 'agent' and kind = 'message' and (content like '%?%' or content like '%？%')
    order by recorded_at desc, row_id desc limit ${limit}`.execute(reader);
  return rows;
}

export async function knownAttributes(
  reader: Reader,
  scope: Scope,
  owners: readonly string[],
): Promise<{ ownerKey: string; attribute: string; since: number }[]> {
  const found: { ownerKey: string; attribute: string; since: number }[] = [];
  for (const some of chunks(owners)) {
    const { rows } = await sql<{ ownerKey: string; attribute: string; since: number }>`
      select owner_key as "ownerKey", attribute, min(created_at) as since from memories
      where tenant_id = ${scope.tenant} and ${isIn('owner_key', some)} and archived_at is null and subject = ${USER}
        and attribute is not null group by owner_key, attribute`.execute(reader);
    found.push(...rows.map((row) => ({ ...row, since: Number(row.since) })));
  }
  return found;
}

export async function countRefusals(reader: Reader, scope: Scope): Promise<{ reason: string; count: number }[]> {
  const { rows } = await sql<{ reason: string; count: number | string }>`
    select reason, count(*) as count from refusals where ${withinScope(scope)}
    group by reason order by count desc`.execute(reader);
  return rows.map(({ reason, count }) => ({ reason, count: Number(count) }));
}

export interface FormedConversation {
  ownerKey: string;
  session: string;
  turns: { origin: string; content: string }[];
  statements: FormedStatement[];
  refused: number;
}

export type FormedStatement = Pick<MemoryRow, 'id' | 'content' | 'subject' | 'attribute' | 'value' | 'polarity'>;

function formedSessions(reader: Reader, tenant: string, { first, limit }: { first: number; limit: number }) {
  const isFormed = sql`tenant_id = ${tenant} and formed_position > 0
    order by started_at, session_id limit ${limit} offset ${first}`;
  return rowsWhere(reader, 'sessions', isFormed, ['owner_key', 'session_id', 'formed_position']);
}

/** Skips conversations that formation has not read. */
export async function firstConversations(
  reader: Reader,
  tenant: string,
  range: { first: number; limit: number },
): Promise<FormedConversation[]> {
  const sessions = await formedSessions(reader, tenant, range);
  const ids = [...new Set(sessions.map(({ session_id }) => session_id))];
  if (ids.length === 0) return [];
  const isTurn = sql`tenant_id = ${tenant} and ${isIn('session_id', ids)} and kind in ('message', 'tool_result')
    order by position`;
  const turns = await rowsWhere(reader, 'events', isTurn, ['owner_key', 'session_id', 'origin', 'content']);
  const isFormed = sql`tenant_id = ${tenant} and ${isIn('source_session', ids)} and reader is not null
    and archived_at is null order by created_at, row_id`;
  const columns = [
    'id',
    'content',
    'subject',
    'attribute',
    'value',
    'polarity',
    'owner_key',
    'source_session',
  ] as const;
  const statements = await rowsWhere(reader, 'memories', isFormed, columns);
  const refused = await rowsBy(reader, tenant, 'refusals', { session_id: ids }, ['owner_key', 'session_id']);
  return sessions.map(({ owner_key: ownerKey, session_id: session }) => ({
    ownerKey,
    session,
    turns: turns.filter((row) => row.owner_key === ownerKey && row.session_id === session),
    statements: statements.filter((row) => row.owner_key === ownerKey && row.source_session === session),
    refused: refused.filter((row) => row.owner_key === ownerKey && row.session_id === session).length,
  }));
}

/** Changes whenever formation reads more of a tenant's first conversations. */
export async function formedSignature(reader: Reader, tenant: string, limit: number): Promise<string> {
  const rows = await formedSessions(reader, tenant, { first: 0, limit });
  return `${rows.length} ${rows.reduce((sum, { formed_position }) => sum + Number(formed_position), 0)}`;
}
