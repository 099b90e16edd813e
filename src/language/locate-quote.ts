/** A place in a text. */
export interface Span {
  start: number;
  end: number;
}

interface Token extends Span {
  /** Without marks: "she's" and "shes" are one word. */
  word: string;
  /** What stands before an apostrophe: "Oonagh" of "Oonagh's". */
  base: string;
}

// Scripts without spaces between words are compared character by character.
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|\d+(?:[.,]\d+)*|[\p{L}\p{M}\p{N}]+(?:['’]\p{L}{1,2}(?!\p{L}))?/gu;

// A quote of this many words is compared within this many words of text: the alignment below takes their product.
const LONGEST_QUOTE = 120;
const LONGEST_TEXT = 6000;

/** Small slips are forgiven: nine tenths of the quote's words stand in the text, in order and close together. */
const SHARE = 0.9;
const STRETCH = 1.5;

/**
 * Finds the words of a quote in a text. Case, accents, punctuation and white space do not count; a quote that leaves something
 * out ("I moved … to Linz") is found piece by piece, in order. Null when the words do not stand there.
 */
export function locateQuote(text: string, quote: string): Span | null {
  const pieces = quote.split(/…|\[\.{3}\]|\.{3,}/u).filter((piece) => tokensOf(piece).length > 0);
  if (pieces.length === 0) return null;
  const tokens = tokensOf(text.slice(0, LONGEST_TEXT * 8)).slice(0, LONGEST_TEXT);
  let from = 0;
  let found: Span | null = null;
  for (const piece of pieces) {
    const words = tokensOf(piece)
      .map(({ word }) => word)
      .slice(0, LONGEST_QUOTE);
    const place = findExact(tokens, words, from) ?? findNearly(tokens, words, from);
    if (place === null) return null;
    const span = { start: (tokens[place.start] as Token).start, end: (tokens[place.end - 1] as Token).end };
    found = found === null ? span : { start: found.start, end: span.end };
    from = place.end;
  }
  return found;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const plain = match[0]
      .normalize('NFKD')
      .replace(/[\p{M}.,]/gu, '')
      .toLowerCase();
    const [base = ''] = plain.split(/['’]/);
    const word = plain.replace(/['’]/gu, '');
    if (word !== '') tokens.push({ word, base, start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/** "cost" stands for "costs": an ending of two letters is a slip of the pen. */
function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 4 && long.length - short.length <= 2 && long.startsWith(short);
}

function isWord(token: Token | undefined, word: string | undefined): boolean {
  return token !== undefined && (token.word === word || token.base === word);
}

/** The quote's words one after the other, as places among the tokens. */
function findExact(tokens: readonly Token[], words: readonly string[], from: number): Span | null {
  for (let start = from; start + words.length <= tokens.length; start += 1) {
    let length = 0;
    while (length < words.length && isWord(tokens[start + length], words[length])) length += 1;
    if (length === words.length) return { start, end: start + length };
  }
  return null;
}

/**
 * The shortest place that has nearly all of the quote's words in order: for every end the longest common subsequence, with the
 * latest start that reaches it.
 */
function findNearly(tokens: readonly Token[], words: readonly string[], from: number): Span | null {
  const needed = Math.ceil(words.length * SHARE);
  // Of a very short quote no word may be missing: every slip would be a large part of it.
  if (words.length < 4) return null;
  const length = Array.from<number>({ length: words.length + 1 }).fill(0);
  const begin = Array.from<number>({ length: words.length + 1 }).fill(-1);
  let best: Span | null = null;
  for (let index = from; index < tokens.length; index += 1) {
    let diagonalLength = 0;
    let diagonalBegin = index;
    for (let column = 1; column <= words.length; column += 1) {
      const [upLength, upBegin] = [length[column] as number, begin[column] as number];
      if (
        isWord(tokens[index], words[column - 1]) ||
        isSameWord((tokens[index] as Token).word, words[column - 1] as string)
      ) {
        length[column] = diagonalLength + 1;
        begin[column] = diagonalLength === 0 ? index : diagonalBegin;
      } else if ((length[column - 1] as number) > upLength) {
        length[column] = length[column - 1] as number;
        begin[column] = begin[column - 1] as number;
      }
      diagonalLength = upLength;
      diagonalBegin = upBegin;
    }
    const start = begin[words.length] as number;
    const isEnough = (length[words.length] as number) >= needed;
    const span = { start, end: index + 1 };
    if (!isEnough || span.end - start > Math.ceil(words.length * STRETCH) + 1) continue;
    if (best === null || span.end - span.start < best.end - best.start) best = span;
    if (best.end - best.start <= words.length) break;
  }
  return best;
}
