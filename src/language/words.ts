import { stemArabic, stemEnglish } from './stem.ts';

const WORD = /\p{Extended_Pictographic}|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu;
const HAN_KANA_HANGUL = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const HAN_KANA_HANGUL_RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ARABIC = /\p{Script=Arabic}/u;
const HAN = /\p{Script=Han}/u;
const LATIN_MARKS = /\p{Mn}/gu;

const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value) => [word, String(value)]),
);

let segmenter: Intl.Segmenter | undefined;

// Words run together in these scripts: overlapping pairs find "北京" inside any longer run, whatever a segmenter would cut.
function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  const tokens: string[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    if (HAN.test(character)) tokens.push(character);
    const next = characters[index + 1];
    if (next !== undefined) tokens.push(character + next);
  }
  return tokens;
}

function tokensOfWord(raw: string): string[] {
  if (HAN_KANA_HANGUL.test(raw)) {
    return (raw.match(HAN_KANA_HANGUL_RUNS) ?? []).flatMap((run) =>
      HAN_KANA_HANGUL.test(run) ? pairs(run) : tokensOfWord(run),
    );
  }
  if (UNSPACED.test(raw)) {
    segmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
    return Array.from(segmenter.segment(raw), (part) => part.segment);
  }
  if (ARABIC.test(raw)) return [stemArabic(raw.normalize('NFKD').replace(LATIN_MARKS, ''))];
  let word = raw
    .toLowerCase()
    .replace(/[’']s$/u, '')
    .replace(/[’']/gu, '');
  // Accents are folded so that "café" and "cafe" meet; German ß likewise.
  if (/[^\u0000-\u007f]/u.test(word)) word = word.normalize('NFKD').replace(LATIN_MARKS, '').replace(/ß/gu, 'ss');
  if (word === '') return [];
  return [NUMBER_WORDS.get(word) ?? stemEnglish(word)];
}

/**
 * The words of a text in any language, in their order, folded to what counts: lower case, no accents, English and
 * Arabic endings off. The one function for texts and for queries, in the database and in memory.
 */
export function words(text: string): string[] {
  const tokens: string[] = [];
  for (const match of text.match(WORD) ?? []) {
    if (/^[a-z]+$/u.test(match)) tokens.push(NUMBER_WORDS.get(match) ?? stemEnglish(match));
    // Not spread: a long text without spaces is one word of more parts than a call takes arguments.
    else for (const token of tokensOfWord(match)) tokens.push(token);
  }
  return tokens;
}

/**
 * The words to look for: as {@link words}, without the single characters of longer ones. A text in Han characters is
 * indexed by them too, but a query for 北京 does not mean every 京.
 */
export function queryWords(text: string): string[] {
  const found = words(text);
  const within = new Set(found.flatMap((word) => (HAN_ALONE.test(word) ? [] : [...word])));
  return found.filter((word) => !HAN_ALONE.test(word) || !within.has(word));
}

const HAN_ALONE = /^\p{Script=Han}$/u;

// Bounds what one record costs in the index; PostgreSQL takes no more than 1 MiB of words.
const MOST_INDEXED_WORDS = 10_000;
const LONGEST_WORD = 64;

/** The words of a text as the database's full-text index has them: not more than 10,000, none longer than 64 characters. */
export function indexWords(text: string): string[] {
  return words(text.slice(0, MOST_INDEXED_WORDS * 12))
    .slice(0, MOST_INDEXED_WORDS)
    .map((word) => word.slice(0, LONGEST_WORD));
}
