import { sql } from 'kysely';
import { ownerKey, type Scope } from '../../record/scope.ts';
import { findBlock } from '../../store/block-store.ts';
import type { Reader } from '../../store/database.ts';
import { toEvent } from '../../store/event-store.ts';
import { toMemory } from '../../store/memory-rows.ts';
import { findProgress, type OwnerProgress } from '../../store/progress-store.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { fromEvent, fromMemory, type Observed } from './observed.ts';
import { readTierNotes, type TierNotes } from './tier-notes.ts';

/** The tiers of an owner as they are. Versions are 0 where nothing was written yet. */
export interface Tiers {
  workingMemory: string;
  scaffold: Record<string, unknown>;
  notes: TierNotes;
  versions: { workingMemory: number; scaffold: number; notes: number };
}

/** The kinds of memory that say who the user is. Others have places of their own. */
const TAKEN_IN = ['preference', 'goal', 'fact', 'decision', 'context', 'feedback', 'personal', 'keyed_fact', 'pattern'];

export async function readTiers(reader: Reader, scope: Scope): Promise<Tiers> {
  const [working, scaffold, notes] = [
    await findBlock(reader, scope, 'working_memory'),
    await findBlock(reader, scope, 'scaffold'),
    await findBlock(reader, scope, 'tier_notes'),
  ];
  return {
    workingMemory: typeof working?.content === 'string' ? working.content : '',
    scaffold: isRecord(scaffold?.content) ? scaffold.content : {},
    notes: readTierNotes(notes?.content),
    versions: { workingMemory: working?.version ?? 0, scaffold: scaffold?.version ?? 0, notes: notes?.version ?? 0 },
  };
}

/**
 * What the tiers of an owner have not taken in yet, oldest first: observations, those that failed before among them, and
 * memories that were formed. Each is known by a cursor, because formation marks events as processed for itself.
 */
export async function gatherObserved(
  reader: Reader,
  { database, privacy, consolidation }: Pick<ConsolidateDeps, 'database' | 'privacy' | 'consolidation'>,
  scope: Scope,
): Promise<{ observed: Observed[]; progress: OwnerProgress }> {
  const { batch: limit, tries } = consolidation.tiers;
  const progress = await findProgress(reader, scope);
  const owner = ownerKey(scope);
  const events = await reader
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', owner)
    .where('kind', '=', 'observation')
    .where((eb) =>
      eb.or([
        eb('row_id', '>', progress.eventRow),
        eb.and([eb('processed_at', 'is', null), eb('attempts', '>', 0), eb('attempts', '<', tries)]),
      ]),
    )
    // What is new first: what has failed must not hold it up.
    .orderBy('attempts')
    .orderBy('row_id')
    .limit(limit)
    .execute();
  const memories = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', owner)
    .where('row_id', '>', progress.memoryRow)
    .where('archived_at', 'is', null)
    .where('session_id', '=', '')
    .where('type', 'in', TAKEN_IN)
    .where('source_type', '!=', 'consolidation')
    // Its own facts are of observations that it has seen.
    .where(sql<boolean>`coalesce(${database.syntax.jsonText('metadata', ['by'])}, '') <> 'synthesise'`)
    .orderBy('row_id')
    .limit(limit)
    .execute();
  const observed = [
    ...events.map((row) => fromEvent(toEvent(row), row.row_id, privacy)),
    ...memories.map((row) => fromMemory(toMemory(row), row.row_id)),
  ];
  return { observed: withoutRepeats(observed), progress };
}

/** A memory that was formed of an observation which is taken in itself says nothing new. */
function withoutRepeats(observed: readonly Observed[]): Observed[] {
  const events = new Set(observed.flatMap(({ event }) => event?.id ?? []));
  return observed.filter(
    ({ memory }) =>
      memory === null || memory.sourceEvents.length === 0 || !memory.sourceEvents.every((id) => events.has(id)),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
