import type { TextSpan } from '../language/sentences.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import type { ScopeLevel } from '../record/scope.ts';
import type { Quote, Trust } from '../record/statement.ts';
import type { ReadForget, ReadStatement, Refusal, Relation } from './read/reader.ts';

export interface Evidence extends TextSpan {
  event: Event;
  /** The event is the user's own text although it looks pasted (`ownTextsAmong`). */
  isOwnText?: boolean;
}

/** A statement whose fields are resolved and checked. */
export interface Statement
  extends
    Pick<Memory, 'subject' | 'attribute' | 'value' | 'polarity' | 'tense' | 'type' | 'tags' | 'quotes'>,
    Pick<Memory, 'importance' | 'confidence' | 'trust' | 'sourceType' | 'statedAt' | 'statedBy'>,
    Pick<Memory, 'validFrom' | 'validTo' | 'dueAt'>,
    Pick<ReadStatement, 'text' | 'names'> {
  level: ScopeLevel;
  timeZone: string;
  events: Event[];
  /** `isOwnMatter`: somebody other than the user speaks about themself. */
  relation: { kind: Relation; target: Memory; isOwnMatter?: boolean } | null;
}

export interface CheckedRequests {
  ends: {
    target: Memory;
    evidence: Evidence;
    /** The future day from which the statement no longer holds. Null if it has already ended. */ on: Date | null;
    trust: Trust;
    /** The statement is a goal or a plan that came true. */ isReached?: boolean;
  }[];
  forgets: CheckedForget[];
  refused: Refusal[];
}

export interface CheckedForget {
  request: ReadForget;
  evidence: Evidence;
  /** The statements that the reader takes the request to mean. */
  targets: Memory[];
  /** Null if the reading layers were not used, or if the reader named the statements itself. */
  told: ToldRequest | null;
}

/** A request to forget, as the reading layers understood it. */
export interface ToldRequest {
  asking: MeantWords[];
  /** The turn withdraws an earlier request. */
  takesBack: boolean;
  /** The clauses to forget, from the turn itself and from earlier turns. */
  words: MeantWords[];
  /** Ids of the statements to forget that quote no words of the log. */
  memories: string[];
  isEverything: boolean;
  /** Only the clauses are forgotten, not the sentences around them. */
  isByClause: boolean;
  /** The topics that the request names, such as `partner_name`. */
  topics: readonly string[];
}

export interface MeantWords extends Quote {
  text: string;
}
