import { calibratedSimilarity, type Calibration, cosineFor, LOCAL_EMBEDDER_CALIBRATION } from '../models/embedder.ts';
import { isAboutPast, type QueryAnalysis } from './analyze-query.ts';
import {
  COLUMN,
  prepareContext,
  type QueryInput,
  type QueryContext,
  SIGNAL_NAMES,
  type SignalName,
  type Signals,
  signalsOfAll,
} from './candidate-signals.ts';
import { coverageOf, type LexicalMatch } from './lexical-index.ts';
import type { Meaning } from './measure-meaning.ts';
import type { Arm, RecallOptions, SignalShare } from './recall-options.ts';
import {
  answerability,
  backgroundScore,
  RANKING,
  type RankingModel,
  recencyBoost,
  relevance,
  type ScoredCandidate,
  summariseEvidence,
} from './relevance.ts';

interface RankedDocument {
  ordinal: number;
  score: number;
  /** The probability that the document is evidence for an answer. Null if the ranking method does not estimate it. */
  relevance: number | null;
  explanation: SignalShare[];
}

/** Best first. `answerable`: the probability that any document answers the question, or null. */
interface Ranking {
  documents: RankedDocument[];
  answerable: number | null;
}

export interface Candidate extends RankedDocument {
  cosine: number | null;
  /** The passage that has this cosine. */
  passage: number;
  arms: Arm[];
}

interface Found extends Omit<QueryInput, 'meaning' | 'similarityOf'> {
  /** Null without vectors. */
  meaning: Meaning | null;
  aboutNamed: ReadonlySet<number>;
  /** Null without an embedder. */
  calibration: Calibration | null;
  options: RecallOptions;
}

export function chooseRanking(found: Found): { candidates: Candidate[]; answerable: number | null } {
  const ranking = rank(found);
  const candidates = outdatedBehind(ranking.documents, found).map((document) => toCandidate(document, found));
  // Documents linked to an entity of the query are added regardless of their similarity.
  const known = new Set(candidates.map(({ ordinal }) => ordinal));
  for (const ordinal of found.aboutNamed) {
    if (known.has(ordinal) || found.allowed[ordinal] !== 1) continue;
    candidates.push(toCandidate({ ordinal, score: 0, relevance: null, explanation: [] }, found));
  }
  return { candidates, answerable: ranking.answerable };
}

/** The words of a turn are outdated if its best statement has been replaced. Recall then returns the replacement. */
function outdatedBehind(documents: readonly RankedDocument[], { view, analysis }: Found): RankedDocument[] {
  if (isAboutPast(analysis)) return [...documents];
  const ranked = new Map(documents.map((document) => [document.ordinal, document]));
  for (const turn of documents) {
    if (view.isMemory[turn.ordinal] === 1 || turn.relevance === null) continue;
    const statements = view.sameMatter(turn.ordinal);
    const [nearest] = statements
      .flatMap((ordinal) => ranked.get(ordinal) ?? [])
      .toSorted((one, other) => other.score - one.score);
    if (nearest === undefined || view.documents[nearest.ordinal]?.successor === null) continue;
    const stated = statements.reduce((sum, ordinal) => sum + (view.wordCounts[ordinal] as number), 0);
    const saysMore = stated < (view.wordCounts[turn.ordinal] as number) * HALF;
    if (saysMore && nearest.score < turn.score * HALF) continue;
    const ahead = Math.max(turn.relevance, nearest.relevance ?? 0);
    ranked.set(nearest.ordinal, { ...raised(nearest, Math.max(turn.score - nearest.score, 0)), relevance: ahead });
    const behind = Math.min(turn.relevance, nearest.relevance ?? 0);
    ranked.set(turn.ordinal, { ...raised(turn, -STEP_BEHIND), relevance: behind });
  }
  return [...ranked.values()].sort((one, other) => other.score - one.score);
}

// A turn whose statement was replaced keeps its rank if its statements have less than half its words, and the best of them less than half
// its score. Its other words may then answer the question.
const HALF = 0.5;
const STEP_BEHIND = 0.01;

function raised(document: RankedDocument, value: number): RankedDocument {
  const explanation = [...document.explanation, { signal: 'replaced', value, weight: 1 }];
  return { ...document, score: document.score + value, explanation };
}

const USUAL_LIMIT = 10;
const LIMIT_FOR_SEVERAL = 20;

export function limitOf({ limit }: RecallOptions, { wants }: Pick<QueryAnalysis, 'wants'>): number {
  return limit ?? (wants.several ? LIMIT_FOR_SEVERAL : USUAL_LIMIT);
}

