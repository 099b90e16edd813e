import { analyseVerb } from '../../../language/verb-forms.ts';
import { joinTokens, expandContractions, tokenizeWords } from '../../../language/word-tokens.ts';
import { toThirdPerson } from '../clauses/render-predicate.ts';
import type { StatementDraft } from '../statement-draft.ts';

const DECIDED =
  /^(?:ok(?:ay)?,? |so,? )?(?:final(?:ly)? )?(?:decided|decision|(?:we|i)(?:'ve| have)? decided|verdict|settled|agreed|conclusion)\s*[:–—]\s*(\S.*)$/i;
const CLAUSE =
  /\b(?:is|are|was|will|has|have|go(?:es)?|gets?|moves?|starts?|stops?|stays?|becomes?|takes?|comes?|ends?|costs?|run|runs|close|closes|open|opens|needs?)\b/i;

const LETS =
  /^(?:(?:ok|okay|yes|yeah|alright|great|perfect|sure|cool|hmm|well|then|so)[,.!]? )*(?:let us|let's|lets|we(?:'ll| will)|i(?:'ll| will)|i(?:'d| would) like to) (?:go (?:ahead )?with|use|choose|pick|take|stick with|stay with|do) ((?:the |option |a |an |our |version |plan |\p{Lu})[^.!?]{1,80}?)(?:,? (?:then|please|instead|thanks))?[.!]*$/iu;
const IT_IS =
  /^(?!.*\b(?:how|what|why|as|know|think|wish|if|i|that|because|when)\b)(?:ok|okay|alright)?,? ?((?:the |option |plan )?[a-z0-9 ]{2,40}) it is[.!]*$/i;

/** "Decision: we go with Stripe", "decided: no more wholesale from August". */
export function decidedRule(text: string, speaker: string): StatementDraft | null {
  const what = DECIDED.exec(text)?.[1]?.replace(/[.!\s]+$/, '');
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

/** "Let's go with the second one", "the blue one it is". */
export function chosenRule(text: string, speaker: string): StatementDraft | null {
  const chosen = (LETS.exec(text)?.[1] ?? IT_IS.exec(text)?.[1])?.trim();
  if (chosen === undefined || /^(?:that|this|it|a look|a break)\b/i.test(chosen)) return null;
  return {
    type: 'decision',
    subject: speaker,
    predicate: `chose ${chosen.replace(/\bmy\b/g, 'their').replace(/\bour\b/g, 'their')}`,
    polarity: 'positive',
    importance: 0.7,
    confidence: 'high',
    ownWords: ['chose'],
  };
}
