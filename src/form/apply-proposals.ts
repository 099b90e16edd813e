import { VarveError } from '../errors.ts';
import type { Memory } from '../record/memory.ts';
import { lowestTrust } from '../record/trust.ts';
import { ownerKey, ownerLevel, scopeAt, type Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { writeEntity } from '../store/entity-store.ts';
import { toMemory as fromRow, uniqueKey } from '../store/memory-rows.ts';
import type { Parts } from '../store/parts.ts';
import { findMemory } from '../store/read-memories.ts';
import { memoryType } from '../record/memory-types.ts';
import { archiveMemory, reviseMemory, writeMemory } from '../store/write-memory.ts';
import { amendMerged, isInMerged } from './amend-merged.ts';
import { nothingApplied, type Applied, type ApplyContext } from './applied.ts';
import { findSameEpisode, findSaying } from './find-said.ts';
import type { Resolution } from './decide-by-rules.ts';
import type { Settled } from './guards/guard-decisions.ts';
import { claimOf } from './guards/precedence.ts';
import type { Proposal } from './proposal.ts';
import { entitiesOf, levelsOf, metadataOf, tagsOf, toMemory } from './to-memory.ts';
import { writeKeyedFacts } from './write-keyed-facts.ts';

/** The decisions after which something else is known than before. */
const CHANGES: ReadonlySet<string> = new Set(['ADD', 'UPDATE', 'DELETE', 'KEYED']);

/** Writes what was decided, one statement after the other, with its entities and keyed facts. */
export async function applyProposals(
  writer: Writer,
  parts: Parts,
  settled: readonly Settled[],
  context: ApplyContext,
): Promise<Applied> {
  const applied = nothingApplied();
  for (const each of settled) {
    await applyOne(writer, parts, each, context, applied);
    if (CHANGES.has(each.resolution.action)) {
      await amendMerged(writer, parts, each.proposal, { context, applied, by: applied.added.at(-1) ?? null });
    }
    await writeKeyedFacts(writer, parts, each.proposal, context, applied);
  }
  return applied;
}

async function applyOne(
  writer: Writer,
  parts: Parts,
  { proposal, resolution }: Settled,
  context: ApplyContext,
  applied: Applied,
): Promise<void> {
  if (resolution.action === 'KEYED') return;
  if (resolution.action === 'ADD') {
    if (await isInMerged(writer, parts, context.scope, proposal)) return;
    return add(writer, parts, proposal, context, applied);
  }
  const target = await stillThere(writer, context.scope, resolution.target);
  if (target === null) {
    if (resolution.action !== 'NONE') await add(writer, parts, proposal, context, applied);
    return;
  }
  if (resolution.action === 'NONE') return confirm(writer, parts, { proposal, target, context, applied });
  if (resolution.action === 'UPDATE')
    return update(writer, parts, { proposal, target, content: resolution.content, context, applied });
  if (resolution.action === 'OUTRANKED') {
    for (const memory of await create(writer, parts, proposal, context)) {
      if (!memory.isNew) continue;
      const why = { ...context.why, reason: 'outranked by what is known' };
      await archiveMemory(writer, parts, memory.memory, { reason: 'contradicted', by: target.id, why });
    }
    return;
  }
  await replace(writer, parts, { proposal, target, as: resolution.as, context, applied });
}

/** The memory as it is now; null when it is gone. One that was changed since it was compared is a conflict. */
async function stillThere(writer: Writer, scope: Scope, seen: Memory): Promise<Memory | null> {
  const now = await findMemory(writer, scope, seen.id);
  if (now === null || now.archivedAt !== null) return null;
  if (now.content === seen.content) return now;
  throw new VarveError(`The memory ${seen.id} was changed while it was being compared. The formation starts again.`, {
    code: 'conflict',
    retryable: true,
    details: { id: seen.id },
  });
}

async function add(
  writer: Writer,
  parts: Parts,
  proposal: Proposal,
  context: ApplyContext,
  applied: Applied,
): Promise<void> {
  const fact = await findSaying(writer, context.scope, proposal);
  if (fact !== null) return confirm(writer, parts, { proposal, target: fact, context, applied });
  for (const { memory, isNew } of await create(writer, parts, proposal, context)) {
    applied[isNew ? 'added' : 'confirmed'].push(memory.id);
    if (isNew) applied.contents.push(memory.content);
  }
}

async function create(
  writer: Writer,
  parts: Parts,
  proposal: Proposal,
  { scope, distiller, why }: ApplyContext,
  contradicts: string | null = null,
): Promise<{ memory: Memory; isNew: boolean }[]> {
  const entities = await linkEntities(writer, parts, proposal, scope);
  const written: { memory: Memory; isNew: boolean }[] = [];
  for (const level of levelsOf(proposal, scope)) {
    const input = { ...toMemory(proposal, { scope, distiller, level }), entities, contradicts };
    const double = await findSameEpisode(writer, parts, scope, input);
    if (double !== null) {
      const sourceEvents = (input.sourceEvents ?? []).filter((id) => !double.sourceEvents.includes(id));
      const said = { ...why, reason: `said again: ${why.reason}` };
      if (sourceEvents.length > 0) await reviseMemory(writer, parts, double, { change: { sourceEvents }, why: said });
      written.push({ memory: double, isNew: false });
      continue;
    }
    const { memory, outcome } = await writeMemory(writer, parts, scope, input, why);
    written.push({ memory, isNew: outcome === 'created' });
  }
  return written;
}

async function linkEntities(writer: Writer, parts: Parts, proposal: Proposal, scope: Scope): Promise<string[]> {
  const owner = { ...scopeAt(scope, ownerLevel(scope)), session: null, connection: null };
  const ids: string[] = [];
  for (const entity of entitiesOf(proposal)) ids.push((await writeEntity(writer, parts, owner, entity)).id);
  return [...new Set(ids)];
}

interface Touch {
  proposal: Proposal;
  target: Memory;
  context: ApplyContext;
  applied: Applied;
}

/** It was said again: the memory gains a source, and its newer date. */
async function confirm(writer: Writer, parts: Parts, { proposal, target, context, applied }: Touch): Promise<void> {
  applied.confirmed.push(target.id);
  const sourceEvents = proposal.events.map((event) => event.id).filter((id) => !target.sourceEvents.includes(id));
  if (sourceEvents.length === 0) return;
  const isNewer = proposal.statedAt > claimOf(target).statedAt;
  const metadata = isNewer ? { ...target.metadata, statedAt: proposal.statedAt.toISOString() } : target.metadata;
  const why = { ...context.why, reason: `said again: ${context.why.reason}` };
  await reviseMemory(writer, parts, target, { change: { sourceEvents, metadata }, why });
}

async function update(writer: Writer, parts: Parts, touch: Touch & { content: string }): Promise<void> {
  const { proposal, target, content, context, applied } = touch;
  if (content === target.content) return confirm(writer, parts, touch);
  const double = await findDouble(writer, parts, target, content);
  if (double !== null) {
    applied.retired.push(target.id);
    await archiveMemory(writer, parts, target, { reason: 'merged', by: double.id, why: context.why });
    return confirm(writer, parts, { ...touch, target: double });
  }
  const entities = await linkEntities(writer, parts, proposal, context.scope);
  await reviseMemory(writer, parts, target, {
    change: {
      content,
      importance: Math.max(target.importance, proposal.importance),
      confidence: proposal.confidence,
      trust: lowestTrust([target.trust, proposal.trust]),
      sourceEvents: proposal.events.map((event) => event.id),
      tags: [...new Set([...target.tags, ...tagsOf(proposal)])].slice(0, 50),
      entities: [...new Set([...target.entities, ...entities])],
      metadata: { ...target.metadata, ...metadataOf(proposal, context.distiller) },
    },
    why: context.why,
  });
  applied.updated.push(target.id);
  applied.contents.push(content);
}

/** Another live memory that says exactly this: two of them must not be. */
async function findDouble(writer: Writer, parts: Parts, target: Memory, content: string): Promise<Memory | null> {
  const unique = uniqueKey({ ...target, content }, memoryType(parts.memoryTypes, target.type));
  if (unique === null) return null;
  const row = await writer
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', target.scope.tenant)
    .where('owner_key', '=', ownerKey(target.scope))
    .where('session_id', '=', target.scope.session ?? '')
    .where('connection_id', '=', target.scope.connection ?? '')
    .where('unique_key', '=', unique)
    .where('archived_at', 'is', null)
    .where('id', '<>', target.id)
    .executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

async function replace(
  writer: Writer,
  parts: Parts,
  touch: Touch & { as: Extract<Resolution, { action: 'DELETE' }>['as'] },
): Promise<void> {
  const { proposal, target, as, context, applied } = touch;
  const [first, ...others] = await create(writer, parts, proposal, context, target.id);
  if (first === undefined) return;
  for (const { memory, isNew } of [first, ...others]) {
    applied[isNew ? 'added' : 'confirmed'].push(memory.id);
    applied.contents.push(memory.content);
  }
  const until = first.memory.validFrom ?? proposal.statedAt;
  await archiveMemory(writer, parts, target, { reason: as, by: first.memory.id, until, why: context.why });
  applied.retired.push(target.id);
}
