import type { Scope } from './scope.ts';
import type { Polarity, Quote, Tense } from './statement.ts';

/**
 * Why a statement must not be formed again. `forgotten`: somebody asked to forget it, so its words are also hidden. `done` and `dismissed`:
 * it was an intention that is over, and its words stay visible.
 */
export const FORGOTTEN_AS = ['forgotten', 'done', 'dismissed'] as const;
export type ForgottenAs = (typeof FORGOTTEN_AS)[number];

/** The record of a forgotten statement: its fields and words, and who asked when. It is kept until it is erased. */
export interface Forgotten {
  id: string;
  scope: Scope;
  as: ForgottenAs;
  /** The id of the forgotten memory. Null if the words never became a memory. */
  memory: string | null;
  subject: string;
  attribute: string | null;
  value: string | null;
  polarity: Polarity;
  tense: Tense;
  /** The statement's text. Empty if it was forgotten in another store and only the record was imported. */
  text: string;
  /** Where events contain the statement: the user's own words, the assistant's repetitions, and the request. */
  spans: Quote[];
  /** Who asked: `user`, `agent`, `application`, or the actor of an API call. */
  by: string;
  /** The event with the request. Null if the request came through the API. */
  request: string | null;
  reason: string;
  /** When the request was made. If the user makes the statement again later, it is formed again. */
  at: Date;
  /** When the user made the statement again. After this time, the assistant's repetitions are no longer hidden. */
  saidAgainAt: Date | null;
}
