import { VarveError } from '../errors.ts';
import { createInlineQueue } from '../jobs/inline-queue.ts';
import type { Job } from '../store/queue/job.ts';
import type { JobContext, JobKinds } from '../jobs/job-kinds.ts';
import { redactJson, redactSensitive } from '../language/privacy-policy.ts';
import type { Memory } from '../record/memory.ts';
import type { Event } from '../record/event.ts';
import { ownerKey, type Scope, scopeAt } from '../record/scope.ts';
import { restateInBlocks } from '../store/block-store.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { RunCause } from '../store/history-store.ts';
import { changeOwner } from '../store/owner-store.ts';
import { scopeOfJob } from '../store/queue/enqueue.ts';
import { findMemory, listStatements, memoriesFrom } from '../store/read-memories.ts';
import { findSession, listSessionEvents } from '../store/session-store.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';
import { isPermanent } from './apply/apply.ts';
import { spokenEvents, writeTopics } from './apply/reflections.ts';
import { ownerOf } from './compare.ts';
import { conflicts, ofSameMatter } from './decide/decide.ts';
import { wins } from './decide/precedence.ts';
import { formExchange, type FormOptions, formSession } from './form.ts';
import { type FormResult, nothingFormed } from './formation-result.ts';
import type { FormDeps } from './formation-settings.ts';
import { readStatement, type ReadTopic, usesModel } from './read/reader.ts';
import { formColdSessions, readsByModel, triggerFormation } from './triggers.ts';

