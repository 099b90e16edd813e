/** A quick and cheap model, or a slow and careful one. */
export type Tier = 'fast' | 'slow';

/** What language models are asked to do, and which of the two does it unless a task has a model of its own. */
export const TASK_TIERS = {
  /** What a stretch of a conversation states. */
  read: 'fast',
  /** ADD, UPDATE, DELETE or NONE for new facts. */
  decide: 'fast',
  /** Whether and what to look up before a turn. */
  lookup: 'fast',
  /** Reflections for agent, user and session. */
  reflect: 'slow',
  /** Several texts into one within a word limit. */
  merge: 'slow',
  /** Scaffold, working memory and facts of new observations. */
  synthesise: 'slow',
  /** The nightly profile, with facts, intentions and learnings. */
  profile: 'slow',
  /** Scores in evaluations. */
  judge: 'slow',
} as const;

export type Task = keyof typeof TASK_TIERS;
