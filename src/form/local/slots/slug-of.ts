import { stemEnglish } from '../../../language/stem.ts';
import { isContentWord } from '../../../language/stop-words.ts';

/** The stems of a text's content words, five at most. */
export function slugOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter(isContentWord).map(stemEnglish))].slice(0, 5).join('-');
}
