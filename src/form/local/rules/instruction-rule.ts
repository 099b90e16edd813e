import { feedbackRule } from './feedback-rule.ts';
import { outcomeRule } from './outcome-rule.ts';
import { standingWishes } from './standing-wish.ts';
import type { StatementDraft } from '../statement-draft.ts';

const LEAD_IN = /^(?:(?:and|also|oh|btw|by the way|ok|okay|great|perfect|thanks|one more thing)[,.!:]? )+/i;
const LETS =
  /^(?:(?:ok|okay|yes|yeah|alright|great|perfect|sure|cool|hmm|well|then|so)[,.!]? )*(?:let us|let's|lets|we(?:'ll| will)|i(?:'ll| will)|i(?:'d| would) like to) (?:go (?:ahead )?with|use|choose|pick|take|stick with|stay with|do) ((?:the |option |a |an |our |version |plan |\p{Lu})[^.!?]{1,80}?)(?:,? (?:then|please|instead|thanks))?[.!]*$/iu;
const IT_IS =
  /^(?!.*\b(?:how|what|why|as|know|think|wish|if|i|that|because|when)\b)(?:ok|okay|alright)?,? ?((?:the |option |plan )?[a-z0-9 ]{2,40}) it is[.!]*$/i;

/** What a user asks of the agent's work: standing wishes, decisions, feedback, outcomes. One-off requests yield nothing. */
export function instructionRule(text: string, speaker: string): StatementDraft[] {
  const clean = text.replace(/[’]/g, "'").trim();
  if (clean.length > 240 || /\?\s*$/.test(clean)) return [];
  const wishes = standingWishes(clean, speaker);
  if (wishes.length > 0) return wishes;
  const plain = clean.replace(LEAD_IN, '');
  const said = decision(plain, speaker) ?? outcomeRule(plain, speaker) ?? feedbackRule(plain, speaker);
  return said === null ? [] : [said];
}

function decision(text: string, speaker: string): StatementDraft | null {
  const chosen = (LETS.exec(text)?.[1] ?? IT_IS.exec(text)?.[1])?.trim();
  if (chosen === undefined || /^(?:that|this|it|a look|a break)\b/i.test(chosen)) return null;
  return {
    type: 'decision',
    subject: speaker,
    predicate: `chose ${chosen.replace(/\bmy\b/g, 'their').replace(/\bour\b/g, 'their')}`,
    polarity: 'positive',
    importance: 0.7,
    confidence: 'high',
    ownWords: ['chose'],
  };
}
