import { KINSHIP } from '../language/entities.ts';
import { isMostlyForeign } from '../language/foreign-text.ts';
import { wordsOfAll } from '../language/packs/packs.ts';
import { words } from '../language/words.ts';
import { DAY } from '../record/clock.ts';
import { belongsToUser, USER } from '../record/statement.ts';
import { closenessToRanges, isAboutPast, type QueryAnalysis } from './analyze-query.ts';
import { MARK, type RecallDocument } from './recall-document.ts';
import { coverageOf, inverseDocumentFrequency, type LexicalMatch } from './lexical-index.ts';
import { standardise } from './measure-meaning.ts';
import type { RecallView } from './recall-view.ts';

export interface QueryInput {
  readonly view: RecallView;
  readonly analysis: QueryAnalysis;
  /** In milliseconds. */
  readonly now: number;
  readonly match: LexicalMatch;
  /** 1 for each ordinal that may be returned. */
  readonly allowed: Uint8Array;
  /** Ordinals of documents that the query asks for by attribute, kind or time. */
  readonly asked: ReadonlySet<number>;
  /** A document's cosine on the scale of the model with which the weights were learned; 0 without a vector. */
  readonly similarityOf: (ordinal: number) => number;
  /** Similarity per ordinal, as a z-score against unrelated texts. */
  readonly meaning: Float32Array;
}

export interface QueryContext extends QueryInput {
  /** The query asks for facts about the user and nobody else. */
  readonly isAboutUser: boolean;
  readonly sessionWords: Float32Array;
  readonly sessionMeaning: Float32Array;
  readonly dates: Float32Array | null;
  readonly bestBm25: number;
}

/** The `otherLanguage…` signals correct meaning and words for languages that the embedder does not know well. */
export const SIGNAL_NAMES = [
  'meaning',
  'words',
  'otherForms',
  'bm25',
  'otherLanguageMeaning',
  'otherLanguageWords',
  'otherLanguageForms',
  'otherLanguageBm25',
  'length',
  'asking',
  'speaker',
  'agentTurn',
  'agentAsked',
  'toolTurn',
  'statement',
  'sameMatter',
  'hasSameMatter',
  'time',
  'hasTime',
  'hasNumber',
  'date',
  'anchor',
  'fresh',
  'lateNow',
  'latePast',
  'lateNear',
  'nearMeaning',
  'nearShort',
  'answerMeaning',
  'windowWords',
  'sessionWords',
  'sessionMeaning',
  'keyed',
  'relative',
  'othersWords',
] as const;
export type SignalName = (typeof SIGNAL_NAMES)[number];
/** In the order of `SIGNAL_NAMES`. */
export type Signals = Float64Array;
export const COLUMN: Readonly<Record<SignalName, number>> = Object.fromEntries(
  SIGNAL_NAMES.map((name, column) => [name, column]),
) as Record<SignalName, number>;

export function prepareContext(input: QueryInput): QueryContext {
  const { view, analysis, match, asked, meaning } = input;
  const hasSessions = view.cohesion.session > 0;
  const noSessions = new Float32Array(view.sessionCount);
  return {
    ...input,
    isAboutUser: asked.size > 0 && relativesIn(analysis.terms).length === 0,
    sessionWords: hasSessions
      ? standardise(matchSessions(match, view.sessions, view.sessionWordCounts), 4)
      : noSessions,
    sessionMeaning: hasSessions ? bestPerSession(meaning, view.sessions, view.sessionCount) : noSessions,
    dates: analysis.times.length === 0 ? null : closenessToRanges(analysis.times, view.times, view.ends),
    bestBm25: match.matched.reduce((best, ordinal) => Math.max(best, match.bm25[ordinal] as number), 0),
  };
}

