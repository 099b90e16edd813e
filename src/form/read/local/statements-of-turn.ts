import { civilDateAt, startOfDay, writeDay } from '../../../language/calendar.ts';
import { extractEntities, PLACES } from '../../../language/entities.ts';
import { GIVEN_NAMES } from '../../../language/given-names.ts';
import { boundOf, type DateContext, type FoundDate } from '../../../language/pack-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import {
  gistOf,
  isNewDose,
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
  saysAny,
  wordsOfAll,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { namesSomebody } from '../../../language/packs/subjects.ts';
import { REMOVED } from '../../../language/privacy-policy.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import {
  dayAhead,
  isDayOfPast,
  isAboutFuture,
  isOver,
  isRescheduled,
  isTimetable,
  isYearly,
  kindOf,
  LONGEST_REDATING,
  movedDayIn,
  type NewDay,
  newDayIn,
  sideOfDays,
  withDates,
  withNewDay,
  withTime,
} from '../../../language/told-days.ts';
import { splitClauses, withBlanks } from '../../../language/sentences.ts';
import { contentStems, saysNamesAndNumbers, withoutEnd } from '../../../language/words.ts';
import { DAY, MINUTE } from '../../../record/clock.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { hasTrait } from '../../../record/attributes.ts';
import {
  belongsToUser,
  isNameOfUser,
  isSameSubject,
  isUser,
  normalValue,
  type Tense,
  USER,
} from '../../../record/statement.ts';
import { type ReadInput, type ReadQuote, readStatement, type ReadStatement, type Relation } from '../reader.ts';
import { type Asked, isStandingOrder, LEAST_OWN } from './selector.ts';
import { fillSlots } from './fill-slots.ts';
import { type FilledSlot, renderSlot } from './slot-values.ts';
import { isClaim, isOwnMessage, type ReadUnit, type Turn } from './units.ts';

/** The importance of a statement that the user asks to remember. */
export const REMEMBERED: number = 0.8;
/** The importance of statements about health and intolerances. */
const VITAL = 0.9;
const MOST_MERGED_WORDS = 32;
const SHORT_WORDS = 9;

/** A sentence of which the words or the slots are kept. */
export interface Kept extends Asked {
  isWanted: boolean;
  /** Whether only the slots are kept, and not the words of the sentence. */
  isSlotOnly?: boolean;
  /** Whether the sentence is kept only because the next one refers to it. */
  isContext?: boolean;
}

const pointsBack = perPack(({ words: { they }, lists: { pronoun = '(?!)', pointsBack: others = '(?!)' } }) =>
  packRegExp(`^(?:${they}|${pronoun}|${others})(?![\\p{L}])`),
);

/**
 * The sentences before a kept one that begins with a pronoun ("We found a cleaner. Her name is Rita"). A context of a few words needs the
 * sentence before it as well ("Bike stolen. At the station. It cost 650"). Kept and foreign sentences, questions and requests end it.
 */
export function contextOf({ unit }: Asked, asked: readonly Asked[], last: Kept | undefined, isContext = false): Kept[] {
  const before = asked[unit.index - 1];
  const isKept = last?.unit.index === unit.index - 1 && last.isSlotOnly !== true;
  if (before === undefined || isKept || unit.pack === null || unit.pack.script === 'han') return [];
  if (before.unit.isForeign || before.request !== null || /[?？]/u.test(before.unit.text)) return [];
  const isShort = isContext && unit.text.split(/\s+/u).length <= 5;
  if (!isShort && !pointsBack(unit.pack).test(plainMarks(unit.text))) return [];
  const more = contextOf(before, asked, last, true);
  return [...more, { ...before, unit: { ...before.unit, filled: [] }, isWanted: false, isContext: true }];
}

const pronounFirst = perPack(({ words: { assent }, lists: { pronoun = '(?!)' } }) =>
  packRegExp(`^(?:(?:${assent})[,!.]* )?(?:${pronoun})(?![\\p{L}])`),
);

/** Whether a sentence cannot be understood without the words before it: "she likes gin", "keep that in mind for recipes". */
export function isDangling({ unit: { pack, text, filled }, request }: Asked): boolean {
  if (pack === null || pack.script === 'han') return false;
  const plain = plainMarks(text);
  if (request === 'remember')
    return filled.length === 0 && !plain.includes(':') && listPattern(pack, 'meansBefore').test(plain);
  // "Remind me to call her" needs the words before it. "Remind me to send her the invoice" has an object of its own.
  if (request === 'reminder') {
    const bare = plain.replace(packPattern(pack, 'request:reminder'), ' ').replace(/\p{N}+\p{L}*/gu, ' ');
    const isNamed = wordsPattern(relationsOf(pack)).test(plain) || gistOf(bare, pack).length > 1;
    return packPattern(pack, 'they').test(plain) && !isNamed;
  }
  return pronounFirst(pack).test(plain);
}

