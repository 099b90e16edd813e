import { answerQuestion } from './answer-question.ts';
import { partRunOn } from './clauses/part-run-on.ts';
import { applyElaboration } from './rules/apply-elaboration.ts';
import type { Asked } from './rules/asked-rule.ts';
import { changeRule } from './rules/change-rule.ts';
import { correctionRule, isCorrecting, type EarlierTurn } from './rules/correction-rule.ts';
import { statedPart, type SentenceKind } from './classify-sentence.ts';
import { asAsked, draftAsked, inPieces, saysAll } from './rules/draft-asked.ts';
import { draftClauses } from './rules/draft-clauses.ts';
import { expandEcho } from './expand-echo.ts';
import { findAsked } from './find-asked.ts';
import { findPeople, joinAppositions, peopleOf, type NamedPerson } from './find-people.ts';
import { dealingRule } from './rules/dealing-rule.ts';
import { foreignRule } from './rules/foreign-rule.ts';
import { affectedRule } from './rules/affected-rule.ts';
import { aboutWork } from './rules/about-work.ts';
import { readIntroduction } from './rules/introduction-rule.ts';
import { namingDrafts } from './rules/naming-drafts.ts';
import { standingWishes } from './rules/standing-wish.ts';
import { isTaskTalk } from './rules/is-task-talk.ts';
import { reminderRule } from './rules/reminder-rule.ts';
import { withoutNewsLabel } from './clauses/without-lead-in.ts';
import { decidedRule } from './rules/decided-rule.ts';
import { labelRule } from './rules/label-rule.ts';
import { openingRule } from './rules/opening-rule.ts';
import { plainRules } from './rules/plain-rule.ts';
import type { ReadSentence } from './read-turn.ts';
import { restoreSubject } from './clauses/restore-subject.ts';
import type { RuleSetting } from './rules/self-rule.ts';
import type { SourcedDraft, StatementDraft } from './statement-draft.ts';

// What such a sentence says is not so, is not the speaker's, or is not to be kept.
const UNSTATED: ReadonlySet<SentenceKind> = new Set(['jest', 'hypothetical', 'quotation', 'unkept']);
const MOST_DRAFTS = 60;
// Further back than six of the speaker's own messages "he" is somebody else.
const MOST_BACK = 6;

// "…, not March": what is taken back is no part of what is so.
const REJECTED =
  /,? (?:and )?not (?!a |the |so |in |any|really|very|to |that)[\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}(?=[.!]*$)/iu;

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
  /** Earlier turns, for what a correction takes back and whom a name means. */
  before: readonly EarlierTurn[];
  /** What is known already, in the third person. */
  known: readonly string[];
}

