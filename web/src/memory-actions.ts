import { ask, post } from './api.ts';
import { act } from './state.ts';
import type { Memory, Scope } from './types.ts';

// The actions on a memory, each with its undo where possible.

/** Requests about a record use the record's own scope. */
export function scopeOf({ scope }: { scope: { agent: string | null; user: string | null } }): Scope {
  return { agent: scope.agent, user: scope.user };
}

const why = (reason: string): { reason: string; actor: string } => ({ reason, actor: 'inspector' });

export function revise(memory: Memory, change: Partial<Memory>, text: string): Promise<boolean> {
  const scope = scopeOf(memory);
  const path = `/v1/memories/${memory.id}`;
  const before = Object.fromEntries(Object.keys(change).map((field) => [field, memory[field as keyof Memory]]));
  return act(
    text,
    () => ask('PATCH', path, { scope, body: { change, why: why('changed in the inspector') } }),
    () => ask('PATCH', path, { scope, body: { change: before, why: why('undone in the inspector') } }),
  );
}

const PIN = 1;
const UNPINNED = 0.6;

export const isPinned = (memory: Memory): boolean => memory.permanent || memory.importance >= PIN;

/** Pins or unpins a memory. A pinned statement with an attribute and a value is a permanent fact; any other has the highest importance. */
export function togglePin(memory: Memory): Promise<boolean> {
  const canBeFact = memory.subject === 'User' && memory.attribute !== null && memory.value !== null;
  if (isPinned(memory)) {
    return revise(memory, { ...(memory.permanent ? { permanent: false } : {}), importance: UNPINNED }, 'Unpinned.');
  }
  return revise(memory, canBeFact ? { permanent: true } : { importance: PIN }, 'Pinned: this memory will not fade.');
}

/** Archives a memory. With `pruned` it is not recalled; with `forgotten` it is hidden everywhere and not learned again. */
export function archive(memory: Memory, reason: 'pruned' | 'forgotten'): Promise<boolean> {
  const scope = scopeOf(memory);
  return act(
    reason === 'forgotten' ? 'Forgotten.' : 'Archived.',
    () => ask('DELETE', `/v1/memories/${memory.id}`, { scope, query: { reason, why: 'asked for in the inspector' } }),
    () => post(`/v1/memories/${memory.id}/restore`, { scope, body: { why: why('undone in the inspector') } }),
  );
}

export function restore(memory: Memory): Promise<boolean> {
  const scope = scopeOf(memory);
  return act('Restored.', () =>
    post(`/v1/memories/${memory.id}/restore`, { scope, body: { why: why('restored in the inspector') } }),
  );
}

export function erase(memory: Memory): Promise<boolean> {
  return act('Erased for good.', () => post(`/v1/memories/${memory.id}/erase`, { scope: scopeOf(memory) }));
}
