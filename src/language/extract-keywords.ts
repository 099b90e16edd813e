import { stemEnglish } from './stem.ts';
import { isContentWord } from './stop-words.ts';
import { wordSet } from './word-set.ts';
import { tokenizeWords } from './word-tokens.ts';

const WEAK =
  wordSet(`love loves enjoy enjoys want wants prefer prefers hate hates work works live lives have go goes make makes think know good
  great new old time year years day days week month is user really big named called currently moved move need needs said new
  plays play take takes nice lot started start does dislike dislikes looking cannot because agent kept chose found wow hey hi hello thanks thank perfect awesome amazing glad went please done cool okay haha sorry
  happy help wants wanted said says told asked`);
const LONGEST_TEXT = 20_000;

/** The words that say what a text is about, best first: frequent, early and proper ones win. */
export function extractKeywords(text: string, limit = 8): string[] {
  const scores = new Map<string, { word: string; score: number }>();
  const tokens = tokenizeWords(text.slice(0, LONGEST_TEXT)).filter(
    ({ lower }) => /\p{L}/u.test(lower) && lower.length < 40,
  );
  for (const [index, { text: original, lower }] of tokens.entries()) {
    const word = lower.replace(/['’](?:s|m|d|re|ve|ll)$/, '');
    if (!isContentWord(word) || WEAK.has(word)) continue;
    const stem = stemEnglish(word);
    const known = scores.get(stem);
    const proper = index > 0 && /^\p{Lu}/u.test(original) ? 1 : 0;
    const early = 1 / (1 + index / 40);
    scores.set(stem, {
      word: known?.word ?? word,
      score: (known?.score ?? 0) + 1 + proper + early,
    });
  }
  return [...scores.values()]
    .sort((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ word }) => word);
}
