import { parseDate, zoneOf } from '../../language/calendar.ts';
import {
  detectPack,
  forgetPatterns,
  isFunctionWord,
  orderIn,
  packPattern,
  PACKS,
  plainMarks,
  topicsNamed,
} from '../../language/packs/packs.ts';
import { contentStems } from '../../language/words.ts';
import { yieldToEventLoop } from '../../record/event-loop.ts';
import { isUser, lengthOf, normalValue, type Quote, trustOf, USER } from '../../record/statement.ts';
import type { Event } from '../../record/event.ts';
import { typesThat } from '../../record/memory-types.ts';
import { type ArchiveReason, hasOutcome, isPlanOver, mayStillChange, type Memory } from '../../record/memory.ts';
import type { Forgotten } from '../../record/forgotten.ts';
import { ownerKey, ownerOf, type Scope } from '../../record/scope.ts';
import type { Reader } from '../../store/database.ts';
import { findEvents, ownEvents } from '../../store/event-store.ts';
import { forget, linkEntities, unforget } from '../../store/forget/forget.ts';
import { listForgotten, quotesMeet } from '../../store/forget/forgotten-store.ts';
import { findMemory, listMemories } from '../../store/read-memories.ts';
import {
  archiveMemory,
  insertMemory,
  laterOf,
  restoreOrKeepAsHistory,
  reviseMemory,
} from '../../store/write-memory.ts';
import { type CheckContext, isQuoted, locateOwnWords, quoteOf, saidWith, trustOfWords } from '../check/evidence.ts';
import { changeableOwners, unrelatedChanges, unrelatedTarget } from '../compare.ts';
import { maySupersede } from '../decide/claim-rank.ts';
import { type Reading, type ReadQuote, refusal } from '../read/reader.ts';
import type { FormWork, Writing } from '../formation-settings.ts';
import type { CheckedForget, CheckedRequests, Evidence, MeantWords, ToldRequest } from '../statement.ts';
import { reachGoal } from './apply.ts';
import { clausesOf, userTurnsBefore } from './request-clauses.ts';
import { ownSubject } from '../read/local/slot-values.ts';
import { isOfUser, wordsOf } from './request-owners.ts';
import { saysAnything } from './request-words.ts';
import { mayAsk, tellRequest } from './told-request.ts';

/** Only the user's own words may end or forget a statement, so the quotes are checked first. */
export async function checkRequests(work: FormWork, read: Reading, context: CheckContext): Promise<CheckedRequests> {
  const checked = await checkEnds(work, read, context);
  for (const request of read.forgets) {
    await yieldToEventLoop();
    const evidence = locateOwnWords(request.quote, context);
    const targets = request.known.flatMap((number) => context.known[number - 1] ?? []);
    const isNamed = targets.length > 0 || request.takenBack === true;
    if (evidence === null || (request.known.length > 0 && !isNamed)) {
      const reason = evidence === null ? 'quote_not_found' : 'unknown_target';
      checked.refused.push(refusal('forget', reason, request.quote.words));
      continue;
    }
    if (!context.isLocal && request.takenBack !== true && !(await mayAsk(work, evidence.event.content))) {
      const how = { detail: 'the quoted turn contains no request to forget', events: [evidence.event] };
      checked.refused.push(refusal('forget', 'quote_not_found', request.quote.words, how));
      continue;
    }
    const kept = isNamed || !context.isLocal ? null : await keepsAgain(work, evidence);
    const told = isNamed ? null : (kept ?? (await tellRequest(work, evidence)));
    if (told !== null || !context.isLocal) checked.forgets.push({ request, evidence, targets, told });
  }
  return checked;
}

/** A model's end is refused if the quoted turn is unrelated to the statement that it ends. */
async function checkEnds(work: FormWork, { ends }: Reading, context: CheckContext): Promise<CheckedRequests> {
  const checked: CheckedRequests = { ends: [], forgets: [], refused: [] };
  for (const { known, quote, on, isReached } of ends) {
    const target = context.known[known - 1];
    const end = target === undefined ? null : checkEnd(target, quote, context);
    if (end === null) {
      const reason = target === undefined ? 'unknown_target' : 'quote_not_found';
      checked.refused.push(refusal('end', reason, quote.words));
      continue;
    }
    const day = parseDate(on, zoneOf(end.evidence.event, context.settings.timeZone));
    checked.ends.push({ ...end, on: day, isReached });
  }
  if (context.isLocal) return checked;
  const changes = checked.ends.map((end) => ({ ...end, said: saidWith([end.evidence.event], context) }));
  const unrelated = await unrelatedChanges(work, changes);
  checked.refused.push(...unrelated.map(({ target, evidence }) => unrelatedTarget(target, [evidence.event])));
  return { ...checked, ends: changes.filter((end) => !unrelated.includes(end)) };
}