// Duplicates, and turns whose memory was recalled, are removed later.
const SPARE = 30;

function rank(found: Found): Ranking {
  const { options, meaning } = found;
  const limit = limitOf(options, found.analysis);
  const count = options.scoring === 'signals' ? (options.candidates ?? 30) : limit + SPARE;
  if (options.mode === 'text') return rankByWords(found, count);
  if (meaning === null || asksForNoTopic(found)) return rankWithoutMeaning(found, count);
  if (options.mode === 'semantic' || options.scoring === 'signals') return rankBySimilarity(found, meaning, count);
  if (options.fusion !== 'reciprocal-rank') return rankWithMeaning(found, meaning, count);
  const lists = { semantic: rankBySimilarity(found, meaning, limit * 2), text: rankByWords(found, limit * 2) };
  return rankByReciprocalRank(lists, count);
}

/** "What has changed since May?" and "What have I got on this week?" resemble the requested documents neither in words nor in meaning. */
function asksForNoTopic({ analysis: { wants, agenda }, asked }: Found): boolean {
  return (wants.changes || agenda.length > 0) && asked.size > 0;
}

function rankByWords({ match, allowed }: Found, count: number): Ranking {
  const scores = match.bm25.map((score) => (score > 0 ? score : Number.NaN));
  return rankByValue(scores, allowed, count, 'bm25');
}

function rankBySimilarity({ options, view, allowed, now }: Found, { similarities }: Meaning, count: number): Ranking {
  const boosted = options.recencyBoost
    ? similarities.map((value, ordinal) => value + recencyBoost(view.times[ordinal] ?? Number.NaN, now))
    : similarities;
  return rankByValue(boosted, allowed, count, 'similarity');
}

function rankWithMeaning(found: Found, meaning: Meaning, count: number): Ranking {
  const { calibration, match } = found;
  const isLocal = calibration === null || calibration.embedder.startsWith(LOCAL_EMBEDDER_CALIBRATION.embedder);
  const ranking = rankByEvidence(
    {
      ...found,
      analysis: isLocal ? found.analysis : { ...found.analysis, isOtherLanguage: false },
      meaning: meaningOrWords(meaning, match),
      similarityOf: (ordinal) => {
        const cosine = meaning.similarities[ordinal] as number;
        if (Number.isNaN(cosine)) return 0;
        // The similarity's weights were learned with the local embedder, so another model's cosines are mapped to its scale.
        return isLocal ? cosine : cosineFor(calibratedSimilarity(cosine, calibration), LOCAL_EMBEDDER_CALIBRATION);
      },
    },
    count,
  );
  return hasUnread(ranking.documents, meaning, match) ? { ...ranking, answerable: null } : ranking;
}

/**
 * One of the `FIRST` best documents with any word of the query, or any with half of them. Recall must not abstain because a text was logged
 * a moment ago and has no vector yet.
 */
function hasUnread(documents: readonly RankedDocument[], { similarities }: Meaning, match: LexicalMatch): boolean {
  return documents.some(({ ordinal }, index) => {
    if (!Number.isNaN(similarities[ordinal])) return false;
    const share = coverageOf(match.termMasks[ordinal] as number, match);
    return index < FIRST ? share > 0 : share >= HALF;
  });
}

const FIRST = 3;

/** A document without a vector is scored by its words, or else the few with vectors would outrank it, whatever the query. */
function meaningOrWords({ meaning, similarities, isComplete }: Meaning, match: LexicalMatch): Float32Array {
  const unread = isComplete ? match.matched.filter((ordinal) => Number.isNaN(similarities[ordinal])) : [];
  if (unread.length === 0) return meaning;
  const nearest = meaning.reduce((most, value) => Math.max(most, value), 0);
  const filled = Float32Array.from(meaning);
  for (const ordinal of unread) filled[ordinal] = nearest * coverageOf(match.termMasks[ordinal] as number, match);
  return filled;
}

function rankWithoutMeaning(found: Found, count: number): Ranking {
  const none = new Float32Array(found.view.documents.length);
  // Words weigh more for questions that are not in English, which suits ranking without an embedder.
  const analysis = { ...found.analysis, isOtherLanguage: true };
  const ranking = rankByEvidence({ ...found, analysis, similarityOf: () => 0, meaning: none }, count);
  const documents = ranking.documents.filter(
    ({ ordinal }) => analysis.agenda.length > 0 || found.match.termMasks[ordinal] !== 0 || found.asked.has(ordinal),
  );
  // The model of answerability was trained on stores with vectors.
  return { documents, answerable: null };
}

