import { invalidInput } from '../errors.ts';
import type { Memory, NewMemory } from '../record/memory.ts';
import { memoryType, type MemoryType } from '../record/memory-types.ts';
import type { Parsed } from '../record/parse.ts';
import { scopeAt, type Scope, type ScopeLevel } from '../record/scope.ts';
import type { Parts } from './parts.ts';

/** Makes the record of a memory that was handed in: the handle's scope, the type's defaults. */
export function newMemory(parts: Parts, scope: Scope, input: Parsed<NewMemory>): Memory {
  const type = memoryType(parts.memoryTypes, input.type);
  const now = new Date(parts.clock.now());
  const memory: Memory = {
    id: parts.ids.next('mem'),
    scope: scopeAt(scope, levelOf(input, type, scope)),
    type: input.type,
    content: input.content.trim(),
    title: input.title?.trim() ?? null,
    url: input.url ?? null,
    key: input.key ?? null,
    value: input.value?.trim() ?? null,
    category: input.category ?? null,
    importance: input.importance ?? type.defaultImportance,
    confidence: input.confidence ?? 'high',
    trust: input.trust ?? 'high',
    sourceType: input.sourceType ?? 'explicit',
    sourceSession: input.sourceSession ?? scope.session,
    sourceEvents: [...new Set(input.sourceEvents)],
    tags: input.tags ?? [],
    entities: [...new Set(input.entities)],
    contradicts: input.contradicts ?? null,
    contradictedBy: null,
    state: input.state ?? null,
    dueAt: input.dueAt ?? null,
    validFrom: input.validFrom ?? null,
    validTo: input.validTo ?? null,
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
    archiveReason: null,
    expiresAt: input.expiresAt ?? null,
    accessCount: 0,
    lastAccessedAt: null,
    version: 1,
    context: input.context ?? null,
    metadata: input.metadata ?? {},
  };
  checkFields(memory, type);
  return memory;
}

function levelOf(input: Parsed<NewMemory>, type: MemoryType, scope: Scope): ScopeLevel {
  if (input.level !== undefined) {
    if (!type.levels.includes(input.level)) {
      throw invalidInput(`A ${input.type} lives at ${type.levels.join(' or ')}, not at ${input.level}.`);
    }
    return input.level;
  }
  const reachable: Record<ScopeLevel, boolean> = {
    session: scope.session !== null,
    user: scope.user !== null,
    agent: scope.agent !== null,
    tenant: true,
  };
  return type.levels.find((level) => reachable[level]) ?? type.levels[0];
}

/** Refuses a memory that lacks what its type needs, or has what its type does not know. */
export function checkFields(memory: Memory, type: MemoryType): void {
  for (const [field, rule, value] of [
    ['key', type.key, memory.key],
    ['title', type.title, memory.title],
    ['dueAt', type.due, memory.dueAt],
  ] as const) {
    if (rule === 'required' && value === null) throw invalidInput(`A ${memory.type} needs a ${field}.`, { field });
  }
  if (type.key === 'none' && memory.key !== null) throw invalidInput(`A ${memory.type} has no key.`, { field: 'key' });
  if (type.key === 'required' && memory.value === null) {
    throw invalidInput(`A ${memory.type} needs a value.`, { field: 'value' });
  }
  if (memory.validFrom !== null && memory.validTo !== null && memory.validTo < memory.validFrom) {
    throw invalidInput('validTo is before validFrom.', { field: 'validTo' });
  }
}