/** Null if the quoted words may not end the statement. Empty words quote the whole turn. */
export function checkEnd(
  target: Memory,
  quote: ReadQuote,
  context: CheckContext,
): CheckedRequests['ends'][number] | null {
  const evidence = locateOwnWords(quote, context, target);
  if (evidence === null) return null;
  return { target, evidence, on: null, trust: trustOfWords(evidence, target.subject, context.userNames) };
}

interface Forgetting extends Writing {
  owner: Scope;
  turns: readonly Event[];
}

export async function applyRequests(
  writing: Writing & Pick<FormWork, 'earlier'>,
  asked: CheckedRequests,
): Promise<void> {
  await applyEnds(writing, asked.ends);
  const turns = [...writing.earlier, ...writing.events];
  const forgetting = { ...writing, owner: ownerOf(writing.scope), turns };
  for (const each of asked.forgets) {
    await yieldToEventLoop();
    const takesBack = each.request.takenBack === true || each.told?.takesBack === true;
    await (takesBack ? takeBack(forgetting, each) : applyForget(forgetting, each));
  }
}

/** Ended statements become history, with a quote of the turn. A goal or an intention that came true gets its outcome instead. */
async function applyEnds(writing: Writing, ends: CheckedRequests['ends']): Promise<void> {
  const { writer, deps, scope, result } = writing;
  const why = { ...writing.why, reason: IT_IS_OVER };
  for (const { target, evidence, on, trust, isReached } of ends) {
    const now = await findMemory(writer, scope, target.id);
    const { event } = evidence;
    if (now === null || !isOpen(now, writing)) continue;
    if (!mayEnd(now, trust, event.occurredAt)) {
      result.refused.push(refusal('end', 'outranked', now.content, { events: [event] }));
      continue;
    }
    const type = deps.memoryTypes.get(now.type);
    if (isReached === true && type?.initialState !== null) {
      if (!hasOutcome(now, type)) await reachGoal(writing, now, event.occurredAt);
      continue;
    }
    // If the end is in the future ("I leave on 1 April"), the statement stays current until maintenance archives it on that day. A plan
    // that came true, or whose day has passed, ends immediately.
    const isOver = (isReached === true && now.tense === 'planned') || isPlanOver(now, event.occurredAt.getTime());
    const isAhead = on !== null && on > event.occurredAt && now.archivedAt === null && !isOver;
    const change = { quotes: [quoteOf(evidence)], ...(isAhead ? { validTo: laterOf(now.validFrom, on) } : {}) };
    const quoted = await reviseMemory(writer, deps, now, { change, why });
    if (isAhead) continue;
    await archiveMemory(writer, deps, quoted, { reason: 'contradicted', until: event.occurredAt, why });
    result.retired.push(now.id);
  }
}

const IT_IS_OVER = 'the user says that it is over';

function isOpen(memory: Memory, { deps, scope }: Pick<Writing, 'deps' | 'scope'>): boolean {
  return mayStillChange(memory) && changeableOwners(deps, scope).includes(ownerKey(memory.scope));
}

function mayEnd(memory: Memory, trust: Memory['trust'], statedAt: Date): boolean {
  return maySupersede({ sourceType: 'explicit', trust, statedAt, validFrom: null }, memory);
}

/** Ends a known statement that a text from outside the log makes untrue. */
export async function endStatement(
  { writer, deps, scope, why }: Omit<Writing, 'result'>,
  { id, by, at }: { id: string; by: Event['origin']; at: Date },
): Promise<void> {
  const memory = await findMemory(writer, scope, id);
  if (memory === null || memory.archivedAt !== null || !isOpen(memory, { deps, scope })) return;
  if (!mayEnd(memory, trustOf(by), at)) return;
  const reason = { ...why, reason: IT_IS_OVER };
  await archiveMemory(writer, deps, memory, { reason: 'contradicted', until: at, why: reason });
}

/** A request for more items was misread, or needs `erase`. */
const MOST_AT_ONCE = 60;

