import { isAbout, isCourtesy } from '../language/claims.ts';
import { estimateTokens, indexWords, lexicalSimilarity } from '../language/words.ts';
import { calibratedSimilarity, type Calibration, dot, type Embedder, unlessUnavailable } from '../models/embedder.ts';
import type { Event } from '../record/event.ts';
import { type AttributeTable, hasTrait } from '../record/attributes.ts';
import { DAY } from '../record/clock.ts';
import { hasOutcome, mayStillChange, type Memory } from '../record/memory.ts';
import { typesThat } from '../record/memory-types.ts';
import { ownerKey, ownerOf, type Scope, sharedOwner, visibleOwners } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { listMemories, loadMemories, memoriesReplacedBy, statementHistory } from '../store/read-memories.ts';
import type { Candidate } from './decide/decide.ts';
import type { ApplyDeps, FormWork } from './formation-settings.ts';
import { type Refusal, refusal } from './read/reader.ts';
import type { Statement } from './statement.ts';
import { isExpiredSince, isOfTypes } from '../store/indexing.ts';

export interface Vectors {
  embedder: Embedder;
  calibration: Calibration;
  of: readonly Float32Array[];
}

/** Null without an available embedder. The texts are then compared by their words. */
export async function embedTexts(work: FormWork, texts: readonly string[]): Promise<Vectors | null> {
  const { deps, scope, meter, signal } = work;
  if (texts.length === 0) return null;
  const embedder = await deps.database.read(scope.tenant, (store) => deps.embedding.forQueries(store));
  if (embedder === null) return null;
  const embedded = await unlessUnavailable(meter.embedder(embedder).embed([...texts], { signal }));
  if (embedded === null) return null;
  return { embedder, calibration: deps.embedding.calibrationOf(embedder), of: embedded.vectors };
}

/** In characters. The rest of a longer text is not embedded for comparisons. */
export const LONGEST_COMPARED = 2000;

/** Null if there are no vectors. */
export async function nearnessTo(
  work: FormWork,
  text: string,
  others: readonly string[],
): Promise<{ cosine: number; similarity: number }[] | null> {
  const vectors = await embedTexts(work, [text, ...others.map((other) => other.slice(0, LONGEST_COMPARED))]);
  const [own, ...rest] = vectors?.of ?? [];
  if (vectors === null || own === undefined) return null;
  return rest.map((other) => {
    const cosine = dot(own, other);
    return { cosine, similarity: calibratedSimilarity(cosine, vectors.calibration) };
  });
}

export async function nearStatements(
  work: FormWork,
  text: string,
  { most, policy }: { most: number; policy: 'comparable' | 'forgettable' },
): Promise<Memory[]> {
  const { deps, scope } = work;
  const vectors = await embedTexts(work, [text]);
  const found = await deps.database.read(scope.tenant, (store) =>
    search(store, deps, {
      owner: ownerOf(scope),
      owners: changeableOwners(deps, scope),
      policy,
      words: searchWords(text),
      vectors,
      most: { byText: most, byMeaning: most },
    }),
  );
  return found.slice(0, most).map(({ memory }) => memory);
}

/** Owners whose statements a formation may change: the scope's own and, if agents share facts, the user's shared owner. */
export function changeableOwners({ sharesFacts }: Pick<ApplyDeps, 'sharesFacts'>, scope: Scope): string[] {
  const owner = ownerKey(ownerOf(scope));
  return sharesFacts === true && scope.user !== null ? [...new Set([owner, ownerKey(sharedOwner(scope))])] : [owner];
}

const TEXT_HITS = 10;

/** All known statements with the same attribute, including archived ones, and the nearest by meaning and by words. */
export async function findCandidates(
  store: Reader,
  { deps, scope }: { deps: ApplyDeps; scope: Scope },
  { statements, vectors }: { statements: readonly Statement[]; vectors: Vectors | null },
): Promise<Candidate[][]> {
  const owner = ownerOf(scope);
  const attributes = [...new Set(statements.flatMap(({ attribute }) => attribute ?? []))];
  const owners = changeableOwners(deps, scope);
  const byFields = attributes.length === 0 ? [] : await statementHistory(store, owner.tenant, { owners, attributes });
  const found: Candidate[][] = [];
  for (const [index, { attribute, text }] of statements.entries()) {
    const near = await search(store, deps, {
      owner,
      owners,
      words: searchWords(text),
      vectors: vectors === null ? null : { ...vectors, of: vectors.of.slice(index, index + 1) },
      most: { byText: TEXT_HITS, byMeaning: deps.settings.limits.candidates * 2 },
    });
    const candidates = [
      ...byFields.filter((memory) => memory.attribute === attribute).map((memory) => ({ memory, similarity: 0 })),
      ...near.map(({ memory, cosine }) => ({ memory, similarity: similarityOf(text, memory, vectors, cosine) })),
    ].filter(({ memory }) => owners.includes(ownerKey(memory.scope)) && memory.sourceType !== 'consolidation');
    found.push([...new Map(candidates.map((candidate) => [candidate.memory.id, candidate])).values()]);
  }
  return found;
}