/** Reads the sentences of one turn in order and drafts what each says. */
export function draftTurn(reading: TurnReading): SourcedDraft[] {
  const drafts: SourcedDraft[] = [];
  const people = peopleOf([...reading.known, ...reading.before.flatMap(({ text, own }) => (own ? text : []))]);
  // In a dialogue of people "he" is mostly somebody whom the other has spoken of.
  const before = reading.before
    .flatMap(({ text, own }) => (own ? text : []))
    .slice(reading.toAgent ? -MOST_BACK : -1)
    .toReversed();
  const asks = reading.toAgent ? findAsked(reading.sentences) : [];
  let said = '';
  let correcting = false;
  for (const [index, sentence] of reading.sentences.entries()) {
    if (drafts.length >= MOST_DRAFTS) break;
    const asked = asks[index] ?? null;
    // "No, I don't" answers a question, it takes nothing back.
    const answersNo = index === 0 && reading.question !== null && /^(?:no|nope)\b/i.test(sentence.text);
    correcting ||= !answersNo && isCorrecting(sentence.text);
    const around = { said, before, people };
    const found =
      asked !== null
        ? draftToKeep(asked, index, reading, around)
        : sentence.kind === 'statement' || sentence.kind === 'courtesy' || statedPart(sentence.text) !== sentence.text
          ? draftSentence(sentence, index, reading, around)
          : draftRequest(sentence, reading);
    const sources = `${said} ${sentence.text} ${reading.question ?? ''} ${index < 2 ? (reading.echoed ?? '') : ''}`;
    for (const draft of found) {
      if (reading.toAgent && draft.asked !== true && isTaskTalk(draft)) continue;
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

/** What the user asks to be remembered: as the rules read it, else in the user's own words. Never nothing. */
function draftToKeep(asked: Asked, index: number, reading: TurnReading, around: Around): StatementDraft[] {
  if (asked.toDo) {
    const wishes = standingWishes(asked.text.replace(/^to /i, ''), reading.speaker);
    return wishes.length > 0 ? wishes.map(asAsked) : [draftAsked(asked, reading.speaker)];
  }
  return inPieces(asked.text).flatMap((text) => {
    const sentence: ReadSentence = { text, kind: 'statement', span: { start: 0, end: text.length } };
    const read = draftSentence(sentence, index, reading, around);
    return read.length > 0 && saysAll(read, text)
      ? read.map(asAsked)
      : [draftAsked({ ...asked, text }, reading.speaker)];
  });
}

/** Of questions to an agent only wishes say something of the user: to be reminded, or how it should work. */
function draftRequest(sentence: ReadSentence, { toAgent, speaker }: TurnReading): StatementDraft[] {
  if (!toAgent || sentence.kind !== 'question') return [];
  const reminder = reminderRule(sentence.text, speaker);
  return reminder === null ? standingWishes(sentence.text, speaker) : [reminder];
}

/** What the sentences before give to one. */
interface Around {
  said: string;
  before: readonly string[];
  people: Map<string, NamedPerson>;
}

function draftSentence(
  sentence: ReadSentence,
  index: number,
  reading: TurnReading,
  { said, before, people }: Around,
): StatementDraft[] {
  const { speaker, question, toAgent } = reading;
  if (UNSTATED.has(sentence.kind)) return [];
  const plainText = withoutAsSaid(sentence.text);
  const text = joinAppositions(statedPart(toAgent ? withoutNewsLabel(plainText) : plainText));
  const named = findPeople(text);
  for (const person of named) people.set((person.name.split(' ')[0] ?? '').toLowerCase(), person);
  const setting = { subject: speaker, question: question ?? '', people, before, toAgent };
  const foreign = foreignRule(text, speaker);
  if (foreign !== null) return [foreign];
  const corrected = correctionRule(text, { ...reading, people });
  if (corrected !== null) return [corrected];
  const direct = toAgent ? (decidedRule(text, speaker) ?? changeRule(text, reading)) : null;
  if (direct !== null) return [direct];
  const found = (toAgent ? partRunOn(text) : [text]).flatMap((part) => {
    const plain = isCorrecting(part) ? part.replace(REJECTED, '') : part;
    const stated = toAgent ? draftForAgent(plain, setting, said) : draftClauses(plain, setting, said);
    return stated.length > 0 ? stated : draftOtherwise(part, index, reading, setting, said);
  });
  return [...found, ...namingDrafts(named, found, speaker)];
}

const AS_SAID =
  "(?:as|like) (?:(?:i|you)(?:'ve| have|'d| had)?(?: just| already| probably| may| might| also)* (?:said|told you|mentioned|wrote|explained|know|knew|remember)|(?:already )?(?:mentioned|said|noted|stated|discussed))(?: (?:before|earlier|already|above|last time|yesterday|previously|to you))*";
const AS_SAID_FIRST = new RegExp(`^(?:(?:and|so|but|well|oh|hey|again),? )*${AS_SAID}[,:;]? (?=\\S)`, 'i');
const AS_SAID_LAST = new RegExp(`, ${AS_SAID}(?=[.!]*$)`, 'i');

/** "As I said, I'm allergic": it was said before, and is so still. */
function withoutAsSaid(text: string): string {
  if (!/\b(?:as|like)\b/i.test(text)) return text;
  return text.replace(AS_SAID_FIRST, '').replace(AS_SAID_LAST, '');
}

/** What a sentence says that has no subject of its own: an answer, an echo, a dropped "I", what others did. */
function draftOtherwise(
  text: string,
  index: number,
  { question, echoed, sentences, speaker, toAgent, before, known }: TurnReading,
  setting: RuleSetting,
  said: string,
): StatementDraft[] {
  const done = affectedRule(text, speaker) ?? (toAgent ? dealingRule(text) : null);
  if (done !== null) return [done];
  const things = toAgent ? plainRules(text) : [];
  if (things.length > 0) return things;
  const dated = toAgent ? openingRule(text, [...known, ...before.map((earlier) => earlier.text), said]) : null;
  if (dated !== null) return [dated];
  const opening = index === 0 || (index === 1 && (sentences[0]?.text.length ?? 0) < 20);
  const expanded = opening
    ? ((question === null ? null : answerQuestion(question, text)) ?? expandEcho(text, echoed))
    : null;
  const answered = expanded === null ? [] : draftClauses(expanded.text, setting, said);
  if (expanded !== null && answered.length > 0)
    return answered.map((draft) => ({ ...draft, confidence: expanded.sure ? draft.confidence : 'medium' }));
  const restored = restoreSubject(text);
  if (restored === null) return [];
  // Less sure than with its subject, but for what ends something: that has to win over what was said.
  const isEnding = /^I (?:cancel|am not )/.test(restored);
  return draftClauses(restored, setting, said).map((draft) => (isEnding ? draft : { ...draft, confidence: 'medium' }));
}

/** What is said to an agent may be a label, a reminder, an introduction or a wish, and a statement besides. */
function draftForAgent(text: string, setting: RuleSetting, said: string): StatementDraft[] {
  const speaker = setting.subject;
  const direct = labelRule(text, speaker) ?? reminderRule(text, speaker);
  if (direct !== null) return [direct];
  const introduction = readIntroduction(text, speaker);
  if (introduction !== null)
    return [
      ...introduction.drafts,
      ...(introduction.rest === '' ? [] : draftClauses(introduction.rest, setting, said)),
    ];
  const asked = aboutWork(text, speaker);
  // "I'd rather you didn't …" is the wish itself; "I'm dyslexic, so keep it simple" says two things.
  if (asked.length > 0 && /\b(?:you|u)\b|^(?:i want|i need)\b/i.test(text)) return asked;
  return [...asked, ...draftClauses(text, setting, said)];
}
