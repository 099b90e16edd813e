import { applyOwnedRules } from './apply-owned-rules.ts';
import { applySelfRules } from './apply-self-rules.ts';
import { businessRule } from './business-rule.ts';
import { headcountRule } from './headcount-rule.ts';
import { findAntecedent } from '../clauses/find-antecedent.ts';
import { invertedRule } from './inverted-rule.ts';
import { parseClause, type ParsedClause } from '../clauses/parse-clause.ts';
import { toThirdPerson } from '../clauses/render-predicate.ts';
import type { RuleSetting } from './self-rule.ts';
import { splitClauses, type Clause } from '../clauses/split-clauses.ts';
import { splitLikes } from './split-likes.ts';
import { splitMedicines } from './split-medicines.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { trimTail } from '../clauses/trim-tail.ts';
import { joinTokens, tokenizeWords, type Token } from '../../../language/word-tokens.ts';
import { wordSet } from '../../../language/word-set.ts';

const MOST_CLAUSES = 40;
const STUMP =
  /^(?:to )?(?:spend|go|do|be|mak|make|work|talk|play|get|gett|have|hav|take|tak|us|use|try|watch|see|look|liv|live|keep|giv|give|teach|help|meet|hear|listen|learn|hang|be able to \p{L}+|being able to \p{L}+)(?:ing)?(?: (?:time|lost|out|up|around|fun|more|things|stuff|better|along|away))?$|\bthe (?:most|best)$/u;
const UNREAL = new Set(['if', 'unless', 'whether', 'than', 'until', 'once']);
const UNCERTAIN = new Set(['maybe', 'perhaps', 'possibly', 'supposedly', 'allegedly', 'wish', 'wondering']);
const LASTING_FRAME = wordSet(`
  when while after before whenever where which who as how what why`);

/** Drafts what the clauses of one sentence state. */
export function draftClauses(text: string, setting: RuleSetting, saidBefore: string): StatementDraft[] {
  const clauses = splitClauses({ text, span: { start: 0, end: text.length } }, setting.people).slice(0, MOST_CLAUSES);
  const drafts: StatementDraft[] = [];
  const unreal = clauses.some(({ connector }) => connector === 'if' || connector === 'unless');
  for (const [index, clause] of clauses.entries()) {
    if (clause.connector !== null && (UNREAL.has(clause.connector) || LASTING_FRAME.has(clause.connector))) continue;
    if (clause.tokens.some((word) => UNCERTAIN.has(word.lower))) continue;
    const context = `${saidBefore} ${clauses
      .slice(Math.max(0, index - 3), index)
      .map(({ tokens }) => joinTokens(tokens))
      .join(' ')}`;
    const draft = draftClause(clause, setting, context);
    if (draft === null) {
      const inverted = invertedRule(joinTokens(clause.tokens), setting);
      if (inverted !== null) drafts.push(inverted);
      continue;
    }
    if (unreal && draft.type === 'goal') continue;
    drafts.push(...splitLikes(draft).flatMap(splitMedicines));
  }
  return drafts;
}

function draftClause(clause: Clause, setting: RuleSetting, context: string): StatementDraft | null {
  const parsed = parseClause(clause, setting.people);
  if (parsed === null) return null;
  const ofPerson = parsed.subject.kind === 'pronoun' || parsed.subject.kind === 'owned';
  const rest = trimTail(withoutIntroducingThis(parsed.rest), { pointingNouns: isOwed(parsed), ofPerson });
  if (rest === null) return null;
  const trimmed: ParsedClause = { ...parsed, rest };
  const draft = draftParsed(trimmed, parsed, setting, context);
  // "I love spending time with him" cut before "him" says nothing.
  if (draft !== null && rest.length < parsed.rest.length - 1 && STUMP.test(joinTokens(rest))) return null;
  return draft === null ? null : withLead(draft, trimmed);
}

/** "I got this cool lamp" introduces a lamp: "a", not a pointing "this". */
function withoutIntroducingThis(tokens: readonly Token[]): Token[] {
  return tokens.map((word, index) =>
    word.lower === 'this' &&
    /^(?:really|cool|awesome|amazing|great|new|nice|lovely|beautiful|huge)$/.test(tokens[index + 1]?.lower ?? '')
      ? { ...word, text: /^[aeiou]/.test(tokens[index + 1]?.lower ?? '') ? 'an' : 'a', lower: 'a' }
      : word,
  );
}