const MOST_WORDS = 30;

function searchWords(text: string, most: number = MOST_WORDS): string[] {
  return [...new Set(indexWords(text))].slice(0, most);
}

interface Search {
  owner: Scope;
  owners: readonly string[];
  /** Default: `comparable`. */
  policy?: 'comparable' | 'forgettable';
  /** Only memories that expired after this time. Default: only memories that are not archived. */
  expiredSince?: number;
  words: readonly string[];
  vectors: Vectors | null;
  /** `byMeaning` applies to each vector. */
  most: { byText: number; byMeaning: number };
}

/** Best first. If several vectors find a memory, its cosine is that of the last. */
async function search(
  store: Reader,
  { database, memoryTypes }: ApplyDeps,
  { owner, owners, policy = 'comparable', expiredSince, words, vectors, most }: Search,
): Promise<{ memory: Memory; cosine: number | undefined }[]> {
  const ofTypes = isOfTypes(typesThat(memoryTypes, (type) => type[policy]));
  const isExpired = expiredSince !== undefined;
  const condition = isExpired ? isExpiredSince(ofTypes, expiredSince) : ofTypes;
  const among = { tenant: owner.tenant, owners, kind: 'memory', condition, archived: isExpired } as const;
  const byText = words.length === 0 ? [] : await database.text.search(store, { ...among, words, limit: most.byText });
  const scores = new Map(byText.map(({ rowId }, place) => [rowId, 1 / (10 + place)]));
  const cosines = new Map<number, number>();
  for (const query of vectors?.of ?? []) {
    const model = { id: vectors?.embedder.id ?? '', dimensions: vectors?.embedder.dimensions ?? 0 };
    const hits = await database.vectors.nearest(store, { ...among, model, query, limit: most.byMeaning });
    for (const [place, { rowId, similarity }] of hits.entries()) {
      scores.set(rowId, Math.max(scores.get(rowId) ?? 0, 1 / (5 + place)));
      cosines.set(rowId, similarity);
    }
  }
  const memories = await loadMemories(store, database, { scope: owner, rowIds: [...scores.keys()] });
  return [...memories]
    .sort(([one], [other]) => (scores.get(other) ?? 0) - (scores.get(one) ?? 0))
    .map(([rowId, memory]) => ({ memory, cosine: cosines.get(rowId) }));
}

/** The higher of the similarity by words and, if the cosine is known, by meaning. */
export function similarityOf(text: string, { content }: Memory, vectors: Vectors | null, cosine?: number): number {
  const meaning = cosine === undefined || vectors === null ? 0 : calibratedSimilarity(cosine, vectors.calibration);
  return Math.max(meaning, lexicalSimilarity(text, content));
}

const LONGEST_QUERY = 400;
const NEAR_TURN = 8;

/** A draft was formed by the local reader from the user's words in these events only. A model's reading replaces it. */
export function isDraftOf(events: readonly Event[], { reader, sourceEvents, statedBy, type }: Memory): boolean {
  const isOfThese = sourceEvents.every((id) => events.some((event) => event.id === id));
  return reader === 'local' && statedBy === 'user' && type !== 'summary' && isOfThese;
}

/** The nearest statements, filled up with the most important. `drafts` are left out, because they are about to be replaced. */
export async function knownStatements(
  store: Reader,
  { deps, scope, events }: FormWork,
  { vectors, drafts }: { vectors: Vectors | null; drafts: readonly Memory[] },
): Promise<Memory[]> {
  const { existing, existingTokens } = deps.settings.limits;
  const owner = ownerOf(scope);
  const said = events.filter(isReadable).map((event) => event.content);
  const words = searchWords(said.join(' ').slice(0, 20_000), LONGEST_QUERY);
  const wanted = { owner, owners: visibleOwners(owner), words, vectors };
  const most = { byText: existing, byMeaning: Math.min(NEAR_TURN, existing) };
  const found = await search(store, deps, { ...wanted, most });
  const near = found.map(({ memory }) => memory);
  const first = { order: 'important', limit: existing * 2 } as const;
  const important = await listMemories(store, owner, first, { now: deps.clock.now() });
  const comparable = important.items.filter(
    ({ type, sourceType }) => deps.memoryTypes.get(type)?.comparable === true && sourceType !== 'consolidation',
  );
  const own = comparable.filter(({ permanent }) => permanent);
  const replaced = await replacedByDrafts(store, scope, drafts);
  const expired = await expiredNear(store, deps, { ...wanted, owners: changeableOwners(deps, owner) });
  // Similarity is only a guess, so part of the list is reserved for permanent facts, in case a turn changes one of them.
  const all = [...replaced, ...expired, ...near.slice(0, existing * NEAR_SHARE), ...own, ...near, ...comparable];
  // Past events cannot change, so they come last.
  const changing = all.filter(({ tense, dueAt }) => tense !== 'happened' || dueAt !== null);
  const ordered = new Map([...changing, ...all].map((memory) => [memory.id, memory]));
  for (const { id } of drafts) ordered.delete(id);
  let tokens = 0;
  const taken = [...ordered.values()]
    .filter((memory) => mayStillChange(memory) && !hasOutcome(memory, deps.memoryTypes.get(memory.type)))
    .slice(0, existing)
    .filter((memory) => (tokens += estimateTokens(memory.content) + 12) <= existingTokens);
  // In chronological order, so that the reader sees what followed what.
  return taken.sort((one, other) => one.statedAt.getTime() - other.statedAt.getTime());
}

