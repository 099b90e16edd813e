import { type Selectable, sql } from 'kysely';
import { invalidInput } from '../errors.ts';
import type { Change, Revision } from '../record/revision.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import {
  allOf,
  chunks,
  insertNew,
  isIn,
  ofOwnersWithin,
  ownerColumns,
  type Page,
  pageOf,
  pages,
  removeRows,
  rowsBy,
  rowsWhere,
  scopeOfRow,
  withinScope,
} from './rows.ts';
import type { Reader, Writer } from './database.ts';
import type { RefusalTable, RevisionTable } from './schema.ts';

interface RevisionInput {
  scope: Scope;
  recordId: string;
  version: number;
  at: number;
  change: Change;
  /** JSON; null if the record is new. */
  before: string | null;
}

/** Call this in the transaction of the change. */
export async function recordRevisions(writer: Writer, revisions: readonly RevisionInput[]): Promise<void> {
  for (const some of chunks(revisions)) {
    await writer.insertInto('revisions').values(some.map(toRevisionRow)).execute();
  }
}

export function toRevisionRow({ scope, recordId, version, at, change, before }: RevisionInput): RevisionTable {
  return {
    tenant_id: scope.tenant,
    owner_key: ownerKey(scope),
    record_id: recordId,
    version,
    at,
    reason: change.reason,
    actor: change.actor ?? 'application',
    run: change.run ?? null,
    before,
  };
}

export async function listRevisions(reader: Reader, tenant: string, recordId: string): Promise<Revision[]> {
  const ofRecord = sql`tenant_id = ${tenant} and record_id = ${recordId} order by version`;
  return (await rowsWhere(reader, 'revisions', ofRecord)).map(toRevision);
}

export function toRevision(row: Selectable<RevisionTable>): Revision {
  return {
    recordId: row.record_id,
    version: row.version,
    at: new Date(row.at),
    reason: row.reason,
    actor: row.actor,
    run: row.run,
    before: row.before === null ? null : (JSON.parse(row.before) as Record<string, unknown>),
  };
}

/** For each record, one JSON state per change since the given time, newest first. The last one is the state at that time. */
export async function snapshotsAsOf(
  reader: Reader,
  tenant: string,
  recordIds: readonly string[],
  at: Date,
): Promise<Map<string, string[]>> {
  if (recordIds.length === 0) return new Map();
  const isLater = sql`tenant_id = ${tenant} and ${isIn('record_id', recordIds)} and at > ${at.getTime()}
    and before is not null order by version desc`;
  const rows = await rowsWhere(reader, 'revisions', isLater, ['record_id', 'before']);
  const byRecord = Map.groupBy(rows, (row) => row.record_id);
  return new Map([...byRecord].map(([id, changes]) => [id, changes.map(({ before }) => before ?? '')]));
}

/** What started a run: a schedule, the end of a session (`flush`), or a call (`hand`). */
export type RunCause = 'schedule' | 'flush' | 'hand';

/** `held`: the answer of the run waits for review. `skipped`: there was nothing to do. */
export type RunStatus = 'done' | 'failed' | 'held' | 'skipped';

/** Counts and ids, never content. */
export type RunNotes = Record<string, number | string | readonly string[]>;

/** The audit log's entry for one run of background work. */
export interface Run {
  id: string;
  scope: Scope;
  kind: string;
  cause: RunCause;
  status: RunStatus;
  startedAt: Date;
  finishedAt: Date;
  /** Counts of records that the run read. */
  read: RunNotes;
  /** Counts and ids of records that the run changed. */
  changed: RunNotes;
  /** `local`, or the ids of the models. */
  model: string;
  /** Micro-dollars; null if a model has no price. */
  cost: number | null;
  error: string | null;
}

