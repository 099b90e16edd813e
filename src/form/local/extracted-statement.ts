import type { TextSpan } from '../../language/text-span.ts';
import type { Turn } from '../../models/distiller.ts';
import type { FactCategory } from '../../record/memory.ts';
import type { Confidence } from '../../record/trust.ts';

/** The types of memory that rules can form from a conversation. */
export type StatementType =
  | 'preference'
  | 'goal'
  | 'fact'
  | 'decision'
  | 'context'
  | 'feedback'
  | 'personal'
  | 'episode'
  | 'intention';

/** A call that the agent made while it answered. */
export interface ToolCall {
  name: string;
  /** The number of the turn it was made in, from 1. */
  turn: number;
  calledAt: Date;
  input?: Readonly<Record<string, unknown>>;
  /** `undefined` while the result is unknown. */
  succeeded?: boolean;
  /** Why the agent made the call, when it says so. */
  reason?: string;
}

/** What was said and done in one go: usually a user message, the agent's answer and its tool calls. */
export interface Exchange {
  turns: readonly Turn[];
  toolCalls?: readonly ToolCall[];
}

/** What extraction needs to know beside the exchange. */
export interface ExtractionContext {
  /** IANA name; days begin and end there. Default `UTC`. */
  timeZone?: string;
  /** What the user is called in a statement. Default `User`. */
  userName?: string;
  /** Turns before the exchange: read for the question that an answer replies to, never extracted from. */
  earlierTurns?: readonly Turn[];
  /** What is known already, in the third person: read for whom a name means and what a correction takes back. */
  known?: readonly string[];
  /** Most characters of one turn that are read. Default 8,000. */
  maximumTurnLength?: number;
  /** Most statements from one exchange. Default 40. */
  maximumStatements?: number;
}

/** A value that has one key, such as the home city. */
export interface KeyedFact {
  /** snake_case, one value per key. */
  key: string;
  value: string;
  category: FactCategory;
}

/** One memory that stands alone. */
export interface ExtractedStatement {
  type: StatementType;
  /** Third person, at most 30 words, understandable without the conversation. */
  content: string;
  /** Whom it is about: the user's name, `User`, or "User's sister". */
  subject: string;
  /** The slot it fills; a later statement with the same subject and attribute replaces it. */
  attribute?: string;
  polarity: 'positive' | 'negative';
  importance: number;
  confidence: Confidence;
  tags: string[];
  keyedFacts?: KeyedFact[];
  /** When the thing intended is due (ISO date-time). */
  dueDate?: string;
  /** Days after which to ask how it went. */
  followUpDays?: number;
  validFrom?: string;
  validTo?: string;
  /** Set when the speaker takes back something said before; `attribute` says what. */
  correction?: { rejected?: string };
  /** Set when the statement says that a goal was reached. */
  achievesGoal?: true;
  /** The number of the turn that says so, from 1. */
  turn: number;
  /** Its characters there. */
  span: TextSpan;
}
