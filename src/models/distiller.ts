import type { EventKind } from '../record/event.ts';
import type { Confidence, Origin } from '../record/trust.ts';
import type { ModelUsage } from './usage.ts';

/**
 * Writes the documents of consolidation: with a language model, or as lists without one. Both give the same shapes, so the
 * callers do not know which they have. A distiller reads and proposes; it stores nothing, and knows no ids: what it refers to
 * has a number, its place in the input counted from 1.
 *
 * Every task throws `model_unavailable`, `model_answer_invalid`, `timed_out` or `cancelled`, and then nothing may be
 * changed. The distiller without a model throws nothing.
 */
export interface Distiller {
  /** `local`, or the ids of the models. Kept in run logs and evaluations. */
  readonly id: string;
  readonly kind: 'model' | 'local';
  merge(input: MergeInput, options?: DistilOptions): Promise<Distilled<string>>;
  synthesise(input: SynthesiseInput, options?: DistilOptions): Promise<Distilled<Synthesis>>;
}

export interface DistilOptions {
  signal?: AbortSignal;
}

/** What came of a task, and what it took: null usage for local work. */
export interface Distilled<Output> {
  output: Output;
  usage: ModelUsage | null;
}

/** A rendering, and the day from which it is. */
export interface DatedText {
  text: string;
  at: Date;
}

// merge (Q8, L8, E6)

export interface MergeInput {
  /** What the text is for: reflections of a level, memories under a tag, episodes on a theme. */
  purpose: 'reflections' | 'tag' | 'episodes';
  /** The level of reflections, the tag or the theme. */
  subject: string;
  /** The text so far; null when there is none. */
  current: string | null;
  /** What is to go into it, oldest first: where two contradict each other the later one holds. */
  additions: readonly DatedText[];
  /** The result has no more words than this, or the task fails. */
  wordLimit: number;
}

// synthesise (T6, T17)

/** Something new for the tiers. Its number is its place in the list, from 1. */
export interface Observation {
  kind: EventKind;
  origin: Origin;
  content: string;
  /** Of observations: fact, preference, scaffold_update, … */
  category: string | null;
  occurredAt: Date;
  /** Of an update of the scaffold: keys and JSON values as they were given. */
  entries: readonly (readonly [key: string, value: unknown])[];
}

export interface SynthesiseInput {
  /** What was observed since the last run, oldest first. */
  observations: readonly Observation[];
  /** What holds of the user and is no permanent fact, oldest first: the list that the working memory is without a model. */
  holds: readonly DatedText[];
  workingMemory: string;
  scaffold: Record<string, unknown>;
  /** The keys a scaffold may have, when the application fixes them (T20); null when they are the agent's own. */
  scaffoldKeys: readonly string[] | null;
  /** Words of the working memory. Default 500. */
  wordLimit: number;
  today: string;
}

/** The next state of the tiers. Stringified JSON in the scaffold is unwrapped already (T7). */
export interface Synthesis {
  /** The whole scaffold, not a change of it. */
  scaffold: Record<string, unknown>;
  /** How sure each top-level entry is. */
  scaffoldConfidence: Record<string, Confidence>;
  workingMemory: string;
  /** Statements for recall, each with the numbers of the observations that say so. */
  facts: { content: string; observations: number[] }[];
  /** Scaffold keys whose old value an observation contradicts. */
  contradictions: { key: string; observation: number; reason: string }[];
}
