import { enqueue } from '../jobs/enqueue.ts';
import { MINUTE } from '../record/clock.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { EMPTY_SESSION_STATE, type Session } from '../record/session.ts';
import type { Writer } from '../store/database.ts';
import type { Parts } from '../store/parts.ts';
import { findIdleSessions, findSession, updateSession } from '../store/session-store.ts';

/** A session in which nothing has happened for this long is flushed. */
export const IDLE_AFTER: number = 5 * MINUTE;

/** How long after a flush the deferred work on what was learned begins. */
const CONSOLIDATE_AFTER: number = 5 * MINUTE;

/**
 * Ends a stretch of conversation: its turns are in the log already, so what is left is to clear the session's state
 * and to queue, in the same transaction, what makes memories of it.
 */
export async function flushSession(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  status: 'idle' | 'closed',
): Promise<Session | null> {
  const now = parts.clock.now();
  const session = await findSession(writer, scope, now);
  if (session === null || session.status === 'closed') return session;
  await updateSession(writer, scope, { status, state: EMPTY_SESSION_STATE });
  const job = {
    tenant: scope.tenant,
    ownerKey: ownerKey(scope),
    payload: { scope: { ...scope, connection: null } },
  };
  if (session.eventCount > session.formedPosition) {
    await enqueue(writer, { ...job, kind: 'form', uniqueKey: `${job.ownerKey}:${scope.session}` }, parts);
    await enqueue(
      writer,
      { ...job, kind: 'consolidate', uniqueKey: job.ownerKey, runAt: now + CONSOLIDATE_AFTER },
      parts,
    );
  }
  return { ...session, status, state: EMPTY_SESSION_STATE };
}

const SWEEP_SIZE = 200;

/** Flushes the sessions of all tenants that have gone quiet. Gives back how many. */
export async function flushIdleSessions(parts: Parts, idleAfter: number = IDLE_AFTER): Promise<number> {
  let flushed = 0;
  for (;;) {
    const before = parts.clock.now() - idleAfter;
    const idle = await findIdleSessions(parts.database, before, SWEEP_SIZE);
    for (const scope of idle) {
      await parts.database.write(scope.tenant, async (writer) => {
        // Read again under the lock: a message may have come in since.
        const session = await findSession(writer, scope, parts.clock.now());
        if (session?.status !== 'open' || session.lastEventAt.getTime() > before) return;
        await flushSession(writer, parts, scope, 'idle');
        flushed += 1;
      });
    }
    if (idle.length < SWEEP_SIZE) return flushed;
  }
}