async function applyForget(forgetting: Forgetting, asked: CheckedForget): Promise<void> {
  const { writer, deps, owner, result, why } = forgetting;
  const { request, evidence, told } = asked;
  const { memories, words, parted } = await findMeant(forgetting, asked);
  const isEverything = told?.isEverything === true;
  const count = memories.length + words.length;
  if (count === 0 || (count > MOST_AT_ONCE && !isEverything)) {
    result.refused.push(refusal('forget', count === 0 ? 'unknown_target' : 'excess', request.quote.words));
    return;
  }
  if (deps.settings.requestsToForget === 'report') {
    const said = told?.words.filter((each) => words.includes(each)).map(({ text }) => text.trim()) ?? [];
    const meant = [...memories.map(({ id, content }) => `${id}: ${content}`), ...said];
    const detail = isEverything ? 'everything' : meant.join('\n').slice(0, 1000).toWellFormed();
    const how = { detail, events: [evidence.event] };
    result.refused.push(refusal('forget', 'needs_confirmation', request.quote.words, how));
    return;
  }
  const isWhole = told === null || told.asking.length === 0 || isEverything;
  const forgotten = await forget(writer, deps, {
    scope: owner,
    memories,
    words,
    isEverything,
    isByClause: told?.isByClause === true,
    topics: told?.topics,
    by: 'user',
    request: { event: evidence.event, quotes: isWhole ? [quoteOf(evidence)] : told.asking },
    why: { ...why, reason: 'the user asked to forget it' },
  });
  result.forgotten.push(...forgotten.map(({ id }) => id));
  await writeRests(forgetting, parted);
}

/** A statement that was repeated after the request is left out. */
async function findMeant(forgetting: Forgetting, asked: CheckedForget) {
  const { turns } = forgetting;
  const { targets, told, evidence } = asked;
  const since = turns.slice(turns.findIndex(({ id }) => id === evidence.event.id) + 1);
  const isSaidAgain = ({ sourceEvents, value, content }: Memory): boolean =>
    since.some(
      (turn) =>
        sourceEvents.includes(turn.id) ||
        (turn.origin === 'user' && normalValue(turn.content).includes(normalValue(value ?? content))),
    );
  const known = await forgettable(forgetting, asked);
  const open = known.filter((memory) => !isSaidAgain(memory));
  const named = open.filter(({ id }) => targets.some((target) => target.id === id));
  if (named.length > 0 || told === null) return { memories: named, words: [], parted: [] };
  if (told.isEverything) return { memories: open, words: await allWords(forgetting, evidence.event), parted: [] };
  const ids = told.words.map(({ event }) => event);
  const sources = await findEvents(forgetting.writer, forgetting.owner, ids);
  const memories = open.flatMap((memory) =>
    told.memories.includes(memory.id) ? memory : (withinWords(memory, told.words, sources) ?? []),
  );
  const parted = open.flatMap((whole) => {
    const part = memories.find(({ id }) => id === whole.id);
    const isParted =
      whole.archivedAt === null && whole.value === null && part !== undefined && part.quotes !== whole.quotes;
    return isParted ? { whole, part } : [];
  });
  const quotes = memories.flatMap((memory) => memory.quotes);
  const isWithin = ({ event, start, end }: Quote): boolean =>
    quotes.some((quote) => quote.event === event && quote.start <= start && quote.end >= end - 1);
  return { memories, words: told.words.filter((each) => !isWithin(each)), parted };
}

/** The statements that partly forgotten ones still make: "His birthday is in May." of "My brother is a nurse. His birthday is in May." */
async function writeRests(
  { writer, deps, owner, result, why }: Forgetting,
  parted: readonly { whole: Memory; part: Memory }[],
): Promise<void> {
  const events = parted.flatMap(({ whole }) => whole.quotes.map(({ event }) => event));
  const sources = await findEvents(writer, owner, events);
  const reason = { ...why, reason: 'the user asked to forget the rest of its turn' };
  for (const { whole, part } of parted) {
    const rests = whole.quotes
      .flatMap((quote) => withoutPlaces(quote, part.quotes))
      .map((quote) => {
        const content = sources.find(({ id }) => id === quote.event)?.content ?? '';
        return { quote, words: content.slice(quote.start, quote.end).trim() };
      });
    // The log no longer has words that were hidden along with the forgotten ones.
    const left = rests.filter(({ words }) => saysAnything(words));
    if (left.length === 0) continue;
    const pack = detectPack(whole.content);
    const said = left.map(({ words }) => words).join(' ');
    const isOwn = isUser(whole.subject) || pack === null || isOfUser(said, pack);
    const rest: Memory = {
      ...whole,
      id: deps.ids.next('mem'),
      subject: isOwn ? USER : whole.subject,
      content: isOwn ? said : `${ownSubject(whole.subject, pack)}: ${said}`,
      quotes: left.map(({ quote }) => quote),
      entities: [],
      createdAt: new Date(deps.clock.now()),
      internal: { restOf: whole.id },
    };
    await insertMemory(writer, deps, rest, reason);
    await linkEntities(writer, deps, rest.id, whole.scope);
    result.added.push(rest.id);
  }
}

