import { extractEntities } from '../../../language/entities.ts';
import type { ForeignSpan } from '../../../language/foreign-text.ts';
import { type DateContext, findDates } from '../../../language/pack-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { detectPack, packPattern, packRegExp, plainMarks, wordsPattern } from '../../../language/packs/packs.ts';
import { type EmbedOptions, unlessUnavailable } from '../../../models/embedder.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { isUser, type Tense, USER } from '../../../record/statement.ts';
import {
  HALF,
  isMoreThanGreeting,
  type Meanable,
  meantByRequest,
  namesNothing,
  namesTopic,
  type AskedIn,
} from '../../meant-by-request.ts';
import {
  emptyReading,
  type Reader,
  type Reading,
  type ReadInput,
  readStatement,
  type ReadStatement,
} from '../reader.ts';
import type { FilledSlot } from './fill-slots.ts';
import { readObserved, topicsOf } from './observed.ts';
import { correctionOf, dueOf, forgetObject, type ForgetObject, type Request, requestOf } from './requests.ts';
import { featuresOf, select, type Selection } from './selector.ts';
import { foreignAsTold, type ReadUnit, renderSlot, type TellForeign, unitsOf, withDates } from './units.ts';

export interface LocalReaderOptions {
  /** Unit vectors of texts by the local embedder. Null or absent, or where it fails: plain features decide alone, and keep less. */
  embed?: ((texts: string[], options: EmbedOptions) => Promise<Float32Array[]>) | null;
  /** Tells which parts of a message are foreign. Absent, or where it fails: the form of the text decides alone. */
  tellForeign?: TellForeign | undefined;
  /** The selector. Training measures other weights through it. */
  select?: typeof select;
}

/** Where a sentence is kept: the probability that balances what is missed against junk, measured on the lives (train/README.md). */
const KEEP = { vector: 0.58, plain: 0.62 };
const SLOT_NEEDS = 0.12;
const LIKELY_NEEDS = 0.45;
const WISH_NEEDS = 0.3;
const PLAIN_NEEDS = 0.45;
const LEAST_OWN = 0.45;
const REMEMBERED = 0.8;
const MOST_MERGED_WORDS = 32;
const SHORT_WORDS = 9;

/**
 * Reads without a model: sentences that a small learned selector takes to be worth keeping, in the user's own words, and
 * attributes that patterns fill for certain. It concludes nothing, rewrites nothing and replaces nothing but a slot.
 */
export function createLocalReader({
  embed = null,
  tellForeign,
  select: ask = select,
}: LocalReaderOptions = {}): Reader {
  return {
    id: 'local',
    kind: 'local',
    async read(input, { signal } = {}) {
      signal?.throwIfAborted();
      const turns = await Promise.all(
        input.turns.map(async (event, index) =>
          readableTurn(
            event,
            index,
            input,
            tellForeign === undefined || !isOwnMessage(event)
              ? []
              : ((await unlessUnavailable(foreignAsTold(event.content, tellForeign, { signal }))) ?? []),
          ),
        ),
      );
      const texts = turns.flatMap((turn) => turn.units.map((unit) => unit.text));
      const vectors = embed === null || texts.length === 0 ? null : await unlessUnavailable(embed(texts, { signal }));
      signal?.throwIfAborted();
      let place = 0;
      const reading = emptyReading();
      for (const turn of turns) {
        const asked = turn.units.map((unit) => {
          const vector = vectors?.[place] ?? null;
          place += 1;
          return {
            unit,
            request: requestOf(unit),
            selection: ask(featuresOf(unit), vector),
            hasVector: vector !== null,
          };
        });
        readTurn(turn, asked, input, reading);
      }
      const types = new Set(input.types.map(({ name }) => name));
      reading.statements = reading.statements.map((statement) =>
        types.has(statement.type) || types.size === 0 ? statement : { ...statement, type: 'fact' },
      );
      if (input.wants.topics) reading.topics = topicsOf(reading.statements, input.turns, input.timeZone);
      return reading;
    },
  };
}

