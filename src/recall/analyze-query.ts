import { MONTHS as MONTH_NAMES } from '../language/calendar.ts';
import { detectPack } from '../language/packs/packs.ts';
import { resolveDates } from '../language/resolve-dates.ts';
import { queryWords, words } from '../language/words.ts';
import { entitySlug } from '../record/entity.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { findEntitiesByName } from '../store/entity-store.ts';
import { rowsAbout } from '../store/load-records.ts';
import { coverageOf, matchLexically } from './lexical-index.ts';
import type { KnownSpeaker, RecallView } from './recall-view.ts';

// Function words of English questions plus the commonest of German, French and Spanish: they say how is asked, not what about.
const WORDS =
  'a an the and or but if then so of to in on at by for from with about as into is are was were be been being am do does did doing done ' +
  'have has had having i me my mine you your yours he him his she her hers it its we us our ours they them their theirs this that these those ' +
  'there here what which who whom whose when where why how many much would could should can will shall may might must not no yes than too very ' +
  'just also any some such own im ive id youre dont didnt doesnt isnt wasnt let get got thing kind type ' +
  'der die das den dem des ein eine einen einem einer und oder ist sind war waren ich du er sie es wir ihr mein dein sein hat habe haben was wer wie wo wann warum welche welcher welches mit von zu im am auf ' +
  'le la les un une des et ou est sont je tu il elle nous vous mon ma mes ton ta qui que quoi quand comment pourquoi quel quelle de du au aux en dans ' +
  'el los las una y o es son yo mi tu su quien que cuando donde como por cual';

/** Index terms that carry no topic; they are left out of the query, never out of the index. */
export const QUERY_STOP_TERMS: ReadonlySet<string> = new Set(words(WORDS));

const MONTHS: readonly string[] = MONTH_NAMES.map((name) => name.toLowerCase());

/** A question with one of these asks what holds now, after any change. */
const ASKS_NOW: RegExp =
  /\b(?:now|nowadays|currently|current|these days|at the moment|still|latest|anymore|any more|today|jetzt|aktuell|derzeit|momentan|inzwischen|ahora|actualmente|actual|maintenant|actuellement|actuel(?:le)?|adesso|ora|attualmente|teraz|obecnie|aktualnie|nu|momenteel|tegenwoordig|agora|atualmente)\b|现在|目前|如今|今は|現在|いま|지금|현재|요즘/iu;

/** A question with one of these asks what held before, or first. */
const ASKS_PAST: RegExp =
  /\b(?:first|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|used to|earlier|back then|at the (?:start|beginning)|in the beginning|früher|vorher|zuerst|ursprünglich|anfangs|damals|antes|primero|originalmente|inicialmente|al principio|avant|d'abord|auparavant|au début|initialement|prima|inizialmente|all'inizio|wcześniej|przedtem|najpierw|początkowo|eerst|vroeger|eerder|oorspronkelijk|daarvoor|antigamente)\b|以前|之前|原来|最初|当初|前は|元々|もともと|예전|이전|처음|원래/iu;

// In English: what used to hold, how it developed, or how often. What no longer holds is a part of the answer.
const MAY_ASK_PAST =
  /\b(?:was|were|did|had|ago|since|until|changed?|developed?|history|how (?:often|many)|which|all|(?:19|20)\d\d)\b/i;
const ENGLISH = /\b(?:is|are|does|do|has|have|can|could|should|will|would|the|what|who|where|when|how|my)\b/i;

/** Whether what no longer holds may be part of an answer. In doubt it may, and always in languages other than English. */
export function mayAskForPast(question: string): boolean {
  if (ASKS_NOW.test(question)) return false;
  return ASKS_PAST.test(question) || MAY_ASK_PAST.test(question) || !ENGLISH.test(question);
}

/** A question with one of these asks for a list, a count or a comparison. */
const ASKS_SEVERAL: RegExp =
  /\b(?:which|all|every|list|how many|how often|how much|what (?:kinds?|sorts?|types?)|both|each|compare|everything|total|altogether|names? of|who all|in what order|welche[nrs]?|alle[ns]?|wie viele?|wie oft|qué|cuáles|todos|todas|cuánt[oa]s|quels?|quelles?|tous|toutes|combien|quali|tutt[ie]|quant[ie]|które|jakie|wszystkie|ile|welke|hoeveel|hoe vaak|alle)\b|哪些|所有|多少|几次|どの|すべて|全部|何回|어떤|모든|몇/iu;

