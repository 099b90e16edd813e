import {
  asksAboutText,
  type ForeignSpan,
  foreignSpans,
  introducesText,
  introductionEnd,
  isForeignAt,
  leavesPlay,
  LONGEST_ANNOUNCEMENT,
  namesText,
  playLeftAt,
  promptSpans,
  saysI,
  SHE_OR_HE,
  spokenFor,
} from '../../../language/foreign-text.ts';
import { GIVEN_NAMES } from '../../../language/given-names.ts';
import { boundOf, type DateContext } from '../../../language/pack-dates.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import {
  detectPack,
  isOrdinary,
  isTaken,
  listPattern,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  relationsOf,
  saysAny,
  topicPatterns,
  wordsOfAll,
} from '../../../language/packs/packs.ts';
import { beforeName, isOfOthers, isSaidAfter, namesThing, partingOf } from '../../../language/packs/subjects.ts';
import {
  cutAt,
  intersects,
  spansOf,
  splitSentences,
  type TextSpan,
  withoutSpans,
} from '../../../language/sentences.ts';
import { type Embedder, type EmbedOptions, unlessUnavailable } from '../../../models/embedder.ts';
import type { Event } from '../../../record/event.ts';
import { hasTrait } from '../../../record/attributes.ts';
import type { Reading, ReadInput } from '../reader.ts';
import { fillSlots, OF_USER } from './fill-slots.ts';
import { type FilledSlot, isPlaceName, type SlotContext } from './slot-values.ts';
import { MINUTE } from '../../../record/clock.ts';

/** A turn that the local reader reads. */
export interface Turn {
  /** The input of the reader, and the reading of the turns so far. */
  input: ReadInput;
  reading: Reading;
  event: Event;
  /** The number of the turn, counted from 1. */
  number: number;
  units: ReadUnit[];
  /** The person whom "I" means: the user, or one of several speakers. */
  speaker: string;
  pack: Pack | null;
  /** The time and the time zone of the turn. A day without a year is resolved to the next such day. */
  at: DateContext;
  /** How the reading layers of the local embedder classify the parts and words of the turn. Empty if they do not read it. */
  told: ToldMessage;
}

export function isOwnMessage({ kind, origin }: Event): boolean {
  return kind === 'message' && origin === 'user';
}

/** A sentence, or a part of a long one, with its place in the turn and its context. */
export interface ReadUnit extends TextSpan {
  text: string;
  index: number;
  /** The number of units of the turn, and the text of the turn. */
  count: number;
  turn: string;
  /** The assistant's message before the turn, if the turn answers one. */
  asked: string | null;
  pack: Pack | null;
  /** Whether the unit is in a pasted or quoted span, and whether the turn has such a span. */
  isForeign: boolean;
  hasForeign: boolean;
  filled: FilledSlot[];
  /** The spans of the unit that are not its author's words. */
  foreign: TextSpan[];
}

export interface TurnContext extends Pick<SlotContext, 'now' | 'timeZone' | 'people' | 'values'> {
  /** The assistant's message before the turn. Null if there is none. */
  asked: string | null;
  /** The language of the preceding turns, for a turn that is too short to detect its language. */
  fallback: Pack | null;
  /** The spans that the reading layers classify as foreign, in addition to those that the form of the text shows. */
  told?: readonly ForeignSpan[];
  /** Whether the text is the user's own although it has the form of a pasted one. */
  isOwnText?: boolean;
}

/** A sentence that is the user's own claim. */
export type ClaimUnit = ReadUnit & { pack: Pack };

/** Whether a sentence is the user's own claim, so that it may change known statements. */
export function isClaim(unit: ReadUnit): unit is ClaimUnit {
  const { pack, isForeign, text } = unit;
  const plain = plainMarks(text);
  return (
    !isForeign &&
    !/[?？]/u.test(text) &&
    pack !== null &&
    !isSaidAfter(plain, pack) &&
    !saysAny(pack, plain, 'if', 'hedge', 'kidding') &&
    !listPattern(pack, 'nearly').test(plain)
  );
}

const READ = 24_000;
const MOST_UNITS = 120;
/** How many characters of a turn are searched for another person whom a sentence without a subject may be about. */
const TOLD_OTHERS = 1_500;
const LONGEST_WORDS = 36;
const CLAUSE_START = new RegExp(`(?<!\\s)\\s+(?=(?:${wordsOfAll('clauseStart')})\\s)|(?<=[,;，；])\\s*`, 'giu');

