import { sql } from 'kysely';
import { applyPrivacy, type PrivacyPolicy, redactSensitive } from '../../language/privacy-policy.ts';
import { contentStems } from '../../language/words.ts';
import type { DatedText, Observation } from '../../models/distiller.ts';
import { UnusableJson, unwrapJson } from '../../models/unwrap-json.ts';
import type { Event } from '../../record/event.ts';
import { typesThat } from '../../record/memory-types.ts';
import type { Memory, SourceType } from '../../record/memory.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import { timedRendering } from '../../record/standing.ts';
import { type Trust, trustOf } from '../../record/trust.ts';
import { findBlock } from '../../store/block-store.ts';
import { chunks, type Reader } from '../../store/database.ts';
import { toEvent } from '../../store/event-store.ts';
import { toMemory } from '../../store/memory-rows.ts';
import { findProgress, type OwnerProgress } from '../../store/progress-store.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { datedRendering, listedStatements } from '../without-model.ts';
import { readTierNotes, type TierNotes } from './apply-synthesis.ts';

/** Something new that the tiers have to take in: an observation, or a memory that was formed. */
export interface Observed {
  turn: Observation;
  /** The row of its event or its memory. */
  row: number;
  event: Event | null;
  memory: Memory | null;
  sourceType: SourceType;
  /** By X3: explicit › correction › chat › autonomous. */
  rank: number;
  trust: Trust;
  stems: ReadonlySet<string>;
}

// T4's categories: what autonomous work has found out by itself.
const AUTONOMOUS: ReadonlySet<string> = new Set(['scaffold_update', 'learned_fact']);

export function fromEvent(event: Event, row: number, privacy: PrivacyPolicy): Observed {
  const sourceType: SourceType =
    event.origin === 'user' ? 'explicit' : AUTONOMOUS.has(event.category ?? '') ? 'inference' : 'conversation';
  const content = redactSensitive(event.content, privacy);
  return {
    turn: {
      kind: event.kind,
      origin: event.origin,
      content,
      category: event.category,
      occurredAt: event.occurredAt,
      entries: scaffoldEntries(event, privacy),
    },
    row,
    event,
    memory: null,
    sourceType,
    rank: rankOf(sourceType, event.category === 'correction'),
    trust: trustOf(event.origin),
    stems: contentStems(content),
  };
}

export function fromMemory(memory: Memory, row: number): Observed {
  return {
    turn: {
      kind: 'observation',
      origin: memory.statedBy,
      content: timedRendering(memory),
      category: memory.type,
      occurredAt: memory.statedAt,
      entries: [],
    },
    row,
    event: null,
    memory,
    sourceType: memory.sourceType,
    rank: rankOf(memory.sourceType),
    trust: memory.trust,
    stems: contentStems(memory.content),
  };
}

// These ranks are kept in the notes of the tiers: another scale would need a migration.
const RANK: Record<SourceType, number> = { explicit: 4, conversation: 2, import: 2, inference: 1, consolidation: 1 };
const CORRECTION_RANK = 3;

/** Explicit statement › correction › chat › autonomous work (X3). */
function rankOf(sourceType: SourceType, isCorrection = false): number {
  return isCorrection ? Math.max(RANK[sourceType], CORRECTION_RANK) : RANK[sourceType];
}

/** The keys and values of an update of the scaffold, as they were given: by `update_user_context`, or as a JSON object. */
function scaffoldEntries({ category, content, metadata }: Event, privacy: PrivacyPolicy): [string, unknown][] {
  if (category !== 'scaffold_update') return [];
  const { key, value } = metadata;
  const given: unknown = typeof key === 'string' && value !== undefined ? { [key]: value } : readJson(content);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  return Object.entries(given)
    .filter(([name, each]) => mayBeKept(`${name}: ${JSON.stringify(each)}`, privacy))
    .map(([name, each]) => [name, redactTexts(each, privacy)]);
}

function redactTexts(value: unknown, privacy: PrivacyPolicy): unknown {
  if (typeof value === 'string') return redactSensitive(value, privacy);
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, privacy));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redactTexts(member, privacy)]));
}

/** Null for what is no JSON, or JSON that no honest update has, such as one that nests too deep. */
function readJson(content: string): unknown {
  try {
    return unwrapJson(content, {});
  } catch (error) {
    if (error instanceof UnusableJson) return null;
    throw error;
  }
}

/** Whether a text may be kept at all under the policy. */
export function mayBeKept(text: string, privacy: PrivacyPolicy): boolean {
  return applyPrivacy(text, privacy).dropped === null;
}

