import {
  asksAboutText,
  type ForeignSpan,
  foreignSpans,
  introductionEnd,
  isForeignAt,
  playLeftAt,
} from '../../../language/foreign-text.ts';
import { boundOf, type DateContext } from '../../../language/pack-dates.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import {
  detectPack,
  isTaken,
  listPattern,
  packPattern,
  plainMarks,
  saysAny,
  topicPatterns,
} from '../../../language/packs/packs.ts';
import {
  beforeName,
  beginsWithDemonstrative,
  isOfOthers,
  namesThing,
  partingOf,
} from '../../../language/packs/subjects.ts';
import { cutAt, intersects, splitSentences, type TextSpan } from '../../../language/sentences.ts';
import { withoutEnd } from '../../../language/words.ts';
import { type Embedder, type EmbedOptions, unlessUnavailable } from '../../../models/embedder.ts';
import { hasTrait } from '../../../record/attributes.ts';
import type { Event } from '../../../record/event.ts';
import { OF_USER } from './fill-slots.ts';
import { isWithdrawnAt } from './slips.ts';
import { type FilledSlot, isPlaceName } from './slot-values.ts';
import { isOwnMessage, READ, type ReadUnit, type ToldMessage } from './units.ts';

/** Classifies the parts of a message with the reading layers (train/reader). Undefined if the embedder has none. */
export type ReadParts = Embedder['readParts'];

export const UNTOLD: ToldMessage = { parts: [], foreign: [], asking: [], changes: -Infinity, values: [] };

