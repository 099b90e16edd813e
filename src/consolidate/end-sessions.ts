import { sessionsWithReflections } from '../store/session-store.ts';
import { DAY } from '../record/clock.ts';
import { typesThat } from '../record/memory-types.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { findBlock, replaceBlock } from '../store/block-store.ts';
import type { Parts, Reader, Writer } from '../store/database.ts';
import { ownMemories } from '../store/own-rows.ts';
import { archiveMemory } from '../store/write-memory.ts';
import type { RunDeps } from './consolidate-deps.ts';
import { inRun, type RunContext } from './run-log.ts';

/** The reflections of a session expire this long after its last event, even if the session was not closed. */
const SESSION_LIFETIME = DAY;

const MOST_SESSIONS = 500;

/** One owner, or the whole tenant if both agent and user are null. */
type Whose = Pick<Scope, 'tenant' | 'agent' | 'user'>;

/** Removes the reflections of an owner's sessions that are over, in a run of its own: see {@link endSessions}. */
export async function endOwnSessions(deps: Parts & RunDeps, scope: Scope, options: RunContext): Promise<number> {
  const over = await deps.database.read(scope.tenant, (reader) => sessionsOver(reader, deps, scope));
  if (over.length === 0) return 0;
  return inRun(deps, { scope, kind: 'end-sessions', ...options }, async (run) => {
    const { changed } = await run.commit(async (writer) => ({
      changed: { sessionsEnded: await endSessions(writer, deps, scope, run.id) },
    }));
    return changed.sessionsEnded;
  });
}

/**
 * Empties the merged text and archives the reflections of sessions that are closed, or had no event for a day, and still have one of both.
 * Both stay in the history, and the status of the sessions does not change. At most {@link MOST_SESSIONS} sessions at a time. Returns their
 * number.
 */
export async function endSessions(writer: Writer, parts: Parts, whose: Whose, run: string): Promise<number> {
  const over = await sessionsOver(writer, parts, whose);
  for (const scope of over) await endSession(writer, parts, scope, run);
  return over.length;
}

function sessionsOver(reader: Reader, parts: Parts, { tenant, agent, user }: Whose): Promise<Scope[]> {
  return sessionsWithReflections(reader, {
    tenant,
    owner: agent === null && user === null ? null : ownerKey({ tenant, agent, user }),
    types: reflectionTypes(parts),
    quietSince: parts.clock.now() - SESSION_LIFETIME,
    limit: MOST_SESSIONS,
  });
}

function reflectionTypes({ memoryTypes }: Pick<Parts, 'memoryTypes'>): string[] {
  return typesThat(memoryTypes, ({ section }) => section === 'reflections');
}

async function endSession(writer: Writer, parts: Parts, scope: Scope, run: string): Promise<void> {
  const why = { reason: 'the session is over', actor: 'end-sessions', run };
  const block = await findBlock(writer, scope, 'reflections');
  if (block !== null && block.content !== '') {
    await replaceBlock(writer, parts, scope, { kind: 'reflections', content: '' }, why);
  }
  const memories = await ownMemories(writer, scope, { types: reflectionTypes(parts) });
  for (const memory of memories.filter(({ scope: { session } }) => session === scope.session)) {
    await archiveMemory(writer, parts, memory, { reason: 'expired', why });
  }
}
