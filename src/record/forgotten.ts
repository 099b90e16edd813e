import type { Scope } from './scope.ts';
import type { Polarity, Quote, Tense } from './statement.ts';

/**
 * Why something must not come back. `forgotten`: somebody asked for it, and its words are hidden. `done` and `dismissed`: an intention
 * that is over; its words stay, but no reader forms an intention from them again.
 */
export const FORGOTTEN_AS = ['forgotten', 'done', 'dismissed'] as const;
export type ForgottenAs = (typeof FORGOTTEN_AS)[number];

/** What was forgotten: the fields of the statement, the words that said so, who asked, and when. Kept until it is erased. */
export interface Forgotten {
  id: string;
  scope: Scope;
  as: ForgottenAs;
  /** The memory that said so; null for words of a turn that never became a memory. */
  memory: string | null;
  subject: string;
  attribute: string | null;
  value: string | null;
  polarity: Polarity;
  tense: Tense;
  /** The text of the statement; empty if it was forgotten in another store and only the record was imported. */
  text: string;
  /** The spans of the turns that said so: the user's own words, the assistant's echoes, the request itself. */
  spans: Quote[];
  /** Who asked: `user`, `agent`, `application`, or the actor of an API call. */
  by: string;
  /** The event with the request; null for a request through an API. */
  request: string | null;
  reason: string;
  /** When it was requested. Statements that are made later are formed again. */
  at: Date;
  /** When the user said it again; from then on the assistant may repeat it. */
  saidAgainAt: Date | null;
}