/** A calendar time named in a query; missing parts are open ("in May" is every May). */
export interface MentionedTime {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

const DAY = 86_400_000;
// People tell what happened within days of it, and announce it a little before.
const DAYS_TOLD_AFTER = 10;
const DAYS_TOLD_BEFORE = 5;
// "may" and "march" are also verbs: without a day or a year beside them they need a word that puts them in time.
const MONTH = new RegExp(`\\b(${MONTHS.join('|')})\\b`, 'iu');
const MONTH_IN_TIME = new RegExp(
  `\\b(?:in|on|during|since|of|by|until|before|after|early|late|mid|last|next|this|every)[ -](${MONTHS.join('|')})\\b`,
  'iu',
);
const DAY_AND_MONTH = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTHS.join('|')})\\b|\\b(${MONTHS.join('|')}) (\\d{1,2})(?:st|nd|rd|th)?\\b`,
  'iu',
);

function findMentionedTime(query: string): MentionedTime | null {
  const isoDate = /\b((?:19|20)\d{2})-(\d{2})(?:-(\d{2}))?\b/u.exec(query);
  if (isoDate !== null)
    return {
      year: Number(isoDate[1]),
      month: Number(isoDate[2]) - 1,
      day: isoDate[3] === undefined ? null : Number(isoDate[3]),
    };
  const yearText = /\b((?:19|20)\d{2})\b/u.exec(query)?.[1];
  const year = yearText === undefined ? null : Number(yearText);
  const dayAndMonth = DAY_AND_MONTH.exec(query);
  if (dayAndMonth !== null) {
    const name = (dayAndMonth[2] ?? dayAndMonth[3] ?? '').toLowerCase();
    return { year, month: MONTHS.indexOf(name), day: Number(dayAndMonth[1] ?? dayAndMonth[4]) };
  }
  const name = (year === null ? MONTH_IN_TIME : MONTH).exec(query)?.[1]?.toLowerCase();
  if (name === undefined && year === null) return null;
  return { year, month: name === undefined ? null : MONTHS.indexOf(name), day: null };
}

/** The index terms by which a query spelled the time. */
function termsOfMentionedTime(mentioned: MentionedTime): Set<string> {
  const parts = [mentioned.year, mentioned.day].filter((part) => part !== null).map(String);
  return new Set(words([...parts, mentioned.month === null ? '' : (MONTHS[mentioned.month] ?? '')].join(' ')));
}

function rangeInYear(mentioned: MentionedTime, year: number): TimeRange {
  if (mentioned.month === null) return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) };
  if (mentioned.day === null)
    return { from: Date.UTC(year, mentioned.month, 1), to: Date.UTC(year, mentioned.month + 1, 1) };
  return {
    from: Date.UTC(year, mentioned.month, mentioned.day),
    to: Date.UTC(year, mentioned.month, mentioned.day + 1),
  };
}

function closenessToRange(range: TimeRange, time: number): number {
  if (time < range.from) return Math.exp((time - range.from) / DAY / DAYS_TOLD_BEFORE);
  return time < range.to ? 1 : Math.exp((range.to - time) / DAY / DAYS_TOLD_AFTER);
}

/** A stretch of time in milliseconds; `to` is not part of it. */
export interface TimeRange {
  from: number;
  to: number;
}

/** The stretches that a mentioned time means, within the years that the documents come from. */
function rangesOf(mentioned: MentionedTime, times: Float64Array): TimeRange[] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  if (first > last) return [];
  const fromYear = mentioned.year ?? new Date(first).getUTCFullYear() - 1;
  const toYear = mentioned.year ?? new Date(last).getUTCFullYear() + 1;
  const ranges: TimeRange[] = [];
  for (let year = fromYear; year <= toYear; year += 1) ranges.push(rangeInYear(mentioned, year));
  return ranges;
}

/**
 * Per document: 1 when it was told in one of the stretches, fading over some days on both sides, 0 for unknown times
 * (NaN). What lasts is as close in every stretch in which it was true: `ends` says until when, NaN for documents of a moment.
 * Weighed by how much the time tells apart: a year that covers the whole store separates nothing.
 */
export function closenessToRanges(
  ranges: readonly TimeRange[],
  times: Float64Array,
  ends: Float64Array = new Float64Array(times.length).fill(Number.NaN),
): Float32Array {
  const closeness = new Float32Array(times.length);
  let sum = 0;
  for (const range of ranges) {
    const [earliest, latest] = [range.from - 8 * DAYS_TOLD_BEFORE * DAY, range.to + 8 * DAYS_TOLD_AFTER * DAY];
    for (let ordinal = 0; ordinal < times.length; ordinal += 1) {
      const time = times[ordinal] as number;
      const wasTrue = time < range.to && (ends[ordinal] as number) > range.from;
      if (!wasTrue && !(time >= earliest && time <= latest)) continue;
      // What lasts and begins after the stretch may have been told late: it counts, but less than what was true.
      const lasts = !Number.isNaN(ends[ordinal] as number);
      const value = wasTrue ? 1 : closenessToRange(range, time) * (lasts ? 0.5 : 1);
      const known = closeness[ordinal] as number;
      if (value <= known) continue;
      sum += value - known;
      closeness[ordinal] = value;
    }
  }
  const information = sum === 0 ? 0 : Math.min(1, -Math.log(sum / times.length) / Math.LN10);
  return closeness.map((value) => value * information);
}

/** The time that a query asks about. */
export interface QueryTimes {
  /** Empty when it names none. */
  ranges: TimeRange[];
  /** The query's words that say when: they are matched against times, not against texts. */
  terms: Set<string>;
  /** The document that tells what "before I moved" refers to; −1 where there is none. */
  anchor: number;
}

const NO_TIMES: QueryTimes = { ranges: [], terms: new Set(), anchor: -1 };

// "before I moved to Berlin", "after Anna's wedding": the time of something that was told.
const ANCHOR =
  /\b(before|after|since|until)\s+((?:i|we|he|she|they|my|our|his|her|their|the)\b[^?.,;!]{2,80}|\p{Lu}[\p{L}'’]+\s[^?.,;!]{2,80})/iu;

/** Finds the time that a query asks about: a date, a relative one ("last week"), or before or after something known. */
function queryTimes(query: string, view: RecallView, { now, timeZone }: { now: number; timeZone: string }): QueryTimes {
  const relative = resolveDates(query, { now: new Date(now), timeZone }).filter((date) => date.relative);
  if (relative.length > 0) {
    return {
      ranges: relative.map(({ from, to }) => ({ from: from?.getTime() ?? -Infinity, to: to?.getTime() ?? Infinity })),
      terms: new Set(relative.flatMap(({ text }) => words(text))),
      anchor: -1,
    };
  }
  const mentioned = findMentionedTime(query);
  if (mentioned !== null)
    return { ranges: rangesOf(mentioned, view.times), terms: termsOfMentionedTime(mentioned), anchor: -1 };
  return anchoredTimes(query, view);
}

const SURE_ENOUGH = 0.6;

function anchoredTimes(query: string, view: RecallView): QueryTimes {
  const anchor = ANCHOR.exec(query);
  if (anchor === null) return NO_TIMES;
  const [, relation = '', told = ''] = anchor;
  const terms = words(told).filter((term) => !QUERY_STOP_TERMS.has(term));
  if (terms.length === 0) return NO_TIMES;
  const match = matchLexically(view.index, terms);
  let best = { coverage: SURE_ENOUGH, time: Number.NaN, ordinal: -1 };
  for (const ordinal of match.matched) {
    const coverage = coverageOf(match.termMasks[ordinal] as number, match);
    const time = view.times[ordinal] as number;
    // The last telling counts: people move more than once.
    if (view.live[ordinal] === 1 && coverage >= best.coverage && !Number.isNaN(time))
      best = { coverage, time, ordinal };
  }
  if (Number.isNaN(best.time)) return NO_TIMES;
  const isBefore = /before|until/i.test(relation);
  const range = isBefore ? { from: -Infinity, to: best.time } : { from: best.time, to: Infinity };
  // What it is anchored to is not what is asked for.
  return { ranges: [range], terms: new Set(terms), anchor: best.ordinal };
}

export interface QueryAnalysis {
  readonly terms: readonly string[];
  /** Speakers of the store whom the question is about; empty when it names nobody or everybody. */
  readonly about: ReadonlySet<string>;
  /** How sure `about` is: 1 by name, 0.5 by pronoun. */
  readonly aboutCertainty: number;
  readonly asks: 'when' | 'how-many' | 'other';
  /** The stretches of time that it asks about; empty when it names none. */
  readonly times: readonly TimeRange[];
  /** The document that tells the event by which the question says when; −1 where there is none. */
  readonly anchor: number;
  /** Whether it is in another language than English, the only one that the local embedder knows well. */
  readonly isForeign: boolean;
  /** Whether it asks for what the assistant has said. */
  readonly asksAgent: boolean;
  /** Which answer it wants: what holds now, what held before, several pieces. */
  readonly wants: { readonly now: boolean; readonly past: boolean; readonly several: boolean };
}

const WHEN =
  /\b(?:when|how long|(?:what|which) (?:date|month|year|day|time)|since when|wann|quand|cuándo)\b|什么时候|いつ|언제|متى/iu;
const HOW_MANY = /\bhow (?:many|much|often|old)\b|\bwie viele?\b|\bcombien\b|\bcuánt[oa]s?\b|多少|几个|いくつ|몇|كم/iu;
const FIRST_PERSON = /\b(?:i|my|mine|me|myself)\b/iu;
const ASSISTANT_SPOKE =
  /\b(?:did|have|had) you (?:\w+ )?(?:say|said|tell|told|give|given|gave|list|suggest|recommend|mention|explain|advise|write|propose|share)|\byou (?:said|told|gave|listed|suggested|recommended|mentioned|explained|advised|wrote|proposed|shared)/iu;

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
}

function namePattern(name: string): RegExp {
  // \b knows only ASCII letters, so the borders are spelled out.
  return new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(name)}(?:['’]s|['’](?=\\s))?(?![\\p{L}\\p{N}])`, 'iu');
}

