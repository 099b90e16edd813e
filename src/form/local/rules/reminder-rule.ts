import type { StatementDraft } from '../statement-draft.ts';
import { withoutAskingLeadIn } from '../clauses/without-lead-in.ts';
import { asThirdPerson } from './as-third-person.ts';

const REMINDER =
  /^(?:(?:can|could|would|will) you (?:please )?)?remind me ((?:to|about|that|of) .{3,120}?)(?:,? please)?[.!?]*$/i;

/** "Remind me to call my mom on Sunday", also as a question. */
export function reminderRule(text: string, speaker: string): StatementDraft | null {
  const act = REMINDER.exec(withoutAskingLeadIn(text))?.[1];
  return act === undefined ? null : reminderOf(act, speaker);
}

/** That somebody wants to be reminded of something: "to call Ana", "about the milk". */
export function reminderOf(act: string, speaker: string): StatementDraft {
  return {
    type: 'intention',
    subject: speaker,
    predicate: `wants to be reminded ${asThirdPerson(act)}`,
    polarity: 'positive',
    importance: 0.6,
    confidence: 'high',
    looksAhead: true,
    followUpDays: 3,
    ownWords: ['wants', 'reminded'],
  };
}
