import { DAY } from '../record/clock.ts';
import type { Tense } from '../record/statement.ts';
import { addDays, civilDateAt, instantAt, startOfDay, weekdayOf, writeDay } from './calendar.ts';
import { type DateContext, type FoundDate, isDeniedAt, timeIn, timesIn } from './pack-dates.ts';
import type { Pack } from './packs/pack.ts';
import {
  listPattern,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  relationsOf,
  wordsPattern,
} from './packs/packs.ts';
import { intersects, spansOf, splitClauses, type TextSpan, withBlanks } from './sentences.ts';
import { contentStems, withoutEnd } from './words.ts';
import { findDates } from './resolve-dates.ts';
import {
  DOUBTFUL_AHEAD,
  datesAhead,
  datesOfPast,
  isOfPast,
  isOfPastDays,
  MONTHLESS,
  RECENTLY,
  saysAhead,
  saysPast,
} from './past-days.ts';

/** "moved yesterday [3 May 2026]". Skips the dates of habits, and a bare weekday unless it means a single day. */
export function withDates(
  words: string,
  tense: Tense,
  pack: Pack | null,
  at: { now: Date; timeZone: string },
): { text: string; dates: FoundDate[] } {
  if (pack === null || tense === 'habit' || packPattern(pack, 'habit').test(plainMarks(words)))
    return { text: words, dates: [] };
  const found = tense === 'happened' ? datesOfPast(words, pack, at) : datesAhead(words, pack, at);
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

/** "We broke up. Tuesday." False after a booking or an agreement, whose day may be in the future. */
export function isDayOfPast(text: string, before: string, pack: Pack, at: DateContext): boolean {
  const plain = plainMarks(before);
  if (!isOfPast(plain, pack) || packPattern(pack, 'decision').test(plain) || saysAhead(plain, pack)) return false;
  const days = findDates(plainMarks(text), pack, at);
  const rest = withBlanks(plainMarks(text), days).replace(CLOCK, ' ').replace(dayWords(pack).filler, ' ');
  return days.length > 0 && !/[\p{L}\p{N}]/u.test(rest);
}

/** A new day for a plan that was stated before: "no, Thursday", "moved!! now Wednesday 21st". */
export interface NewDay {
  /** Tests whether the words deny a day: "not the 5th". Null if they deny none. */
  denies: ((day: Date) => boolean) | null;
  /** Whether the text begins by taking back an earlier statement: "No wait, it's the 25th". */
  isCorrection?: boolean;
  /** Stems that the plan must contain. Empty for "no, Thursday". */
  about: readonly string[];
  /** Stems of all words except days and times, by which a plan is chosen from several. */
  beside: readonly string[];
  dayAfter: (old: Date) => Date;
  words: string;
}

/** A new day with the words that name its plan, so that the plan may have been stated long before. */
interface MovedDay extends NewDay {
  /** Whether the text names only the plan and its new day. */
  isAll: boolean;
}

export const LONGEST_REDATING = 80;
/** Longer than a mere redating, because the text may say more about the plan. */
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

export function withoutDays(plain: string, pack: Pack): string {
  const { days, anyPlan } = dayWords(pack);
  return withBlanks(plain, timesIn(plain, pack)).replace(days, ' ').replace(CLOCK, ' ').replace(anyPlan, ' ');
}

const denialWords = perPack(({ script, lists: { deniesDay = '(?!)', dayDenied = '(?!)' } }) =>
  wordsPattern(`${deniesDay}|${dayDenied}`, script, 'giu'),
);

const relatives = perPack((pack) => wordsPattern(relationsOf(pack) || '(?!)', pack.script, 'giu'));

function startWithWeekday(plain: string, { start, isBareWeekday }: FoundDate, pack: Pack): number {
  return isBareWeekday ? start : plain.slice(0, start).replace(dayWords(pack).lead, '').length;
}

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

/** Returns the stems of words that may name a plan. In Chinese and Japanese, only stems of two or more characters without inflection. */
function namingStems(text: string, pack: Pack): string[] {
  const stems = [...contentStems(text)];
  return pack.script === 'han'
    ? stems.filter((stem) => /^[\p{Script=Han}\p{Script=Katakana}ー]{2,}$/u.test(stem))
    : stems;
}

/** "No wait, it's", "Sorry, I meant". */
const takingBack = perPack(({ requests: { correcting, so }, words: { assent } }) =>
  packRegExp(correcting === '' ? '(?!)' : `^(?:(?:${assent}|${so}|oh|ah|ach|ay)[,.!]* +)?(?:${correcting}){1,4}`),
);

/** The words of a correction besides the new day, which explain it: "I misread the ticket". */
const MOST_EXCUSING_WORDS = 12;

const selfWords = perPack(({ i, iAm, words: { me }, script }) => wordsPattern(`${i}|${iAm}|${me}`, script));

/** Null if the clauses are about the user ("No, I can't come on the 25th"), or if others do more than explain the mistake. */
function correctingWords(plain: string, days: readonly TextSpan[], pack: Pack): TextSpan[] | null {
  const clauses = splitClauses(plain);
  const telling = clauses.filter((clause) => days.some((day) => intersects(day, clause)));
  const others = clauses.filter((clause) => !telling.includes(clause)).map(({ start, end }) => plain.slice(start, end));
  const isLong = others.join(' ').split(/\s+/u).length > MOST_EXCUSING_WORDS;
  const speaksOfUser = telling.some(({ start, end }) => selfWords(pack).test(plain.slice(start, end)));
  return isLong || speaksOfUser ? null : telling;
}

/**
 * Returns the end of the second clause in "I told you Tuesday the 24th and that's wrong, it's Thursday the 26th", or -1. The clause after
 * it must contain nothing but the new day.
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

/** Finds a new day in a text that says nothing else, takes back the day just given, or denies the old day and names the plan. */
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
  const rest = [CLOCK, cue, denialWords(pack)].reduce(
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

/** Returns the last date, or else the last weekday. Null if the date is past: "Moved in yesterday" reports a completed plan. */
function nextOf(days: readonly DayWords[], { now }: Omit<DateContext, 'prefer'>): DayWords | null {
  const next = days.findLast(({ isBareWeekday }) => !isBareWeekday) ?? days.at(-1) ?? null;
  return next === null || next.isBareWeekday || Number(next.from) >= now.getTime() - DAY ? next : null;
}

/** Finds the new day in a text that names its plan: "My dentist appointment has moved to Friday, because she is ill". */
export function movedDayIn(text: string, pack: Pack, at: Omit<DateContext, 'prefer'>): MovedDay | null {
  const plain = plainMarks(text);
  const when = { ...at, prefer: 'future' } as const;
  const next = /[?？]/u.test(plain) ? undefined : listedDay(text, pack, when, 'rescheduled');
  if (next === undefined) return null;
  const others = withBlanks(plain, [...findDates(plain, pack, when), ...daysIn(plain, pack, at)]);
  const { cue, filler, anyPlan } = dayWords(pack);
  const stemsOf = (from: number, to?: number): string[] => {
    const part = others.slice(from, to).replace(CLOCK, ' ').replace(cue, ' ').replace(denialWords(pack), ' ');
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

const OF_MONTH = /(?<!\d)\d{1,2}(?:st|nd|rd|th|\.)(?![\p{L}\d])/gu;

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

function weekdayIn(words: string, pack: Pack): number {
  const { weekday, weekdays } = dayWords(pack);
  const name = words.match(weekday)?.[0] ?? '';
  return weekdays.findIndex((names) => names.test(name));
}

/** A weekday alone is in the week of the old day, a day without its month in the month of the old day. */
function dayAfter(old: Date, next: DayWords, words: string, pack: Pack, at: Omit<DateContext, 'prefer'>): Date {
  const { timeZone, now } = at;
  const before = civilDateAt(old, timeZone);
  if (!next.isBareWeekday && next.from !== null) {
    // In "Tuesday the 3rd", the weekday decides.
    const ofMonth = weekdayIn(words, pack) < 0 ? MONTHLESS.exec(words)?.[1] : undefined;
    const same = ofMonth === undefined ? next.from : startOfDay({ ...before, day: Number(ofMonth) }, timeZone);
    return same < now ? next.from : same;
  }
  const moved = addDays(before, weekdayIn(words, pack) - weekdayOf(before));
  const day = startOfDay(moved, timeZone);
  return day < now ? startOfDay(addDays(moved, 7), timeZone) : day;
}

/** Replaces the old day and the time of day right after it. If that is not possible, appends the new words. */
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

export function isYearly(text: string, pack: Pack, at: DateContext): boolean {
  const isOfYear = ({ start, end, isDay, isBareWeekday }: FoundDate): boolean =>
    isDay && !isBareWeekday && /\d/.test(text.slice(start, end));
  return listPattern(pack, 'yearly').test(plainMarks(text)) && findDates(text, pack, at).some(isOfYear);
}

/** "Gym Tue/Thu 06:30" is no plan. The pattern covers all languages, because so few words often do not show theirs. */
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

/** Checks for a word about the future or a day that may be in the future. Without one, a text is not a plan: "week 2 at the new job". */
export function isAboutFuture(text: string, pack: Pack, at: DateContext): boolean {
  const plain = plainMarks(text);
  const dates = findDates(plain, pack, { ...at, prefer: 'future' });
  return dates.some(({ to }) => to === null || to > at.now) || packPattern(pack, 'future').test(plain);
}

/** Checks for past events, and for days that cannot be in the future: "he was born on Thursday the 28th", said on the 30th. */
export function isOver(text: string, pack: Pack, at: DateContext): boolean {
  if (sideOfDays(text, pack, at) === 'past') return true;
  const plain = plainMarks(text);
  const dates = findDates(plain, pack, { ...at, prefer: 'future' });
  return dates.length > 0 && dates.every(({ to }) => to !== null && to <= at.now) && !saysAhead(plain, pack);
}

/** `<>` stands for the day in the phrases of a list. */
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

/** "The flight on 5 December got cancelled" tells of a plan that no longer stands. "We are staying in Porto" may be a plan. */
export function isCalledOff(text: string, pack: Pack): boolean {
  const words = listPattern(pack, 'calledOff').exec(plainMarks(text))?.[0];
  return words !== undefined && !/ \p{L}{1,2}$/u.test(words);
}

export function isRescheduled(text: string, pack: Pack, at: DateContext): boolean {
  return listedDay(text, pack, at, 'rescheduled') !== undefined;
}

/** 1 January for "my last day is 31 December". */
export function dayAfterLast(text: string, pack: Pack, at: DateContext): Date | null {
  const last = listedDay(text, pack, at, 'lastDay');
  return last?.isDay === true ? last.to : null;
}

/**
 * "The concert is 12 December" is ahead, because no verb is in the past tense. "Quit smoking on Tuesday, day 4 now" is past, because it
 * begins with such a verb and nothing is about the future. Null if the sentence leaves that open.
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
  // "I already paid, on the 5th": a day set apart by punctuation belongs to the verb. Something booked or agreed may be on a later day.
  const isOpen = (['future', 'decision'] as const).some((name) => packPattern(pack, name).test(plain));
  const isApart = ({ start, end }: FoundDate): boolean =>
    /[,;–—] ?(?:\p{L}{1,3} ){0,2}$/u.test(plain.slice(0, start)) && /^(?:[.!]|\s*$)/u.test(plain.slice(end));
  const isRecent = ({ from, isDay }: FoundDate): boolean =>
    !isDay || (from !== null && at.now.getTime() - from.getTime() < RECENTLY);
  if (isOpen || !days.every(isApart)) return null;
  return findDates(plain, pack, { ...at, prefer: 'past' }).every(isRecent) ? 'past' : null;
}

/**
 * Skips denied and replaced dates: "it was from 9 to 11 July, now it is from the 16th to the 18th". Prefers a day or a range within the
 * date: "next week … wed 11th".
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

function isPartOf(part: FoundDate, whole: FoundDate | undefined): boolean {
  const [start, end] = [whole?.from?.getTime() ?? NaN, whole?.to?.getTime() ?? NaN];
  const [from, to] = [part.from?.getTime() ?? NaN, part.to?.getTime() ?? NaN];
  return from >= start && to <= end && to - from < end - start;
}

export function withTime(day: Date | null, words: string, pack: Pack | null, timeZone: string): Date | null {
  const time = day === null || pack === null ? null : timeIn(plainMarks(words), pack);
  return day === null || time === null ? day : instantAt(civilDateAt(day, timeZone), time, timeZone);
}
