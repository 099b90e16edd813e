import type { TextSpan } from '../language/sentences.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import type { ScopeLevel } from '../record/scope.ts';
import type { Quote, Trust } from '../record/statement.ts';
import type { ReadForget, ReadStatement, Refusal, Relation } from './read/reader.ts';

/** Words of an event that a statement rests on. */
export interface Evidence extends TextSpan {
  event: Event;
}

/** A statement that was resolved and checked: ready to be compared with what is known. */
export interface Statement
  extends
    Pick<Memory, 'subject' | 'attribute' | 'value' | 'polarity' | 'tense' | 'type' | 'tags' | 'quotes'>,
    Pick<Memory, 'importance' | 'confidence' | 'trust' | 'sourceType' | 'statedAt' | 'statedBy'>,
    Pick<Memory, 'validFrom' | 'validTo' | 'dueAt'>,
    Pick<ReadStatement, 'text' | 'names'> {
  level: ScopeLevel;
  /** The events that it quotes, oldest first. */
  events: Event[];
  /** Its relation to a known statement, as the reader gives it. `isOwnMatter`: a person who is not the user speaks about themself. */
  relation: { kind: Relation; target: Memory; isOwnMatter?: boolean } | null;
}

/** The ends and requests of a reading whose quotes are in the user's own words. */
export interface CheckedRequests {
  ends: {
    target: Memory;
    evidence: Evidence;
    /** The day from which it is over, if that day is in the future. */ on: Date | null;
    /** The trust of the words. Default: that of their speaker. */ trust?: Trust;
  }[];
  forgets: CheckedForget[];
  refused: Refusal[];
}

/** A request to forget in the user's own words. */
export interface CheckedForget {
  request: ReadForget;
  evidence: Evidence;
  /** The known statements that the reader takes to be meant. */
  targets: Memory[];
  /** How the reading layers read the request; null if they do not read it, or if the reader named the statements that it means. */
  told: ToldRequest | null;
}

/** A request to forget as the reading layers read it. */
export interface ToldRequest {
  /** The clauses that ask. */
  asking: MeantWords[];
  /** Whether it takes an earlier request back. */
  takesBack: boolean;
  /** The clauses that it means, in its own turn and in earlier turns. */
  words: MeantWords[];
  /** The ids of meant statements that quote no words of the log. */
  memories: string[];
  isEverything: boolean;
  /** Whether only the clauses are meant, and not the sentences around them. */
  isByClause: boolean;
}

export interface MeantWords extends Quote {
  text: string;
}
