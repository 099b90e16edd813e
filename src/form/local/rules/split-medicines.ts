import { isMedication } from '../../../language/health-words.ts';
import type { StatementDraft } from '../statement-draft.ts';

const TAKES =
  /^((?:(?:currently|now|also|still) )*(?:takes|is taking|is on|has to take|was put on|was prescribed)) (.+?)((?: (?:for|every|each|in|twice|once|daily|because|since|against)\b.*)?)$/;

/** "takes warfarin and bisoprolol for their heart" → one statement each: one of them can end alone. */
export function splitMedicines(draft: StatementDraft): StatementDraft[] {
  const [, verb, list, tail = ''] = TAKES.exec(draft.predicate) ?? [];
  if (verb === undefined || list === undefined) return [draft];
  const items = list.split(/,? and |, /);
  const isMedicines = items.length > 1 && items.every((item) => item.toLowerCase().split(' ').some(isMedication));
  return isMedicines ? items.map((item) => ({ ...draft, predicate: `${verb} ${item}${tail}` })) : [draft];
}
