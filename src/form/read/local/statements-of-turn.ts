import { extractEntities } from '../../../language/entities.ts';
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
import { isAboutUser, reportsOthers } from '../../../language/packs/subjects.ts';
import { REMOVED } from '../../../language/privacy-policy.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import { splitClauses, withBlanks, withoutSpans } from '../../../language/sentences.ts';
import {
  dayAhead,
  isDayOfPast,
  isAboutFuture,
  isCalledOff,
  isOver,
  isRescheduled,
  isTimetable,
  isYearly,
  sideOfDays,
  withDates,
  withTime,
} from '../../../language/told-days.ts';
import { contentStems, saysNamesAndNumbers } from '../../../language/words.ts';
import { hasTrait } from '../../../record/attributes.ts';
import type { Memory } from '../../../record/memory.ts';
import { isSameSubject, isUser, normalValue, type Tense, USER } from '../../../record/statement.ts';
import { type ReadInput, readStatement, type ReadStatement } from '../reader.ts';
import { type Asked, isStandingOrder, isOwn } from './selector.ts';
import { type FilledSlot, renderSlot } from './slot-values.ts';
import type { ReadUnit, Turn } from './units.ts';

export const REMEMBERED: number = 0.8;
const VITAL = 0.9;
const MOST_MERGED_WORDS = 32;
const SHORT_WORDS = 9;

export interface Kept extends Asked {
  isWanted: boolean;
  /** Only the slots are kept. */
  isSlotOnly?: boolean;
  /** Kept only because the next sentence refers to it. */
  isContext?: boolean;
}

const pointsBack = perPack(({ words: { they }, lists: { pronoun = '(?!)', pointsBack: others = '(?!)' } }) =>
  packRegExp(`^(?:${they}|${pronoun}|${others})(?![\\p{L}])`),
);

/**
 * "We found a cleaner. Her name is Rita" needs its first sentence. A short sentence needs the one before it, too: "Bike stolen. At the
 * station. It cost 650".
 */
export function contextOf({ unit }: Asked, asked: readonly Asked[], last: Kept | undefined, isContext = false): Kept[] {
  const before = askedBefore(unit, asked);
  const isKept = last?.unit.index === unit.index - 1 && last.isSlotOnly !== true;
  if (before === undefined || isKept || unit.pack === null || unit.pack.script === 'han') return [];
  if (before.unit.isForeign || before.request !== null || /[?？]/u.test(before.unit.text)) return [];
  const isShort = isContext && unit.text.split(/\s+/u).length <= 5;
  if (!isShort && !pointsBack(unit.pack).test(plainMarks(unit.text))) return [];
  const more = contextOf(before, asked, last, true);
  return [...more, { ...before, unit: { ...before.unit, filled: [] }, isWanted: false, isContext: true }];
}

/** `asked` may lack units, such as those that move an appointment, so its indexes are not those of the units. */
export function askedBefore({ index }: ReadUnit, asked: readonly Asked[]): Asked | undefined {
  return asked.find(({ unit }) => unit.index === index - 1);
}

const pronounFirst = perPack(({ words: { assent }, lists: { pronoun = '(?!)' } }) =>
  packRegExp(`^(?:(?:${assent})[,!.]* )?(?:${pronoun})(?![\\p{L}])`),
);

const LEAST_SAID = 2;

/** Incomprehensible without the words before it: "she likes gin", "keep that in mind for recipes". */
export function isDangling({ unit: { pack, text, filled }, request }: Asked): boolean {
  if (pack === null || pack.script === 'han') return false;
  const plain = plainMarks(text);
  if (request === 'remember') {
    const before = listPattern(pack, 'meansBefore').exec(plain)?.index ?? -1;
    // In "dentist on 12 March, remember that", the request refers to its own sentence.
    const isAlone = before >= 0 && gistOf(plain.slice(0, before), pack).length < LEAST_SAID;
    return filled.length === 0 && !plain.includes(':') && (isAlone || (before >= 0 && pronounFirst(pack).test(plain)));
  }
  // "Remind me to call her" needs the words before it. "Remind me to send her the invoice" has an object of its own.
  if (request === 'reminder') {
    const bare = plain.replace(packPattern(pack, 'request:reminder'), ' ').replace(/\p{N}+\p{L}*/gu, ' ');
    const isNamed = wordsPattern(relationsOf(pack)).test(plain) || gistOf(bare, pack).length > 1;
    return packPattern(pack, 'they').test(plain) && !isNamed;
  }
  return pronounFirst(pack).test(plain);
}

