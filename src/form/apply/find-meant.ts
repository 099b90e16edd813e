import { detectPack } from '../../language/packs/packs.ts';
import { splitSentences } from '../../language/sentences.ts';
import { calibratedSimilarity, dot } from '../../models/calibration.ts';
import { unlessUnavailable } from '../../models/embedder.ts';
import { normalValue } from '../../record/attributes.ts';
import type { Event } from '../../record/event.ts';
import type { ArchiveReason, Memory } from '../../record/memory.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import type { Quote } from '../../record/statement.ts';
import type { Parts, Reader, Writer } from '../../store/database.ts';
import { ownEvents } from '../../store/event-store.ts';
import { quotesMeet } from '../../store/forget/forgotten-store.ts';
import { clausesOf } from '../../store/forget/hide-words.ts';
import { findMemory, listMemories, memoriesFrom } from '../../store/read-memories.ts';
import type { Evidence } from '../check/evidence.ts';
import { changeableOwners, embedTexts, type EmbedWork, ownerOf } from '../compare.ts';
import {
  type AskedIn,
  DOUBTED,
  isMoreThanGreeting,
  isWide,
  type Meanable,
  meantByRequest,
  namesNothing,
  sharedWords,
  staysIn,
  WHOLE,
  withRepeats,
} from '../meant-by-request.ts';
import type { ReadForget } from '../read/reader.ts';
import type { CheckedForget, SaidSentence, ToldRequest } from '../statement.ts';

/** What a request to forget means: statements, and words of turns from which no statement was formed. */
export interface Meant {
  memories: Memory[];
  words: Quote[];
}

/** Where the statements and turns that a request may mean are found. */
export interface Forgetting {
  writer: Writer;
  deps: Parts;
  owner: Scope;
  /** The turns of the formation, with those before them. */
  turns: readonly Event[];
}

const MOST_KNOWN = 1000;

/** All statements of the user that may be changed here, live and replaced, and all earlier words of every speaker. */
export async function findEverything(forgetting: Forgetting, event: Event): Promise<Meant> {
  const { writer, owner } = forgetting;
  const memories = await forgettable(forgetting, [], true);
  const said = await saidBefore(writer, owner, event, { isEverything: true });
  const { words } = await withStatements(
    writer,
    memories,
    said.map(({ quote }) => quote),
  );
  return { memories, words };
}

/**
 * What a request means, by the first of these that applies: the statements that a language model names; the words of its own turn; earlier
 * sentences and statements; for a request that names nothing, what was said just before; its own sentence, or the nearest earlier one.
 */
export async function findMeant(forgetting: Forgetting, asked: CheckedForget): Promise<Meant> {
  const { writer, deps } = forgetting;
  const { request, evidence, targets, isByModel, nearest = [] } = asked;
  const { open, own, said } = await meanable(forgetting, asked);
  const named = isByModel ? own.filter(({ id }) => targets.some((target) => target.id === id)) : [];
  if (named.length > 0) return { memories: withRepeats(named, own), words: [] };
  const asking = { attributes: deps.attributes, pack: detectPack(evidence.event.content), isAll: request.isAll };
  const isPhrased = request.isLikely !== true;
  const likely = likelyMeant(asked, asking);
  // "Don't keep this: I take sertraline." can mean only its own turn; "my PIN is 1234, don't keep that" may mean an earlier one.
  const isOwn = !likely.some(({ odds }) => odds > RATHER) || (isPhrased && (request.own?.start ?? 0) > evidence.start);
  if (request.own !== undefined && isOwn)
    return withStatements(writer, open, [{ event: evidence.event.id, ...request.own }]);
  if (isDoubted(asked) && new Set(likely.map(({ quote }) => quote.event)).size > 1) return { memories: [], words: [] };
  const meant = await meantBefore(writer, asked, { own, said, likely, asking });
  if (meant.memories.length + meant.words.length > 0) return meant;
  if (isPhrased && namesNothing(request.about, asking)) return saidJustBefore(forgetting, evidence, open);
  return withStatements(writer, open, request.isDenial === true ? besideRequest(evidence) : nearest);
}

/** "Marius is going to lose it": whether the reading layers deny that the phrase is a request. It then means at most one turn. */
function isDoubted({ told = null, isByModel }: CheckedForget): boolean {
  return told !== null && told.asks < DOUBTED && !isByModel;
}

/**
 * The earlier sentences that the layers take to be meant. A request with a phrase also means the statements whose fields it names, unless
 * the layers are sure of the contrary, and statements and sentences that the layers have not read if they share words with it.
 */
