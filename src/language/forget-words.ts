import WORDS from './packs/forget-words.json' with { type: 'json' };
import { detectPack, packPattern, packRegExp, PACKS, perPack, plainMarks, wordsPattern } from './packs/packs.ts';
import { splitSentences, type TextSpan } from './sentences.ts';
import { withoutEnd } from './words.ts';

const patternsOf = perPack(({ language, script, requests: { lead, polite } }) => {
  const { order, everything, ofMemory, forNow, goesOn } = WORDS[language as keyof typeof WORDS];
  const isHan = script === 'han';
  const beside = `[\\s,¿¡]|(?:${lead}|${polite})(?![\\p{L}])`;
  return {
    order: packRegExp(
      isHan ? `^(?:请|麻烦|你|就|还是|那){0,3}(?:${order})` : `^(?:${beside})*(?:${order})(?![\\p{L}])`,
    ),
    everything: packRegExp(isHan ? `^(?:${everything})$` : `^(?:${beside})*(?:${everything})(?:${beside})*$`),
    ofMemory: wordsPattern(ofMemory, script),
    forNow: wordsPattern(forNow, script),
    goesOn: packRegExp(`^(?:${goesOn})${isHan ? '' : '(?![\\p{L}])'}`),
  };
});

/**
 * Whether a clause of a turn begins with an order to forget or remove something ("forget the cheese shop"); `isOfMemory` tells whether it
 * also has a word that refers to what the user has said ("my", "what I said about"). Null where it is no such order.
 */
export function orderIn(clause: string, turn: string): { isOfMemory: boolean } | null {
  const pack = detectPack(turn);
  const words = plainMarks(clause).trim();
  const patterns = (pack === null ? PACKS : [pack]).map(patternsOf).find(({ order }) => order.test(words));
  return patterns === undefined ? null : { isOfMemory: patterns.ofMemory.test(words) };
}

/** "Forget everything you know about me": whether a sentence of a turn asks to forget everything, and says nothing else. */
export function asksForAll(turn: string): boolean {
  return splitSentences(turn).some(({ text }) => {
    const words = withoutEnd(plainMarks(text), ' \n.!?…。！？').trim();
    // Such a sentence has too few words to detect its language.
    return PACKS.some((pack) => patternsOf(pack).everything.test(words));
  });
}

/** Fewer words are a tag: "ok?", "right?". */
const SHORTEST_QUESTION = 3;

/**
 * "Forget the peanut sauce, what about soy?": whether a request only changes a plan. Its clauses have no word that refers to memory ("my",
 * "what I told you"), and it is limited to now, or a proposal, a question or an instruction follows.
 */
export function changesPlan(content: string, asking: readonly (TextSpan & { text: string })[]): boolean {
  const pack = detectPack(content);
  const last = asking.at(-1);
  if (pack === null || last === undefined) return false;
  const { ofMemory, forNow, goesOn } = patternsOf(pack);
  const own = plainMarks(asking.map(({ text }) => text).join(''));
  if (ofMemory.test(own)) return false;
  const rest = plainMarks(content.slice(last.end)).replace(/^[\s,;.!?–—。，、！？-]+/u, '');
  const isQuestion = /[?？]\s*$/u.test(rest) && (rest.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= SHORTEST_QUESTION;
  return forNow.test(own) || goesOn.test(rest) || (isQuestion && !packPattern(pack, 'request:polite').test(rest));
}
