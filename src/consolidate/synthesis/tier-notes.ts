import { z } from 'zod';
import { statementsIn } from '../../language/dated-line.ts';
import { contentHash } from '../../record/memory.ts';
import { CONFIDENCE_LEVELS, type Confidence } from '../../record/trust.ts';

/** What is noted beside the tiers, in the block `tier_notes`. Times are ISO 8601. */
export interface TierNotes {
  /** For each top-level entry of the scaffold. */
  scaffold: Record<string, EntryNote>;
  /** For each sentence of the working memory, by its hash: when it was last confirmed. */
  sentences: Record<string, string>;
}

/** How sure an entry is, when it was last confirmed, and the rank of who said so (X3). */
export interface EntryNote {
  confidence: Confidence;
  confirmedAt: string;
  rank: number;
}

const notesSchema: z.ZodType<TierNotes> = z.object({
  scaffold: z.record(
    z.string(),
    z.object({ confidence: z.enum(CONFIDENCE_LEVELS), confirmedAt: z.iso.datetime(), rank: z.number() }),
  ),
  sentences: z.record(z.string(), z.iso.datetime()),
});

/** The notes of a block; none when it was never written, or by somebody else's hand. */
export function readTierNotes(content: unknown): TierNotes {
  const parsed = notesSchema.safeParse(content);
  return parsed.success ? parsed.data : { scaffold: {}, sentences: {} };
}

/** The sentences and listed statements of a text, each with the hash under which it is noted. */
export function sentencesOf(text: string): { text: string; hash: string }[] {
  return statementsIn(text).map((statement) => ({ text: statement, hash: contentHash(statement) }));
}