/** The formation of memories in a process: at once, by jobs, or on request. */
export interface Formation {
  /** Forms the session of a scope now, after any formation of it that is already running in this process. */
  form(scope: Scope): Promise<FormResult>;
  /** Queues what follows from events, in the transaction that appends them. */
  afterAppend(writer: Writer, scope: Scope, events: readonly Event[]): Promise<void>;
  /** Accepts events that were just committed, for the local reader. Returns at once. */
  noticed(scope: Scope, events: readonly Event[]): void;
  /** A text as the log may store it. */
  cleaned(text: string): string;
  /** Data of an event, such as the arguments of a tool, as the log may store it. */
  cleanedData<Data>(data: Data): Data;
  readonly jobs: JobKinds;
  /** Begins to read exchanges as they arrive. */
  start(): void;
  /** Reads the events that wait. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

// Many events are read in batches, so that they never block the process.
const EVENTS_AT_ONCE = 20;

/** Makes the formation of a process. */
export function createFormation(deps: FormDeps): Formation {
  const { settings } = deps;
  const inline = createInlineQueue(async (scope, events) => {
    const ids = events.map(({ id }) => id);
    return formExchange(deps, scope, ids).catch((error: unknown) => {
      // Something was forgotten or erased during the reading, so the remaining events are read again.
      if (VarveError.isInstance(error, 'conflict')) return formExchange(deps, scope, ids);
      throw error;
    });
  });
  const running = new Map<string, Promise<unknown>>();

  /** Runs one formation of a session at a time in this process. The queue and the cursor do the same for other processes. */
  const oneAtATime = async (scope: Scope, form: () => Promise<FormResult>): Promise<FormResult> => {
    const key = JSON.stringify([ownerKey(scope), scope.session]);
    const before = running.get(key) ?? Promise.resolve();
    const formed = before.then(form);
    const settled = formed
      .catch(() => undefined)
      .finally(() => {
        if (running.get(key) === settled) running.delete(key);
      });
    running.set(key, settled);
    return formed;
  };
  const formNow = (scope: Scope, options: FormOptions): Promise<FormResult> =>
    oneAtATime(scope, () => formSession(deps, scope, options));

  return {
    form: (scope) => formNow(scopeAt(scope, 'session'), { cause: 'hand' }),
    afterAppend: (writer, scope, events) => triggerFormation(writer, deps, scope, events),
    noticed(scope, events) {
      if (settings.writes === 'deferred' || !settings.facts || readsByModel(deps)) return;
      const readable = events.filter((event) => event.kind !== 'document_chunk');
      for (let start = 0; start < readable.length; start += EVENTS_AT_ONCE) {
        inline.add(scope, readable.slice(start, start + EVENTS_AT_ONCE));
      }
    },
    cleaned: (text) => (settings.redactEvents ? redactSensitive(text, settings.privacy) : text),
    cleanedData: (data) => (settings.redactEvents ? (redactJson(data, settings.privacy) as typeof data) : data),
    jobs: formationJobs(deps, { formNow, oneAtATime }),
    start: inline.start,
    drain: inline.drain,
    stop: inline.stop,
  };
}

interface SessionRuns {
  formNow(scope: Scope, options: FormOptions): Promise<FormResult>;
  oneAtATime(scope: Scope, form: () => Promise<FormResult>): Promise<FormResult>;
}

function formationJobs(deps: FormDeps, { formNow, oneAtATime }: SessionRuns): JobKinds {
  return {
    form: {
      isPaid: true,
      async run(job, { signal, complete }) {
        const { cause = 'flush', whole = false } = payloadOf(job) as { cause?: RunCause; whole?: boolean };
        const minimumMessages = whole ? 0 : deps.settings.triggers.minimumMessages;
        await formNow(scopeOfJob(job), { cause, minimumMessages, signal, complete });
      },
    },
    summarise: {
      isPaid: true,
      // With a model this job forms the session: beside another formation, the model would be called twice for the same turns.
      async run(job, { signal, complete }) {
        await oneAtATime(scopeOfJob(job), () => summariseSession(deps, scopeOfJob(job), { signal, complete }));
      },
    },
    'read-exchange': {
      isPaid: true,
      async run(job, { signal, complete }) {
        const ids = payloadOf(job)['events'] as string[];
        await formExchange(deps, scopeOfJob(job), ids, { by: 'model', signal, complete });
      },
    },
    'take-effect': {
      isPaid: true,
      async run(job, { complete }) {
        await takeEffect(deps, job, complete);
      },
    },
    'form-cold-sessions': {
      isPaid: false,
      cron: '30 * * * * *',
      async run() {
        await formColdSessions(deps);
      },
    },
  };
}

function payloadOf(job: Job): Record<string, unknown> {
  return (job.payload ?? {}) as Record<string, unknown>;
}

/**
 * Sums up what a session was about once it is quiet, one memory for each topic. A model gives the topics with its reading, so
 * that the session is formed now; without a model the topics are dated quotations of what was read from the user's turns.
 */
async function summariseSession(
  deps: FormDeps,
  scope: Scope,
  { signal, complete }: Pick<JobContext, 'signal' | 'complete'>,
): Promise<FormResult> {
  if (usesModel(deps, 'read')) return formSession(deps, scope, { cause: 'schedule', signal, complete });
  // Topics belong to the owner, but talk without a user stays in its session.
  if (scope.user === null) {
    await deps.database.write(scope.tenant, complete);
    return nothingFormed();
  }
  await formSession(deps, scope, { cause: 'schedule', signal });
  const run = deps.ids.next('run');
  return deps.database.write(scope.tenant, async (writer) => {
    const why = { reason: 'summed up the session', actor: 'form', run };
    await changeOwner(writer, scope, deps.clock.now());
    const session = await findSession(writer, scope, deps.clock.now());
    const from = Math.max(0, (session?.eventCount ?? 0) - MOST_SUMMARISED);
    const events =
      session === null ? [] : spokenEvents(await listSessionEvents(writer, scope, from, session.eventCount));
    const topics = await quotedTopics(writer, deps, scope, events);
    const written = await writeTopics(writer, deps, topics, { scope, events, reader: 'local', why });
    await complete(writer);
    return { ...nothingFormed(), run, events: events.length, topics: written.ids, refused: written.refused };
  });
}

/** Of a longer session only the last turns are summarised: the earlier ones were summarised before. */
const MOST_SUMMARISED = 2000;

/** The topics of a session as quotations of the user: all live statements that the local reader has formed from its turns. */
async function quotedTopics(
  reader: Reader,
  deps: FormDeps,
  scope: Scope,
  events: readonly Event[],
): Promise<ReadTopic[]> {
  const said = events.filter(({ origin }) => origin === 'user').map(({ id }) => id);
  const turns = new Map(events.map((event, index) => [event.id, { number: index + 1, text: event.content }]));
  const read = await memoriesFrom(reader, scope.tenant, said);
  const statements = read.flatMap((memory) => {
    const quotes = memory.quotes.flatMap(({ event, start, end }) => {
      const turn = turns.get(event);
      return turn === undefined ? [] : [{ turn: turn.number, words: turn.text.slice(start, end) }];
    });
    const isLive = memory.archivedAt === null && deps.memoryTypes.get(memory.type)?.comparable === true;
    return isLive && quotes.length > 0 ? [readStatement({ text: memory.content, type: memory.type, quotes })] : [];
  });
  const inOrder = statements.toSorted((one, other) => (one.quotes[0]?.turn ?? 0) - (other.quotes[0]?.turn ?? 0));
  const { topicsOf } = await import('./read/local/observed.ts');
  return topicsOf(inOrder, events, deps.settings.timeZone);
}

const WHY = { reason: 'the day of the plan has come', actor: 'form' };

/**
 * Puts a plan into effect on its day: from now on it holds, and it replaces the statements that it excludes and the one that its reader
 * named. A plan that was ended, replaced or outranked meanwhile stays as it is.
 */
async function takeEffect(deps: FormDeps, job: Job, complete: JobContext['complete']): Promise<void> {
  const scope = scopeOfJob(job);
  const id = payloadOf(job)['memory'] as string;
  await deps.database.write(scope.tenant, async (writer) => {
    const now = deps.clock.now();
    await changeOwner(writer, scope, now);
    const plan = await findMemory(writer, scope, id);
    const hasCome = plan !== null && plan.archivedAt === null && (plan.validFrom?.getTime() ?? Infinity) <= now;
    const isOpen = hasCome && (plan.tense === 'planned' || plan.internal['replaces'] !== undefined);
    const replaced = isOpen ? await placeTakenBy(writer, deps, plan) : null;
    if (isOpen && replaced !== null) {
      const change = { tense: 'holds', permanent: isPermanent({ ...plan, tense: 'holds' }, deps) } as const;
      const current = plan.tense === 'planned' ? await reviseMemory(writer, deps, plan, { change, why: WHY }) : plan;
      const until = plan.validFrom ?? new Date(now);
      for (const memory of replaced) {
        await archiveMemory(writer, deps, memory, { reason: 'superseded', by: id, until, why: WHY });
        await restateInBlocks(writer, deps, { before: memory, after: current, change: WHY });
      }
    }
    await complete(writer);
  });
}

/**
 * The memories that a plan replaces on its day: those that it excludes by its fields, and the one that its reader named. Null if one of the
 * excluded memories outranks the plan.
 */
async function placeTakenBy(writer: Writer, deps: FormDeps, plan: Memory): Promise<Memory[] | null> {
  const { id, attribute, scope, internal } = plan;
  const context = { attributes: deps.attributes, now: deps.clock.now() };
  const same =
    attribute === null ? [] : await listStatements(writer, ownerOf(scope), { attributes: [attribute], owner: 'own' });
  const excluded = ofSameMatter(plan, same).filter((memory) => memory.id !== id && conflicts(plan, memory, context));
  if (excluded.some((memory) => !wins(plan, memory))) return null;
  const named = internal['replaces'];
  const other = typeof named === 'string' ? await findMemory(writer, scope, named) : null;
  const isNew = other !== null && other.archivedAt === null && !excluded.some((memory) => memory.id === named);
  return isNew && wins(plan, other) ? [...excluded, other] : excluded;
}
