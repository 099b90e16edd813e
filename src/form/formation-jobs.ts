import type { JobContext } from '../jobs/job-kinds.ts';
import { HOUR, MINUTE } from '../record/clock.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import type { Session } from '../record/session.ts';
import { restateInBlocks } from '../store/block-store.ts';
import { EVERY_TENANT, type Writer } from '../store/database.ts';
import { changeOwner, ownTimeZone } from '../store/owner-store.ts';
import { chunks } from '../store/rows.ts';
import { enqueueJobs, ownerJob, scopeOfJob, sessionJob } from '../store/queue/enqueue.ts';
import type { Job, NewJob } from '../store/queue/job.ts';
import { waitingJobs } from '../store/queue/list-jobs.ts';
import { findMemory, listStatements, memoriesFrom } from '../store/read-memories.ts';
import { findColdSessions, findSession, listSessionEvents } from '../store/session-store.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';
import { isPermanent } from './apply/apply.ts';
import { spokenEvents, writeReflections } from './apply/reflections.ts';
import { wins } from './decide/claim-rank.ts';
import { conflicts, decideContext, ofSameMatter } from './decide/decide.ts';
import { nothingFormed, readStatement, usesModel } from './read/reader.ts';
import type { FormDeps, TriggerDeps, TriggerSettings } from './formation-settings.ts';

/** Queues the jobs that new events require, in the transaction that appends the events. */
export async function triggerFormation(
  writer: Writer,
  deps: TriggerDeps,
  scope: Scope,
  events: readonly Event[],
): Promise<void> {
  const { settings } = deps;
  const jobs = events.flatMap((event) => boostJob(event));
  const messages = events.filter((event) => event.kind === 'message');
  // Deferred messages are read when their session is formed. Messages without a session are read by a job.
  const isAlone = settings.facts && settings.writes === 'deferred' && scope.session === null;
  if (readsByModel(deps) || isAlone) jobs.push(...exchangeJobs(scope, messages));
  jobs.push(...inlineExchanges(deps, events).map((ids) => inlineJob(scope, ids)));
  if (scope.session !== null && events.length > 0) {
    const place = { ...scope, connection: null };
    const session = await findSession(writer, place, deps.clock.now());
    if (session !== null && isFormationDue(session, settings.triggers)) jobs.push(formationJob(place));
    // Each new message delays the summary again.
    if (messages.length > 0 && settings.summaries)
      jobs.push({ ...sessionJob('summarise', place), delay: settings.summary.quietAfter, whenWaiting: 'move' });
  }
  if (jobs.length > 0) await enqueueJobs(writer, jobs, deps);
}

function readsByModel(deps: TriggerDeps): boolean {
  const { facts, writes, inlineReader } = deps.settings;
  return facts && writes === 'immediate' && inlineReader === 'model' && usesModel(deps, 'read');
}

// Small batches, so that many events do not block the process.
const AT_ONCE = 20;

export function inlineExchanges(deps: TriggerDeps, events: readonly Event[]): string[][] {
  if (deps.settings.writes === 'deferred' || !deps.settings.facts || readsByModel(deps)) return [];
  const ids = events.filter(({ kind }) => kind !== 'document_chunk').map(idOf);
  return [...chunks(ids, AT_ONCE)];
}

/** For this long, only the process that logged an exchange may read it. */
const INLINE_PATIENCE = MINUTE;

/** A fallback: the reading removes the job, so it runs only if this process ends or is too slow. */
export function inlineJob(scope: Scope, events: readonly string[]): NewJob & { uniqueKey: string } {
  return { ...readingJob(scope, 'read-inline', events), uniqueKey: events[0] ?? '', delay: INLINE_PATIENCE };
}

/** Exchanges that earlier processes logged but did not read, oldest first. */
export async function unreadExchanges(deps: TriggerDeps): Promise<{ scope: Scope; events: string[] }[]> {
  const jobs = await deps.database.read(EVERY_TENANT, (store) => waitingJobs(store, 'read-inline', MOST_SESSIONS));
  return jobs.map((job) => ({ scope: scopeOfJob(job), events: eventsOf(job) }));
}

function isFormationDue(session: Session, { messages, weightedTokens, minimumMessages }: TriggerSettings): boolean {
  const since = session.messagesSinceFormation;
  if (since < minimumMessages) return false;
  return since >= messages || session.weightedTokensSinceFormation >= weightedTokens;
}

/** `whole`: the session is formed even if it has few messages. */
export function formationJob(scope: Scope, { whole = false }: { whole?: boolean } = {}): NewJob {
  return sessionJob('form', scope, { cause: 'schedule', whole });
}

/** In a session, only the last messages are read, because the formation of the session reads the rest. */
function exchangeJobs(scope: Scope, messages: readonly Event[]): NewJob[] {
  const read = scope.session === null ? messages : messages.slice(-4);
  return [...chunks(read, AT_ONCE)]
    .filter((some) => some.some(({ origin }) => origin === 'user'))
    .map((some) => readingJob(scope, 'read-exchange', some.map(idOf)));
}

