import { DAY } from '../record/clock.ts';
import type { Tense } from '../record/statement.ts';
import type { MemoryType } from '../record/memory-types.ts';
import { hasOutcome, isDaySaid, type Memory } from '../record/memory.ts';
import { knownTimeZone } from '../record/parse.ts';
import { addDays, civilDateAt, HALF_A_YEAR, instantAt, localDay, startOfDay, weekdayOf, writeDay } from './calendar.ts';
import { boundOf, type DateContext, type FoundDate, isDeniedAt, timeIn, timesIn } from './pack-dates.ts';
import type { Pack } from './packs/pack.ts';
import {
  detectPack,
  listPattern,
  PACKS,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  relationsOf,
  wordsPattern,
} from './packs/packs.ts';
import { intersects, spansOf, splitClauses, type TextSpan, withBlanks } from './sentences.ts';
import { contentStems, withoutEnd } from './words.ts';
import { findDates } from './resolve-dates.ts';

/** If a day without a year is further ahead than this, it may be in the previous year. */
const DOUBTFUL_AHEAD = 250 * DAY;

/**
 * Finds the dates of past events. The words may also contain a clause about the present or the future: in "I resigned today, my last day is
 * 13 November", only the first day is past.
 */
function datesOfPast(words: string, pack: Pack, at: { now: Date; timeZone: string }): FoundDate[] {
  const plain = plainMarks(words);
  const [past, ahead] = (['past', 'future'] as const).map((prefer) => findDates(plain, pack, { ...at, prefer }));
  // In chat, an emoji alone may separate two clauses.
  const clauses = splitClauses(plain.replace(/\p{Extended_Pictographic}/gu, ({ length }) => ';'.padEnd(length)));
  return (past ?? []).map((date) => {
    const clause = clauses.find(({ start, end }) => date.start >= start && date.start < end);
    const later = ahead?.find(({ start, end }) => start === date.start && end === date.end);
    if (clause === undefined || later === undefined) return date;
    const words = plain.slice(clause.start, clause.end);
    // A deadline comes after the promise to keep it: "I promised an answer by the 13th".
    const isLater = boundOf(plain, date, pack) === 'last' || isAhead(words, pack);
    return isLater || (isFarther(date, later, at.now) && isOpenSide(plain, date, clause, pack)) ? later : date;
  });
}

/** Checks whether a day without a year, read as past, is more than half a year ago. The next such day is then nearer. */
function isFarther(past: FoundDate, later: FoundDate, now: Date): boolean {
  if (past.from === null || later.from === null || later.from <= now) return false;
  return now.getTime() - past.from.getTime() > HALF_A_YEAR * DAY && past.hasYear !== true;
}

const forDay = perPack(({ script, lists: { forDay: words = '(?!)' } }) =>
  packRegExp(`${script === 'han' ? '' : '(?<![\\p{L}])'}(?:${words})\\s?$`),
);

/**
 * Checks whether the words next to a day leave open if it is past or future. They do if they have no verb in the past tense, if that verb
 * arranges something for the day ("cancelled the trip in June"), or if a preposition assigns the day to an arrangement ("tickets for 5
 * June").
 */
function isOpenSide(plain: string, day: TextSpan, clause: TextSpan, pack: Pack): boolean {
  if (isForDay(plain, day, pack)) return true;
  const words = wordsBeside(plain, day, clause);
  if (isDeed(words, pack)) return false;
  return !isOfPast(words, pack) || listPattern(pack, 'arranges').test(words);
}

/** Returns the other words in a day's clause, or in its sentence if the clause has none: "I handed in my notice, 30 April". */
function wordsBeside(plain: string, day: TextSpan, clause: TextSpan): string {
  const beside = withBlanks(plain, [day]);
  const own = beside.slice(clause.start, clause.end);
  return /\p{L}{4}|\p{Lo}/u.test(own) ? own : beside;
}

/** Checks whether a preposition assigns a day to something arranged. The date itself may include the preposition: "für den 5. Juni". */
function isForDay(plain: string, { start, end }: TextSpan, pack: Pack): boolean {
  const [first = '', second = ''] = plain.slice(start, end).split(' ');
  const head = plain.slice(Math.max(0, start - 30), start);
  return [head, `${head}${first} `, `${head}${first} ${second} `].some((lead) => forDay(pack).test(lead));
}

/** Checks whether words report a completed event and arrange nothing: "bought the bike", "died". */
function isDeed(words: string, pack: Pack): boolean {
  return listPattern(pack, 'deeds').test(words) && !listPattern(pack, 'arranges', 'appointment').test(words);
}

function isAhead(clause: string, pack: Pack): boolean {
  if (isOfPast(clause, pack)) return false;
  return saysAhead(clause, pack) || isWord(pack).test(clause);
}

