import { z } from 'zod';
import { VarveError } from '../../errors.ts';
import { replaceStatements, statementsIn } from '../../language/dated-line.ts';
import { DAY } from '../../record/clock.ts';
import { contentHash, type InternalMemory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerLevel, type Scope } from '../../record/scope.ts';
import { type Confidence, CONFIDENCE_LEVELS } from '../../record/trust.ts';
import { replaceBlock } from '../../store/block-store.ts';
import type { Writer } from '../../store/database.ts';
import { markProcessed } from '../../store/event-store.ts';
import { decideHeldChanges } from '../../store/held-change-store.ts';
import { changeOwner } from '../../store/owner-store.ts';
import type { Parts } from '../../store/parts.ts';
import { findProgress, type OwnerProgress, saveProgress } from '../../store/progress-store.ts';
import type { RunNotes } from '../../store/run-store.ts';
import { writeMemory } from '../../store/write-memory.ts';
import type { CheckedSynthesis } from './check-synthesis.ts';
import type { Tiers } from './observed.ts';

/** What is written when a synthesis is applied. Kept as it is while it is held for review. */
export interface SynthesisToApply {
  tiers: Pick<CheckedSynthesis, 'workingMemory' | 'scaffold' | 'notes'>;
  facts: InternalMemory[];
  /** The events that it has taken in. */
  events: string[];
  versions: Tiers['versions'];
  progress: Pick<OwnerProgress, 'eventRow' | 'memoryRow'>;
  nextProgress: Pick<OwnerProgress, 'eventRow' | 'memoryRow'>;
}

/** Applies a synthesis: both tiers, what is noted of them, the facts, and the mark on the events, all or nothing (T6). */
export async function applySynthesis(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { apply, why }: { apply: SynthesisToApply; why: Change },
): Promise<RunNotes> {
  const now = parts.clock.now();
  await changeOwner(writer, scope, now);
  await assertNotTaken(writer, scope, apply);
  const { tiers, versions } = apply;
  const replace = async (
    kind: 'working_memory' | 'scaffold' | 'tier_notes',
    content: unknown,
    expectedVersion: number,
  ): Promise<boolean> =>
    (await replaceBlock(writer, parts, scope, { kind, content, expectedVersion }, why)).version > expectedVersion;
  const changedWorking = await replace('working_memory', tiers.workingMemory, versions.workingMemory);
  const changedScaffold = await replace('scaffold', tiers.scaffold, versions.scaffold);
  await replace('tier_notes', tiers.notes, versions.notes);
  const written: string[] = [];
  for (const fact of apply.facts) {
    // A scope without a user has no level `user`: its facts live where it does.
    const input = { ...fact, level: ownerLevel(scope) };
    const { memory, outcome } = await writeMemory(writer, parts, scope, input, why);
    if (outcome !== 'unchanged') written.push(memory.id);
  }
  await markProcessed(writer, scope.tenant, apply.events, now);
  await saveProgress(writer, scope, apply.nextProgress);
  // One that still waits was made of tiers that are replaced.
  await decideHeldChanges(writer, scope, { kind: 'synthesis', decision: 'outdated', now });
  return {
    workingMemory: Number(changedWorking),
    scaffold: Number(changedScaffold),
    events: apply.events.length,
    memories: written,
  };
}

/** Somebody else may have taken the same observations in since they were read. */
async function assertNotTaken(writer: Writer, scope: Scope, { progress, events }: SynthesisToApply): Promise<void> {
  const now = await findProgress(writer, scope);
  const isMoved = now.eventRow !== progress.eventRow || now.memoryRow !== progress.memoryRow;
  if (!isMoved) return;
  throw new VarveError('These observations were taken in by another run in between.', {
    code: 'conflict',
    retryable: true,
    details: { events: events.length },
  });
}

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
