import { asksOfText } from '../language/foreign-text.ts';
import { findDates, resolveDates } from '../language/resolve-dates.ts';
import { english } from '../language/packs/en.ts';
import type { Pack, PackQuestions } from '../language/packs/pack.ts';
import {
  asksFor,
  detectPack,
  isQuestion,
  packPattern,
  PACKS,
  plainMarks,
  wordsOfAll,
} from '../language/packs/packs.ts';
import { splitSentences } from '../language/sentences.ts';
import { queryWords, words } from '../language/words.ts';
import { type AttributeTable, hasTrait } from '../record/attributes.ts';
import { DAY } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import { belongsToUser, nameOf, USER } from '../record/statement.ts';
import { coverageOf, matchLexically } from './lexical-index.ts';
import type { RecallDocument } from './recall-document.ts';
import type { KnownSpeaker, RecallView } from './recall-view.ts';

/** Removed from queries, but not from the index. */
export const QUERY_STOP_TERMS: ReadonlySet<string> = termsOf('stop');
const CHANGE_TERMS = termsOf('changes');
const AGENDA_TERMS = termsOf('agenda');

function termsOf(list: 'stop' | 'changes' | 'agenda'): ReadonlySet<string> {
  return new Set(PACKS.flatMap(({ questions }) => words(questions[list]?.replaceAll('|', ' ') ?? '')));
}

/** Whether outdated statements may be part of the answer. True in case of doubt. */
export function mayAskForPast(question: string): boolean {
  const pack = detectPack(question, null);
  if (asksFor(question, 'now', pack)) return false;
  return pack?.questions.history === undefined || asksFor(question, 'past', pack) || asksFor(question, 'history', pack);
}

// People mention an event within days after it, and announce it shortly before.
const DAYS_TOLD_AFTER = 10;
const DAYS_TOLD_BEFORE = 5;

function closenessToRange(range: TimeRange, time: number): number {
  if (time < range.from) return Math.exp((time - range.from) / DAY / DAYS_TOLD_BEFORE);
  return time < range.to ? 1 : Math.exp((range.to - time) / DAY / DAYS_TOLD_AFTER);
}

/** In milliseconds, `to` exclusive. */
interface TimeRange {
  from: number;
  to: number;
}

/**
 * 1 for a document within a range, falling over some days on both sides; 0 for an unknown time (NaN). A lasting statement gets 1 for every
 * range in which it was true (`ends` is NaN for others). Unselective ranges lower all values: a year that covers the whole store
 * distinguishes nothing.
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
      // If a lasting statement is not known to have been true in the range, it counts half, because the user may have mentioned it late.
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

interface QueryTimes {
  ranges: TimeRange[];
  /** The query's words for the time. They are matched against the documents' times, not their texts. */
  terms: Set<string>;
  /** The document about the event in "before I moved"; −1 if there is none. */
  anchor: number;
}

const NO_TIMES: QueryTimes = { ranges: [], terms: new Set(), anchor: -1 };

