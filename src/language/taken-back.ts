import { PACKS, packRegExp, plainMarks, wordsOfAll } from './packs/packs.ts';
import type { TextSpan } from './sentences.ts';

/** A sentence, or a part of one. */
export interface Said extends TextSpan {
  /** Whether the words that follow take it back: "I'm diabetic. No, just kidding". */
  isTakenBack: boolean;
}

// The words of all languages, because users retract in another language than they speak: "I'm off soda forever... no, mentira".
const laughs = PACKS.map(({ words: { joke } }) => joke).join('|');
const openings = PACKS.flatMap(({ words: { assent, joke, greeting, not }, requests: { but, so } }) =>
  [assent, joke, greeting, not, but, so].filter(Boolean),
).join('|');
const BEGINS = '(?<=^|[,;:.!?…–—()，。．！？、；\\p{Extended_Pictographic}] ?| - )';
/** The words after a marker belong to another clause: "kidding aside", "mentira que no me gusta" take nothing back. */
const ENDS = `(?=\\s*(?:$|[^\\p{L}\\p{N}\\s'-])| (?:${laughs})(?![\\p{L}]))`;
const MARKER = packRegExp(`${BEGINS}(?:${wordsOfAll('takesBack')})${ENDS}`);
/** One to three words that may open the sentence of a marker: "lol no,". */
const OPENING = packRegExp(`^(?:(?:${openings}|\\p{L}+ *[,.!…-])(?![\\p{L}])[^\\p{L}\\p{N}]*){0,3}$`);

/**
 * Marks the sentences of a text that are taken back by the words directly after them (`takesBack` in the lists of the packs). A marker inside
 * a sentence splits the sentence, because only the words before the marker are taken back: "I'm vegan, well, who am I kidding, I had a
 * burger". A marker without other words is marked too, unless nothing stands before it: "scratch that" alone is a request about an earlier
 * message.
 */
export function markTakenBack(text: string, sentences: readonly TextSpan[]): Said[] {
  const said: Said[] = [];
  for (const { start, end } of sentences) {
    const words = plainMarks(text.slice(start, end));
    const marker = MARKER.exec(words);
    if (marker === null) {
      said.push({ start, end, isTakenBack: false });
      continue;
    }
    const before = words.slice(0, marker.index).trimEnd();
    const last = said.at(-1);
    if (last !== undefined && OPENING.test(before)) last.isTakenBack = true;
    if (before !== '') said.push({ start, end: start + before.length, isTakenBack: true });
    const rest = words.slice(marker.index + marker[0].length);
    const isAlone = said.length === 0 && before === '';
    said.push({ start: start + marker.index, end, isTakenBack: !isAlone && !/[\p{L}\p{N}]/u.test(rest) });
  }
  return said;
}
