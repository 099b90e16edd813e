/** Counts the tokens of a text. */
export interface TokenCounter {
  /** `estimate`, or the name of the tokenizer. */
  readonly id: string;
  count(text: string): number;
}

// Tokens for one character by script, fitted on o200k_base (GPT-4o and later). The older cl100k_base takes
// as many for English and code, and half as many again for other scripts.
const HAN = 0.66;
const KANA = 0.67;
const HANGUL = 0.63;
const CYRILLIC = 0.3;
const OTHER_LETTER = 0.35;
const RARE = 1;

const ASCII_LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE = 4;
const SYMBOL = 5;
const OTHER = 6;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return ASCII_LETTER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return NEWLINE;
  return code === 32 || code === 9 ? SPACE : SYMBOL;
});

/**
 * The tokens of a text, estimated in one pass: within about 10 % for prose and code, 15 % for Chinese, Japanese
 * and Korean, some 20 times as fast as a tokenizer. An empty text has none.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    const kind = code < 128 ? (KINDS[code] as number) : OTHER;
    if (kind === OTHER) {
      tokens += otherScript(code);
      index += 1;
      continue;
    }
    const start = index;
    do index += 1;
    while (index < text.length && text.charCodeAt(index) < 128 && KINDS[text.charCodeAt(index)] === kind);
    tokens += runTokens(kind, index - start, code);
  }
  return Math.ceil(tokens);
}

/** A run of one kind of ASCII character. */
function runTokens(kind: number, length: number, first: number): number {
  switch (kind) {
    case ASCII_LETTER:
      // Most words are one token with the space before them; long ones fall apart.
      return length <= 6 ? 1 : 1 + (length - 6) * 0.11;
    case DIGIT:
      return Math.ceil(length / 3);
    case SPACE:
      // A single space belongs to the next word, as does the last of several.
      return length === 1 ? 0.02 : 0.75;
    case NEWLINE:
      return 0.75;
    default:
      // An apostrophe or a hyphen often joins what follows; a run of punctuation is often one token.
      return first === 39 && length === 1 ? 0.2 : 0.75 + (length - 1) * 0.28;
  }
}

function otherScript(code: number): number {
  if (code >= 0x4e00 && code <= 0x9fff) return HAN;
  if (code >= 0x3040 && code <= 0x30ff) return KANA;
  if (code >= 0xac00 && code <= 0xd7af) return HANGUL;
  if (code >= 0x0400 && code <= 0x052f) return CYRILLIC;
  if (code < 0x1000 || (code >= 0x1e00 && code <= 0x1fff)) return OTHER_LETTER;
  // An emoji is two characters here and about two tokens.
  return code >= 0x2000 && code <= 0x206f ? 0.6 : RARE;
}

/** The fast estimate as a counter, which is the default everywhere. */
export const estimatingCounter: TokenCounter = { id: 'estimate', count: estimateTokens };

/** An exact counter from a tokenizer's `encode`, such as the one of `gpt-tokenizer` or `js-tiktoken`. */
export function tokenizerCounter(id: string, encode: (text: string) => ArrayLike<unknown>): TokenCounter {
  return { id, count: (text) => encode(text).length };
}
