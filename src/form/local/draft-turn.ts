import { answerQuestion } from './answer-question.ts';
import { atThing, namedThing, saidOfThing } from './clauses/named-thing.ts';
import { partReason } from './clauses/part-reason.ts';
import { partRunOn, type Part, type Reads } from './clauses/part-run-on.ts';
import { withoutTags } from './clauses/without-tags.ts';
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
import { isOwnWish, opensWithWish, standingWishes } from './rules/standing-wish.ts';
import { isTaskTalk } from './rules/is-task-talk.ts';
import { rewrittenRule, scrappedRule } from './rules/rewritten-rule.ts';
import { reminderRule } from './rules/reminder-rule.ts';
import { withoutNewsLabel, withSpeakers } from './clauses/without-lead-in.ts';
import { decidedRule } from './rules/decided-rule.ts';
import { labelRule } from './rules/label-rule.ts';
import { openingRule } from './rules/opening-rule.ts';
import { plainOf, plainRule, thingRule } from './rules/plain-rule.ts';
import type { ReadSentence } from './read-turn.ts';
import { isContentWord } from '../../language/stop-words.ts';
import { tokenizeWords } from '../../language/word-tokens.ts';
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
  const { text: untagged, doubted } = withoutTags(sentence.text);
  const text = inNamedYear(joinAppositions(statedPart(toAgent ? withSpeakers(withoutNewsLabel(untagged)) : untagged)));
  const named = findPeople(text);
  for (const person of named) people.set((person.name.split(' ')[0] ?? '').toLowerCase(), person);
  const setting = { subject: speaker, question: question ?? '', people, before, known: reading.known, toAgent };
  const foreign = foreignRule(text, speaker);
  if (foreign !== null) return [foreign];
  const corrected = correctionRule(text, { ...reading, people });
  if (corrected !== null) return [corrected];
  const found: StatementDraft[] = [];
  const reads: Reads = {
    asks: (asked) => isAsked(asked, speaker),
    says: (part) => draftPart(part, index, reading, setting, said).length > 0,
  };
  const parts = toAgent ? partsOf(text, said === '' ? (before[0] ?? '') : said, reads) : [{ text }];
  let saidBefore = said;
  for (const part of parts) {
    // "The average salary is 50k and rent is 2k": what is said beside what is not theirs is not theirs either.
    const isBeside = part.joined === true && found.length === 0 && !/\b(?:i|i'm|we|my|our)\b/i.test(text);
    if (isBeside && !/^the /i.test(part.text)) continue;
    const drafts = draftPart(isBeside ? { text: part.text } : part, index, reading, setting, saidBefore);
    found.push(
      ...(part.joined === true && /^i (?:think|guess|believe|suppose)\b/i.test(text) ? drafts.map(doubtful) : drafts),
    );
    saidBefore = `${saidBefore} ${part.text}`;
  }
  const scrapped = toAgent ? scrappedRule(text, reading) : null;
  if (scrapped !== null) found.push(scrapped);
  return [...(doubted ? found.map(doubtful) : found), ...namingDrafts(named, found, speaker)];
}

/** "My funding ends in May 2027 and I submit in March that year": in March 2027. */
function inNamedYear(text: string): string {
  const year = /\b20\d\d\b/.exec(text)?.[0];
  return year === undefined ? text : text.replace(/(?<=\p{L}) (?:of )?(?:that|the same) year\b/iu, ` ${year}`);
}

function doubtful(draft: StatementDraft): StatementDraft {
  return { ...draft, confidence: draft.confidence === 'low' ? 'low' : 'medium' };
}