function saysAhead(clause: string, pack: Pack): boolean {
  return packPattern(pack, 'future').test(clause) || listPattern(pack, 'starts').test(clause);
}

function isOfPast(clause: string, pack: Pack): boolean {
  return saysPast(clause, pack) || listPattern(pack, 'pastVerb', 'deeds').test(clause);
}

/** Checks whether a text is about the past. Some nouns look like participles ("sabato"), and "got an interview" is a plan. */
function saysPast(text: string, pack: Pack): boolean {
  return packPattern(pack, 'past').test(text.replace(notPast(pack), ' '));
}

const notPast = perPack(({ script, lists: { notPast: words = '(?!)' } }) => wordsPattern(words, script, 'giu'));

const isWord = perPack(({ is, script }) => packRegExp(`(?:${is || '(?!)'})${script === 'han' ? '' : '(?![\\p{L}])'}`));

/**
 * Writes the absolute form of relative dates next to the user's words: "moved yesterday [3 May 2026]". Skips the dates of habits, and a
 * bare weekday unless it means a single day.
 */
export function withDates(
  words: string,
  tense: Tense,
  pack: Pack | null,
  at: { now: Date; timeZone: string },
): { text: string; dates: FoundDate[] } {
  if (pack === null || tense === 'habit' || packPattern(pack, 'habit').test(plainMarks(words)))
    return { text: words, dates: [] };
  const found =
    tense === 'happened'
      ? datesOfPast(words, pack, at)
      : findDates(plainMarks(words), pack, { ...at, prefer: 'future' });
  // "I gave up the fish on Friday thing" names the day of a habit.
  const isOneDay =
    (tense === 'happened' || tense === 'planned') && !listPattern(pack, 'custom').test(plainMarks(words));
  const dates = found.filter(
    ({ isBareWeekday, relative, hasYear, from, ...span }) =>
      // "No more Fridays" does not mean a single day.
      (!isBareWeekday || (isOneDay && !isDeniedAt(plainMarks(words), span, pack))) &&
      // "Due 28 November", said in January, is as likely to mean the past November as the next one.
      !(relative && hasYear !== true && from !== null && from.getTime() - at.now.getTime() > DOUBTFUL_AHEAD),
  );
  let text = '';
  let position = 0;
  for (const date of dates) {
    if (!date.relative) continue;
    text += `${words.slice(position, date.end)} [${date.written}]`;
    position = date.end;
  }
  return { text: text + words.slice(position), dates };
}

/**
 * Checks whether a sentence only gives the day on which the event of the previous sentence happened: "We broke up. Tuesday." If something
 * was booked or agreed, the day may be in the future.
 */
export function isDayOfPast(text: string, before: string, pack: Pack, at: DateContext): boolean {
  const plain = plainMarks(before);
  if (!isOfPast(plain, pack) || packPattern(pack, 'decision').test(plain) || saysAhead(plain, pack)) return false;
  const days = findDates(plainMarks(text), pack, at);
  const rest = withBlanks(plainMarks(text), days).replace(CLOCK, ' ').replace(dayWords(pack).filler, ' ');
  return days.length > 0 && !/[\p{L}\p{N}]/u.test(rest);
}

/** A new day for a plan that was stated before: "no, Thursday", "moved!! now Wednesday 21st". */
export interface NewDay {
  /** Tests whether the words deny a day: "not 5 December", "not the 5th". Null if they deny none. */
  denies: ((day: Date) => boolean) | null;
  /** Whether the text begins by taking back an earlier statement: "No wait, it's the 25th". */
  isCorrection?: boolean;
  /** The plan must contain these stems. Empty for "no, Thursday" and for "the appointment has moved to Thursday". */
  about: readonly string[];
  /** Stems of all words except days and times. They name the plan whose day is denied, and choose between several plans. */
  beside: readonly string[];
  /** Computes a plan's new day from its old day. A weekday alone is in the week of the old day. */
  dayAfter: (old: Date) => Date;
  words: string;
}

/** A new day with the words that name the plan, which may have been stated long before. */
interface MovedDay extends NewDay {
  /** Whether the text says nothing besides the plan and its new day. */
  isAll: boolean;
}

export const LONGEST_REDATING = 80;
/** A text that denies a day and names the plan may be this long, because it may say more about the plan. */
const LONGEST_DENIAL = 240;
const CLOCK = /(?<![\p{L}\d])\d{1,2}(?:[:.h]\d{2})?\s?(?:[ap]m|uhr|h|heures?|uur|ore|点|時)?(?![\p{L}\d])/giu;