async function meantBefore(
  writer: Writer,
  asked: CheckedForget,
  { own, said, likely, asking }: { own: Memory[]; said: SaidSentence[]; likely: SaidSentence[]; asking: AskedIn },
): Promise<Meant> {
  const { about, isLikely } = asked.request;
  const isNothing = namesNothing(about, asking);
  const isWhole = isNothing || isWide(about, asking);
  const precise = <Item extends Meanable>(items: readonly Item[]): Item[] =>
    isNothing ? [] : meantByRequest(about, items, { ...asking, least: WHOLE });
  const found: (Memory | SaidSentence)[] = [...likely];
  if (isLikely !== true && !isNothing) {
    const { sentences = [], asks = 0 } = asked.told ?? {};
    const read = sentences.map(({ quote }) => quote);
    const isUnlikely = ({ quotes }: Memory): boolean =>
      sentences.some(({ quote, odds }) => quotesMeet(quotes, [quote]) && odds - Math.min(0, asks) < UNLIKELY);
    const unread = [...own, ...said].filter((item) => !quotesMeet(placesOf(item), read));
    const stated = own.filter((memory) => memory.attribute !== null && !isUnlikely(memory));
    found.push(...(isDoubted(asked) ? [] : precise(stated)), ...meantByRequest(about, unread, asking));
  }
  const apart = own.filter((memory) => isWhole || !isInOtherClause(memory, said, precise));
  return asMeant(writer, apart, found, isWhole ? undefined : precise);
}

/** The log-odds above which an earlier sentence is meant rather than the turn of the request. */
const RATHER = 1;
/** Below these log-odds, less the layers' doubt about the request, a sentence is not meant even if a field of its statement is named. */
const UNLIKELY = -9;

/**
 * The statements and sentences that a request may mean. `open` also has the statements of the request's own turn and of later turns; `own`
 * has those that held when the user asked.
 */
async function meanable(
  forgetting: Forgetting,
  { evidence: { event }, targets }: CheckedForget,
): Promise<{ open: Memory[]; own: Memory[]; said: SaidSentence[] }> {
  const { writer, deps, owner, turns } = forgetting;
  // "Remove all about my medication. The allergy should stay.": the allergy is not meant.
  const stays = staysIn(event.content, deps);
  const open = (await forgettable(forgetting, targets)).filter((memory) => !stays(memory));
  const since = new Set(turns.slice(turnsBefore(turns, event).length + 1).map(({ id }) => id));
  const later = new Set(open.filter((memory) => isSaidSince(memory, event, since)));
  const replacing = new Set([...later].map(({ id }) => id));
  // What a later turn has replaced still held when the user asked.
  const own = open
    .filter((memory) => !later.has(memory))
    .map((memory) => (replacing.has(memory.contradictedBy ?? '') ? { ...memory, archivedAt: null } : memory));
  const said = (await saidBefore(writer, owner, event)).filter((sentence) => !stays(sentence));
  return { open, own, said };
}

/** The sentences that a request probably means, by the reading layers and the other features. */
function likelyMeant({ request, told = null }: CheckedForget, asking: AskedIn): ToldRequest['sentences'] {
  if (told === null) return [];
  const signs = signsOf(request, told, asking);
  const score = (values: readonly number[]): number =>
    MEANT_WEIGHTS.reduce((sum, weight, index) => sum + weight * (values[index] as number), MEANT_BIAS);
  const enough = request.isLikely === true ? 0 : ENOUGH;
  return told.sentences.filter((_, index) => score(signs[index] as number[]) > enough);
}

/**
 * The features that decide whether a request means a sentence, in the order of `MEANT_WEIGHTS`: the log-odds of the reading layers; where
 * these lie between the lowest and the highest of all sentences; whether the sentence shares the most words with the request; whether it
 * shares all words of a request with a phrase; for a request that names nothing, whether the sentence is of the latest turn, and whether of
 * an earlier one; for other requests, whether it is of the latest turn; how much the layers doubt the phrase; whether there is no phrase;
 * and the logarithm of the number of sentences.
 */
