import type { Vocabulary } from './vocabulary-table.ts';

/** BERT's uncased WordPiece tokenizer. */
export interface WordPiece {
  /** The ids of a text's pieces, without [CLS] and [SEP], at most `limit` of them. */
  encode(text: string, limit: number): number[];
}

/** The ids that frame a text in all BERT vocabularies of this family. */
export const SPECIAL_IDS = { padding: 0, unknown: 100, start: 101, end: 102 } as const;

/** BERT gives up on longer words. */
const LONGEST_WORD = 100;

/** English takes 4 to 5 characters per piece; beyond 32 the rest of a text cannot matter, and is not looked at. */
const CHARACTERS_PER_PIECE = 32;

const NON_ASCII = /[^\0-\x7f]/;
const ASCII_CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
// Unassigned code points stay: emoji newer than this Node's Unicode tables must not vanish.
const CONTROL = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
const MARK = /\p{Mn}/gu;
const ASCII_WORD = /[!-/:-@[-`{-~]|[^\s!-/:-@[-`{-~]+/g;
// The ideographs of BERT's reference implementation: each is a word of its own. Japanese kana and Korean are not.
const IDEOGRAPH =
  '\\u4e00-\\u9fff\\u3400-\\u4dbf\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b81f}\\u{2b820}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}';
const PUNCTUATION = '\\p{P}$+<=>^`|~';
const WORD = new RegExp(`[${PUNCTUATION}${IDEOGRAPH}]|[^\\s${PUNCTUATION}${IDEOGRAPH}]+`, 'gu');

/** Creates a tokenizer over a vocabulary, whose continuations are marked with `##`. */
export function createWordPiece(vocabulary: Vocabulary): WordPiece {
  /** Appends the pieces of one word: always the longest that the vocabulary has. */
  function appendPieces(word: string, ids: number[]): void {
    const whole = vocabulary.get(word);
    if (whole !== undefined) {
      ids.push(whole);
      return;
    }
    const first = ids.length;
    let start = 0;
    while (start < word.length && word.length <= 2 * LONGEST_WORD) {
      let end = word.length;
      let id: number | undefined;
      for (; end > start && id === undefined; end--) {
        id = vocabulary.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`);
      }
      if (id === undefined) break;
      ids.push(id);
      start = end + 1;
    }
    const isTooLong = word.length > LONGEST_WORD && [...word].length > LONGEST_WORD;
    if (start < word.length || isTooLong) {
      ids.length = first;
      ids.push(SPECIAL_IDS.unknown);
    }
  }

  return {
    encode(text, limit) {
      const ids: number[] = [];
      for (const [word] of wordsOf(text.slice(0, limit * CHARACTERS_PER_PIECE))) {
        appendPieces(word, ids);
        if (ids.length >= limit) break;
      }
      return ids.length > limit ? ids.slice(0, limit) : ids;
    },
  };
}

function wordsOf(text: string): Iterable<RegExpMatchArray> {
  if (!NON_ASCII.test(text)) return text.replace(ASCII_CONTROL, '').toLowerCase().matchAll(ASCII_WORD);
  const clean = text.replace(CONTROL, '').normalize('NFD').replace(MARK, '').toLowerCase();
  return clean.matchAll(WORD);
}