// `aboutCertainty` for a turn that the named person said, or that mentions them in the third person; half of that for the assistant's reply
// to them.
function speakerSignal(context: QueryContext, ordinal: number): number {
  const { about, aboutCertainty } = context.analysis;
  if (about.size === 0) return 0;
  const document = context.view.documents[ordinal];
  if (document === undefined || document.speaker === null) return 0;
  if (about.has(document.speaker)) return aboutCertainty;
  for (const name of about) if (speaksOf(document.text, name)) return aboutCertainty;
  const previous = context.view.documents[context.view.previous[ordinal] as number];
  return document.role === 'agent' && previous !== undefined && previous.speaker !== null && about.has(previous.speaker)
    ? aboutCertainty / 2
    : 0;
}

// A turn with at least this many words can be understood without its neighbours.
const SHORT_TURN = 30;

function writeNeighbours(row: Signals, context: QueryContext, ordinal: number): void {
  const { view, match, meaning } = context;
  const gate = view.cohesion.neighbour;
  const previous = view.previous[ordinal] as number;
  const next = view.next[ordinal] as number;
  const meaningOf = (other: number): number => meaning[other] ?? 0;
  const maskOf = (other: number): number => (other < 0 ? 0 : (match.termMasks[other] as number));
  const answers =
    previous >= 0 &&
    ((view.marks[previous] as number) & MARK.endsAsking) !== 0 &&
    view.speakerNumbers[previous] !== view.speakerNumbers[ordinal];
  const own = maskOf(ordinal);
  const near = gate * Math.max(meaningOf(previous), meaningOf(next));
  const wordCount = view.wordCounts[ordinal] as number;
  row[COLUMN.nearMeaning] = near;
  row[COLUMN.nearShort] = near * Math.max(0, 1 - wordCount / SHORT_TURN);
  row[COLUMN.answerMeaning] = answers ? gate * meaningOf(previous) : 0;
  row[COLUMN.windowWords] = gate * (coverageOf(own | maskOf(previous) | maskOf(next), match) - coverageOf(own, match));
}

/** For a question that is not in English, the `otherLanguage…` signals give words more weight and meaning less. */
function writeNearness(row: Signals, context: QueryContext, ordinal: number): void {
  const { match, bestBm25, analysis } = context;
  const meaning = context.meaning[ordinal] as number;
  const words = coverageOf(match.termMasks[ordinal] as number, match);
  const otherForms = coverageOf(match.looseMasks[ordinal] as number, match) - words;
  const bm25 = bestBm25 === 0 ? 0 : (match.bm25[ordinal] as number) / bestBm25;
  row[COLUMN.meaning] = meaning;
  row[COLUMN.words] = words;
  row[COLUMN.otherForms] = otherForms;
  row[COLUMN.bm25] = bm25;
  if (!analysis.isOtherLanguage) return;
  row[COLUMN.otherLanguageMeaning] = meaning;
  row[COLUMN.otherLanguageWords] = words;
  row[COLUMN.otherLanguageForms] = otherForms;
  row[COLUMN.otherLanguageBm25] = bm25;
}

// Questions are more often about the last few days than about earlier times.
const FRESH_DAYS = 3;
// In standard deviations. From here on, a text is certainly about the matter of the question.
const NEAREST = 3;

function writeTimes(row: Signals, context: QueryContext, ordinal: number): void {
  const { view, analysis, dates, now } = context;
  const { firstTime, lastTime } = view;
  const time = view.times[ordinal] as number;
  const span = lastTime - firstTime;
  const late = span > 0 ? (time - firstTime) / span - 0.5 : 0;
  row[COLUMN.fresh] = time < now ? Math.exp((time - now) / (FRESH_DAYS * DAY)) : 0;
  row[COLUMN.lateNow] = analysis.wants.now ? late : 0;
  row[COLUMN.latePast] = analysis.wants.past ? late : 0;
  if (!isAboutPast(analysis) && !analysis.wants.several) {
    // Of several texts about one matter, the last one holds. A distant text is about another matter.
    row[COLUMN.lateNear] = late * Math.min(NEAREST, Math.max(0, context.meaning[ordinal] as number));
  }
  row[COLUMN.date] = dates === null ? 0 : (dates[ordinal] as number);
  const { anchor } = analysis;
  const isAnchor = anchor >= 0 && (anchor === ordinal || view.sameMatter(ordinal).includes(anchor));
  row[COLUMN.anchor] = isAnchor ? 1 : 0;
}

