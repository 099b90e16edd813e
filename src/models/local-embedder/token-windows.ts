import { detectPack } from '../../language/packs/packs.ts';
import { fnv1a, matchesOf } from '../../language/words.ts';
import type { TextPart } from './encoder.ts';
import { type GlossedText, glossWith, type Lexicon, readLexicon } from './lexicon.ts';
import { TEXTS_PER_TASK } from './memory-layout.ts';

/** Replaces another language's words by English ones, because the model was trained on English. */
export interface Glossary {
  /** Returns the text with English words if its language has a lexicon. Otherwise returns it unchanged. */
  gloss(text: string): string;
  /** Does the same for groups of parts. If a group's language is not detected, uses the language of all groups together. */
  glossTogether(groups: readonly (readonly string[])[]): GlossedText[][];
}

/**
 * Creates a glossary from the lexicons of `train/lexicons`, which `read` returns as one text. The lexicons are read when the first text in
 * another language arrives, and each is parsed when the first text in its language arrives.
 */
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

/** Splits a glossed text into words at white space, each with its span in the source. */
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

/** BERT's uncased WordPiece tokenizer. */
export interface WordPiece {
  /** Returns the ids of a text's pieces, at most `limit` of them, without [CLS] and [SEP]. */
  encode(text: string, limit: number): number[];
}

/** The ids that frame a text in every BERT vocabulary of this family. */
export const SPECIAL_IDS = { padding: 0, unknown: 100, start: 101, end: 102 } as const;

/** BERT's tokenizer maps a word longer than this to [UNK]. */
const LONGEST_WORD = 100;

/**
 * English has 4 to 5 characters per piece. Text beyond 32 characters per piece of the limit is not read, because it would not fit anyway.
 */
const CHARACTERS_PER_PIECE = 32;

const NON_ASCII = /[^\0-\x7f]/;
const ASCII_CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
// Keeps unassigned code points, so that emoji newer than Node's Unicode tables do not disappear.
const CONTROL = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
const MARK = /\p{Mn}/gu;
const ASCII_WORD = /[!-/:-@[-`{-~]|[^\s!-/:-@[-`{-~]+/g;
// The ideographs in BERT's reference implementation, each of which is a separate word. Japanese kana and Korean characters are not.
const IDEOGRAPH =
  '\\u4e00-\\u9fff\\u3400-\\u4dbf\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b81f}\\u{2b820}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}';
const PUNCTUATION = '\\p{P}$+<=>^`|~';
const WORD = new RegExp(`[${PUNCTUATION}${IDEOGRAPH}]|[^\\s${PUNCTUATION}${IDEOGRAPH}]+`, 'gu');

/** Creates a tokenizer for a vocabulary in which continuations are marked with `##`. */
export function createWordPiece(vocabulary: Vocabulary): WordPiece {
  /** Appends a word's pieces: at each position, the longest piece in the vocabulary. */
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

/** There are twice as many slots as pieces, so that most pieces are found at the first probe. */
const SLOTS = 65_536;
const EMPTY = 0xff_ff;

/**
 * Packs a vocabulary into little-endian bytes that can be searched without parsing: the number of pieces, each piece's start, a hash table
 * of ids, and the pieces in UTF-16. Building a Map of 30,000 pieces instead would take 10 ms.
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

/** Returns a piece's hash, reduced to the number of slots. */
function slotOf(piece: string): number {
  const hash = fnv1a(piece);
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}

/** A text with more windows is truncated: the mean of many windows represents none of them well, and few messages are longer. */
const MAXIMUM_WINDOWS = 8;

/** Splits a text into windows of at most `maximumTokens` tokens, all about equally long. */
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

/** A window: as much of a message as fits into the model at once. */
interface MessageWindow {
  ids: number[];
  parts: TextPart[];
  /** How many parts at the start are repeated from the first window. */
  skipped: number;
  /** The parts' words, each with its pieces. Empty if earlier turns are read as well. */
  words: MessageWord[];
}

/** A word in a message: the part that contains it, its span in that part's original text, and its pieces in the window. */
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

/** The largest fraction of a window that a single part may fill. */
const MOST_OF_PART = 0.47;
/** The largest fraction of a window that the repeated first part may fill. */
const MOST_REPEATED = 0.19;
/** The largest fraction of a window that a request may fill. The rest of the window is for earlier turns. */
const MOST_OF_REQUEST = 0.43;
/** The largest fraction of a window that a request and the latest turn may fill together, if both are repeated in every window. */
const MOST_OF_LATEST = 0.6;
/** A window smaller than this has no space for both a request and earlier turns. */
const LEAST_FOR_REQUEST = 128;

/**
 * Splits a message's parts, and then the clauses of earlier turns, into windows that fit into the model. Each window begins with the first
 * part, because the author's request there determines whose words the other parts are. If there are earlier turns, each window begins with
 * the whole message.
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
 * Splits a request and the earlier turns into windows. Each window contains the request and the latest turn, because "that" in a request
 * refers to the latest turn. After them come as many of the other turns as fit, each followed by a separator.
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

/** Records where the words of a part are, just before the part is appended. Leaves out a word if not all of its pieces fit. */
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
