import {
  addDays,
  type CivilDate,
  civilDateAt,
  type CivilSpan,
  type ClockTime,
  dayOfMonth,
  daysBetween,
  daysOfMonth,
  firstOfMonth,
  HALF_A_YEAR,
  isValidDate,
  mondayOf,
  nearestYear,
  partOfMonth,
  startOfDay,
  weekdayOf,
  weekdayOfMonth,
  writeDay,
} from './calendar.ts';
import type { Pack } from './packs/pack.ts';
import { listPattern, packRegExp, perPack, wordsOfAll, wordsPattern } from './packs/packs.ts';
import { intersects, type TextSpan } from './sentences.ts';
import { matchesOf } from './words.ts';

/** `to` is exclusive. */
export interface FoundDate extends TextSpan {
  from: Date | null;
  to: Date | null;
  /** Whether the date is relative to the time of the turn. Its absolute form is then written next to it. */
  relative: boolean;
  hasYear?: boolean;
  /** A weekday without "next" or "last". In a sentence about a habit, it is not a date. */
  isBareWeekday: boolean;
  written: string;
  isDay: boolean;
  isSince: boolean;
}

export interface DateContext {
  now: Date;
  timeZone: string;
  /** The side of today on which a date without a year is resolved. */
  prefer: 'past' | 'future';
}

/** "Seit März" means the last March, even in a sentence about plans. */
const SINCE = new RegExp(`(?<!\\p{L})(?:${wordsOfAll('since')})\\s(?:\\p{L}+\\s)?$`, 'iu');

function firstWord(words: string): string {
  return words.slice(0, words.indexOf(' ') + 1);
}

export function packDates(readable: string, pack: Pack, context: DateContext): FoundDate[] {
  if (!/\d/.test(readable) && !anyWord(pack).test(readable)) return [];
  const today = civilDateAt(context.now, context.timeZone);
  const found: (OfMonth & { span: Span; isBareWeekday: boolean; isSince: boolean })[] = [];
  for (const { pattern, read, isBareWeekday } of expressionsOf(pack)) {
    for (const match of matchesOf(readable, pattern)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (found.some((other) => intersects({ start, end }, other))) continue;
      // "Mittwoch, den 27. Mai" is one day. The date determines it.
      if (
        isBareWeekday &&
        found.some((other) => !other.isBareWeekday && isRightBefore(readable.slice(end, other.start)))
      )
        continue;
      const isSince = ['', firstWord(match[0])].some((word) => SINCE.test(readable.slice(0, start) + word));
      const span = read(match, today, isSince ? 'past' : context.prefer);
      const month = monthSaidIn(match);
      if (span !== null) found.push({ start, end, span, isBareWeekday: isBareWeekday === true, isSince, month });
    }
  }
  const inOrder = found.toSorted((left, right) => left.start - right.start);
  const dates = withYears(readable, inNamedMonths(readable, inOrder, today, context.prefer));
  return dates.map(({ span, ...date }) => {
    const isDay = isOneDay(span);
    return {
      ...date,
      from: startOfDay(span.from, context.timeZone),
      to: startOfDay(span.to, context.timeZone),
      relative: span.relative,
      isDay,
      written: isDay
        ? writeDay(span.from, pack)
        : `${writeDay(span.from, pack)} – ${writeDay(addDays(span.to, -1), pack)}`,
    };
  });
}

function monthSaidIn({ groups: { d, e, m, mm, w } = {} }: RegExpMatchArray): MonthSaid | undefined {
  if (m !== undefined || mm !== undefined) return 'named';
  if (d === undefined || w !== undefined) return undefined;
  return e === undefined ? 'day without month' : 'range without month';
}

/** Allows nothing but a comma and an article between a weekday and a date. */
export function isRightBefore(between: string): boolean {
  return /^,?\s(?:\p{L}{1,3}\s)?$/u.test(between);
}

/** A found date that may take its month from the words before it. */
export interface OfMonth extends TextSpan {
  span: { from: CivilDate; to: CivilDate };
  month?: MonthSaid | undefined;
  isSince?: boolean;
}

