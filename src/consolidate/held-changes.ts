import type { Scope } from '../record/scope.ts';
import type { Parts } from '../store/database.ts';
import { decideHeldChanges, findHeldChange } from '../store/held-change-store.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';
import type { StoredDocument } from './documents/document.ts';
import { applySynthesis, type SynthesisToApply } from './documents/synthesise.ts';
import { applyDocument } from './nightly/reflect.ts';
import { insertLocalRun } from './run-log.ts';

/** Applies a held answer as it was proposed. Throws `conflict` if the document has changed since. */
export async function acceptHeldChange(deps: ConsolidateDeps, scope: Scope, id: string, actor: string): Promise<void> {
  const now = deps.clock.now();
  await deps.database.write(scope.tenant, async (writer) => {
    const { kind, reason, proposal } = await findHeldChange(writer, scope, id);
    const run = deps.ids.next('run');
    const why = { reason: `accepted after review: ${reason}`.slice(0, 500), actor, run };
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'accepted', now });
    const changed =
      kind === 'synthesis'
        ? await applySynthesis(writer, deps, scope, { apply: proposal as SynthesisToApply, why })
        : await applyDocument(writer, deps, scope, { kind, apply: proposal as StoredDocument, why });
    const entry = { kind: 'accept-held', cause: 'hand', startedAt: now, read: { held: id }, changed } as const;
    await insertLocalRun(writer, deps, { id: run, scope, ...entry });
  });
}

/** Drops a held answer. The next run processes its observations again. */
export async function rejectHeldChange(parts: Parts, scope: Scope, id: string): Promise<void> {
  await parts.database.write(scope.tenant, async (writer) => {
    await findHeldChange(writer, scope, id);
    await decideHeldChanges(writer, scope, { ids: [id], decision: 'rejected', now: parts.clock.now() });
  });
}
