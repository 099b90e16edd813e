import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsolidateDeps } from './consolidate/consolidate-deps.ts';
import { consolidationJobs } from './consolidate/jobs.ts';
import { changeEmbedder, type EmbedDeps, embedRecords } from './embed/embed.ts';
import { VarveError } from './errors.ts';
import type { FormDeps } from './form/formation-settings.ts';
import type { Formation } from './form/form.ts';
import { enqueueJobs, tenantJob } from './store/queue/enqueue.ts';
import { NO_TENANT } from './store/queue/job.ts';
import type { JobHandler, JobKinds } from './jobs/job-kinds.ts';
import { ensureSchedules, type NewSchedule } from './jobs/schedules.ts';
import { postpone } from './jobs/failures.ts';
import { createWorker, type RunCounts, type Worker } from './jobs/worker.ts';
import { maintenanceJobs } from './maintain/jobs.ts';
import { flushIdleSessions } from './observe/observe.ts';
import { type WebhookDeps, webhookJobs } from './operate/webhook-delivery.ts';
import { HOUR } from './record/clock.ts';
import { EVERY_TENANT } from './store/database.ts';
import { ownersToEmbed } from './store/indexing.ts';
import { tenantsWithMemories } from './store/own-rows.ts';

type BackgroundDeps = EmbedDeps & FormDeps & ConsolidateDeps & WebhookDeps & { formation: Formation };

export interface BackgroundOptions {
  /** The maximum number of jobs that run at the same time. Default 4. */
  concurrency?: number;
  /** The maximum number of records that are embedded per second. Default: unlimited. */
  embeddingRate?: number;
}

export interface Background {
  start(): Promise<void>;
  /** Runs all jobs that are due now and counts them by outcome. For tests, scripts and a simulated clock. */
  drain(): Promise<RunCounts>;
  /** Lets the running jobs finish and starts no others. */
  stop(): Promise<void>;
}

// Milliseconds to wait after a write, so that a burst of writes causes only one poll of the queue.
const GATHER = 25;
const OWNERS_AT_ONCE = 500;

export function createBackground(deps: BackgroundDeps, options: BackgroundOptions = {}): Background {
  const jobs = jobsOf(deps, options);
  const worker: Worker = createWorker({
    ...deps,
    concurrency: options.concurrency ?? 4,
    handlers: handlersOf(jobs, deps),
  });
  let isStarted = false;
  let hasBegun = false;

  const begin = async (): Promise<void> => {
    // Only once, because a simulated year drains thousands of times.
    if (!hasBegun) {
      await ensureSchedules(deps.database, schedulesOf(jobs), deps);
      await deps.formation.resume();
    }
    hasBegun = true;
    await queueEmbedding(deps);
  };

  const followWrites = async (): Promise<void> => {
    const { writes } = deps.database;
    let next = once(writes, 'write');
    while (isStarted) {
      await next;
      await sleep(GATHER);
      // Set before `feedEmbeddings`, so that a write during it causes another poll.
      next = once(writes, 'write');
      if (!isStarted) return;
      await feedEmbeddings(deps).catch((error: unknown) => {
        // The job `feed-embeddings` runs again within ten seconds. A store that is closing needs no retry.
        if (!VarveError.isInstance(error, 'closed')) process.emitWarning(error as Error);
      });
      worker.wake();
    }
  };

  return {
    async start() {
      if (isStarted) return;
      isStarted = true;
      await begin();
      deps.formation.start();
      worker.start();
      void followWrites();
    },
    async drain() {
      await begin();
      await deps.formation.drain();
      return worker.drain();
    },
    async stop() {
      isStarted = false;
      await deps.formation.stop();
      await worker.stop();
    },
  };
}

