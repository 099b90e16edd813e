import type { Confidence } from '../../../record/trust.ts';
import type { People } from '../find-people.ts';
import type { StatementType } from '../extracted-statement.ts';
import type { ParsedClause } from '../clauses/parse-clause.ts';
import { renderPredicate } from '../clauses/render-predicate.ts';
import type { StatementDraft } from '../statement-draft.ts';

/** Who is spoken of and how the clause may be read. */
export interface RuleSetting {
  /** The speaker's name in statements. */
  subject: string;
  /** The question that the turn answers, lower case, or an empty text. */
  question: string;
  /** Whom the speaker has named. */
  people?: People;
  /** What the speaker said before, the latest first, for "he" and "she". */
  before?: readonly string[];
  /** What is known already, in the third person. */
  known?: readonly string[];
  /** What was said just before in the same message. */
  around?: string;
  /** True when an agent is spoken to. */
  toAgent?: boolean;
}

/** A rule gives a draft, `drop` when the clause is known to say nothing, or null to pass. */
export type SelfRule = (clause: ParsedClause, setting: RuleSetting) => StatementDraft | 'drop' | null;

/** A draft about the speaker whose predicate is the clause itself in the third person. */
export function draftOf(
  clause: ParsedClause,
  setting: RuleSetting,
  type: StatementType,
  importance: number,
): StatementDraft {
  return {
    type,
    subject: setting.subject,
    predicate: renderPredicate(clause, false),
    polarity: clause.negated ? 'negative' : 'positive',
    importance,
    confidence: confidenceOf(clause),
    ...(looksAhead(clause) ? { looksAhead: true as const } : {}),
  };
}

/** "My flight is on Monday" is to come, "it was on Monday" is gone. */
export function looksAhead({ tense }: ParsedClause): boolean {
  return tense === 'present' || tense === 'progressive' || tense === 'future';
}

/** Plain statements are sure, hedged ones less. */
export function confidenceOf(clause: ParsedClause): Confidence {
  return clause.hedged ||
    clause.adverbs.some((adverb) => adverb === 'probably' || adverb === 'kinda' || adverb === 'almost')
    ? 'medium'
    : 'high';
}
