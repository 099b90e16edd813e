import type { TextPart } from './encoder.ts';
import { type GlossedText, wordsOfGloss } from './glossary.ts';
import { TEXTS_PER_TASK } from './memory-layout.ts';
import { SPECIAL_IDS, type WordPiece } from './word-piece.ts';

/** Longer texts are truncated, because the mean of many windows represents none of them well, and few messages are longer. */
export const MAXIMUM_WINDOWS = 8;

/** A part of a message that fits into the model. */
interface MessageWindow {
  ids: number[];
  parts: TextPart[];
  /** How many parts at the start are repeated from the first window. */
  skipped: number;
  /** The words of the parts, each with its pieces. Empty where earlier turns are read as well. */
  words: MessageWord[];
}

/** A word of a message: its part, its span in the original text of that part, and its pieces in the window. */
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

/** The largest fraction of a window for a single part. */
const MOST_OF_PART = 0.47;
/** The largest fraction of a window for the repetition of the first part. */
const MOST_REPEATED = 0.19;
/** The largest fraction of a window for a request, so that there is room for earlier turns. */
const MOST_OF_REQUEST = 0.43;
/** The largest fraction of a window for a request and the latest turn, where both are repeated in every window. */
const MOST_OF_LATEST = 0.6;
/** Smaller windows have no room for both a request and earlier turns. */
const LEAST_FOR_REQUEST = 128;

/**
 * The parts of a message, and then the sentences of earlier turns, in windows that fit into the model. Each window begins with the first
 * part, because the author's request determines whose words the other parts are; with earlier turns, it begins with the whole message.
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
 * Each window has the request and the latest turn, because "that" means the latest one, followed by as many of the other turns as fit, each
 * closed by a separator.
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

/** Records the positions of the words of a part that is about to be appended. A word whose pieces do not all fit is left out. */
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