const dayWords = perPack(
  ({
    script,
    common,
    words: { assent },
    lists: { redates = '', anyPlan = '(?!)' },
    calendar: { weekdays, months },
  }) => ({
    weekdays: weekdays.map((names) => wordsPattern(`^(?:${names})$`, 'han')),
    weekday: wordsPattern(weekdays.join('|'), script, 'giu'),
    days: wordsPattern([...weekdays, ...months].join('|'), script, 'giu'),
    before: packRegExp(`(?:${weekdays.join('|')})[.,]? (?:\\p{L}{2,3} )?$`),
    lead: packRegExp(`(?:${weekdays.join('|')})[.,]? (?:(?:the|de[nm]|el|le|il|o|de|dia) )?$`),
    core: packRegExp(`\\d|(?<![\\p{L}])(?:${[...weekdays, ...months].join('|')})`),
    cue: wordsPattern(redates, script, 'giu'),
    filler: wordsPattern(`${common || '(?!)'}|${assent}`, script, 'giu'),
    anyPlan: wordsPattern(anyPlan, script, 'giu'),
  }),
);

/** Removes the words that two plans may share: days, times and words such as "appointment". */
export function withoutDays(plain: string, pack: Pack): string {
  const { days, anyPlan } = dayWords(pack);
  return withBlanks(plain, timesIn(plain, pack)).replace(days, ' ').replace(CLOCK, ' ').replace(anyPlan, ' ');
}

/** Matches words that deny a day. They do not name the plan. */
const denials = perPack(({ script, lists: { deniesDay = '(?!)', dayDenied = '(?!)' } }) =>
  wordsPattern(`${deniesDay}|${dayDenied}`, script, 'giu'),
);

const relatives = perPack((pack) => wordsPattern(relationsOf(pack) || '(?!)', pack.script, 'giu'));

/** Returns the start of a date, including the weekday right before it: "Tuesday 17 March", "Dienstag, den 17. März". */
function startWithWeekday(plain: string, { start, isBareWeekday }: FoundDate, pack: Pack): number {
  return isBareWeekday ? start : plain.slice(0, start).replace(dayWords(pack).lead, '').length;
}

/** Finds the days in a text, including the weekday before a date ("Tuesday 17 March") and weekdays that are not recognised as dates. */
function daysIn(plain: string, pack: Pack, at: Omit<DateContext, 'prefer'>): DayWords[] {
  const { weekday } = dayWords(pack);
  const dates = findDates(plain, pack, { ...at, prefer: 'future' })
    .filter(({ isDay }) => isDay)
    .map((date) => ({ ...date, start: startWithWeekday(plain, date, pack) }));
  const alone = spansOf(plain, weekday)
    .filter((span) => !dates.some((date) => intersects(span, date)))
    .map((span) => ({ ...span, from: null, isBareWeekday: true }));
  return [...dates, ...alone].toSorted((one, other) => one.start - other.start);
}

/**
 * Returns the stems of words that may name a plan. In Chinese and Japanese, returns only stems of two or more characters without
 * inflection.
 */
function namingStems(text: string, pack: Pack): string[] {
  const stems = [...contentStems(text)];
  return pack.script === 'han'
    ? stems.filter((stem) => /^[\p{Script=Han}\p{Script=Katakana}ー]{2,}$/u.test(stem))
    : stems;
}

/** Matches the beginning of a message that takes back an earlier statement: "No wait, it's", "Sorry, I meant". */
const takingBack = perPack(({ requests: { correcting, so }, words: { assent } }) =>
  packRegExp(correcting === '' ? '(?!)' : `^(?:(?:${assent}|${so}|oh|ah|ach|ay)[,.!]* +)?(?:${correcting}){1,4}`),
);

/** A correction may contain this many words besides the new day to explain itself: "I misread the ticket". */
const MOST_EXCUSING_WORDS = 12;

const selfWords = perPack(({ i, iAm, words: { me }, script }) => wordsPattern(`${i}|${iAm}|${me}`, script));

/**
 * Returns the clauses that contain the new day of a correction. Null if they are about the user ("No, I can't come on the 25th"), or if the
 * other clauses do more than explain why the first day was wrong.
 */
function correctingWords(plain: string, days: readonly TextSpan[], pack: Pack): TextSpan[] | null {
  const clauses = splitClauses(plain);
  const telling = clauses.filter((clause) => days.some((day) => intersects(day, clause)));
  const others = clauses.filter((clause) => !telling.includes(clause)).map(({ start, end }) => plain.slice(start, end));
  const isLong = others.join(' ').split(/\s+/u).length > MOST_EXCUSING_WORDS;
  const speaksOfUser = telling.some(({ start, end }) => selfWords(pack).test(plain.slice(start, end)));
  return isLong || speaksOfUser ? null : telling;
}

/**
 * Returns the end of a clause that calls the days before it wrong: "I told you Tuesday the 24th and that's wrong, it's Thursday the 26th".
 * The next clause must contain nothing but the new day. -1 if there is no such clause.
 */
