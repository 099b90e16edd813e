import type { Scope } from '../../record/scope.ts';
import { decideHeldChanges, findHeldChange, listHeldChanges, type HeldChange } from '../../store/held-change-store.ts';
import { newRunId, insertRun } from '../../store/run-store.ts';
import type { Parts } from '../../store/parts.ts';
import { applySynthesis, type SynthesisToApply } from './apply-synthesis.ts';

/** The answers of a scope that wait for review, oldest first. */
export async function heldChanges(parts: Parts, scope: Scope): Promise<HeldChange[]> {
  return parts.database.read(scope.tenant, (reader) => listHeldChanges(reader, scope));
}

/** Applies a held answer as it was proposed. A `conflict` when the tiers have changed since. */
export async function acceptHeldChange(parts: Parts, scope: Scope, id: string, actor: string): Promise<void> {
  const now = new Date(parts.clock.now());
  await parts.database.write(scope.tenant, async (writer) => {
    const held = await findHeldChange(writer, scope, id);
    const run = newRunId(parts.ids);
    const why = { reason: `accepted after review: ${held.reason}`.slice(0, 500), actor, run };
    const apply = held.proposal as SynthesisToApply;
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'accepted', now: now.getTime() });
    const changed = await applySynthesis(writer, parts, scope, { apply, why, heldAs: 'outdated' });
    await insertRun(writer, {
      id: run,
      scope,
      kind: 'accept-held',
      cause: 'hand',
      status: 'done',
      startedAt: now,
      finishedAt: now,
      read: { held: id },
      changed,
      model: 'local',
      cost: 0,
      error: null,
    });
  });
}

/** Drops a held answer. Its observations are taken in by the next run. */
export async function rejectHeldChange(parts: Parts, scope: Scope, id: string): Promise<void> {
  await parts.database.write(scope.tenant, async (writer) => {
    await findHeldChange(writer, scope, id);
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'rejected', now: parts.clock.now() });
  });
}
