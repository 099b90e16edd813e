import { timedRendering } from '../../language/sentences.ts';
import { english } from '../../language/packs/en.ts';
import type { Pack } from '../../language/packs/pack.ts';
import { detectPack, packPattern } from '../../language/packs/packs.ts';
import { applyPrivacy, type PrivacyPolicy, redactSensitive } from '../../language/privacy-policy.ts';
import { contentStems } from '../../language/words.ts';
import { calibratedSimilarity, dot } from '../../models/embedder.ts';
import { DAY } from '../../record/clock.ts';
import { contentHash } from '../../record/id.ts';
import { type Event, isBlank } from '../../record/event.ts';
import { typesThat } from '../../record/memory-types.ts';
import {
  hasEnded,
  hasOutcome,
  isPlanOver,
  isPresentFact,
  type Memory,
  mergedAmong,
  plannedFor,
} from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import { eventsGone, staleKeys } from '../../store/block-store.ts';
import type { Reader } from '../../store/database.ts';
import { eventsById, observationsAfter, ownEventRows, takenInObservations } from '../../store/event-store.ts';
import { findVectors } from '../../store/indexing.ts';
import { memoriesFrom } from '../../store/read-memories.ts';
import { ownMemories } from '../../store/own-rows.ts';
import { memoryRowsOf } from '../../store/rows.ts';
import { BARE, idsOf, type Material, type OpenDocument, readDocument, refreshed, standInsOf } from './document.ts';
import { usesModel } from '../../form/read/reader.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

// All sources of documents are read in this file, so that forgotten content and text from tools and pages are excluded in one place. Such
// text is excluded because the sentences of a document have no mark `(unverified)`.

const MOST_STATEMENTS = 1000;

/** `doubted` has the ids of the statements that a later statement puts in doubt. */
interface Statements {
  statements: readonly Memory[];
  doubted: ReadonlySet<string>;
}

