import type { Selectable } from 'kysely';
import type { IdSource } from '../record/id.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Reader, Writer } from './database.ts';
import type { RunTable } from './schema.ts';

/** Why a run took place: its time had come, a session ended, or somebody asked. */
export type RunCause = 'schedule' | 'flush' | 'hand';

/** `held`: its answer waits for review. `skipped`: there was nothing to do. */
export type RunStatus = 'done' | 'failed' | 'held' | 'skipped';

/** Counts and ids, never content. */
export type RunNotes = Record<string, number | string | readonly string[]>;

/** One run of background work, as the audit log keeps it (T15). */
export interface Run {
  id: string;
  scope: Scope;
  kind: string;
  cause: RunCause;
  status: RunStatus;
  startedAt: Date;
  finishedAt: Date;
  /** What it read, in counts. */
  read: RunNotes;
  /** What it changed: counts, and the ids of records. */
  changed: RunNotes;
  /** `local`, or the ids of the models. */
  model: string;
  /** Micro-dollars; null when a model has no price. */
  cost: number | null;
  error: string | null;
}

/** Writes a run, in the transaction of its changes where it has any. */
export async function insertRun(writer: Writer, run: Run): Promise<void> {
  await writer
    .insertInto('runs')
    .values({
      tenant_id: run.scope.tenant,
      id: run.id,
      owner_key: ownerKey(run.scope),
      agent_id: run.scope.agent,
      user_id: run.scope.user,
      session_id: run.scope.session,
      kind: run.kind,
      cause: run.cause,
      status: run.status,
      started_at: run.startedAt.getTime(),
      finished_at: run.finishedAt.getTime(),
      read: JSON.stringify(run.read),
      changed: JSON.stringify(run.changed),
      model: run.model,
      cost: run.cost,
      error: run.error,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
    .execute();
}

/** Which runs to list. */
export interface RunFilter {
  kinds?: readonly string[];
  statuses?: readonly RunStatus[];
  /** Default 100. */
  limit?: number;
}

/** The runs within a scope, newest first. */
export async function listRuns(reader: Reader, scope: Scope, filter: RunFilter = {}): Promise<Run[]> {
  let query = reader
    .selectFrom('runs')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit ?? 100);
  if (scope.agent !== null) query = query.where('agent_id', '=', scope.agent);
  if (scope.user !== null) query = query.where('user_id', '=', scope.user);
  if (scope.session !== null) query = query.where('session_id', '=', scope.session);
  if (filter.kinds) query = query.where('kind', 'in', [...filter.kinds]);
  if (filter.statuses) query = query.where('status', 'in', [...filter.statuses]);
  return (await query.execute()).map(toRun);
}

function toRun(row: Selectable<RunTable>): Run {
  return {
    id: row.id,
    scope: { tenant: row.tenant_id, agent: row.agent_id, user: row.user_id, session: row.session_id, connection: null },
    kind: row.kind,
    cause: row.cause as RunCause,
    status: row.status as RunStatus,
    startedAt: new Date(row.started_at),
    finishedAt: new Date(row.finished_at),
    read: JSON.parse(row.read) as RunNotes,
    changed: JSON.parse(row.changed) as RunNotes,
    model: row.model,
    cost: row.cost,
    error: row.error,
  };
}

/** Removes runs that started before a time, so that the audit log does not grow without end. */
export async function removeRuns(writer: Writer, tenant: string, before: number): Promise<number> {
  const result = await writer
    .deleteFrom('runs')
    .where('tenant_id', '=', tenant)
    .where('started_at', '<', before)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** The id of a run, known before it begins so that revisions and usage can carry it. */
export function newRunId(ids: IdSource): string {
  return ids.next('run');
}
