import { VarveError } from '../../errors.ts';
import type { InternalMemory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerLevel, type Scope } from '../../record/scope.ts';
import { replaceBlock } from '../../store/block-store.ts';
import type { Writer } from '../../store/database.ts';
import { markProcessed } from '../../store/event-store.ts';
import { decideHeldChanges } from '../../store/held-change-store.ts';
import { changeOwner } from '../../store/owner-store.ts';
import type { Parts } from '../../store/parts.ts';
import { findProgress, saveProgress, type OwnerProgress } from '../../store/progress-store.ts';
import type { RunNotes } from '../../store/run-store.ts';
import { writeMemory } from '../../store/write-memory.ts';
import type { CheckedSynthesis } from './check-synthesis.ts';
import type { Tiers } from './gather-observed.ts';

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
