import { z } from 'zod';
import type { TextSpan } from '../language/sentences.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { shareSchema, textSchema, timeSchema, timeZoneSchema, type TimeInput } from '../record/parse.ts';
import { type RecallFilter, recallFilterSchema } from '../store/record-filter.ts';

export const RECALL_SOURCES = ['memories', 'notes', 'saved_items', 'summaries', 'events', 'documents'] as const;
export type RecallSource = (typeof RECALL_SOURCES)[number];

/** The weights of the five signals of `scoring: 'signals'`. */
export interface SignalWeights {
  similarity: number;
  recency: number;
  importance: number;
  frequency: number;
  entity: number;
}

/** The options of a recall. All have defaults. */
export interface RecallOptions {
  /** The maximum number of results. Default 10, or 20 for a question that asks for several items. */
  limit?: number;
  /** The most tokens that the results' texts may have in total. Default: no limit. */
  tokenBudget?: number;
  /** The kinds of records to search. Default: all. */
  sources?: readonly RecallSource[];
  filter?: RecallFilter;
  /** Active connections besides the handle's own. Records of other connections are not found. */
  connections?: readonly string[];
  /** `hybrid` (default): words and meaning; `semantic`: meaning alone; `text`: words alone. */
  mode?: 'hybrid' | 'semantic' | 'text';
  /**
   * How `hybrid` combines words and meaning. `evidence` (default): a learned model of many signals. `reciprocal-rank`: the sum of 1 / (60 +
   * rank) over both lists.
   */
  fusion?: 'evidence' | 'reciprocal-rank';
  /**
   * `relevance` (default): by the fused score, adjusted for importance, recency, frequency, entities and low trust. `signals`: the records
   * nearest in meaning, by similarity, recency, importance, frequency and entity match.
   */
  scoring?: 'relevance' | 'signals';
  /** The weights of `signals`. Default 0.40, 0.25, 0.20, 0.10, 0.05. */
  weights?: Partial<SignalWeights>;
  /** How many of the nearest records `signals` scores. Default 30. */
  candidates?: number;
  /** Only memories of at least this importance. */
  minimumImportance?: number;
  /** Only results with at least this similarity: 0.7 means related, 0.92 the same statement. */
  minimumSimilarity?: number;
  /** Only results that help to answer with at least this probability. Default 0. */
  minimumRelevance?: number;
  /** Adds up to 0.05 to the similarity of records younger than 90 days, before ranking. Default false. */
  recencyBoost?: boolean;
  /** Return no results if nothing relevant is known. Default: true for `hybrid` with `evidence` fusion. */
  abstain?: boolean;
  /** How many turns before and after a recalled turn to include. Default 0. */
  neighbours?: number;
  /** Include the events from which a recalled memory was formed. Default false. */
  withSources?: boolean;
  /** Let the reranker order the results, if one is configured. Default true. */
  rerank?: boolean;
  /** Count the results as read. Default true. */
  track?: boolean;
  /** The reference time for relative dates such as "last week". Default: now. */
  now?: TimeInput;
  /** The user's time zone, such as `Europe/Paris`. Default: the zone of `consolidation.configure`, or else `formation.timeZone`. */
  timeZone?: string;
}

export const recallOptionsSchema: z.ZodType<RecallOptions, RecallOptions> = z.strictObject({
  limit: z.int().min(1).max(200).optional(),
  tokenBudget: z.int().min(1).max(1_000_000).optional(),
  sources: z.array(z.enum(RECALL_SOURCES)).min(1).optional(),
  filter: recallFilterSchema.optional(),
  connections: z.array(textSchema(200)).max(200).optional(),
  mode: z.enum(['hybrid', 'semantic', 'text']).optional(),
  fusion: z.enum(['evidence', 'reciprocal-rank']).optional(),
  scoring: z.enum(['relevance', 'signals']).optional(),
  weights: z
    .strictObject({
      similarity: z.number().optional(),
      recency: z.number().optional(),
      importance: z.number().optional(),
      frequency: z.number().optional(),
      entity: z.number().optional(),
    })
    .optional(),
  candidates: z.int().min(1).max(1000).optional(),
  minimumImportance: shareSchema.optional(),
  minimumSimilarity: shareSchema.optional(),
  minimumRelevance: shareSchema.optional(),
  recencyBoost: z.boolean().optional(),
  abstain: z.boolean().optional(),
  neighbours: z.int().min(0).max(20).optional(),
  withSources: z.boolean().optional(),
  rerank: z.boolean().optional(),
  track: z.boolean().optional(),
  now: timeSchema.optional(),
  timeZone: timeZoneSchema.optional(),
});

/** A part of a result's score, which is the sum of value × weight over all parts. */
export interface SignalShare {
  signal: string;
  value: number;
  weight: number;
}

/** The retrieval arms that found a result. `keyed`: the query asks for its attribute ("Where do I live?") or its kind ("goals"). */
export type Arm = 'vector' | 'text' | 'entity' | 'keyed' | 'time' | 'context';

/** A memory or an event, distinguished by `kind`. */
export type RecallResult = RecalledMemory | RecalledEvent;

export interface RecalledMemory extends Ranked {
  kind: 'memory';
  memory: Memory;
  event: null;
}

export interface RecalledEvent extends Ranked {
  kind: 'event';
  memory: null;
  event: Event;
  /** Where `text` is in a long event's content. Null if it is the whole content. */
  passage: TextSpan | null;
}

/** The common fields of all results. */
interface Ranked {
  id: string;
  /** The text or, for a long turn, the passage that fits best. */
  text: string;
  score: number;
  /**
   * The probability, from 0 to 1, that the result helps to answer. Unless the fusion is `evidence`, it is the similarity, or an estimate
   * from the matching words.
   */
  relevance: number;
  /** The calibrated similarity: 0.7 means related, 0.92 the same statement. Null without a vector. */
  similarity: number | null;
  /** 1 − cosine. Null without a vector. */
  distance: number | null;
  arms: Arm[];
  explanation: SignalShare[];
  /** The turns before and after a recalled turn, oldest first. Empty unless `neighbours` is set. */
  before: Event[];
  after: Event[];
  /** The events from which a memory was formed. Empty unless `withSources` is set. */
  sources: Event[];
  /** If a replaced memory matched and this result is its replacement: the id of the replaced memory. */
  foundBy: string | null;
}

/** The answer of a recall. */
export interface Recalled {
  results: RecallResult[];
  /**
   * The probability that the store has an answer. Null if it was not estimated: without an embedder, with another `mode`, `fusion` or
   * `scoring` than the default, or while a new record with words of the query has no vector yet.
   */
  answerable: number | null;
  /** The results are empty because nothing relevant is known. */
  abstained: boolean;
  /** The parts that were unavailable, such as the embedder. */
  degraded: string[];
}
