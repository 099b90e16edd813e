import type { TextSpan } from '../../language/text-span.ts';
import type { Confidence } from '../../record/trust.ts';
import type { KeyedFact, StatementType } from './extracted-statement.ts';

/** What a rule found, before dates, slots, tags and checks. */
export interface StatementDraft {
  type: StatementType;
  subject: string;
  /** Said of the subject: "lives in Berlin". */
  predicate: string;
  polarity: 'positive' | 'negative';
  importance: number;
  confidence: Confidence;
  attribute?: string;
  keyedFacts?: KeyedFact[];
  tags?: readonly string[];
  followUpDays?: number;
  achievesGoal?: true;
  /** No longer true when it was said. */
  past?: true;
  /** Which side a date without a year lies on. */
  looksAhead?: true;
  correction?: { rejected?: string };
  /** Why, with its conjunction: "because support costs were killing them". No part of the slot. */
  reason?: string;
  /** The user asked for it to be remembered: it is kept whatever it points at. */
  asked?: true;
  /** Words that the rule itself brings in and the source need not contain. */
  ownWords?: readonly string[];
}

/** A draft with the place and the words it comes from. */
export interface SourcedDraft {
  draft: StatementDraft;
  span: TextSpan;
  /** Everything the statement may draw words from. */
  source: string;
}