// "The exam is on 22 January and I failed it last year": what "it" is stands in the sentence.
const AND_I_DID = /^([^,;]{6,80}?),? (?:and|but) ((?:i|we)(?:'ve|'m|'d| have| had)? \p{L}+ )it\b(.{0,80})$/iu;

/** The parts of a sentence, with the name that "they" and "there" stand for. */
function partsOf(text: string, before: string, reads: Reads): Part[] {
  const thing = /^(?:they|it|their|its)\b|\bthere (?:is|are)\b/i.test(text) ? namedThing(before.slice(-240)) : null;
  const said = thing === null ? [] : saidOfThing(text, thing);
  if (thing !== null && said.length > 0) return said.map((each) => ({ text: each, thing }));
  const [, head = '', does = '', rest = ''] = AND_I_DID.exec(text) ?? [];
  const about = head === '' ? null : plainOf(head);
  if (about !== null && about.value !== null)
    return [...partRunOn(head, reads), { text: `${does}the ${about.subject.replace(/^(?:the|our|my) /i, '')}${rest}` }];
  return partRunOn(thing === null ? text : atThing(text, thing), reads);
}

function isAsked(text: string, speaker: string): boolean {
  return /^(?:please|pls|plz)\b/i.test(text) || reminderRule(text, speaker) !== null || opensWithWish(text, speaker);
}

/** Whether a reason is that of a draft: of the last that was said before it, and with nobody in it whom it does not name. */
function isReasonOf(
  reason: string,
  { type, subject, predicate }: StatementDraft,
  text: string,
  speaker: string,
): boolean {
  const last =
    tokenizeWords(text)
      .findLast(({ lower }) => isContentWord(lower))
      ?.lower.slice(0, 4) ?? '';
  const isSomebody = /\b(?:he|she|him|his|her|hers)\b/.test(reason);
  return type !== 'feedback' && predicate.toLowerCase().includes(last) && !(isSomebody && subject === speaker);
}

function draftPart(
  part: Part,
  index: number,
  reading: TurnReading,
  setting: RuleSetting,
  said: string,
): StatementDraft[] {
  const { speaker, toAgent } = reading;
  const about = part.thing === undefined ? null : thingRule(part.text);
  if (part.thing !== undefined) return about === null ? [] : [{ ...about, ownWords: [part.thing] }];
  const { said: text, reason, clause } = partReason(part.text);
  const direct = toAgent
    ? (decidedRule(text, speaker) ?? rewrittenRule(text, reading) ?? changeRule(text, reading))
    : null;
  const plain = isCorrecting(text) ? text.replace(REJECTED, '') : text;
  const stated =
    direct !== null ? [direct] : toAgent ? draftForAgent(plain, setting, said) : draftClauses(plain, setting, said);
  const drafts = stated.length > 0 ? stated : draftOtherwise({ ...part, text }, index, reading, setting, said);
  const last = drafts.at(-1);
  if (last !== undefined && reason !== null && isReasonOf(reason, last, text, speaker))
    drafts[drafts.length - 1] = { ...last, reason };
  return clause === null ? drafts : [...drafts, ...draftClauses(clause, setting, `${said} ${text}`)];
}

/** What a sentence says that has no subject of its own: an answer, an echo, a dropped "I", what others did. */
function draftOtherwise(
  { text, joined }: Part,
  index: number,
  { question, echoed, sentences, speaker, toAgent, before, known }: TurnReading,
  setting: RuleSetting,
  said: string,
): StatementDraft[] {
  const done = affectedRule(text, speaker) ?? (toAgent ? dealingRule(text) : null);
  if (done !== null) return [done];
  const thing = toAgent ? plainRule(text, joined) : null;
  if (thing !== null) return [thing];
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
  const isEnding =
    /^I (?:(?:just|finally|already|recently) )*(?:cancel|am not |quit|sold|gave up|stopped|switched|left|got rid|moved)/.test(
      restored,
    );
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
  // "I'd rather you didn't …", "I no longer need …" are the wish itself.
  if (asked.length > 0 && (isOwnWish(text) || /\b(?:you|u)\b|^(?:i want|i need)\b/i.test(text))) return asked;
  return [...asked, ...draftClauses(text, setting, said)];
}
