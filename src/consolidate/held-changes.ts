import type { ApplyDeps } from '../form/formation-settings.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts } from '../store/database.ts';
import { decideHeldChanges, findHeldChange } from '../store/held-change-store.ts';
import { insertRun } from '../store/history-store.ts';
import type { StoredDocument } from './documents/document.ts';
import { applySynthesis, type SynthesisToApply } from './documents/synthesise.ts';
import { applyDocument } from './nightly/reflect.ts';

/** Applies a held answer as it was proposed. Throws `conflict` if the document has changed since. */
export async function acceptHeldChange(deps: ApplyDeps, scope: Scope, id: string, actor: string): Promise<void> {
  const now = new Date(deps.clock.now());
  await deps.database.write(scope.tenant, async (writer) => {
    const { kind, reason, proposal } = await findHeldChange(writer, scope, id);
    const run = deps.ids.next('run');
    const why = { reason: `accepted after review: ${reason}`.slice(0, 500), actor, run };
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'accepted', now: now.getTime() });
    const changed =
      kind === 'synthesis'
        ? await applySynthesis(writer, deps, scope, { apply: proposal as SynthesisToApply, why })
        : await applyDocument(writer, deps, scope, { kind, apply: proposal as StoredDocument, why });
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

/** Drops a held answer. The next run processes its observations again. */
export async function rejectHeldChange(parts: Parts, scope: Scope, id: string): Promise<void> {
  await parts.database.write(scope.tenant, async (writer) => {
    await findHeldChange(writer, scope, id);
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'rejected', now: parts.clock.now() });
  });
}
