import { detectPack } from '../../language/packs/packs.ts';
import { fnv1a, matchesOf } from '../../language/words.ts';
import type { TextPart } from './encoder.ts';
import { type GlossedText, glossWith, type Lexicon, readLexicon } from './lexicon.ts';
import { TEXTS_PER_TASK } from './memory-layout.ts';

/** Replaces another language's words by English ones, because the model was trained on English. */
export interface Glossary {
  /** Returns the text unchanged if its language has no lexicon. */
  gloss(text: string): string;
  /** A group whose language is not detected has the language of all groups together. */
  glossTogether(groups: readonly (readonly string[])[]): GlossedText[][];
}

/** `read` is called for the first text in another language, and each lexicon is parsed for the first text in its language. */
export function createGlossary(read: () => string): Glossary {
  let sources: ReadonlyMap<string, string> | null = null;
  const opened = new Map<string, Lexicon | null>();

  const lexiconOf = (language: string): Lexicon | null => {
    if (language === 'en') return null;
    let lexicon = opened.get(language);
    if (lexicon === undefined) {
      sources ??= new Map(
        read()
          .split(/^# /mu)
          .map((source): [language: string, source: string] => [source.slice(0, 2), source]),
      );
      const source = sources.get(language);
      opened.set(language, (lexicon = source === undefined ? null : readLexicon(source)));
    }
    return lexicon;
  };

  return {
    gloss: (text) => glossed(text, lexiconOf(languageOf(text))).text,
    glossTogether(groups) {
      const whole = languageOf(groups.flat().join(' '));
      return groups.map((parts) => {
        const lexicon = lexiconOf(languageOf(parts.join(' '), whole));
        return parts.map((part) => glossed(part, lexicon));
      });
    },
  };
}

function languageOf(text: string, fallback = 'en'): string {
  return detectPack(text)?.language ?? fallback;
}

function glossed(text: string, lexicon: Lexicon | null): GlossedText {
  return lexicon === null ? { text, stretches: [] } : glossWith(lexicon, text);
}

export function wordsOfGloss({ text, stretches }: GlossedText): { text: string; start: number; end: number }[] {
  let next = 0;
  let shift = 0;
  const sourceOf = (at: number, edge: 'start' | 'end'): number => {
    for (let stretch = stretches[next]; stretch !== undefined && stretch.end <= at; stretch = stretches[++next])
      shift = stretch.source.end - stretch.end;
    const around = stretches[next];
    return around !== undefined && around.start < at + (edge === 'start' ? 1 : 0) ? around.source[edge] : at + shift;
  };
  return matchesOf(text, /\S+/gu).map(({ 0: word, index }) => ({
    text: word,
    start: sourceOf(index, 'start'),
    end: sourceOf(index + word.length, 'end'),
  }));
}

export interface WordPiece {
  /** Returns at most `limit` ids, without [CLS] and [SEP]. */
  encode(text: string, limit: number): number[];
}

export const SPECIAL_IDS = { padding: 0, unknown: 100, start: 101, end: 102 } as const;

const LONGEST_WORD = 100;

/** English has 4 to 5 characters per piece, so text beyond this would not fit and is not read. */
const CHARACTERS_PER_PIECE = 32;

const NON_ASCII = /[^\0-\x7f]/;
const ASCII_CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
// Keeps unassigned code points, so that emoji newer than Node's Unicode tables do not disappear.
const CONTROL = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
const MARK = /\p{Mn}/gu;
const ASCII_WORD = /[!-/:-@[-`{-~]|[^\s!-/:-@[-`{-~]+/g;
// In BERT's reference implementation, each ideograph is a separate word, but Japanese kana and Korean characters are not.
const IDEOGRAPH =
  '\\u4e00-\\u9fff\\u3400-\\u4dbf\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b81f}\\u{2b820}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}';
const PUNCTUATION = '\\p{P}$+<=>^`|~';
const WORD = new RegExp(`[${PUNCTUATION}${IDEOGRAPH}]|[^\\s${PUNCTUATION}${IDEOGRAPH}]+`, 'gu');

/** The vocabulary marks continuations with `##`. */
export function createWordPiece(vocabulary: Vocabulary): WordPiece {
  /** Appends at each position the longest piece in the vocabulary. */
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

export interface Vocabulary {
  get(piece: string): number | undefined;
}

/** Twice as many slots as pieces, so that most pieces are found at the first probe. */
const SLOTS = 65_536;
const EMPTY = 0xff_ff;

/**
 * Packs a vocabulary so that it can be searched without parsing: the number of pieces, their starts, a hash table of ids, and the pieces in
 * UTF-16. Building a Map of 30,000 pieces would take 10 ms.
 */
export function packVocabulary(pieces: readonly string[]): Uint8Array<ArrayBuffer> {
  const characters = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = new Uint8Array(4 + (pieces.length + 1) * 4 + SLOTS * 2 + characters * 2);
  new Uint32Array(bytes.buffer, 0, 1)[0] = pieces.length;
  const { starts, slots, units } = vocabularyParts(bytes);
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
  const { starts, slots, units } = vocabularyParts(bytes);

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

interface VocabularyParts {
  starts: Uint32Array;
  slots: Uint16Array;
  units: Uint16Array;
}

function vocabularyParts({ buffer }: Uint8Array<ArrayBuffer>): VocabularyParts {
  const [count = 0] = new Uint32Array(buffer, 0, 1);
  const slots = 4 + (count + 1) * 4;
  return {
    starts: new Uint32Array(buffer, 4, count + 1),
    slots: new Uint16Array(buffer, slots, SLOTS),
    units: new Uint16Array(buffer, slots + SLOTS * 2),
  };
}

function slotOf(piece: string): number {
  const hash = fnv1a(piece);
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}

/** A longer text is truncated: the mean of many windows represents none of them well, and few messages are longer. */
const MAXIMUM_WINDOWS = 8;

export function windowsOf(text: string, wordPiece: WordPiece, maximumTokens: number): number[][] {
  const size = maximumTokens - 2;
  const pieces = wordPiece.encode(text, size * MAXIMUM_WINDOWS);
  const count = Math.max(1, Math.ceil(pieces.length / size));
  const share = Math.ceil(pieces.length / count);
  return Array.from({ length: count }, (_, index) => [
    SPECIAL_IDS.start,
    ...pieces.slice(index * share, (index + 1) * share),
    SPECIAL_IDS.end,
  ]);
}

interface MessageWindow {
  ids: number[];
  parts: TextPart[];
  /** How many parts at the start are repeated from the first window. */
  skipped: number;
  /** Empty if earlier turns are read as well. */
  words: MessageWord[];
}

/** `start` and `end` are offsets in the original text of the part, `pieces` is a range of the window. */
export interface MessageWord {
  part: number;
  start: number;
  end: number;
  pieces: TextPart;
}

interface Reading {
  wordPiece: WordPiece;
  maximumTokens: number;
}

// Largest shares of a window. The rest is for earlier turns, of which the latest may be repeated in every window.
const MOST_OF_PART = 0.47;
const MOST_REPEATED = 0.19;
const MOST_OF_REQUEST = 0.43;
const MOST_OF_LATEST = 0.6;
/** A smaller window has no space for both a request and earlier turns. */
const LEAST_FOR_REQUEST = 128;

/**
 * Each window begins with the first part, because the author's request there determines whose words the other parts are. With earlier
 * turns, each begins with the whole message.
 */
export function messageWindows(
  parts: readonly GlossedText[],
  said: readonly (readonly GlossedText[])[],
  reading: Reading,
): MessageWindow[] {
  const isAlone = said.length === 0 || reading.maximumTokens < LEAST_FOR_REQUEST;
  return isAlone ? windowsOfMessage(parts, reading) : windowsOfRequest(parts, said, reading);
}

function windowsOfMessage(parts: readonly GlossedText[], { wordPiece, maximumTokens }: Reading): MessageWindow[] {
  const windows: MessageWindow[] = [];
  const first = wordPiece.encode(parts[0]?.text ?? '', Math.floor(maximumTokens * MOST_REPEATED));
  const begin = (): MessageWindow => {
    const isFirst = windows.length === 0;
    const ids: number[] = [SPECIAL_IDS.start, ...(isFirst ? [] : first)];
    windows.push({ ids, parts: isFirst ? [] : [[1, first.length]], skipped: isFirst ? 0 : 1, words: [] });
    return windows.at(-1)!;
  };
  let window = begin();
  for (const [index, part] of parts.entries()) {
    const pieces = piecesOf(part.text, wordPiece, Math.floor(maximumTokens * MOST_OF_PART));
    if (window.ids.length + pieces.length >= maximumTokens || window.parts.length === TEXTS_PER_TASK) {
      if (windows.length === MAXIMUM_WINDOWS) break;
      window = begin();
    }
    appendWords(window, part, index, pieces.length, wordPiece);
    append(window, pieces);
  }
  for (const { ids } of windows) ids.push(SPECIAL_IDS.end);
  return windows;
}

/**
 * Each window repeats the request and, if it is short enough, the latest turn, to which "that" in a request refers. A separator follows
 * each turn.
 */
function windowsOfRequest(
  parts: readonly GlossedText[],
  said: readonly (readonly GlossedText[])[],
  { wordPiece, maximumTokens }: Reading,
): MessageWindow[] {
  if (parts.length > TEXTS_PER_TASK / 2) throw new RangeError(`A request has at most ${TEXTS_PER_TASK / 2} parts.`);
  const head: MessageWindow = { ids: [SPECIAL_IDS.start], parts: [], skipped: 0, words: [] };
  let room = Math.floor(maximumTokens * MOST_OF_REQUEST);
  for (const part of parts) {
    const pieces = piecesOf(part.text, wordPiece, Math.max(1, room));
    room -= pieces.length;
    append(head, pieces);
  }
  head.ids.push(SPECIAL_IDS.end);
  const longest = Math.min(Math.floor(maximumTokens * MOST_OF_PART), maximumTokens - head.ids.length - 1);
  const again = (): MessageWindow => ({
    ids: [...head.ids],
    parts: [...head.parts],
    skipped: head.parts.length,
    words: [],
  });
  const windows: MessageWindow[] = [{ ...again(), skipped: 0 }];
  for (const [number, sentences] of said.entries()) {
    const turn = sentences.map(({ text }) => piecesOf(text, wordPiece, longest));
    const tokens = turn.reduce((sum, pieces) => sum + pieces.length, 1);
    for (const [place, pieces] of turn.entries()) {
      let window = windows.at(-1)!;
      const wanted = window.ids.length + (place === 0 ? Math.min(tokens, maximumTokens / 2) : pieces.length + 1);
      if (wanted > maximumTokens || window.parts.length === TEXTS_PER_TASK) {
        if (windows.length === MAXIMUM_WINDOWS) return windows;
        windows.push((window = again()));
      }
      append(window, pieces);
    }
    windows.at(-1)!.ids.push(SPECIAL_IDS.end);
    if (number === 0 && windows.length === 1 && head.ids.length + tokens <= maximumTokens * MOST_OF_LATEST) {
      for (const pieces of turn) append(head, pieces);
      head.ids.push(SPECIAL_IDS.end);
    }
  }
  return windows;
}

function piecesOf(text: string, wordPiece: WordPiece, limit: number): number[] {
  const pieces = wordPiece.encode(text, limit);
  return pieces.length === 0 ? [SPECIAL_IDS.unknown] : pieces;
}

/** Records where the words of a part are, before the part is appended. A word whose pieces do not all fit is left out. */
function appendWords(
  { ids, words }: MessageWindow,
  glossed: GlossedText,
  part: number,
  limit: number,
  wordPiece: WordPiece,
): void {
  let place = ids.length;
  const end = place + limit;
  for (const { text, ...span } of wordsOfGloss(glossed)) {
    const count = wordPiece.encode(text, limit).length;
    if (place + count > end) return;
    if (count > 0) words.push({ part, ...span, pieces: [place, count] });
    place += count;
  }
}

function append({ ids, parts }: MessageWindow, pieces: readonly number[]): void {
  parts.push([ids.length, pieces.length]);
  ids.push(...pieces);
}
