import { sql, type Insertable } from 'kysely';
import { z } from 'zod';
import { storable, parse, textSchema, timeSchema } from '../../record/parse.ts';
import { ownerKey, parseScope, type Scope, type ScopeInput } from '../../record/scope.ts';
import type { Parts, Writer } from '../database.ts';
import { chunks, insertion } from '../rows.ts';
import type { JobTable } from '../schema.ts';
import type { Job, Json, NewJob } from './job.ts';
import type { OwnerPayloads, TenantPayloads } from './job-payloads.ts';

export interface EnqueuedJob {
  /** The id of the new job, or of a waiting one with the same unique key. */
  id: string;
  isNew: boolean;
}

export type EnqueueDeps = Pick<Parts, 'clock' | 'ids'>;

type JobRow = Insertable<JobTable>;

const PAYLOAD_LIMIT = 256 * 1024;

const payloadSchema: z.ZodType<Json, Json> = z
  .json()
  .refine((value) => JSON.stringify(value).length <= PAYLOAD_LIMIT, 'is larger than 256 KiB of JSON')
  .check(storable);

const newJobSchema = z
  .strictObject({
    kind: textSchema(100),
    tenant: z.string().max(500),
    ownerKey: z.string().max(2000).default(''),
    payload: payloadSchema,
    uniqueKey: textSchema(1000).optional(),
    whenWaiting: z.enum(['keep', 'move']).default('keep'),
    runAt: timeSchema.optional(),
    delay: z.number().min(0).optional(),
    maxAttempts: z.int().min(1).max(1000).default(8),
    priority: z.int().min(0).max(9).default(5),
  })
  .refine((job) => job.runAt === undefined || job.delay === undefined, 'runAt and delay exclude each other');

type CheckedJob = z.output<typeof newJobSchema>;

/** Commits or rolls back with the caller's transaction. Throws `invalid_input` before anything is written. */
export async function enqueueJobs(
  writer: Writer,
  jobs: readonly NewJob[],
  { clock, ids }: EnqueueDeps,
): Promise<EnqueuedJob[]> {
  const now = clock.now();
  const checked = jobs.map((job) => parse(newJobSchema, job, 'The job'));
  const rows = checked.map((job) => toRow(job, ids.next('job'), now));
  const waiting = new Map<string, string>();

  const plain = rows.filter((row) => row.unique_key === null);
  for (const chunk of chunks(plain)) await writer.insertInto('jobs').values(chunk).execute();
  for (const whenWaiting of ['keep', 'move'] as const) {
    const unique = rows.filter((row, index) => row.unique_key !== null && checked[index]?.whenWaiting === whenWaiting);
    for (const chunk of chunks(onePerKey(unique))) {
      for (const row of await upsert(writer, chunk, whenWaiting)) waiting.set(keyOf(row), row.id);
    }
  }
  return rows.map((row) => {
    const id = row.unique_key === null ? row.id : (waiting.get(keyOf(row)) ?? row.id);
    return { id, isNew: id === row.id };
  });
}

export async function enqueue(writer: Writer, job: NewJob, deps: EnqueueDeps): Promise<EnqueuedJob> {
  const [enqueued] = await enqueueJobs(writer, [job], deps);
  return enqueued as EnqueuedJob;
}

export function ownerJob<Kind extends keyof OwnerPayloads>(
  kind: Kind,
  scope: Scope,
  ...[payload]: PayloadArgument<OwnerPayloads[Kind]>
): NewJob {
  const place = { ...scope, connection: null };
  return { kind, tenant: scope.tenant, ownerKey: ownerKey(scope), payload: { scope: place, ...payload } };
}

/** A session has at most one waiting and one running job of each kind. */
export function sessionJob<Kind extends keyof OwnerPayloads>(
  kind: Kind,
  scope: Scope,
  ...payload: PayloadArgument<OwnerPayloads[Kind]>
): NewJob {
  return { ...ownerJob(kind, scope, ...payload), uniqueKey: `${ownerKey(scope)}:${scope.session}` };
}

export function tenantJob<Kind extends keyof TenantPayloads>(
  kind: Kind,
  tenant: string,
  ...[payload]: PayloadArgument<TenantPayloads[Kind]>
): NewJob {
  return { kind, tenant, payload: { ...payload } };
}

type PayloadArgument<Payload> = Record<never, never> extends Payload ? [payload?: Payload] : [payload: Payload];

export function scopeOfJob({ payload }: Job): Scope {
  return parseScope((payload as { scope: Required<ScopeInput> }).scope);
}

function toRow(job: CheckedJob, id: string, now: number): JobRow & { unique_key: string | null } {
  return {
    id,
    tenant_id: job.tenant,
    owner_key: job.ownerKey,
    kind: job.kind,
    payload: JSON.stringify(job.payload),
    unique_key: job.uniqueKey ?? null,
    state: 'waiting',
    priority: job.priority,
    run_at: job.runAt?.getTime() ?? now + Math.round(job.delay ?? 0),
    attempts: 0,
    max_attempts: job.maxAttempts,
    created_at: now,
  };
}

/**
 * The update locks the waiting job until the caller commits, even if it changes nothing. Without the lock, a worker could run that job
 * before the caller's write is visible, and no job would remain to run after the write.
 */
async function upsert(
  writer: Writer,
  rows: readonly JobRow[],
  whenWaiting: 'keep' | 'move',
): Promise<Pick<JobTable, 'id' | 'tenant_id' | 'kind' | 'unique_key'>[]> {
  const moved = sql`case when jobs.attempts = 0 then excluded.run_at else jobs.run_at end`;
  const runAt = whenWaiting === 'move' ? moved : sql`jobs.run_at`;
  const { rows: waiting } = await sql<Pick<JobTable, 'id' | 'tenant_id' | 'kind' | 'unique_key'>>`
    ${insertion('jobs', rows)} on conflict (tenant_id, kind, unique_key)
      where unique_key is not null and state = 'waiting' do update set run_at = ${runAt}
    returning id, tenant_id, kind, unique_key`.execute(writer);
  return waiting;
}

// Sorts by key, so that two transactions that enqueue the same jobs cannot deadlock.
function onePerKey(rows: readonly JobRow[]): JobRow[] {
  const first = new Map<string, JobRow>();
  for (const row of rows) if (!first.has(keyOf(row))) first.set(keyOf(row), row);
  return [...first].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

function keyOf(row: Pick<JobRow, 'tenant_id' | 'kind' | 'unique_key'>): string {
  return JSON.stringify([row.tenant_id, row.kind, row.unique_key]);
}
