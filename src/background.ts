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
  /** The maximum number of records that are embedded in a second. Default: as fast as the embedder. */
  embeddingRate?: number;
}

/** Background work, in this process or in others on the same store. */
export interface Background {
  /** Starts the workers, which run until `stop`. */
  start(): Promise<void>;
  /** Runs all jobs that are due now and returns the number of jobs by outcome. For tests, scripts and a simulated clock. */
  drain(): Promise<RunCounts>;
  /** Lets the running jobs finish and starts no others. */
  stop(): Promise<void>;
}

// Milliseconds to wait after a write, so that a burst of writes causes only one poll of the queue.
const GATHER = 25;
const OWNERS_AT_ONCE = 500;

/** Makes the background work of a store. It does nothing before `start` or `drain`. */
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
    // Creates the schedules once per process. They are the same at every drain, and a simulated year has thousands of drains.
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
      // Listens for the next write from here on, so that a write during `feedEmbeddings` causes another poll.
      next = once(writes, 'write');
      if (!isStarted) return;
      await feedEmbeddings(deps).catch((error: unknown) => {
        // No retry here: the job `feed-embeddings` retries within ten seconds. If the store is closing, nothing needs to be retried.
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

/** Returns the handlers for all kinds of jobs that a process runs. */
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
    // The cast is safe, because `ownerJob`, `tenantJob` and the schedules give each job the payload that its handler expects.
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
        await embedRecords(deps, owner, { rate: options.embeddingRate, signal });
        // Finishes a change of the embedder if these were the last vectors that the new model needed.
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

/** Queues one job for each owner whose records lack vectors. Jobs that are already queued are not added again. */
async function feedEmbeddings(deps: EmbedDeps): Promise<void> {
  if (deps.embedding.current === null) return;
  const owners = await ownersToEmbed(deps.database, OWNERS_AT_ONCE);
  if (owners.length === 0) return;
  const jobs = owners.map(({ tenant, owner }) => ({
    ...tenantJob('embed', tenant),
    ownerKey: owner,
    uniqueKey: owner,
    // If an embedding fails, its records stay queued and must be tried again, however often it fails.
    maxAttempts: 1000,
  }));
  await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
}

/** Runs work that costs money. If credit or budget is used up, the job is postponed, which does not count as a failure. */
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
