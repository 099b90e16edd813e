import { withoutAskingLeadIn } from '../clauses/without-lead-in.ts';

/** What a user explicitly asks to be remembered. */
export interface Asked {
  /** What it is, without the words that ask. Empty when it follows in the next sentence. */
  text: string;
  /** A thing to be done, not one that is so: "don't forget to call Ana". */
  toDo: boolean;
  /** "Note that" and "FYI" also say how a job is meant; "remember" does not. */
  mild: boolean;
}

const POLITE =
  /^(?:(?:can|could|would|will) (?:you|u) (?:please |pls |also |just )*|(?:i (?:want|need|would like|'d like)|i'd like) you to (?:please )?|(?:you (?:should|must|need to) )|make sure (?:you|to|that you) |be sure to |try to )/i;
const THAT = '(?: that\\b| this\\b| the following\\b| for (?:me|later|next time|future reference)\\b)*';
const MARK = '(?:\\s*[:,–—-]+\\s*|\\s+|$)';
const REMEMBER = new RegExp(
  `^(?:just )?(?:remember|memori[sz]e|don'?t (?:ever )?forget|do not (?:ever )?forget|never forget|keep (?:it |this )?in mind|bear in mind)${THAT}${MARK}`,
  'i',
);
const WRITE_DOWN = new RegExp(
  `^(?:(?:write|jot|note|take|put) (?:this|that|the following|it) down|make a (?:mental )?note(?: of (?:this|that))?|take (?:a )?note(?: of (?:this|that))?|add (?:this |that )?to (?:your|my) (?:memory|notes)|(?:save|store|log|record|file) (?:this|that|the following)|put (?:this|that) on record|commit (?:this|that) to memory)${THAT}${MARK}`,
  'i',
);
const MILD = new RegExp(
  `^(?:note to (?:self|myself)|(?:please )?note${THAT}(?=\\s*:|\\s+(?!that\\b)|,)|for the record|for (?:your|future) (?:information|reference)|for context|(?:just )?so you know|(?:just )?(?:an? )?fyi|f\\.y\\.i\\.|heads[- ]up|important(?: note)?(?=\\s*[:!–—-])|psa(?=\\s*:)|reminder(?=\\s*:)|to remember(?=\\s*:))${THAT}${MARK}`,
  'i',
);
// What was, and what the other still knows, is talk.
const NO_ASK =
  /^(?:when|how|what|where|who|why|which|whether|if|me\b|us\b|you\b|your\b|him\b|her\b|them\b|it\b|anything|everything|something|nothing|the (?:time|day|days|good|old)|those (?:days|times)|last (?:time|week|year|summer)|about (?:it|that|this)|correctly|well\b|all (?:that|this|of)|for (?:me|later)$|that$|this$|the rest|no (?:worries|problem|pressure|rush|stress|hurry)|i (?:love|like|miss|hate) you|our (?:chat|talk|conversation))/i;

// "FYI: lol", "important: please hurry".
const EMPTY =
  /^(?:(?:please|pls|thanks|thank you|lol|haha|hurry|asap|urgent|nope|yes|no|ok|okay|so|very|much|up)[\s,!.]*)+$/i;

/** "Remember that …", "note to self: …", "don't forget to …": what is asked to be kept; null when nothing is. */
export function readAsked(sentence: string): Asked | null {
  const clean = withoutAskingLeadIn(sentence.trim())
    .replace(POLITE, '')
    .replace(/^(?:please|pls|plz) /i, '');
  // "Can you remember that I live in Berlin?" may also ask whether it is known.
  if (/^(?:can|could|do|did|would|will) (?:you|u) remember\b/i.test(sentence.trim())) return null;
  const strong = REMEMBER.exec(clean) ?? WRITE_DOWN.exec(clean);
  const found = strong ?? MILD.exec(clean);
  if (found === null) return null;
  const rest = clean.slice(found[0].length).replace(/^[\s:,–—-]+/, '');
  const isMarked = /:\s*$/.test(found[0]);
  if (rest === '') return isMarked ? { text: '', toDo: false, mild: strong === null } : null;
  const isSure = isMarked || /\bthat\s+$/i.test(found[0]);
  if (NO_ASK.test(rest) && !isMarked) return null;
  // "Remember curtains?" asks; "can you remember that …?" asks for it to be kept.
  if (/\?\W*$/.test(rest) && !isSure) return null;
  const text = rest
    .replace(/[?.!\s]+$/, '')
    .replace(/,? (?:please|pls|plz|ok|okay|thanks|thank you|for me|for later)$/i, '');
  if (!/\p{L}{2}|\d/u.test(text)) return null;
  if (strong === null && EMPTY.test(text)) return null;
  const act = /^(?:to|about) (?=\p{L})/iu.exec(text)?.[0];
  return { text, toDo: act !== undefined, mild: strong === null };
}
