import { DAY } from '../record/clock.ts';
import { HALF_A_YEAR } from './calendar.ts';
import { boundOf, type DateContext, type FoundDate } from './pack-dates.ts';
import type { Pack } from './packs/pack.ts';
import { listPattern, packPattern, packRegExp, perPack, plainMarks, wordsPattern } from './packs/packs.ts';
import { findDates } from './resolve-dates.ts';
import { spansOf, splitClauses, type TextSpan, withBlanks } from './sentences.ts';

/** A day without a year that is further ahead than this may mean last year's. */
export const DOUBTFUL_AHEAD: number = 250 * DAY;

/** In "I resigned today, my last day is 13 November", only the first day is past. */
export function datesOfPast(words: string, pack: Pack, at: { now: Date; timeZone: string }): FoundDate[] {
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

/** In "I had a checkup on the 3rd, the next one is on the 30th", only the second day is in the future. */
export function datesAhead(words: string, pack: Pack, at: { now: Date; timeZone: string }): FoundDate[] {
  const plain = plainMarks(words);
  const ahead = findDates(plain, pack, { ...at, prefer: 'future' });
  const isDone = (date: FoundDate): boolean => mayBePast(date, at.now) && isOfDeed(plain, date, pack, at.now);
  if (!ahead.some(isDone)) return ahead;
  const past = findDates(plain, pack, { ...at, prefer: 'past' });
  return ahead.map((date) => {
    const before = past.find(({ start, end }) => start === date.start && end === date.end);
    return before !== undefined && isDone(date) ? before : date;
  });
}

/** Checks whether a day was given without a year, so that it may be in the past. */
function mayBePast({ relative, hasYear, isSince, from }: FoundDate, now: Date): boolean {
  return relative && hasYear !== true && !isSince && from !== null && from > now;
}

/** Checks whether a day without a year, read as past, is so long ago that the next such day is nearer. */
function isFarther(past: FoundDate, later: FoundDate, now: Date): boolean {
  if (past.from === null || later.from === null || later.from <= now) return false;
  return now.getTime() - past.from.getTime() > HALF_A_YEAR * DAY && past.hasYear !== true;
}

const forDay = perPack(({ script, lists: { forDay: words = '(?!)' } }) =>
  packRegExp(`${script === 'han' ? '' : '(?<![\\p{L}])'}(?:${words})\\s?$`),
);

/**
 * The side is open without a verb in the past tense, or if the words arrange something for the day: "cancelled the trip in June", "tickets
 * for 5 June".
 */
function isOpenSide(plain: string, day: TextSpan, clause: TextSpan, pack: Pack): boolean {
  if (isForDay(plain, day, pack)) return true;
  const words = wordsBeside(plain, day, clause);
  if (isDeed(words, pack)) return false;
  return !isOfPast(words, pack) || listPattern(pack, 'arranges').test(words);
}

/** Returns the words of the day's clause, or of its sentence if the clause has no others: "I handed in my notice, 30 April". */
function wordsBeside(plain: string, day: TextSpan, clause: TextSpan): string {
  const beside = withBlanks(plain, [day]);
  const own = beside.slice(clause.start, clause.end);
  return /\p{L}{4}|\p{Lo}/u.test(own) ? own : beside;
}

/** Checks for a preposition such as "for" before a day. The date itself may include it: "für den 5. Juni". */
function isForDay(plain: string, { start, end }: TextSpan, pack: Pack): boolean {
  const [first = '', second = ''] = plain.slice(start, end).split(' ');
  const head = plain.slice(Math.max(0, start - 30), start);
  return [head, `${head}${first} `, `${head}${first} ${second} `].some((lead) => forDay(pack).test(lead));
}

/** "bought the bike", "died" */
function isDeed(words: string, pack: Pack): boolean {
  return listPattern(pack, 'deeds').test(words) && !listPattern(pack, 'arranges', 'appointment').test(words);
}

function isAhead(clause: string, pack: Pack): boolean {
  if (isOfPast(clause, pack)) return false;
  return saysAhead(clause, pack) || isWord(pack).test(clause);
}

export function saysAhead(clause: string, pack: Pack): boolean {
  return packPattern(pack, 'future').test(clause) || listPattern(pack, 'starts').test(clause);
}

export function isOfPast(clause: string, pack: Pack): boolean {
  return saysPast(clause, pack) || listPattern(pack, 'pastVerb', 'deeds').test(clause);
}

/** Some nouns look like participles ("sabato"), and "got an interview" is a plan. */
export function saysPast(text: string, pack: Pack): boolean {
  return packPattern(pack, 'past').test(text.replace(notPast(pack), ' '));
}

const notPast = perPack(({ script, lists: { notPast: words = '(?!)' } }) => wordsPattern(words, script, 'giu'));

const isWord = perPack(({ is, script }) => packRegExp(`(?:${is || '(?!)'})${script === 'han' ? '' : '(?![\\p{L}])'}`));

/** A day of the month without its month: "the 25th", "am 25.", "el 25". */
export const MONTHLESS: RegExp = /^\D*(\d{1,2})(?:st|nd|rd|th|er|[.eº])?$/u;

export const RECENTLY: number = 62 * DAY;

/**
 * Days that could be in the future are past if they belong to events ("I bought the bike in August") or would be many months ahead ("the
 * visa was approved on 2 March", said on 10 March).
 */
export function isOfPastDays(plain: string, dates: readonly FoundDate[], pack: Pack, { now }: DateContext): boolean {
  const open = dates.filter((date) => mayBePast(date, now));
  if (open.length === 0) return false;
  if (open.every((date) => isOfDeed(plain, date, pack, now))) return true;
  // "Am 3." is in the German list of words about the future.
  if (saysAhead(withBlanks(plain, open), pack) || !saysPast(plain, pack)) return false;
  return open.every(({ from }) => Number(from) - now.getTime() > DOUBTFUL_AHEAD);
}

const MOST_BETWEEN = 5;

/** "I bought the bike on 12 August" and "I had a checkup on the 30th", but not "bought a ticket for 12 August". */
export function isOfDeed(plain: string, day: FoundDate, pack: Pack, now: Date): boolean {
  const clause = splitClauses(plain).find(({ end }) => end > day.start);
  if (clause === undefined || isForDay(plain, day, pack)) return false;
  const words = wordsBeside(plain, day, clause);
  if (saysAhead(words, pack)) return false;
  const span = words.length === plain.length ? { start: 0, end: plain.length } : clause;
  // A day that belongs to another verb is further away: "I sold the car to a man who is here on 3 May".
  const isNear = (verbs: RegExp, most: number): boolean =>
    spansOf(plain.slice(span.start, span.end), verbs).some((verb) => {
      const [start, end] = [verb.start + span.start, verb.end + span.start];
      const between = start < day.start ? plain.slice(end, day.start) : plain.slice(day.end, start);
      const isOther = pack.script !== 'han' && isWord(pack).test(between);
      return !isOther && (between.match(/\S+/gu)?.length ?? 0) <= most;
    });
  const { deeds, tookPlace } = verbsOfPast(pack);
  if (tookPlaceIn(words, pack) && isNear(tookPlace, Infinity)) return true;
  // A day ten months ago may well be the day of something else: "bought a gift for 6 June", said in May.
  const isOfYear =
    day.isBareWeekday || MONTHLESS.test(plain.slice(day.start, day.end)) || Number(day.from) - now.getTime() > RECENTLY;
  return isOfYear && isDeed(words, pack) && isNear(deeds, MOST_BETWEEN);
}

/** Whether the words tell of an event of their day. "The first free slot was on the 30th" and "I was supposed to go" do not. */
function tookPlaceIn(words: string, pack: Pack): boolean {
  return listPattern(pack, 'tookPlace').test(words) && !listPattern(pack, 'arranges', 'tookNoPlace').test(words);
}

const verbsOfPast = perPack(({ script, lists: { deeds = '(?!)', tookPlace = '(?!)' } }) => ({
  deeds: wordsPattern(deeds, script, 'giu'),
  tookPlace: wordsPattern(tookPlace, script, 'giu'),
}));
