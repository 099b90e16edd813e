import { differs } from '../form/decide/decide.ts';
import { calibratedSimilarity } from '../models/embedder.ts';
import type { AttributeTable } from '../record/attributes.ts';
import { isSameValue, lowestTrust } from '../record/statement.ts';
import { DAY } from '../record/clock.ts';
import { typesThat } from '../record/memory-types.ts';
import { type Memory, roundedImportance } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Reader, Writer } from '../store/database.ts';
import { findVectors, mayBeDoubleOf } from '../store/indexing.ts';
import { type Numbered, ownMemories, ownMemoryRows } from '../store/own-rows.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findMemory, loadMemories } from '../store/read-memories.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';
import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';

const MOST_LOOKED_AT = 500;
const NEAREST = 6;
const REINFORCEMENT = 0.05;

/**
 * Merges two live statements of one type if no field differs and they have the same value or nearly the same meaning. Examines the
 * statements that changed in the last day, except texts that consolidation has merged.
 */
export async function mergeDoubles(deps: ConsolidateDeps, owner: Scope, signal: AbortSignal): Promise<void> {
  const recent = await deps.database.read(owner.tenant, (reader) =>
    ownMemoryRows(reader, owner, {
      types: typesThat(deps.memoryTypes, ({ mergesDoubles }) => mergesDoubles),
      updatedSince: deps.clock.now() - DAY,
      withoutMerged: true,
      order: 'newest',
      limit: MOST_LOOKED_AT,
    }),
  );
  const gone = new Set<string>();
  for (const one of recent) {
    signal.throwIfAborted();
    if (gone.has(one.item.id)) continue;
    const doubles = await deps.database.read(owner.tenant, async (reader) => [
      ...(await sameValue(reader, deps, owner, one.item)),
      ...(await sameMeaning(reader, deps, owner, one)),
    ]);
    const other = doubles.find((memory) => !gone.has(memory.id));
    if (other === undefined) continue;
    const loser = await deps.database.write(owner.tenant, (writer) => merge(writer, deps, [one.item, other]));
    if (loser !== null) gone.add(loser);
  }
}

async function sameValue(reader: Reader, deps: ConsolidateDeps, owner: Scope, memory: Memory): Promise<Memory[]> {
  const { attribute, value, type, scope } = memory;
  if (attribute === null || value === null) return [];
  const others = await ownMemories(reader, owner, { types: [type], attribute, place: scope, withoutMerged: true });
  return others.filter(
    (other) => other.id !== memory.id && other.value !== null && mayBeDoubles(memory, other, deps.attributes),
  );
}

async function sameMeaning(
  reader: Reader,
  deps: ConsolidateDeps,
  owner: Scope,
  one: Numbered<Memory>,
): Promise<Memory[]> {
  const embedder = await deps.embedding.forQueries(reader);
  if (embedder === null) return [];
  const { item: memory, row } = one;
  const { id, dimensions } = embedder;
  const of = { tenant: owner.tenant, kind: 'memory' } as const;
  const query = (await findVectors(reader, deps.database, { ...of, model: id, rowIds: [row] })).get(row);
  if (query === undefined) return [];
  const calibration = deps.embedding.calibrationOf(embedder);
  const nearest = await deps.database.vectors.nearest(reader, {
    ...of,
    owners: [ownerKey(owner)],
    limit: NEAREST,
    condition: mayBeDoubleOf(memory, row),
    model: { id, dimensions },
    query,
  });
  const near = nearest.filter(
    ({ similarity }) => calibratedSimilarity(similarity, calibration) > deps.settings.thresholds.same,
  );
  const found = await loadMemories(reader, deps.database, { scope: owner, rowIds: near.map((hit) => hit.rowId) });
  return near
    .flatMap((hit) => found.get(hit.rowId) ?? [])
    .filter((other) => mayBeDoubles(memory, other, deps.attributes));
}

/** Two statements are duplicates if no field differs, and their texts differ in no number, name or negation. */
export function mayBeDoubles(one: Memory, other: Memory, attributes: AttributeTable): boolean {
  if (one.tense !== other.tense || one.state !== other.state) return false;
  const shape = attributes.policyOf(one.attribute ?? other.attribute ?? '').shape;
  const hasBoth = one.value !== null && other.value !== null;
  if (hasBoth && !isSameValue(one.value, other.value, shape)) return false;
  for (const field of ['validFrom', 'dueAt'] as const) {
    const [left, right] = [one[field], other[field]];
    if (left !== null && right !== null && left.getTime() !== right.getTime()) return false;
  }
  // A statement with an end is not a duplicate of one without.
  for (const field of ['validTo', 'expiresAt'] as const) {
    if (one[field]?.getTime() !== other[field]?.getTime()) return false;
  }
  return !differs({ ...one, text: one.content }, other);
}

async function merge(writer: Writer, deps: ConsolidateDeps, pair: [Memory, Memory]): Promise<string | null> {
  await changeOwner(writer, pair[0].scope, deps.clock.now());
  const [one, other] = [
    await findMemory(writer, pair[0].scope, pair[0].id),
    await findMemory(writer, pair[1].scope, pair[1].id),
  ];
  if (one === null || other === null || one.archivedAt !== null || other.archivedAt !== null) return null;
  if (one.version !== pair[0].version || other.version !== pair[1].version) return null;
  const [winner, loser] = saysMore(other, one) ? [other, one] : [one, other];
  const why: Change = { reason: 'merged near doubles', actor: 'merge-doubles' };
  await archiveMemory(writer, deps, loser, { reason: 'merged', by: winner.id, why });
  await reviseMemory(writer, deps, winner, {
    change: {
      importance: roundedImportance(Math.max(winner.importance, loser.importance) + REINFORCEMENT),
      trust: lowestTrust([winner.trust, loser.trust]),
      tags: [...new Set([...winner.tags, ...loser.tags])].slice(0, 50),
      entities: [...new Set([...winner.entities, ...loser.entities])],
      sourceEvents: loser.sourceEvents,
      quotes: loser.quotes,
      validFrom: winner.validFrom ?? loser.validFrom,
      dueAt: winner.dueAt ?? loser.dueAt,
    },
    why,
  });
  return loser.id;
}

function saysMore(one: Memory, other: Memory): boolean {
  const weight = ({ permanent, attribute, value }: Memory): number =>
    4 * Number(permanent) + 2 * Number(attribute !== null) + Number(value !== null);
  const difference = weight(one) - weight(other);
  return difference === 0 ? one.content.length > other.content.length : difference > 0;
}