export function signsOf(request: ReadForget, { asks, sentences }: ToldRequest, asking: AskedIn): number[][] {
  const odds = sentences.map((sentence) => Math.max(-MOST_ODDS, Math.min(MOST_ODDS, sentence.odds)));
  const [least, most] = [Math.min(...odds), Math.max(...odds)];
  const shared = sharedWords(request.quote.words, sentences, asking);
  const mostShared = Math.max(...shared);
  const isPhrased = request.isLikely !== true;
  const isNothing = isPhrased && namesNothing(request.about, asking);
  const latest = sentences[0]?.quote.event;
  return sentences.map(({ quote }, index) => {
    const own = odds[index] as number;
    return [
      own,
      (own - least + 1) / (most - least + 1),
      Number(mostShared > 0 && shared[index] === mostShared),
      Number(isPhrased && shared[index] === WHOLE),
      Number(isNothing && quote.event === latest),
      Number(isNothing && quote.event !== latest),
      Number(!isNothing && quote.event === latest),
      isPhrased ? Math.min(MOST_ODDS, Math.max(0, -asks)) : 0,
      Number(!isPhrased),
      Math.log(sentences.length),
    ];
  });
}

const MOST_ODDS = 10;
/** The weights of these features, fitted by `node train/meant/fit.ts`. */
const MEANT_WEIGHTS = [0.44, 1.43, 2.36, 1.08, 1.42, -0.91, -1.1, 0.17, 0.09, 0.66];
const MEANT_BIAS = -2.48;
/** The log-odds that are enough for a request with a phrase: missing a sentence that it means is worse than forgetting one too many. */
const ENOUGH = -0.6;

function placesOf(item: Memory | SaidSentence): readonly Quote[] {
  return 'quote' in item ? [item.quote] : item.quotes;
}

/**
 * The found statements and sentences, with the statements that were read from these sentences, and the words from which none was read.
 * Where `precise` finds the statement asked for ("forget where I work" after "I live in Oslo and work at Equinor"), the rest stays.
 */
async function asMeant(
  writer: Writer,
  own: readonly Memory[],
  found: readonly (Memory | SaidSentence)[],
  precise: (statements: readonly Memory[]) => Memory[] = () => [],
): Promise<Meant> {
  const stated = found.filter((item): item is Memory => 'quotes' in item);
  // A statement may have other words than its turn: "Javier has coeliac disease" was read from "Javier is a coeliac".
  const quotes = found.flatMap((item) => (item.attribute === null ? placesOf(item) : []));
  const { memories, words } = await withStatements(writer, own, quotes);
  const exact = withRepeats(precise(memories.filter(({ attribute }) => attribute !== null)), memories);
  const places = exact.flatMap((memory) => memory.quotes);
  const isApart = (others: readonly Quote[]): boolean => !quotesMeet(others, places);
  const apart = memories.filter((memory) => isApart(memory.quotes));
  return { memories: [...new Set([...stated, ...exact, ...apart])], words: words.filter((each) => isApart([each])) };
}

/** "I live in Oslo and work at Equinor": whether a request means one clause of a sentence, and the value of a statement is in another. */
function isInOtherClause(
  { value, quotes }: Memory,
  said: readonly SaidSentence[],
  precise: (clauses: readonly Meanable[]) => Meanable[],
): boolean {
  if (value === null) return false;
  return said
    .filter(({ quote }) => quotesMeet([quote], quotes))
    .some(({ content }) => {
      const clauses = clausesOf(content).map(({ from, end }) => content.slice(from, end));
      const meant = clauses.filter((clause) => precise([{ attribute: null, value: null, content: clause }]).length > 0);
      const own = clauses.find((clause) => normalValue(clause).includes(normalValue(value)));
      return own !== undefined && meant.length > 0 && !meant.includes(own);
    });
}

/** "Don't write this down, but my sister is pregnant": the sentence of a request not to keep something, if nothing earlier is meant. */
function besideRequest({ event, start }: Evidence): Quote[] {
  const sentence = splitSentences(event.content).find(({ span }) => span.end > start);
  return sentence === undefined ? [] : [{ event: event.id, ...sentence.span }];
}

/**
 * The statements that a request can mean: those that hold, those that were replaced or ended, and the ones that the reader names, however
 * old they are. A draft that was read again is left out: its words belong to the statements of the second reading.
 */
