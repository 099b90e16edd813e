import { DAY } from '../../record/clock.ts';
import { splitSentences } from '../../language/split-sentences.ts';
import { contentHash } from '../../record/memory.ts';
import type { TierNotes } from './tier-notes.ts';

/**
 * The working memory without the sentences that nothing has confirmed for `staleAfterDays` (T17). Sentences without a
 * note are new and stay. What is between the sentences stays as it is.
 */
export function ageWorkingMemory(
  text: string,
  notes: TierNotes,
  { now, staleAfterDays }: { now: number; staleAfterDays: number },
): { text: string; dropped: number } {
  const oldest = now - staleAfterDays * DAY;
  const stale = splitSentences(text).filter((sentence) => {
    const confirmedAt = notes.sentences[contentHash(sentence.text)];
    return confirmedAt !== undefined && Date.parse(confirmedAt) <= oldest;
  });
  let aged = text;
  for (const { span } of stale.toReversed()) aged = aged.slice(0, span.start) + aged.slice(span.end);
  return {
    text:
      stale.length === 0
        ? text
        : aged
            .replace(/[ \t]{2,}/g, ' ')
            .replace(/\n{3,}/g, '\n\n')
            .trim(),
    dropped: stale.length,
  };
}