/** The statements of the kept sentences of a turn: their slots, and their own words if the slots do not cover them. */
export function statementsOf(turn: Turn, kept: readonly Kept[]): ReadStatement[] {
  const statements: ReadStatement[] = [];
  const filled = kept.flatMap(({ unit }) => unit.filled);
  for (const group of grouped(kept)) {
    const slots = group.flatMap((item) =>
      item.unit.filled.filter((slot) => !isReplaced(slot, filled, turn)).map((slot) => slotStatement(turn, slot, item)),
    );
    const said = slots.map(({ text, value }) => `${text} ${value ?? ''}`).join(' ');
    const isSlotOnly = group.every((item) => item.isSlotOnly === true);
    if (isSlotOnly || isHusk(group) || isSaidBySlots(group, said, turn.at)) {
      statements.push(...slots);
      continue;
    }
    const own = ownWords(turn, group);
    if (slots.length === 0 && isFragment(group, own)) continue;
    // An event is one statement, with its own words and its day.
    const event = slots.find((slot) => isEventInWords(slot.attribute, group));
    const { attribute, value, from, due } = event ?? own;
    const others = slots.filter((slot) => slot !== event);
    statements.push(...others, { ...own, attribute, value, from, due: due ?? own.due });
  }
  return statements;
}

/**
 * Whether a slot only denies a value that another slot of the turn replaces anyway: "I quit, I'm at Aldi now". A denial without a value
 * would also end the new value.
 */
function isReplaced(slot: FilledSlot, filled: readonly FilledSlot[], { pack, input }: Turn): boolean {
  const { attribute, subject, polarity, value } = slot;
  // In "Stop using bullet points, I prefer prose", the wish for prose replaces the exclusion of bullet points.
  if (layoutOf(slot, pack) === 'excluded' && filled.some((other) => layoutOf(other, pack) === 'wanted')) return true;
  if (polarity !== 'denied' || (value !== null && input.attributes.policyOf(attribute).values === 'many')) return false;
  return filled.some(
    (other) =>
      other.attribute === attribute &&
      other.subject === subject &&
      other.polarity === 'affirmed' &&
      other.from === null,
  );
}

const layouts = perPack(({ lists: { layout = '(?!)' } }) => packRegExp(`^(?<not>\\p{L}+ )??(?:${layout})$`));

/** Whether a slot asks for or excludes a layout of answers (a list, a table, prose). Null for other slots. */
function layoutOf(
  { attribute, value }: Pick<ReadStatement, 'attribute' | 'value'>,
  pack: Pack | null,
): 'wanted' | 'excluded' | null {
  const match = !hasTrait(attribute, 'layout') || pack === null ? null : layouts(pack).exec(value ?? '');
  if (match === null) return null;
  return match.groups?.['not'] === undefined ? 'wanted' : 'excluded';
}

/**
 * The relation to the known wish or dose that a slot replaces: a wish for another layout, the opposite wish about the same format, or
 * another dose of a medicine. Null if several doses are known.
 */
function replacedBy(slot: FilledSlot, { text, pack }: ReadUnit, { known }: ReadInput): ReadStatement['relation'] {
  const isDose = slot.attribute === 'medication';
  if ((!hasTrait(slot.attribute, 'layout') && !isDose) || slot.polarity === 'denied') return null;
  const value = normalValue(slot.value ?? '');
  const isOpposite = (other: string): boolean => {
    const [short = '', long = ''] = [value, other].toSorted((one, two) => one.length - two.length);
    return long.includes(short) && listPattern(pack as Pack, 'excludes').test(long.replace(short, ' '));
  };
  const isOld = (one: Memory, old = normalValue(one.value ?? '')): boolean =>
    isDose
      ? one.subject === slot.subject && isNewDose(value, old, text, pack as Pack)
      : (layoutOf(slot, pack) !== null && layoutOf(one, pack) !== null) || isOpposite(old);
  const [first, ...others] = known.filter(
    (one) => one.attribute === slot.attribute && one.polarity !== 'denied' && !hasValue(one, slot.value) && isOld(one),
  );
  const isClear = first !== undefined && (!isDose || others.length === 0);
  return isClear ? { kind: 'replaces', known: known.indexOf(first) + 1 } : null;
}

const countWords = (group: readonly Kept[]): number =>
  group.reduce((sum, { unit }) => sum + unit.text.split(/\s+/).length, 0);

/**
 * Whether a sentence is kept together with the sentences before it. Adjacent short sentences form one statement if all of them make the
 * same request, or if none of them makes a request.
 */
function belongsTo(group: readonly Kept[], item: Kept): boolean {
  const { unit, request, isSlotOnly } = item;
  const before = group.at(-1) as Kept;
  const isNext = before.unit.index === unit.index - 1 && isSlotOnly !== true && before.isSlotOnly !== true;
  const isSameRequest = request === before.request || before.isContext === true;
  const isSpaced = unit.pack?.script !== 'han' || unit.text.length < 12;
  if (!isNext || !isSameRequest || !isSpaced) return false;
  const [words, more] = [countWords(group), unit.text.split(/\s+/).length];
  const isSmall = before.isContext === true || words < SHORT_WORDS || more < SHORT_WORDS;
  return (isSmall || isDangling(item)) && words + more <= MOST_MERGED_WORDS;
}

/** Groups the sentences that form one statement: "A girl. Morenikeji. 2.9 kg." */
function grouped(kept: readonly Kept[]): Kept[][] {
  const groups: Kept[][] = [];
  for (const item of kept) {
    const last = groups.at(-1);
    if (last !== undefined && belongsTo(last, item)) last.push(item);
    else groups.push([item]);
  }
  return groups.filter((group) => !group.every(({ isContext }) => isContext === true));
}