function calledWrong(plain: string, days: readonly TextSpan[], pack: Pack): number {
  const clauses = splitClauses(plain);
  const hasDay = (clause: TextSpan | undefined): boolean =>
    clause !== undefined && days.some((day) => intersects(day, clause));
  const at = clauses.findIndex(
    (clause, index) =>
      !hasDay(clause) &&
      clauses.slice(0, index).some(hasDay) &&
      hasDay(clauses[index + 1]) &&
      listPattern(pack, 'corrected').test(plain.slice(clause.start, clause.end)),
  );
  const [wrong, next] = clauses.slice(at, at + 2);
  if (at === -1 || wrong === undefined || next === undefined) return -1;
  const rest = withBlanks(plain, days)
    .slice(next.start, next.end)
    .replace(CLOCK, ' ')
    .replace(dayWords(pack).filler, ' ');
  return namingStems(rest, pack).length > 0 ? -1 : wrong.end;
}

/**
 * Finds a new day in one of three kinds of text: it says nothing else, it takes back the day just given ("No wait, it's the 25th, I misread
 * it"), or it denies the old day and names the plan. Null for other texts.
 */
export function newDayIn(text: string, pack: Pack, at: Omit<DateContext, 'prefer'>): NewDay | null {
  const whole = plainMarks(text);
  const { cue, filler, anyPlan } = dayWords(pack);
  if (whole.length > LONGEST_DENIAL || /[?？]/u.test(whole)) return null;
  const lead = takingBack(pack).exec(whole)?.[0].length ?? 0;
  // "No" at the beginning takes back an earlier statement and does not deny the day after it: "No Friday. Fri 20th".
  const plain = whole.slice(lead).padStart(whole.length);
  const days = daysIn(plain, pack, at);
  const wrong = calledWrong(plain, days, pack);
  const isDenied = (day: TextSpan): boolean => day.end <= wrong || isDeniedAt(plain, day, pack);
  const left = withBlanks(plain, days);
  const numbers = spansOf(left, OF_MONTH).filter(isDenied);
  const denies = deniedDay(plain, numbers[0], days.find(isDenied), { pack, timeZone: at.timeZone });
  const isCorrection = lead > 0 && denies === null;
  const isClear = isCorrection || denies !== null;
  const telling = isCorrection ? correctingWords(plain, days, pack) : [{ start: 0, end: plain.length }];
  const isRedated = isClear || (plain.length <= LONGEST_REDATING && plain.search(cue) >= 0);
  if (telling === null || !isRedated) return null;
  const rest = [CLOCK, cue, denials(pack)].reduce(
    (words, pattern) => words.replace(pattern, ({ length }) => ''.padEnd(length)),
    withBlanks(left, numbers),
  );
  const said = telling.map(({ start, end }) => rest.slice(start, end)).join(' ');
  const named = (isCorrection ? said.replace(filler, ' ') : said).replace(anyPlan, ' ');
  const beside = isClear ? namingStems(named, pack) : [];
  if (beside.length === 0 && /[\p{L}\p{N}]/u.test(said.replace(filler, ' '))) return null;
  const next = nextOf(
    days.filter((day) => !isDenied(day)),
    at,
  );
  if (next === null) return null;
  const kin = denies === null ? [] : [...contentStems((said.match(relatives(pack)) ?? []).join(' '))];
  const words = plain.slice(next.start, next.end);
  const about = isCorrection ? beside : kin;
  return { denies, isCorrection, about, beside, words, dayAfter: (old) => dayAfter(old, next, words, pack, at) };
}

/** Returns the last date among the days, or their last weekday. Null if the date is past: "Moved in yesterday" reports a completed plan. */
function nextOf(days: readonly DayWords[], { now }: Omit<DateContext, 'prefer'>): DayWords | null {
  const next = days.findLast(({ isBareWeekday }) => !isBareWeekday) ?? days.at(-1) ?? null;
  return next === null || next.isBareWeekday || Number(next.from) >= now.getTime() - DAY ? next : null;
}

/**
 * Finds the new day in a text that names the plan: "My dentist appointment has moved to Friday, because she is ill". Null for other texts.
 */
