import { civilDateAt, startOfDay, type CivilDate } from './civil-date.ts';
import type { CivilSpan, DatePrecision } from './civil-span.ts';
import { DATE_EXPRESSIONS } from './date-expressions.ts';
import type { TextSpan } from './text-span.ts';

/** A date expression made absolute: an instant range whose `to` is exclusive, with null for an open end. */
export interface ResolvedDate extends TextSpan {
  text: string;
  from: Date | null;
  to: Date | null;
  precision: DatePrecision;
  relation: 'within' | 'since' | 'until';
  /** The same in words that need no reference: "in October 2026". */
  absolute: string;
  /** True when the expression depends on when it was said. */
  relative: boolean;
}

/** From when and where a relative date counts. */
export interface DateReference {
  /** When the text was written or said. */
  now: Date;
  /** IANA name; days begin and end there. */
  timeZone: string;
  /** Where "in May" lies when no year is given. Default `past`. */
  prefer?: 'past' | 'future';
}

interface Found extends TextSpan {
  span: CivilSpan;
  relative: boolean;
  text: string;
}

const LONGEST_TEXT = 4_000;

/**
 * Finds dates in an English text ("last week", "in May 2023", "since 2019", ISO dates) and resolves them against a
 * reference instant and zone, in order of place. Reads 4,000 characters. Throws RangeError for an unknown zone.
 */
export function resolveDates(text: string, reference: DateReference): ResolvedDate[] {
  const readable = text.slice(0, LONGEST_TEXT);
  const lower = readable.toLowerCase();
  // The first look at a zone costs some 15 ms: most texts name no date and need none.
  let today: CivilDate | undefined;
  const found: Found[] = [];
  for (const { needs, pattern, read, relative } of DATE_EXPRESSIONS) {
    if (!needs.some((word) => lower.includes(word))) continue;
    for (const match of readable.matchAll(pattern())) {
      const start = match.index;
      const end = start + match[0].length;
      const quoted = /["“']$/.test(readable.slice(0, start).trimEnd());
      if (quoted || found.some((other) => start < other.end && end > other.start)) continue;
      today ??= civilDateAt(reference.now, reference.timeZone);
      const span = read(match, today, reference.prefer ?? 'past');
      if (span !== null) found.push({ start, end, text: match[0], span, relative });
    }
  }
  found.sort((left, right) => left.start - right.start);
  return joinRanges(readable, found, reference.timeZone);
}

function joinRanges(text: string, found: readonly Found[], timeZone: string): ResolvedDate[] {
  const resolved: ResolvedDate[] = [];
  for (let index = 0; index < found.length; index += 1) {
    const first = found[index];
    if (first === undefined) continue;
    const second = found[index + 1];
    const between = second === undefined ? '' : text.slice(first.end, second.start).trim();
    const joined =
      second !== undefined &&
      ((/^(?:to|through|until|till|and|-|–)?$/.test(between) && /^(?:to|until|till|and)\b/i.test(second.text)) ||
        /^(?:to|through|until|till|-|–)$/.test(between));
    if (
      joined &&
      (/\b(?:from|between)\b/i.test(first.text) ||
        /\b(?:from|between)\s+$/i.test(text.slice(0, first.start)) ||
        /[-–]/.test(between))
    ) {
      resolved.push(range(text, first, second, timeZone));
      index += 1;
    } else resolved.push(single(text, first, timeZone));
  }
  return resolved;
}

function range(text: string, first: Found, second: Found, timeZone: string): ResolvedDate {
  const leading = /\b(?:from|between)\s+$/i.exec(text.slice(0, first.start))?.[0].length ?? 0;
  const bare = (value: string): string => value.replace(/^(?:in|on) /, '');
  const start = first.start - leading;
  return {
    start,
    end: second.end,
    text: text.slice(start, second.end),
    precision: 'range',
    relation: 'within',
    relative: first.relative || second.relative,
    from: startOfDay(first.span.from, timeZone),
    to: startOfDay(second.span.to, timeZone),
    absolute: `from ${bare(first.span.absolute)} to ${bare(second.span.absolute)}`,
  };
}

function single(text: string, found: Found, timeZone: string): ResolvedDate {
  const before = /\b(since|from|until|till|before|after|by)\s+$/i.exec(
    text.slice(Math.max(0, found.start - 10), found.start),
  );
  // "From 10 to 17 June" has both its ends.
  const isRange = found.span.precision === 'range' && /^from\b/i.test(found.text);
  const inside = isRange ? null : /^(since|from|until|till|before|after|by)\b/i.exec(found.text);
  const word = (inside?.[1] ?? before?.[1] ?? '').toLowerCase();
  const start = found.start - (inside === null ? (before?.[0].length ?? 0) : 0);
  const { span } = found;
  const at = (day: CivilDate): Date => startOfDay(day, timeZone);
  const bare = span.absolute.replace(/^(?:in|on) /, '');
  const common = {
    start,
    end: found.end,
    text: text.slice(start, found.end),
    precision: span.precision,
    relative: found.relative,
  };
  if (word === 'since' || word === 'from')
    return { ...common, from: at(span.from), to: null, relation: 'since', absolute: `${word} ${bare}` };
  if (word === 'after') return { ...common, from: at(span.to), to: null, relation: 'since', absolute: `after ${bare}` };
  if (word === 'until' || word === 'till' || word === 'by')
    return { ...common, from: null, to: at(span.to), relation: 'until', absolute: `${word} ${bare}` };
  if (word === 'before')
    return { ...common, from: null, to: at(span.from), relation: 'until', absolute: `before ${bare}` };
  return { ...common, from: at(span.from), to: at(span.to), relation: 'within', absolute: span.absolute };
}
