import type { Scope } from './scope.ts';
import type { Polarity, Quote, Tense } from './statement.ts';

/**
 * Why a statement must not be formed again. `forgotten`: a request asked to forget it, and its words are hidden. `done` and `dismissed`: it
 * was an intention that is over. The words of the intention stay, but no reader forms an intention from them again.
 */
export const FORGOTTEN_AS = ['forgotten', 'done', 'dismissed'] as const;
export type ForgottenAs = (typeof FORGOTTEN_AS)[number];

/** The record of a forgotten statement: its fields, its words, who asked and when. The record is kept until it is erased. */
export interface Forgotten {
  id: string;
  scope: Scope;
  as: ForgottenAs;
  /** The forgotten memory; null for words of a turn that never became a memory. */
  memory: string | null;
  subject: string;
  attribute: string | null;
  value: string | null;
  polarity: Polarity;
  tense: Tense;
  /** The text of the statement; empty if it was forgotten in another store and only the record was imported. */
  text: string;
  /** The spans of turns that contain the statement: the user's own words, the assistant's echoes, the request itself. */
  spans: Quote[];
  /** Who asked: `user`, `agent`, `application`, or the actor of an API call. */
  by: string;
  /** The event with the request; null for a request through an API. */
  request: string | null;
  reason: string;
  /** The time of the request. If the statement is made again later, it is formed again. */
  at: Date;
  /** When the user made the statement again; from then on the assistant may repeat it. */
  saidAgainAt: Date | null;
}