export function movedDayIn(text: string, pack: Pack, at: Omit<DateContext, 'prefer'>): MovedDay | null {
  const plain = plainMarks(text);
  const when = { ...at, prefer: 'future' } as const;
  const next = /[?？]/u.test(plain) ? undefined : listedDay(text, pack, when, 'rescheduled');
  if (next === undefined) return null;
  const others = withBlanks(plain, [...findDates(plain, pack, when), ...daysIn(plain, pack, at)]);
  const { cue, filler, anyPlan } = dayWords(pack);
  const stemsOf = (from: number, to?: number): string[] => {
    const part = others.slice(from, to).replace(CLOCK, ' ').replace(cue, ' ').replace(denials(pack), ' ');
    if (pack.script === 'han') return namingStems(part.replace(anyPlan, ' '), pack);
    // Words for relatives are common words, but "my sister's dentist" is not the user's dentist.
    const own = part.match(relatives(pack)) ?? [];
    return [...contentStems([part.replace(filler, ' ').replace(anyPlan, ' '), ...own].join(' '))];
  };
  const beside = stemsOf(0);
  // The plan is named before its new day, usually in the same clause.
  const clause = splitClauses(plain).find(({ end }) => end > next.start)?.start ?? 0;
  // Chinese and Japanese texts are not split into words, so it is never certain that a word names the plan.
  const isHan = pack.script === 'han';
  const named = isHan
    ? undefined
    : [stemsOf(clause, next.start), stemsOf(0, next.start)].find(({ length }) => length > 0);
  const about = named ?? [];
  if (about.length === 0 && !isHan && others.search(anyPlan) < 0) return null;
  const words = plain.slice(startWithWeekday(plain, next, pack), next.end);
  const isAll = beside.every((stem) => about.includes(stem));
  return { denies: null, about, beside, isAll, words, dayAfter: (old) => dayAfter(old, next, words, pack, at) };
}

interface DayWords extends TextSpan {
  from: Date | null;
  isBareWeekday: boolean;
}

/** A day of a month: "25th", "25.". */
const OF_MONTH = /(?<!\d)\d{1,2}(?:st|nd|rd|th|\.)(?![\p{L}\d])/gu;

/** Matches a day of the month without its month: "the 25th", "am 25.", "el 25". */
const MONTHLESS = /^\D*(\d{1,2})(?:st|nd|rd|th|er|[.eº])?$/u;

function deniedDay(
  text: string,
  number: TextSpan | undefined,
  day: DayWords | undefined,
  { pack, timeZone }: { pack: Pack; timeZone: string },
): NewDay['denies'] {
  if (number !== undefined)
    return (old) => civilDateAt(old, timeZone).day === Number.parseInt(text.slice(number.start), 10);
  if (day === undefined) return null;
  const { from } = day;
  const ofMonth = MONTHLESS.exec(text.slice(day.start, day.end))?.[1];
  if (ofMonth !== undefined) return (old) => civilDateAt(old, timeZone).day === Number(ofMonth);
  if (day.isBareWeekday) {
    const weekday = weekdayIn(text.slice(day.start, day.end), pack);
    return (old) => weekdayOf(civilDateAt(old, timeZone)) === weekday;
  }
  return from === null ? null : (old) => Math.abs(old.getTime() - from.getTime()) < DAY;
}

/** Returns the index of the first weekday in the words, from 0, or -1. */
function weekdayIn(words: string, pack: Pack): number {
  const { weekday, weekdays } = dayWords(pack);
  const name = words.match(weekday)?.[0] ?? '';
  return weekdays.findIndex((names) => names.test(name));
}

/** Computes the new day. A weekday alone is in the week of the old day, and a day without its month is in the month of the old day. */
function dayAfter(old: Date, next: DayWords, words: string, pack: Pack, at: Omit<DateContext, 'prefer'>): Date {
  const { timeZone, now } = at;
  const before = civilDateAt(old, timeZone);
  if (!next.isBareWeekday && next.from !== null) {
    // "Tuesday the 3rd" is determined by its weekday.
    const ofMonth = weekdayIn(words, pack) < 0 ? MONTHLESS.exec(words)?.[1] : undefined;
    const same = ofMonth === undefined ? next.from : startOfDay({ ...before, day: Number(ofMonth) }, timeZone);
    return same < now ? next.from : same;
  }
  const moved = addDays(before, weekdayIn(words, pack) - weekdayOf(before));
  const day = startOfDay(moved, timeZone);
  return day < now ? startOfDay(addDays(moved, 7), timeZone) : day;
}

/**
 * Replaces the old day, which is written next to the words of a text, by the new day, and the time of day right after it by the new time.
 * If the text has no such day, or its time of day is elsewhere, the new words are appended to the text.
 */
