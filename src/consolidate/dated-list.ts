import { readDatedLine } from '../language/dated-line.ts';
import { countWords } from '../record/block.ts';
import { contentHash } from '../record/memory.ts';
import { cutWords } from './cut-words.ts';

/** A document taken apart: its dated lines, and what somebody has written otherwise. */
export function readDatedList(text: string): { lines: string[]; prose: string } {
  const lines = text.split('\n');
  return {
    lines: lines.filter((line) => readDatedLine(line) !== null),
    prose: lines
      .filter((line) => readDatedLine(line) === null)
      .join('\n')
      .trim(),
  };
}

/**
 * A document of dated lines within a word limit: what does not fit is left out, the oldest first. Of two lines with the same
 * text the later one stays. Prose that somebody else has written stands before the list; it gets what the list leaves, and half of
 * the words at least.
 */
export function writeDatedList(lines: readonly string[], wordLimit: number, prose = ''): string {
  const latest = new Map<string, string>();
  for (const line of lines) {
    const key = contentHash(readDatedLine(line) ?? line);
    latest.delete(key);
    latest.set(key, line);
  }
  const unique = [...latest.values()];
  const listed = unique.reduce((sum, line) => sum + countWords(line), 0);
  const before = cutWords(prose, Math.max(Math.floor(wordLimit / 2), wordLimit - listed));
  let room = wordLimit - countWords(before);
  const kept: string[] = [];
  for (const line of unique.toReversed()) {
    room -= countWords(line);
    if (room < 0) break;
    kept.unshift(line);
  }
  return [before, kept.join('\n')].filter((part) => part !== '').join('\n\n');
}