/** How long a reader looks for the outcome of an expired plan. */
const OUTCOME_DAYS = 90;
/** Low, because these turns contain the outcome of few expired statements, and each takes the place of one that is still true. */
const MOST_EXPIRED = 6;

/** Recently expired statements without a known outcome, nearest first: "got the job!" is the outcome of an archived interview. */
async function expiredNear(store: Reader, deps: ApplyDeps, wanted: Omit<Search, 'most'>): Promise<Memory[]> {
  const expiredSince = deps.clock.now() - OUTCOME_DAYS * DAY;
  const most = { byText: MOST_EXPIRED, byMeaning: MOST_EXPIRED };
  const found = await search(store, deps, { ...wanted, expiredSince, most });
  return found.slice(0, MOST_EXPIRED).map(({ memory }) => memory);
}

/** Fraction of the shown statements that is chosen by nearness alone. */
const NEAR_SHARE = 0.7;

/** Statements that drafts of the same turns replaced. Dropping the drafts restores them, so the reader sees them as live. */
async function replacedByDrafts(store: Reader, { tenant }: Scope, drafts: readonly Memory[]): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const { id } of drafts) found.push(...(await memoriesReplacedBy(store, tenant, id)));
  return found
    .filter(({ id, archiveReason }) => archiveReason !== 'forgotten' && !drafts.some((draft) => draft.id === id))
    .map((memory) => ({ ...memory, archivedAt: null, archiveReason: null, contradictedBy: null, validTo: null }));
}

export function isReadable(event: Event): boolean {
  return event.origin === 'user' || event.kind === 'observation';
}

/** Calibrated similarity from which two texts are related. */
const RELATED = 0.6;

/**
 * Finds changes that share no word, number, topic or meaning with their target. Checked only for vital statements, for those that the
 * application set, and for courtesies and questions; other changes pass, because "got it got it got it" may end a search for work. A target
 * that is not vital may also be related to another target of the same turn.
 */
export async function unrelatedChanges<Each extends { target: Memory; said: readonly string[] }>(
  work: FormWork,
  changes: readonly Each[],
): Promise<Each[]> {
  const { attributes, clock } = work.deps;
  const now = work.events.at(-1)?.occurredAt ?? new Date(clock.now());
  const far: Each[] = [];
  for (const change of changes) {
    const { said, target } = change;
    if (said.some((text) => concerns(text, target, attributes))) continue;
    // A statement that the application set was not learned from turns.
    const isSet = target.sourceEvents.length === 0 && target.sourceType === 'explicit';
    // A thank-you or a request for something else ends nothing.
    const isIdle = said.every((text) => isCourtesy(text) || /[?？]\s*$/u.test(text));
    if (!isVital(target, now, attributes) && !isSet && !isIdle) continue;
    const nearness = (await nearnessTo(work, target.content.slice(0, LONGEST_COMPARED), said)) ?? [];
    if (!nearness.some(({ similarity }) => similarity >= RELATED)) far.push(change);
  }
  return far.filter(({ said, target }) => {
    const others = changes.filter((other) => !far.includes(other) && other.said[0] === said[0]);
    return (
      isVital(target, now, attributes) || !others.some((other) => concerns(other.target.content, target, attributes))
    );
  });
}

function concerns(said: string, { subject, content, value, attribute }: Memory, attributes: AttributeTable): boolean {
  const names = [attribute ?? '', ...attributes.policyOf(attribute ?? '').synonyms].join(' ').replaceAll('_', ' ');
  return isAbout(said, `${subject} ${content} ${value ?? ''} ${names}`, attribute);
}

// The prompt in `model-reader.ts` gives this importance to health, safety, identity, and what the user asks to remember.
const MOST_IMPORTANT = 0.9;

/** Only words about a vital statement may change it. An event whose day has passed needs no such protection. */
function isVital({ importance, attribute, tense, dueAt }: Memory, now: Date, attributes: AttributeTable): boolean {
  const isPassed = (tense === 'planned' || tense === 'happened') && dueAt !== null && dueAt <= now;
  return !isPassed && (importance >= MOST_IMPORTANT || hasTrait(attribute, 'vital', attributes));
}

export function unrelatedTarget({ content }: Memory, events: readonly { id: string }[]): Refusal {
  return refusal('end', 'unknown_target', content, { detail: 'the quoted turn is not about it', events });
}