/** A range without a month is a date only if the words before it name the month. */
export type MonthSaid = 'named' | 'day without month' | 'range without month';

/**
 * Resolves days whose month is named earlier in the sentence: "im Juli, genau am 18." A day on the wrong side of today belongs to something
 * else: "I paid on 3 March, and on the 9th I fly".
 */
export function inNamedMonths<Found extends OfMonth>(
  text: string,
  found: readonly Found[],
  today: CivilDate,
  prefer: 'past' | 'future',
): Found[] {
  let named: Found | undefined;
  return found.flatMap((each) => {
    if (each.month === 'named' && each.isSince !== true) named = each;
    if (each.month === undefined || each.month === 'named') return [each];
    const isBeside = named !== undefined && !/[.!?。！？…]\s|\n/u.test(text.slice(named.end, each.start));
    const span = isBeside ? besideNamed(each.span, named?.span, today) : null;
    const order = span === null ? 0 : daysBetween(today, span.from);
    if (span !== null && (prefer === 'future' ? order >= 0 : order <= 0))
      return [{ ...each, span: { ...each.span, ...span } }];
    return each.month === 'range without month' ? [] : [each];
  });
}

/** Null if the named day is more than half a year away, because the range is then about something else. */
function besideNamed(
  { from, to }: OfMonth['span'],
  named: OfMonth['span'] | undefined,
  today: CivilDate,
): OfMonth['span'] | null {
  if (named === undefined) return null;
  const awayFrom = (date: CivilDate, other: CivilDate): number => Math.abs(daysBetween(date, other));
  const isMonth = named.from.day === 1 && daysBetween(named.to, firstOfMonth(named.from, 1)) === 0;
  if (!isMonth && awayFrom(named.from, today) > HALF_A_YEAR) return null;
  const [nearest] = (isMonth ? [0] : [0, 1, -1])
    .map((months) => ({ ...firstOfMonth(named.from, months), day: from.day }))
    .filter(isValidDate)
    .toSorted((one, other) => awayFrom(named.from, one) - awayFrom(named.from, other));
  return nearest === undefined ? null : { from: nearest, to: addDays(nearest, daysBetween(from, to)) };
}

function isOneDay({ from, to }: Span): boolean {
  return addDays(from, 1).day === to.day && addDays(from, 1).month === to.month;
}

/** Joins a date with the year next to it: "Am 12. Juni nächstes Jahr", "来年の6月12日". */
function withYears<Date extends TextSpan & { span: Span }>(text: string, found: readonly Date[]): Date[] {
  const joined: Date[] = [];
  for (const each of found) {
    const before = joined.at(-1);
    const isBeside = before !== undefined && /^,? ?[のdeo]{0,3} ?$/u.test(text.slice(before.end, each.start));
    const [year, date] = isBeside && isRelativeYear(before.span) ? [before, each] : [each, before];
    const isJoined = isBeside && isRelativeYear(year.span) && date !== undefined && isOfYear(text, date);
    if (!isJoined) {
      joined.push(each);
      continue;
    }
    const moved = year.span.from.year - date.span.from.year;
    const [from, to] = [date.span.from, date.span.to].map((day) => ({ ...day, year: day.year + moved }));
    const span = { ...date.span, from, to } as Span;
    joined[joined.length - 1] = { ...date, start: before.start, end: each.end, span, hasYear: true };
  }
  return joined;
}

function isRelativeYear({ from, to, relative }: Span): boolean {
  return relative && from.month === 1 && from.day === 1 && to.month === 1 && to.year === from.year + 1;
}

function isOfYear(text: string, { start, end, span }: TextSpan & { span: Span }): boolean {
  const words = text.slice(start, end);
  return span.relative && !isRelativeYear(span) && !/\d{4}/.test(words) && (/\d/.test(words) || !isOneDay(span));
}

