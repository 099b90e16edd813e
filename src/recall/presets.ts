import type { RecallOptions } from './recall-options.ts';

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