/** The words of all languages, because the language of so few words is often not recognised. */
const AND_FIRST = new RegExp(`^(?:${wordsOfAll('and', 'latin')})(?: [\\p{L}']+){1,2}[.!]*$`, 'iu');

/**
 * Whether the kept words are a piece of a longer turn that states nothing without the rest: one word, "and" with a word, or a remark on the
 * question before it ("Weird after 15 years"). A word for an illness or a pregnancy is kept.
 */
function isFragment(group: readonly Kept[], { from }: ReadStatement): boolean {
  const [{ unit, isWanted }, ...others] = group as readonly [Kept, ...Kept[]];
  const { pack, text, count, turn, start } = unit;
  if (others.length > 0 || isWanted || count === 1 || pack === null || pack.script === 'han') return false;
  const plain = plainMarks(text);
  const isWord = plain.match(/[\p{L}\p{N}]+/gu)?.length === 1 && !/\d/.test(plain);
  const isRemark =
    from === null &&
    /[?？]\s*$/u.test(turn.slice(0, start)) &&
    saysAny(pack, turn.slice(0, start), 'hedge') &&
    plain.split(/\s+/u).length <= 4 &&
    !saysAny(pack, plain, 'me', 'my', 'we', 'they', 'past', 'future', 'habit', 'change', 'taste', 'not');
  return ((isWord || isRemark) && !isVital(plain, pack)) || AND_FIRST.test(plain);
}

const LEAST_LEFT = 4;

/** Whether the privacy policy has removed the main content of the words: "My iban is [bank account removed], keep it for invoices". */
function isHusk(group: readonly Kept[]): boolean {
  const words = group.map(({ unit }) => unit.text).join('\n');
  if (!REMOVED.test(words)) return false;
  const clauses = splitClauses(words).map(({ start, end }) => words.slice(start, end));
  return contentStems(clauses.filter((clause) => !REMOVED.test(clause)).join(' ')).size < LEAST_LEFT;
}

/** Whether the slots cover the words well enough, so that the words need not be kept. */
function isSaidBySlots(group: readonly Kept[], said: string, at: DateContext): boolean {
  return group.every(({ unit, request }) => {
    if (unit.filled.length === 0 || request === 'remember') return false;
    // The statement of a denial without a value has the words of the sentence, so they are not kept again.
    if (unit.filled.some(({ value }) => value === null)) return true;
    const start = Math.min(...unit.filled.map((slot) => slot.start));
    const end = Math.max(...unit.filled.map((slot) => slot.end));
    return !goesOn(unit, said, at) && (end - start >= unit.text.length * 0.6 || isFrame(unit, start, end, at));
  });
}

/** How many further content words after the last value count as a separate clause. After "and", one is enough. */
const WORDS_OF_CLAUSE = { joined: 1, bare: 2 };

/** Whether a sentence has a name, a number or a clause that its slots do not contain: "I live in Ghent and row every Sunday". */
function goesOn({ filled, text, pack }: ReadUnit, said: string, at: DateContext): boolean {
  const lower = text.toLowerCase();
  const ends = filled.map(({ value }) => lower.lastIndexOf((value ?? '').toLowerCase()) + (value ?? '').length);
  const rest = withBlanks(text, findDates(text, pack as Pack, at));
  const known = contentStems(said);
  const tail = rest.slice(Math.max(...ends));
  const words = tail.replace(/\p{L}+/gu, (word) => (commonWord(pack as Pack).test(word) ? ' ' : word));
  const after = [...contentStems(words)].filter((stem) => !known.has(stem));
  // Chinese and Japanese texts are not split into words, so clauses cannot be recognised by a number of words.
  const least = WORDS_OF_CLAUSE[joins(pack as Pack).test(tail) ? 'joined' : 'bare'];
  const isClause = pack?.script !== 'han' && after.length >= least;
  return isClause || !saysNamesAndNumbers(said, rest);
}

const joins = perPack(({ lists: { and = '(?!)' }, script }) => wordsPattern(and, script));

const commonWord = perPack(({ common }) => packRegExp(`^(?:${common || '(?!)'})$`));

const frameWords = perPack(({ script, words: { greeting, assent }, calendar: { from }, requests: { lead } }) =>
  wordsPattern(`${greeting}|${assent}|${from}|${lead}`, script, 'giu'),
);

/** Whether a sentence contains, besides its slots, only their date, a greeting, an assent or words such as "from now on". */
function isFrame(unit: ReadUnit, start: number, end: number, at: DateContext): boolean {
  const pack = unit.pack as Pack;
  const text = plainMarks(unit.text);
  const hasEmoji = [...text].length < text.length;
  const dates = unit.filled.some(({ from }) => from !== null) ? findDates(text, pack, at) : [];
  const beside = withBlanks(text, [{ start, end }, ...dates]);
  const rest = beside.replace(packPattern(pack, 'request:wish'), ' ').replace(frameWords(pack), ' ');
  return !hasEmoji && !/[\p{L}\p{N}]/u.test(rest);
}

const MOST_EVENT_WORDS = 24;

/**
 * Whether a slot is the day of an event that is kept in the user's words. The slot does not name the event, so the words are needed, unless
 * there are too many.
 */
function isEventInWords(attribute: string | null, group: readonly Kept[]): boolean {
  return hasTrait(attribute, 'event') && countWords(group) <= MOST_EVENT_WORDS;
}