export function withNewDay(
  text: string,
  {
    old,
    day,
    pack,
    at,
    ...by
  }: { old: Date; day: Date; words: string; said: string; pack: Pack; at: Omit<DateContext, 'prefer'> },
): string {
  const { words, said } = by;
  const written = (date: Date): string => `[${writeDay(civilDateAt(date, at.timeZone), pack)}]`;
  const mark = ` ${written(old)}`;
  const head = text.slice(0, Math.max(0, text.indexOf(mark)));
  const { before, core } = dayWords(pack);
  const date = findDates(plainMarks(head), pack, { ...at, prefer: 'future' }).findLast(
    ({ end }) => end === head.length,
  );
  const tail = text.slice(head.length + mark.length);
  const begin = text.length - tail.length;
  const [oldTime, ...oldTimes] = timesIn(text, pack);
  const [time, ...otherTimes] = timesIn(plainMarks(said), pack);
  const isBeside =
    oldTime !== undefined && oldTimes.length === 0 && /^,? ?$/u.test(text.slice(begin, Math.max(begin, oldTime.start)));
  const hasTimes = [text, said].every((part) => timeIn(plainMarks(part), pack) !== null);
  if (date === undefined || (hasTimes && (!isBeside || otherTimes.length > 0)))
    return `${withoutEnd(text, ' .!\n')} — ${withoutEnd(said, ' .!\n')} ${written(day)}`;
  const from = (part: string): number => Math.max(0, part.search(core));
  const lead = head.slice(date.start, date.start + from(head.slice(date.start)));
  const start = head.slice(0, date.start).replace(before, '');
  // "On the 28th" keeps its article after the same preposition.
  const told = lead !== '' && words.startsWith(lead) ? words.slice(lead.length) : words.slice(from(words));
  const isMoved = isBeside && time !== undefined;
  const rest = isMoved
    ? `${text.slice(begin, oldTime.start)}${said.slice(time.start, time.end)}${text.slice(oldTime.end)}`
    : tail;
  return `${start}${lead}${told} ${written(day)}${rest}`;
}

/** Checks whether a text names a day that recurs every year: "My mother's birthday is on 12 May". */
export function isYearly(text: string, pack: Pack, at: DateContext): boolean {
  const isOfYear = ({ start, end, isDay, isBareWeekday }: FoundDate): boolean =>
    isDay && !isBareWeekday && /\d/.test(text.slice(start, end));
  return listPattern(pack, 'yearly').test(plainMarks(text)) && findDates(text, pack, at).some(isOfYear);
}

/**
 * Checks whether a text is a timetable: several weekdays and a time of day, and no other date ("Gym Tue/Thu 06:30", "Training Mo + Mi 18
 * Uhr"). The next of these days is not a plan. The pattern covers all languages, because the language of so few words is often not
 * recognised.
 */
export function isTimetable(text: string, pack: Pack | null, at: DateContext): boolean {
  const plain = plainMarks(text);
  TIMETABLE ??= new RegExp(PACKS.map(severalWeekdays).join('|'), 'iu');
  if (!TIMETABLE.test(plain) || !/\d[:.h]\d\d|\d ?(?:h|[ap]m|uhr|uur|u|点|時)(?!\p{L})/iu.test(plain)) return false;
  return pack === null || findDates(plain, pack, at).every((date) => date.isBareWeekday || date.isSince);
}

let TIMETABLE: RegExp | undefined;

function severalWeekdays({ script, calendar: { weekdays, shortWeekdays = [] } }: Pack): string {
  const name = `(?:${[...weekdays, ...shortWeekdays].join('|')})`;
  if (script === 'han') return `${name} ?[/+&・、和と-] ?${name}`;
  return `(?<!\\p{L})${name}s?\\.? ?[/+&–-] ?${name}(?!\\p{L})`;
}

/**
 * Checks whether a text contains a word about the future or a day that may be in the future. Without one it is not a plan: "week 2 at the
 * new job".
 */
export function isAboutFuture(text: string, pack: Pack, at: DateContext): boolean {
  const plain = plainMarks(text);
  const dates = findDates(plain, pack, { ...at, prefer: 'future' });
  return dates.some(({ to }) => to === null || to > at.now) || packPattern(pack, 'future').test(plain);
}

/**
 * Checks whether the days in a text are past: those of past events (`sideOfDays`), and those that cannot be in the future ("he was born on
 * Thursday the 28th", said on the 30th).
 */
export function isOver(text: string, pack: Pack, at: DateContext): boolean {
  if (sideOfDays(text, pack, at) === 'past') return true;
  const plain = plainMarks(text);
  const dates = findDates(plain, pack, { ...at, prefer: 'future' });
  return dates.length > 0 && dates.every(({ to }) => to !== null && to <= at.now) && !saysAhead(plain, pack);
}

/** Finds the first future day that is part of a phrase in a list. In these phrases, `<>` stands for the day. */
function listedDay(text: string, pack: Pack, at: DateContext, list: string): FoundDate | undefined {
  const plain = plainMarks(text);
  const isOpen = (date: FoundDate): boolean =>
    date.from !== null && date.from > at.now && !isDeniedAt(plain, date, pack);
  return findDates(plain, pack, at).find((date) => isOpen(date) && isListedAt(plain, date, pack, list));
}

