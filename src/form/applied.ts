import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Rejection } from './proposal.ts';

/** What was done with the statements of a formation: the ids of memories. */
export interface Applied {
  added: string[];
  updated: string[];
  retired: string[];
  confirmed: string[];
  keyedFacts: string[];
  /** The texts of what is new or was changed: reflections do not repeat them. */
  contents: string[];
  rejected: Rejection[];
}

export function nothingApplied(): Applied {
  return { added: [], updated: [], retired: [], confirmed: [], keyedFacts: [], contents: [], rejected: [] };
}

/** Where, by whom and why something is written. */
export interface ApplyContext {
  scope: Scope;
  distiller: string;
  why: Change;
}
