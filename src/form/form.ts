import { VarveError } from '../errors.ts';
import { createInlineQueue } from '../jobs/inline-queue.ts';
import type { JobHandler, JobKinds } from '../jobs/job-kinds.ts';
import { redactJson, redactSensitive } from '../language/privacy-policy.ts';
import { estimateTokens } from '../language/words.ts';
import type { Event } from '../record/event.ts';
import { ownerKey, ownerOf, type Scope, scopeAt } from '../record/scope.ts';
import type { Reader, Writer } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';
import type { RunCause } from '../store/history-store.ts';
import { changeOwner, ownTimeZone, seeOwner } from '../store/owner-store.ts';
import { scopeOfJob } from '../store/queue/enqueue.ts';
import { removeWaiting } from '../store/queue/settle-jobs.ts';
import { listSubjects } from '../store/read-memories.ts';
import { findSession, listSessionEvents } from '../store/session-store.ts';
import { applyStatements } from './apply/apply.ts';
import { commitFormation, type Formed, keepRefusals } from './apply/commit.ts';
import { reflectionsOf } from './apply/reflections.ts';
import { type CheckedReading, checkReading } from './check/check-reading.ts';
import { checkStatements, withoutIndex } from './check/check.ts';
import type { CheckContext } from './check/evidence.ts';
import { embedTexts, findCandidates, isDraftOf } from './compare.ts';
import { decideContext, openCandidates } from './decide/decide.ts';
import {
  eventsOf,
  formColdSessions,
  inlineExchanges,
  inlineJob,
  payloadOf,
  takeEffect,
  triggerFormation,
  unreadExchanges,
  writeQuotedTopics,
} from './formation-jobs.ts';
import type { ApplyDeps, FormDeps, FormOptions, FormWork, LimitSettings, Writing } from './formation-settings.ts';
import { askVerdicts, createModelReader, type ReadPromptInput } from './read/model-reader.ts';
import { readTurns } from './read/read-turns.ts';
import {
  type FormResult,
  nothingFormed,
  type Reading,
  type ReadInput,
  type ReadStatement,
  userNamesOf,
  usesModel,
} from './read/reader.ts';

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
  return formBatch(deps, scope, {
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
  options: Pick<BatchOptions, 'by' | 'complete' | 'signal'>,
): Promise<FormResult> {
  return formBatch(deps, scope, {
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

interface BatchOptions extends FormOptions {
  by: 'local' | 'model';
  shown: Pick<ReadPromptInput, 'turnCharacters' | 'userCharacters'>;
  reason: string;
  /** Null if there is nothing to read. */
  take(store: Reader, place: Scope): Promise<Batch | null>;
}

type Batch = Pick<FormWork, 'events' | 'earlier' | 'stretch'>;

async function formBatch(deps: FormDeps, scope: Scope, options: BatchOptions): Promise<FormResult> {
  const place = { ...scope, connection: null };
  const run = deps.ids.next('run');
  return deps.ledger.metered({ scope: place, operation: 'extraction', run }, async (meter) => {
    const work = await takeBatch(deps, place, options, { run, meter });
    if (work !== null) {
      // Without a user in the scope, nothing is formed: the memories would be in the prompts of all users.
      const own = place.user === null ? { ...work, events: [] } : work;
      const read = await readTurns(own);
      const checked = await checkReading(own, read);
      const compared = await compareStatements(own, checked, read.input);
      const reading = await withReflections(own, read.reading, checked);
      const formed = { ...read, ...checked, ...compared, reading };
      // The decisions depend on what is known when they are written, so they are made in the transaction.
      if (work.stretch !== null || !isEmpty(formed)) return commitFormation(work, formed, options);
    }
    if (options.complete !== undefined) await deps.database.write(place.tenant, options.complete);
    return nothingFormed();
  });
}

async function takeBatch(
  deps: FormDeps,
  scope: Scope,
  { by, shown, reason, take, signal }: BatchOptions,
  { run, meter }: Pick<FormWork, 'run' | 'meter'>,
): Promise<FormWork | null> {
  const startedAt = new Date(deps.clock.now());
  const { seen, batch, own } = await deps.database.read(scope.tenant, async (store) => ({
    seen: await seeOwner(store, scope),
    batch: await take(store, scope),
    own: await inOwnZone(store, deps, scope),
  }));
  if (batch === null) return null;
  const reader =
    by === 'local' || deps.languageModel === null || !usesModel(deps, 'read')
      ? await deps.localReader()
      : createModelReader(meter.languageModel(deps.languageModel), shown);
  const why = { reason, actor: 'form', run };
  return { ...batch, deps: own, scope, run, meter, reader, signal, startedAt, seen, why };
}

function isEmpty({ statements, requests, refused, reading }: Formed): boolean {
  const parts = [statements, requests.ends, requests.forgets, refused, reading.topics];
  return parts.every(({ length }) => length === 0);
}

/** A model compares its statements by meaning, and is asked in at most one call about pairs whose relation their fields leave open. */
async function compareStatements(
  work: FormWork,
  { statements }: CheckedReading,
  { known }: ReadInput,
): Promise<Pick<Formed, 'vectors' | 'verdicts'>> {
  const { deps, scope, meter, signal } = work;
  if (work.reader.kind !== 'model') return { vectors: null, verdicts: new Map() };
  const texts = statements.map(({ text }) => text);
  const vectors = await embedTexts(work, texts);
  if (deps.languageModel === null || !usesModel(deps, 'decide')) return { vectors, verdicts: new Map() };
  const candidates = await deps.database.read(scope.tenant, (store) =>
    findCandidates(store, work, { statements, vectors }),
  );
  const context = { ...decideContext(deps), shown: new Set(known.map(({ id }) => id)) };
  // Drafts of the same turns are about to be replaced.
  const questions = statements.flatMap((statement, index) => {
    const found = (candidates[index] ?? []).filter(({ memory }) => !isDraftOf(work.events, memory));
    const open = openCandidates(statement, found, context).slice(0, deps.settings.limits.candidates);
    return open.length === 0 ? [] : [{ statement, candidates: open }];
  });
  return { vectors, verdicts: await askVerdicts(meter.languageModel(deps.languageModel), questions, signal) };
}

async function withReflections(work: FormWork, reading: Reading, { statements }: CheckedReading): Promise<Reading> {
  if (work.reader.kind !== 'model') return { ...reading, reflections: [] };
  return { ...reading, reflections: await reflectionsOf(work, reading, statements) };
}

export async function inOwnZone<Deps extends ApplyDeps>(store: Reader, deps: Deps, scope: Scope): Promise<Deps> {
  const timeZone = await ownTimeZone(store, scope, deps.settings.timeZone);
  return { ...deps, settings: { ...deps.settings, timeZone } };
}

/** Events shown to a reader before the ones that it reads. */
const EARLIER = 12;

/** The rest waits for the next formation. */
async function takeUnformed(store: Reader, deps: FormDeps, scope: Scope, least: number): Promise<Batch | null> {
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
