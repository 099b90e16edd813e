import type { EventKind } from '../record/event.ts';
import type { FactCategory } from '../record/memory.ts';
import type { Confidence, Origin } from '../record/trust.ts';
import type { ModelUsage } from './usage.ts';

/**
 * Turns what happened into what is known: with a language model, or locally without one. Both give the same shapes,
 * so the verbs do not know which they have. A distiller reads and proposes; it stores nothing, and knows no ids:
 * everything it refers to has a number, its place in the input counted from 1.
 *
 * Every task throws `model_unavailable`, `model_answer_invalid`, `timed_out` or `cancelled`, and then nothing may be
 * changed and the events stay unprocessed. The local distiller throws nothing but `cancelled`.
 */
export interface Distiller {
  /** `local`, or the ids of the models. Kept in run logs and evaluations. */
  readonly id: string;
  readonly kind: 'model' | 'local';
  extract(input: ExtractInput, options?: DistilOptions): Promise<Distilled<Extracted>>;
  decide(input: DecideInput, options?: DistilOptions): Promise<Distilled<Decision[]>>;
  reflect(input: ReflectInput, options?: DistilOptions): Promise<Distilled<Reflections>>;
  summarise(input: SummariseInput, options?: DistilOptions): Promise<Distilled<TopicSummary[]>>;
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

/** One turn of a conversation, or an observation. Its number is its place in the list, from 1. */
export interface Turn {
  kind: EventKind;
  origin: Origin;
  speaker: string | null;
  content: string;
  /** Of observations: fact, preference, scaffold_update, … */
  category: string | null;
  occurredAt: Date;
  /** Of a turn in which the agent called tools: what it called. Results are turns of their own. */
  tools?: readonly { name: string; input?: Readonly<Record<string, unknown>>; succeeded?: boolean }[];
}

/** A memory as a distiller sees it. */
export interface KnownMemory {
  type: string;
  content: string;
}

/** Where a proposed memory belongs. */
export type ProposedLevel = 'agent' | 'user';

// extract (Q3, E2, E4)

export interface ExtractInput {
  turns: readonly Turn[];
  /** Turns before these: read for the question that an answer replies to, never extracted from. */
  earlier?: readonly Turn[];
  /** What is known already, 50 at most (Q3): none of it is extracted again. */
  existing: readonly KnownMemory[];
  /** Known statements that rules read for whom a name means and what a correction takes back. They are not compared. */
  around?: readonly string[];
  /** The types to look for, with what they mean: those of the policy table. */
  types: readonly { name: string; description: string }[];
  /** The date that "last week" counts from, in the user's time zone. */
  today: string;
  /** IANA name of the user's time zone. Default UTC. */
  timeZone?: string;
}

/** Memories that a conversation gives. Small talk gives none. */
export interface Extracted {
  new: ProposedMemory[];
  /** Existing memories of which more is known now. */
  updated: (ProposedMemory & { existing: number })[];
  /** Existing memories that are no longer so. `by` is the place of the replacement in `new`, from 1; null when there is none. */
  contradicted: { existing: number; by: number | null; reason: string }[];
}

/** A statement that stands alone without the conversation. */
export interface ProposedMemory {
  type: string;
  content: string;
  levels: ProposedLevel[];
  importance: number;
  confidence: Confidence;
  tags: string[];
  /** Names of people, places, projects it is about. */
  entities: string[];
  /** Numbers of the turns that say so. Never empty: what no turn says is dropped. */
  turns: number[];
  /** When it is or was true, as ISO dates; null when the turns do not say. */
  validFrom: string | null;
  validTo: string | null;
  /** True when the user asked to remember it or stated it outright, false when it was inferred. */
  explicit: boolean;
  /** Of a keyed fact (K8, K20): its key, value and category. */
  keyed: ProposedKey | null;
  /** Further keyed facts of the same statement. */
  moreKeyed?: ProposedKey[];
  /** Whom it is about: `User`, "User's sister", a speaker's name. Default `User`. */
  subject?: string;
  /** The slot it fills, such as `employer` or `likes:pizza`: what has the same subject and attribute can replace it. */
  attribute?: string | null;
  /** Default `positive`. "Hates pizza" is the negative of the slot `likes:pizza`. */
  polarity?: 'positive' | 'negative';
  /** The speaker takes back something said before. */
  correction?: boolean;
  /** It says that a goal was reached. */
  achievesGoal?: boolean;
  /** When an intention is due, as an ISO date. */
  dueAt?: string | null;
}

/** A keyed fact that a statement gives. */
export interface ProposedKey {
  key: string;
  value: string;
  category: FactCategory;
}

// decide (E5)

export interface DecideInput {
  /** New statements, each with the existing ones that resemble it. None without candidates. */
  facts: readonly { content: string; candidates: readonly DecisionCandidate[] }[];
}

export interface DecisionCandidate {
  content: string;
  /** On the calibrated scale: 0.70 related, 0.85 nearly the same, 0.92 the same. */
  similarity: number;
  updatedAt: Date;
}

/** What becomes of the new statement `fact`, by its number. Exactly one decision for each. */
export type Decision =
  | { fact: number; action: 'ADD' }
  /** The candidate's text becomes `content`, which says what both said. */
  | { fact: number; action: 'UPDATE'; candidate: number; content: string }
  /** The candidate is no longer so: it is archived, and the new statement added. */
  | { fact: number; action: 'DELETE'; candidate: number }
  /** The candidate says it already. */
  | { fact: number; action: 'NONE'; candidate: number };

// reflect (E3, E4)

export interface ReflectInput {
  turns: readonly Turn[];
  /** The facts just formed, which reflections do not repeat. */
  facts: readonly string[];
  /** What is in mind already. */
  current: Record<ReflectionLevel, { merged: string | null; recent: readonly string[] }>;
  /** Default 35. */
  wordLimit: number;
}

export type ReflectionLevel = 'agent' | 'user' | 'session';

/** Interpreted observations; a lower level has only what the higher ones have not. */
export type Reflections = Record<ReflectionLevel, string[]>;

// summarise (K9)

export interface SummariseInput {
  turns: readonly Turn[];
  /** Titles of earlier topics, to be used again where one continues. */
  topics: readonly string[];
  /** Default 3. */
  mostTopics: number;
}

/** One topic of a session. A trivial session has none. */
export interface TopicSummary {
  topic: string;
  summary: string;
  turns: number[];
}

// merge (Q8, L7, L8, E6)

export interface MergeInput {
  /** What the text is for: reflections of a level, memories under a tag, near doubles, episodes on a theme. */
  purpose: 'reflections' | 'tag' | 'doubles' | 'episodes';
  /** The level of reflections, the tag or the theme. */
  subject: string;
  /** The text so far; null when there is none. */
  current: string | null;
  /** What is to go into it, oldest first: where two contradict each other the later one holds. */
  additions: readonly string[];
  /** The result has no more words than this, or the task fails. */
  wordLimit: number;
}

// synthesise (T6, T17)

export interface SynthesiseInput {
  /** What was observed since the last run, oldest first. */
  observations: readonly Turn[];
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
