import type { Rejection } from './proposal.ts';

/** What a formation did. */
export interface Formed {
  /** The run under which revisions, usage and the audit log have it; null when there was nothing to form. */
  run: string | null;
  /** How many events were read; 0 when another formation was first. */
  events: number;
  added: string[];
  updated: string[];
  retired: string[];
  /** Known memories that were said again. */
  confirmed: string[];
  keyedFacts: string[];
  reflections: string[];
  goalsReached: string[];
  /** What was proposed and refused, with the reason. */
  rejected: Rejection[];
  /** Tasks that a language model was asked for: three at most. */
  modelCalls: number;
  /** Whether events are left for another formation. */
  hasMore: boolean;
}

export const NOTHING_FORMED: Formed = {
  run: null,
  events: 0,
  added: [],
  updated: [],
  retired: [],
  confirmed: [],
  keyedFacts: [],
  reflections: [],
  goalsReached: [],
  rejected: [],
  modelCalls: 0,
  hasMore: false,
};
