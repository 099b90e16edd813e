import type { Event } from '../record/event.ts';
import type { SourceType } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader as StoreReader, Writer } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';
import type { RunCause } from '../store/history-store.ts';
import { changeOwner, seeOwner } from '../store/owner-store.ts';
import { applyStatements } from './apply/apply.ts';
import { commitFormation, keepRefusals } from './apply/commit-formation.ts';
import { type CheckContext, checkStatements } from './check/check.ts';
import { ownerOf } from './compare.ts';
import { type FormResult, nothingFormed } from './formation-result.ts';
import type { FormDeps, LimitSettings } from './formation-settings.ts';
import {
  checkContext,
  type FormWork,
  isEmpty,
  readTurns,
  type Stretch,
  userNamesOf,
  withoutIndex,
} from './read-turns.ts';
import type { ReadPromptInput } from './read/read-prompt.ts';
import { type Reader, type ReadStatement, usesModel } from './read/reader.ts';
import { findSession, listSessionEvents } from '../store/session-store.ts';
import { estimateTokens } from '../language/words.ts';

/** How a formation is run. */
export interface FormOptions {
  /** Default `hand`. */
  cause?: RunCause;
  signal?: AbortSignal;
  /** Marks the job of the formation as done, in the transaction of its effects. */
  complete?(writer: Writer): Promise<void>;
  /** Sessions that go on and have fewer new messages than this are left alone. Default 0. */
  minimumMessages?: number;
}

/**
 * Makes memories of what a session has said since the last formation:
 *
 *     take → read → resolve → check → compare → decide → apply
 *
 * Models are asked before the one transaction that writes everything: statements, what they retire, what is forgotten, reflections,
 * topics, refusals, the events as processed, the cursor, the job as done and what it cost. A failure anywhere changes nothing, and
 * the events wait for the next try. Of two formations at the same time the second finds the cursor moved and does nothing.
 */
export async function formSession(deps: FormDeps, scope: Scope, options: FormOptions = {}): Promise<FormResult> {
  const place = { ...scope, connection: null };
  const run = deps.ids.next('run');
  return deps.ledger.metered({ scope: place, operation: 'extraction', run }, async (meter) => {
    const startedAt = new Date(deps.clock.now());
    const { limits } = deps.settings;
    const stretch = await deps.database.read(place.tenant, (reader) =>
      takeUnformed(reader, place, { now: deps.clock.now(), limits }),
    );
    if (stretch === null || isTooShort(stretch, options)) {
      if (options.complete !== undefined) await deps.database.write(place.tenant, options.complete);
      return nothingFormed();
    }
    const work: FormWork = {
      deps,
      scope: place,
      run,
      meter,
      reader: await chooseReader(deps, usesModel(deps, 'read') ? 'model' : 'local', stretchCharacters(limits)),
      events: stretch.events,
      earlier: stretch.earlier,
      signal: options.signal,
      seen: await deps.database.read(place.tenant, (reader) => seeOwner(reader, place)),
      why: { reason: 'learned from the conversation', actor: 'form', run },
    };
    const formable = await readTurns(work);
    return commitFormation(work, formable, { stretch, startedAt, ...options });
  });
}

/** What has ended is formed however short it is. */
function isTooShort({ session }: Stretch, { minimumMessages = 0 }: FormOptions): boolean {
  return session.status !== 'closed' && session.messagesSinceFormation < minimumMessages;
}

const EARLIER = 12;

/** Takes the events that no formation has read yet, as many as one may read. What comes in later waits for the next. */
async function takeUnformed(
  reader: StoreReader,
  scope: Scope,
  { now, limits }: { now: number; limits: Pick<LimitSettings, 'events' | 'tokens'> },
): Promise<Stretch | null> {
  const session = await findSession(reader, scope, now);
  if (session === null || session.eventCount <= session.formedPosition) return null;
  const from = session.formedPosition;
  const last = Math.min(session.eventCount, from + limits.events);
  const events = await listSessionEvents(reader, scope, Math.max(0, from - EARLIER), last);
  const unformed = events.filter((event) => (event.position ?? 0) >= from);
  const taken = withinTokens(unformed, limits);
  const to = from + taken.length;
  return {
    session,
    from,
    to,
    events: taken,
    earlier: events.filter((event) => (event.position ?? 0) < from),
    hasMore: to < session.eventCount,
  };
}

/** The first events that fit together into one prompt: at least one, however long it is. */
function withinTokens(events: readonly Event[], { tokens }: Pick<LimitSettings, 'tokens'>): Event[] {
  let sum = 0;
  const end = events.findIndex((event, index) => {
    sum += estimateTokens(event.content);
    return sum > tokens && index > 0;
  });
  return end === -1 ? [...events] : events.slice(0, end);
}

