import { withoutEnd } from '../../language/without-end.ts';
import { GIVEN_NAMES } from '../../language/classify-name.ts';
import { resolveDates, type ResolvedDate } from '../../language/resolve-dates.ts';
import { STOP_WORDS } from '../../language/stop-words.ts';
import { words } from '../../language/words.ts';
import { DAY } from '../../record/clock.ts';
import { contentStems } from './text-overlap.ts';

/** A text that a statement may draw on. */
export interface Source {
  text: string;
  /** When it was said: "last month" counts from here. */
  at: Date;
}

/** What may stand in a statement although no source says it: the subject's name, the agent, the redactions. */
export interface SupportOptions {
  names?: readonly string[];
  /** What was said before, where "she" gets her name from: names may come from there, numbers and dates may not. */
  before?: readonly string[];
  timeZone?: string;
}

/** What a statement says that its sources do not; null when they support it. */
export function findUnsupported(
  content: string,
  sources: readonly Source[],
  options: SupportOptions = {},
): string | null {
  const timeZone = options.timeZone ?? 'UTC';
  const said = sources.map((source) => source.text).join('\n');
  const known = new Set(words(`${said}\n${(options.names ?? []).join('\n')}`));
  const before = (options.before ?? []).join('\n');
  const named = new Set([...known, ...words(before)]);
  const reference = sources.at(-1)?.at ?? new Date(0);
  const dates = resolveDates(content, { now: reference, timeZone });
  const inventedDate = dates.find((date) => !isDateSupported(date, sources, timeZone, said));
  if (inventedDate !== undefined) return inventedDate.text;
  const rest = withoutSpans(content, dates);
  return (
    numbersOf(rest).find((number) => !isNumberSupported(number, said, known)) ??
    namesOf(rest).find((name) => !isNameSupported(name, named, `${said}\n${before}`)) ??
    (isUnrelated(rest, said, sources) ? content : null)
  );
}

// "Moved to Thursday", "it's November now".
const BARE_DATE =
  /\b(?:to|is|it's|till|opening) (?:((?:mon|tues|wednes|thurs|fri|satur|sun)day)|(january|february|march|april|may|june|july|august|september|october|november|december))\b/gi;

/** A date is supported by its own words, by a date that the source speaks of, or by being the day on which it was said. */
function isDateSupported(date: ResolvedDate, sources: readonly Source[], timeZone: string, said: string): boolean {
  if (said.toLowerCase().includes(date.text.toLowerCase())) return true;
  const digits = date.text.match(/\d+/g) ?? [];
  const letters = date.text.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  const lower = said.toLowerCase();
  if (
    digits.length > 0 &&
    digits.every((digit) => hasNumber(said, digit)) &&
    letters.every((word) => lower.includes(word.slice(0, 3)))
  ) {
    return true;
  }
  return sources.some(({ text, at }) => {
    const sameDay = { from: new Date(at.getTime() - DAY), to: new Date(at.getTime() + DAY) };
    const dated = text.replace(BARE_DATE, (_, day?: string, month?: string) =>
      day ? `on ${day}` : `in ${month ?? ''}`,
    );
    const spoken = (['past', 'future'] as const).flatMap((prefer) =>
      [...new Set([text, dated])].flatMap((said) => resolveDates(said, { now: at, timeZone, prefer })),
    );
    return [sameDay, ...spoken].some((other) => meet(date, other));
  });
}

interface Range {
  from: Date | null;
  to: Date | null;
}

function meet(one: Range, other: Range): boolean {
  const [start, end] = [one.from?.getTime() ?? -Infinity, one.to?.getTime() ?? Infinity];
  const [otherStart, otherEnd] = [other.from?.getTime() ?? -Infinity, other.to?.getTime() ?? Infinity];
  return start < otherEnd && otherStart < end;
}

function withoutSpans(text: string, spans: readonly { start: number; end: number }[]): string {
  let rest = text;
  for (const { start, end } of spans.toReversed()) rest = `${rest.slice(0, start)} ${rest.slice(end)}`;
  return rest;
}

function numbersOf(text: string): string[] {
  return (text.match(/(?<![\p{L}\p{N}])\d[\d.,]*/gu) ?? []).map((number) => withoutEnd(number, '.,'));
}

function isNumberSupported(number: string, said: string, known: ReadonlySet<string>): boolean {
  return hasNumber(said, number) || words(number).every((word) => known.has(word));
}

function hasNumber(said: string, number: string): boolean {
  const plain = number.replace(/[.,](?=\d{3}\b)/g, '').replace(/^0+(?=\d)/, '');
  return (said.match(/\d[\d.,]*/g) ?? []).some(
    (other) =>
      withoutEnd(other, '.,')
        .replace(/[.,](?=\d{3}\b)/g, '')
        .replace(/^0+(?=\d)/, '') === plain,
  );
}

const NAME = /\p{Lu}[\p{L}\p{N}'’&.+-]*/gu;
const NO_NAMES = new Set(
  'user agent assistant i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december english'.split(
    ' ',
  ),
);

/** The words of a statement that name somebody or something. */
function namesOf(text: string): string[] {
  const names: string[] = [];
  for (const match of text.matchAll(NAME)) {
    const name = withoutEnd(match[0].replace(/['’]s$/, ''), ".'’-");
    const lower = name.toLowerCase();
    if (name.length < 2 || NO_NAMES.has(lower) || STOP_WORDS.has(lower)) continue;
    const opens = match.index === 0 || /[.!?:;"“(]\s*$/.test(text.slice(0, match.index));
    const next = /^\S+ (\S)/u.exec(text.slice(match.index))?.[1] ?? '';
    // A capital that opens a sentence names somebody only when it is a known name or another capital follows.
    if (opens && !GIVEN_NAMES.has(lower) && !/\p{Lu}/u.test(next)) continue;
    names.push(name);
  }
  return names;
}

function isNameSupported(name: string, known: ReadonlySet<string>, said: string): boolean {
  if (words(name).every((word) => known.has(word))) return true;
  // "NYC" for "New York City", "Go" in "golang": what a source contains as letters it has said.
  const lower = name.toLowerCase();
  if (said.toLowerCase().includes(lower)) return true;
  return /^\p{Lu}{2,5}$/u.test(name) && initialsOf(said).includes(lower);
}

function initialsOf(text: string): string {
  return (text.match(/(?<![\p{L}])\p{Lu}/gu) ?? []).join('').toLowerCase();
}

/**
 * Whether a statement has no word in common with an English source. Other languages are not compared: a model writes
 * English about them, and only names and numbers stay.
 */
function isUnrelated(content: string, said: string, sources: readonly Source[]): boolean {
  const stems = contentStems(content);
  if (stems.size === 0 || sources.length === 0 || !isEnglish(said)) return false;
  const source = contentStems(said);
  return ![...stems].some((stem) => source.has(stem));
}

function isEnglish(text: string): boolean {
  const tokens = text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  if (tokens.length < 2) return false;
  return tokens.filter((token) => STOP_WORDS.has(token)).length / tokens.length >= 0.2;
}
