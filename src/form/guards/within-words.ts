import { splitSentences } from '../../language/split-sentences.ts';
import { countWords } from '../../record/block.ts';

/** A text within its limit of words: as many whole sentences as fit; null when not even the first does. */
export function withinWords(text: string, limit: number): string | null {
  const plain = text.replace(/\s+/gu, ' ').trim();
  if (plain === '') return null;
  if (countWords(plain) <= limit) return plain;
  let kept = '';
  for (const sentence of splitSentences(plain)) {
    const next = `${kept} ${sentence.text}`.trim();
    if (countWords(next) > limit) break;
    kept = next;
  }
  return kept === '' ? null : kept;
}
