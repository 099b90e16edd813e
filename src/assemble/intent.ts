import { smallTalkIn } from '../language/small-talk.ts';
import { indexWords } from '../language/words.ts';

/** The features of a message that decide what is loaded. */
export interface Intent {
  /** The services whose data the message needs. */
  services: string[];
  /** The words of the message, in their normalised form for search. */
  words: string[];
  /** Whether the message is only a greeting, thanks or agreement. */
  smallTalk: boolean;
}

/** Classifies a message by rules: a service is needed when the message contains one of its topics. */
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
  return { services: needed.map(([name]) => name), words, smallTalk: smallTalkIn(message) !== null };
}

/** How many words of an intent a text contains. */
export function overlap({ words }: Intent, text: string): number {
  const has = new Set(indexWords(text));
  return words.filter((word) => has.has(word)).length;
}