// What is so of both is so of the speaker.
const WE_ARE =
  /^(?:all |both |now |also )*(?:vegan|vegetarian|pescatarian|halal|kosher|married|engaged|divorced|pregnant|jewish|muslim|christian|catholic|hindu|due (?:on|in|at)|expecting|based (?:in|out of)|from)\b/i;

function isOwed({ modal, verb, rest }: ParsedClause): boolean {
  return modal === 'should' || modal === 'must' || (/^(?:need|have|get)$/.test(verb) && rest[0]?.lower === 'to');
}

function draftParsed(
  clause: ParsedClause,
  whole: ParsedClause,
  setting: RuleSetting,
  context: string,
): StatementDraft | null {
  const counted = setting.toAgent === true ? headcountRule(whole, { ...setting, around: context }) : null;
  if (counted !== null) return counted;
  switch (clause.subject.kind) {
    case 'self':
      return applySelfRules(clause, setting);
    case 'we':
      return (
        businessRule(clause, setting) ??
        ((clause.verb === 'be' && !WE_ARE.test(joinTokens(clause.rest))) ||
        clause.rest.some(({ lower }) => lower === 'each') ||
        isOwed(clause) ||
        clause.modal !== null ||
        (clause.adverbs.includes('all') && clause.verb !== 'be') ||
        clause.tense === 'future'
          ? null
          : together(applySelfRules(clause, setting), clause.subject.with))
      );
    case 'owned':
      return businessRule(clause, setting) ?? applyOwnedRules(clause, setting);
    case 'pronoun': {
      const person =
        findAntecedent(whole, context, setting.people) ??
        (clause.subject.pronoun === 'it' || clause.subject.plural ? null : someoneBefore(whole, setting));
      if (person === null) return null;
      const { owns } = clause.subject;
      const subject =
        owns === undefined ? person : { ...person, noun: owns.noun, phrase: `${person.phrase}'s ${owns.phrase}` };
      const draft = applyOwnedRules({ ...clause, subject }, setting);
      // With a name there is no doubt whom "she" means.
      const confidence = / \p{Lu}/u.test(person.phrase) ? draft?.confidence : 'medium';
      return draft === null ? null : { ...draft, confidence: confidence ?? 'medium', ownWords: [subject.phrase] };
    }
  }
}

/** The latest message that speaks of one whom "he" can mean. */
function someoneBefore(clause: ParsedClause, { before = [], people }: RuleSetting): ReturnType<typeof findAntecedent> {
  for (const text of before) {
    const person = findAntecedent(clause, text, people);
    if (person !== null) return person;
  }
  return null;
}

/** "My wife and I moved": the user did, with their wife. */
function together(draft: StatementDraft | null, other: string | undefined): StatementDraft | null {
  return draft === null || other === undefined || draft.predicate.includes(other)
    ? draft
    : { ...draft, predicate: `${draft.predicate} with ${other}` };
}

/** A leading "Last week" or "In 2019" belongs to the statement. */
function withLead(draft: StatementDraft, clause: ParsedClause): StatementDraft {
  const lead = clause.lead.replace(/^(?:as for me|for me|now|still)$/i, '').trim();
  if (lead === '' || /\b(?:you|it|that|this one|when i|him|her|them)\b/i.test(lead)) return draft;
  if (
    !/\b(?:last|next|ago|yesterday|today|tomorrow|tonight|in (?:\w+ )?\d{4}|since|currently|recently|sometimes|usually|lately|every|on \w+day|week|month|year|summer|winter|spring|fall|weekend|morning)/i.test(
      lead,
    )
  )
    return draft;
  return {
    ...draft,
    predicate: `${draft.predicate} ${joinTokens(toThirdPerson(tokenizeWords(lead)))}`.replace(
      / (Last|Next|In|On|Yesterday|Today|Tomorrow|Tonight|Every|Currently|Recently|Sometimes|Usually|Lately|Since|This|Two|Three|A)\b(?=[^A-Z]*$)/,
      (word) => word.toLowerCase(),
    ),
  };
}