function withoutPlaces(quote: Quote, places: readonly Quote[]): Quote[] {
  const meeting = places.filter((place) => quotesMeet([quote], [place]));
  return meeting
    .reduce<Quote[]>(
      (pieces, { start, end }) =>
        pieces.flatMap((piece) => [
          { ...piece, end: Math.min(piece.end, start) },
          { ...piece, start: Math.max(piece.start, end) },
        ]),
      [quote],
    )
    .filter(({ start, end }) => start < end);
}

/**
 * The part of a statement that a request refers to, or null. "I live in Oslo and work at Equinor" gives two statements that both quote the
 * whole sentence. Each is forgotten only if the clause of the request contains its value or, for an unquoted value, shares a word with it.
 * Without a value, only the words of the clause are forgotten.
 */
function withinWords(memory: Memory, words: readonly MeantWords[], sources: readonly Event[]): Memory | null {
  const { quotes, value } = memory;
  const meant = words.filter((each) => quotesMeet(quotes, [each]));
  if (meant.length === 0) return null;
  if (lengthOf(meant) * WHOLE >= lengthOf(quotes)) return memory;
  const said = meant.map(({ text }) => text.trim()).join(' ');
  if (value === null) return { ...memory, content: said, quotes: meant };
  const isMeant = isQuoted(value, quotes, sources)
    ? normalValue(said).includes(normalValue(value))
    : [...contentStems(value)].some((stem) => contentStems(said).has(stem));
  return isMeant ? { ...memory, quotes: meant } : null;
}

/** A whole statement is forgotten if its quotes are at most this many times as long as the words to forget. */
const WHOLE = 1.25;

/** All words of all speakers before the request. Of turns with the same time, only those that were recorded earlier. */
async function allWords({ writer, owner }: Forgetting, { occurredAt, id }: Event): Promise<Quote[]> {
  const heard = await ownEvents(writer, owner, { occurred: { upTo: occurredAt.getTime() } });
  const own = heard.findIndex((event) => event.id === id);
  return heard
    .filter((event, index) => event.kind !== 'document_chunk' && (index < own || event.occurredAt < occurredAt))
    .map((event) => ({ event: event.id, start: 0, end: event.content.length }));
}

const MOST_KNOWN = 1000;