export async function insertRun(writer: Writer, run: Run): Promise<void> {
  const { id, scope, kind, cause, status, model, cost, error } = run;
  const plain = { id, kind, cause, status, model, cost, error, session_id: scope.session };
  const row = {
    ...ownerColumns(scope),
    ...plain,
    started_at: run.startedAt.getTime(),
    finished_at: run.finishedAt.getTime(),
    read: JSON.stringify(run.read),
    changed: JSON.stringify(run.changed),
  };
  await insertNew(writer, 'runs', [row]);
}

export interface RunFilter {
  kinds?: readonly string[];
  statuses?: readonly RunStatus[];
  /** Default 100. */
  limit?: number;
}

export async function listRuns(reader: Reader, scope: Scope, filter: RunFilter = {}): Promise<Run[]> {
  const { kinds, statuses, limit = 100 } = filter;
  const isMeant = allOf([withinScope(scope), kinds && isIn('kind', kinds), statuses && isIn('status', statuses)]);
  const rows = await rowsWhere(reader, 'runs', sql`${isMeant} order by started_at desc, id desc limit ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    scope: scopeOfRow(row),
    kind: row.kind,
    cause: row.cause,
    status: row.status,
    startedAt: new Date(row.started_at),
    finishedAt: new Date(row.finished_at),
    read: JSON.parse(row.read) as RunNotes,
    changed: JSON.parse(row.changed) as RunNotes,
    model: row.model,
    cost: row.cost,
    error: row.error,
  }));
}

export async function removeOldRuns(writer: Writer, tenant: string, before: number): Promise<void> {
  await sql`delete from runs where tenant_id = ${tenant} and started_at < ${before}`.execute(writer);
  await sql`delete from refusals where tenant_id = ${tenant} and at < ${before}`.execute(writer);
}

/** The kinds of refused items. `end` is the end of a statement, `topic` the summary of a topic. */
export const REFUSED = ['statement', 'end', 'forget', 'reflection', 'topic', 'fact'] as const;
export type Refused = (typeof REFUSED)[number];

/** An item that a model or the local reader proposed, and why it was not stored. */
export interface RefusalRecord {
  id: string;
  scope: Scope;
  /** Null outside of background work. */
  run: string | null;
  at: Date;
  /** A reason code, such as `quote_not_found`. */
  reason: string;
  what: Refused;
  /** Null if the item has no text. */
  text: string | null;
  /** The reason in words, for people. */
  detail: string | null;
  /** The complete item, as proposed. */
  proposal: unknown;
  /** Ids of the events that were read. */
  events: string[];
}

/** Idempotent. Call this in the transaction of the run. */
export async function insertRefusals(writer: Writer, refusals: readonly RefusalRecord[]): Promise<number> {
  const rows = refusals.map(({ scope, id, run, reason, what, text, detail, ...refusal }) => {
    const plain = { id, run, reason, what, text, detail, session_id: scope.session, at: refusal.at.getTime() };
    const proposal = refusal.proposal == null ? null : JSON.stringify(refusal.proposal);
    return { ...ownerColumns(scope), ...plain, proposal, events: JSON.stringify(refusal.events) };
  });
  return insertNew(writer, 'refusals', rows);
}

export interface RefusalFilter {
  /** Default 100, at most 1,000. */
  limit?: number;
  /** The cursor of the previous page. */
  cursor?: string;
  session?: string;
}

export async function listRefusals(
  reader: Reader,
  scope: Scope,
  { limit = 100, cursor, session }: RefusalFilter = {},
): Promise<Page<RefusalRecord>> {
  const isMeant = allOf([
    withinScope(scope),
    session !== undefined && sql`session_id = ${session}`,
    cursor !== undefined && sql`id < ${refusalId(cursor)}`,
  ]);
  const rows = await rowsWhere(reader, 'refusals', sql`${isMeant} order by id desc limit ${limit + 1}`);
  return pageOf(rows, limit, toRefusal);
}

function refusalId(cursor: string): string {
  if (/^ref_[0-9a-z]{26}$/.test(cursor)) return cursor;
  throw invalidInput('The cursor is not valid: give the `cursor` that the previous page of refusals returned.');
}

/** Removes refusals of items that were read from any of these events. */
export async function eraseRefusals(
  writer: Writer,
  tenant: string,
  { owners, events }: { owners: readonly string[]; events: ReadonlySet<string> },
): Promise<number> {
  let count = 0;
  for (const owner of owners) {
    const rows = await rowsBy(writer, tenant, 'refusals', { owner_key: [owner] }, ['id', 'events']);
    const gone = rows.filter((row) => (JSON.parse(row.events) as string[]).some((event) => events.has(event)));
    count += await removeRows(writer, tenant, 'refusals', { id: gone.map(({ id }) => id) });
  }
  return count;
}

export function toRefusal(row: Selectable<RefusalTable>): RefusalRecord {
  return {
    id: row.id,
    scope: scopeOfRow(row),
    run: row.run,
    at: new Date(row.at),
    reason: row.reason,
    what: row.what,
    text: row.text,
    detail: row.detail,
    proposal: row.proposal === null ? null : (JSON.parse(row.proposal) as unknown),
    events: JSON.parse(row.events) as string[],
  };
}

/** A watermark: the sequence of the last event and the time of the last revision. */
export interface ChangePlace {
  sequence: number;
  at: number;
}

/** Contains no content. `sequence` is 0 for a version of a record. */
export interface ChangeRow extends ChangePlace {
  kind: 'event' | 'memory' | 'block';
  id: string;
  version: number;
  reason: string;
  actor: string;
}

export async function lastVersion(reader: Reader, tenant: string): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(version) as last from owners where tenant_id = ${tenant}`.execute(reader);
  return Number(rows[0]?.last ?? 0);
}

const PAGE = 1_000;

/** First events, then versions of records. Events whose sequence equals that of `after` are returned again. */
export async function* readChanges(
  read: <Result>(work: (reader: Reader) => Promise<Result>) => Promise<Result>,
  scope: Scope,
  { after, upTo }: { after: ChangePlace; upTo?: ChangePlace },
): AsyncGenerator<ChangeRow> {
  const [lastEvent, lastTime] = [upTo?.sequence ?? Number.MAX_SAFE_INTEGER, upTo?.at ?? Number.MAX_SAFE_INTEGER];
  const events = pages<ChangeRow & { row: number }>(PAGE, (last) =>
    read(async (reader) => {
      const { sequence, row } = last ?? { sequence: after.sequence, row: 0 };
      const { rows } = await sql<ChangeRow & { row: number }>`
        select 'event' as kind, id, 1 as version, recorded_at as at, 'observed' as reason, origin as actor, sequence, row_id as "row"
        from events where ${withinScope(scope)} and (sequence, row_id) > (${sequence}, ${row}) and sequence <= ${lastEvent}
        order by sequence, row_id limit ${PAGE}`.execute(reader);
      return rows;
    }),
  );
  for await (const { row: _row, ...change } of events) yield change;
  // With a condition on owners, SQLite would sort all remaining versions for every page instead of using the index by time.
  const isTenant = scope.agent === null && scope.user === null;
  const isOwn = isTenant ? sql`1 = 1` : ofOwnersWithin(scope);
  yield* pages<ChangeRow>(PAGE, (last) =>
    read(async (reader) => {
      const { at, id, version } = last ?? { at: after.at, id: '~', version: 0 };
      const { rows } = await sql<ChangeRow>`
        select case when record_id like 'blk%' then 'block' else 'memory' end as kind, record_id as id, version, at, reason,
          actor, 0 as sequence
        from revisions where tenant_id = ${scope.tenant} and (at, record_id, version) > (${at}, ${id}, ${version})
          and at <= ${lastTime} and ${isOwn}
        order by at, record_id, version limit ${PAGE}`.execute(reader);
      return rows;
    }),
  );
}