interface Turn {
  event: Event;
  /** Its number, from 1. */
  number: number;
  units: ReadUnit[];
  /** Whose "I" it is: the user, or one of several speakers. */
  speaker: string;
  pack: Pack | null;
}

interface Asked {
  unit: ReadUnit;
  request: Request | null;
  selection: Selection;
  hasVector: boolean;
}

function isOwnMessage({ kind, origin }: Event): boolean {
  return kind === 'message' && origin === 'user';
}

function readableTurn(event: Event, index: number, input: ReadInput, told: readonly ForeignSpan[]): Turn {
  const before = [...input.earlier, ...input.turns.slice(0, index)];
  if (!isOwnMessage(event)) return { event, number: index + 1, units: [], speaker: USER, pack: null };
  const last = before.at(-1);
  const asked = last !== undefined && last.origin === 'agent' && last.kind === 'message' ? last.content : null;
  const own = before.filter(({ origin, kind }) => origin === 'user' && kind === 'message');
  const fallback = own.slice(-3).reduce<Pack | null>((pack, { content }) => detectPack(content, pack), null);
  const { units, pack } = unitsOf(event.content, {
    asked,
    fallback,
    now: event.occurredAt,
    timeZone: input.timeZone,
    told,
  });
  return { event, number: index + 1, units, pack, speaker: speakerOf(event, input) };
}

/** In talk of several people "I" is the speaker, who is the user only under one of the user's names. */
function speakerOf(event: Event, { turns, earlier, userNames }: ReadInput): string {
  if (event.speaker === null || event.speaker === '') return USER;
  const isUsers = (name: string): boolean => userNames.some((other) => other.toLowerCase() === name.toLowerCase());
  const speakers = new Set(
    [...earlier, ...turns].filter(({ origin }) => origin === 'user').map(({ speaker }) => speaker ?? ''),
  );
  return speakers.size < 2 || isUsers(event.speaker) ? USER : event.speaker;
}

function readTurn(turn: Turn, asked: readonly Asked[], input: ReadInput, reading: Reading): void {
  const { event } = turn;
  if (event.kind !== 'message') {
    reading.statements.push(...readObserved(event, turn.number, input));
    return;
  }
  const isRemembered = asked.some(({ request, unit }) => request === 'remember' && isBareRequest(unit));
  const kept: Kept[] = [];
  for (const item of asked) {
    const { unit, request, selection } = item;
    if (request === 'forget' || request === 'take-back') {
      forget(turn, item, input, reading);
      continue;
    }
    const correction = kept.length === 0 ? correctionOf(unit, reading.statements, input, turn.number) : null;
    if (correction !== null) {
      reading.statements.push(correction);
      continue;
    }
    if (unit.isForeign) continue;
    if (request === 'remember' && isBareRequest(unit)) {
      if (asked.length === 1) keepLastTurn(turn, input, reading);
      continue;
    }
    const isWanted = request === 'remember' || request === 'reminder' || isRemembered;
    if (isWanted || isKept(item)) {
      kept.push({ ...item, isWanted });
      continue;
    }
    const needs = (slot: FilledSlot): number => (slot.isLikely === true ? LIKELY_NEEDS : SLOT_NEEDS);
    const filled = unit.filled.filter((slot) => selection.keep.yes >= needs(slot));
    if (filled.length > 0 && selection.foreign.own >= LEAST_OWN)
      kept.push({ ...item, unit: { ...unit, filled }, isWanted, isSlotOnly: true });
  }
  reading.statements.push(...statementsOf(turn, kept, input));
}

interface Kept extends Asked {
  isWanted: boolean;
  /** Only its slots are certain enough; its words are not worth keeping. */
  isSlotOnly?: boolean;
}

