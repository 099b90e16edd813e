import type { Run, RunNotes } from '../store/run-store.ts';
import type { FormationPlan } from './formation-plan.ts';
import type { FormWork } from './form-work.ts';
import type { Formed } from './formed.ts';
import type { Rejection } from './proposal.ts';

/** A formation as the audit log keeps it: what it read, what it changed, who did it and what that cost. */
export function formationRun(
  { deps, scope, stretch, meter }: FormWork,
  plan: FormationPlan,
  formed: Formed,
  now: number,
): Run {
  const costs = meter.entries.map(({ model, usage }) => deps.ledger.prices.cost(model, usage));
  return {
    id: plan.run,
    scope,
    kind: 'form',
    cause: plan.cause,
    status: 'done',
    startedAt: plan.startedAt,
    finishedAt: new Date(now),
    read: { events: stretch.events.length, from: stretch.from, to: stretch.to },
    changed: notesOf(formed),
    model: [...new Set([plan.decided.distiller, plan.reflected.distiller])].join(' + '),
    cost: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    error: null,
  };
}

/** Counts and ids for the audit log; what was refused by its reason, never by its content. */
function notesOf(formed: Formed): RunNotes {
  const { added, updated, retired, confirmed, keyedFacts, reflections, goalsReached, rejected, modelCalls } = formed;
  return {
    added,
    updated,
    retired,
    confirmed,
    keyedFacts,
    reflections,
    goalsReached,
    modelCalls,
    ...countReasons(rejected),
  };
}

function countReasons(rejected: readonly Rejection[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of rejected) counts[`rejected:${reason}`] = (counts[`rejected:${reason}`] ?? 0) + 1;
  return counts;
}