const secondThing = perPack(({ my, lists: { and = '(?!)', article = '(?!)' } }) =>
  packRegExp(`(?<![\\p{L}])(?:${and})(?: \\p{L}{2,4})? (?=(?:${article}|${my}) \\p{L})`, 'giu'),
);

/** In one statement, the undated fact of "the boiler man is Stan and the rent goes out on the 12th" would expire with the day. */
function partsOf(item: Kept, at: DateContext): Kept[] {
  const { unit, request, isSlotOnly } = item;
  const { pack, text, start, filled } = unit;
  if (pack === null || pack.script === 'han' || request !== 'remember' || isSlotOnly === true) return [item];
  const plain = plainMarks(text);
  const part = (from: number, to: number): Kept => {
    const slots = filled.filter((slot) => slot.start >= from && slot.end <= to);
    const own = slots.map((slot) => ({ ...slot, start: slot.start - from, end: slot.end - from }));
    const span = { start: start + from, end: start + to };
    return { ...item, unit: { ...unit, ...span, text: text.slice(from, to), filled: own } };
  };
  const isDated = ({ unit: { text } }: Kept): boolean => findDates(text, pack, at).some(({ isDay }) => isDay);
  const isFact = (one: Kept): boolean =>
    !isDated(one) && (isVerb(pack).test(one.unit.text) || listPattern(pack, 'naming').test(one.unit.text));
  for (const { index, 0: link } of plain.matchAll(secondThing(pack))) {
    const parts = [part(0, index), part(index + link.length, text.length)];
    // The selector classified the whole sentence. Its tense applies only to the part with the day.
    const told = parts.map((one) => (isDated(one) ? one : { ...one, selection: { ...one.selection, tense: HOLDS } }));
    if (parts.some(isDated) && parts.some(isFact)) return told;
  }
  return [item];
}

const HOLDS: Kept['selection']['tense'] = { holds: 1, habit: 0, happened: 0, planned: 0 };

const isVerb = perPack(({ is }) => packRegExp(`(?:${is || '(?!)'})(?![\\p{L}])`));

/** A group of sentences becomes its slots, and its own words if the slots do not cover them. */
export function statementsOf(turn: Turn, kept: readonly Kept[]): ReadStatement[] {
  const statements: ReadStatement[] = [];
  const filled = kept.flatMap(({ unit }) => unit.filled);
  for (const group of grouped(kept.flatMap((item) => partsOf(item, turn.at)))) {
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
    // An event becomes one statement, with its own words and its day, because the slot alone does not name the event.
    const event = slots.find((slot) => hasTrait(slot.attribute, 'event'));
    const { attribute, value, from, due } = event ?? own;
    const others = slots.filter((slot) => slot !== event);
    statements.push(...others, { ...own, attribute, value, from, due: due ?? own.due });
  }
  return statements;
}

/** In "I quit, I'm at Aldi now", the denial has no value and would also end the new one. */
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

/** A layout of answers is a list, a table or prose. Null for other slots. */
function layoutOf(
  { attribute, value }: Pick<ReadStatement, 'attribute' | 'value'>,
  pack: Pack | null,
): 'wanted' | 'excluded' | null {
  const match = !hasTrait(attribute, 'layout') || pack === null ? null : layouts(pack).exec(value ?? '');
  if (match === null) return null;
  return match.groups?.['not'] === undefined ? 'wanted' : 'excluded';
}

/** A wish for another layout, the opposite wish about the same format, or another dose of a medicine. Null for several doses. */
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

/** Short adjacent sentences join one statement if all make the same request or none. */
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

/** "A girl. Morenikeji. 2.9 kg." becomes one statement. */
function grouped(kept: readonly Kept[]): Kept[][] {
  const groups: Kept[][] = [];
  for (const item of kept) {
    const last = groups.at(-1);
    if (last !== undefined && belongsTo(last, item)) last.push(item);
    else groups.push([item]);
  }
  return groups.filter((group) => !group.every(({ isContext }) => isContext === true));
}

// Words of all languages, because the language of so few words is often not recognised.
const AND_FIRST = new RegExp(`^(?:${wordsOfAll('and', 'latin')})(?: [\\p{L}']+){1,2}[.!]*$`, 'iu');

