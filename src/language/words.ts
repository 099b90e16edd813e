// Scripts that write words without spaces between them, and Hangul, whose particles cling to the word.
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const WORD = new RegExp(
  String.raw`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}_])+(?:['’](?![${UNSPACED}])[\p{L}]+)*|\p{Extended_Pictographic}`,
  'gu',
);
const UNSPACED_RUN = new RegExp(`^[${UNSPACED}]`, 'u');

// Latin accents and Arabic vowel signs. Not all marks: か and が are different letters.
const ACCENTS = /[\u0300-\u036f\u064b-\u065f\u0670]/gu;

const LONGEST_WORD = 64;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * The words of a text in any language: in lower case, without accents, in their order.
 * A run of an unspaced script gives its dictionary words and its pairs of characters, so that
 * a part of a compound is found as well.
 */
export function words(text: string): string[] {
  const found: string[] = [];
  for (const [run] of fold(text).matchAll(WORD)) {
    if (UNSPACED_RUN.test(run)) found.push(...unspacedWords(run));
    else found.push(run.replace(/['’]s?$|['’]/gu, '').slice(0, LONGEST_WORD));
  }
  return found.filter((word) => word !== '');
}

/** Lower case, compatible forms made one, accents off. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
}

function unspacedWords(run: string): string[] {
  const characters = [...run];
  const found: string[] = [];
  for (const { segment } of segmenter.segment(run)) found.push(segment.slice(0, LONGEST_WORD));
  const dictionary = new Set(found);
  for (let index = 0; index + 1 < characters.length; index += 1) {
    const pair = `${characters[index]}${characters[index + 1]}`;
    if (!dictionary.has(pair)) found.push(pair);
  }
  return found;
}

// Bounds what one record costs in the index; PostgreSQL takes no more than 1 MiB of words.
const MOST_INDEXED_WORDS = 10_000;

/** The words of a text as the full-text index has them: stemmed, and not more than 10,000. */
export function indexWords(text: string): string[] {
  return words(text.slice(0, MOST_INDEXED_WORDS * 12))
    .slice(0, MOST_INDEXED_WORDS)
    .map(stem);
}

/**
 * A light stem: the endings that English inflection adds, nothing that changes what a word is about.
 * Other languages pass through all but unchanged; a word is always stemmed the same way on both sides.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:ches|shes|sses|xes|zes)$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('s')) return stem(word.slice(0, -1));
  const base = word.replace(/(?:ing|ed|ly)$/, '');
  if (base === word || base.length < 3 || !/[aeiouy]/.test(base)) return word;
  if (/([bdfgmnprt])\1$/.test(base)) return base.slice(0, -1);
  return base;
}
