import { isContentWord } from './stop-words.ts';
import { words } from './words.ts';

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu;
// What a statement brings in by being one: "The user mentioned that…", "prefers".
const FRAME = new Set(['user', 'users', 'mentioned', 'said', 'says', 'stated', 'states', 'told', 'agent', 'assistant']);

/** The words of a text that carry meaning, reduced to their stems. */
export function contentStems(text: string): Set<string> {
  const stems = new Set<string>();
  for (const token of text.match(TOKEN) ?? []) {
    const lower = token.toLowerCase().replace(/['’]s$/u, '');
    if (!isContentWord(lower) || FRAME.has(lower)) continue;
    for (const stem of words(lower)) stems.add(stem);
  }
  return stems;
}

/** Which share of the words of one text another has. 0 when there are none. */
export function coveredBy(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (part.size === 0) return 0;
  let shared = 0;
  for (const stem of part) if (whole.has(stem)) shared += 1;
  return shared / part.size;
}

/** The words that two texts share, of all the words that they have. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const stem of one) if (other.has(stem)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/**
 * How similar two statements are by their words, on the scale that similarities of vectors are calibrated to:
 * half of all words shared is related (0.70), all of them is the same (0.95).
 */
export function lexicalSimilarity(one: string, other: string): number {
  const [left, right] = [contentStems(one), contentStems(other)];
  const share = overlap(left, right);
  if (share === 0) return 0;
  return Math.min(0.95, 0.45 + 0.5 * share);
}
