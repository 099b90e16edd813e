import { chosenRule } from './decided-rule.ts';
import { feedbackRule } from './feedback-rule.ts';
import { outcomeRule } from './outcome-rule.ts';
import { standingWishes } from './standing-wish.ts';
import { withoutLeadIn } from '../clauses/without-lead-in.ts';
import type { StatementDraft } from '../statement-draft.ts';

/** What a user asks of the agent's work: standing wishes, decisions, feedback, outcomes. One-off requests yield nothing. */
export function aboutWork(text: string, speaker: string): StatementDraft[] {
  const clean = text.trim();
  if (clean.length > 240 || /\?\s*$/.test(clean)) return [];
  const wishes = standingWishes(clean, speaker);
  if (wishes.length > 0) return wishes;
  const plain = withoutLeadIn(clean);
  const said = chosenRule(plain, speaker) ?? outcomeRule(plain, speaker) ?? feedbackRule(plain, speaker);
  return said === null ? [] : [said];
}