/** All rows share one array, because allocating an array for each row costs as much as filling it. */
export function signalsOfAll(context: QueryContext, ordinals: readonly number[]): Signals[] {
  const width = SIGNAL_NAMES.length;
  const rows = new Float64Array(ordinals.length * width);
  return ordinals.map((ordinal, index) => {
    const row = rows.subarray(index * width, (index + 1) * width);
    writeSignals(row, context, ordinal);
    return row;
  });
}

/** Reads columns and not documents, which are scattered in memory: reading 250 takes longer than computing the signals. */
function writeSignals(row: Signals, context: QueryContext, ordinal: number): void {
  const { view, analysis } = context;
  const marks = view.marks[ordinal];
  if (marks === undefined) throw new RangeError(`There is no document at ordinal ${ordinal}.`);
  writeNearness(row, context, ordinal);
  writeText(row, context, ordinal, marks);
  writeTimes(row, context, ordinal);
  if (view.cohesion.neighbour > 0) writeNeighbours(row, context, ordinal);
  row[COLUMN.speaker] = speakerSignal(context, ordinal);
  if ((marks & MARK.isOfAgent) !== 0) {
    row[COLUMN.agentTurn] = analysis.about.size === 0 ? 1 : 0;
    row[COLUMN.agentAsked] = analysis.asksAgent ? 1 : 0;
  }
  row[COLUMN.toolTurn] = (marks & MARK.isOfTool) !== 0 ? 1 : 0;
  row[COLUMN.statement] = view.isMemory[ordinal] as number;
  const same = view.sameMatter(ordinal);
  if (same.length > 0) {
    row[COLUMN.sameMatter] = Math.max(...same.map((other) => context.meaning[other] ?? 0));
    row[COLUMN.hasSameMatter] = 1;
  }
  const session = view.sessions[ordinal] as number;
  if (session >= 0) {
    row[COLUMN.sessionWords] = view.cohesion.session * (context.sessionWords[session] as number);
    row[COLUMN.sessionMeaning] = view.cohesion.session * (context.sessionMeaning[session] as number);
  }
  row[COLUMN.keyed] = context.asked.has(ordinal) ? 1 : 0;
  const isRelative = context.isAboutUser && isAboutRelative(view.documents[ordinal] as RecallDocument);
  row[COLUMN.relative] = isRelative ? 1 : 0;
  // In a pasted mail, "my number" is the number of the mail's author. Only the user's own words answer questions about the user.
  if (analysis.asksOfUser) row[COLUMN.othersWords] = isOthersWords(view.documents[ordinal] as RecallDocument) ? 1 : 0;
}

const othersWords = new WeakMap<RecallDocument, boolean>();

/** Cached and only called for candidates, because a test takes 50 µs. */
function isOthersWords(document: RecallDocument): boolean {
  if (document.type !== 'message' || document.role === 'agent' || document.role === 'tool') return false;
  const known = othersWords.get(document) ?? isMostlyForeign(document.text);
  othersWords.set(document, known);
  return known;
}

/** Every statement has content, so a time or a number in a statement counts only if the question asks for one. */
function writeText(row: Signals, { view, analysis }: QueryContext, ordinal: number, marks: number): void {
  const isTurn = view.isMemory[ordinal] === 0;
  const asksWhen = analysis.asks === 'when';
  const hasTime = (marks & MARK.hasTime) !== 0;
  const hasNumber = (marks & MARK.hasNumber) !== 0;
  const length = Math.log((view.wordCounts[ordinal] as number) + 1);
  if (isTurn) row[COLUMN.length] = Math.max(-1.5, Math.min(1.5, length - view.typicalLogLength(ordinal)));
  row[COLUMN.asking] = (marks & MARK.endsAsking) !== 0 ? 1 : 0;
  row[COLUMN.time] = asksWhen && hasTime ? 1 : 0;
  row[COLUMN.hasTime] = hasTime && (isTurn || asksWhen) ? 1 : 0;
  row[COLUMN.hasNumber] = hasNumber && (isTurn || analysis.asks !== 'other') ? 1 : 0;
}

