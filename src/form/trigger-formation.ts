import { enqueueJobs } from '../jobs/enqueue.ts';
import type { NewJob } from '../jobs/job.ts';
import type { Event } from '../record/event.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Session } from '../record/session.ts';
import type { Writer } from '../store/database.ts';
import { findSession } from '../store/session-store.ts';
import { usesModel } from './choose-distiller.ts';
import type { FormDeps } from './form-deps.ts';
import type { TriggerSettings } from './formation-settings.ts';
import { formationJob, sessionJob } from './formation-job.ts';

/**
 * Queues what follows from new events, in the transaction that appends them: a formation when enough has gathered, the
 * summary that waits for quiet, the facts of the last exchange, the boost after a good outcome.
 */
export async function triggerFormation(
  writer: Writer,
  deps: FormDeps,
  scope: Scope,
  events: readonly Event[],
): Promise<void> {
  const jobs = events.flatMap((event) => boostJob(event));
  const messages = events.filter((event) => event.kind === 'message');
  if (messages.some((event) => event.origin === 'user') && deps.settings.facts && usesModel(deps, 'keyed_facts')) {
    jobs.push(keyedFactsJob(scope, messages));
  }
  if (scope.session !== null && events.length > 0) {
    const place = { ...scope, connection: null };
    const session = await findSession(writer, place, deps.clock.now());
    if (session !== null && isFormationDue(session, deps.settings.triggers)) jobs.push(formationJob(place, 'schedule'));
    if (messages.length > 0 && deps.settings.summaries) jobs.push(summaryJob(place, deps.settings.summary.quietAfter));
  }
  if (jobs.length > 0) await enqueueJobs(writer, jobs, deps);
}

/** Whether enough has gathered since the last formation. */
function isFormationDue(
  session: Pick<Session, 'messagesSinceFormation' | 'weightedTokensSinceFormation'>,
  { messages, weightedTokens, minimumMessages, everyMessages }: TriggerSettings,
): boolean {
  const since = session.messagesSinceFormation;
  if (since < minimumMessages) return false;
  return (
    since >= messages ||
    session.weightedTokensSinceFormation >= weightedTokens ||
    (everyMessages !== null && since >= everyMessages)
  );
}

/** Each new message puts it off again. */
function summaryJob(scope: Scope, delay: number): NewJob {
  return { kind: 'summarise', ...sessionJob(scope), delay, whenWaiting: 'move' };
}

function keyedFactsJob(scope: Scope, messages: readonly Event[]): NewJob {
  const owner = ownerKey(scope);
  return {
    kind: 'keyed-facts',
    tenant: scope.tenant,
    ownerKey: owner,
    payload: { scope: { ...scope, connection: null }, events: messages.slice(-4).map((event) => event.id) },
    priority: 3,
  };
}

function boostJob(event: Event): NewJob[] {
  if (event.kind !== 'outcome' || event.metadata['effect'] !== 'positive') return [];
  const owner = { ...event.scope, session: null, connection: null };
  return [
    {
      kind: 'boost-outcomes',
      tenant: owner.tenant,
      ownerKey: ownerKey(owner),
      uniqueKey: event.id,
      payload: { scope: owner, outcome: event.id },
    },
  ];
}
