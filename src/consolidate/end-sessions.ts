import { sessionsWithReflections } from '../store/session-store.ts';
import { DAY } from '../record/clock-and-ids.ts';
import { type MemoryTypeTable, typesThat } from '../record/memory-types.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { findBlock, replaceBlock } from '../store/block-store.ts';
import type { Parts, Reader, Writer } from '../store/database.ts';
import { ownMemories } from '../store/own-rows.ts';
import { archiveMemory } from '../store/write-memory.ts';
import type { RunDeps } from './consolidate-deps.ts';
import { inRun, type RunContext } from './run-log.ts';

/** The state of a session and its merged text expire this long after its last event. */
const SESSION_LIFETIME = DAY;

const MOST_SESSIONS = 500;

/** One owner, or the whole tenant if both agent and user are null. */
type Whose = Pick<Scope, 'tenant' | 'agent' | 'user'>;

/** Ends the sessions of an owner that are closed or expired. Returns their number. */
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
 * Ends the sessions that are closed or expired: empties their merged text and archives their reflections. Both stay in the history. Returns
 * the number of ended sessions.
 */
export async function endSessions(writer: Writer, parts: Parts, whose: Whose, run: string): Promise<number> {
  const over = await sessionsOver(writer, parts, whose);
  for (const scope of over) await endSession(writer, parts, scope, run);
  return over.length;
}

async function sessionsOver(
  reader: Reader,
  { memoryTypes, clock }: Pick<Parts, 'memoryTypes' | 'clock'>,
  { tenant, agent, user }: Whose,
): Promise<Scope[]> {
  const now = clock.now();
  return sessionsWithReflections(reader, {
    tenant,
    owner: agent === null && user === null ? null : ownerKey({ tenant, agent, user }),
    types: reflectionTypes(memoryTypes),
    quietSince: now - SESSION_LIFETIME,
    limit: MOST_SESSIONS,
  });
}

function reflectionTypes(memoryTypes: MemoryTypeTable): string[] {
  return typesThat(memoryTypes, ({ section }) => section === 'reflections');
}

async function endSession(writer: Writer, parts: Parts, scope: Scope, run: string): Promise<void> {
  const why = { reason: 'the session is over', actor: 'end-sessions', run };
  const block = await findBlock(writer, scope, 'reflections');
  if (block !== null && block.content !== '') {
    await replaceBlock(writer, parts, scope, { kind: 'reflections', content: '' }, why);
  }
  const memories = await ownMemories(writer, scope, { types: reflectionTypes(parts.memoryTypes) });
  for (const memory of memories.filter(({ scope: { session } }) => session === scope.session)) {
    await archiveMemory(writer, parts, memory, { reason: 'expired', why });
  }
}