async function forgettable(
  { writer, deps, owner }: Forgetting,
  targets: readonly Memory[],
  isEverything = false,
): Promise<Memory[]> {
  const types = [...deps.memoryTypes].filter(([, type]) => type.forgettable).map(([name]) => name);
  const list = async (filter: { archiveReasons?: ArchiveReason[] }): Promise<Memory[]> => {
    const listed: Memory[] = [];
    let cursor: string | null | undefined;
    do {
      const page = { types, limit: MOST_KNOWN, ...filter, ...(cursor == null ? {} : { cursor }) };
      const { items, cursor: next } = await listMemories(writer, owner, page, { now: deps.clock.now() });
      listed.push(...items);
      cursor = next;
    } while (isEverything && cursor !== null);
    return listed;
  };
  const live = await list({});
  const past = await list({ archiveReasons: ['superseded', 'contradicted'] });
  const replaced = past.filter(
    ({ archiveReason, contradictedBy }) => isEverything || archiveReason === 'contradicted' || contradictedBy !== null,
  );
  const found = new Map([...live, ...replaced].map((memory) => [memory.id, memory]));
  for (const { id } of targets) {
    const memory = found.get(id) ?? (await findMemory(writer, owner, id));
    if (memory !== null && memory.archiveReason !== 'forgotten' && types.includes(memory.type)) found.set(id, memory);
  }
  const owners = changeableOwners(deps, owner);
  return [...found.values()].filter((memory) => owners.includes(ownerKey(memory.scope)));
}

/** For "forget that": what the turn says before the request, otherwise the user's previous turn, with all statements formed from it. */
async function saidJustBefore(
  { writer, turns }: Forgetting,
  { event, start }: Evidence,
  own: readonly Memory[],
): Promise<Meant> {
  const isOwnTurn = isMoreThanGreeting(event.content.slice(0, start));
  const isSaid = ({ origin, kind, content }: Event): boolean =>
    origin === 'user' && kind === 'message' && content.trim() !== '';
  const before = isOwnTurn ? event : turnsBefore(turns, event).findLast(isSaid);
  if (before === undefined) return { memories: [], words: [] };
  return withStatements(writer, own, [{ event: before.id, start: 0, end: isOwnTurn ? start : before.content.length }]);
}

/** Words of turns, with the statements that were read from them. */
async function withStatements(writer: Writer, own: readonly Memory[], words: readonly Quote[]): Promise<Meant> {
  const [tenant] = own.map(({ scope }) => scope.tenant);
  if (tenant === undefined || words.length === 0) return { memories: [], words: [...words] };
  const events = words.map(({ event }) => event);
  const learned = await memoriesFrom(writer, tenant, events);
  const isMeant = ({ quotes }: Memory): boolean => quotes.length === 0 || quotesMeet(quotes, words);
  const ids = new Set(learned.filter(isMeant).map(({ id }) => id));
  const memories = own.filter(({ id }) => ids.has(id));
  // Words that a statement quotes, except for a final full stop, are removed together with the statement.
  const isQuoted = ({ event, start, end }: Quote): boolean =>
    memories.some(({ quotes }) =>
      quotes.some((quote) => quote.event === event && quote.start <= start && quote.end >= end - 1),
    );
  return { memories, words: words.filter((each) => !isQuoted(each)) };
}

/** The turns before the given one, by position: all turns that the application logs in one call may have the same time. */
export function turnsBefore(turns: readonly Event[], { id }: Event): readonly Event[] {
  return turns.slice(
    0,
    turns.findIndex((turn) => turn.id === id),
  );
}

/** Whether a memory was stated in the turn of the request alone, or in one of the turns `since` then. */
function isSaidSince({ statedAt, sourceEvents }: Memory, request: Event, since: ReadonlySet<string>): boolean {
  return (
    statedAt > request.occurredAt ||
    sourceEvents.some((id) => since.has(id)) ||
    (sourceEvents.length === 1 && sourceEvents[0] === request.id)
  );
}

const MOST_TURNS = 200;

/**
 * The user's sentences before a turn, the latest turn first, including those from which no memory was formed. `isEverything`: the sentences of
 * all turns, and also those of the assistant and of tools.
 */
async function saidBefore(
  reader: Reader,
  owner: Scope,
  event: Event,
  { isEverything = false } = {},
): Promise<SaidSentence[]> {
  const heard = await ownEvents(reader, owner, {
    ...(isEverything ? {} : { kind: 'message', origins: ['user'], limit: MOST_TURNS }),
    occurred: { upTo: event.occurredAt.getTime() },
    order: 'newest',
  });
  const turns = heard.filter(({ kind }) => kind !== 'document_chunk');
  const before = turns.slice(turns.findIndex(({ id }) => id === event.id) + 1);
  return before.flatMap(({ id, content }) =>
    splitSentences(content).map(({ text, span }) => ({
      attribute: null,
      value: null,
      content: text,
      quote: { event: id, start: span.start, end: span.end },
    })),
  );
}

const MOST_COMPARED = 40;
/**
 * The least similarity between a request and the sentence that it means, and its least lead over the second-best sentence. Below these the
 * request is ambiguous.
 */