function slotStatement(turn: Turn, slot: FilledSlot, item: Kept): ReadStatement {
  const { unit } = item;
  const { input } = turn;
  const subject = subjectFor(slot.subject, turn.speaker);
  const tense = slot.value === null ? 'happened' : isEventInWords(slot.attribute, [item]) ? 'planned' : null;
  const { category, traits } = input.attributes.policyOf(slot.attribute);
  const isPreference = traits.includes('wish') || category === 'preference';
  const isOfHealth = category === 'health' && traits.includes('vital') && slot.polarity === 'affirmed';
  const isNever = slot.isNever === true && !isKnown({ ...slot, subject }, input);
  const rendered = renderSlot({ ...slot, subject, isNever }, unit.pack as Pack, input.attributes);
  const isDue = slot.tense === 'planned' && hasTrait(slot.attribute, 'event');
  const due = isDue ? withTime(slot.from, unit.text, unit.pack, turn.at.timeZone) : null;
  return readStatement({
    subject,
    attribute: slot.attribute,
    value: slot.value,
    polarity: slot.polarity,
    tense: slot.tense ?? (traits.includes('habit') ? 'habit' : 'holds'),
    type: tense === 'planned' ? typeOf(item, due) : isPreference ? 'preference' : 'fact',
    text: tense === null ? rendered : withDates(unit.text, tense, unit.pack, turn.at).text,
    quotes: [{ turn: turn.number, words: unit.text }],
    from: (slot.from ?? sinceWhen(slot, unit, turn.at))?.toISOString() ?? null,
    due: due?.toISOString() ?? null,
    explicit: slot.isTold !== true,
    relation: replacedBy(slot, unit, input),
    importance: importanceOf(item, '', isOfHealth),
    names: namesOf(unit.text),
  });
}

/** The day since when the value of a slot has held, if the clause of the slot names one: "vegetarian since March 1". */
function sinceWhen(slot: FilledSlot, { text, pack, filled }: ReadUnit, at: DateContext): Date | null {
  if (pack === null || filled.length > 1 || slot.polarity === 'denied' || slot.tense === 'planned') return null;
  const [since, ...others] = findDates(text, pack, at).filter(
    ({ isSince, from }) => isSince && from !== null && from < at.now,
  );
  const clause = splitClauses(text).find(({ end }) => end > (since?.start ?? 0));
  const isOfSlot = clause !== undefined && slot.start < clause.end && slot.end > clause.start;
  return others.length === 0 && isOfSlot ? (since?.from ?? null) : null;
}

/** The importance of a statement: highest for health and intolerances, then for standing orders and what the user asks to remember. */
function importanceOf({ unit: { pack }, isWanted }: Kept, words: string, isHealth = false): number | null {
  if (isHealth || (pack !== null && isVital(words, pack))) return VITAL;
  return isWanted || isStandingOrder(pack, plainMarks(words)) ? REMEMBERED : null;
}

function isVital(words: string, pack: Pack): boolean {
  return listPattern(pack, 'health', 'being', 'intolerance').test(plainMarks(words));
}

/** Whether the value of a slot is known, so that its denial means "no longer". */
function isKnown({ subject, attribute, value }: FilledSlot, { known }: ReadInput): boolean {
  return known.some(
    (one) => one.attribute === attribute && hasValue(one, value) && isSameSubject(one.subject, subject),
  );
}

/** Whether a statement has a value, regardless of its spelling. */
export function hasValue(one: Pick<ReadStatement, 'value'>, value: string | null): boolean {
  return normalValue(one.value ?? '') === normalValue(value ?? '');
}

/** One statement with the kept words of a turn. */
export function ownWords(turn: Turn, group: readonly Kept[]): ReadStatement {
  const [first, last] = [group[0] as Kept, group.at(-1) as Kept];
  const words = turn.event.content.slice(first.unit.start, last.unit.end);
  const main = group.toSorted((left, right) => right.selection.keep.yes - left.selection.keep.yes)[0] as Kept;
  const { at } = turn;
  const guess = tenseIn(group, main, at);
  const { text, dates } = datedWords(turn, group);
  const isAhead = ({ from }: FoundDate): boolean => from !== null && from > at.now;
  const tense = guess === 'happened' && dates.length > 0 && dates.every(isAhead) ? 'planned' : guess;
  // The day of a plan is in the sentence that is the plan: "A bad day today. I work four days a week from June".
  const offset = first.unit.start;
  const own = dates.filter(({ start }) => start >= main.unit.start - offset && start < main.unit.end - offset);
  const ahead = dayAhead(own, words, turn.pack, at) ?? dayAhead(dates, words, turn.pack, at);
  // A state has a day on which it begins, and an event has a day on which it is due.
  const isState = ahead !== undefined && turn.pack !== null && boundOf(plainMarks(words), ahead, turn.pack) === 'first';
  const due =
    main.request === 'reminder'
      ? dueOf(main.unit, at)
      : tense === 'planned' && !isState
        ? withTime(ahead?.from ?? null, words, turn.pack, at.timeZone)
        : null;
  const type = typeOf({ ...main, unit: { ...main.unit, text: words } }, due);
  const day = tense === 'planned' ? ahead : tense === 'happened' ? dates.find((date) => !isAhead(date)) : undefined;
  return readStatement({
    subject: subjectOfWords(main, turn),
    type,
    tense,
    text,
    quotes: [{ turn: turn.number, words }],
    from: day?.from?.toISOString() ?? null,
    due: due?.toISOString() ?? null,
    importance: importanceOf(main, words),
    names: namesOf(words),
  });
}