/** Splits a turn into sentences, and a very long sentence without punctuation into clauses. */
export function unitsOf(turn: string, context: TurnContext): Pick<Turn, 'pack' | 'units'> {
  const readable = turn.slice(0, READ);
  const byForm = context.isOwnText === true ? [] : foreignSpans(turn);
  const spans = [...byForm, ...(context.told ?? [])].toSorted((one, other) => one.start - other.start);
  const own = spans.length === 0 ? readable : withoutSpans(readable, spans);
  const pack = detectPack(own.trim() === '' ? readable : own, context.fallback);
  const pieces = splitSentences(readable)
    .slice(0, MOST_UNITS)
    .flatMap(({ span }) => splitLong(readable, span))
    .slice(0, MOST_UNITS);
  const slots = { ...context, prefer: 'future' as const, turn: own.slice(0, TOLD_OTHERS) };
  const units = pieces.map(({ start, end }, index) => {
    const text = readable.slice(start, end);
    const isForeign = isForeignAt(spans, start, end);
    const foreign = spans
      .filter((span) => intersects(span, { start, end }))
      .map((span) => ({ start: span.start - start, end: span.end - start }));
    const at = { ...slots, question: index === 0 ? context.asked : null };
    const filled = isForeign || pack === null ? [] : fillSlots(text, pack, at);
    return {
      text,
      start,
      end,
      index,
      count: pieces.length,
      turn,
      asked: context.asked,
      pack,
      isForeign,
      hasForeign: spans.length > 0,
      filled: filled.filter((slot) => !foreign.some((span) => intersects(span, slot))),
      foreign,
    };
  });
  return { pack, units };
}

function splitLong(text: string, { start, end }: TextSpan): TextSpan[] {
  const sentence = text.slice(start, end);
  const words = sentence.split(/\s+/).length;
  const isLong = words > LONGEST_WORDS || (words * 12 < sentence.length && sentence.length > 120);
  if (!isLong) return [{ start, end }];
  const pieces: TextSpan[] = [];
  let last = 0;
  for (const at of [...spansOf(sentence, CLAUSE_START).map((mark) => mark.end), sentence.length]) {
    const piece = sentence.slice(last, at);
    if (at < sentence.length && piece.split(/\s+/).length < 9 && piece.length < 60) continue;
    const from = start + at - piece.trimStart().length;
    if (piece.trim() !== '') pieces.push({ start: from, end: from + piece.trim().length });
    last = at;
  }
  return pieces;
}

/** Classifies the parts of a message by the reading layers (train/reader). Undefined if the embedder has none. */
export type ReadParts = Embedder['readParts'];

/** How the reading layers classify a message. */
export interface ToldMessage {
  foreign: ForeignSpan[];
  /** The parts of the message, each with the log-odds that it asks to forget something or withdraws such a request. */
  asking: (TextSpan & { odds: number })[];
  /** The log-odds that the message makes an earlier statement untrue. */
  changes: number;
  /** The words that are probably values of the user's attributes. */
  values: (TextSpan & { attribute: string; probability: number })[];
}

export const UNTOLD: ToldMessage = { foreign: [], asking: [], changes: -Infinity, values: [] };