function isKept({ selection, request, hasVector, unit }: Asked): boolean {
  if (selection.foreign.own < LEAST_OWN) return false;
  if (request === 'wish') return Math.max(selection.keep.yes, selection.request.wish) >= WISH_NEEDS;
  if (/[?？]\s*$/u.test(unit.text) && selection.keep.yes < 0.8) return false;
  return selection.keep.yes >= (isPlainStatement(unit) ? PLAIN_NEEDS : KEEP[hasVector ? 'vector' : 'plain']);
}

/** "My boss is called Henrik.": a turn of one sentence that begins with the user and leaves no doubt is kept sooner. */
function isPlainStatement({ pack, text, count }: ReadUnit): boolean {
  if (pack === null || pack.script === 'han' || count > 1) return false;
  const plain = plainMarks(text);
  const says = (name: keyof Pack['words']): boolean => packPattern(pack, name).test(plain);
  return (
    packRegExp(`^(?:${pack.my}|${pack.i}|${pack.iAm}) `).test(plain) &&
    !(['hedge', 'if', 'joke', 'said', 'question', 'they', 'ask', 'feeling'] as const).some(says)
  );
}

/** "Write that down.": what is to be remembered stands elsewhere. */
function isBareRequest(unit: ReadUnit): boolean {
  if (unit.filled.length > 0 || unit.pack === null) return false;
  const rest = plainMarks(unit.text).replace(packPattern(unit.pack, 'request:remember'), ' ');
  const left = rest.match(unit.pack.script === 'han' ? /[\p{L}\p{N}]/gu : /[\p{L}\p{N}]+/gu)?.length ?? 0;
  return left <= (unit.pack.script === 'han' ? 2 : 1);
}

/** A bare request to remember, in a turn of its own, means the turn before it. */
function keepLastTurn(turn: Turn, input: ReadInput, reading: Reading): void {
  const index = input.turns
    .slice(0, turn.number - 1)
    .findLastIndex(({ origin, kind }) => origin === 'user' && kind === 'message');
  const event = input.turns[index];
  if (event === undefined) return;
  const own = reading.statements.filter(({ quotes }) => quotes[0]?.turn === index + 1);
  for (const statement of own) Object.assign(statement, { importance: REMEMBERED, explicit: true });
  if (own.length > 0 || event.content.length > 400) return;
  reading.statements.push(
    readStatement({
      text: event.content,
      type: 'fact',
      quotes: [{ turn: index + 1, words: event.content }],
      importance: REMEMBERED,
    }),
  );
}

function forget(turn: Turn, { unit, request }: Asked, input: ReadInput, reading: Reading): void {
  const quote = { turn: turn.number, words: unit.text };
  if (request === 'take-back') return takeBack(turn, unit, input, reading);
  const said = plainMarks(turn.event.content.slice(0, unit.start));
  const object = forgetObject(unit, said);
  const before = meanableBefore(turn, input, reading);
  // "Take the vanilla off" is work on a list, where a list has the vanilla.
  const meanable = object.needsObject ? before.filter(({ content }) => !isTask(content)) : before;
  const asked = { attributes: input.attributes, pack: unit.pack };
  const isGrounded: IsGrounded = (words, least = 1) => meantByRequest(words, meanable, { ...asked, least }).length > 0;
  const isAll = unit.pack !== null && packPattern(unit.pack, 'request:all').test(unit.text);
  const told = toldBefore(turn, unit, object, isAll).find((words) => isGrounded(words, HALF));
  const { points, about } = aboutOf({ ...object, told }, isGrounded, asked);
  const inTurn = told === undefined ? meantInTurn(turn, unit, { ...object, points, isGrounded, asked }) : null;
  if (inTurn !== null) {
    // What the turn says before the request is not formed at all; what its sentence says after it is not either.
    if (inTurn.isBefore)
      reading.statements = reading.statements.filter(({ quotes }) => quotes[0]?.turn !== turn.number);
    reading.forgets.push({ quote: { ...quote, words: inTurn.words }, about: inTurn.about, known: [] });
    return;
  }
  const pointsBack = about === '' && unit.index === 0;
  if (about === null || (pointsBack && isTask(lastOwn(turn, input)?.content ?? ''))) return;
  const isToldBefore = told !== undefined && about === told;
  // "I moved to Graz. Forget that.": what this turn says before the request is not formed at all.
  if (about === '' || about === said.trim() || isToldBefore)
    reading.statements = reading.statements.filter(({ quotes }) => quotes[0]?.turn !== turn.number);
  const meant = pointsBack ? saidLast(turn, input) : meantByRequest(about, input.known, asked);
  const known = input.known.flatMap((memory, index) => (meant.includes(memory) ? [index + 1] : []));
  reading.forgets.push({ quote, about: about === '' && !pointsBack ? said.trim() : about, known, isToldBefore, isAll });
}

