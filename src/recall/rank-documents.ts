import {
  prepareContext,
  type QueryContext,
  SIGNAL_NAMES,
  type SignalName,
  type Signals,
  signalsOf,
} from './candidate-signals.ts';
import type { RecallOptions, SignalShare } from './recall-options.ts';
import {
  answerability,
  answerabilityByNearness,
  backgroundScore,
  type EvidenceSummary,
  nearness,
  relevance,
  type ScoredCandidate,
  summariseEvidence,
} from './relevance.ts';
import { fuseByReciprocalRank, highest } from './scores.ts';

/** A document in its place. */
export interface RankedDocument {
  ordinal: number;
  score: number;
  /** How likely it is evidence for an answer; null where the ranking does not say. */
  relevance: number | null;
  explanation: SignalShare[];
}

/** Documents in their order, and how likely it is that any of them answers. */
export interface Ranking {
  documents: RankedDocument[];
  answerable: number | null;
}

// A full look at 250 documents finds the same as one at all.
const FULL_LOOK = 250;

/** By learned weights of what tells evidence from the rest: words, meaning, who speaks, what surrounds it, when. */
export function rankByEvidence(input: Parameters<typeof prepareContext>[0], count: number): Ranking {
  const context = prepareContext(input);
  const scored = scoreCandidates(context);
  const background = backgroundScore(scored);
  const summary = summariseEvidence(context, scored, RANKING_WEIGHTS.speaker);
  const size = countAllowed(context);
  const answerable = howAnswerable(summary, size);
  const best = scored[0]?.score ?? 0;
  const documents = scored.slice(0, count).map(({ ordinal, signals, score }): RankedDocument => {
    const similarity = context.similarities[ordinal] as number;
    const evidence = {
      standout: score - background,
      gap: best - score,
      similarity: Number.isNaN(similarity) ? 0 : similarity,
      words: signals.words,
      windowWords: signals.windowWords,
      speaker: signals.speaker,
    };
    const likely = size >= CROWD ? 0 : Math.min(1, nearness(evidence.similarity, size));
    return {
      ordinal,
      score,
      relevance: Math.max(context.asked.has(ordinal) ? ASKED : likely, relevance(answerable, evidence)),
      explanation: sharesOf(signals),
    };
  });
  // A fact that is asked for is an answer; it says nothing of the other documents.
  return { documents, answerable: context.asked.size > 0 ? Math.max(ASKED, answerable) : answerable };
}

// What is usual can be read from a crowd only. Of a handful of statements the nearest is judged by itself.
const CROWD = 80;

function howAnswerable(summary: EvidenceSummary, documents: number): number {
  const likely = answerability(summary);
  if (documents >= CROWD) return likely;
  const byNearness = answerabilityByNearness(summary.bestSimilarity, documents);
  return Math.max(byNearness, summary.bestWords >= 0.5 ? likely : 0);
}

// A permanent fact whose attribute is asked for.
const ASKED = 0.8;

function countAllowed({ allowed }: QueryContext): number {
  let count = 0;
  for (const flag of allowed) count += flag;
  return count;
}

function scoreCandidates(context: QueryContext): ScoredCandidate[] {
  return selectCandidates(context, FULL_LOOK)
    .map((ordinal): ScoredCandidate => {
      const signals = signalsOf(context, ordinal);
      return { ordinal, signals, score: scoreOf(signals) };
    })
    .sort((left, right) => right.score - left.score || left.ordinal - right.ordinal);
}

function scoreOf(signals: Signals): number {
  let score = 0;
  for (const name of SIGNAL_NAMES) score += RANKING_WEIGHTS[name] * signals[name];
  return score;
}

function sharesOf(signals: Signals): SignalShare[] {
  return SIGNAL_NAMES.filter((name: SignalName) => signals[name] !== 0).map((name) => ({
    signal: name,
    value: signals[name],
    weight: RANKING_WEIGHTS[name],
  }));
}

/** By one list of values: the similarity of meaning, or BM25. Documents without a value are left out. */
export function rankByValue(values: Float32Array, allowed: Uint8Array, count: number, signal: string): Ranking {
  const usable = values.map((value, ordinal) => (allowed[ordinal] === 1 ? value : Number.NaN));
  const documents = highest(usable, count)
    .map((ordinal) => ({ ordinal, value: usable[ordinal] as number }))
    .sort((left, right) => right.value - left.value || right.ordinal - left.ordinal)
    .map(({ ordinal, value }) => ({
      ordinal,
      score: value,
      relevance: null,
      explanation: [{ signal, value, weight: 1 }],
    }));
  return { documents, answerable: null };
}

