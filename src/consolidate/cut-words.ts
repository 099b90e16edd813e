import { splitSentences } from '../language/split-sentences.ts';
import { countWords } from '../record/block.ts';

/** At most so many words of a text, cut at the end of a sentence; a first sentence that is too long is cut at a word. */
export function cutWords(text: string, limit: number): string {
  const trimmed = text.trim();
  if (countWords(trimmed) <= limit) return trimmed;
  let end = 0;
  for (const sentence of splitSentences(trimmed)) {
    if (countWords(trimmed.slice(0, sentence.span.end)) > limit) break;
    end = sentence.span.end;
  }
  if (end > 0) return trimmed.slice(0, end).trim();
  const words = [...trimmed.matchAll(/\S+/gu)];
  const last = words[limit - 1];
  return last === undefined ? '' : trimmed.slice(0, last.index + last[0].length);
}