/** Takes an earlier request back, unless the turn keeps something else: "Delete what you know of my therapy. The allergy, keep that." */
function takeBack(turn: Turn, { text, pack }: ReadUnit, input: ReadInput, reading: Reading): void {
  const asked = { attributes: input.attributes, pack };
  const meanable = meanableBefore(turn, input, reading);
  const here = reading.forgets.filter(({ quote }) => quote.turn === turn.number);
  const forgotten = new Set(here.flatMap(({ about }) => meantByRequest(about, meanable, asked)));
  const kept = here.length === 0 ? [] : meantByRequest(text, meanable, asked);
  if (kept.length > 0 && !kept.some((item) => forgotten.has(item))) return;
  reading.forgets.push({ quote: { turn: turn.number, words: text }, about: text, known: [], takenBack: true });
}

type IsGrounded = (words: string, least?: number) => boolean;

/**
 * "I shouldn't have told you about Danny. That's his business. Forget it.": clauses that speak of what was told before; for "forget all
 * you know of him", with any name that the turn has.
 */
function toldBefore(
  { event }: Turn,
  { pack, text, start }: ReadUnit,
  { candidates }: ForgetObject,
  isAll: boolean,
): string[] {
  if (pack === null) return [];
  const clauses = plainMarks(event.content.slice(0, start + text.length)).split(CLAUSE_END);
  const explained = EXPLAINED.exec(plainMarks(event.content.slice(start + text.length)))?.[1];
  const told = [
    ...(explained === undefined ? [] : [explained]),
    ...clauses.filter((clause) => packPattern(pack, 'request:told').test(clause)),
    // "The row with the neighbour is settled, you can forget that whole story."
    ...(isAll ? clauses : []),
  ];
  if (!packPattern(pack, 'they').test(candidates[0] ?? '')) return told;
  return [...told, ...clauses.flatMap((clause) => clause.match(NAME) ?? [])];
}