/** "Before I moved to Berlin", "after Anna's wedding". */
const ANCHOR =
  /\b(before|after|since|until)\s+((?:i|we|he|she|they|my|our|his|her|their|the)\b[^?.,;!]{2,80}|\p{Lu}[\p{L}'’]+\s[^?.,;!]{2,80})/iu;

interface AskedAt {
  now: number;
  timeZone: string;
}

function queryTimes(query: string, view: RecallView, pack: Pack | null, at: AskedAt): QueryTimes {
  const dates = spokenDates(query, pack, at);
  if (dates.length === 0) return anchoredTimes(query, view);
  return { ranges: rangesOf(dates), terms: new Set(dates.flatMap(({ terms }) => terms)), anchor: -1 };
}

interface SpokenDate {
  from: Date | null;
  to: Date | null;
  terms: readonly string[];
}

// For English questions about the past, such as "What did I do on Friday?".
const PAST_TENSE = /\b(?:did|was|were|had|happened|been)\b/iu;

/** "What have I got on this week?" has no topic but the time. A date without a year is the next one, unless it asks for the past. */
function agendaTimes(
  query: string,
  pack: Pack | null,
  { topic, times, at }: { topic: readonly string[]; times: QueryTimes; at: AskedAt },
): readonly TimeRange[] {
  const isAgenda = times.terms.size > 0 && times.anchor === -1 && topic.every((term) => AGENDA_TERMS.has(term));
  if (!isAgenda) return [];
  const isPast = PAST_TENSE.test(query) || asksFor(query, 'past', pack);
  return isPast ? times.ranges : rangesOf(spokenDates(query, pack, at, 'future'));
}

function rangesOf(dates: readonly SpokenDate[]): TimeRange[] {
  return dates.map(({ from, to }) => ({ from: from?.getTime() ?? -Infinity, to: to?.getTime() ?? Infinity }));
}

/** By default, a date without a year is the last such date before the query. */
function spokenDates(query: string, pack: Pack | null, at: AskedAt, prefer: 'past' | 'future' = 'past'): SpokenDate[] {
  const reading = { now: new Date(at.now), timeZone: at.timeZone, prefer };
  const dates = resolveDates(query, reading).map(({ from, to, text }) => ({ from, to, terms: words(text) }));
  if (dates.length > 0 || pack === english || !isOtherLanguage(query, pack)) return dates;
  for (const other of pack === null ? PACKS.filter((each) => each !== english) : [pack]) {
    const found = findDates(query, other, reading).map(({ start, end, from, to, isSince }) => {
      return { from, to: isSince ? null : to, terms: words(query.slice(start, end)) };
    });
    if (found.length > 0) return found;
  }
  return [];
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
    // Takes the latest mention, because people move more than once.
    if (view.live[ordinal] === 1 && coverage >= best.coverage && !Number.isNaN(time))
      best = { coverage, time, ordinal };
  }
  if (Number.isNaN(best.time)) return NO_TIMES;
  const isBefore = /before|until/i.test(relation);
  const range = isBefore ? { from: -Infinity, to: best.time } : { from: best.time, to: Infinity };
  // Ranking lowers the anchor, because the question does not ask for the anchor event itself.
  return { ranges: [range], terms: new Set(terms), anchor: best.ordinal };
}

export interface QueryAnalysis {
  readonly terms: readonly string[];
  /** The speaker whom the question is about. Empty if it names none or several. */
  readonly about: ReadonlySet<string>;
  /** 1 for a name, 0.5 for a pronoun. */
  readonly aboutCertainty: number;
  readonly asks: 'when' | 'how-many' | 'other';
  readonly times: readonly TimeRange[];
  /** The times for whose plans the question asks, if it has no other topic. */
  readonly agenda: readonly TimeRange[];
  /** The document about the event that the question names instead of a date; −1 if there is none. */
  readonly anchor: number;
  /** English is the only language that the local embedder knows well. */
  readonly isOtherLanguage: boolean;
  /** The question asks for something that the assistant said. */
  readonly asksAgent: boolean;
  /** The question is in the first person and not about a text. The user's own words then contain the answer. */
  readonly asksOfUser: boolean;
  /** `history`: possibly an earlier state. `changes`: all changes within a time. */
  readonly wants: Readonly<Record<'now' | 'past' | 'history' | 'several' | 'changes', boolean>>;
}

export function isAboutPast({ wants, times }: Pick<QueryAnalysis, 'wants' | 'times'>): boolean {
  return !wants.now && (wants.past || times.length > 0 || (wants.history && !wants.several));
}

const FIRST_PERSON = /\b(?:i|my|mine|me|myself)\b/iu;

const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function namePattern(name: string, flags = 'iu'): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  if (HAN.test(name)) return new RegExp(`${escaped}(?:さん|ちゃん|くん|君|様)?`, flags);
  // \b recognises only ASCII letters.
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?:['’]?s|['’](?=\\s))?(?![\\p{L}\\p{N}])`, flags);
}

// A question about "Anna Weber" may say only "Anna".
function spokenNames(name: string): string[] {
  const first = name.split(/\s+/u)[0] ?? name;
  return first.length > 2 && first !== name ? [name, first] : [name];
}

/** The names that the user has stated, and the user's id if it looks like a name. */
function namesOfUser(view: RecallView, { user }: Scope, attributes: AttributeTable): string[] {
  const said = view.keyed.flatMap((ordinal) => {
    const { attribute, value } = view.documents[ordinal] as RecallDocument;
    return view.live[ordinal] === 1 && hasTrait(attribute, 'own', attributes) ? (value ?? []) : [];
  });
  const id = user !== null && /^\p{L}{2,}(?:[ ._-]\p{L}+)*$/u.test(user) ? [user.replace(/[._-]/g, ' ')] : [];
  return [...said, ...id].flatMap(spokenNames);
}

/** In lower case. Includes people and animals from subjects ("User's sister Ana") and facts (`pet_name`). */
function namesOfOthers({ speakers, documents, keyed }: RecallView, attributes: AttributeTable): Set<string> {
  const facts = keyed.map((ordinal) => documents[ordinal] as RecallDocument);
  const subjects = new Set(documents.map(({ subject = USER }) => subject));
  const names = [
    ...speakers.filter(({ role }) => role !== 'agent').map(({ name }) => name),
    ...facts.flatMap(({ attribute, value }) =>
      attribute !== null && attributes.policyOf(attribute).namesSomebody ? (value ?? []) : [],
    ),
    ...[...subjects].filter(belongsToUser).flatMap((subject) => nameOf(subject) ?? []),
  ];
  return new Set(names.flatMap(spokenNames).map((name) => name.toLowerCase()));
}

/** "Where does Ana live?" is ranked like "Where do I live?" if Ana is the user. A bare name is not changed. */
export function inFirstPerson(
  query: string,
  { view, scope, attributes }: { view: RecallView; scope: Scope; attributes: AttributeTable },
): string {
  const lower = query.toLowerCase();
  const names = namesOfUser(view, scope, attributes).filter((name) => lower.includes(name.toLowerCase()));
  if (names.length === 0) return query;
  const others = namesOfOthers(view, attributes);
  const [me, my] = firstPersonOf(detectPack(query) ?? english);
  let spoken = query;
  for (const name of names) {
    if (others.has(name.toLowerCase())) continue;
    // A name can also be a common word ("will", "mark"). It then counts as a name only if it is capitalised, unless the whole question is
    // in lower case.
    const isName = (found: string): boolean =>
      lower === query || found[0] !== found[0]?.toLowerCase() || HAN.test(name);
    spoken = spoken.replace(namePattern(name, 'giu'), (found, at: number, whole: string) => {
      const isGenitive = found.length > name.length && !HAN.test(name);
      if (!isName(found) || (!isGenitive && isVerbAt(whole, at, found))) return found;
      return isGenitive ? my : me;
    });
  }
  return queryWords(spoken).length > 1 ? spoken : query;
}

// After the capitalised first word of a sentence, these words show that it is no name: "Will I see Mark?", "Mark my calendar".
const SUBJECT_OR_OBJECT =
  /^\s+(?:i|you|he|she|it|we|they|me|him|us|them|my|your|his|her|its|our|their|the|a|an|this|that|these|those|there)(?![\p{L}\p{N}])/iu;

/** The first word of a sentence may be an auxiliary or an imperative with the letters of a name. */
function isVerbAt(sentence: string, at: number, word: string): boolean {
  const before = sentence.slice(0, at).trimEnd().at(-1) ?? '.';
  if (!/[.?!:"“¿¡]/u.test(before)) return false;
  return QUERY_STOP_TERMS.has(word.toLowerCase()) || SUBJECT_OR_OBJECT.test(sentence.slice(at + word.length));
}

// Agents write "the user" when they ask about the user. In "the user interface", the word belongs to a compound noun.
const COMPOUND =
  '(?:interfaces?|ids?|accounts?|manuals?|guides?|stor(?:y|ies)|research|test(?:s|ing)|experience|groups?|tables?|data|input|base|agents?|interviews?|feedback|flows?|personas?|journeys?|roles?|settings|management)';
const THE_USER = new RegExp(
  [
    `(?<![\\p{L}\\p{N}'’-])(?:(?:the|this|my|our)\\s+(?:current\\s+)?user|this\\s+person|user(?=['’]s))(?:['’]s?)?(?![\\p{L}\\p{N}-])(?!\\s+${COMPOUND}\\b)`,
    `^\\s*user(?=\\s)(?!\\s+${COMPOUND}\\b)`,
    `(?<!\\p{L})(?:${wordsOfAll('agentsUser', 'latin')})(?!\\p{L})`,
    wordsOfAll('agentsUser', 'han'),
  ].join('|'),
  'giu',
);

