/** BERT's uncased WordPiece tokenizer. */
export interface WordPiece {
  /** The ids of a text's pieces, without [CLS] and [SEP], at most `limit` of them. */
  encode(text: string, limit: number): number[];
}

/** The ids that frame a text in all BERT vocabularies of this family. */
export const SPECIAL_IDS = { padding: 0, unknown: 100, start: 101, end: 102 } as const;

/** BERT's tokenizer maps longer words to [UNK]. */
const LONGEST_WORD = 100;

/** English has 4 to 5 characters per piece. Text beyond 32 characters per piece cannot fit, so it is not read. */
const CHARACTERS_PER_PIECE = 32;

const NON_ASCII = /[^\0-\x7f]/;
const ASCII_CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
// Unassigned code points stay, so that emoji newer than the Unicode tables of Node do not disappear.
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
  /** Appends the pieces of one word, greedily the longest in the vocabulary. */
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

/** Looks up the ids of pieces. A Map fits this interface. */
export interface Vocabulary {
  get(piece: string): number | undefined;
}

/** Twice as many slots as pieces, so that most are found at the first probe. */
const SLOTS = 65_536;
const EMPTY = 0xff_ff;

/**
 * Packs a vocabulary into little-endian bytes that can be searched without parsing: the number of pieces, where each starts, a hash table
 * of ids, and the pieces in UTF-16. Building a Map of 30,000 pieces would take 10 ms.
 */
export function packVocabulary(pieces: readonly string[]): Uint8Array<ArrayBuffer> {
  const characters = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = new Uint8Array(4 + (pieces.length + 1) * 4 + SLOTS * 2 + characters * 2);
  new Uint32Array(bytes.buffer, 0, 1)[0] = pieces.length;
  const { starts, slots, units } = partsOf(bytes);
  slots.fill(EMPTY);
  let end = 0;
  for (const [id, piece] of pieces.entries()) {
    starts[id] = end;
    for (let i = 0; i < piece.length; i++) units[end++] = piece.charCodeAt(i);
    let slot = slotOf(piece);
    while (slots[slot] !== EMPTY) slot = (slot + 1) % SLOTS;
    slots[slot] = id;
  }
  starts[pieces.length] = end;
  return bytes;
}

export function vocabularyTable(bytes: Uint8Array<ArrayBuffer>): Vocabulary {
  const { starts, slots, units } = partsOf(bytes);

  const isAt = (id: number, piece: string): boolean => {
    const start = starts[id]!;
    if (starts[id + 1]! - start !== piece.length) return false;
    for (let i = 0; i < piece.length; i++) if (units[start + i] !== piece.charCodeAt(i)) return false;
    return true;
  };

  return {
    get(piece) {
      for (let slot = slotOf(piece); ; slot = (slot + 1) % SLOTS) {
        const id = slots[slot]!;
        if (id === EMPTY) return undefined;
        if (isAt(id, piece)) return id;
      }
    },
  };
}

interface Parts {
  starts: Uint32Array;
  slots: Uint16Array;
  units: Uint16Array;
}

function partsOf({ buffer }: Uint8Array<ArrayBuffer>): Parts {
  const [count = 0] = new Uint32Array(buffer, 0, 1);
  const slots = 4 + (count + 1) * 4;
  return {
    starts: new Uint32Array(buffer, 4, count + 1),
    slots: new Uint16Array(buffer, slots, SLOTS),
    units: new Uint16Array(buffer, slots + SLOTS * 2),
  };
}

/** FNV-1a over UTF-16 units, folded to the number of slots. */
function slotOf(piece: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < piece.length; i++) hash = Math.imul(hash ^ piece.charCodeAt(i), 0x01_00_01_93);
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}
