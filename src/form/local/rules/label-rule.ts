import { draftClauses } from './draft-clauses.ts';
import type { StatementDraft } from '../statement-draft.ts';

const LABEL =
  /^(?:my )?(full name|name|first name|last name|nickname|home address|address|work address|hometown|city|home city|country|time ?zone|job|job title|profession|occupation|role|employer|company|company name|business|budget|deadline|email|email address|phone|phone number|birthday|age|height|weight|blood type|pronouns|website|allergy|allergies|diet|religion|nationality|partner|wife|husband|favou?rite \w+(?: \w+)?)\s*[:=–-]\s+(\S.{0,120}?)[.;]?$/i;

/** "Home address: 12 Main St": a labelled value is the same as "My home address is …". */
export function labelRule(text: string, speaker: string): StatementDraft | null {
  const match = LABEL.exec(text);
  if (match?.[1] === undefined || match[2] === undefined || /^(?:\?|tbd|none|n\/a)$/i.test(match[2])) return null;
  return draftClauses(`My ${match[1].toLowerCase()} is ${match[2]}`, { subject: speaker, question: '' }, '')[0] ?? null;
}