function firstPersonOf({ words: { me, my } }: Pack): [me: string, my: string] {
  return [me.split('|')[0] ?? '', my.split('|')[0] ?? ''];
}

function isInFirstPerson(text: string, pack: Pack | null): boolean {
  return (['me', 'my'] as const).some((list) => packPattern(pack ?? english, list).test(plainMarks(text)));
}

/** For agents, who ask "Where does the user live?". If the question also says "I", the user asks it about somebody else. */
export function userInFirstPerson(query: string): string {
  const rest = query.replaceAll(THE_USER, ' ');
  if (rest === query) return query;
  const pack = detectPack(query) ?? english;
  if (isInFirstPerson(rest, pack)) return query;
  const [me, my] = firstPersonOf(pack);
  const spoken = query.replaceAll(THE_USER, (found) => (/['’]s?$|^\s*user$/iu.test(found) ? my : me));
  return queryWords(spoken).length > 1 ? spoken : query;
}

/** Whether a message asks for a fact about the user or the user's people, and neither for advice nor for a task. */
export function asksOfKnown(
  message: string,
  known: { view: RecallView; scope: Scope; attributes: AttributeTable },
): boolean {
  return splitSentences(message).some(({ text }) => {
    if (!isQuestion(text)) return false;
    const question = plainMarks(inFirstPerson(text, known));
    const pack = detectPack(question) ?? english;
    const isRequest = packPattern(pack, 'ask').exec(question)?.index === 0;
    if (isRequest || asksFor(question, 'advice', pack)) return false;
    return (
      (['me', 'my', 'we'] as const).some((list) => packPattern(pack, list).test(question)) ||
      [...namesOfOthers(known.view, known.attributes)].some((name) => namePattern(name).test(question))
    );
  });
}

const OTHER_LETTERS = /[^\p{Script=Latin}\p{Script=Common}]|[à-öø-ÿœĀ-ž]/iu;

/** Without a detected language, a query counts as English if it has only Latin letters without accents. */
function isOtherLanguage(query: string, pack: Pack | null): boolean {
  return pack === null ? OTHER_LETTERS.test(query) : pack !== english;
}

// A question with "I" is about the user, "what did you suggest" about the assistant, and a question with both is ambiguous.
function speakersByPronoun(query: string, speakers: readonly KnownSpeaker[], asksAgent: boolean): string[] {
  const byUser = FIRST_PERSON.test(query);
  if (byUser === asksAgent) return [];
  return speakers.filter((speaker) => speaker.role === (byUser ? 'user' : 'agent')).map((speaker) => speaker.name);
}

// "What do I do for a living?" asks for the user's work, not for the place where the user lives.
const A_LIVING = /\ba living\b/giu;

function namedSpeakers(query: string, speakers: readonly KnownSpeaker[]): Record<'about' | 'terms', Set<string>> {
  const lower = query.toLowerCase();
  const about = new Set<string>();
  const terms = new Set<string>();
  for (const speaker of speakers) {
    if (speaker.role === 'agent') continue;
    for (const name of spokenNames(speaker.name)) {
      // Compiling a pattern takes up to a millisecond, and most speakers are not named.
      if (!lower.includes(name.toLowerCase()) || !namePattern(name).test(query)) continue;
      about.add(speaker.name);
      for (const term of words(name)) terms.add(term);
    }
  }
  return { about, terms };
}

export function analyzeQuery(query: string, view: RecallView, at: AskedAt): QueryAnalysis {
  const { speakers } = view;
  const pack = detectPack(query, null);
  const asks = (what: keyof PackQuestions): boolean => asksFor(query, what, pack);
  const asksAgent = asks('agentSaid');
  const { about, terms: nameTerms } = namedSpeakers(query, speakers);
  const aboutCertainty = about.size > 0 ? 1 : 0.5;
  if (about.size === 0) for (const name of speakersByPronoun(query, speakers, asksAgent)) about.add(name);
  const all = queryWords(query.replaceAll(A_LIVING, 'work')).filter((term) => !QUERY_STOP_TERMS.has(term));
  const times = queryTimes(query, view, pack, at);
  const otherLanguage = isOtherLanguage(query, pack);
  const topic = all.filter((term) => !nameTerms.has(term) && !times.terms.has(term));
  // A date is matched against the documents' times, and its words would dilute the coverage of the other terms. In other languages, words
  // weigh most, and those of a date are kept: R@10 of turns is .768 with them and .761 without.
  const terms = otherLanguage ? all.filter((term) => !nameTerms.has(term)) : topic;
  const isOfTime = times.ranges.length > 0 && about.size === 0 && topic.length > 0;
  const changes = isOfTime && topic.every((term) => CHANGE_TERMS.has(term));
  const isAgenda = nameTerms.size === 0 && !(changes && PAST_TENSE.test(query));
  const agenda = isAgenda ? agendaTimes(query, pack, { topic, times, at }) : [];
  return {
    terms: terms.length > 0 ? terms : all,
    about: about.size === 1 ? about : new Set(),
    aboutCertainty,
    asks: asks('howMany') ? 'how-many' : asks('when') ? 'when' : 'other',
    times: agenda.length > 0 ? agenda : times.ranges,
    agenda,
    anchor: times.anchor,
    isOtherLanguage: otherLanguage,
    asksAgent,
    asksOfUser: !asksAgent && isInFirstPerson(query, pack) && !asksOfText(query),
    wants: {
      now: asks('now'),
      past: asks('past'),
      history: asks('history'),
      several: changes || agenda.length > 0 || asks('several'),
      changes,
    },
  };
}
