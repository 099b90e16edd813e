import { VarveError } from '../errors.ts';
import { createInlineQueue } from '../jobs/inline-queue.ts';
import type { JobHandler, JobKinds } from '../jobs/job-kinds.ts';
import { costOf } from '../ledger/ledger.ts';
import { redactJson, redactSensitive } from '../language/privacy-policy.ts';
import { estimateTokens, plainText } from '../language/words.ts';
import { MINUTE } from '../record/clock.ts';
import { type Event, ORIGIN_WEIGHTS } from '../record/event.ts';
import { ownerKey, ownerOf, type Scope, scopeAt } from '../record/scope.ts';
import type { Reader, Writer } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';
import { saysForgotten } from '../store/forget/forget.ts';
import { insertRefusals, insertRun, type RunCause } from '../store/history-store.ts';
import { assertNotErased, changeOwner, ownTimeZone, seeOwner } from '../store/owner-store.ts';
import { enqueue, ownerJob, scopeOfJob } from '../store/queue/enqueue.ts';
import { removeWaiting } from '../store/queue/settle-jobs.ts';
import { listSubjects } from '../store/read-memories.ts';
import { advanceFormation, findSession, listSessionEvents, markProcessed } from '../store/session-store.ts';
import { applyStatements } from './apply/apply.ts';
import { writeReflections } from './apply/reflections.ts';
import { applyRequests } from './apply/requests.ts';
import { checkStatements } from './check/check.ts';
import type { CheckContext } from './check/evidence.ts';
import {
  type FormResult,
  nothingFormed,
  type ReadStatement,
  type Refusal,
  userNamesOf,
  usesModel,
} from './read/reader.ts';
import type { ApplyDeps, FormDeps, FormOptions, FormWork, LimitSettings, Writing } from './formation-settings.ts';
import { type Formable, isEmpty, readTurns, withoutIndex } from './read-turns.ts';
import { createModelReader, type ReadPromptInput } from './read/model-reader.ts';
import {
  eventsOf,
  formationJob,
  formColdSessions,
  inlineExchanges,
  inlineJob,
  payloadOf,
  takeEffect,
  triggerFormation,
  unreadExchanges,
  writeQuotedTopics,
} from './formation-jobs.ts';

