import WORDS from '../language/packs/forget-words.json' with { type: 'json' };
import type { Pack } from '../language/packs/pack.ts';
import { packPattern, packRegExp, PACKS, perPack, plainMarks, wordsPattern } from '../language/packs/packs.ts';
import { withoutEnd } from '../language/words.ts';
import { tellingStems } from './meant-by-request.ts';

/** Patterns for words of forgetting that are not a plain request: a change of plan, a correction, or a request to forget everything. */
const patternsOf = perPack(({ language, script, calendar, requests: { lead, polite } }) => {
  const { ofMemory, goesOn, forNow, corrects, isNew, whole, announces } = WORDS[language as keyof typeof WORDS];
  const beside = `[\\s,¿¡]|(?:${lead}|${polite})(?![\\p{L}])`;
  const isHan = script === 'han';
  const ends = isHan ? '' : '(?![\\p{L}])';
  return {
    ofMemory: wordsPattern(ofMemory, script),
    forNow: wordsPattern(forNow, script),
    goesOn: packRegExp(`^(?:${goesOn})${ends}`),
    corrects: packRegExp(`^(?:${corrects})${ends}`),
    isNew: wordsPattern(isNew, script),
    date: wordsPattern([...calendar.weekdays, ...calendar.months].join('|'), script),
    announces: packRegExp(`^\\s*(?:${announces})\\s*$`),
    whole: packRegExp(isHan ? `^(?:${whole})$` : `^(?:${beside})*(?:${whole})(?:${beside})*$`),
  };
});

/** The phrases by which a request is made. */
const ASKS = ['request:forget', 'request:forgetNamed', 'request:drop'] as const;
const CLAUSE = /[,;.!?–—。，、！？]|\s-\s/u;
/** Fewer words are a tag: "ok?", "right?". */
const SHORTEST_QUESTION = 3;

/**
 * "Forget the peanut sauce, what about soy?": whether a phrase of forgetting changes a plan. Its object has no word that refers to memory
 * ("my", "what I told you"), and it is limited to now, or a proposal, a question or an instruction follows. `after` begins with the phrase.
 */
export function changesPlan(after: string, pack: Pack): boolean {
  const { ofMemory, forNow, goesOn } = patternsOf(pack);
  const text = plainMarks(after);
  const at = CLAUSE.exec(text)?.index ?? text.length;
  const own = text.slice(0, at);
  if (ofMemory.test(own) || (pack.script !== 'han' && tellingStems(own, pack).size === 0)) return false;
  const rest = text.slice(at).replace(/^[\s,;.!?–—。，、！？-]+/u, '');
  // "You need not keep my address, wipe it": the request is repeated.
  if (ASKS.some((name) => packPattern(pack, name).test(rest))) return false;
  if (forNow.test(own) || goesOn.test(rest)) return true;
  const isQuestion = /[?？]\s*$/u.test(rest) && (rest.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= SHORTEST_QUESTION;
  return isQuestion && !packPattern(pack, 'request:polite').test(rest);
}

/**
 * "Scratch that, the meeting is at four": where the clause begins that gives a new value in the place of what is to be forgotten; null where
 * the sentence gives none. A value after "my …" is new only with a word that says so, because it may be the one to forget.
 */
export function correctionStart(sentence: string, pack: Pack): number | null {
  const text = plainMarks(sentence);
  const mark = /[,;–—，、]\s*|\s-\s/u.exec(text);
  if (mark === null) return null;
  const at = mark.index + mark[0].length;
  const [own, rest] = [text.slice(0, mark.index), text.slice(at)];
  const { ofMemory, corrects, isNew, date } = patternsOf(pack);
  if (!ASKS.some((name) => packPattern(pack, name).test(own)) || !corrects.test(rest)) return null;
  const hasValue = /\d/u.test(rest) || date.test(rest) || /(?<=\p{Ll}\p{L}* )\p{Lu}\p{Ll}/u.test(rest);
  return hasValue && (isNew.test(rest) || !ofMemory.test(own)) ? at : null;
}

/** "Forget everything you know about me": whether a sentence asks to forget everything, and says nothing else. */
export function asksForAll(sentence: string): boolean {
  const text = withoutEnd(plainMarks(sentence), ' \n.!?…。！？');
  // Such a sentence has too few words to detect its language.
  return PACKS.some((pack) => patternsOf(pack).whole.test(text.trim()));
}

/** "One last thing: my address, forget it.": whether the words before a colon only announce what the user asks. */
export function announces(lead: string, pack: Pack): boolean {
  return patternsOf(pack).announces.test(plainMarks(lead));
}