/** The words of a group with the meaning of their dates. Each sentence has a tense of its own: "She found a job! She starts on Monday". */
function datedWords({ event, pack, at }: Turn, group: readonly Kept[]) {
  const dates: FoundDate[] = [];
  const [first] = group as [Kept];
  let text = '';
  let position = first.unit.start;
  for (const item of group) {
    const { start, end } = item.unit;
    const own = withDates(event.content.slice(start, end), tenseIn(group, item, at), pack, at);
    text += event.content.slice(position, start) + own.text;
    const offset = start - first.unit.start;
    dates.push(...own.dates.map((date) => ({ ...date, start: date.start + offset, end: date.end + offset })));
    position = end;
  }
  return { text, dates };
}

/** The tense of a sentence of a group. A sentence that only names a day may have the tense of the sentence before it. */
function tenseIn(group: readonly Kept[], item: Kept, at: DateContext): Tense {
  const { text, pack } = item.unit;
  const before = group[group.indexOf(item) - 1]?.unit.text;
  const isPast = pack !== null && before !== undefined && isDayOfPast(text, before, pack, at);
  return isPast ? 'happened' : tenseOf(item, at);
}

/** The time at which a reminder is due. Null if the sentence does not say. */
function dueOf({ text, pack }: ReadUnit, at: DateContext): Date | null {
  const dates = pack === null ? [] : findDates(text, pack, at);
  return withTime(dayAhead(dates, text, pack, at)?.from ?? null, text, pack, at.timeZone);
}

function best<Name extends string>(probabilities: Record<Name, number>, without: readonly Name[] = []): Name {
  const entries = (Object.entries(probabilities) as [Name, number][]).filter(([name]) => !without.includes(name));
  return entries.toSorted((left, right) => right[1] - left[1])[0]?.[0] as Name;
}

const SURE_HABIT = 0.8;

function namesVisit({ text, pack }: Pick<ReadUnit, 'text' | 'pack'>): boolean {
  return pack !== null && listPattern(pack, 'appointment').test(plainMarks(text));
}

/** The tense of a sentence: the class that the selector chose, corrected by the words and dates of the sentence. */
function tenseOf({ selection, unit, request }: Kept, at: DateContext): Tense {
  if (request === 'reminder') return 'planned';
  if (request === 'wish') return 'habit';
  const { pack, text } = unit;
  if (isTimetable(text, pack, at)) return 'habit';
  const mayBePlan = pack !== null && isAboutFuture(text, pack, at);
  const guess = best<Tense>(selection.tense, mayBePlan ? [] : ['planned']);
  if (pack === null) return guess === 'habit' ? 'holds' : guess;
  if (isYearly(text, pack, at)) return 'habit';
  if (isRescheduled(text, pack, at)) return 'planned';
  const isHabit = packPattern(pack, 'habit').test(plainMarks(text));
  if (guess !== 'habit' && isHabit && selection.tense.habit > 0.25) return 'habit';
  if (guess === 'planned') return isOver(text, pack, at) ? 'happened' : 'planned';
  // A single weekday without "every" is one day, unless the selector is certain of a habit.
  const isSure = isHabit || selection.tense.habit >= SURE_HABIT;
  const isPlan = { happened: true, habit: !isSure, holds: !isHabit && namesVisit(unit) }[guess];
  return isPlan && sideOfDays(text, pack, at) === 'ahead' ? 'planned' : guess;
}

/** The probability from which a plain plan is kept: "seeing mum sat". */
const PLAN_NEEDS = 0.3;

/** Whether a message is nothing but a plan for a day that it names, for which a lower probability is enough. */
export function isPlainPlan(item: Kept, at: DateContext): boolean {
  const { text, pack, count } = item.unit;
  const { keep, foreign } = item.selection;
  if (pack === null || count > 1 || keep.yes < PLAN_NEEDS || foreign.own < LEAST_OWN || /[?？]/u.test(text))
    return false;
  const plain = plainMarks(text);
  if (saysAny(pack, plain, 'if', 'hedge', 'joke', 'said', 'question', 'you', 'they', 'ask', 'not')) return false;
  const isAhead = findDates(plain, pack, at).some(({ isDay, from }) => isDay && from !== null && from > at.now);
  return isAhead && tenseOf(item, at) === 'planned';
}

/**
 * The type of a statement. An instruction becomes a preference. An intention needs a day. An episode becomes a fact, because only agents
 * have episodes.
 */
function typeOf({ selection, request, unit: { pack, text } }: Kept, due: Date | null): string {
  if (request === 'wish') return 'preference';
  if (request === 'reminder') return due === null ? 'context' : 'intention';
  // A beginning such as "moving on 1 May" or a first day at school is not an intention, because it would expire after the day.
  const isIntended = due !== null && !(pack !== null && listPattern(pack, 'begins').test(plainMarks(text)));
  const guess: string = best(selection.type, isIntended ? [] : ['intention']);
  // What happens to the user on a day that lies ahead is brought up on that day, and so is an appointment.
  if (isIntended && (guess === 'episode' || (guess === 'fact' && namesVisit({ text, pack })))) return 'intention';
  return { instruction: 'preference', episode: 'fact' }[guess] ?? guess;
}

