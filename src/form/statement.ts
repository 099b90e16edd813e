import type { TextSpan } from '../language/sentences.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import type { ScopeLevel } from '../record/scope.ts';
import type { Quote, Trust } from '../record/statement.ts';
import type { ReadForget, ReadStatement, Refusal, Relation } from './read/reader.ts';

/** Words of an event that support a statement. */
export interface Evidence extends TextSpan {
  event: Event;
  /** Whether the event is the user's own text although it looks pasted (`ownTextsAmong`). */
  isOwnText?: boolean;
}

/** A statement whose fields are resolved and checked. The next step compares it with the known statements. */
export interface Statement
  extends
    Pick<Memory, 'subject' | 'attribute' | 'value' | 'polarity' | 'tense' | 'type' | 'tags' | 'quotes'>,
    Pick<Memory, 'importance' | 'confidence' | 'trust' | 'sourceType' | 'statedAt' | 'statedBy'>,
    Pick<Memory, 'validFrom' | 'validTo' | 'dueAt'>,
    Pick<ReadStatement, 'text' | 'names'> {
  level: ScopeLevel;
  /** The time zone in which the days of the statement were said. */
  timeZone: string;
  /** The events that the statement quotes, oldest first. */
  events: Event[];
  /** The relation to a known statement that the reader named. With `isOwnMatter`, somebody other than the user speaks about themself. */
  relation: { kind: Relation; target: Memory; isOwnMatter?: boolean } | null;
}

/** The ends and requests to forget that the user's own words support. */
export interface CheckedRequests {
  ends: {
    target: Memory;
    evidence: Evidence;
    /** The day from which the statement no longer holds, if that day is in the future. */ on: Date | null;
    /** The trust of the quoted words. */ trust: Trust;
    /** Whether the statement is a goal or a plan that came true. */ isReached?: boolean;
  }[];
  forgets: CheckedForget[];
  refused: Refusal[];
}

/** A request to forget in the user's own words. */
export interface CheckedForget {
  request: ReadForget;
  evidence: Evidence;
  /** The known statements that the reader thinks the request is about. */
  targets: Memory[];
  /**
   * How the reading layers of the local embedder understood the request. Null if they were not used, or if the reader named the statements
   * itself.
   */
  told: ToldRequest | null;
}

/** A request to forget, as the reading layers understood it. */
export interface ToldRequest {
  /** The clauses that express the request. */
  asking: MeantWords[];
  /** Whether the turn withdraws an earlier request. */
  takesBack: boolean;
  /** The clauses to forget, from the turn itself and from earlier turns. */
  words: MeantWords[];
  /** The ids of the statements to forget that quote no words of the log. */
  memories: string[];
  isEverything: boolean;
  /** Whether only the clauses are to be forgotten, and not the sentences around them. */
  isByClause: boolean;
}

export interface MeantWords extends Quote {
  text: string;
}
