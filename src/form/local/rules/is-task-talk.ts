import type { StatementDraft } from '../statement-draft.ts';

// Compiling the two patterns below takes 4 ms.
const MAY_BE_TASK =
  /^(?:has|needs|wants|is|should|must|uses|created|added|changed|removed|deleted|wrote|ran|updated|opened|made|fixed|got|found) /i;
const OBJECT =
  'lists?|arrays?|datasets?|files?|csv|json|functions?|scripts?|components?|tables?|columns?|strings?|variables?|errors?|bugs?|class|queries|query|branch|code|snippets?|text|paragraphs?|essays?|sentences?|spreadsheets?|buttons?|synonyms?|words?|prompts?|regex|loops?|apis?|endpoints?|repos?|rows?|images?|letter|emails?|summary|objects?|pull request|commits?|typos?|\\w*errors?|exceptions?|warnings?|stack ?trace|crash|tests|output|build';
const TASK_OBJECT = new RegExp(
  `^(?:has|needs|wants|needs to|has to|wants to|is trying to|should|must|is looking for|is writing|is (?:using|working on)|uses|created|added|changed|removed|deleted|wrote|ran|updated|opened|made|fixed|got|found|is (?:running|getting|fixing|debugging|testing|writing))\\b(?: (?!my|their)[\\p{L}\\p{N}-]+){0,4}? (?:${OBJECT})\\b`,
  'iu',
);
const TASK_ACT =
  /^(?:needs to|has to|wants to|is trying to|should|must|is going to) (?:parse|convert|sort|install|debug|compile|calculate|translate|format|group|filter|render|refactor|print|reverse|summari[sz]e|rewrite|proofread|solve|compute|import|export|merge|upload|download|configure|implement|query|sum|count|rename)\b/;
// What has a day, or is to be reminded of, outlives the conversation.
const LASTS =
  /^wants to be reminded\b|\b(?:by|before|until|on|next|this) (?:the )?(?:end of )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|week|month|\d{1,2}(?:st|nd|rd|th)?\b)/i;
const PASSING_TYPES = new Set(['fact', 'goal', 'intention', 'context', 'episode']);

/** What a user tells an agent about the job at hand ("I have a CSV file", "I need to parse JSON") passes with the job. */
export function isTaskTalk(draft: StatementDraft): boolean {
  return (
    PASSING_TYPES.has(draft.type) &&
    draft.attribute === undefined &&
    !LASTS.test(draft.predicate) &&
    MAY_BE_TASK.test(draft.predicate) &&
    (TASK_ACT.test(draft.predicate) || TASK_OBJECT.test(draft.predicate))
  );
}
