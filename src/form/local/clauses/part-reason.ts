import { expandContractions, joinTokens, tokenizeWords } from '../../../language/word-tokens.ts';
import { toThirdPerson } from './render-predicate.ts';

const REASON =
  /^(.{6,200}?),? (because of|because|due to|thanks to|so that|(?:'?cause|cuz|coz)(?= (?:i|i'm|my|we|it|it's|they|the)\b)|since(?= (?:i|i'm|i've|my|we|we're|our|it|it's|they|they're|the|there|he|she)\b| \p{L}+(?: \p{L}+)? (?:is|are|was|were|has|have|takes?|costs?|keeps?|makes?|gets?|got|does|do|can|can't|doesn't|don't)\b)|so(?= (?:i|we) (?:can|could|won't|don't have to|do not have to)\b)) (\S.*)$/iu;
// Whose meaning lies elsewhere, or who is asked.
const UNCLEAR =
  /\b(?:you|your|yours|this|these|those|here|if|maybe|perhaps|might|would|why|someone|something|that)\b|[?":]/i;
const MOST_WORDS = 14;

/** A sentence and the reason that it gives. */
export interface Reasoned {
  /** What is so, without its reason. */
  said: string;
  /** With its conjunction and in the third person: "because support costs were killing them". Null when it does not stand alone. */
  reason: string | null;
  /** What the reason says, as it was said; null when it is no clause. */
  clause: string | null;
}

/** Parts "we dropped the free tier because support was killing us". Without a reason the sentence stays whole. */
export function partReason(text: string): Reasoned {
  const [, said, conjunction, rest] = REASON.exec(text.replace(/[.!\s]+$/, '')) ?? [];
  if (said === undefined || conjunction === undefined || rest === undefined)
    return { said: text, reason: null, clause: null };
  const how = conjunction.toLowerCase().replace(/^(?:'?cause|cuz|coz)$/, 'because');
  const short = rest.split(/[,;(–—]| - | but | so (?!that\b)/)[0]?.trim() ?? '';
  const isShort = short.split(' ').length <= MOST_WORDS && /\p{L}{2}/u.test(short);
  const reason = isShort && !UNCLEAR.test(short) ? `${how} ${inThirdPerson(short)}` : null;
  return { said, reason, clause: how === 'because' || how === 'since' ? rest : null };
}

function inThirdPerson(text: string): string {
  return joinTokens(toThirdPerson(expandContractions(tokenizeWords(text))));
}

const STATED_REASON = /,? (?:because|due to|thanks to|so that|since (?=they\b|their\b|it\b|the\b)) .*$/;

/** What a statement says without the reason that it gives. */
export function withoutReason(content: string): string {
  return content.replace(STATED_REASON, '.');
}
