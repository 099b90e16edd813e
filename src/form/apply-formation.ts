import { enqueue } from '../jobs/enqueue.ts';
import { estimateTokens } from '../language/token-count.ts';
import { MINUTE } from '../record/clock.ts';
import { ORIGIN_WEIGHTS } from '../record/event.ts';
import type { Change } from '../record/revision.ts';
import { ownerKey } from '../record/scope.ts';
import { lowestTrust, trustOf } from '../record/trust.ts';
import type { Writer } from '../store/database.ts';
import { markProcessed } from '../store/event-store.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findMemory } from '../store/read-memories.ts';
import { insertRun } from '../store/run-store.ts';
import { advanceFormation } from '../store/session-store.ts';
import { archiveMemory, writeMemory } from '../store/write-memory.ts';
import type { Applied } from './applied.ts';
import { applyProposals } from './apply-proposals.ts';
import type { DecidedProposals } from './decide-proposals.ts';
import { archiveEnded } from './find-ended.ts';
import { forgetAsked } from './forget-asked.ts';
import { NOTHING_FORMED, type Formed } from './formed.ts';
import type { FormWork } from './form-work.ts';
import { formationJob } from './formation-job.ts';
import type { FormationPlan } from './formation-plan.ts';
import { formationRun } from './formation-run.ts';
import { findReachedGoals, markReached } from './goals-reached.ts';
import { REFLECTION_LEVELS } from './guards/guard-reflections.ts';

// Near doubles are merged some minutes after they were written, when they have vectors.
const MERGE_AFTER = 5 * MINUTE;

/** Writes all of a formation in one transaction, unless another formation was there first: then nothing but the cost. */
export async function applyFormation(work: FormWork, plan: FormationPlan): Promise<Formed> {
  const { deps, scope, stretch, meter } = work;
  return deps.database.write(scope.tenant, async (writer) => {
    const now = deps.clock.now();
    // The owner's lock before the cursor: two formations are one after the other from here on.
    await changeOwner(writer, scope, now);
    if (!(await advanceFormation(writer, scope, { from: stretch.from, to: stretch.to, ...countsOf(work) }))) {
      await plan.complete?.(writer);
      await meter.settle(writer);
      return NOTHING_FORMED;
    }
    const why: Change = { reason: 'learned from the conversation', actor: 'form', run: plan.run };
    const { decided } = plan;
    const applied = await applyProposals(writer, deps, decided.settled, { scope, distiller: decided.distiller, why });
    const proposals = decided.settled.map(({ proposal }) => proposal);
    // After the statements: a goal and what reached it may come in one formation.
    const goals = await findReachedGoals(writer, deps, scope, proposals);
    const goalsReached = await markReached(writer, deps, goals, {
      scope,
      factor: deps.settings.achievedGoalFactor,
      why,
    });
    await archiveOutdated(writer, work, decided.outdated, why, applied);
    applied.retired.push(...(await archiveEnded(writer, deps, decided.ended, { scope, why })));
    const { timeZone } = deps.settings;
    applied.retired.push(...(await forgetAsked(writer, deps, stretch.events, { scope, timeZone, why })));
    const reflections = await writeReflections(writer, work, plan, why);
    // Observations wait for the processor of the tiers, which marks them itself.
    const processed = stretch.events.filter((event) => event.kind !== 'observation').map((event) => event.id);
    await markProcessed(writer, scope.tenant, processed, now);
    await plan.complete?.(writer);
    await enqueueNext(writer, work, applied);
    const formed = {
      run: plan.run,
      events: stretch.events.length,
      ...applied,
      reflections,
      goalsReached,
      rejected: [...decided.rejected, ...plan.reflected.rejected, ...applied.rejected],
      modelCalls: meter.entries.filter((entry) => entry.operation === 'extraction').length,
      hasMore: stretch.hasMore,
    };
    const { contents: _contents, ...result } = formed;
    await insertRun(writer, formationRun(work, plan, result, now));
    await meter.settle(writer);
    return result;
  });
}

function countsOf({ stretch }: FormWork): { messages: number; weightedTokens: number } {
  return {
    messages: stretch.events.filter((event) => event.kind === 'message').length,
    weightedTokens: stretch.events.reduce(
      (sum, event) => sum + estimateTokens(event.content) * ORIGIN_WEIGHTS[event.origin],
      0,
    ),
  };
}

async function archiveOutdated(
  writer: Writer,
  { deps, scope }: FormWork,
  outdated: DecidedProposals['outdated'],
  why: Change,
  applied: Applied,
): Promise<void> {
  for (const memory of outdated) {
    const now = await findMemory(writer, scope, memory.id);
    if (now === null || now.archivedAt !== null) continue;
    await archiveMemory(writer, deps, now, {
      reason: 'contradicted',
      why: { ...why, reason: 'the user says it no longer holds' },
    });
    applied.retired.push(now.id);
  }
}

async function writeReflections(
  writer: Writer,
  { deps, scope }: FormWork,
  { reflected }: FormationPlan,
  why: Change,
): Promise<string[]> {
  const ids: string[] = [];
  const trust = lowestTrust(reflected.events.map((event) => trustOf(event.origin)));
  for (const level of REFLECTION_LEVELS) {
    for (const content of reflected.reflections[level]) {
      const { memory, outcome } = await writeMemory(
        writer,
        deps,
        scope,
        {
          type: 'reflection',
          content,
          level,
          trust,
          confidence: 'medium',
          sourceType: 'inference',
          sourceSession: scope.session,
          sourceEvents: reflected.events.map((event) => event.id),
          metadata: { distiller: reflected.distiller },
        },
        { ...why, reason: 'reflected on the conversation' },
      );
      if (outcome === 'created') ids.push(memory.id);
    }
  }
  return ids;
}

/** What is left of the session is formed next; near doubles are merged a little later. */
async function enqueueNext(writer: Writer, { deps, scope, stretch }: FormWork, applied: Applied): Promise<void> {
  if (stretch.hasMore) await enqueue(writer, formationJob(scope, 'schedule'), deps);
  if (applied.added.length + applied.updated.length === 0) return;
  const owner = { ...scope, session: null, connection: null };
  await enqueue(
    writer,
    {
      kind: 'merge-doubles',
      tenant: scope.tenant,
      ownerKey: ownerKey(owner),
      uniqueKey: ownerKey(owner),
      payload: { scope: owner },
      delay: MERGE_AFTER,
    },
    deps,
  );
}