/** Checks whether the words before a date make it the first day of a state ("from", "ab") or its last ("until"). */
export function boundOf(text: string, { start, end }: FoundDate, pack: Pack): 'first' | 'last' | null {
  // A date pattern may include the preposition: "ab Mai", "from April 1".
  const words = text.slice(start, end).split(' ');
  const leads = words.slice(0, 4).map((_, count) => `${text.slice(0, start)}${words.slice(0, count).join(' ')} `);
  const { starts, ends } = daysBounds(pack);
  const isAfter = (bound: RegExp): boolean => leads.some((lead) => bound.test(lead));
  return isAfter(ends) ? 'last' : isAfter(starts) ? 'first' : null;
}

const daysBounds = perPack(({ script, calendar: { from, until } }) => {
  const last = (words: string): RegExp =>
    packRegExp(`(?:^|${script === 'han' ? '' : '[^\\p{L}]'})(?:${words || '(?!)'})[ \t]*$`);
  return { starts: last(from), ends: last(until) };
});

const denials = perPack(({ script, lists: { negatesNext = '(?!)', deniesDay = '(?!)', dayDenied = '(?!)' } }) => {
  const words = `(?:${negatesNext}|${deniesDay})`;
  return {
    before: packRegExp(script === 'han' ? `${words}$` : `(?<![\\p{L}])${words} (?:\\p{L}{1,3} )?$`),
    after: packRegExp(`^,? ?(?:${dayDenied})${script === 'han' ? '' : '(?![\\p{L}])'}`),
  };
});

/** "not 5 December", "instead of 3pm", "Dienstag geht nicht". */
export function isDeniedAt(text: string, { start, end }: TextSpan, pack: Pack): boolean {
  const { before, after } = denials(pack);
  return before.test(text.slice(0, start)) || after.test(text.slice(end));
}