const NEAR = 0.6;
const AHEAD = 0.05;
/** The log-odds above which a turn without a phrase counts as a request, given what was said before it. */
const ASKS = 2;
/** Below these log-odds the phrase of a request in a sentence that may quote somebody is not obeyed. */
const DENIED = -7;
const QUOTING = /[“”„«»「」『』【】":：]/u;

export type MeantWork = EmbedWork & { deps: Parts };

/**
 * Adds to each request how the reading layers read it together with the user's earlier sentences: "my salary" means "I make 90k". A request
 * that only the layers recognise is dropped if they find nothing that it means.
 */
export async function withTold(work: MeantWork, forgets: readonly CheckedForget[]): Promise<CheckedForget[]> {
  const { deps, scope } = work;
  const found: CheckedForget[] = [];
  for (const asked of forgets) {
    const { request, evidence } = asked;
    const isNamedByModel = asked.isByModel && asked.targets.length > 0;
    if (request.takenBack === true || isNamedByModel || asked.isEverything === true) {
      found.push(asked);
      continue;
    }
    const { event } = evidence;
    const stays = staysIn(event.content, deps);
    const before = await deps.database.read(scope.tenant, (reader) => saidBefore(reader, ownerOf(scope), event));
    const said = before.filter((sentence) => !stays(sentence)).slice(0, MOST_COMPARED);
    const told = said.length === 0 ? null : await tellRequest(work, asked, said);
    const isMeant =
      told !== null &&
      told.asks > ASKS &&
      (request.isDenial === true ||
        request.own !== undefined ||
        told.sentences.some(({ odds }) => odds > neededAmong(told.sentences.length)));
    const isDenied = told !== null && told.asks < DENIED && QUOTING.test(request.quote.words);
    if (request.isLikely === true ? !isMeant : isDenied) continue;
    found.push({ ...asked, told, nearest: told === null ? await nearestOf(work, asked, said) : [] });
  }
  return found;
}

/** The log-odds that a sentence needs for a request without a phrase: among more sentences, more come near by chance. */
function neededAmong(sentences: number): number {
  return Math.min(4.6, Math.max(0, 3.2 * (Math.log(sentences) - 1)));
}

/** How the reading layers read a request together with the sentences that it may mean; null if there are no layers or they fail. */
async function tellRequest(
  work: MeantWork,
  asked: CheckedForget,
  said: readonly SaidSentence[],
): Promise<ToldRequest | null> {
  const { deps, scope, signal } = work;
  const embedder = await deps.database.read(scope.tenant, (reader) => deps.embedding.forQueries(reader));
  if (embedder?.readParts === undefined) return null;
  const parts = sentencesAround(asked.evidence);
  const turns = [...Map.groupBy(said, ({ quote }) => quote.event).values()];
  const told = await unlessUnavailable(
    embedder.readParts(
      parts.map(({ text }) => text),
      { said: turns.map((sentences) => sentences.map(({ content }) => content)), signal },
    ),
  );
  if (told === null) return null;
  return {
    asks: Math.max(-Infinity, ...told.request.slice(0, parts.length)),
    sentences: turns.flat().map((sentence, index) => ({ ...sentence, odds: told.request[parts.length + index] ?? 0 })),
  };
}

const MOST_AROUND = 6;

/** The sentence of a request and its neighbours: a long turn has more than can be read together with what was said before. */
function sentencesAround({ event, start }: Evidence): { text: string }[] {
  const sentences = splitSentences(event.content);
  const first = sentences.findIndex(({ span }) => span.end > start);
  return sentences.slice(Math.max(0, first - MOST_AROUND), first + MOST_AROUND);
}

/** For other embedders: the sentence that is nearest in meaning, unless the request is ambiguous. */
async function nearestOf(
  work: MeantWork,
  { request: { about } }: CheckedForget,
  said: readonly SaidSentence[],
): Promise<Quote[]> {
  const isNamed = said.length > 0 && !namesNothing(about, work.deps);
  const vectors = isNamed ? await embedTexts(work, [about, ...said.map(({ content }) => content)]) : null;
  const query = vectors?.of[0];
  if (vectors === null || query === undefined) return [];
  const [first, second] = said
    .map(({ quote }, index) => {
      const cosine = dot(vectors.of[index + 1] as Float32Array, query);
      return { quote, similarity: calibratedSimilarity(cosine, vectors.calibration) };
    })
    .toSorted((left, right) => right.similarity - left.similarity);
  const isClear = (first?.similarity ?? 0) >= NEAR && (first?.similarity ?? 0) >= (second?.similarity ?? 0) + AHEAD;
  return isClear && first !== undefined ? [first.quote] : [];
}