/** The tiers of an owner as they are. Versions are 0 where nothing was written yet. */
export interface Tiers {
  workingMemory: string;
  scaffold: Record<string, unknown>;
  notes: TierNotes;
  versions: { workingMemory: number; scaffold: number; notes: number };
}

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
  deps: Pick<ConsolidateDeps, 'database' | 'privacy' | 'consolidation' | 'memoryTypes' | 'languageModel'>,
  scope: Scope,
): Promise<{ observed: Observed[]; progress: OwnerProgress }> {
  const { database, privacy, memoryTypes } = deps;
  const { batch: limit, tries } = deps.consolidation.tiers;
  const progress = await findProgress(reader, scope);
  const owner = ownerKey(scope);
  const events = await reader
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', owner)
    .where('kind', '=', 'observation')
    // What was observed without a user stays in its session.
    .$if(scope.user === null, (query) => query.where('session_id', 'is', null))
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
    .where(
      'type',
      'in',
      typesThat(memoryTypes, (type) => type.inWorkingMemory),
    )
    .where('source_type', '!=', 'consolidation')
    // Where a model reads later, what the local reader wrote is a draft of that reading.
    .$if(deps.languageModel !== null, (query) =>
      query.where(sql<boolean>`not (coalesce(reader, '') = 'local' and stated_by = 'user')`),
    )
    // Its own facts are of observations that it has seen.
    .where(sql<boolean>`coalesce(${database.syntax.jsonText('internal', ['by'])}, '') <> 'synthesise'`)
    .orderBy('row_id')
    .limit(limit)
    .execute();
  const observed = [
    ...events.map((row) => fromEvent(toEvent(row), row.row_id, privacy)),
    ...memories.map((row) => fromMemory(toMemory(row), row.row_id)),
  ];
  return { observed: await withoutRepeats(reader, scope, observed), progress };
}

/** A memory that was formed of observations alone says nothing new: the tiers take in each observation itself. */
async function withoutRepeats(reader: Reader, scope: Scope, observed: readonly Observed[]): Promise<Observed[]> {
  const sources = [...new Set(observed.flatMap(({ memory }) => memory?.sourceEvents ?? []))];
  const observations = new Set<string>();
  for (const some of chunks(sources)) {
    const rows = await reader
      .selectFrom('events')
      .select('id')
      .where('tenant_id', '=', scope.tenant)
      .where('id', 'in', some)
      .where('kind', '=', 'observation')
      .execute();
    for (const { id } of rows) observations.add(id);
  }
  return observed.filter(
    ({ memory }) =>
      memory === null || memory.sourceEvents.length === 0 || !memory.sourceEvents.every((id) => observations.has(id)),
  );
}

const MOST_LISTED = 500;

/**
 * What the working memory lists without a model, oldest first: the statements that hold, and observations that nothing was formed
 * from. What was said before `since` is stale.
 */
export async function gatherHolding(
  reader: Reader,
  { privacy, memoryTypes, clock }: Pick<ConsolidateDeps, 'privacy' | 'memoryTypes' | 'clock'>,
  scope: Scope,
  since: number,
): Promise<DatedText[]> {
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('archived_at', 'is', null)
    .where('session_id', '=', '')
    .where(
      'type',
      'in',
      typesThat(memoryTypes, (type) => type.inWorkingMemory),
    )
    .where('source_type', '!=', 'consolidation')
    .where('stated_at', '>', since)
    .orderBy('stated_at', 'desc')
    .orderBy('row_id', 'desc')
    .limit(MOST_LISTED)
    .execute();
  const events = await reader
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('kind', '=', 'observation')
    .$if(scope.user === null, (query) => query.where('session_id', 'is', null))
    .where('occurred_at', '>', since)
    .where('origin', 'in', ['user', 'agent', 'system'])
    .where((eb) => eb.or([eb('category', 'is', null), eb('category', '!=', 'scaffold_update')]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('memory_sources')
            .select(sql`1`.as('one'))
            .whereRef('memory_sources.tenant_id', '=', 'events.tenant_id')
            .whereRef('memory_sources.event_id', '=', 'events.id'),
        ),
      ),
    )
    .orderBy('occurred_at', 'desc')
    .orderBy('row_id', 'desc')
    .limit(MOST_LISTED)
    .execute();
  const now = clock.now();
  const listed = [
    ...listedStatements(rows.toReversed().map(toMemory), memoryTypes, { now, since }).map(datedRendering),
    ...events
      .toReversed()
      .map(toEvent)
      .filter(({ content }) => mayBeKept(content, privacy))
      .map((event) => ({ text: redactSensitive(event.content, privacy), at: event.occurredAt })),
  ];
  return listed.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