function isListedAt(plain: string, date: FoundDate, pack: Pack, list: string): boolean {
  return [date.start, startWithWeekday(plain, date, pack)].some((start) =>
    listPattern(pack, list).test(`${plain.slice(0, start)}<>${plain.slice(date.end)}`),
  );
}

/** Checks whether a text moves an event to a future day: "The dentist moved to Monday". */
export function isRescheduled(text: string, pack: Pack, at: DateContext): boolean {
  return listedDay(text, pack, at, 'rescheduled') !== undefined;
}

/** Returns the day after a future last day: 1 January for "my last day is 31 December". Null for other texts. */
export function dayAfterLast(text: string, pack: Pack, at: DateContext): Date | null {
  const last = listedDay(text, pack, at, 'lastDay');
  return last?.isDay === true ? last.to : null;
}

/**
 * Decides whether the days of a sentence without a year are past or ahead. Null if the sentence leaves that open. "The concert is 12
 * December" is ahead, because the sentence has no verb in the past tense. "Quit smoking on Tuesday, day 4 now" is past, because a clause
 * begins with such a verb and nothing is about the future.
 */
export function sideOfDays(text: string, pack: Pack, at: DateContext): 'ahead' | 'past' | null {
  const plain = plainMarks(text);
  const dates = findDates(plain, pack, at);
  if (isOfPastDays(plain, dates, pack, at)) return 'past';
  const days = dates.filter(
    ({ isBareWeekday, isDay, relative, hasYear, isSince, start, end }) =>
      isBareWeekday || (isDay && relative && hasYear !== true && !isSince && /\d/.test(plain.slice(start, end))),
  );
  if (days.length === 0) return null;
  const isNear = ({ isBareWeekday, from }: FoundDate): boolean =>
    !isBareWeekday && from !== null && from.getTime() - at.now.getTime() < DOUBTFUL_AHEAD;
  if (listPattern(pack, 'pastVerb').test(plain)) return saysAhead(plain, pack) || days.some(isNear) ? null : 'past';
  if (!saysPast(plain, pack)) return 'ahead';
  // "I already paid, on the 5th": a day set apart by punctuation belongs to the verb. If something was booked or agreed, it may be on a
  // later day.
  const isOpen = (['future', 'decision'] as const).some((name) => packPattern(pack, name).test(plain));
  const isApart = ({ start, end }: FoundDate): boolean =>
    /[,;–—] ?(?:\p{L}{1,3} ){0,2}$/u.test(plain.slice(0, start)) && /^(?:[.!]|\s*$)/u.test(plain.slice(end));
  const isRecent = ({ from, isDay }: FoundDate): boolean =>
    !isDay || (from !== null && at.now.getTime() - from.getTime() < RECENTLY);
  if (isOpen || !days.every(isApart)) return null;
  return findDates(plain, pack, { ...at, prefer: 'past' }).every(isRecent) ? 'past' : null;
}

const RECENTLY = 62 * DAY;

/**
 * Checks whether those days and months of a sentence that could be in the future are past. They are if they belong to events ("I bought the
 * bike in August"), or if they would be many months ahead in a sentence about the past ("the visa was approved on 2 March", said on 10
 * March).
 */
function isOfPastDays(plain: string, dates: readonly FoundDate[], pack: Pack, { now }: DateContext): boolean {
  const open = dates.filter(
    ({ relative, hasYear, isSince, from }) => relative && hasYear !== true && !isSince && from !== null && from > now,
  );
  // "Am 3." is in the German list of words about the future.
  if (open.length === 0 || saysAhead(withBlanks(plain, open), pack)) return false;
  const isDoubtful = ({ from }: FoundDate): boolean => Number(from) - now.getTime() > DOUBTFUL_AHEAD;
  // If a day would be ten months ago, it may well be the day of something else: "bought a gift for 6 June", said in May.
  const isOfYear = ({ start, end, isBareWeekday, from }: FoundDate): boolean =>
    isBareWeekday || MONTHLESS.test(plain.slice(start, end)) || Number(from) - now.getTime() > RECENTLY;
  const isPast = (date: FoundDate): boolean => isOfYear(date) && isOfDeed(plain, date, pack);
  return open.every(isPast) || (saysPast(plain, pack) && open.every(isDoubtful));
}

const MOST_BETWEEN = 5;

/** Checks whether a day is the day of an event in its clause: "I bought the bike on 12 August", but not "bought a ticket for 12 August". */
function isOfDeed(plain: string, day: FoundDate, pack: Pack): boolean {
  const clause = splitClauses(plain).find(({ end }) => end > day.start);
  if (clause === undefined || isForDay(plain, day, pack) || !isDeed(wordsBeside(plain, day, clause), pack))
    return false;
  // A day that belongs to another verb is further away: "I sold the car to a man who is here on 3 May".
  return spansOf(plain, deeds(pack)).some(({ start, end }) => {
    const between = start < day.start ? plain.slice(end, day.start) : plain.slice(day.end, start);
    const isOther = pack.script !== 'han' && isWord(pack).test(between);
    return !isOther && (between.match(/\S+/gu)?.length ?? 0) <= MOST_BETWEEN;
  });
}

