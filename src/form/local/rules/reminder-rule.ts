import type { StatementDraft } from '../statement-draft.ts';
import { asThirdPerson } from './as-third-person.ts';

const REMINDER =
  /^(?:(?:and|also|oh|btw|by the way|ok|okay|great|perfect|thanks|hey|hi)[,.!]? )*(?:please,? |(?:can|could|would|will) you (?:please )?)?remind me ((?:to|about|that|of) .{3,120}?)(?:,? please)?[.!?]*$/i;

/** "Remind me to call my mom on Sunday", also as a question. */
export function reminderRule(text: string, speaker: string): StatementDraft | null {
  const act = REMINDER.exec(text.replace(/[’]/g, "'"))?.[1];
  if (act === undefined) return null;
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
