import { answerQuestion } from './answer-question.ts';
import { applyElaboration } from './rules/apply-elaboration.ts';
import { correctionRule, isCorrecting, type EarlierTurn } from './rules/correction-rule.ts';
import { statedPart } from './classify-sentence.ts';
import { draftClauses } from './rules/draft-clauses.ts';
import { expandEcho } from './expand-echo.ts';
import { foreignRule } from './rules/foreign-rule.ts';
import { instructionRule } from './rules/instruction-rule.ts';
import { isTaskTalk } from './rules/is-task-talk.ts';
import { reminderRule } from './rules/reminder-rule.ts';
import { labelRule } from './rules/label-rule.ts';
import type { ReadSentence } from './read-turn.ts';
import { restoreSubject } from './clauses/restore-subject.ts';
import type { SourcedDraft, StatementDraft } from './statement-draft.ts';

const MOST_DRAFTS = 60;

/** One turn, and what around it gives its sentences their meaning. */
export interface TurnReading {
  sentences: readonly ReadSentence[];
  /** The speaker's name in statements. */
  speaker: string;
  /** The question that the turn answers. */
  question: string | null;
  /** What the other person said last. */
  echoed: string | null;
  /** True when the speaker talks to an agent: wishes about its work are preferences. */
  toAgent: boolean;
  /** Earlier turns, for what a correction takes back. */
  before: readonly EarlierTurn[];
}

/** Reads the sentences of one turn in order and drafts what each says. */
export function draftTurn(reading: TurnReading): SourcedDraft[] {
  const drafts: SourcedDraft[] = [];
  let said = '';
  let correcting = false;
  for (const [index, sentence] of reading.sentences.entries()) {
    if (drafts.length >= MOST_DRAFTS) break;
    // "No, I don't" answers a question, it takes nothing back.
    const answersNo = index === 0 && reading.question !== null && /^(?:no|nope)\b/i.test(sentence.text);
    correcting ||= !answersNo && isCorrecting(sentence.text);
    const found =
      sentence.kind === 'statement' || sentence.kind === 'courtesy' || statedPart(sentence.text) !== sentence.text
        ? draftSentence(sentence, index, reading, said)
        : draftRequest(sentence, reading);
    const sources = `${said} ${sentence.text} ${reading.question ?? ''} ${index < 2 ? (reading.echoed ?? '') : ''}`;
    for (const draft of found) {
      if (reading.toAgent && isTaskTalk(draft)) continue;
      const corrected =
        correcting && draft.correction === undefined && draft.type !== 'feedback'
          ? { ...draft, correction: {} }
          : draft;
      drafts.push({
        draft: corrected,
        span: sentence.span,
        source:
          draft.correction === undefined ? sources : `${sources} ${reading.before.map(({ text }) => text).join(' ')}`,
      });
    }
    if (found.length === 0 && reading.toAgent && sentence.kind === 'statement') applyElaboration(drafts, sentence);
    said = sentence.kind === 'statement' ? `${said} ${sentence.text}`.slice(-600) : said;
  }
  return drafts;
}

/** Of questions to an agent only the wish to be reminded says something of the user. */
function draftRequest(sentence: ReadSentence, { toAgent, speaker }: TurnReading): StatementDraft[] {
  const reminder = toAgent && sentence.kind === 'question' ? reminderRule(sentence.text, speaker) : null;
  return reminder === null ? [] : [reminder];
}

function draftSentence(sentence: ReadSentence, index: number, reading: TurnReading, said: string): StatementDraft[] {
  const { speaker, question } = reading;
  if (sentence.kind === 'jest' || sentence.kind === 'hypothetical' || sentence.kind === 'quotation') return [];
  const text = statedPart(sentence.text);
  const setting = { subject: speaker, question: question ?? '' };
  const foreign = foreignRule(text, speaker);
  if (foreign !== null) return [foreign];
  const corrected = correctionRule(text, reading);
  if (corrected !== null) return [corrected];
  if (reading.toAgent) {
    const direct = labelRule(text, speaker) ?? reminderRule(text, speaker) ?? instructionRule(text, speaker);
    if (direct !== null) return [direct];
  }
  const stated = draftClauses(text, setting, said);
  if (stated.length > 0) return stated;
  const opening = index === 0 || (index === 1 && (reading.sentences[0]?.text.length ?? 0) < 20);
  const expanded = opening
    ? ((question === null ? null : answerQuestion(question, text)) ?? expandEcho(text, reading.echoed))
    : null;
  const answered = expanded === null ? [] : draftClauses(expanded.text, setting, said);
  if (expanded !== null && answered.length > 0)
    return answered.map((draft) => ({ ...draft, confidence: expanded.sure ? draft.confidence : 'medium' }));
  const restored = restoreSubject(text);
  return restored === null
    ? []
    : draftClauses(restored, setting, said).map((draft) => ({ ...draft, confidence: 'medium' }));
}
