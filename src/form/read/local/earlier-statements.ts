import { civilDateAt, startOfDay, writeDay } from '../../../language/calendar.ts';
import { correctingValue, kindOf, nameInsteadOf } from '../../../language/corrections.ts';
import { PLACES } from '../../../language/entities.ts';
import { GIVEN_NAMES } from '../../../language/given-names.ts';
import type { DateContext } from '../../../language/pack-dates.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { perPack, wordsPattern } from '../../../language/packs/packs.ts';
import { namesSomebody } from '../../../language/packs/subjects.ts';
import {
  LONGEST_REDATING,
  movedDayIn,
  type NewDay,
  newDayIn,
  withNewDay,
  withTime,
} from '../../../language/told-days.ts';
import { contentStems } from '../../../language/words.ts';
import { hasTrait } from '../../../record/attributes.ts';
import { DAY, MINUTE } from '../../../record/clock.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { belongsToUser, isUser, USER } from '../../../record/statement.ts';
import { type ReadInput, type ReadQuote, readStatement, type ReadStatement, type Relation } from '../reader.ts';
import { fillSlots } from './fill-slots.ts';
import { renderSlot } from './slot-values.ts';
import { hasValue } from './statements-of-turn.ts';
import { isClaim, isOwnMessage, type ReadUnit, type Turn } from './units.ts';

/** A statement from the user's last turns. `known` is null for one from this reading, and the number of a known statement otherwise. */
interface Said {
  one: ReadStatement;
  known: number | null;
  /** The statement in the user's own words, if this statement was guessed from it (see `guessed`). */
  origin?: ReadStatement;
}

/**
 * Returns the statements of the last two turns. With `isAnytime`, also returns the known statements of earlier turns. If another speaker
 * has the turn, omits statements about the user and the user's people, because only the user's words may change them.
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
 * Returns the only statement found, or null if there are none or several. If some of them come from this reading, ignores the known ones.
 */
function onlyOne(found: readonly Said[]): Said | null {
  const here = found.filter(({ known }) => known === null);
  const [only, ...others] = here.length > 0 ? here : found;
  return only === undefined || others.length > 0 ? null : only;
}

function relationTo({ known }: Said, kind: Relation): ReadStatement['relation'] {
  return known === null ? null : { kind, known };
}

const hedges = perPack(({ words: { hedge }, script }) => wordsPattern(hedge, script, 'giu'));

/** Fills the slots that a statement would have without its hedge: "my blood type is 0 neg I think". */
function guessed(said: Said, pack: Pack, at: DateContext): Said[] {
  const text = said.one.text.replace(hedges(pack), '').replaceAll(/ {2,}/g, ' ');
  return fillSlots(text, pack, at).map(({ subject, attribute, value, polarity }) => ({
    ...said,
    one: { ...said.one, subject, attribute, value, polarity },
    origin: said.one,
  }));
}

/** Returns the new value from a sentence that only corrects another one, such as "No, Leeds". Null for other sentences. */
export function correctingIn({ pack, text, isForeign }: ReadUnit): ReturnType<typeof correctingValue> {
  return pack === null || isForeign ? null : correctingValue(text, pack);
}

/**
 * Turns a sentence such as "No, Leeds" into a statement with the corrected value. Returns null unless exactly one slot of the last turns
 * has a value of the same kind, such as a weekday, a number or a name. If `here` contains statements of the same turn, only these can be
 * corrected, and the corrected one is removed from `here`.
 */
