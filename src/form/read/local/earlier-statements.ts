import { civilDateAt, startOfDay, writeDay } from '../../../language/calendar.ts';
import { correctingValue, kindOf, nameInsteadOf } from '../../../language/corrections.ts';
import { PLACES } from '../../../language/entities.ts';
import { GIVEN_NAMES } from '../../../language/given-names.ts';
import type { DateContext } from '../../../language/pack-dates.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { packPattern, packRegExp, perPack, plainMarks, wordsPattern } from '../../../language/packs/packs.ts';
import { namesSomebody } from '../../../language/packs/subjects.ts';
import { splitClauses } from '../../../language/sentences.ts';
import {
  LONGEST_REDATING,
  movedDayIn,
  type NewDay,
  newDayIn,
  withNewDay,
  withTime,
} from '../../../language/told-days.ts';
import { contentStems, withoutEnd } from '../../../language/words.ts';
import { hasTrait } from '../../../record/attributes.ts';
import { DAY, MINUTE } from '../../../record/clock.ts';
import type { Event } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { belongsToUser, isUser, USER } from '../../../record/statement.ts';
import { type ReadInput, type ReadQuote, readStatement, type ReadStatement, type Relation } from '../reader.ts';
import { fillSlots } from './fill-slots.ts';
import { renderSlot } from './slot-values.ts';
import { commonWord, hasValue } from './statements-of-turn.ts';
import { isClaim, isOwnMessage, type ReadUnit, type Turn } from './units.ts';

/** A statement from the user's last turns. `known`: the number of a known statement, or null for one from this reading. */
interface Said {
  one: ReadStatement;
  known: number | null;
  /** The statement in the user's own words from which this one was guessed (see `guessed`). */
  origin?: ReadStatement;
}

/** `isAnytime`: also older known ones. Another speaker's turn may not change statements about the user and the user's people. */
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

/** The only statement found, or null. Statements from this reading take precedence over known ones. */
function onlyOne<One extends Said>(found: readonly One[]): One | null {
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

/** The new value of a sentence that only corrects another one, such as "No, Leeds". */
export function correctingIn({ pack, text, isForeign }: ReadUnit): ReturnType<typeof correctingValue> {
  return pack === null || isForeign ? null : correctingValue(text, pack);
}

/**
 * Turns "No, Leeds" into a statement. Null unless exactly one slot of the last turns has a value of the same kind. Statements in `here` (of
 * the same turn) take precedence, and the corrected one is removed from it.
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

/** Moves a plan: "No, Thursday", "the fair is on the 6th, not the 4th". Null if the turn says something else too. */
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

/** Moves the plan whose day a text denies. If the text names something besides the days, the plan must share a word with it. */
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

/** Moves a plan that a sentence names: "They rescheduled my driving test to 6 November". */
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
    // Users also tell on the next day that the plan was moved.
    const isOpen = from !== null && Date.parse(from) > turn.at.now.getTime() - 2 * DAY;
    const stems = contentStems(text);
    const isAny =
      next.about.length === 0 &&
      (next.beside.length === 0 ? hasTrait(attribute, 'event') : next.beside.some((stem) => stems.has(stem)));
    return isOpen && (isAny || (next.about.length > 0 && next.about.every((stem) => isNamed(stem, stems))));
  });
  return withDayOf(turn, content, next, found);
}

/** A known statement from this turn already has the new day: the turn is being read again. */
function isReadAgain({ input, event }: Turn, known: number | null): boolean {
  return known !== null && input.known[known - 1]?.sourceEvents.includes(event.id) === true;
}

function isDatedPlan({ one: { tense, from } }: Said): boolean {
  return tense === 'planned' && from !== null;
}

/** The reader may have overlooked a plan, so a statement that contains exactly one day becomes a plan for that day. */
function asPlan(said: Said, { pack, at }: Turn): Said[] {
  const { one } = said;
  if (one.attribute !== null || one.tense === 'habit' || pack === null) return [];
  const [day, ...others] = findDates(/(?<= \[)[^\]]+(?=\])/u.exec(one.text)?.[0] ?? one.text, pack, at);
  const from = others.length > 0 || day?.isDay !== true ? undefined : day.from?.toISOString();
  return from === undefined ? [] : [{ ...said, one: { ...one, tense: 'planned', from, due: null }, origin: one }];
}

/** Moves the plan among the statements found to its new day. Null if several fit equally well. */
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

/** Whether a plan contains a word, or the first part of a compound: "Zahnarzttermin" names "Termin beim Zahnarzt". */
function isNamed(stem: string, plan: ReadonlySet<string>): boolean {
  const begins = (long: string, short: string): boolean => short.length >= LEAST_COMPOUND && long.startsWith(short);
  return plan.has(stem) || [...plan].some((other) => begins(stem, other));
}

