import { splitSentences } from './split-sentences.ts';

/**
 * A text with some of its sentences replaced, or left out where there is nothing in their place. What is between the
 * others stays as it is; a text of which nothing changes is given back as it was.
 */
export function replaceSentences(text: string, next: (sentence: string) => string | null): string {
  let result = text;
  for (const { text: sentence, span } of splitSentences(text).toReversed()) {
    const replacement = next(sentence);
    if (replacement !== sentence) result = result.slice(0, span.start) + (replacement ?? '') + result.slice(span.end);
  }
  if (result === text) return text;
  return result
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/^ | $/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