const CLOCK =
  /(?<![\p{Script=Latin}\d])(?:(?<at>at|um|a las?|à|alle|all'|om|às|@)\s)?(?<part>上午|早上|下午|晚上|午前|午後)?(?<h>\d{1,2})(?:(?<colon>:|[.h])(?<m>[0-5]\d)|(?<sure>\s?uhr|点|時(?!間))|(?<unit>\s?(?:h|u|heures?|horas?|uur|ore)(?!\p{Ll})))?(?<half>半)?(?:\s?(?<day>[ap])\.?m\b\.?)?(?![\d%€$/]|[.,:]\d|\s?(?:\p{L}*minut|min|k?m\b|kg))/giu;
/** On a 12-hour clock, "at 3" is in the afternoon, and "at 9" or "7:30" is taken as written, unless it is evening. "At 8" is ambiguous. */
const CLEAR_FROM = 9;
const AFTERNOON_UNTIL = 5;

/** `day`: a day right before a time. `unit`: a unit right after a number, which is then not a time ("à 4 jours"). */
const besideTime = perPack(
  ({ script, calendar: { weekdays, shortWeekdays = [], months, units }, lists: { currency = '(?!)' } }) => ({
    day: packRegExp(
      `(?:(?:${[...weekdays, ...shortWeekdays].join('|')})\\.?(?: (?:the )?\\d{1,2}(?:st|nd|rd|th|\\.)?)?|\\d(?:st|nd|rd|th|\\.|er)? (?:of |de )?(?:${months.join('|')})|\\d[./]\\d{1,2}\\.?|\\d[日号])(?: ?\\[[^\\]]*\\])?,? ?$`,
    ),
    unit: packRegExp(
      `^ ?(?:${[...Object.values(units), currency].join('|')})${script === 'han' ? '' : '(?![\\p{L}])'}`,
    ),
  }),
);

/** Null if the text names no time of day, or several. */
export function timeIn(text: string, pack: Pack): ClockTime | null {
  const [time, ...others] = timesIn(text, pack);
  return time === undefined || others.length > 0 ? null : { hour: time.hour, minute: time.minute };
}

interface FoundTime extends ClockTime, TextSpan {}

/** Skips denied times: "9am, not 10:30". */
export function timesIn(text: string, pack: Pack): FoundTime[] {
  const isEvening = listPattern(pack, 'evening').test(text);
  const { day: dayBefore, unit } = besideTime(pack);
  return [...text.matchAll(CLOCK)].flatMap(({ 0: { length }, index: start, groups = {} }) => {
    const { at, h, m, colon, sure, unit: hours, half, day } = groups;
    const end = start + length;
    // "12.50" may be a price, and "2 h" the length of a drive. After a day, both are times: "Tuesday 7 April 8.50", "jeudi 15h".
    const isPlain = colon === ':' || sure !== undefined || day !== undefined;
    const isAfterDay = (m ?? hours) !== undefined && dayBefore.test(text.slice(0, start));
    const isOther = !isPlain && ((at === undefined && !isAfterDay) || (m === undefined && unit.test(text.slice(end))));
    const hour = hourOf(groups, pack, isEvening);
    if (isOther || Number(h) > 24 || hour === null || isDeniedAt(text, { start, end }, pack)) return [];
    return [{ hour, minute: half === undefined ? Number(m ?? 0) : 30, start, end }];
  });
}

/** Null if the hour may be in the morning or in the evening. */
function hourOf(groups: Record<string, string | undefined>, { calendar }: Pack, isEvening: boolean): number | null {
  const { h = '', m, day, part } = groups;
  const hour = Number(h);
  if (day !== undefined) return (hour % 12) + (day.toLowerCase() === 'p' ? 12 : 0);
  if (part !== undefined && /下午|晚上|午後/u.test(part)) return (hour % 24) + (hour < 12 ? 12 : 0);
  if (calendar.twelveHourClock !== true || h.startsWith('0')) return hour % 24;
  if (hour <= AFTERNOON_UNTIL || (isEvening && hour < 12)) return hour + 12;
  return hour >= CLEAR_FROM || m !== undefined ? hour % 24 : null;
}

interface Span {
  from: CivilDate;
  to: CivilDate;
  relative: boolean;
}

interface Expression {
  pattern: RegExp;
  isBareWeekday?: boolean;
  read(match: RegExpMatchArray, today: CivilDate, prefer: 'past' | 'future'): Span | null;
}

const day = (from: CivilDate, relative = true): Span => ({ from, to: addDays(from, 1), relative });

const anyWord = perPack(({ calendar: { days, spans, weekdays, shortWeekdays = [], months, numbers }, script }) => {
  const relative = [...days.map(([source]) => source), ...spans.flatMap(([, ...sources]) => sources)];
  return wordsPattern(
    [...relative, ...weekdays, ...shortWeekdays, ...months, ...Object.keys(numbers)].join('|'),
    script,
  );
});

const expressionsOf = perPack((pack): Expression[] => {
  const words = calendarWords(pack);
  return [
    // The weekday determines the month of "zaterdag de 11e", so this comes before "de 11e" alone.
    weekdayOfMonthExpression(words),
    ...rangeExpressions(pack, words),
    ...dateExpressions(pack, words),
    ...spanExpressions(pack, words),
    ...awayExpressions(pack, words),
    ...weekdayExpressions(pack, words),
  ];
});

interface CalendarWords {
  expand(source: string): RegExp;
  monthOf(name: string | undefined): number;
  weekdayAt(name: string | undefined): number;
  unitOf(name: string | undefined): 'day' | 'week' | 'month' | 'year';
}

function calendarWords({ calendar, script }: Pack): CalendarWords {
  const exactly = (names: string): RegExp => wordsPattern(`^(?:${names})$`, 'han');
  const months = calendar.months.map(exactly);
  const { shortWeekdays = [] } = calendar;
  const weekdays = calendar.weekdays.map((names, index) => exactly(`${names}|${shortWeekdays[index] ?? '(?!)'}`));
  const units = Object.entries(calendar.units).map(([unit, names]) => [unit, exactly(names)] as const);
  const placeholders: Readonly<Record<string, string>> = {
    '<n>': `(?<n>\\d{1,3}|${Object.keys(calendar.numbers).join('|')})`,
    '<unit>': `(?<unit>${Object.values(calendar.units).join('|')})`,
    '<d>': '(?<d>\\d{1,2})',
    '<e>': '(?<e>\\d{1,2})',
    '<m>': `(?<m>${calendar.months.join('|')})`,
    '<mm>': '(?<mm>0?[1-9]|1[0-2])',
    '<y>': '(?<y>(?:19|20)\\d\\d)',
    '<w>': `(?<w>${calendar.weekdays.join('|')})`,
    '<s>': `(?<w>${shortWeekdays.join('|')})(?![\\p{L}'])`,
    '<end>': ' *(?:[.,;:!?)]|$)',
    '<time>':
      ',? (?:(?:um|om|ore) )?\\d{1,2}(?:[:.h]\\d\\d| ?(?:uhr|heures?|uur|horas?|h|u)(?![\\p{L}]))|,? (?:um|om|alle|à|às|a las) (?:le )?\\d',
  };
  return {
    expand: (source) =>
      wordsPattern(
        source.replaceAll(/(?<!\(\?)<(?:n|unit|d|e|m|mm|y|w|s|end|time)>/g, (name) => placeholders[name] ?? name),
        script,
        'giu',
      ),
    monthOf: (name) => months.findIndex((pattern) => pattern.test(name ?? '')) + 1,
    weekdayAt: (name) => weekdays.findIndex((pattern) => pattern.test(name ?? '')),
    unitOf: (name) => (units.find(([, pattern]) => pattern.test(name ?? ''))?.[0] ?? 'day') as 'day',
  };
}

function rangeExpressions({ calendar }: Pack, { expand, monthOf }: CalendarWords): Expression[] {
  return calendar.ranges.map((source) => ({
    pattern: expand(source),
    read(match, today, prefer) {
      const { d, e, m, mm, y } = match.groups ?? {};
      const [first, last] = [Number(d), Number(e)];
      const month = mm === undefined ? monthOf(m) : Number(mm);
      const isNamed = m !== undefined || mm !== undefined;
      const range = isNamed
        ? daysOfMonth([first, last], month, y === undefined ? null : Number(y), today, prefer)
        : daysAlone(first, last, today, prefer);
      return range === null ? null : { from: range.from, to: range.to, relative: y === undefined };
    },
  }));
}

export function daysAlone(
  first: number,
  last: number,
  today: CivilDate,
  prefer: 'past' | 'future',
): Pick<CivilSpan, 'from' | 'to'> | null {
  const from = first < last && last <= 31 ? dayOfMonth(first, today, prefer)?.from : undefined;
  return from === undefined ? null : { from, to: addDays(from, last - first + 1) };
}

function dateExpressions({ calendar }: Pack, { expand, monthOf }: CalendarWords): Expression[] {
  return calendar.dates.map((source) => ({
    pattern: expand(source),
    read(match, today, prefer) {
      const { d, m, mm, y, early, mid, late } = match.groups ?? {};
      const month = mm === undefined ? monthOf(m) : Number(mm);
      if (month < 1 && d === undefined) return null;
      if (month < 1) return dayAlone(Number(d), today, prefer);
      const isRelative = y === undefined;
      const yearOf = (dayOfMonth: number): number =>
        isRelative ? nearestYear(month, dayOfMonth, today, prefer) : Number(y);
      if (d === undefined) {
        const part = late !== undefined ? 'late' : mid !== undefined ? 'mid' : early === undefined ? null : 'early';
        const last = part === null ? 15 : { late: 31, mid: 20, early: 10 }[part];
        const first = { year: yearOf(last), month, day: 1 };
        if (part !== null) return { ...partOfMonth(part, first), relative: isRelative };
        return { from: first, to: firstOfMonth(first, 1), relative: isRelative };
      }
      const date = { year: yearOf(Number(d)), month, day: Number(d) };
      return isValidDate(date) ? day(date, isRelative) : null;
    },
  }));
}

function dayAlone(number: number, today: CivilDate, prefer: 'past' | 'future'): Span | null {
  const found = dayOfMonth(number, today, prefer);
  return found === null ? null : day(found.from);
}

/** Distances of the expressions in `PackCalendar.spans` from the current unit: the last, the next, the current one. */
const UNITS_AWAY = [-1, 1, 0];

function spanExpressions({ calendar, script }: Pack, { expand }: CalendarWords): Expression[] {
  const days = calendar.days.map(([source, count]): Expression => ({
    pattern: expand(source),
    read: (_, today) => day(addDays(today, count)),
  }));
  const spans = calendar.spans.flatMap(([unit, ...sources]) =>
    sources.map((source, index): Expression => ({
      // "La última semana de agosto" is not last week.
      pattern: expand(script === 'han' ? source : `(?:${source})(?! (?:\\p{L}{1,3} )?<m>)`),
      read: (_, today) => spanAway(unit, UNITS_AWAY[index] ?? 0, today),
    })),
  );
  return [...days, ...spans];
}

function awayExpressions({ calendar }: Pack, { expand, unitOf }: CalendarWords): Expression[] {
  const away = (source: string, sign: 1 | -1): Expression[] => {
    if (source === '') return [];
    const read: Expression['read'] = (match, today) => {
      const raw = (match.groups?.['n'] ?? '').toLowerCase();
      const count = sign * (calendar.numbers[raw] ?? Number(raw));
      return Number.isNaN(count) ? null : spanAway(unitOf(match.groups?.['unit']), count, today);
    };
    return [{ pattern: expand(source), read }];
  };
  return [...away(calendar.ago, -1), ...away(calendar.ahead, 1)];
}

/** "Mittwoch, den 27.", "miércoles 27", not followed by an hour or a month. */
function weekdayOfMonthExpression({ expand, weekdayAt }: CalendarWords): Expression {
  return {
    pattern: expand(
      '<w>,? (?:(?:de[nm]|el|le|il|o|de|dia) )?<d>(?:\\.|er|º|e)?(?![\\d:.,h]|[/-]\\d|\\s?(?:uhr|heures?|horas?|ore|uur)|\\s(?:de )?<m>)',
    ),
    read(match, today, prefer) {
      const date = weekdayOfMonth(weekdayAt(match.groups?.['w']), Number(match.groups?.['d']), today, prefer);
      return date === null ? null : day(date);
    },
  };
}

function weekdayExpressions({ calendar }: Pack, { expand, weekdayAt }: CalendarWords): Expression[] {
  const weekday = (match: RegExpMatchArray, today: CivilDate, direction: 'past' | 'future'): Span | null => {
    const wanted = weekdayAt(match.groups?.['w']);
    if (wanted < 0) return null;
    const ahead = (wanted - weekdayOf(today) + 7) % 7 || 7;
    return day(addDays(today, direction === 'future' ? ahead : ahead - 7 === 0 ? -7 : ahead - 7));
  };
  return [
    {
      pattern: expand(calendar.laterWeekday ?? '(?!)'),
      read(match, today) {
        const next = weekday(match, today, 'future');
        return next === null ? null : day(addDays(next.from, 7));
      },
    },
    { pattern: expand(calendar.nextWeekday), read: (match, today) => weekday(match, today, 'future') },
    { pattern: expand(calendar.lastWeekday), read: (match, today) => weekday(match, today, 'past') },
    { pattern: expand(calendar.weekday), isBareWeekday: true, read: weekday },
    { pattern: expand(calendar.shortWeekday ?? '(?!)'), isBareWeekday: true, read: weekday },
  ];
}

function spanAway(unit: 'day' | 'week' | 'month' | 'year', count: number, today: CivilDate): Span {
  if (unit === 'day') return day(addDays(today, count));
  if (unit === 'week') {
    const monday = mondayOf(addDays(today, count * 7));
    return { from: monday, to: addDays(monday, 7), relative: true };
  }
  if (unit === 'month') return { from: firstOfMonth(today, count), to: firstOfMonth(today, count + 1), relative: true };
  const year = today.year + count;
  return { from: { year, month: 1, day: 1 }, to: { year: year + 1, month: 1, day: 1 }, relative: true };
}
