/** Why something that a reader gave was not stored. */
export type RefusalReason =
  /** It is not a statement: a field is missing or unreadable. */
  | 'malformed'
  /** No quote was given, or the quoted words are in no turn. */
  | 'quote_not_found'
  /** The speaker of the quoted turn may not say this: pasted text, a tool, the agent, another person. */
  | 'not_the_users_own'
  /** A tool or a document tells its reader what to do. */
  | 'instruction_from_outside'
  /** The quoted turn repeats a recalled memory. */
  | 'recalled_text'
  /** A number or a name of the value is in no turn. */
  | 'value_not_said'
  /** The sentence says far more than its quote. */
  | 'says_more_than_quote'
  | 'too_long'
  /** The privacy policy drops it. Its text is not kept. */
  | 'private'
  /** The user asked to forget it, and has not said it again since. */
  | 'forgotten'
  /** A known statement of higher rank says otherwise. */
  | 'outranked'
  /** More statements than a stretch of this size can hold. */
  | 'excess'
  /** It names a known statement that does not exist, or that it may not change. */
  | 'unknown_target'
  /** It repeats a known reflection. */
  | 'repeated';

/** What was refused, as it is kept and listed. */
export interface Refusal {
  what: 'statement' | 'end' | 'forget' | 'reflection' | 'topic';
  reason: RefusalReason;
  /** Its text; null where the text must not be stored. */
  text: string | null;
  detail: string | null;
  /** Ids of the events that it cited. */
  events: string[];
}

/** A refusal with its text and its sources. */
export function refusal(
  what: Refusal['what'],
  reason: RefusalReason,
  text: string | null,
  { detail = null, events = [] }: { detail?: string | null; events?: readonly { id: string }[] } = {},
): Refusal {
  const ids = [...new Set(events.map(({ id }) => id))];
  return { what, reason, text: text?.slice(0, 1000).toWellFormed() ?? null, detail, events: ids };
}

/** What a formation did. All lists hold ids of memories. */
export interface FormResult {
  /** The id of the run in revisions, usage and the audit log; null when there was nothing to form. */
  run: string | null;
  /** How many events were read; 0 when another formation was first. */
  events: number;
  added: string[];
  /** Known statements that now say more. */
  updated: string[];
  /** Statements that no longer hold: replaced, ended, or drafts that a better reading has replaced. */
  retired: string[];
  /** Known statements that were said again. */
  confirmed: string[];
  /** What the user asked to forget: the ids of the records that `forgotten.list()` returns. */
  forgotten: string[];
  /** Memories that were restored because the user withdrew a request to forget. */
  restored: string[];
  goalsReached: string[];
  reflections: string[];
  topics: string[];
  refused: Refusal[];
  /** Calls of a language model. */
  modelCalls: number;
  /** Whether events are left for another formation. */
  hasMore: boolean;
}

export function nothingFormed(): FormResult {
  return {
    run: null,
    events: 0,
    added: [],
    updated: [],
    retired: [],
    confirmed: [],
    forgotten: [],
    restored: [],
    goalsReached: [],
    reflections: [],
    topics: [],
    refused: [],
    modelCalls: 0,
    hasMore: false,
  };
}
