import { sql } from 'kysely';
import { DAY } from '../record/clock.ts';
import { type MemoryTypeTable, typesThat } from '../record/memory-types.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { findBlock, replaceBlock } from '../store/block-store.ts';
import type { Parts, Reader, Writer } from '../store/database.ts';
import { ownMemories } from '../store/own-rows.ts';
import { archiveMemory } from '../store/write-memory.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';
import { inRun, type RunContext } from './run-log.ts';

/** A session's state, and what was merged of it, last this long after its last event. */
const SESSION_LIFETIME = DAY;

const MOST_SESSIONS = 500;

/** One owner, or with neither agent nor user all of a tenant's. */
type Whose = Pick<Scope, 'tenant' | 'agent' | 'user'>;

/** Ends the sessions of an owner that are over. Returns how many. */
export async function endOwnSessions(deps: ConsolidateDeps, scope: Scope, options: RunContext): Promise<number> {
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
 * Ends what lives with a session: its merged text is emptied and its reflections archived once the session is closed or
 * its state has expired. Both stay in the past. Returns how many sessions were ended.
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
  const over = sql<boolean>`exists (select 1 from sessions s where s.tenant_id = r.tenant_id
    and s.owner_key = r.owner_key and s.session_id = r.session_id
    and (s.status = 'closed' or s.last_event_at <= ${now - SESSION_LIFETIME}))`;
  const whose = agent === null && user === null ? sql`1 = 1` : sql`owner_key = ${ownerKey({ tenant, agent, user })}`;
  const { rows } = await sql<{
    owner_key: string;
    agent_id: string | null;
    user_id: string | null;
    session_id: string;
  }>`
    select owner_key, agent_id, user_id, session_id from blocks r
      where tenant_id = ${tenant} and ${whose} and session_id <> '' and kind = 'reflections' and content <> '' and ${over}
    union
    select owner_key, agent_id, user_id, session_id from memories r
      where tenant_id = ${tenant} and ${whose} and session_id <> '' and type in (${sql.join(reflectionTypes(memoryTypes))}) and archived_at is null and ${over}
    limit ${MOST_SESSIONS}`.execute(reader);
  return rows.map((row) => ({
    tenant,
    agent: row.agent_id,
    user: row.user_id,
    session: row.session_id,
    connection: null,
  }));
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