function readingJob(scope: Scope, kind: 'read-exchange' | 'read-inline', events: readonly string[]): NewJob {
  return { ...ownerJob(kind, scope, { events: [...events] }), priority: 3 };
}

const idOf = ({ id }: Event): string => id;

function boostJob({ id, kind, metadata, scope }: Event): NewJob[] {
  if (kind !== 'outcome' || metadata['effect'] !== 'positive') return [];
  return [{ ...ownerJob('boost-outcomes', { ...scope, session: null }, { outcome: id }), uniqueKey: id }];
}

interface ImportedMessages {
  scope: Scope;
  events: readonly string[];
}

/** An imported conversation is over, so its session is formed even if it has few messages. */
export async function formImported(deps: TriggerDeps, imported: readonly ImportedMessages[]): Promise<void> {
  const jobs = imported.flatMap(({ scope, events }) =>
    scope.session === null
      ? [...chunks(events, AT_ONCE)].map((some) => readingJob(scope, 'read-exchange', some))
      : [formationJob(scope, { whole: true })],
  );
  const [first] = imported;
  if (first === undefined || jobs.length === 0) return;
  await deps.database.write(first.scope.tenant, (writer) => enqueueJobs(writer, jobs, deps));
}

const MOST_SESSIONS = 500;
/** After an outage or an expired key, a formation that was given up is tried again after this time. */
const TRY_AGAIN_AFTER = HOUR;

/** Queues a formation for every session that has been quiet for `quietFor` milliseconds and has unread events, even if these are few. */
export async function formColdSessions(
  deps: TriggerDeps,
  quietFor: number = deps.settings.triggers.coldAfter,
): Promise<number> {
  const now = deps.clock.now();
  const scopes = await deps.database.read(EVERY_TENANT, (store) =>
    findColdSessions(store, {
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

export function payloadOf(job: Job): Record<string, unknown> {
  return (job.payload ?? {}) as Record<string, unknown>;
}

export function eventsOf(job: Job): string[] {
  return payloadOf(job)['events'] as string[];
}

/** Only the last events of a session are summarised. Earlier summaries cover the others. */
const MOST_SUMMARISED = 2000;

/** Writes a session's topics without a model, as quotations of the user's turns. */
export async function writeQuotedTopics(writer: Writer, deps: FormDeps, scope: Scope): Promise<void> {
  const why = { reason: 'summed up the session', actor: 'form', run: deps.ids.next('run') };
  await changeOwner(writer, scope, deps.clock.now());
  const { eventCount = 0 } = (await findSession(writer, scope, deps.clock.now())) ?? {};
  const first = Math.max(0, eventCount - MOST_SUMMARISED);
  const events = spokenEvents(await listSessionEvents(writer, scope, first, eventCount));
  const said = events.filter(({ origin }) => origin === 'user').map(idOf);
  const statements = (await memoriesFrom(writer, scope.tenant, said)).flatMap(
    ({ archivedAt, type, content, quotes }) => {
      const quoted = quotes.flatMap(({ event, start, end }) => {
        const place = events.findIndex(({ id }) => id === event);
        return place === -1 ? [] : [{ turn: place + 1, words: events[place]?.content.slice(start, end) ?? '' }];
      });
      const isLive = archivedAt === null && deps.memoryTypes.get(type)?.comparable === true;
      return isLive && quoted.length > 0 ? [readStatement({ text: content, type, quotes: quoted })] : [];
    },
  );
  const inOrder = statements.toSorted((one, other) => (one.quotes[0]?.turn ?? 0) - (other.quotes[0]?.turn ?? 0));
  const { topicsOf } = await import('./read/local/observed.ts');
  const topics = topicsOf(inOrder, events, await ownTimeZone(writer, scope, deps.settings.timeZone));
  const writing = { writer, deps, scope, events, readBy: 'local', result: nothingFormed(), why };
  await writeReflections(writing, { reflections: [], topics, known: [] });
}

const WHY = { reason: 'the day of the plan has come', actor: 'form' };

/** A plan that was ended, replaced or outranked meanwhile stays as it is. */
export async function takeEffect(deps: FormDeps, job: Job, complete: JobContext['complete']): Promise<void> {
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

/** The memories that a plan replaces on its day. Null if one of them outranks the plan. */
async function placeTakenBy(writer: Writer, deps: FormDeps, plan: Memory): Promise<Memory[] | null> {
  const { id, attribute, scope, internal } = plan;
  const context = decideContext(deps);
  const same =
    attribute === null ? [] : await listStatements(writer, ownerOf(scope), { attributes: [attribute], owner: 'own' });
  const excluded = ofSameMatter(plan, same).filter((memory) => memory.id !== id && conflicts(plan, memory, context));
  if (excluded.some((memory) => !wins(plan, memory))) return null;
  const named = internal['replaces'];
  const other = typeof named === 'string' ? await findMemory(writer, scope, named) : null;
  const isNew = other !== null && other.archivedAt === null && !excluded.some((memory) => memory.id === named);
  return isNew && wins(plan, other) ? [...excluded, other] : excluded;
}