/** A draft that a second reading replaced is left out, because its words belong to the statements of that reading. */
async function forgettable({ writer, deps, owner }: Forgetting, { targets, told }: CheckedForget): Promise<Memory[]> {
  const isEverything = told?.isEverything === true;
  const types = typesThat(deps.memoryTypes, ({ forgettable }) => forgettable);
  const list = async (archiveReasons?: ArchiveReason[]): Promise<Memory[]> => {
    const listed: Memory[] = [];
    let cursor: string | undefined;
    do {
      const filter = { types, limit: MOST_KNOWN, archiveReasons, cursor };
      const page = await listMemories(writer, owner, filter, { now: deps.clock.now() });
      listed.push(...page.items);
      cursor = page.cursor ?? undefined;
    } while (isEverything && cursor !== undefined);
    return listed;
  };
  const live = await list();
  const past = await list(['superseded', 'contradicted']);
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

/** `about`: the words that name what to keep. `isCorrecting`: the order corrects what was said before. */
interface KeepOrder {
  clause: MeantWords;
  about: string[];
  isCorrecting: boolean;
}

/**
 * Recognises a turn that keeps what the user asked to forget: "hmm actually no keep the overdraft thing". It must correct something or
 * directly follow the request, and name something that was forgotten. If it names nothing, it must directly follow the request.
 */
async function keepsAgain(work: FormWork, { event }: Evidence): Promise<ToldRequest | null> {
  const clauses = clausesOf(event);
  const order = keepOrderIn(clauses, event.content);
  if (order === null || clauses.some(({ text }) => orderIn(text, event.content) !== null)) return null;
  const owner = ownerOf(work.scope);
  const { asked, last } = await work.deps.database.read(work.scope.tenant, async (store) => ({
    asked: await askedToForget(store, owner),
    last: (await userTurnsBefore(store, owner, event, MOST_AT_ONE_TIME))[0],
  }));
  const isNext = asked.some(({ request }) => request === last?.id);
  const named = order.about.map((word) => asked.some((record) => isNamedBy(record, word)));
  const isMeant = named.includes(true) ? order.isCorrecting || !named.includes(false) : named.length === 0 && isNext;
  return !isMeant || (!order.isCorrecting && !isNext)
    ? null
    : {
        asking: [order.clause],
        takesBack: true,
        words: [],
        memories: [],
        isEverything: false,
        isByClause: false,
        topics: [],
      };
}

function keepOrderIn(clauses: readonly MeantWords[], turn: string): KeepOrder | null {
  const detected = detectPack(turn);
  for (const pack of detected === null ? PACKS : [detected]) {
    for (const clause of clauses) {
      const text = plainMarks(clause.text);
      const { keeps, stays, spares, corrects } = forgetPatterns(pack);
      if (/[?？]\s*$/u.test(text)) continue;
      const order = keeps.exec(text) ?? spares.exec(text);
      const found = order ?? stays.exec(text);
      if (found === null) continue;
      const before = plainMarks(turn.slice(0, clause.start + found.index)) + found[0];
      const isCorrecting = corrects.test(before) || packPattern(pack, 'corrects').test(before);
      const about = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
      const named = wordsOf(about.replace(packPattern(pack, 'request:polite'), ' '));
      const words = named.filter((word) => !isFunctionWord(word, pack));
      // "No, it's fine" after a request does not withdraw it.
      if (order !== null || (isCorrecting && words.length > 0)) return { clause, about: words, isCorrecting };
    }
  }
  return null;
}

/** At most this many of the latest turns may have the same time. */
const MOST_AT_ONE_TIME = 20;

async function askedToForget(store: Reader, owner: Scope): Promise<Forgotten[]> {
  return (await listForgotten(store, owner, { as: 'forgotten' })).filter(({ request }) => request !== null);
}

/** Whether a word names what was forgotten: "overdraft", or "debt" for "I owe Fabio 2000". */
function isNamedBy({ attribute, text, value }: Forgotten, word: string): boolean {
  const stems = contentStems(`${(attribute ?? '').replaceAll('_', ' ')} ${value ?? text}`);
  const pack = detectPack(text);
  const topics = topicsNamed(text, pack);
  return (
    [...contentStems(word)].some((stem) => stems.has(stem)) ||
    topicsNamed(word, pack).some((each) => topics.includes(each))
  );
}

/** "Keep it" restores all that the last request removed, "keep the phone number" only that, even from an earlier request. */
async function takeBack(forgetting: Forgetting, { request, told, evidence }: CheckedForget): Promise<void> {
  const { writer, deps, owner, turns, result, why } = forgetting;
  const { event } = evidence;
  const earlier = new Set(turns.slice(0, turns.findIndex(({ id }) => id === event.id) + 1).map(({ id }) => id));
  const pack = detectPack(event.content);
  const about = wordsOf(told?.asking.map(({ text }) => text).join(' ') || request.about).filter(
    (word) => pack === null || !isFunctionWord(word, pack),
  );
  const isMeant = (record: Forgotten): boolean => about.some((word) => isNamedBy(record, word));
  const asked = await askedToForget(writer, owner);
  const here = asked.filter(({ request }) => earlier.has(request ?? ''));
  const named = [here, asked].map((records) => records.filter(isMeant)).find(({ length }) => length > 0);
  const records = named ?? here.filter(({ request }) => request === here[0]?.request);
  for (const record of records) {
    await unforget(writer, deps, record);
    const memory = record.memory === null ? null : await findMemory(writer, owner, record.memory);
    if (memory?.archiveReason !== 'forgotten') continue;
    const reason = { ...why, reason: 'the user withdrew the request to forget it' };
    const { archivedAt } = await restoreOrKeepAsHistory(writer, deps, memory, reason);
    if (archivedAt === null) result.restored.push(memory.id);
  }
}