const relativeFirst = perPack((pack) =>
  packRegExp(`^(?:[\\p{L}']+,? ){0,1}?(?:${pack.my}) (${relationsOf(pack)}),? (\\p{L}[\\p{L}'-]+)`),
);

/** The subject of a kept sentence: "My sister Ana moved to Graz" is about Ana, because it begins with her relation and name. */
function subjectOfWords({ unit, selection }: Kept, turn: Turn): string {
  const { pack } = unit;
  if (pack === null || pack.script === 'han' || selection.about.other < 0.5) return turn.speaker;
  const match = relativeFirst(pack).exec(plainMarks(unit.text));
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

/** A statement of the user's last turns: one of this reading, or a known one with its number. */
interface Said {
  one: ReadStatement;
  known: number | null;
  /** The statement in the user's words from which this one was guessed. */
  origin?: ReadStatement;
}

/** The person whom "I" means: the speaker of the turn, who is the user if the turn names no speaker or one of the user's names. */
export function speakerOf({ speaker }: Event, { userNames }: ReadInput): string {
  return speaker === null || speaker === '' || isNameOfUser(speaker, userNames) ? USER : speaker;
}

/**
 * The known statements about a speaker and the speaker's people, as statements about the user. The words of another speaker are read with
 * these statements only, because they say nothing about the user.
 */
export function asKnownTo(speaker: string, known: readonly Memory[]): readonly Memory[] {
  if (speaker === USER) return known;
  const own = `${speaker}'s `;
  return known.flatMap((memory) => {
    const { subject } = memory;
    if (isSameSubject(subject, speaker)) return { ...memory, subject: USER };
    return subject.startsWith(own) ? { ...memory, subject: `User's ${subject.slice(own.length)}` } : [];
  });
}

/**
 * The statements of the last two turns. With `isAnytime`, also the known statements of earlier turns. In a turn of another speaker,
 * statements about the user and the user's people are left out, because only the user's words may change them.
 */
function lastSaid({ input, reading, number, speaker }: Turn, isAnytime = false): Said[] {
  const lastTurns = [...input.earlier, ...input.turns.slice(0, number - 1)].filter(isOwnMessage).slice(-2);
  const isLately = ({ sourceEvents }: Memory): boolean => lastTurns.some(({ id }) => sourceEvents.includes(id));
  const distanceTo = ({ quotes }: ReadStatement): number => number - (quotes.at(-1)?.turn ?? 0);
  const mayChange = ({ subject }: { subject: string }): boolean =>
    speaker === USER || !(isUser(subject) || belongsToUser(subject));
  return [
    ...reading.statements
      .filter((one) => distanceTo(one) > 0 && distanceTo(one) <= 2 && mayChange(one))
      .map((one) => ({ one, known: null })),
    ...input.known.flatMap((memory, index) =>
      (isAnytime || isLately(memory)) && mayChange(memory) ? [{ one: asRead(memory), known: index + 1 }] : [],
    ),
  ];
}

function asRead({ subject, attribute, value, polarity, type, tense, importance, ...memory }: Memory): ReadStatement {
  const { content: text, validFrom, dueAt } = memory;
  const from = (validFrom ?? dueAt)?.toISOString() ?? null;
  const due = dueAt?.toISOString() ?? null;
  return readStatement({ subject, attribute, value, polarity, type, tense, importance, text, from, due, quotes: [] });
}

/**
 * The found statement, if there is exactly one; otherwise null. If some of the found statements are of this reading, only these are
 * counted.
 */
function onlyOne(found: readonly Said[]): Said | null {
  const here = found.filter(({ known }) => known === null);
  const [only, ...others] = here.length > 0 ? here : found;
  return only === undefined || others.length > 0 ? null : only;
}

function relationTo({ known }: Said, kind: Relation): ReadStatement['relation'] {
  return known === null ? null : { kind, known };
}

const MOST_CORRECTING_WORDS = 4;

const correctingPattern = perPack(({ requests: { correcting, so }, words: { assent } }) =>
  packRegExp(`^(?:(?:${assent}|${so})[,.!]* +)*?(?:${correcting}){1,2}(.+)$`),
);

/** The value of a short answer that corrects another value, with its kind. "No wait, A neg, my wife says" has the value "A neg". */
function correctingValue(text: string, pack: Pack): { value: string; kind: string } | null {
  const words = withoutEnd(correctingPattern(pack).exec(plainMarks(text))?.[1] ?? '', '.! \t\n').trim();
  if (words.includes('?')) return null;
  // "No, Tom, I live in Leeds" addresses Tom.
  const found = [words, words.split(',')[0] ?? ''].map((value) => ({ value, kind: kindOf(value, pack) }));
  const { value, kind } = found.find((each) => each.kind !== null) ?? { value: '', kind: null };
  const isLong = value.split(' ').length > MOST_CORRECTING_WORDS || (kind === 'name' && value !== words);
  return kind === null || isLong ? null : { value, kind };
}

/** Whether a sentence has the form of a short answer that corrects a value. */
export function isCorrecting({ pack, text, isForeign }: ReadUnit): boolean {
  const mayCorrect = pack !== null && pack.requests.correcting !== '' && !isForeign && text.length <= 80;
  return mayCorrect && correctingValue(text, pack) !== null;
}

const hedges = perPack(({ words: { hedge }, script }) => wordsPattern(hedge, script, 'giu'));

/** The slots that the words of a statement would fill without a hedge: "my blood type is 0 neg I think". */
function guessed(said: Said, pack: Pack, at: DateContext): Said[] {
  const text = said.one.text.replace(hedges(pack), '').replaceAll(/ {2,}/g, ' ');
  return fillSlots(text, pack, at).map(({ subject, attribute, value, polarity }) => ({
    ...said,
    one: { ...said.one, subject, attribute, value, polarity },
    origin: said.one,
  }));
}

/**
 * The statement of a short answer (`isCorrecting`) that corrects the last value, such as "No, Leeds". Null unless exactly one slot of the
 * last turns has a value of the same kind, such as a weekday, a number or a name. If `here` has statements, these statements of the same
 * turn are corrected, and the corrected one is removed.
 */
export function correctionOf({ pack, text }: ReadUnit, turn: Turn, here: ReadStatement[] = []): ReadStatement | null {
  const { input, at } = turn;
  const correcting = pack === null ? null : correctingValue(text, pack);
  if (pack === null || correcting === null) return null;
  const { value, kind } = correcting;
  const all: Said[] = here.length > 0 ? here.map((one) => ({ one, known: null })) : lastSaid(turn);
  // "Sorry, Tom" does not correct the name of a town.
  const isPerson = GIVEN_NAMES.has(value.toLowerCase()) && !PLACES.has(value.toLowerCase());
  const isOfKind = ({ one: { attribute, value: last } }: Said): boolean => {
    if (attribute === null || last === null || kindOf(last, pack) !== kind) return false;
    return (
      !isPerson || input.attributes.policyOf(attribute).namesSomebody || hasTrait(attribute, 'own', input.attributes)
    );
  };
  const stated = all.filter(isOfKind);
  const old = onlyOne(stated.length > 0 ? stated : all.flatMap((each) => guessed(each, pack, at)).filter(isOfKind));
  if (old === null || (old.known !== null && hasValue(old.one, value))) return null;
  const from = here.length > 0 ? here : turn.reading.statements;
  if (old.known === null && (here.length > 0 || old.origin !== undefined))
    from.splice(from.indexOf(old.origin ?? old.one), 1);
  const quote = { turn: turn.number, words: text };
  return withValue(old.one, value, { pack, input, quote, relation: relationTo(old, 'replaces') });
}

/** A statement with a new value, and with the quote that states it. */
export function withValue(
  { subject, attribute, type }: Pick<ReadStatement, 'subject' | 'attribute' | 'type'>,
  value: string,
  by: { pack: Pack; input: ReadInput; quote: ReadQuote; relation: ReadStatement['relation'] },
): ReadStatement {
  const slot = { subject, attribute: attribute ?? '', value, polarity: 'affirmed' as const };
  const text = renderSlot(slot, by.pack, by.input.attributes);
  return readStatement({ ...slot, type, text, quotes: [by.quote], relation: by.relation });
}

/**
 * The plan that a turn moves to another day, if the turn says nothing else: "No, Thursday", "the fair is on the 6th, not the 4th", "the
 * dentist moved!! now Friday". Null for other turns.
 */
export function redatedBy(turn: Turn): ReadStatement | null {
  const { event, pack, units, at } = turn;
  if (pack === null || units.some(({ isForeign }) => isForeign)) return null;
  const { content } = event;
  const moved = units.every(isClaim) ? movedDayIn(content, pack, at) : null;
  if (moved !== null && (moved.isAll || units.length === 1)) return movedPlan(turn, content, moved);
  const next = newDayIn(content, pack, at);
  if (next === null || (units.length > 1 && content.length > LONGEST_REDATING)) return null;
  if (next.beside.length > 0 && !units.every(isClaim)) return null;
  return deniedPlan(turn, content, next);
}

/** The plan whose day a text denies, with the new day. A plan on that day that has a word of the text is meant. */
function deniedPlan(turn: Turn, content: string, next: NewDay): ReadStatement | null {
  const { denies, about, beside } = next;
  const found = lastSaid(turn, denies !== null).filter(({ one: { from, text } }) => {
    const isDenied = from !== null && denies?.(new Date(from)) !== false;
    const stems = contentStems(text);
    const isNamed = beside.length === 0 || beside.some((stem) => stems.has(stem));
    return isDenied && isNamed && about.every((stem) => stems.has(stem));
  });
  return withDayOf(turn, content, next, found);
}

/** The plan that a sentence names and moves to another day: "They rescheduled my driving test to 6 November". Null for other sentences. */
export function movedBy(turn: Turn, { text, pack }: ReadUnit): ReadStatement | null {
  if (pack === null) return null;
  const moved = movedDayIn(text, pack, turn.at);
  if (moved !== null) return movedPlan(turn, text, moved);
  const next = newDayIn(text, pack, turn.at);
  const isNamed = next !== null && next.denies !== null && next.beside.length > 0;
  return isNamed ? deniedPlan(turn, text, next) : null;
}

function movedPlan(turn: Turn, content: string, next: NewDay): ReadStatement | null {
  const found = lastSaid(turn, true).filter(({ one: { from, text, attribute } }) => {
    const isOpen = from !== null && Date.parse(from) > turn.at.now.getTime() - DAY;
    const stems = contentStems(text);
    const isAny =
      next.about.length === 0 &&
      (next.beside.length === 0 ? hasTrait(attribute, 'event') : next.beside.some((stem) => stems.has(stem)));
    return isOpen && (isAny || (next.about.length > 0 && next.about.every((stem) => isNamed(stem, stems))));
  });
  return withDayOf(turn, content, next, found);
}

/** The only plan among the found statements, with the words of the plan and the new day. Null if there is none, or more than one. */
function withDayOf(turn: Turn, content: string, next: NewDay, found: readonly Said[]): ReadStatement | null {
  const { event, number, pack, at, input, reading } = turn;
  const plans = found.filter(({ one }) => one.tense === 'planned');
  const shared = plans.map(({ one }) => next.beside.filter((stem) => contentStems(one.text).has(stem)).length);
  const last = onlyOne(plans.filter((_, index) => shared[index] === Math.max(...shared)));
  if (pack === null || last === null || last.one.from === null) return null;
  const { one } = last;
  // If the turn is read a second time, the known statement already has the new day.
  if (last.known !== null && input.known[last.known - 1]?.sourceEvents.includes(event.id) === true)
    return { ...one, quotes: [{ turn: number, words: content }] };
  const old = startOfDay(civilDateAt(new Date(last.one.from), at.timeZone), at.timeZone);
  const day = next.dayAfter(old);
  const timed = withTime(day, content, pack, at.timeZone) ?? day;
  const kept = one.due === null ? 0 : Date.parse(one.due) - old.getTime();
  // A statement of the same reading is not stored yet. The new statement replaces it and cites both turns.
  if (last.known === null) reading.statements.splice(reading.statements.indexOf(one), 1);
  return {
    ...one,
    value: one.attribute === null ? null : writeDay(civilDateAt(day, at.timeZone), pack),
    text: withNewDay(one.text, { ...next, said: content, old, day, pack, at }),
    quotes: [...one.quotes, { turn: number, words: content }],
    from: day.toISOString(),
    due: new Date(timed > day ? timed : day.getTime() + kept).toISOString(),
    relation: relationTo(last, 'replaces'),
  };
}

const LEAST_COMPOUND = 4;

/** Whether a word names a part of a plan. A compound names its first part: "Zahnarzttermin" names "Termin beim Zahnarzt". */
function isNamed(stem: string, plan: ReadonlySet<string>): boolean {
  const begins = (long: string, short: string): boolean => short.length >= LEAST_COMPOUND && long.startsWith(short);
  return plan.has(stem) || [...plan].some((other) => begins(stem, other) || begins(other, stem));
}

/** After a longer pause, a pronoun at the beginning of a message refers to nothing that the user said before. */
const LONGEST_PAUSE = 30 * MINUTE;

/**
 * Adds words that begin with a pronoun to the last statement of the user's last two turns, to which the pronoun refers. A statement that was
 * rendered from a slot stays as it is: the words then follow the words from which the slot was read, as a statement of their own. Returns
 * false if there is no such statement, or if a pause or another person, in `before` or in a turn, separates it from the words.
 */
export function joinsLast(words: ReadStatement, turn: Turn, before: string): boolean {
  const { input, reading, event, pack, number } = turn;
  const turns = [...input.earlier, ...input.turns.slice(0, number - 1)].filter(isOwnMessage);
  const sourceOf = ({ one: { quotes }, known }: Said): Event | undefined => {
    const ids =
      known === null ? [input.turns[(quotes.at(-1)?.turn ?? 0) - 1]?.id] : input.known[known - 1]?.sourceEvents;
    return turns.findLast(({ id }) => ids?.includes(id));
  };
  const all = lastSaid(turn).filter(
    (each) =>
      each.one.polarity === 'affirmed' &&
      event.occurredAt.getTime() - Number(sourceOf(each)?.occurredAt) <= LONGEST_PAUSE,
  );
  const here = all.filter(({ known }) => known === null);
  const found = here.length > 0 ? here : all;
  const last = found.findLast(({ one }) => one.attribute === null) ?? found.at(-1);
  const source = last && sourceOf(last);
  if (last === undefined || source === undefined || pack === null) return false;
  const between = [...turns.slice(turns.indexOf(source) + 1).map(({ content }) => content), before].join('\n');
  if (namesSomebody(between, pack)) return false;
  const { attribute, quotes, importance } = last.one;
  const isRendered = attribute !== null && !hasTrait(attribute, 'event', input.attributes);
  const text = isRendered ? (quotes.at(-1)?.words ?? source.content) : last.one.text;
  // If the turn is read a second time, the statement already has its words.
  if (text.includes(words.text)) return true;
  if (isRendered && text.split(/\s+/u).length > MOST_MERGED_WORDS) return false;
  const joined = {
    text: `${text}${/[.!?…]$/u.test(text) ? '' : '.'} ${words.text}`,
    quotes: [...quotes, ...words.quotes],
    importance: Math.max(Number(importance), Number(words.importance)) || null,
  };
  if (isRendered) reading.statements.push({ ...words, ...joined, subject: last.one.subject });
  else if (last.known === null) Object.assign(last.one, joined);
  else reading.statements.push({ ...last.one, ...joined, names: words.names, relation: relationTo(last, 'extends') });
  return true;
}