const MOST_PARTS = 400;
/** Characters of a lead such as "Translate this: …". */
const LONGEST_LEAD = 160;
const LEAD_END = /[:：](?=\s|["“„«»「『'‘]|\p{Lo})/u;

/**
 * Log-odds above which a part is foreign. Of 4,450 sentences that outsiders wrote as their own words, 1 of 100 is above it, mostly
 * quotations. Of the sentences of pasted texts, 70 of 100 are above it; 67 would be at 0.
 */
const SURE = -0.5;
/**
 * A part is also foreign above `least` if the other parts of a message of at least `parts` parts have a higher mean than `others`. In a
 * pasted letter, single sentences look like the user's own. In 25 held-out talk sheets, a lower limit for single parts that recognises as
 * many pasted parts takes 30 of 703 own parts for foreign, and this rule 15.
 */
const AMONG_FOREIGN = { parts: 3, others: -1.5, least: -5 };
/** Log-odds above which a part of a short message is the user's own request. */
const OWN_REQUEST = 5;
/** In characters. A shorter message of one sentence is never foreign, unless it asks about a text. */
const LONGEST_BARE = 200;
/** In characters. A shorter message cannot contain a pasted text. */
const SHORTEST = 25;

export async function tellMessage(text: string, read: ReadParts, options: EmbedOptions): Promise<ToldMessage> {
  const readable = text.slice(0, READ);
  const parts = partsOf(readable);
  if (parts.length === 0 || read === undefined) return UNTOLD;
  const words = wordsOf(readable, parts);
  const { foreign, asks, takesBack, changes, states, values } = await read(words, options);
  const pack = detectPack(readable);
  const others = [...words.keys()].filter((index) => !isOfAnswers(words[index] ?? '', pack));
  // Before a wish about the answers ("Keep your replies brief"), the layers take an introduction of the user for a text to work on.
  // Therefore the message is also read without the wish.
  if (others.length > 0 && others.length < parts.length && foreign.some((odds) => odds > 0)) {
    const rest = others.map((index) => words[index] ?? '');
    const alone = await read(rest, options);
    for (const [place, index] of others.entries())
      foreign[index] = Math.min(foreign[index] ?? 0, alone.foreign[place] ?? 0);
  }
  const startOf = (index: number): number => parts[index - 1]?.end ?? 0;
  return {
    parts: parts.flatMap((part, index) => (states[index] === undefined ? [] : { ...part, state: states[index] })),
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

export function stateOf({ parts }: ToldMessage, { start, end }: TextSpan): Float32Array | null {
  const overlapWith = (part: TextSpan): number => Math.min(part.end, end) - Math.max(part.start, start);
  const [most] = parts.toSorted((one, other) => overlapWith(other) - overlapWith(one));
  return most === undefined || overlapWith(most) <= 0 ? null : most.state;
}

/**
 * A text whose parts are all below these log-odds is surely the user's own. This holds for 43 of 63 lists, sheets and letters by outsiders
 * about themselves that look pasted, and for 4 of 89 pasted texts that look the same.
 */
const SURELY_OWN = -5;

/**
 * Such as an "about me" sheet, answers to numbered questions, or a letter to the assistant. A message that asks about a text is never among
 * them.
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

function isOfAnswers(part: string, pack: Pack | null): boolean {
  return pack !== null && listPattern(pack, 'ownAnswers').test(plainMarks(part)) && !asksAboutText(part);
}

/** A part starts where the previous one ends, so that list markers stay with their lines. */
export function wordsOf(text: string, parts: readonly TextSpan[]): string[] {
  return parts.map(({ end }, index) => text.slice(parts[index - 1]?.end ?? 0, end));
}

/** For example "Write this down: the key is with Ana." */
function asksToRemember(text: string): boolean {
  const pack = detectPack(text);
  return pack !== null && packPattern(pack, 'request:remember').test(plainMarks(text));
}

function foreignAsTold(text: string, parts: TextSpan[], foreign: Float32Array, asks: Float32Array): ForeignSpan[] {
  const isBare = text.length < LONGEST_BARE && !text.includes('\n') && !asksAboutText(text);
  if (text.length < SHORTEST || (isBare && (parts.length === 1 || asksToRemember(text)))) return [];
  // A request in a short message ("We were wrong about him. Please throw out that whole story.") and the words after a role play are the
  // user's own.
  const left = playLeftAt(text);
  const introduced = introductionEnd(text);
  const isTold = parts.map(
    ({ end }, index) =>
      isForeignAmong(foreign, index) &&
      !(isBare && (asks[index] ?? 0) > OWN_REQUEST) &&
      end <= left &&
      end > introduced,
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

function isForeignAmong(odds: Float32Array, index: number): boolean {
  const own = odds[index] ?? 0;
  if (own > SURE) return true;
  const { parts, others, least } = AMONG_FOREIGN;
  if (odds.length < parts || own <= least) return false;
  return (odds.reduce((sum, each) => sum + each, 0) - own) / (odds.length - 1) > others;
}

/** Splits into sentences and lines. A short lead before a colon becomes a part of its own. */
export function partsOf(text: string): TextSpan[] {
  return splitSentences(text)
    .slice(0, MOST_PARTS)
    .flatMap(({ span: { start, end } }) => {
      const colon = LEAD_END.exec(text.slice(start, Math.min(end, start + LONGEST_LEAD)))?.index ?? 0;
      const cut = start + colon + 1;
      return colon > 1 && end - cut > 4 ? cutAt({ start, end }, cut) : [{ start, end }];
    });
}

/** From this probability on, 97 of 100 values in unseen plain sentences are right (train/README.md). */
const PROBABLE = 0.978;
// In longer turns and sentences, the layers too often attribute other people's values to the user.
const MOST_SENTENCES = 2;
const MOST_WORDS = 18;
const MOST_CHARACTERS = 40;

/** Such slots replace no explicit statement of the user, except those of a job that begins on a future day. */
export function taggedSlots(unit: ReadUnit, values: ToldMessage['values'], at: DateContext): FilledSlot[] {
  const { pack } = unit;
  if (pack === null || !isPlain(unit, pack)) return [];
  const text = plainMarks(unit.text);
  // A job title begins on the same day as the job: "Starting at Dyson on 16 November, senior product manager".
  const plan =
    unit.filled.find((slot) => slot.tense === 'planned' && hasTrait(slot.attribute, 'work')) ??
    beginningIn(text, pack, at);
  const tagged = values.flatMap(({ start, end, attribute, probability }): (FilledSlot & { value: string })[] => {
    if (start < unit.start || end > unit.end || probability < PROBABLE || staysInWords(attribute, unit)) return [];
    const value = withoutEnd(unit.text.slice(start - unit.start, end - unit.start), '.,;:!?。、！？… ');
    const place = { start: start - unit.start, end: start - unit.start + value.length };
    // A slot from a pattern takes precedence: "I left Ikea and now work at Otto" fills Otto. If a pattern has found a child, further names
    // may be that child's children: "my daughter Susan has the twins, Mia and Jo".
    const isTaken = unit.filled.some((other) => intersects(place, other) || other.attribute === attribute);
    if (isTaken || isWithdrawnAt(place.end, text, pack)) return [];
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
      // Everything before the relation ("my girlfriend") that precedes the name.
      const lead = `${before.split(' ').slice(0, -3).join(' ')} `;
      return partingOf(lead, text.slice(end), pack) === null && !namesThing(before, pack);
    }
    // Who may not eat something need not be allergic to it. Without a word for allergies, the statement keeps the user's words.
    if (hasTrait(attribute, 'allergen'))
      return topicPatterns(pack).get(attribute)?.test(text) === true && !listPattern(pack, 'intolerance').test(text);
    // The layers confuse laptops with phones, so the value must be in the attribute's own list.
    if (hasTrait(attribute, 'listed')) return listPattern(pack, attribute).test(value);
    if (hasTrait(attribute, 'exact')) return !beforeName(pack).roughly.test(before);
    if (hasTrait(attribute, 'work') && listPattern(pack, 'retired').test(text)) return false;
    // The layers mistake a part of the body ("I broke my arm") or a sport ("I gave up pilates") for an illness.
    if (hasTrait(attribute, 'condition'))
      return !isOwned && !listPattern(pack, 'activity', 'sport', 'game').test(text.slice(start, end));
    if (!hasTrait(attribute, 'place')) return true;
    // The user may only shop at a firm or own a flat in a town. A firm or a place therefore counts only if the same sentence contains a
    // word for its attribute or fills another slot.
    const isSaid = hasOther || topicPatterns(pack).get(attribute)?.test(text) === true;
    return isSaid && !isOwned && !packPattern(pack, 'passing').test(text);
  });
}

/** A day stays with the words that say what happens on it, and a wish for the answers may belong to the text beside it. */
function staysInWords(attribute: string, { count }: ReadUnit): boolean {
  return hasTrait(attribute, 'event') || attribute === 'travel_date' || (hasTrait(attribute, 'answer') && count > 1);
}

/** The future day on which something begins: "I start as head chef on 20 March". */
function beginningIn(text: string, pack: Pack, at: DateContext): Pick<FilledSlot, 'tense' | 'from'> | null {
  if (!listPattern(pack, 'starts').test(text)) return null;
  const day = findDates(text, pack, at).find(
    (date) => date.isDay && date.from !== null && date.from > at.now && boundOf(text, date, pack) !== 'last',
  );
  return day === undefined ? null : { tense: 'planned', from: day.from };
}

/** Typical mistakes of the layers: somebody else's name, a day ("1.4.") taken for an amount, or an illness taken for a medicine. */
function isMistaken(attribute: string, value: string, start: number, text: string, pack: Pack): boolean {
  const before = text.slice(0, start);
  if (hasTrait(attribute, 'several')) return beforeName(pack).ofKin.test(before);
  if (hasTrait(attribute, 'own')) return beforeName(pack).ofOther.test(before);
  if (hasTrait(attribute, 'amount') && topicPatterns(pack).get(attribute)?.test(text) !== true) return true;
  if (hasTrait(attribute, 'amount'))
    return /^\d{1,2}(?:[./-]\d{1,2}(?:[./-].*)?)?\.?$/u.test(value) || /\d[月日号]/u.test(text);
  return attribute === 'medication' && !isTaken(text, start, pack);
}

const VETOES = ['hedge', 'if', 'kidding', 'said', 'question', 'they', 'ask', 'over', 'not', 'ended'] as const;

function isPlain({ text, count, isForeign, foreign }: ReadUnit, pack: Pack): boolean {
  if (isForeign || foreign.length > 0 || count > MOST_SENTENCES) return false;
  const isLong = pack.script === 'han' ? text.length > MOST_CHARACTERS : text.split(/\s+/u).length > MOST_WORDS;
  const plain = plainMarks(text);
  const isVetoed = saysAny(pack, plain, ...VETOES) || listPattern(pack, 'nearly', 'believed').test(plain);
  return !isLong && !/[?？]/u.test(text) && !isVetoed && !beginsWithDemonstrative(plain, pack);
}
