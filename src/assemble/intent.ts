import { indexWords } from '../language/words.ts';
import { isSmallTalk } from './small-talk.ts';

/** What a message is about, as far as it decides what is loaded. */
export interface Intent {
  /** The services whose data it needs. */
  services: string[];
  /** Its words, in the form by which text is searched. */
  words: string[];
  /** Whether it asks for or tells anything at all. */
  smallTalk: boolean;
}

/** Reads a message by rules: a service is needed when one of its words is said. */
export function intentOf(
  message: string,
  services: Readonly<Record<string, { about: readonly string[] }>> = {},
): Intent {
  const words = [...new Set(indexWords(message))];
  const said = new Set(words);
  const needed = Object.entries(services).filter(([name, { about }]) =>
    [name, ...about].some((topic) => {
      const parts = indexWords(topic);
      return parts.length > 0 && parts.every((word) => said.has(word));
    }),
  );
  return { services: needed.map(([name]) => name), words, smallTalk: isSmallTalk(message) };
}

/** How many of an intent's words a text has. */
export function overlap({ words }: Intent, text: string): number {
  const has = new Set(indexWords(text));
  return words.filter((word) => has.has(word)).length;
}