/** By the sum of 1 / (60 + rank) over the lists. Each list gives twice as many as are wanted, as the design has it. */
export function rankByReciprocalRank(lists: Readonly<Record<string, Ranking>>, count: number): Ranking {
  const names = Object.keys(lists);
  const fused = fuseByReciprocalRank(
    names.map((name) => (lists[name] as Ranking).documents.map(({ ordinal }) => ordinal)),
  );
  const documents = [...fused]
    .sort(([left, leftScore], [right, rightScore]) => rightScore - leftScore || right - left)
    .slice(0, count)
    .map(([ordinal, score]) => ({
      ordinal,
      score,
      relevance: null,
      explanation: names.flatMap((name) => {
        const rank = (lists[name] as Ranking).documents.findIndex((document) => document.ordinal === ordinal);
        return rank < 0 ? [] : [{ signal: `${name} rank ${rank + 1}`, value: 1 / (60 + rank + 1), weight: 1 }];
      }),
    }));
  return { documents, answerable: null };
}

/**
 * Learned with a listwise softmax on two-person chats (weight 1) and, at weight 0.3 each, the same turns shuffled and nameless, single
 * statements, many short dialogues in one store, interleaved group chat, assistant transcripts, an assistant among many people, hearsay.
 */
export const RANKING_WEIGHTS: Readonly<Record<SignalName, number>> = {
  // Raised from 0.57 when the embedder was taught what memory is asked for (LoCoMo dev R@10 .852 → .867).
  meaning: 1.2,
  words: 4.14,
  length: 0.48,
  asking: -0.81,
  speaker: 3.39,
  time: 1.57,
  hasTime: 0.31,
  hasNumber: 0.83,
  date: 4.94,
  secondPrevious: 0.11,
  answerMeaning: 0.19,
  windowWords: 2.95,
  sessionWords: 0.49,
  sessionMeaning: 0.29,
  // Not learned: LoCoMo has no permanent facts. What is asked for comes before what only has the query's words, and before
  // what is said of the user's relatives.
  keyed: 6,
  relative: -3,
};

// The recalls that the source designs name: settings of one pipeline.

/** `search_user_memories`: the ten memories nearest in meaning. */
export const USER_MEMORIES: RecallOptions = { sources: ['memories'], mode: 'semantic', limit: 10 };

/** The tri-layer design: the 30 nearest that matter at all, ordered by five signals, ten of them. */
export const TRI_LAYER: RecallOptions = {
  sources: ['memories'],
  scoring: 'signals',
  candidates: 30,
  limit: 10,
  minimumImportance: 0.1,
};

/** Stored context by meaning, nearest first, with its distance: five results. */
export const STORED_CONTEXT: RecallOptions = { sources: ['memories', 'documents'], mode: 'semantic', limit: 5 };

/** Notes for the turn: the two nearest, the young ones a little nearer. */
export const RELEVANT_NOTES: RecallOptions = {
  sources: ['notes'],
  mode: 'semantic',
  limit: 2,
  minimumSimilarity: 0.6,
  recencyBoost: true,
};

/** Summaries of earlier conversations for the turn. */
export const RELEVANT_SUMMARIES: RecallOptions = { ...RELEVANT_NOTES, sources: ['summaries'] };

/** Past conversations by keyword. */
export const SEARCH_HISTORY: RecallOptions = { sources: ['events'], mode: 'text', limit: 10 };

// Most of a BM25 value is coverage; the factors were checked to lose no result against scoring every document.
const COVERAGE_IN_BM25 = 0.6;
const NEIGHBOUR_SHARE = 0.5;

/** Picks what deserves a full look: a cheap score of every document, with the same weights for the signals that decide most. */
export function selectCandidates(context: QueryContext, count: number): number[] {
  const { view, meaning, analysis, dates, sessionWords, allowed, asked } = context;
  const { previous, next, sessions, speakerNumbers, cohesion } = view;
  const { bm25, totalWeight } = context.match;
  const weights = RANKING_WEIGHTS;
  const lexical = totalWeight === 0 ? 0 : (COVERAGE_IN_BM25 * weights.words) / totalWeight;
  const near = NEIGHBOUR_SHARE * cohesion.neighbour * lexical;
  const session = cohesion.session * weights.sessionWords;
  const about = view.speakers.findIndex((speaker) => analysis.about.has(speaker.name));
  const speaker = about < 0 ? 0 : weights.speaker * analysis.aboutCertainty;
  const rough = new Float32Array(meaning.length);
  for (let ordinal = 0; ordinal < rough.length; ordinal += 1) {
    if (allowed[ordinal] !== 1) {
      rough[ordinal] = Number.NaN;
      continue;
    }
    const before = previous[ordinal] as number;
    const after = next[ordinal] as number;
    const beforeWords = before < 0 ? 0 : (bm25[before] as number);
    const afterWords = after < 0 ? 0 : (bm25[after] as number);
    let score = weights.meaning * (meaning[ordinal] as number) + lexical * (bm25[ordinal] as number);
    score +=
      near * (beforeWords > afterWords ? beforeWords : afterWords) +
      (session === 0 ? 0 : session * (sessionWords[sessions[ordinal] as number] ?? 0));
    if (speakerNumbers[ordinal] === about) score += speaker;
    if (dates !== null) score += weights.date * (dates[ordinal] as number);
    rough[ordinal] = score;
  }
  for (const ordinal of asked) rough[ordinal] = (rough[ordinal] as number) + weights.keyed;
  return highest(rough, count);
}