/** After a longer pause, a pronoun at the beginning of a message no longer refers to the user's earlier messages. */
const LONGEST_PAUSE = 30 * MINUTE;

/**
 * Joins words that begin with a pronoun to a statement of the user's last two turns, or to the words behind a rendered one. False after a
 * long pause, or if another person is mentioned in between.
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

/** Replaces a known value: "It's in Knivsta, not Uppsala". Null if the correction fits no known value, or several. */
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

const restatings = perPack(({ script, lists: { announces = '(?!)', saidBefore = '(?!)' } }) => ({
  announced: packRegExp(`^(?:\\p{L}+[,!.]? )?(?:${announces})(?![\\p{L}])[ ,.:;–—-]*`),
  said: wordsPattern(saidBefore.replaceAll('<old>', "(?<old>[\\p{L}\\p{N}][\\p{L}\\p{N}' -]{1,40}?)"), script),
}));

/**
 * Corrects a statement in the user's own words. After "I have to correct myself: Lina is 8", the new word takes the place of the one in
 * which the clauses differ. "It's not the pool, it's the gym" joins the statement of the last turns that names the pool.
 */
export function restatementIn(unit: ReadUnit, turn: Turn): ReadStatement | null {
  const { pack, text, filled } = unit;
  if (pack === null || !isClaim(unit) || filled.length > 0) return null;
  const { announced, said } = restatings(pack);
  const lead = announced.exec(plainMarks(text))?.[0];
  const old = said.exec(plainMarks(text))?.groups?.['old']?.toLowerCase();
  if (lead === undefined && old === undefined) return null;
  const next = text.slice(lead?.length ?? 0);
  const quote = { turn: turn.number, words: text };
  const all = lastSaid(turn, lead !== undefined).filter(({ one }) => one.attribute === null && one.from === null);
  const stems = [...contentStems(lead === undefined ? text : next.slice(0, splitClauses(next)[0]?.end))];
  const isSaid = (before: string): boolean => stems.every((stem) => contentStems(before).has(stem));
  const done = all.find(({ one, known }) => isReadAgain(turn, known) && isSaid(one.text));
  if (done !== undefined) return { ...done.one, quotes: [quote] };
  const last = onlyOne(
    all.flatMap((each) => {
      const before = each.one.text;
      if (lead !== undefined) return withNewWord(before, next, pack).map((words) => ({ ...each, words }));
      const isNamed = before.toLowerCase().includes(old ?? '');
      return isNamed ? { ...each, words: `${withoutEnd(before, ' .!')} — ${text}` } : [];
    }),
  );
  if (last === null) return null;
  if (last.known === null) turn.reading.statements.splice(turn.reading.statements.indexOf(last.one), 1);
  const quotes = [...last.one.quotes, quote];
  return { ...last.one, text: last.words, quotes, relation: relationTo(last, 'replaces') };
}

/** Empty unless exactly one clause differs from the first clause of `next` in one name, one number, or one of several words. */
function withNewWord(text: string, next: string, pack: Pack): string[] {
  const wordsIn = (words: string): string[] =>
    (words.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !commonWord(pack).test(word));
  const kindOfWord = (word: string): string =>
    /^\p{N}/u.test(word) ? 'number' : /^\p{Lu}/u.test(word) ? 'name' : 'word';
  const [first] = splitClauses(next);
  const said = wordsIn(next.slice(0, first?.end));
  const changed = splitClauses(text).flatMap(({ start, end }) => {
    const words = wordsIn(text.slice(start, end));
    const [old = '', ...olds] = words.filter((word) => !said.includes(word));
    const [now = '', ...others] = said.filter((word) => !words.includes(word));
    const isOne = old !== '' && now !== '' && olds.length + others.length === 0 && kindOfWord(old) === kindOfWord(now);
    const at = start + text.slice(start, end).search(new RegExp(`(?<![\\p{L}\\p{N}])${old}(?![\\p{L}\\p{N}])`, 'u'));
    const isEnough = words.length > (kindOfWord(old) === 'word' ? 2 : 1);
    return isOne && isEnough ? [text.slice(0, at) + now + text.slice(at + old.length)] : [];
  });
  // "Lina is 8, she had her birthday in March" also says something new.
  const more = next.slice(first?.end).trim();
  const isNew = contentStems(more).size > 1 && !packPattern(pack, 'not').test(plainMarks(more));
  const [only = '', ...others] = changed;
  return only === '' || others.length > 0 ? [] : [isNew ? `${withoutEnd(only, ' .!')} — ${more}` : only];
}
