import { enqueueJobs, ownerJob, sessionJob } from '../store/queue/enqueue.ts';
import type { NewJob } from '../store/queue/job.ts';
import { HOUR } from '../record/clock.ts';
import type { Event } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import type { Session } from '../record/session.ts';
import { EVERY_TENANT, type Writer } from '../store/database.ts';
import { chunks } from '../store/owner-store.ts';
import { findColdSessions, findSession } from '../store/session-store.ts';
import type { TriggerDeps, TriggerSettings } from './formation-settings.ts';
import { usesModel } from './read/reader.ts';

/**
 * Queues the jobs that follow from new events, in the transaction that appends them: a formation when there are enough events, the reading
 * of the exchange by a model if the settings ask for it, the summary of the session once it is quiet, and the boost after a good outcome.
 */
export async function triggerFormation(
  writer: Writer,
  deps: TriggerDeps,
  scope: Scope,
  events: readonly Event[],
): Promise<void> {
  const { settings } = deps;
  const jobs = events.flatMap((event) => boostJob(event));
  const messages = events.filter((event) => event.kind === 'message');
  // Deferred messages are read when their session is formed. Without a session they are read by a job.
  const isAlone = settings.facts && settings.writes === 'deferred' && scope.session === null;
  if (readsByModel(deps) || isAlone) jobs.push(...exchangeJobs(scope, messages));
  if (scope.session !== null && events.length > 0) {
    const place = { ...scope, connection: null };
    const session = await findSession(writer, place, deps.clock.now());
    if (session !== null && isFormationDue(session, settings.triggers)) jobs.push(formationJob(place));
    if (messages.length > 0 && settings.summaries) jobs.push(summaryJob(place, settings.summary.quietAfter));
  }
  if (jobs.length > 0) await enqueueJobs(writer, jobs, deps);
}

/** Whether a model reads every exchange at once, in addition to the formation of the session. */
export function readsByModel(deps: TriggerDeps): boolean {
  const { facts, writes, inlineReader } = deps.settings;
  return facts && writes === 'immediate' && inlineReader === 'model' && usesModel(deps, 'read');
}

/** Whether there are enough events since the last formation. */
function isFormationDue(
  session: Pick<Session, 'messagesSinceFormation' | 'weightedTokensSinceFormation'>,
  { messages, weightedTokens, minimumMessages }: TriggerSettings,
): boolean {
  const since = session.messagesSinceFormation;
  if (since < minimumMessages) return false;
  return since >= messages || session.weightedTokensSinceFormation >= weightedTokens;
}

/** The job that forms a session. `whole`: forms the session however few messages it has. */
export function formationJob(scope: Scope, { whole = false }: { whole?: boolean } = {}): NewJob {
  return sessionJob('form', scope, { cause: 'schedule', whole });
}

/** Each new message delays the job again. */
function summaryJob(scope: Scope, delay: number): NewJob {
  return { ...sessionJob('summarise', scope), delay, whenWaiting: 'move' };
}

const MESSAGES_AT_ONCE = 20;

/** The jobs that read an exchange: its last messages, because the formation of its session reads the rest; without a session, all of it. */
function exchangeJobs(scope: Scope, messages: readonly Event[]): NewJob[] {
  const read = scope.session === null ? messages : messages.slice(-4);
  return [...chunks(read, MESSAGES_AT_ONCE)]
    .filter((some) => some.some(({ origin }) => origin === 'user'))
    .flatMap((some) =>
      readingJobs(
        scope,
        some.map(({ id }) => id),
      ),
    );
}

function readingJobs(scope: Scope, events: readonly string[]): NewJob[] {
  return [...chunks(events, MESSAGES_AT_ONCE)].map((some) => ({
    ...ownerJob('read-exchange', scope, { events: some }),
    priority: 3,
  }));
}

function boostJob({ id, kind, metadata, scope }: Event): NewJob[] {
  if (kind !== 'outcome' || metadata['effect'] !== 'positive') return [];
  return [{ ...ownerJob('boost-outcomes', { ...scope, session: null }, { outcome: id }), uniqueKey: id }];
}

/** Messages that were imported and not read yet, by the scope that they belong to. */
export interface ImportedMessages {
  scope: Scope;
  /** The ids of the messages. */
  events: readonly string[];
}

/**
 * Queues the reading of imported messages. An imported conversation is over, so its session is formed however few messages it has. Messages
 * without a session are read in the order in which they were imported.
 */
export async function formImported(deps: TriggerDeps, imported: readonly ImportedMessages[]): Promise<void> {
  const jobs = imported.flatMap(({ scope, events }) =>
    scope.session === null
      ? readingJobs(scope, events)
      : [formationJob({ ...scope, connection: null }, { whole: true })],
  );
  const [first] = imported;
  if (first === undefined || jobs.length === 0) return;
  await deps.database.write(first.scope.tenant, (writer) => enqueueJobs(writer, jobs, deps));
}

const MOST_SESSIONS = 500;
/** How long after a formation was given up, because of a dead provider or an expired key, it is tried again. */
const TRY_AGAIN_AFTER = HOUR;

/** Queues a formation for every session that has been quiet for `quietFor` and has unread events, however few. */
export async function formColdSessions(
  deps: TriggerDeps,
  quietFor: number = deps.settings.triggers.coldAfter,
): Promise<number> {
  const now = deps.clock.now();
  const scopes = await deps.database.read(EVERY_TENANT, (reader) =>
    findColdSessions(reader, {
      quietSince: now - quietFor,
      givenUpSince: now - TRY_AGAIN_AFTER,
      limit: MOST_SESSIONS,
    }),
  );
  if (scopes.length === 0) return 0;
  const jobs = scopes.map((scope) => formationJob(scope, { whole: true }));
  await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
  return scopes.length;
}