// Signals of the turns around a document. The type argument makes renaming a signal a type error here.
const FROM_CONTEXT: ReadonlySet<string> = new Set<SignalName>([
  'nearMeaning',
  'nearShort',
  'answerMeaning',
  'windowWords',
  'sessionWords',
  'sessionMeaning',
]);

function toCandidate(document: RankedDocument, found: Found): Candidate {
  const { ordinal } = document;
  const cosine = found.meaning?.similarities[ordinal] ?? Number.NaN;
  const arms: Arm[] = [];
  if (!Number.isNaN(cosine)) arms.push('vector');
  if ((found.match.termMasks[ordinal] ?? 0) !== 0) arms.push('text');
  if (found.aboutNamed.has(ordinal)) arms.push('entity');
  if (found.asked.has(ordinal)) arms.push('keyed');
  if (document.explanation.some(({ signal, value }) => signal === 'date' && value > 0)) arms.push('time');
  if (document.explanation.some(({ signal, value }) => FROM_CONTEXT.has(signal) && value > 0)) arms.push('context');
  return {
    ...document,
    cosine: Number.isNaN(cosine) ? null : cosine,
    passage: found.meaning?.passages[ordinal] ?? 0,
    arms,
  };
}

type Weights = RankingModel['weights'];

// The results are the same as when all documents get a full score.
const FULL_LOOK = 250;

export function rankByEvidence(input: QueryInput, count: number): Ranking {
  const context = prepareContext(input);
  const scored = scoreCandidates(context);
  const background = backgroundScore(scored);
  const answerable = answerability(summariseEvidence(context, scored, RANKING.weights.speaker));
  const best = scored[0]?.score ?? 0;
  const documents = scored.slice(0, count).map(({ ordinal, signals, score }): RankedDocument => {
    const likely = relevance(answerable, {
      standout: score - background,
      gap: best - score,
      similarity: context.similarityOf(ordinal),
      words: signals[COLUMN.words] as number,
    });
    return {
      ordinal,
      score,
      relevance: context.asked.has(ordinal) ? Math.max(ASKED, likely) : likely,
      explanation: sharesOf(signals),
    };
  });
  // A document whose attribute or kind the question asks for is an answer, whatever its score.
  return { documents, answerable: context.asked.size > 0 ? Math.max(ASKED, answerable) : answerable };
}

const ASKED = 0.8;

/** Best first. */
export function scoreCandidates(context: QueryContext, weights: Weights = RANKING.weights): ScoredCandidate[] {
  const columns = Float64Array.from(SIGNAL_NAMES, (name) => weights[name]);
  const ordinals = selectCandidates(context, weights);
  return signalsOfAll(context, ordinals)
    .map((signals, index) => ({ ordinal: ordinals[index] as number, signals, score: scoreOf(signals, columns) }))
    .sort((left, right) => right.score - left.score || left.ordinal - right.ordinal);
}

function scoreOf(signals: Signals, weights: Float64Array): number {
  let score = 0;
  for (let column = 0; column < signals.length; column += 1)
    score += (weights[column] as number) * (signals[column] as number);
  return score;
}

function sharesOf(signals: Signals): SignalShare[] {
  const shares: SignalShare[] = [];
  for (let column = 0; column < signals.length; column += 1) {
    const value = signals[column] as number;
    const signal = SIGNAL_NAMES[column] as SignalName;
    if (value !== 0) shares.push({ signal, value, weight: RANKING.weights[signal] });
  }
  return shares;
}

/** Leaves out documents without a value (NaN). */
function rankByValue(values: Float32Array, allowed: Uint8Array, count: number, signal: string): Ranking {
  const usable = values.map((value, ordinal) => (allowed[ordinal] === 1 ? value : Number.NaN));
  const documents = topK(usable, count)
    .map((ordinal) => {
      const value = usable[ordinal] as number;
      return { ordinal, score: value, relevance: null, explanation: [{ signal, value, weight: 1 }] };
    })
    .sort((left, right) => right.score - left.score || right.ordinal - left.ordinal);
  return { documents, answerable: null };
}

function rankByReciprocalRank(rankings: Readonly<Record<string, Ranking>>, count: number): Ranking {
  const lists = Object.entries(rankings).map(([name, { documents }]) => {
    return { name, ordinals: documents.map(({ ordinal }) => ordinal) };
  });
  const sharesIn = (ordinal: number): SignalShare[] =>
    lists.flatMap(({ name, ordinals }) => {
      const index = ordinals.indexOf(ordinal);
      return index < 0 ? [] : [{ signal: `${name} rank ${index + 1}`, value: reciprocalRank(index), weight: 1 }];
    });
  const documents = [...fuseByReciprocalRank(lists.map(({ ordinals }) => ordinals))]
    .sort(([left, leftScore], [right, rightScore]) => rightScore - leftScore || right - left)
    .slice(0, count)
    .map(([ordinal, score]) => ({ ordinal, score, relevance: null, explanation: sharesIn(ordinal) }));
  return { documents, answerable: null };
}

