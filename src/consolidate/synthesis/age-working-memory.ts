import { replaceStatements } from '../../language/dated-line.ts';
import { DAY } from '../../record/clock.ts';
import { contentHash } from '../../record/memory.ts';
import type { TierNotes } from './tier-notes.ts';

/**
 * The working memory without the sentences that nothing has confirmed for `staleAfterDays` (T17). Sentences without a
 * note are new and stay.
 */
export function ageWorkingMemory(
  text: string,
  notes: TierNotes,
  { now, staleAfterDays }: { now: number; staleAfterDays: number },
): { text: string; dropped: number } {
  const oldest = now - staleAfterDays * DAY;
  let dropped = 0;
  const aged = replaceStatements(text, (statement) => {
    const confirmedAt = notes.sentences[contentHash(statement)];
    if (confirmedAt === undefined || Date.parse(confirmedAt) > oldest) return statement;
    dropped += 1;
    return null;
  });
  return { text: aged, dropped };
}
