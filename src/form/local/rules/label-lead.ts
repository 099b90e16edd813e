import { analyseVerb } from '../../../language/verb-forms.ts';
import { joinTokens, expandContractions, tokenizeWords } from '../../../language/word-tokens.ts';
import { toThirdPerson } from '../clauses/render-predicate.ts';
import type { StatementDraft } from '../statement-draft.ts';

const NEWS =
  /^(?:(?:quick |small |big |another )?(?:update|news|good news|bad news|great news|tl;? ?dr|ps|p\.s\.?|in short|short version|long story short|status)(?:\s*[:,;–—-]\s*|\s+(?=(?:i|i'm|my|we|our|the)\b)))/i;
const DECIDED =
  /^(?:ok(?:ay)?,? |so,? )?(?:final(?:ly)? )?(?:decided|decision|(?:we|i)(?:'ve| have)? decided|verdict|settled|agreed|conclusion)\s*[:–—]\s*(\S.*)$/i;
const CLAUSE =
  /\b(?:is|are|was|will|has|have|go(?:es)?|gets?|moves?|starts?|stops?|stays?|becomes?|takes?|comes?|ends?|costs?|run|runs|close|closes|open|opens|needs?)\b/i;

/** "Update: the client is now Siemens" → "the client is now Siemens". */
export function withoutNewsLabel(text: string): string {
  return text.replace(NEWS, '');
}

/** "Decision: we go with Stripe", "decided: no more wholesale from August". */
export function decidedRule(text: string, speaker: string): StatementDraft | null {
  const what = DECIDED.exec(text.replace(/[’]/g, "'"))?.[1]?.replace(/[.!\s]+$/, '');
  if (what === undefined || what.endsWith('?') || !what.includes(' ')) return null;
  return {
    type: 'decision',
    subject: speaker,
    predicate: `decided${decidedOn(what)}`,
    polarity: /^(?:no\b|not\b|against\b)/i.test(what) ? 'negative' : 'positive',
    importance: 0.7,
    confidence: 'high',
    looksAhead: true,
    ownWords: ['decided'],
  };
}

function decidedOn(what: string): string {
  const said = joinTokens(toThirdPerson(expandContractions(tokenizeWords(what))));
  const own = /^they (?:are |will |am )?(\p{Ll}+)(.*)$/u.exec(said);
  if (own?.[1] !== undefined && !/^(?:not|do|did|can|could|should|have|had|were|was)$/.test(own[1]))
    return ` to ${analyseVerb(own[1]).base}${own[2] ?? ''}`;
  if (/^(?:to|on|against|not to) /i.test(said)) return ` ${said}`;
  return CLAUSE.test(said) && !/^no\b/i.test(said) ? ` that ${said}` : `: ${said}`;
}