// "Anna Weber" is also asked for as "Anna".
function spokenNames(name: string): string[] {
  const first = name.split(/\s+/u)[0] ?? name;
  return first.length > 2 && first !== name ? [name, first] : [name];
}

const OTHER_LETTERS = /[^\p{Script=Latin}\p{Script=Common}]|[à-öø-ÿœĀ-ž]/iu;

/** A text in Latin letters without accents and without function words of another language is taken for English. */
function isForeign(query: string): boolean {
  const pack = detectPack(query, null);
  return pack === null ? OTHER_LETTERS.test(query) : pack.language !== 'en';
}

// "I" asks about the user and "what did you suggest" about the assistant; a question with both could mean either.
function speakersByPronoun(query: string, speakers: readonly KnownSpeaker[]): string[] {
  const byUser = FIRST_PERSON.test(query);
  const byAssistant = ASSISTANT_SPOKE.test(query);
  if (byUser === byAssistant) return [];
  return speakers.filter((speaker) => speaker.role === (byUser ? 'user' : 'agent')).map((speaker) => speaker.name);
}

/** Reads who, what and when a question is about, given what it is asked of. */
export function analyzeQuery(
  query: string,
  view: RecallView,
  reference: { now: number; timeZone: string },
): QueryAnalysis {
  const { speakers } = view;
  const about = new Set<string>();
  const nameTerms = new Set<string>();
  for (const speaker of speakers) {
    if (speaker.role === 'agent') continue;
    for (const name of spokenNames(speaker.name)) {
      if (!namePattern(name).test(query)) continue;
      about.add(speaker.name);
      for (const term of words(name)) nameTerms.add(term);
    }
  }
  const aboutCertainty = about.size > 0 ? 1 : 0.5;
  if (about.size === 0) for (const name of speakersByPronoun(query, speakers)) about.add(name);
  const all = queryWords(query).filter((term) => !QUERY_STOP_TERMS.has(term));
  const times = queryTimes(query, view, reference);
  // A time is matched against the time of telling; as words, its parts would only dilute the coverage of the rest.
  const terms = all.filter((term) => !nameTerms.has(term) && !times.terms.has(term));
  return {
    terms: terms.length > 0 ? terms : all,
    about: about.size === 1 ? about : new Set(),
    aboutCertainty,
    asks: HOW_MANY.test(query) ? 'how-many' : WHEN.test(query) ? 'when' : 'other',
    times: times.ranges,
    anchor: times.anchor,
    isForeign: isForeign(query),
    asksAgent: ASSISTANT_SPOKE.test(query),
    wants: { now: ASKS_NOW.test(query), past: ASKS_PAST.test(query), several: ASKS_SEVERAL.test(query) },
  };
}

const LONGEST_NAME = 4;
const MOST_WORDS = 40;

/** The documents that are linked to an entity which the query names: they come in whatever their similarity. */
export async function documentsAboutNamed(
  reader: Reader,
  scope: Scope,
  query: string,
  view: RecallView,
): Promise<Set<number>> {
  const entities = await findEntitiesByName(reader, scope, possibleNames(query));
  const rows = await rowsAbout(
    reader,
    scope.tenant,
    entities.map((entity) => entity.id),
  );
  const found = new Set<number>();
  for (const row of rows) {
    const ordinal = view.ordinalOf('memory', row);
    if (ordinal !== undefined) found.add(ordinal);
  }
  return found;
}

/** All runs of up to four words: one of them may be a name. */
function possibleNames(query: string): string[] {
  const words = entitySlug(query).split('-').slice(0, MOST_WORDS);
  const names: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let length = 1; length <= LONGEST_NAME && start + length <= words.length; length += 1) {
      names.push(words.slice(start, start + length).join('-'));
    }
  }
  return names;
}