// Most of a BM25 value is coverage. With this factor, no result is lost compared with scoring every document.
const COVERAGE_IN_BM25 = 0.6;

function selectCandidates(context: QueryContext, weights: Weights): number[] {
  const { view, meaning, analysis, dates, sessionWords, allowed, asked, bestBm25, match } = context;
  const { previous, next, sessions, speakerNumbers, cohesion, isMemory } = view;
  const { bm25, totalWeight } = match;
  const otherLanguage = analysis.isOtherLanguage ? 1 : 0;
  const ofMeaning = weights.meaning + otherLanguage * weights.otherLanguageMeaning;
  const ofWords = COVERAGE_IN_BM25 * (weights.words + otherLanguage * weights.otherLanguageWords);
  const lexical =
    totalWeight === 0 || bestBm25 === 0
      ? 0
      : ofWords / totalWeight + (weights.bm25 + otherLanguage * weights.otherLanguageBm25) / bestBm25;
  const near = cohesion.neighbour * weights.nearMeaning;
  const session = cohesion.session * weights.sessionWords;
  const about = view.speakers.findIndex((speaker) => analysis.about.has(speaker.name));
  const speaker = about < 0 ? 0 : weights.speaker * analysis.aboutCertainty;
  const rough = new Float32Array(meaning.length);
  for (let ordinal = 0; ordinal < rough.length; ordinal += 1) {
    if (allowed[ordinal] !== 1) {
      rough[ordinal] = Number.NaN;
      continue;
    }
    let score = ofMeaning * (meaning[ordinal] as number) + lexical * (bm25[ordinal] as number);
    if (near !== 0) {
      const before = meaning[previous[ordinal] as number] ?? 0;
      const after = meaning[next[ordinal] as number] ?? 0;
      score += near * (before > after ? before : after);
    }
    if (session !== 0) score += session * (sessionWords[sessions[ordinal] as number] ?? 0);
    if (isMemory[ordinal] === 1) score += weights.statement;
    if (speakerNumbers[ordinal] === about) score += speaker;
    if (dates !== null) score += weights.date * (dates[ordinal] as number);
    rough[ordinal] = score;
  }
  for (const ordinal of asked) rough[ordinal] = (rough[ordinal] as number) + weights.keyed;
  return topK(rough, FULL_LOOK);
}

const RECIPROCAL_RANK_CONSTANT = 60;

/** Each list adds 1 / (60 + rank). Ranks begin at 1. */
export function fuseByReciprocalRank<Item>(rankings: readonly (readonly Item[])[]): Map<Item, number> {
  const scores = new Map<Item, number>();
  for (const ranking of rankings) {
    for (const [index, item] of ranking.entries()) scores.set(item, (scores.get(item) ?? 0) + reciprocalRank(index));
  }
  return scores;
}

function reciprocalRank(index: number): number {
  return 1 / (RECIPROCAL_RANK_CONSTANT + index + 1);
}

const BINS = 2048;

/** Unordered, without NaN. A histogram finds the bin of the threshold, so that only the values in that bin are sorted. */
export function topK(values: Float32Array, count: number): number[] {
  if (values.length <= count) return Array.from(values.keys()).filter((ordinal) => !Number.isNaN(values[ordinal]));
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const scale = high > low ? (BINS - 1) / (high - low) : 0;
  const histogram = new Uint32Array(BINS);
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (Number.isNaN(value)) continue;
    const bin = ((value - low) * scale) | 0;
    histogram[bin] = (histogram[bin] as number) + 1;
  }
  let cut = BINS - 1;
  for (let taken = histogram[cut] as number; taken < count && cut > 0;) {
    cut -= 1;
    taken += histogram[cut] as number;
  }
  const chosen: number[] = [];
  const atThreshold: number[] = [];
  for (let ordinal = 0; ordinal < values.length; ordinal += 1) {
    const value = values[ordinal] as number;
    if (Number.isNaN(value)) continue;
    const bin = ((value - low) * scale) | 0;
    if (bin > cut) chosen.push(ordinal);
    else if (bin === cut) atThreshold.push(ordinal);
  }
  atThreshold.sort((left, right) => (values[right] as number) - (values[left] as number) || left - right);
  return [...chosen, ...atThreshold.slice(0, count - chosen.length)];
}