/** The owner's live verified statements, newest first. Leaves out drafts of the local reader if a model will read their text again. */
export async function currentStatements(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<Statements> {
  const place = { session: null, connection: null };
  const filter = { place, withoutDrafts: usesModel(deps, 'read'), withoutUnverified: true, limit: MOST_STATEMENTS };
  const statements = await ownMemories(reader, scope, { ...filter, order: 'stated' });
  return { statements, doubted: await doubtedAmong(reader, deps, scope, statements) };
}

/** The sources are the current statements, and the observations from which no statement was formed. */
export async function openWorkingMemory(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
  given?: Statements,
): Promise<OpenDocument> {
  const current = given ?? (await currentStatements(reader, deps, scope));
  const read = await readDocument(reader, scope, 'working_memory');
  const listed = workingMaterials(current, deps);
  const { observed, unformed } = await recentObservations(reader, deps, scope);
  const known = new Map<string, Material>([...listed, ...observed].map((each) => [each.id, each]));
  // A model may have added items that the working memory does not list on its own, such as an intention or a learning.
  const resting = idsOf(read);
  for (const memory of current.statements) {
    if (resting.has(memory.id) && !known.has(memory.id) && holdsNow(memory, deps))
      known.set(memory.id, toMaterial(memory, null));
  }
  const turns = [...resting].filter((id) => !known.has(id));
  for (const turn of await standingEvents(reader, scope.tenant, turns)) known.set(turn.id, turn);
  // The prompt contains a merged text instead of its statements.
  const merged = new Set(current.statements.filter(mergedAmong(current.statements)).map(({ id }) => id));
  const single = listed.filter(({ id, hasAged }) => !merged.has(id) && !hasAged);
  const materials = { known, wanted: [...single, ...unformed] };
  return { read, document: refreshed(read, materials, deps.clock.now()), materials };
}

/** Does not add lines for statements that the profile lacks. */
export async function openProfile(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
  statements: Statements,
): Promise<OpenDocument> {
  const read = await readDocument(reader, scope, 'profile');
  const { text: content, basis } = read.stored;
  const at = { now: deps.clock.now(), memoryTypes: deps.memoryTypes };
  const stale = await staleKeys(reader, scope.tenant, [{ kind: 'profile', content, basis }], at);
  const sentences = read.sentences.filter(({ text }) => !stale.has(contentHash(text)));
  const wanted = profileMaterials(statements, deps);
  const known = new Map<string, Material>(wanted.map((each) => [each.id, each]));
  // Stale sentences were removed above, so the turns and facts behind the others are still valid.
  for (const material of sentences.flatMap(standInsOf)) {
    if (!known.has(material.id)) known.set(material.id, { ...material, until: null });
  }
  const omitted = read.omitted.filter((id) => known.has(id));
  return { read, document: { sentences, omitted }, materials: { known, wanted } };
}

function holdsNow(memory: Memory, { memoryTypes, clock }: ConsolidateDeps): boolean {
  const now = clock.now();
  if (hasEnded(memory, now) || isPlanOver(memory, now)) return false;
  // A plan whose day is over is in the past but still worded as a plan, so documents leave it out.
  const wasPlan = memory.tense === 'happened' && (memory.internal['planned'] === true || memory.dueAt !== null);
  return !wasPlan && !hasOutcome(memory, memoryTypes.get(memory.type));
}

/**
 * Leaves out permanent facts, which every prompt lists separately, and merged texts, whose statements are listed one by one. Past events
 * and passing remarks age when they have been neither said nor used for `staleAfterDays`, habits after twice that time.
 */
function workingMaterials({ statements, doubted }: Statements, deps: ConsolidateDeps): Material[] {
  const now = deps.clock.now();
  return statements
    .filter(
      (memory) =>
        deps.memoryTypes.get(memory.type)?.inWorkingMemory === true &&
        memory.sourceType !== 'consolidation' &&
        !isPresentFact(memory, now) &&
        holdsNow(memory, deps),
    )
    .map((memory) => ({
      ...toMaterial(memory, null),
      hasAged:
        doubted.has(memory.id) || ((memory.tense === 'happened' || isPassing(memory, deps)) && isUnused(memory, deps)),
    }))
    .toReversed();
}

const HABIT_LASTS = 2;
/** In multiples of `staleAfterDays`: how long being read keeps a statement in the documents. Of older ones, a third have ended. */
const MOST_BY_USE = 5;

function isUnused({ statedAt, lastAccessedAt, tense }: Memory, { consolidation, clock }: ConsolidateDeps): boolean {
  const stale = consolidation.tiers.staleAfterDays * DAY;
  const age = clock.now() - statedAt.getTime();
  const isRead = lastAccessedAt !== null && clock.now() - lastAccessedAt.getTime() < stale;
  return age >= stale * (tense === 'habit' ? HABIT_LASTS : 1) && !(isRead && age < MOST_BY_USE * stale);
}

/**
 * Documents contain a passing remark only while it is said or used. It is quoted in the user's own words and has no attribute by which a
 * later statement could end it, so nothing would show that it is no longer true. Recall still finds it later. In 46 conversations of the
 * data set `lives`, one in six such facts and one in four such habits had ended, but only one in thirty tastes and personal details, whose
 * types are therefore `lasting`.
 */
function isPassing({ reader, attribute, type }: Memory, { memoryTypes }: ConsolidateDeps): boolean {
  return reader === 'local' && attribute === null && memoryTypes.get(type)?.lasting !== true;
}

/** Leaves out permanent facts, quotations of the user that are in doubt, and passing remarks that have not been used for a long time. */
function profileMaterials({ statements, doubted }: Statements, deps: ConsolidateDeps): Material[] {
  const now = deps.clock.now();
  return statements
    .flatMap((memory) => {
      const { profileSection: section = null, formable = true } = deps.memoryTypes.get(memory.type) ?? {};
      // A merged text is left out, because its statements are listed one by one. A pattern stays, because it replaces no statements.
      const isMerged = memory.sourceType === 'consolidation' && formable;
      const isListed = section !== null && !isMerged && !isPresentFact(memory, now) && holdsNow(memory, deps);
      const hasAged = doubted.has(memory.id) || (isPassing(memory, deps) && isUnused(memory, deps));
      return isListed && !hasAged ? [toMaterial(memory, section)] : [];
    })
    .toReversed();
}

/** Calibrated similarity from which a change puts a statement in doubt: `RELATED` for passing remarks, `SAME` for lasting ones. */
const RELATED = 0.65;
const SAME = 0.8;
/** Of two statements made within this time of each other, neither puts the other in doubt. */
const TOGETHER = DAY / 2;

/**
 * For each later change ("Glenys does Wednesdays with me now"), the user's own statement most similar to it is in doubt. Without a model it
 * is unknown whether the change ends that statement, so documents leave it out; recall still finds it. Doubting every statement above a
 * threshold was rejected: outside English, where sentences are more similar to each other, documents lost a third of their statements
 * (`bench/documents.ts`).
 */
async function doubtedAmong(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
  statements: readonly Memory[],
): Promise<Set<string>> {
  const usual = detectPack(statements.map(({ content }) => content).join('\n')) ?? english;
  const quotations = statements.filter(({ reader, attribute }) => reader === 'local' && attribute === null);
  const changes = statements
    .filter((memory) => saysChange(memory, usual))
    .map(({ id, statedAt, content }) => ({ id, statedAt, stems: [...contentStems(content)] }));
  const embedder = await deps.embedding.forQueries(reader);
  if (embedder === null || quotations.length === 0) return new Set();
  const compared = [...new Set([...quotations, ...changes].map(({ id }) => id))];
  const rows = await memoryRowsOf(reader, scope.tenant, compared);
  const rowIds = rows.map(({ rowId }) => rowId);
  const of = { tenant: scope.tenant, model: embedder.id, kind: 'memory', rowIds } as const;
  const vectors = await findVectors(reader, deps.database, of);
  const known = new Map(rows.map(({ id, rowId }) => [id, vectors.get(rowId)]));
  const calibration = deps.embedding.calibrationOf(embedder);
  const earlier = quotations.map((memory) => ({
    memory,
    vector: known.get(memory.id),
    stems: contentStems(memory.content),
    least: isPassing(memory, deps) ? RELATED : SAME,
  }));
  const doubted = changes.map((change) => {
    const own = known.get(change.id);
    let nearest = { id: '', similarity: 0 };
    for (const { memory, vector, stems, least } of earlier) {
      if (own === undefined || vector === undefined) continue;
      if (change.statedAt.getTime() - memory.statedAt.getTime() < TOGETHER) continue;
      const similarity = calibratedSimilarity(dot(own, vector), calibration);
      if (similarity > Math.max(least, nearest.similarity) && change.stems.some((stem) => stems.has(stem)))
        nearest = { id: memory.id, similarity };
    }
    return nearest.id;
  });
  return new Set(doubted);
}

function saysChange({ content, polarity }: Memory, usual: Pack): boolean {
  const pack = detectPack(content, usual) ?? usual;
  return polarity === 'denied' || CHANGES.some((words) => packPattern(pack, words).test(content));
}

const CHANGES = ['change', 'ended'] as const;

export function toMaterial(memory: Memory, section: string | null): Material {
  const day = plannedFor(memory);
  const ends = [memory.validTo?.getTime(), day === null ? undefined : day.getTime() + DAY].filter(
    (time) => time !== undefined,
  );
  return {
    ...BARE,
    id: memory.id,
    text: timedRendering(memory),
    at: memory.statedAt,
    hash: contentHash(timedRendering(memory)),
    until: memory.tense === 'happened' || ends.length === 0 ? null : Math.min(...ends),
    section,
    importance: memory.importance,
    events: memory.sourceEvents,
  };
}

/** The text of an observation never changes, and it expires after `staleAfterDays`. */
export function observedMaterial(event: Event, deps: ConsolidateDeps): Material {
  return {
    ...turnMaterial(event),
    text: redactSensitive(event.content, deps.privacy),
    until: event.occurredAt.getTime() + deps.consolidation.tiers.staleAfterDays * DAY,
    importance: 0.5,
  };
}

export function turnMaterial({ id, content, occurredAt }: Pick<Event, 'id' | 'content' | 'occurredAt'>): Material {
  return { ...BARE, id, text: content, at: occurredAt, hash: contentHash(content), isEvent: true };
}

/** An event is no longer valid if it is not in the log, or if all statements formed from it have been replaced, ended or forgotten. */
async function standingEvents(reader: Reader, tenant: string, ids: readonly string[]): Promise<Material[]> {
  const events = await eventsById(reader, tenant, ids);
  const found = events.map(({ id }) => id);
  const gone = eventsGone(await memoriesFrom(reader, tenant, found));
  return events.filter(({ id }) => !gone.has(id)).map(turnMaterial);
}

const MOST_OBSERVED = 500;

/** No statement was formed from the `unformed` ones, so documents list these observations themselves. */
async function recentObservations(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
): Promise<Record<'observed' | 'unformed', Material[]>> {
  const since = deps.clock.now() - deps.consolidation.tiers.staleAfterDays * DAY;
  const events = await takenInObservations(reader, scope, { since, limit: MOST_OBSERVED });
  const ids = events.map(({ id }) => id);
  const formed = await memoriesFrom(reader, scope.tenant, ids);
  const gone = eventsGone(formed);
  const said = new Set(formed.flatMap(({ sourceEvents }) => sourceEvents));
  const observed = events
    .filter((event) => !gone.has(event.id) && !isBlank(event) && mayBeKept(event.content, deps.privacy))
    .map((event) => observedMaterial(event, deps));
  return { observed, unformed: observed.filter(({ id }) => !said.has(id)) };
}

/** Includes observations that failed before. A cursor recognises new ones, because formation also sets the mark `processed`. */
export function waitingObservations(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
  after: number,
): Promise<{ event: Event; sequence: number }[]> {
  const { batch, tries } = deps.consolidation.tiers;
  return observationsAfter(reader, scope, { sequence: after, tries, limit: batch });
}

export function waitingReflections(reader: Reader, deps: ConsolidateDeps, place: Scope): Promise<Memory[]> {
  return ownMemories(reader, place, { types: reflectionTypes(deps), withoutUnverified: true, limit: MOST_STATEMENTS });
}

export function reflectionTypes({ memoryTypes }: ConsolidateDeps): string[] {
  return typesThat(memoryTypes, ({ section }) => section === 'reflections');
}

/**
 * The messages recorded after `since` and up to `until`, oldest first. Messages with the same recording time stay in one range. If there
 * are more of them than `limit`, the next range begins after the position `sequence`.
 */
export async function messagesBetween(
  reader: Reader,
  scope: Scope,
  { limit, ...range }: { since: number; sequence: number; until: number; limit: number },
): Promise<{ messages: Event[]; until: number; sequence: number; hasMore: boolean }> {
  const { since, sequence } = range;
  // A message without a user belongs only to its session, so no reflection reads it.
  if (scope.user === null) return { messages: [], until: since, sequence, hasMore: false };
  const recorded = { after: since, sequence, upTo: range.until };
  const found = await ownEventRows(reader, scope, { kind: 'message', recorded, order: 'recorded', limit: limit + 1 });
  const cut = found[limit]?.event.recordedAt;
  const whole = cut === undefined ? found : found.filter(({ event }) => event.recordedAt < cut);
  const taken = whole.length > 0 ? whole : found.slice(0, limit);
  const last = taken.at(-1);
  return {
    messages: taken.flatMap(({ event }) => (isBlank(event) ? [] : [event])),
    until: last?.event.recordedAt.getTime() ?? since,
    sequence: whole.length > 0 ? 0 : (last?.sequence ?? 0),
    hasMore: cut !== undefined,
  };
}

export function mayBeKept(text: string, privacy: PrivacyPolicy): boolean {
  return applyPrivacy(text, privacy).dropped === null;
}
