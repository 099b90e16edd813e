import { sql } from 'kysely';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import { findBlock } from '../../store/block-store.ts';
import type { Reader } from '../../store/database.ts';
import { toEvent } from '../../store/event-store.ts';
import { toMemory } from '../../store/memory-rows.ts';
import { findProgress, type OwnerProgress } from '../../store/progress-store.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { reflectedSince } from './due-reflections.ts';

/** What a reflection looks back on. */
export interface Day {
  messages: Event[];
  /** The time of the last reflection, or a day ago. */
  since: number;
  /** The last message's time: the next reflection begins after it. */
  until: number;
  progress: OwnerProgress;
  profile: { text: string; version: number };
  /** All that is live of the owner, the most important first. */
  memories: Memory[];
}

const MOST_MEMORIES = 300;

/** The messages since the last reflection, or of the last 24 hours, and what is known so far. */
export async function gatherDay(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<Day> {
  const { exchanges } = deps.consolidation.nightly;
  const progress = await findProgress(reader, scope);
  const now = deps.clock.now();
  const since = reflectedSince(progress.reflectedUntil, now);
  const rows = await reader
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('kind', '=', 'message')
    // Talk without a user stays in its session.
    .$if(scope.user === null, (query) => query.where(sql<boolean>`1 = 0`))
    .where('recorded_at', '>', since)
    .where('recorded_at', '<=', now)
    .orderBy('row_id', 'desc')
    .limit(exchanges * 2)
    .execute();
  const messages = rows.toReversed().map(toEvent);
  const block = await findBlock(reader, scope, 'profile');
  const memories = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('session_id', '=', '')
    .where('archived_at', 'is', null)
    .orderBy('importance', 'desc')
    .orderBy('row_id', 'desc')
    .limit(MOST_MEMORIES)
    .execute();
  return {
    messages,
    since,
    until: rows.reduce((latest, row) => Math.max(latest, row.recorded_at), since),
    progress,
    profile: { text: typeof block?.content === 'string' ? block.content : '', version: block?.version ?? 0 },
    memories: memories.map(toMemory),
  };
}

/** What one side said and what the other answered to it. */
export interface Exchange {
  at: string;
  user: string;
  agent: string;
}

/** Puts messages together as exchanges, each side cut to `characters`. */
export function toExchanges(messages: readonly Event[], characters: number): Exchange[] {
  const exchanges: Exchange[] = [];
  const cut = (text: string): string =>
    (text.length <= characters ? text : `${text.slice(0, characters)}…`).toWellFormed();
  for (const message of messages) {
    const last = exchanges.at(-1);
    if (message.origin === 'user') {
      exchanges.push({ at: message.occurredAt.toISOString().slice(0, 16), user: cut(message.content), agent: '' });
    } else if (message.origin === 'agent' && last !== undefined) {
      last.agent = cut(last.agent === '' ? message.content : `${last.agent}\n${message.content}`);
    }
  }
  return exchanges;
}