/** The turns of a session before a given event. */
async function turnsBefore(reader: StoreReader, scope: Scope, first: Event | undefined): Promise<Event[]> {
  if (first === undefined || scope.session === null || first.position === null || first.position === 0) return [];
  return listSessionEvents(reader, scope, Math.max(0, first.position - EARLIER), first.position);
}

/**
 * Reads an exchange right after it was logged. The events stay unread for the session's own formation: a model replaces these drafts,
 * and the local reader finds what it has read already.
 */
export async function formExchange(
  deps: FormDeps,
  scope: Scope,
  ids: readonly string[],
  { by = 'local', complete, signal }: { by?: 'local' | 'model' } & Pick<FormOptions, 'complete' | 'signal'> = {},
): Promise<FormResult> {
  const place = { ...scope, connection: null };
  const run = deps.ids.next('run');
  return deps.ledger.metered({ scope: place, operation: 'extraction', run }, async (meter) => {
    // As they are now: they have waited, and what was forgotten meanwhile is no longer in them.
    const { seen, events, earlier } = await deps.database.read(place.tenant, async (reader) => {
      const owner = await seeOwner(reader, place);
      const found = await findEvents(reader, place, ids);
      return { seen: owner, events: found, earlier: await turnsBefore(reader, place, found[0]) };
    });
    const work: FormWork = {
      deps,
      scope: place,
      run,
      meter,
      reader: await chooseReader(deps, by, EXCHANGE),
      events,
      earlier,
      signal,
      seen,
      why: { reason: 'read from the exchange', actor: 'form', run },
    };
    const formable = await readTurns(work);
    if (isEmpty(formable)) {
      if (complete !== undefined) await deps.database.write(place.tenant, complete);
      return nothingFormed();
    }
    return commitFormation(work, formable, { stretch: null, startedAt: new Date(deps.clock.now()), complete });
  });
}

/** Statements that need no reader, and the events that they cite: turn n is `events[n - 1]`. */
export interface GivenStatements {
  scope: Scope;
  statements: readonly ReadStatement[];
  events: readonly Event[];
  /** Who gives them. Kept with each memory. */
  reader: string;
  why: Change;
  /** How they came to be, where it is not read off the events: `import`, for one. */
  sourceType?: SourceType;
  /** Of statements from outside the log, which have no event to quote: when they were said, and by whom. */
  stated?: CheckContext['stated'];
  /** The transaction to write in. Default: one of its own. */
  writer?: Writer;
}

/** Puts statements of another source through the same check, comparison and decision: a nightly reflection, an import. */
export async function formStatements(deps: FormDeps, given: GivenStatements): Promise<FormResult> {
  const { scope, statements, events, reader, why, sourceType, stated } = given;
  const place = { ...scope, connection: null };
  const context = await checkContext(deps, {
    scope: place,
    events,
    earlier: [],
    known: [],
    userNames: userNamesOf(place, []),
    isLocal: true,
    sourceType,
    stated,
    writer: given.writer,
  });
  const checked = checkStatements(statements, context);
  const write = async (writer: Writer): Promise<FormResult> => {
    await changeOwner(writer, ownerOf(place), deps.clock.now());
    const applied = await applyStatements(writer, deps, {
      scope: place,
      statements: checked.statements,
      vectors: null,
      verdicts: new Map(),
      reader,
      replacesDrafts: false,
      eventIds: events.map(({ id }) => id),
      why,
    });
    const refused = [...checked.refused.map(withoutIndex), ...applied.refused];
    await keepRefusals(writer, deps, { scope: place, run: why.run ?? null, refused, events });
    return { ...nothingFormed(), ...applied, refused, events: events.length, run: why.run ?? null };
  };
  return given.writer === undefined ? deps.database.write(place.tenant, write) : write(given.writer);
}

/** The reader of a formation. Models are loaded when they are first needed: a program that only reads never loads them. */
async function chooseReader(deps: FormDeps, by: 'local' | 'model', shown: ShownCharacters): Promise<Reader> {
  if (by === 'local' || deps.languageModel === null) return deps.localReader();
  const { createModelReader } = await import('./read/model-reader.ts');
  return createModelReader(deps.languageModel, shown);
}

/** How much of a turn a model is shown. */
type ShownCharacters = Pick<ReadPromptInput, 'turnCharacters' | 'userCharacters'>;

/** Each side of an exchange that is read at once. */
const EXCHANGE: ShownCharacters = { turnCharacters: 1000, userCharacters: 1000 };

/** In a stretch of a session the user's turns are shown whole, within reason. */
function stretchCharacters({ turnCharacters }: LimitSettings): ShownCharacters {
  return { turnCharacters, userCharacters: turnCharacters * 10 };
}