function jobsOf(deps: BackgroundDeps, options: BackgroundOptions): JobKinds {
  return {
    ...deps.formation.jobs,
    ...consolidationJobs(deps),
    ...maintenanceJobs(deps),
    ...embeddingJobs(deps, options),
    scrub: { isPaid: false, run: () => deps.database.scrub() },
    'flush-idle-sessions': {
      isPaid: false,
      cron: '0 * * * * *',
      async run() {
        await flushIdleSessions(deps);
      },
    },
    ...webhookJobs(deps),
    'check-extraction': {
      isPaid: false,
      cron: deps.consolidation.intervals.maintain,
      async run() {
        const { watchExtraction } = await import('./operate/extraction-checks.ts');
        const tenants = await deps.database.read(EVERY_TENANT, (reader) => tenantsWithMemories(reader));
        for (const tenant of tenants) await watchExtraction(deps, tenant);
      },
    },
  };
}

function schedulesOf(jobs: JobKinds): NewSchedule[] {
  return Object.entries(jobs).flatMap(([kind, { cron }]) => (cron == null ? [] : [{ name: kind, cron, kind }]));
}

function handlersOf(jobs: JobKinds, deps: BackgroundDeps): Record<string, JobHandler> {
  const entries = Object.entries(jobs).map(([kind, job]): [string, JobHandler] => {
    // The cast is safe: `ownerJob`, `tenantJob` and the schedules give each job the payload that its handler expects.
    const run = job.run as JobHandler;
    return [kind, job.isPaid ? (stored, context) => paidWork(deps, () => run(stored, context)) : run];
  });
  return Object.fromEntries(entries);
}

async function queueEmbedding(deps: BackgroundDeps): Promise<void> {
  const { database, embedding } = deps;
  const isChanging = await database.read(EVERY_TENANT, (reader) => embedding.isChanging(reader));
  if (isChanging) {
    const job = { ...tenantJob('change-embedder', NO_TENANT), uniqueKey: 'change-embedder' };
    await database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, [job], deps));
  }
  await feedEmbeddings(deps);
}

function embeddingJobs(deps: BackgroundDeps, options: BackgroundOptions): JobKinds {
  const feed = { isPaid: false, cron: '*/10 * * * * *', run: () => feedEmbeddings(deps) };
  if (deps.embedding.current === null) return { 'feed-embeddings': feed };
  return {
    'feed-embeddings': feed,
    embed: {
      isPaid: true,
      async run(job, { signal }) {
        const owner = { tenant: job.tenant, owner: job.ownerKey };
        await embedRecords(deps, owner, { rate: options.embeddingRate, signal }).catch(retryLater);
        // These may have been the last vectors that a change of the embedder was waiting for.
        await changeEmbedder(deps.database, deps.embedding, signal);
      },
    },
    'change-embedder': {
      isPaid: false,
      async run(_job, { signal }) {
        await changeEmbedder(deps.database, deps.embedding, signal);
        await feedEmbeddings(deps);
      },
    },
  };
}

// If the job were given up, `feedEmbeddings` would queue it again at once, because its records still have no vectors.
function retryLater(error: unknown): never {
  if (!VarveError.isInstance(error) || error.retryable) throw error;
  throw new VarveError(error.message, { code: error.code, retryable: true, details: error.details, cause: error });
}

// `uniqueKey` prevents a second job for an owner that already has one.
async function feedEmbeddings(deps: EmbedDeps): Promise<void> {
  if (deps.embedding.current === null) return;
  const owners = await ownersToEmbed(deps.database, OWNERS_AT_ONCE);
  if (owners.length === 0) return;
  const jobs = owners.map(({ tenant, owner }) => ({
    ...tenantJob('embed', tenant),
    ownerKey: owner,
    uniqueKey: owner,
    // An embedder may fail for a long time. Its records stay queued until they have vectors.
    maxAttempts: 1000,
  }));
  await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
}

// Without credit or budget, the job is postponed, which does not count as a failure.
async function paidWork(deps: EmbedDeps, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (VarveError.isInstance(error, 'out_of_credit')) throw postpone(deps.clock.now() + HOUR, error.message);
    if (VarveError.isInstance(error, 'budget_spent')) {
      throw postpone((error.details['until'] as number | undefined) ?? deps.clock.now() + HOUR, error.message);
    }
    throw error;
  }
}