export function correctionOf(unit: ReadUnit, turn: Turn, here: ReadStatement[]): ReadStatement | null {
  const { pack, text } = unit;
  const { input, at } = turn;
  const correcting = correctingIn(unit);
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

function withValue(
  { subject, attribute, type }: Pick<ReadStatement, 'subject' | 'attribute' | 'type'>,
  value: string,
  by: { pack: Pack; input: ReadInput; quote: ReadQuote; relation: ReadStatement['relation'] },
): ReadStatement {
  const slot = { subject, attribute: attribute ?? '', value, polarity: 'affirmed' as const };
  const text = renderSlot(slot, by.pack, by.input.attributes);
  return readStatement({ ...slot, type, text, quotes: [by.quote], relation: by.relation });
}

/**
 * Finds the plan that a turn moves, and returns it with its new day: "No, Thursday", "the fair is on the 6th, not the 4th", "the dentist
 * moved!! now Friday". Null if the turn moves no plan or says something else too.
 */
export function redatedBy(turn: Turn): ReadStatement | null {
  const { event, pack, units, at } = turn;
  if (pack === null || units.some(({ isForeign }) => isForeign)) return null;
  const { content } = event;
  const moved = units.every(isClaim) ? movedDayIn(content, pack, at) : null;
  if (moved !== null && (moved.isAll || units.length === 1)) return movedPlan(turn, content, moved);
  const next = newDayIn(content, pack, at);
  if (next === null || (units.length > 1 && content.length > LONGEST_REDATING && next.isCorrection !== true))
    return null;
  if (next.beside.length > 0 && !units.every(isClaim)) return null;
  return deniedPlan(turn, content, next);
}

/**
 * Moves the plan whose day a text denies to the new day, and returns it. If the text names something besides the days, the plan must share
 * a word with it.
 */
function deniedPlan(turn: Turn, content: string, next: NewDay): ReadStatement | null {
  const { denies, about, beside } = next;
  const isClear = denies !== null || next.isCorrection === true;
  const found = lastSaid(turn, denies !== null)
    .flatMap((said) => (isDatedPlan(said) ? said : isClear ? asPlan(said, turn) : []))
    .filter(({ one: { from, text }, known }) => {
      const isDenied = from !== null && denies?.(new Date(from)) !== false;
      const stems = contentStems(text);
      const isNamed = beside.length === 0 || beside.some((stem) => stems.has(stem));
      return (isDenied || isReadAgain(turn, known)) && isNamed && about.every((stem) => stems.has(stem));
    });
  return withDayOf(turn, content, next, found);
}

/**
 * Finds the plan that a sentence names and moves, and returns it with its new day: "They rescheduled my driving test to 6 November". Null
 * for other sentences.
 */
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

/** Checks whether a known statement was already read from this turn. It then has the new day, and the turn is being read again. */
function isReadAgain({ input, event }: Turn, known: number | null): boolean {
  return known !== null && input.known[known - 1]?.sourceEvents.includes(event.id) === true;
}

function isDatedPlan({ one: { tense, from } }: Said): boolean {
  return tense === 'planned' && from !== null;
}

/**
 * Returns a statement whose words contain exactly one day as a plan for that day, because the reader may have overlooked the plan. Empty
 * for other statements.
 */
function asPlan(said: Said, { pack, at }: Turn): Said[] {
  const { one } = said;
  if (one.attribute !== null || one.tense === 'habit' || pack === null) return [];
  const [day, ...others] = findDates(/(?<= \[)[^\]]+(?=\])/u.exec(one.text)?.[0] ?? one.text, pack, at);
  const from = others.length > 0 || day?.isDay !== true ? undefined : day.from?.toISOString();
  return from === undefined ? [] : [{ ...said, one: { ...one, tense: 'planned', from, due: null }, origin: one }];
}

/** Returns the plan among the statements found, moved to its new day. Null if there is no plan, or if several fit equally well. */
function withDayOf(turn: Turn, content: string, next: NewDay, found: readonly Said[]): ReadStatement | null {
  const { number, pack, at, reading } = turn;
  const plans = found.filter(isDatedPlan);
  const shared = plans.map(({ one }) => next.beside.filter((stem) => contentStems(one.text).has(stem)).length);
  const last = onlyOne(plans.filter((_, index) => shared[index] === Math.max(...shared)));
  if (pack === null || last === null || last.one.from === null) return null;
  const { one } = last;
  if (isReadAgain(turn, last.known)) return { ...one, quotes: [{ turn: number, words: content }] };
  const old = startOfDay(civilDateAt(new Date(last.one.from), at.timeZone), at.timeZone);
  const day = next.dayAfter(old);
  const timed = withTime(day, content, pack, at.timeZone) ?? day;
  const kept = one.due === null ? 0 : Date.parse(one.due) - old.getTime();
  // A statement from this reading is not stored yet, so the new one takes its place and cites both turns.
  if (last.known === null) reading.statements.splice(reading.statements.indexOf(last.origin ?? one), 1);
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

/** Checks whether a plan contains a word, or the first part of a compound: "Zahnarzttermin" names "Termin beim Zahnarzt". */
function isNamed(stem: string, plan: ReadonlySet<string>): boolean {
  const begins = (long: string, short: string): boolean => short.length >= LEAST_COMPOUND && long.startsWith(short);
  return plan.has(stem) || [...plan].some((other) => begins(stem, other));
}

/** After a longer pause, a pronoun at the beginning of a message no longer refers to the user's earlier messages. */
const LONGEST_PAUSE = 30 * MINUTE;

/**
 * Joins words that begin with a pronoun to the statement that the pronoun refers to, in the user's last two turns. A statement that was
 * rendered from a slot is not changed: its original words and the new ones form a separate statement. Returns false if there is no such
 * statement, if the pause was too long, or if another person is mentioned in between (in a turn or in `before`).
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
  // If this turn is being read again, the statement already contains the words.
  if (text.includes(words.text)) return true;
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

/**
 * Replaces a known value by the name in a correction: "It's in Knivsta, not Uppsala". Returns null if the correction fits no known value,
 * or several.
 */
export function replacementIn(unit: ReadUnit, { input, number, event }: Turn): ReadStatement | null {
  const { pack, text } = unit;
  if (pack === null || !isClaim(unit)) return null;
  const found = input.known.flatMap((memory, index) => {
    const { attribute, value, polarity, tense, sourceEvents } = memory;
    if (attribute === null || value === null || polarity !== 'affirmed' || tense === 'happened') return [];
    // If this turn is being read again, the known statement already has the new value.
    const isDone = sourceEvents.includes(event.id) && nameInsteadOf(text, pack) === value;
    const name = isDone ? value : nameInsteadOf(text, pack, value);
    return name === null ? [] : [{ memory, index, name }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const { memory, index, name } = only;
  const relation = hasValue(memory, name) ? null : ({ kind: 'replaces', known: index + 1 } as const);
  return withValue(memory, name, { pack, input, quote: { turn: number, words: text }, relation });
}