const assentFirst = perPack(({ words: { assent }, lists: { ofCourse = '(?!)' } }) =>
  packRegExp(`^(?:(?:${assent}|${ofCourse})[,!]? )+`),
);

/**
 * Whether the kept words mean nothing without the rest of a longer turn: one word, "and" with a word, or a remark on the question before it
 * ("Weird after 15 years"). A single word for an illness or a pregnancy is kept.
 */
function isFragment(group: readonly Kept[], { from }: ReadStatement): boolean {
  const [{ unit, isWanted }, ...others] = group as readonly [Kept, ...Kept[]];
  const { pack, text, count, turn, start } = unit;
  if (others.length > 0 || isWanted || count === 1 || pack === null || pack.script === 'han') return false;
  const plain = plainMarks(text);
  // "Natürlich, Galba." only repeats an answer.
  const bare = plain.replace(assentFirst(pack), '');
  const isWord = bare.match(/[\p{L}\p{N}]+/gu)?.length === 1 && !/\d/.test(plain);
  const isRemark =
    from === null &&
    /[?？]\s*$/u.test(turn.slice(0, start)) &&
    saysAny(pack, turn.slice(0, start), 'hedge') &&
    plain.split(/\s+/u).length <= 4;
  return ((isWord || isRemark) && !isVital(plain, pack)) || AND_FIRST.test(plain);
}

const LEAST_LEFT = 4;

/** Whether the privacy policy has removed the main content: "My iban is [bank account removed], keep it for invoices". */
function isHusk(group: readonly Kept[]): boolean {
  const words = group.map(({ unit }) => unit.text).join('\n');
  if (!REMOVED.test(words)) return false;
  const clauses = splitClauses(words).map(({ start, end }) => words.slice(start, end));
  return contentStems(clauses.filter((clause) => !REMOVED.test(clause)).join(' ')).size < LEAST_LEFT;
}

function isSaidBySlots(group: readonly Kept[], said: string, at: DateContext): boolean {
  return group.every(({ unit, request }) => {
    if (unit.filled.length === 0 || request === 'remember') return false;
    // A denial without a value becomes a statement in the words of the sentence, so they are not kept again.
    if (unit.filled.some(({ value }) => value === null)) return true;
    const start = Math.min(...unit.filled.map((slot) => slot.start));
    const end = Math.max(...unit.filled.map((slot) => slot.end));
    return (
      !hasDayOfPast(unit, at) &&
      !goesOn(unit, said, at) &&
      (end - start >= unit.text.length * 0.6 || isFrame(unit, start, end, at))
    );
  });
}

/** Whether the sentence names a past day that is in none of its slots: "I broke my wrist on Sunday". */
function hasDayOfPast({ filled, text, pack }: ReadUnit, at: DateContext): boolean {
  if (filled.some(({ from }) => from !== null)) return false;
  const dates = findDates(text, pack as Pack, { ...at, prefer: 'past' });
  const isPast = packPattern(pack as Pack, 'past').test(plainMarks(text));
  return isPast && dates.some(({ isDay, isSince, from }) => isDay && !isSince && from !== null && from < at.now);
}

/** Further content words that make a clause. One is enough after "and", and directly after a name: "My wife Laura is pregnant". */
const WORDS_OF_CLAUSE = { joined: 1, bare: 2 };

/** Whether the slots lack a name, a number or a clause of the sentence: "I live in Ghent and row every Sunday". */
function goesOn({ filled, text, pack }: ReadUnit, said: string, at: DateContext): boolean {
  const lower = text.toLowerCase();
  const ends = filled.map(({ value }) => lower.lastIndexOf((value ?? '').toLowerCase()) + (value ?? '').length);
  const end = Math.max(...ends);
  const rest = withBlanks(text, findDates(text, pack as Pack, at));
  const known = contentStems(said);
  const tail = rest.slice(end);
  const words = tail.replace(/\p{L}+/gu, (word) => (commonWord(pack as Pack).test(word) ? ' ' : word));
  const after = [...contentStems(words)].filter((stem) => !known.has(stem));
  // Chinese and Japanese texts are not split into words, so clauses cannot be recognised by a number of words.
  const isPredicate =
    filled[ends.indexOf(end)]?.attribute.endsWith('_name') === true &&
    /^ \p{L}/u.test(tail) &&
    !listPattern(pack as Pack, 'naming').test(text) &&
    !fillerFirst(pack as Pack).test(tail);
  const least = WORDS_OF_CLAUSE[isPredicate || listPattern(pack as Pack, 'and').test(tail) ? 'joined' : 'bare'];
  const isClause = pack?.script !== 'han' && after.length >= least;
  return isClause || !saysNamesAndNumbers(said, rest);
}

