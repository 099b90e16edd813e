import type { RecallOptions } from './recall-options.ts';

/** The ten memories nearest in meaning. */
export const USER_MEMORIES: RecallOptions = { sources: ['memories'], mode: 'semantic', limit: 10 };

/** The ten best by similarity, recency, importance, frequency and entities among the 30 nearest memories above a minimum importance. */
export const FIVE_SIGNALS: RecallOptions = {
  sources: ['memories'],
  scoring: 'signals',
  candidates: 30,
  limit: 10,
  minimumImportance: 0.1,
};

/** Memories and documents by meaning, nearest first, with their distance: five results. */
export const STORED_CONTEXT: RecallOptions = { sources: ['memories', 'documents'], mode: 'semantic', limit: 5 };

/** The two nearest notes for a turn, with a boost for recent notes. */
export const RELEVANT_NOTES: RecallOptions = {
  sources: ['notes'],
  mode: 'semantic',
  limit: 2,
  minimumSimilarity: 0.6,
  recencyBoost: true,
};

/** Summaries of earlier conversations for a turn. */
export const RELEVANT_SUMMARIES: RecallOptions = { ...RELEVANT_NOTES, sources: ['summaries'] };

/** Past conversations by keyword. */
export const SEARCH_HISTORY: RecallOptions = { sources: ['events'], mode: 'text', limit: 10 };
