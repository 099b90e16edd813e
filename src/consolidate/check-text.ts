import { isInstruction, ruleAuthorises } from '../language/claims.ts';
import { replaceSentences, splitSentences } from '../language/sentences.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import { cachedFor } from '../record/cache.ts';
import { countWords } from '../record/parse.ts';

const ADDRESS =
  /https?:\/\/[^\s"'<>()]{4,300}|\bwww\.[^\s"'<>()]{4,300}|\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,20}){1,4}|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b|(?<![\w-])[a-z0-9-]{2,60}\.(?:com|net|org|io|ai|ru|cn|example|info|biz|xyz|top|app|dev)(?:\/[^\s"'<>()]{0,300})?/giu;
// Matches telephone numbers, account numbers and amounts. `problemOf` lets dates through, because a model may add the year.
const LONG_NUMBER = /(?<![\d.,-])\+?\d[\d ./-]{4,20}\d(?![\d-])/g;
const ORDER_SHARED = 0.5;

export interface TextSources {
  shown: readonly string[];
  /** The user's own words and the known statements. An order in one of these is the user's wish; an order in a tool's text is not. */
  own: readonly string[];
}

/** Every sentence of an answer is checked against the same texts. */
const shownIn = cachedFor(({ shown }: TextSources) => {
  const all = shown.join('\n').toLowerCase();
  return { all, digits: all.replace(/\D/g, '') };
});

export function problemOf(sentence: string, sources: TextSources): 'order' | 'address' | null {
  const { all, digits } = shownIn(sources);
  const address = [...sentence.matchAll(ADDRESS)].find(
    ([found]) => !all.includes(found.toLowerCase().replace(/[.,;:]$/, '')),
  );
  if (address !== undefined) return 'address';
  const numbers = [...sentence.matchAll(LONG_NUMBER)].map(([found]) => found.replace(/\D/g, ''));
  const dates = /^(?:19|20)\d{2}(?:[01]?\d(?:[0-3]?\d)?)?$|^[0-3]?\d[01]?\d(?:19|20)\d{2}$/;
  if (numbers.some((number) => number.length >= 6 && !dates.test(number) && !digits.includes(number))) return 'address';
  const tells = (text: string): boolean => isInstruction(text) || ruleAuthorises(text);
  if (!tells(sentence)) return null;
  const stems = contentStems(sentence);
  const isWish = sources.own.some((text) => tells(text) && coveredBy(stems, contentStems(text)) >= ORDER_SHARED);
  return isWish ? null : 'order';
}

/** Removes orders to the agent that the user never gave, and addresses, accounts and telephone numbers that occur in no source. */
export function checkedText(text: string, sources: TextSources): string {
  return replaceSentences(text, (sentence) => (problemOf(sentence, sources) === null ? sentence : null));
}

/** Cuts at the end of a sentence. If even the first sentence is too long, it is cut after a word. */
export function cutWords(text: string, limit: number): string {
  const trimmed = text.trim();
  if (countWords(trimmed) <= limit) return trimmed;
  let end = 0;
  for (const sentence of splitSentences(trimmed)) {
    if (countWords(trimmed.slice(0, sentence.span.end)) > limit) break;
    end = sentence.span.end;
  }
  if (end > 0) return trimmed.slice(0, end).trim();
  const last = [...trimmed.matchAll(/\S+/gu)][limit - 1];
  return last === undefined ? '' : trimmed.slice(0, last.index + last[0].length);
}