// The usual values for articles, unlike those of the lexical index: a session is as long as an article.
const K1 = 1.2;
const B = 0.75;

/** Computes BM25 as if every session were one long document, from the term masks of its turns. */
function matchSessions(match: LexicalMatch, sessions: Int32Array, sessionWordCounts: Float32Array): Float32Array {
  const sessionCount = sessionWordCounts.length;
  const termCount = match.termWeights.length;
  const frequencies = new Uint16Array(sessionCount * termCount);
  for (const ordinal of match.matched) {
    const session = sessions[ordinal] as number;
    if (session < 0) continue;
    const mask = match.termMasks[ordinal] as number;
    const offset = session * termCount;
    for (let term = 0; term < termCount; term += 1) {
      if ((mask & (1 << term)) !== 0) frequencies[offset + term] = (frequencies[offset + term] as number) + 1;
    }
  }
  const averageWords = sessionWordCounts.reduce((sum, count) => sum + count, 0) / Math.max(1, sessionCount);
  const scores = new Float32Array(sessionCount);
  for (let term = 0; term < termCount; term += 1) {
    let sessionsWithTerm = 0;
    for (let session = 0; session < sessionCount; session += 1)
      if ((frequencies[session * termCount + term] as number) > 0) sessionsWithTerm += 1;
    if (sessionsWithTerm === 0) continue;
    const weight = inverseDocumentFrequency(sessionCount, sessionsWithTerm);
    for (let session = 0; session < sessionCount; session += 1) {
      const frequency = frequencies[session * termCount + term] as number;
      if (frequency === 0) continue;
      const lengthNorm = 1 - B + (B * (sessionWordCounts[session] as number)) / averageWords;
      scores[session] = (scores[session] as number) + (weight * frequency * (K1 + 1)) / (frequency + K1 * lengthNorm);
    }
  }
  return scores;
}

function bestPerSession(standardised: Float32Array, sessions: Int32Array, sessionCount: number): Float32Array {
  const best = new Float32Array(sessionCount).fill(Number.NEGATIVE_INFINITY);
  for (let ordinal = 0; ordinal < standardised.length; ordinal += 1) {
    const session = sessions[ordinal] as number;
    const value = standardised[ordinal] as number;
    if (session >= 0 && value > (best[session] as number)) best[session] = value;
  }
  return best;
}

const GREETING = new RegExp(`(?:^|[.!?]\\s+|\\b)(?:${wordsOfAll('callsBy')})[\\s,]*$`, 'iu');

/** Whether a text mentions the person ("Anna got a dog", "Anna's dog") rather than addressing them ("Hey Anna!", "nice, Anna"). */
function speaksOf(text: string, name: string): boolean {
  let from = 0;
  for (;;) {
    const at = text.indexOf(name, from);
    if (at < 0) return false;
    from = at + name.length;
    const before = text.slice(Math.max(0, at - 16), at);
    const after = text.slice(from, from + 3);
    if (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after)) continue;
    if (/^['’]s/u.test(after)) return true;
    const addressed = /^\s*[,.!?;:\-–—]|^\s*$/u.test(after) || /,\s*$/u.test(before) || GREETING.test(before);
    if (!addressed) return true;
  }
}

const RELATIVES: ReadonlySet<string> = new Set(words(`${[...KINSHIP].join(' ')} pet dog cat puppy kitten`));

/** Includes acquaintances and pets: a sister, a boss, a cat. */
export function relativesIn(terms: readonly string[]): string[] {
  return terms.filter((term) => RELATIVES.has(term));
}

/** Without a subject, the first words of the text count: "My brother lives in Toronto", "User's boss …". */
function isAboutRelative({ subject = USER, text }: RecallDocument): boolean {
  const start = /^\W*(?:my|our|(?:the )?user['’]s)\s+((?:[\p{L}-]+\s+){0,2}[\p{L}-]+)/iu.exec(text)?.[1] ?? '';
  return (belongsToUser(subject) ? subject : start)
    .toLowerCase()
    .split(/\s+/)
    .some((word) => KINSHIP.has(word));
}