const MOST_PARTS = 400;
/** Up to this many characters before a colon may ask something about the text that follows: "Translate this: …". */
const LONGEST_LEAD = 160;
const LEAD_END = /[:：](?=\s|["“„«»「『'‘]|\p{Lo})/u;

/**
 * The log-odds above which a part is foreign. Of the 4,450 sentences in 3,870 messages that outsiders wrote as their own, 1 of 100 is above
 * it, as at 0, and most of those are quotations. It finds 70 of 100 sentences of pasted texts (67 at 0, and 62 at the earlier 1 for other
 * languages than English).
 */
const SURE = -1.5;
/** The log-odds above which a part of a short message is the user's own request. */
const OWN_REQUEST = 5;
/** A shorter message on one line is never foreign if it is one sentence, unless it asks about a text. */
const LONGEST_BARE = 200;
/** Shorter messages are not checked, because they are too short for a pasted text. */
const SHORTEST = 25;

/** Classifies a message by the reading layers. */
export async function tellMessage(text: string, read: ReadParts, options: EmbedOptions): Promise<ToldMessage> {
  const readable = text.slice(0, READ);
  const parts = partsOf(readable);
  if (parts.length === 0 || read === undefined) return UNTOLD;
  const words = wordsOf(readable, parts);
  const { foreign, asks, takesBack, changes, values } = await read(words, options);
  const isOther = (index: number): boolean => !isOfAnswers(words[index] ?? '', detectPack(readable));
  const others = parts.flatMap((_part, index) => (isOther(index) ? [index] : []));
  // Before a wish about the answers ("Keep your replies brief"), the layers take an introduction of the user for a text to work on. The
  // message is therefore also read without the wish.
  if (others.length > 0 && others.length < parts.length && foreign.some((odds) => odds > 0)) {
    const alone = await read(
      others.map((index) => words[index] ?? ''),
      options,
    );
    for (const [place, index] of others.entries())
      foreign[index] = Math.min(foreign[index] ?? 0, alone.foreign[place] ?? 0);
  }
  const startOf = (index: number): number => parts[index - 1]?.end ?? 0;
  return {
    foreign: foreignAsTold(readable, parts, foreign, asks),
    asking: parts.map((part, index) => ({ ...part, odds: Math.max(asks[index] ?? 0, takesBack[index] ?? 0) })),
    changes: Math.max(...changes),
    values: values.map(({ part, start, end, ...value }) => ({
      ...value,
      start: startOf(part) + start,
      end: startOf(part) + end,
    })),
  };
}

/**
 * The log-odds below which all parts of a text are surely the user's own. Of 63 lists, sheets and letters to the assistant that outsiders
 * wrote about themselves and that have the form of a pasted text, 43 are below it, and of 89 pasted texts with such a form 4.
 */
const SURELY_OWN = -5;

/**
 * The ids of the messages that have the form of a pasted text and are the user's own by the reading layers: an "about me" sheet, answers to
 * numbered questions, a letter to the assistant. A message that asks about a text is never among them.
 */
export async function ownTextsAmong(
  events: readonly Event[],
  read: NonNullable<ReadParts>,
  options: EmbedOptions,
): Promise<Set<string>> {
  const own = new Set<string>();
  for (const { id, content } of events.filter(isOwnMessage)) {
    const spans = foreignSpans(content);
    const isUnclear = spans.length > 0 && spans.every(({ kind }) => kind === 'pasted') && content.length <= READ;
    if (!isUnclear || asksAboutText(content) || introductionEnd(content) > 0) continue;
    const parts = partsOf(content);
    const told = await unlessUnavailable(read(wordsOf(content, parts), options));
    const isOwn = (part: TextSpan, index: number): boolean =>
      !isForeignAt(spans, part.start, part.end) || (told?.foreign[index] ?? 0) < SURELY_OWN;
    if (parts.every(isOwn)) own.add(id);
  }
  return own;
}

/** Whether a part is about the answers of the assistant, and not about a text. */
function isOfAnswers(part: string, pack: Pack | null): boolean {
  return pack !== null && listPattern(pack, 'ownAnswers').test(plainMarks(part)) && !asksAboutText(part);
}

/** The words of the parts. Each part starts at the end of the one before it, so that list markers belong to their lines. */
function wordsOf(text: string, parts: readonly TextSpan[]): string[] {
  return parts.map(({ end }, index) => text.slice(parts[index - 1]?.end ?? 0, end));
}

function foreignAsTold(text: string, parts: TextSpan[], foreign: Float32Array, asks: Float32Array): ForeignSpan[] {
  const isBare = text.length < LONGEST_BARE && !text.includes('\n') && !asksAboutText(text);
  if (text.length < SHORTEST || (isBare && parts.length === 1)) return [];
  // A request in a short message and the words after a role play are the user's own: "We were wrong about him. Please throw out that whole
  // story."
  const left = playLeftAt(text);
  const introduced = introductionEnd(text);
  const isTold = parts.map(
    ({ end }, index) =>
      (foreign[index] ?? 0) > SURE && !(isBare && (asks[index] ?? 0) > OWN_REQUEST) && end <= left && end > introduced,
  );
  const spans: ForeignSpan[] = [];
  for (const [index, { start, end }] of parts.entries()) {
    if (isTold[index] !== true) continue;
    const last = spans.at(-1);
    if (last !== undefined && isTold[index - 1] === true) last.end = end;
    else spans.push({ start, end, kind: 'pasted' });
  }
  return spans;
}

/** Splits a text into sentences and lines. A short lead before a colon is separated from the text after it. */
function partsOf(text: string): TextSpan[] {
  return splitSentences(text)
    .slice(0, MOST_PARTS)
    .flatMap(({ span: { start, end } }) => {
      const colon = LEAD_END.exec(text.slice(start, Math.min(end, start + LONGEST_LEAD)))?.index ?? 0;
      const cut = start + colon + 1;
      return colon > 1 && end - cut > 4 ? cutAt({ start, end }, cut) : [{ start, end }];
    });
}

/** The least probability of a value. At this threshold, 97 of 100 values in unseen plain sentences are right (train/README.md). */
const PROBABLE = 0.9;
/** In longer turns and sentences, the layers too often attribute other people's values to the user. */
const MOST_SENTENCES = 2;
const MOST_WORDS = 18;
const MOST_CHARACTERS = 40;

/**
 * The slots of a plain sentence that the reading layers find in addition to the patterns. They count as likely, and do not replace an
 * explicit statement of the user, except on the future day on which the user says that a job begins.
 */
export function taggedSlots(unit: ReadUnit, values: ToldMessage['values'], at: DateContext): FilledSlot[] {
  const { pack } = unit;
  if (pack === null || !isPlain(unit, pack)) return [];
  const text = plainMarks(unit.text);
  // A job title begins on the same day as the job: "Starting at Dyson on 16 November, senior product manager".
  const plan =
    unit.filled.find((slot) => slot.tense === 'planned' && hasTrait(slot.attribute, 'work')) ??
    beginningIn(text, pack, at);
  const tagged = values.flatMap(({ start, end, attribute, probability }): (FilledSlot & { value: string })[] => {
    if (start < unit.start || end > unit.end || probability < PROBABLE) return [];
    const place = trimmed(unit.text, start - unit.start, end - unit.start);
    // A pattern is more certain: "I left Ikea and now work at Otto" fills Otto. If a pattern has found a child, further names may be that
    // child's children: "my daughter Susan has the twins, Mia and Jo".
    const isTaken = unit.filled.some((other) => intersects(place, other) || other.attribute === attribute);
    if (place.start === place.end || isTaken) return [];
    const value = unit.text.slice(place.start, place.end);
    // "don't work Wednesdays" is no value.
    if (packPattern(pack, 'not').exec(plainMarks(value))?.index === 0) return [];
    if (hasTrait(attribute, 'town') && !isPlaceName(value)) return [];
    // "gasthof Pfleger" is a name. In German, titles are capitalised too.
    if (hasTrait(attribute, 'title') && pack.capitalisesNouns !== true && /\p{Ll} \p{Lu}\p{Ll}+$/u.test(value))
      return [];
    const isPlanned = plan !== null && hasTrait(attribute, 'work');
    const when = isPlanned ? { tense: plan.tense, from: plan.from } : { isTold: true };
    return [{ ...OF_USER, ...when, attribute, value, ...place, isLikely: true }];
  });
  const hasOther = [...unit.filled, ...tagged].some(({ attribute }) => !hasTrait(attribute, 'place'));
  return tagged.filter(({ attribute, value, start, end }) => {
    const before = text.slice(0, start);
    const isOwned = beforeName(pack).owned.test(before);
    const match = { 0: value, index: start };
    if (isOfOthers(match, text, pack, { ...unit, isSeveral: hasTrait(attribute, 'several') })) return false;
    if (isMistaken(attribute, value, start, text, pack)) return false;
    if (attribute.endsWith('_name')) {
      // The lead is the text before the relation that precedes the name ("my girlfriend").
      const lead = `${before.split(' ').slice(0, -3).join(' ')} `;
      return partingOf(lead, text.slice(end), pack) === null && !namesThing(before, pack);
    }
    if (hasTrait(attribute, 'allergen')) return !listPattern(pack, 'intolerance').test(text);
    // The layers confuse laptops with phones.
    if (hasTrait(attribute, 'listed')) return listPattern(pack, attribute).test(value);
    if (hasTrait(attribute, 'exact')) return !beforeName(pack).roughly.test(before);
    if (hasTrait(attribute, 'work') && listPattern(pack, 'retired').test(text)) return false;
    // The layers wrongly classify a part of the body ("I broke my arm") or a sport ("I gave up pilates") as an illness.
    if (hasTrait(attribute, 'condition'))
      return !isOwned && !listPattern(pack, 'activity', 'sport', 'game').test(text.slice(start, end));
    if (!hasTrait(attribute, 'place')) return true;
    // The user may shop at a firm or own a flat in a town. A firm or a place therefore needs a word for its attribute, or another slot, in
    // the same sentence.
    const isSaid = hasOther || topicPatterns(pack).get(attribute)?.test(text) === true;
    return isSaid && !isOwned && !packPattern(pack, 'passing').test(text);
  });
}

/** The plan to begin on the future day of a sentence: "I start as head chef on 20 March". Null if the sentence has no such day. */
function beginningIn(text: string, pack: Pack, at: DateContext): Pick<FilledSlot, 'tense' | 'from'> | null {
  if (!listPattern(pack, 'starts').test(text)) return null;
  const day = findDates(text, pack, at).find(
    (date) => date.isDay && date.from !== null && date.from > at.now && boundOf(text, date, pack) !== 'last',
  );
  return day === undefined ? null : { tense: 'planned', from: day.from };
}

/** Whether a value is the name of somebody else, a day ("1.4.") in place of an amount, or an illness in place of a medicine. */
function isMistaken(attribute: string, value: string, start: number, text: string, pack: Pack): boolean {
  const before = text.slice(0, start);
  if (hasTrait(attribute, 'several')) return beforeName(pack).ofKin.test(before);
  if (hasTrait(attribute, 'own')) return beforeName(pack).ofOther.test(before);
  if (hasTrait(attribute, 'amount'))
    return /^\d{1,2}(?:[./-]\d{1,2}(?:[./-].*)?)?\.?$/u.test(value) || /\d[月日号]/u.test(text);
  return attribute === 'medication' && !isTaken(text, start, pack);
}

const VETOES = ['hedge', 'if', 'kidding', 'said', 'question', 'they', 'ask', 'over', 'not', 'ended'] as const;

/** Whether a sentence is short, in the user's own words, and not a question, a condition, a denial or a report about other people. */
function isPlain({ text, count, isForeign, foreign }: ReadUnit, pack: Pack): boolean {
  if (isForeign || foreign.length > 0 || count > MOST_SENTENCES) return false;
  const isLong = pack.script === 'han' ? text.length > MOST_CHARACTERS : text.split(/\s+/u).length > MOST_WORDS;
  const plain = plainMarks(text);
  const isVetoed = saysAny(pack, plain, ...VETOES) || listPattern(pack, 'nearly').test(plain);
  return !isLong && !/[?？]/u.test(text) && !isVetoed;
}

const OPENS = /[\p{L}\p{N}+$€£¥₦₹#]/u;
const CLOSES = /[\p{L}\p{N}\p{M}%$€£¥)]/u;

/** A span without the punctuation at both ends. */
function trimmed(text: string, start: number, end: number): TextSpan {
  while (start < end && !OPENS.test(text.charAt(start))) start += 1;
  while (end > start && !CLOSES.test(text.charAt(end - 1))) end -= 1;
  return { start, end };
}

/**
 * The spans of a user's message that are foreign by their form. The whole message is foreign if it is a textbook exercise or begins with
 * the label of another person. Otherwise, spans that were copied from the product's own prompt are foreign. `turns` are all turns of the
 * conversation that are available.
 */
export function othersByForm(event: Event, turns: readonly Event[], { attributes, userNames }: ReadInput): TextSpan[] {
  const { content } = event;
  const isOthers = EXERCISE.test(content) || isLabelled(event, turns, userNames);
  return isOthers ? [{ start: 0, end: content.length }] : promptSpans(content, attributes);
}

/** Matches the beginning of a textbook exercise: "Exercise 3b: I am a farmer and have 18 acres …". */
const EXERCISE = new RegExp(`^\\s*(?:${wordsOfAll('exercise')})\\s*\\d{1,3}\\p{L}?\\s*[).:：]`, 'iu');

const NAME = "\\p{L}[\\p{L}\\p{M}'’.-]*(?: \\p{Lu}[\\p{L}\\p{M}'’.-]*){0,2}";
const LABEL = new RegExp(
  `^\\s*(?:\\[(${NAME})\\]|<(${NAME})>|(@?${NAME})(?: \\(\\d[^()\\n]{0,18}\\))?[:：])\\s*(?=\\S)`,
  'u',
);

/** The label at the beginning of a message that may be a name: "Ana: …", "[Ana] …", "<Ana> …", "@ana: …". */
function labelOf({ content }: Event): { name: string; rest: string } | null {
  const match = LABEL.exec(content.slice(0, 120));
  const name = match?.[1] ?? match?.[2] ?? match?.[3];
  return match === null || name === undefined ? null : { name, rest: content.slice(match[0].length) };
}

const firstOf = (name: string): string => name.replace('@', '').split(' ')[0]?.toLowerCase() ?? '';
const isCapitalised = (name: string): boolean => /^[@\p{Lu}]/u.test(name);
const isOrdinaryWord = (name: string): boolean => PACKS.some((pack) => isOrdinary(firstOf(name), pack));
const isGiven = (name: string): boolean =>
  GIVEN_NAMES.has(firstOf(name)) && (isCapitalised(name) || !isOrdinaryWord(name));

/**
 * Whether a message begins with the name of another person as a label, so that its words are the words of that person. In a conversation in
 * which another message has a given name as its label, any known given name and any capitalised word that is not ordinary is a label.
 * Elsewhere, the label must be a known given name, and the message must be in the first person: "Ben: allergic to nuts" is the user's own
 * note.
 */
function isLabelled(event: Event, turns: readonly Event[], userNames: readonly string[]): boolean {
  const label = labelOf(event);
  if (label === null || event.speaker !== null) return false;
  const { name, rest } = label;
  if (userNames.some((own) => firstOf(own) === firstOf(name))) return false;
  const isGroup = turns.some((other) => {
    const another = isOwnMessage(other) ? labelOf(other) : null;
    return another !== null && isGiven(another.name) && firstOf(another.name) !== firstOf(name);
  });
  const pack = detectPack(rest);
  if (isGroup && (isGiven(name) || (isCapitalised(name) && !isOrdinaryWord(name)))) return true;
  if (!isGiven(name) || pack === null) return false;
  return saysI(rest, pack) && !apposition(pack).test(plainMarks(rest).replaceAll("'", "' "));
}

const apposition = perPack((pack) => packRegExp(`^(?:${pack.my}) (?:${relationsOf(pack)})(?=[,.(]|$)`));

/** How many of the user's last messages may contain the announcement that the user speaks for another person. */
const MOST_BETWEEN = 3;
const LONGEST_PAUSE = 30 * MINUTE;
const SHORTEST_TEXT = 12;

export interface Telling {
  readParts: ReadParts;
  /** Whether the message asks to forget something. */
  isAsking: boolean;
  signal: AbortSignal | undefined;
}

/** The parts of a message that an earlier message announces as a text: "I'll send you my brother's letter, please correct it". */
export async function announced(event: Event, before: readonly Event[], telling: Telling): Promise<TextSpan[]> {
  const own = before.filter(
    (other) =>
      isOwnMessage(other) &&
      other.speaker === event.speaker &&
      event.occurredAt.getTime() - other.occurredAt.getTime() <= LONGEST_PAUSE,
  );
  const last = own.at(-1);
  const { content } = event;
  if (last === undefined || content.trim().length < SHORTEST_TEXT || isAnswer(content, before.at(-1))) return [];
  const pack = detectPack(content);
  const isPlain = introducesText(last.content) || (asksAboutText(last.content) && isShortRequest(last.content));
  // "Forget what I told you about …" refers to this conversation, unless a text was announced.
  if (!isPlain && telling.isAsking) return [];
  // A text without the first person states nothing about the user, and reading it again would cost a forward pass.
  if (pack?.isUninflected === true && !saysI(content, pack)) return [];
  const all = [{ start: 0, end: content.length }];
  if (isSpokenFor(content, own)) return all;
  if (!mayAnnounce(last.content)) return [];
  // Following a request in a pasted text would do harm. After "translate the next message", the whole message therefore counts as the text.
  const isText = telling.isAsking
    ? isPlain && (introducesText(last.content) || namesText(last.content))
    : introducesText(last.content) && !asksAboutText(content);
  const spans = isText ? all : await toldAfter(last.content, content, telling);
  if (spans.length === 0) return [];
  // If the previous message is itself an announced text, this message is the user's own again.
  const isAnnounced = (await announced(last, before.slice(0, before.indexOf(last)), telling)).length > 0;
  return isAnnounced ? [] : spans;
}

/**
 * Whether a message is only a question or an instruction about a text, such as "Is this a scam?". A longer message may contain such words
 * by chance ("Marcus wants me to meet his kids. Is that too soon?"), unless it names a text. A standing wish ("always summarise articles in
 * bullet points") announces no text.
 */
function isShortRequest(message: string): boolean {
  const pack = detectPack(message);
  if (pack !== null && packPattern(pack, 'request:wish').test(plainMarks(message))) return false;
  const isAlone = splitSentences(message).length === 1 || namesText(message);
  return message.length <= SHORT_REQUEST || (isAlone && /[?？:：]\s*$/u.test(message));
}

const SHORT_REQUEST = 60;

/** Whether a message may announce a text: it is short and contains no foreign text itself. */
function mayAnnounce(message: string): boolean {
  if (message.length > LONGEST_ANNOUNCEMENT || foreignSpans(message).length > 0) return false;
  const colon = /[:：]\s*\S/u.exec(message)?.index ?? 0;
  return colon === 0 || !asksAboutText(message.slice(0, colon + 1));
}

const SHORT_ANSWER = 60;

/** Whether a message is a short answer to a question of the assistant. If the assistant asked for a text, the message is not an answer. */
function isAnswer(message: string, last: Event | undefined): boolean {
  if (last?.origin !== 'agent' || !/[?？]\s*$/u.test(last.content)) return false;
  const isForText = asksAboutText(last.content) || namesText(last.content);
  return !isForText && message.length <= SHORT_ANSWER && partsOf(message).length === 1;
}

/**
 * The mean log-odds above which a message is an announced text. Of the 2,716 messages in train/lives, none is such a text. Two of them are
 * wrongly classified as announced texts; neither states anything about the user.
 */
const ANNOUNCED = 1;
/**
 * A very short question about a text ("Is this a scam?") contains no text itself. The next message is then classified as the text unless
 * the log-odds are clearly negative.
 */
const BARE_QUESTION = /^\s*(?:\S+\s+){0,4}\S+[?？]\s*$/u;
const ANNOUNCED_BY_QUESTION = -1.5;
/** Parts with log-odds of at most this value are the user's own. */
const OWN = -2.5;
const OPENING = /^[^,，.!?。！？\n]{1,14}[,，]/u;

/**
 * The parts of a message that the reading layers classify as foreign when they read the announcement and the message as one text. The words
 * before the first comma are a separate part, because "Thanks, …" begins the user's own reply.
 */
async function toldAfter(announcement: string, message: string, { readParts, signal }: Telling): Promise<TextSpan[]> {
  if (readParts === undefined) return [];
  const offset = announcement.length + 2;
  const text = `${announcement}\n\n${message}`;
  const opening = offset + (OPENING.exec(message)?.[0].length ?? 0);
  const parts = partsOf(text).flatMap((part) => (opening > offset ? cutAt(part, opening) : [part]));
  const told = await unlessUnavailable(readParts(wordsOf(text, parts), { signal }));
  const odds = parts.map((_part, index) => told?.foreign[index] ?? -Infinity);
  const first = parts.findIndex(({ start }) => start >= offset);
  // A greeting before the comma ("Hi, this is Mark") is left out of the mean if it looks like the user's own words.
  const rest = odds.slice(opening > offset && (odds[first] ?? 0) < 0 ? first + 1 : first);
  const mean = rest.reduce((sum, each) => sum + each, 0) / rest.length;
  const sure = BARE_QUESTION.test(announcement) && asksAboutText(announcement) ? ANNOUNCED_BY_QUESTION : ANNOUNCED;
  // An announcement that begins with foreign words is itself part of role play or of a pasted text, so it announces nothing.
  if (first < 0 || (odds[0] ?? 0) > 0 || !(mean > sure) || (odds[first] ?? OWN) <= OWN) return [];
  return parts
    .filter((_part, index) => index >= first && (odds[index] ?? OWN) > OWN)
    .map(({ start, end }) => ({ start: start - offset, end: end - offset }));
}

/**
 * Whether the user writes a message on behalf of another person, as a previous message announced. Once the user names this person, or says
 * "she" or "he", the messages are the user's own again.
 */
function isSpokenFor(message: string, own: readonly Event[]): boolean {
  const recent = own.slice(-MOST_BETWEEN).map(({ content }) => content);
  const at = recent.findLastIndex((content) => spokenFor(content) !== null);
  const somebody = spokenFor(recent[at] ?? '')?.toLowerCase();
  if (somebody === undefined) return false;
  return ![...recent.slice(at + 1), message].some(
    (content) => SHE_OR_HE.test(content) || leavesPlay(content) || content.toLowerCase().includes(somebody),
  );
}
