import type { TextSpan } from '../language/sentences.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import type { ScopeLevel } from '../record/scope.ts';
import type { Quote, Trust } from '../record/statement.ts';
import type { ReadForget, ReadStatement, Refusal, Relation } from './read/reader.ts';

/** Words of an event that a statement rests on. */
export interface Evidence extends TextSpan {
  event: Event;
  /** Whether the event is the user's own text although it has the form of a pasted one (`ownTextsAmong`). */
  isOwnText?: boolean;
}

/** A statement that was resolved and checked, and is ready to be compared with the known statements. */
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
  /** The relation to a known statement that the reader gave. `isOwnMatter`: a person other than the user speaks about themself. */
  relation: { kind: Relation; target: Memory; isOwnMatter?: boolean } | null;
}

/** The ends and requests to forget of a reading whose quotes are the user's own words. */
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
  /** The known statements that the request means, according to the reader. */
  targets: Memory[];
  /**
   * How the reading layers of the local embedder read the request. Null if they were not used, or if the reader named the statements that
   * the request means.
   */
  told: ToldRequest | null;
}

/** A request to forget as the reading layers read it. */
export interface ToldRequest {
  /** The clauses that express the request. */
  asking: MeantWords[];
  /** Whether the turn withdraws an earlier request. */
  takesBack: boolean;
  /** The clauses that the request means, in its own turn and in earlier turns. */
  words: MeantWords[];
  /** The ids of the statements that the request means and that quote no words of the log. */
  memories: string[];
  isEverything: boolean;
  /** Whether the request means only the clauses, and not the sentences around them. */
  isByClause: boolean;
}

export interface MeantWords extends Quote {
  text: string;
}