export interface Formation {
  /** Waits first if this process is already forming the session. */
  form(scope: Scope): Promise<FormResult>;
  /** Queues the jobs that new events require, in the transaction that appends the events. */
  afterAppend(writer: Writer, scope: Scope, events: readonly Event[]): Promise<void>;
  /** Passes newly committed events to the local reader. Does not wait for the reading. */
  noticed(scope: Scope, events: readonly Event[]): void;
  /** The form in which the log stores a text: redacted if the settings say so. */
  cleaned(text: string): string;
  /** The same for the data of an event, such as the arguments of a tool. */
  cleanedData<Data>(data: Data): Data;
  readonly jobs: JobKinds;
  /** Queues the exchanges that earlier processes logged but did not read. Called once per process, before `start` or `drain`. */
  resume(): Promise<void>;
  start(): void;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export function createFormation(deps: FormDeps): Formation {
  const { settings } = deps;
  const inline = createInlineQueue(async ({ scope, events }) => {
    const complete = (writer: Writer): Promise<void> => removeWaiting(writer, inlineJob(scope, events));
    return againAfterConflict(() => formExchange(deps, scope, events, { by: 'local', complete }));
  });
  const running = new Map<string, Promise<unknown>>();

  // Formations of one session run one after the other within this process. Across processes, the job queue and the session's cursor ensure
  // that.
  const form: FormAlone = async (scope, options) => {
    const key = JSON.stringify([ownerKey(scope), scope.session]);
    const before = running.get(key) ?? Promise.resolve();
    const formed = before.then(() => formSession(deps, scope, options));
    const settled = formed
      .catch(() => undefined)
      .finally(() => {
        if (running.get(key) === settled) running.delete(key);
      });
    running.set(key, settled);
    return formed;
  };

  return {
    form: (scope) => againAfterConflict(() => form(scopeAt(scope, 'session'), { cause: 'hand' })),
    afterAppend: (writer, scope, events) => triggerFormation(writer, deps, scope, events),
    noticed(scope, events) {
      for (const ids of inlineExchanges(deps, events)) inline.add({ scope, events: ids });
    },
    cleaned: (text) => (settings.redactEvents ? redactSensitive(text, settings.privacy) : text),
    cleanedData: (data) => (settings.redactEvents ? (redactJson(data, settings.privacy) as typeof data) : data),
    jobs: formationJobs(deps, form),
    async resume() {
      for (const exchange of await unreadExchanges(deps)) inline.add(exchange);
    },
    start: inline.start,
    drain: inline.drain,
    stop: inline.stop,
  };
}

/** A memory that is forgotten or erased during the reading causes a conflict. The remaining events are then read again. */
async function againAfterConflict(read: () => Promise<FormResult>): Promise<FormResult> {
  return read().catch((error: unknown) => {
    if (VarveError.isInstance(error, 'conflict')) return read();
    throw error;
  });
}

type FormAlone = (scope: Scope, options: FormOptions) => Promise<FormResult>;

function formationJobs(deps: FormDeps, form: FormAlone): JobKinds {
  const reading =
    (by: 'local' | 'model'): JobHandler =>
    async (job, { signal, complete }) => {
      await formExchange(deps, scopeOfJob(job), eventsOf(job), { by, signal, complete });
    };
  return {
    form: {
      isPaid: true,
      async run(job, { signal, complete }) {
        const { cause = 'flush', whole = false } = payloadOf(job) as { cause?: RunCause; whole?: boolean };
        const minimumMessages = whole ? 0 : deps.settings.triggers.minimumMessages;
        await form(scopeOfJob(job), { cause, minimumMessages, signal, complete });
      },
    },
    // Summarises a session once it is quiet. A model returns the topics with its reading; without a model, a topic consists of dated
    // quotations.
    summarise: {
      isPaid: true,
      async run(job, { signal, complete }) {
        const scope = scopeOfJob(job);
        const options = { cause: 'schedule', signal } as const;
        if (usesModel(deps, 'read')) {
          await form(scope, { ...options, complete });
          return;
        }
        // Topics belong to the owner. Without a user, all users would share them.
        const isOfUser = scope.user !== null;
        if (isOfUser) await form(scope, options);
        await deps.database.write(scope.tenant, async (writer) => {
          if (isOfUser) await writeQuotedTopics(writer, deps, scope);
          await complete(writer);
        });
      },
    },
    'read-exchange': { isPaid: true, run: reading('model') },
    'read-inline': { isPaid: false, run: reading('local') },
    'take-effect': { isPaid: true, run: (job, { complete }) => takeEffect(deps, job, complete) },
    'form-cold-sessions': {
      isPaid: false,
      cron: '30 * * * * *',
      async run() {
        await formColdSessions(deps);
      },
    },
  };
}

/**
 * Forms memories from the events of a session since its last formation:
 *
 *     take → read → resolve → check → compare → decide → apply
 *
 * Models are called before the transaction, and one transaction writes everything, including the cursor, the completed job and the cost. If
 * any step fails, nothing changes, and the next attempt reads the same events. Of two concurrent formations, the second finds that the
 * cursor has moved and writes only its cost.
 */
async function formSession(deps: FormDeps, scope: Scope, options: FormOptions): Promise<FormResult> {
  const { turnCharacters } = deps.settings.limits;
  return formTaken(deps, scope, {
    ...options,
    by: 'model',
    shown: { turnCharacters, userCharacters: turnCharacters * 10 },
    reason: 'learned from the conversation',
    take: (store, place) => takeUnformed(store, deps, place, options.minimumMessages ?? 0),
  });
}

// Every exchange costs a model call, so each call must be small. The rest of a long turn is read when the session is formed.
const EXCHANGE_CHARACTERS = 1000;

/**
 * Reads an exchange right after it was logged. The events stay unread, so the formation of the session reads them again: a model replaces
 * these drafts, and the local reader recognises what it has already read.
 */
async function formExchange(
  deps: FormDeps,
  scope: Scope,
  ids: readonly string[],
  options: Pick<Taking, 'by' | 'complete' | 'signal'>,
): Promise<FormResult> {
  return formTaken(deps, scope, {
    ...options,
    shown: { turnCharacters: EXCHANGE_CHARACTERS, userCharacters: EXCHANGE_CHARACTERS },
    reason: 'read from the exchange',
    async take(store, place) {
      // Loaded again, because words may have been forgotten while the exchange waited.
      const found = await findEvents(store, place, ids);
      // Skips events that a model has already read: no later reading would replace drafts of them.
      const isProvisional = options.by === 'local' && usesModel(deps, 'read');
      const formed = isProvisional ? ((await findSession(store, place, deps.clock.now()))?.formedPosition ?? 0) : 0;
      const events = found.filter(({ position }) => (position ?? Infinity) >= formed);
      return { events, earlier: await eventsBefore(store, place, events[0]), stretch: null };
    },
  });
}

interface Taking extends FormOptions {
  by: 'local' | 'model';
  shown: Pick<ReadPromptInput, 'turnCharacters' | 'userCharacters'>;
  reason: string;
  /** Null if there is nothing to read. */
  take(store: Reader, place: Scope): Promise<Taken | null>;
}

type Taken = Pick<FormWork, 'events' | 'earlier' | 'stretch'>;

async function formTaken(deps: FormDeps, scope: Scope, taking: Taking): Promise<FormResult> {
  const place = { ...scope, connection: null };
  const run = deps.ids.next('run');
  return deps.ledger.metered({ scope: place, operation: 'extraction', run }, async (meter) => {
    const startedAt = new Date(deps.clock.now());
    const { seen, taken, own } = await deps.database.read(place.tenant, async (store) => ({
      seen: await seeOwner(store, place),
      taken: await taking.take(store, place),
      own: await inOwnZone(store, deps, place),
    }));
    if (taken !== null) {
      const reader =
        taking.by === 'local' || deps.languageModel === null || !usesModel(deps, 'read')
          ? await deps.localReader()
          : createModelReader(meter.languageModel(deps.languageModel), taking.shown);
      const why = { reason: taking.reason, actor: 'form', run };
      const { signal } = taking;
      const work = { ...taken, deps: own, scope: place, run, meter, reader, signal, startedAt, seen, why };
      const formable = await readTurns(work);
      if (taken.stretch !== null || !isEmpty(formable)) return commitFormation(work, formable, taking);
    }
    if (taking.complete !== undefined) await deps.database.write(place.tenant, taking.complete);
    return nothingFormed();
  });
}

export async function inOwnZone<Deps extends ApplyDeps>(store: Reader, deps: Deps, scope: Scope): Promise<Deps> {
  const timeZone = await ownTimeZone(store, scope, deps.settings.timeZone);
  return { ...deps, settings: { ...deps.settings, timeZone } };
}

/** Events shown to a reader before the ones that it reads. */
const EARLIER = 12;

/** The rest waits for the next formation. */
async function takeUnformed(store: Reader, deps: FormDeps, scope: Scope, least: number): Promise<Taken | null> {
  const { limits } = deps.settings;
  const session = await findSession(store, scope, deps.clock.now());
  if (session === null || session.eventCount <= session.formedPosition) return null;
  // A closed session is formed even if it is short.
  if (session.status !== 'closed' && session.messagesSinceFormation < least) return null;
  const from = session.formedPosition;
  const last = Math.min(session.eventCount, from + limits.events);
  const found = await listSessionEvents(store, scope, Math.max(0, from - EARLIER), last);
  const isNew = ({ position }: Event): boolean => (position ?? 0) >= from;
  const events = withinTokens(found.filter(isNew), limits);
  const to = from + events.length;
  const earlier = found.filter((event) => !isNew(event));
  return { events, earlier, stretch: { from, to, hasMore: to < session.eventCount } };
}

/** The first event is always taken, even if it exceeds the limit. */
function withinTokens(events: readonly Event[], { tokens }: LimitSettings): Event[] {
  let sum = 0;
  const end = events.findIndex((event, index) => {
    sum += estimateTokens(event.content);
    return sum > tokens && index > 0;
  });
  return end === -1 ? [...events] : events.slice(0, end);
}

async function eventsBefore(store: Reader, scope: Scope, first: Event | undefined): Promise<Event[]> {
  if (first === undefined || scope.session === null || first.position === null || first.position === 0) return [];
  return listSessionEvents(store, scope, Math.max(0, first.position - EARLIER), first.position);
}

/** A reading of which all statements were refused misunderstood the turns, so the local reader's drafts are kept. */
function isRefused({ statements, refused }: Formable): boolean {
  return statements.length === 0 && refused.some(({ what }) => what === 'statement');
}

/** Writes one transaction. If another formation has already read the events, it contains only the cost and the job's completion. */
async function commitFormation(work: FormWork, formable: Formable, options: FormOptions): Promise<FormResult> {
  const { deps, scope, run, meter, reader, events, stretch } = work;
  return deps.database.write(scope.tenant, async (writer) => {
    const now = deps.clock.now();
    // The owner is locked before the cursor moves. From here on, two formations cannot run at the same time.
    await changeOwner(writer, scope, now);
    await assertNotErased(writer, work.seen);
    if (stretch !== null && !(await advanceFormation(writer, scope, { ...stretch, ...countsOf(events) }))) {
      await options.complete?.(writer);
      await meter.settle(writer);
      return nothingFormed();
    }
    const { requests, reading, known } = formable;
    const result: FormResult = {
      ...nothingFormed(),
      run,
      events: events.length,
      refused: [...formable.refused],
      modelCalls: meter.entries.filter(({ operation }) => operation === 'extraction').length,
      hasMore: stretch?.hasMore ?? false,
    };
    const writing = { ...work, writer, readBy: reader.id, result };
    await applyStatements(writing, {
      ...formable,
      // If the model's answer was cut off, the turns after the cut may be recorded only in the local reader's drafts.
      replacesDrafts: reader.kind === 'model' && reading.isCut !== true && !isRefused(formable),
      keepsFacts: [reading.statements, reading.ends, reading.forgets].every(({ length }) => length === 0),
    });
    if (reading.reflections.length + reading.topics.length > 0) await writeReflections(writing, { ...reading, known });
    // Requests to forget come last, so that they also remove statements that this reading has just written.
    if (requests.ends.length + requests.forgets.length > 0) await applyRequests(writing, requests);
    // Observations are marked later, when the consolidation of tiers reads them.
    const processed = events.filter(({ kind }) => kind !== 'observation').map(({ id }) => id);
    if (stretch !== null) await markProcessed(writer, scope.tenant, processed, now);
    await options.complete?.(writer);
    await enqueueNext(writer, work, result);
    result.refused = await withoutForgotten(writing);
    await keepRefusals(writing);
    await logRun(writer, work, result, options.cause ?? 'hand');
    await meter.settle(writer);
    return result;
  });
}

function countsOf(events: readonly Event[]): { messages: number; weightedTokens: number } {
  const tokens = events.map(({ content, origin }) => estimateTokens(content) * ORIGIN_WEIGHTS[origin]);
  return {
    messages: events.filter(({ kind }) => kind === 'message').length,
    weightedTokens: tokens.reduce((sum, count) => sum + count, 0),
  };
}

/** Time after writing, by which the new memories have vectors. */
const MERGE_AFTER = 5 * MINUTE;

async function enqueueNext(writer: Writer, { deps, scope, stretch }: FormWork, result: FormResult): Promise<void> {
  if (stretch?.hasMore === true) await enqueue(writer, formationJob(scope), deps);
  if (result.added.length + result.updated.length === 0) return;
  // Drafts are not merged, because a model will replace them, and a draft must not absorb a statement that stays.
  if (stretch === null && usesModel(deps, 'read')) return;
  const merge = ownerJob('merge-doubles', { ...scope, session: null });
  await enqueue(writer, { ...merge, uniqueKey: ownerKey(scope), delay: MERGE_AFTER }, deps);
}

/** A refusal that repeats forgotten words loses its text and detail. */
async function withoutForgotten({ writer, scope, result: { refused } }: Writing): Promise<Refusal[]> {
  if (refused.length === 0) return [];
  const says = await saysForgotten(writer, ownerOf(scope));
  return refused.map((refusal) =>
    says(`${refusal.text ?? ''} ${refusal.detail ?? ''}`) ? { ...refusal, text: null, detail: null } : refusal,
  );
}

async function keepRefusals({ writer, deps, scope, events, result, why }: Writing): Promise<void> {
  const at = new Date(deps.clock.now());
  // A refusal that cites no event may come from any event of the formation, so erasing any of them erases the refusal.
  const all = events.map(({ id }) => id);
  await insertRefusals(
    writer,
    result.refused.map((refusal) => ({
      ...refusal,
      // No record has an empty text, so an unreadable item is stored as null.
      text: plainText(refusal.text ?? '') || null,
      detail: plainText(refusal.detail ?? '') || null,
      events: refusal.events.length === 0 ? all : refusal.events,
      id: deps.ids.next('ref'),
      scope,
      run: why.run ?? null,
      at,
      proposal: null,
    })),
  );
}

async function logRun(
  writer: Writer,
  { deps, scope, run, meter, reader, startedAt, stretch }: FormWork,
  { run: _run, hasMore: _hasMore, events, refused, ...changed }: FormResult,
  cause: RunCause,
): Promise<void> {
  if (stretch === null) return;
  const reasons: Record<string, number> = {};
  for (const { reason } of refused) reasons[`refused:${reason}`] = (reasons[`refused:${reason}`] ?? 0) + 1;
  await insertRun(writer, {
    id: run,
    scope,
    kind: 'form',
    cause,
    status: 'done',
    startedAt,
    finishedAt: new Date(deps.clock.now()),
    read: { events, from: stretch.from, to: stretch.to },
    changed: { ...changed, ...reasons },
    model: reader.id,
    cost: costOf(deps.ledger, meter),
    error: null,
  });
}

/** Statements that need no reader. They cite events by number: turn n is `events[n - 1]`. */
interface GivenStatements extends Pick<CheckContext, 'sourceType' | 'stated'> {
  statements: readonly ReadStatement[];
}

/** Forms statements of a nightly reflection or an import in the caller's transaction, with the same checks as a reader's statements. */
export async function formStatements(
  given: Omit<Writing, 'result'>,
  { statements, sourceType, stated }: GivenStatements,
): Promise<FormResult> {
  const { writer, events } = given;
  const scope = { ...given.scope, connection: null };
  const deps = await inOwnZone(writer, given.deps, scope);
  const names = { userNames: userNamesOf(scope, []), subjects: await listSubjects(writer, ownerOf(scope)) };
  const context = { ...deps, ...names, scope, events, earlier: [], known: [], isLocal: true, sourceType, stated };
  const checked = checkStatements(statements, context);
  const result = { ...nothingFormed(), refused: checked.refused.map(withoutIndex) };
  const writing = { ...given, scope, result };
  await changeOwner(writer, ownerOf(scope), deps.clock.now());
  const undecided = { vectors: null, verdicts: new Map(), replacesDrafts: false, keepsFacts: true };
  await applyStatements(writing, { ...undecided, statements: checked.statements });
  await keepRefusals(writing);
  return result;
}