/** "Delete all about my ex. I mean, all about Markus.": a request is told again in other words. */
const EXPLAINED =
  /^[\s.!?,;–—-]*(?:i mean|meaning|that is|i\.e\.|so|also|ich mein(?:e|te)?|sprich|d\.h\.|das heißt|o sea|es decir|digo|c'est-à-dire|enfin|je veux dire|ou seja|quer dizer|isto é|cioè|ovvero|voglio dire|dus|oftewel|ik bedoel)[,:]? ([^.!?\n]{3,120})/iu;
const CLAUSE_END = /[,;.:!?–—…、，。]/u;
const NAME = /\p{Lu}\p{L}+/gu;

/** What a request is about; empty where it points at what was said just before, null where nothing is asked. */
function aboutOf(
  { candidates, needsObject, isIdiom, near, ahead, told }: ForgetObject & { told?: string },
  isGrounded: IsGrounded,
  asked: AskedIn,
): { points: boolean; about: string | null } {
  const isNothing = (words: string): boolean => namesNothing(words, asked);
  const [first = ''] = candidates;
  const points = !needsObject && [near ?? first, first].some(isNothing);
  // Only the words of the request itself and of its clause may be told by a part of them.
  const grounded =
    candidates.slice(0, 2).find((words) => isGrounded(words)) ??
    told ??
    candidates.find((words) => isGrounded(words)) ??
    candidates.slice(0, 2).find((words) => isGrounded(words, HALF));
  if (grounded !== undefined || isIdiom) return { points, about: grounded ?? (points ? '' : null) };
  const named =
    candidates.find((words) => namesTopic(words, asked)) ??
    (points ? ahead : candidates).find((words) => !isNothing(words));
  return { points, about: named ?? '' };
}

/** "Calculate the fare", "shopping list: eggs, flour, milk": a task or a list, which tells nothing of the user. */
function isTask(content: string): boolean {
  const pack = detectPack(content);
  return LIST.test(content) || (pack !== null && packPattern(pack, 'ask').exec(content)?.index === 0);
}

const LIST = /^[^:,.]{1,40}:[^,]+,[^,]+,|^\s*[<{[]/u;

function lastOwn(turn: Turn, { earlier, turns }: ReadInput): Event | undefined {
  return [...earlier, ...turns.slice(0, turn.number - 1)].findLast(isOwnMessage);
}

/** "Don't keep this: I take sertraline.", "I applied elsewhere, but don't save that": what is meant stands beside the request. */
function meantInTurn(
  { event }: Turn,
  { text, start }: ReadUnit,
  object: ForgetObject & { points: boolean; isGrounded: IsGrounded; asked: AskedIn },
): { words: string; about: string; isBefore: boolean } | null {
  const { following, clause, near, points, isDenied, isGrounded, asked } = object;
  const lead = text.slice(0, following ?? 0);
  const after = text.slice(lead.length).replace(/^[\s:]+/u, '');
  if ((points || isDenied) && lead !== '' && isMoreThanGreeting(after) && !isGrounded(lead))
    return { words: lead, about: after, isBefore: false };
  const own = plainMarks(event.content.slice(0, start + clause)).trim();
  // "Never mind what I said there, …" tells nothing itself.
  const isNamed = namesNothing(own, asked) || isGrounded(own) || isGrounded(near ?? '', HALF);
  const isMeant = clause > 0 && points && isMoreThanGreeting(own) && !isNamed;
  return isMeant ? { words: text.slice(clause), about: own, isBefore: true } : null;
}

/** What is known from the user's turn before this one. */
function saidLast(turn: Turn, input: ReadInput): Memory[] {
  const last = lastOwn(turn, input);
  return input.known.filter(({ sourceEvents }) => last !== undefined && sourceEvents.includes(last.id));
}

/** What a request can mean: what is known, what these turns state, and what was said before. */
function meanableBefore(turn: Turn, input: ReadInput, reading: Reading): Meanable[] {
  const now = reading.statements.map(({ attribute, value, text }) => ({
    attribute,
    value,
    content: text,
    statedAt: turn.event.occurredAt,
  }));
  const spoken = [...input.earlier, ...input.turns.slice(0, turn.number - 1)]
    .filter(isOwnMessage)
    .map(({ content, occurredAt }) => ({ attribute: null, value: null, content, statedAt: occurredAt }));
  return [...input.known, ...now, ...spoken];
}

function statementsOf(turn: Turn, kept: readonly Kept[], input: ReadInput): ReadStatement[] {
  const statements: ReadStatement[] = [];
  const at = { now: turn.event.occurredAt, timeZone: input.timeZone, prefer: 'future' as const };
  for (const group of grouped(kept)) {
    const slots = group.flatMap(({ unit }) => unit.filled.map((slot) => ({ slot, unit })));
    for (const { slot, unit } of slots) statements.push(slotStatement(turn, slot, unit, group, input));
    if (group.every(({ isSlotOnly }) => isSlotOnly === true) || isSaidBySlots(group, at)) continue;
    statements.push(ownWords(turn, group, input));
  }
  return statements;
}

/** Neighbours of a few words are kept together: "A girl. Morenikeji. 2.9 kg." says little in parts. */
function grouped(kept: readonly Kept[]): Kept[][] {
  const groups: Kept[][] = [];
  const words = (group: readonly Kept[]): number =>
    group.reduce((sum, { unit }) => sum + unit.text.split(/\s+/).length, 0);
  for (const item of kept) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    const isNext = before !== undefined && before.unit.index === item.unit.index - 1;
    const isSmall =
      last !== undefined && (words(last) < SHORT_WORDS || item.unit.text.split(/\s+/).length < SHORT_WORDS);
    const isPlain = item.isSlotOnly !== true && before?.isSlotOnly !== true && item.request === before?.request;
    const isSpaced = item.unit.pack?.script !== 'han' || item.unit.text.length < 12;
    if (
      last !== undefined &&
      isNext &&
      isSmall &&
      isPlain &&
      isSpaced &&
      words(last) + words([item]) <= MOST_MERGED_WORDS
    )
      last.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** Whether slots say most of what the words say. */
function isSaidBySlots(group: readonly Kept[], at: DateContext): boolean {
  return group.every(({ unit, request }) => {
    if (unit.filled.length === 0 || request === 'remember') return false;
    const start = Math.min(...unit.filled.map((slot) => slot.start));
    const end = Math.max(...unit.filled.map((slot) => slot.end));
    return end - start >= unit.text.length * 0.6 || isFrame(unit, start, end, at);
  });
}

/** Whether nothing is left of a sentence beside its slots but a date that they have, a word of courtesy or "from now on". */
function isFrame(unit: ReadUnit, start: number, end: number, at: DateContext): boolean {
  const pack = unit.pack as Pack;
  const text = plainMarks(unit.text);
  const characters = [...text].length === text.length ? text.split('') : [];
  const blank = (from: number, to: number): void => void characters.fill(' ', from, to);
  blank(start, end);
  if (unit.filled.some(({ from }) => from !== null))
    for (const date of findDates(text, pack, at)) blank(date.start, date.end);
  const rest = characters
    .join('')
    .replace(packPattern(pack, 'request:wish'), ' ')
    .replace(
      wordsPattern(
        `${pack.words.greeting}|${pack.words.assent}|${pack.calendar.from}|${pack.requests.lead}`,
        pack.script,
        'giu',
      ),
      ' ',
    );
  return characters.length > 0 && !/[\p{L}\p{N}]/u.test(rest);
}

function slotStatement(
  turn: Turn,
  slot: FilledSlot,
  unit: ReadUnit,
  group: readonly Kept[],
  input: ReadInput,
): ReadStatement {
  const pack = unit.pack as Pack;
  const item = group.find((other) => other.unit === unit) ?? group[0];
  const subject = subjectFor(slot.subject, turn.speaker);
  const isWish = slot.attribute.startsWith('answer_') || slot.attribute === 'preferred_name';
  return readStatement({
    subject,
    attribute: slot.attribute,
    value: slot.value,
    polarity: slot.polarity,
    tense: slot.tense ?? (slot.attribute === 'working_hours' ? 'habit' : 'holds'),
    type: isWish || input.attributes.policyOf(slot.attribute).category === 'preference' ? 'preference' : 'fact',
    text: renderSlot({ ...slot, subject }, pack, input.attributes),
    quotes: [{ turn: turn.number, words: unit.text }],
    from: slot.from === null ? null : slot.from.toISOString(),
    importance: item?.isWanted === true ? REMEMBERED : null,
    names: namesOf(unit.text),
  });
}

function ownWords(turn: Turn, group: readonly Kept[], input: ReadInput): ReadStatement {
  const [first, last] = [group[0] as Kept, group.at(-1) as Kept];
  const words = turn.event.content.slice(first.unit.start, last.unit.end);
  const main = group.toSorted((left, right) => right.selection.keep.yes - left.selection.keep.yes)[0] as Kept;
  const at = { now: turn.event.occurredAt, timeZone: input.timeZone };
  const tense = tenseOf(main);
  const { text, dates } = withDates(words, tense, turn.pack, at);
  const ahead = dates.find(({ from }) => from !== null && from.getTime() > at.now.getTime() - 86_400_000);
  const due =
    main.request === 'reminder'
      ? dueOf(main.unit, at.now, input.timeZone)
      : tense === 'planned'
        ? (ahead?.from ?? null)
        : null;
  const type = typeOf(main, due);
  const day = tense === 'planned' ? ahead : tense === 'happened' ? dates[0] : undefined;
  return readStatement({
    subject: subjectOfWords(main, turn),
    type,
    tense,
    text,
    quotes: [{ turn: turn.number, words }],
    from: day?.from?.toISOString() ?? null,
    due: type === 'intention' ? (due?.toISOString() ?? null) : null,
    importance: main.isWanted ? REMEMBERED : null,
    names: namesOf(words),
  });
}

function best<Name extends string>(probabilities: Record<Name, number>, without: readonly Name[] = []): Name {
  const entries = (Object.entries(probabilities) as [Name, number][]).filter(([name]) => !without.includes(name));
  return entries.toSorted((left, right) => right[1] - left[1])[0]?.[0] as Name;
}

/** The tense, with the words of the language as a check on the learned guess. */
function tenseOf({ selection, unit, request }: Kept): Tense {
  if (request === 'reminder') return 'planned';
  if (request === 'wish') return 'habit';
  const guess = best(selection.tense);
  if (unit.pack === null) return guess === 'habit' ? 'holds' : guess;
  const says = (name: 'habit' | 'future' | 'past'): boolean =>
    packPattern(unit.pack as Pack, name).test(plainMarks(unit.text));
  if (guess !== 'habit' && says('habit') && selection.tense.habit > 0.25) return 'habit';
  return guess;
}

/** A type that may be formed: an instruction is a preference, and an intention has a day. */
function typeOf({ selection, request }: Kept, due: Date | null): string {
  if (request === 'wish') return 'preference';
  if (request === 'reminder') return due === null ? 'context' : 'intention';
  const guess: string = best(selection.type, due === null ? ['intention'] : []);
  return guess === 'instruction' ? 'preference' : guess;
}

/** "My sister Ana moved to Graz" is about her, where the words begin with her relation and name. */
function subjectOfWords({ unit, selection }: Kept, turn: Turn): string {
  const { pack } = unit;
  if (pack === null || pack.script === 'han' || selection.about.other < 0.5) return turn.speaker;
  const relations = Object.keys(pack.relations)
    .toSorted((left, right) => right.length - left.length)
    .join('|');
  const match = packRegExp(`^(?:[\\p{L}']+,? ){0,1}?(?:${pack.my}) (${relations}),? (\\p{L}[\\p{L}'-]+)`).exec(
    plainMarks(unit.text),
  );
  const relation = pack.relations[match?.[1]?.toLowerCase() ?? ''];
  if (match === null || relation === undefined || !/^\p{Lu}/u.test(match[2] ?? '')) return turn.speaker;
  return subjectFor(`User's ${relation} ${match[2]?.replace(/'s$/, '')}`, turn.speaker);
}

function subjectFor(subject: string, speaker: string): string {
  if (speaker === USER) return subject;
  return isUser(subject) ? speaker : subject.replace(/^User's/, `${speaker}'s`);
}

function namesOf(text: string): string[] {
  return extractEntities(text)
    .filter(({ type }) => ['person', 'organisation', 'place', 'project', 'product'].includes(type))
    .map(({ name }) => name)
    .slice(0, 8);
}
