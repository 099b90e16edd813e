import type { Event } from '../record/event.ts';
import type { Memory, SourceType } from '../record/memory.ts';
import type { ScopeLevel } from '../record/scope.ts';
import type { Confidence, Origin, Quote, Trust } from '../record/statement.ts';
import type { Evidence } from './check/evidence.ts';
import type { Refusal } from './formation-result.ts';
import type { Meanable } from './meant-by-request.ts';
import type { ReadForget, ReadStatement, Relation } from './read/reader.ts';

/** A statement that was resolved and checked: ready to be compared with what is known. */
export interface Statement extends Pick<
  ReadStatement,
  'subject' | 'attribute' | 'value' | 'polarity' | 'tense' | 'type' | 'text' | 'tags' | 'names'
> {
  level: ScopeLevel;
  importance: number;
  confidence: Confidence;
  trust: Trust;
  sourceType: SourceType;
  statedAt: Date;
  statedBy: Origin;
  quotes: Quote[];
  /** The events that it quotes, oldest first. */
  events: Event[];
  validFrom: Date | null;
  validTo: Date | null;
  dueAt: Date | null;
  /** Its relation to a known statement, as the reader gives it. */
  relation: { kind: Relation; target: Memory } | null;
}

/** The ends and requests of a reading whose quotes are in the user's own words. */
export interface CheckedRequests {
  ends: {
    target: Memory;
    evidence: Evidence;
    /** The day from which it is over, if that day is in the future. */ on: Date | null;
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
  /** Whether a language model recognised the request, after reading the whole conversation. */
  isByModel: boolean;
  /** How the reading layers read the request; null if there are no layers. */
  told?: ToldRequest | null;
  /** For embedders without such layers: the sentence that is nearest in meaning. It counts if the words of the request mean nothing. */
  nearest?: Quote[];
  /** The request is to forget everything about the user. */
  isEverything?: boolean;
}

/** A request to forget as the reading layers read it: log-odds that it is one, and that it means each of the user's earlier sentences. */
export interface ToldRequest {
  asks: number;
  sentences: (SaidSentence & { odds: number })[];
}

/** A sentence of the user's own, and its position. */
export interface SaidSentence extends Meanable {
  quote: Quote;
}
