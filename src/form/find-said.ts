import type { Memory, NewMemory } from '../record/memory.ts';
import { memoryType } from '../record/memory-types.ts';
import type { Parsed } from '../record/parse.ts';
import { ownerKey, ownerLevel, scopeAt, type Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { toMemory } from '../store/memory-rows.ts';
import { newMemory } from '../store/new-memory.ts';
import type { Parts } from '../store/parts.ts';
import { isCovered } from './keyed-alone.ts';
import type { Proposal } from './proposal.ts';
import { isUser } from './slot.ts';
import { findFact } from './write-keyed-facts.ts';

/** The keyed fact that says all of a statement: "Home city: Oslo" for "User lives in Oslo". */
export async function findSaying(
  writer: Writer,
  scope: Scope,
  { slot, content, levels }: Proposal,
): Promise<Memory | null> {
  if (!isUser(slot.subject) || slot.polarity === 'negative' || !/^[a-z_]+$/.test(slot.attribute ?? '')) return null;
  if (levels.includes('agent')) return null;
  const owner = { ...scopeAt(scope, ownerLevel(scope)), connection: null };
  const fact = await findFact(writer, owner, slot.attribute ?? '');
  return fact !== null && isCovered(content, [{ key: fact.key ?? '', value: fact.value ?? '' }]) ? fact : null;
}

/**
 * An episode may happen twice, so the store lets two of the same words be. Told by the same events it is one: rules read
 * an exchange at once, and the formation of its session may run before that is committed. What the user did is told again,
 * not done again.
 */
export async function findSameEpisode(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  input: Parsed<NewMemory>,
): Promise<Memory | null> {
  if (memoryType(parts.memoryTypes, input.type).unique !== 'nothing') return null;
  const { scope: owner } = newMemory(parts, scope, input);
  const rows = await writer
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', owner.tenant)
    .where('owner_key', '=', ownerKey(owner))
    .where('connection_id', '=', owner.connection ?? '')
    .where('type', '=', input.type)
    .where('content', '=', input.content)
    .where('archived_at', 'is', null)
    .execute();
  const isAgents = /^(?:Agent|Outcome)\b/.test(input.content);
  const events = new Set(input.sourceEvents ?? []);
  return (
    rows.map(toMemory).find(({ sourceEvents }) => !isAgents || sourceEvents.some((event) => events.has(event))) ?? null
  );
}