const deeds = perPack(({ script, lists: { deeds: words = '(?!)' } }) => wordsPattern(words, script, 'giu'));

/**
 * Finds the first future date that is neither denied nor replaced by a later one ("it was from 9 to 11 July, now it is from the 16th to the
 * 18th"). If the words also name a day or a range within that date, returns that instead: "next week … wed 11th", "a week in Lisbon in
 * February, 8th to 13th".
 */
export function dayAhead(
  dates: readonly FoundDate[],
  words: string,
  pack: Pack | null,
  { now }: Omit<DateContext, 'prefer'>,
): FoundDate | undefined {
  const plain = plainMarks(words);
  const open = dates.filter(
    (date) =>
      date.from !== null &&
      date.from.getTime() > now.getTime() - DAY &&
      !(pack !== null && isDeniedAt(plain, date, pack)),
  );
  const clauses = splitClauses(plain);
  const isOver = ({ from, start, end }: FoundDate): boolean => {
    const clause = clauses.find((each) => each.end > start);
    if (pack === null || !isOfPast(plain.slice(clause?.start, clause?.end), pack)) return false;
    // An event of today is not in the future: "I resigned this morning, my last day is 2 April".
    const isToday = from !== null && from <= now;
    return (
      isToday ||
      open.some((other) => other.start > end && plain.slice(end, other.start).search(dayWords(pack).cue) >= 0)
    );
  };
  const moved = pack === null ? undefined : open.find((date) => isListedAt(plain, date, pack, 'rescheduled'));
  const left = moved === undefined ? open.filter((date) => !isOver(date)) : [moved];
  const [first, ...others] = left.length > 0 ? left : open;
  return others.find((each) => isPartOf(each, first)) ?? first;
}

/** Checks whether a date is part of a longer one: a day of a week or of a month. */
function isPartOf(part: FoundDate, whole: FoundDate | undefined): boolean {
  const [start, end] = [whole?.from?.getTime() ?? NaN, whole?.to?.getTime() ?? NaN];
  const [from, to] = [part.from?.getTime() ?? NaN, part.to?.getTime() ?? NaN];
  return from >= start && to <= end && to - from < end - start;
}

/** Adds the time of day in the words to a day: "on Monday at 14:00". */
export function withTime(day: Date | null, words: string, pack: Pack | null, timeZone: string): Date | null {
  const time = day === null || pack === null ? null : timeIn(plainMarks(words), pack);
  return day === null || time === null ? day : instantAt(civilDateAt(day, timeZone), time, timeZone);
}

/** Why a prompt brings a memory up: it is due today, it is overdue, or its day has passed and its outcome is unknown. */
export type Due = 'today' | 'overdue' | 'passed';

/**
 * Decides how a prompt brings a memory up at a given time, or returns null. If the user stated the day of a plan, it is brought up during
 * that whole day in the user's time zone. After that day, an appointment with a time of day is over, but a reminder is overdue. If no day
 * was stated, the memory is brought up from its time on. `broughtUpForDays` limits how long a memory is brought up after its day.
 */
export function dueOn(
  memory: Memory,
  type: Pick<MemoryType, 'initialState' | 'broughtUpForDays'> | undefined,
  { now, timeZone }: { now: Date; timeZone: string },
): Due | null {
  const { dueAt, tense, state, content, internal } = memory;
  if (dueAt === null || type === undefined || type.broughtUpForDays === null || hasOutcome(memory, type)) return null;
  // Maintenance changes the tense of a plan whose day is over.
  const isPlan = tense === 'planned' || internal['planned'] === true;
  const isSaid = isPlan && isDaySaid(memory) && state !== 'snoozed';
  const zone = knownTimeZone(internal['timeZone'], 'UTC');
  const isTimed = startOfDay(civilDateAt(dueAt, zone), zone) < dueAt;
  const day = isSaid && !isTimed ? localDay(dueAt, zone) : localDay(dueAt, timeZone);
  const days = (Date.parse(localDay(now, timeZone)) - Date.parse(day)) / DAY;
  const late = isSaid ? days : (now.getTime() - dueAt.getTime()) / DAY;
  if (late < 0 || late >= type.broughtUpForDays + 1) return null;
  if (days <= 0) return 'today';
  const pack = detectPack(content);
  const isReminder = pack !== null && packPattern(pack, 'request:reminder').test(plainMarks(content));
  return !isSaid || isReminder ? 'overdue' : isTimed ? null : 'passed';
}