const fillerFirst = perPack(({ lists: { stop = '(?!)' } }) => packRegExp(`^ (?:${stop})[.!]*$`));

export const commonWord: (pack: Pack) => RegExp = perPack(({ common }) => packRegExp(`^(?:${common || '(?!)'})$`));

const frameWords = perPack(({ script, words: { greeting, assent }, calendar: { from }, requests: { lead } }) =>
  wordsPattern(`${greeting}|${assent}|${from}|${lead}`, script, 'giu'),
);

/** The rest is only the slots' date, a greeting, an assent or words such as "from now on". */
function isFrame(unit: ReadUnit, start: number, end: number, at: DateContext): boolean {
  const pack = unit.pack as Pack;
  const text = plainMarks(unit.text);
  const dates = unit.filled.some(({ from }) => from !== null) ? findDates(text, pack, at) : [];
  const beside = withBlanks(text, [{ start, end }, ...dates]);
  const rest = beside.replace(packPattern(pack, 'request:wish'), ' ').replace(frameWords(pack), ' ');
  return !/[\p{L}\p{N}]/u.test(rest);
}

function slotStatement(turn: Turn, slot: FilledSlot, item: Kept): ReadStatement {
  const { unit } = item;
  const { input } = turn;
  const subject = subjectFor(slot.subject, turn.speaker);
  const isEvent = hasTrait(slot.attribute, 'event');
  const tense = slot.value === null ? 'happened' : isEvent ? 'planned' : null;
  const { category, traits } = input.attributes.policyOf(slot.attribute);
  const isPreference = traits.includes('wish') || category === 'preference';
  const isOfHealth = category === 'health' && traits.includes('vital') && slot.polarity === 'affirmed';
  const isNever = slot.isNever === true && !isKnown({ ...slot, subject }, input);
  const rendered = renderSlot({ ...slot, subject, isNever }, packOfRendering(slot, unit, turn), input.attributes);
  const due = isEvent && slot.tense === 'planned' ? withTime(slot.from, unit.text, unit.pack, turn.at.timeZone) : null;
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

/** A name fits a template of any language. Other values are words of the turn's language. */
function packOfRendering({ attribute }: FilledSlot, { pack }: ReadUnit, { input, usualPack }: Turn): Pack {
  const isName = input.attributes.policyOf(attribute).shape === 'name';
  return (isName ? (usualPack ?? pack) : pack) as Pack;
}

/** The day since which the value has held: "vegetarian since March 1". */
function sinceWhen(slot: FilledSlot, { text, pack, filled }: ReadUnit, at: DateContext): Date | null {
  if (pack === null || filled.length > 1 || slot.polarity === 'denied' || slot.tense === 'planned') return null;
  const [since, ...others] = findDates(text, pack, at).filter(
    ({ isSince, from }) => isSince && from !== null && from < at.now,
  );
  const clause = splitClauses(text).find(({ end }) => end > (since?.start ?? 0));
  const isOfSlot = clause !== undefined && slot.start < clause.end && slot.end > clause.start;
  return others.length === 0 && isOfSlot ? (since?.from ?? null) : null;
}

function importanceOf({ unit: { pack }, isWanted }: Kept, words: string, isHealth = false): number | null {
  if (isHealth || (pack !== null && isVital(words, pack))) return VITAL;
  return isWanted || isStandingOrder(pack, plainMarks(words)) ? REMEMBERED : null;
}

function isVital(words: string, pack: Pack): boolean {
  return listPattern(pack, 'health', 'being', 'intolerance').test(plainMarks(words));
}

/** If the value is known, a denial means "no longer". */
function isKnown({ subject, attribute, value }: FilledSlot, { known }: ReadInput): boolean {
  return known.some(
    (one) => one.attribute === attribute && hasValue(one, value) && isSameSubject(one.subject, subject),
  );
}

export function hasValue(one: Pick<ReadStatement, 'value'>, value: string | null): boolean {
  return normalValue(one.value ?? '') === normalValue(value ?? '');
}

export function ownWords(turn: Turn, group: readonly Kept[]): ReadStatement {
  const [first, last] = [group[0] as Kept, group.at(-1) as Kept];
  const words = turn.event.content.slice(first.unit.start, last.unit.end);
  const main = group.toSorted((left, right) => right.selection.keep.yes - left.selection.keep.yes)[0] as Kept;
  const { at } = turn;
  const guess = tenseIn(group, main, at);
  const { text, dates } = datedWords(turn, group);
  const isAhead = ({ from }: FoundDate): boolean => from !== null && from > at.now;
  const isAllAhead = dates.length > 0 && dates.every(isAhead) && !isOff(words, turn);
  const tense = guess === 'happened' && isAllAhead ? 'planned' : guess;
  // A day in the plan's own sentence is preferred: "A bad day today. I work four days a week from June".
  const offset = first.unit.start;
  const own = dates.filter(({ start }) => start >= main.unit.start - offset && start < main.unit.end - offset);
  const ahead = dayAhead(own, words, turn.pack, at) ?? dayAhead(dates, words, turn.pack, at);
  // A state begins on its day; an event is due on it.
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
    subject: subjectOfGroup(group, main, turn),
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

function isOff(words: string, { pack }: Turn): boolean {
  return pack !== null && isCalledOff(words, pack);
}

/** Each sentence keeps its own tense: "She found a job! She starts on Monday". */
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

/** A sentence that only names a day may take the tense of the sentence before it. */
function tenseIn(group: readonly Kept[], item: Kept, at: DateContext): Tense {
  const { text, pack } = item.unit;
  const before = group[group.indexOf(item) - 1]?.unit.text;
  const isPast = pack !== null && before !== undefined && isDayOfPast(text, before, pack, at);
  return isPast ? 'happened' : tenseOf(item, at);
}

function dueOf({ text, pack }: ReadUnit, at: DateContext): Date | null {
  const dates = pack === null ? [] : findDates(text, pack, at);
  return withTime(dayAhead(dates, text, pack, at)?.from ?? null, text, pack, at.timeZone);
}

function best<Name extends string>(probabilities: Record<Name, number>, without: readonly Name[] = []): Name {
  const entries = (Object.entries(probabilities) as [Name, number][]).filter(([name]) => !without.includes(name));
  return entries.toSorted((left, right) => right[1] - left[1])[0]?.[0] as Name;
}

const SURE_HABIT = 0.93;
/** From this probability of "planned", a future day makes the sentence a plan. */
const LIKELY_TENSE = 0.15;

function namesVisit({ text, pack }: Pick<ReadUnit, 'text' | 'pack'>): boolean {
  return pack !== null && listPattern(pack, 'appointment').test(plainMarks(text));
}

function tenseOf({ selection, unit, request }: Kept, at: DateContext): Tense {
  if (request === 'reminder') return 'planned';
  if (request === 'wish') return 'habit';
  const { pack, text } = unit;
  if (isTimetable(text, pack, at)) return 'habit';
  const mayBePlan = pack !== null && isAboutFuture(text, pack, at);
  const guess = best<Tense>(selection.tense, mayBePlan ? [] : ['planned']);
  if (pack === null) return guess === 'habit' ? 'holds' : guess;
  if (isCalledOff(text, pack)) return 'happened';
  if (isYearly(text, pack, at)) return 'habit';
  if (isRescheduled(text, pack, at)) return 'planned';
  const isHabit = packPattern(pack, 'habit').test(plainMarks(text));
  if (guess !== 'habit' && isHabit && selection.tense.habit > 0.25) return 'habit';
  return tenseByDays(guess, { selection, unit }, { isHabit, pack }, at);
}

function tenseByDays(
  guess: Tense,
  { selection: { tense }, unit }: Pick<Kept, 'selection' | 'unit'>,
  { isHabit, pack }: { isHabit: boolean; pack: Pack },
  at: DateContext,
): Tense {
  if (guess === 'planned') return isOver(unit.text, pack, at) ? 'happened' : 'planned';
  // A single weekday without "every" is one day, unless the selector is certain of a habit.
  const isSure = isHabit || tense.habit >= SURE_HABIT;
  const isLikelyPlan = namesVisit(unit) || tense.planned > LIKELY_TENSE;
  const isPlan = { happened: true, habit: !isSure, holds: !isHabit && isLikelyPlan }[guess];
  const side = sideOfDays(unit.text, pack, at);
  if (isPlan && side === 'ahead') return 'planned';
  // "My son was born on 2 February" still holds, but tells of the past.
  return guess === 'holds' && side === 'past' ? 'happened' : guess;
}

/** From this probability, a plain plan or timetable is kept: "seeing mum sat". */
const PLAN_NEEDS = 0.3;

const TIME_OF_DAY = /\d{1,2}(?:[:.h]\d\d)? ?(?:[ap]m|h|uhr|uur|u)?(?!\p{L})/giu;

/** Whether a message is only a timetable, a habit, or a plan for a day that it names. A lower probability then suffices. */
export function isPlainPlan(item: Kept, at: DateContext): boolean {
  const { text, pack, count } = item.unit;
  if (pack === null || item.selection.keep.yes < PLAN_NEEDS || !isOwn(item) || /[?？]/u.test(text)) return false;
  const plain = plainMarks(text);
  const dates = findDates(plain, pack, at);
  // The day may come after the event, as a sentence of its own: "got a scan!! monday 10am".
  if (count > 1 && /\p{L}/u.test(withoutSpans(plain, dates).replace(TIME_OF_DAY, ''))) return false;
  if (saysAny(pack, plain, 'if', 'hedge', 'joke', 'said', 'question', 'you', 'they', 'ask', 'not')) return false;
  if (isTimetable(text, pack, at)) return true;
  const isAhead = dates.some(({ isDay, from }) => isDay && from !== null && from > at.now);
  const tense = tenseOf(item, at);
  return (isAhead && tense === 'planned') || (tense === 'habit' && packPattern(pack, 'habit').test(plain));
}

/** Only agents have episodes, and only a statement with a day can be an intention. */
function typeOf({ selection, request, unit: { pack, text } }: Kept, due: Date | null): string {
  if (request === 'wish') return 'preference';
  if (request === 'reminder') return due === null ? 'context' : 'intention';
  // A beginning such as "moving on 1 May" or a first day at school is not an intention, because an intention expires after its day.
  const isIntended = due !== null && !(pack !== null && listPattern(pack, 'begins').test(plainMarks(text)));
  const guess: string = best(selection.type, isIntended ? [] : due === null ? ['intention'] : ['intention', 'goal']);
  if (OF_NOW.has(guess) && pack !== null && isNotOfNow(plainMarks(text), pack)) return 'fact';
  // The assistant should bring up a future event or an appointment on its day.
  if (isIntended && (guess === 'episode' || (guess === 'fact' && namesVisit({ text, pack })))) return 'intention';
  return { instruction: 'preference', episode: 'fact' }[guess] ?? guess;
}

/** Types for the user's present wishes. */
const OF_NOW: ReadonlySet<string> = new Set(['goal', 'preference', 'decision', 'instruction', 'feedback']);

/** Another person's wish, or a former one of the user: "I used to want to be a nurse". */
function isNotOfNow(text: string, pack: Pack): boolean {
  const isFormer = saysAny(pack, text, 'over') && listPattern(pack, 'nearly').test(text);
  return isFormer || reportsOthers(text, pack);
}

const relativeFirst = perPack((pack) =>
  packRegExp(`^(?:[\\p{L}']+,? ){0,1}?(?:${pack.my}) (${relationsOf(pack)}),? (\\p{L}[\\p{L}'-]+)`),
);

/** A main sentence that does not mention the user may continue a sentence about another person. */
function subjectOfGroup(group: readonly Kept[], main: Kept, turn: Turn): string {
  const { text, pack } = main.unit;
  const before = pack !== null && isAboutUser(plainMarks(text), pack) ? [] : group.slice(0, group.indexOf(main));
  const subjects = [main, ...before.toReversed()].map((item) => subjectOfWords(item, turn));
  return subjects.find((subject) => subject !== turn.speaker) ?? turn.speaker;
}

const ABOUT_OTHER = 0.5;

/** "My sister Ana moved to Graz" is about Ana, and "priyas pregnant" about Priya. */
function subjectOfWords({ unit, selection }: Kept, turn: Turn): string {
  const { pack } = unit;
  if (pack === null || pack.script === 'han' || selection.about.other < ABOUT_OTHER) return turn.speaker;
  const text = plainMarks(unit.text);
  const match = relativeFirst(pack).exec(text);
  const relation = pack.relations[match?.[1]?.toLowerCase() ?? ''];
  if (relation === undefined || match === null || !/^\p{Lu}/u.test(match[2] ?? '')) return turn.speaker;
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
