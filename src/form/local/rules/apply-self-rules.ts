import { beingRule } from './being-rule.ts';
import { decisionRule, goalReachedRule } from './decision-rule.ts';
import { doingRule } from './doing-rule.ts';
import { havingRule } from './having-rule.ts';
import { intentionRule, wantingRule } from './intention-rule.ts';
import { likingRule } from './liking-rule.ts';
import type { ParsedClause } from '../clauses/parse-clause.ts';
import type { RuleSetting, SelfRule } from './self-rule.ts';
import type { StatementDraft } from '../statement-draft.ts';

/** In this order: the first rule that answers decides. */
const RULES: readonly SelfRule[] = [
  goalReachedRule,
  decisionRule,
  likingRule,
  wantingRule,
  intentionRule,
  beingRule,
  havingRule,
  doingRule,
];

/** Applies the rules for what a speaker says in the first person. */
export function applySelfRules(clause: ParsedClause, setting: RuleSetting): StatementDraft | null {
  for (const rule of RULES) {
    const result = rule(clause, setting);
    if (result === 'drop') return null;
    if (result !== null) return result;
  }
  return null;
}
