import { invalidInput } from '../errors.ts';
import { redactNamed, redactSensitive } from '../language/privacy-policy.ts';
import type { InternalMemory, Memory } from '../record/memory.ts';
import { memoryType, type MemoryType } from '../record/memory-types.ts';
import { scopeAt, type Scope, type ScopeLevel } from '../record/scope.ts';
import { canonicalSubject, type Quote } from '../record/statement.ts';
import { trustOf } from '../record/trust.ts';
import type { Parts } from './parts.ts';

/** Makes the record of a memory that was handed in: the handle's scope, the defaults of its type and its attribute. */
export function newMemory(parts: Parts, scope: Scope, input: InternalMemory): Memory {
  const type = memoryType(parts.memoryTypes, input.type);
  const now = new Date(parts.clock.now());
  const attribute = input.attribute ?? null;
  const statedBy = input.statedBy ?? 'system';
  const quotes = joinQuotes([], input.quotes);
  const { privacy } = parts;
  const given = input.value?.trim() ?? null;
  const value = given === null || privacy === undefined ? given : redactNamed(attribute ?? '', given, privacy);
  const memory: Memory = {
    id: parts.ids.next('mem'),
    scope: scopeAt(scope, levelOf(input, type, scope)),
    type: input.type,
    content: withoutValue(withoutSecrets(parts, input.content.trim()), input.value, value),
    title: input.title == null ? null : withoutSecrets(parts, input.title.trim()),
    url: input.url ?? null,
    subject: canonicalSubject(input.subject),
    attribute,
    value,
    category: input.category ?? categoryOf(parts, attribute),
    polarity: input.polarity ?? 'affirmed',
    tense: input.tense ?? 'holds',
    permanent: input.permanent ?? false,
    statedAt: input.statedAt ?? now,
    statedBy,
    quotes,
    reader: input.reader ?? null,
    importance: input.importance ?? type.defaultImportance,
    confidence: input.confidence ?? 'high',
    trust: input.trust ?? trustOf(statedBy),
    sourceType: input.sourceType ?? 'explicit',
    sourceSession: input.sourceSession ?? scope.session,
    sourceEvents: joinEvents(input.sourceEvents ?? [], quotes),
    tags: input.tags ?? [],
    entities: [...new Set(input.entities)],
    contradicts: input.contradicts ?? null,
    contradictedBy: null,
    state: input.state === undefined ? type.initialState : input.state,
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
    internal: input.internal ?? {},
  };
  checkFields(memory, type);
  return memory;
}

/** A rendering without the value that had to be redacted. */
function withoutValue(content: string, given: string | null | undefined, value: string | null): string {
  const before = given?.trim() ?? '';
  return before === '' || value === null || before === value ? content : content.replaceAll(before, value);
}

/** A text without what the policy keeps out of memories. */
export function withoutSecrets({ privacy }: Pick<Parts, 'privacy'>, text: string): string {
  return privacy === undefined ? text : redactSensitive(text, privacy);
}

function categoryOf({ attributes }: Parts, attribute: string | null): string | null {
  return attribute !== null && attributes.isKnown(attribute) ? attributes.policyOf(attribute).category : null;
}

/** Quotes with further ones, each once. */
export function joinQuotes(quotes: readonly Quote[], added: readonly Quote[] = []): Quote[] {
  const all = [...quotes, ...added].map(
    ({ event, start, end }) => [`${event} ${start} ${end}`, { event, start, end }] as const,
  );
  return [...new Map(all).values()];
}

/** Source events with those that are quoted, each once. */
export function joinEvents(events: readonly string[], quotes: readonly Quote[]): string[] {
  return [...new Set([...events, ...quotes.map(({ event }) => event)])];
}

function levelOf(input: InternalMemory, type: MemoryType, scope: Scope): ScopeLevel {
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

/** Refuses a memory that lacks what its type needs, or whose fields do not go together. */
export function checkFields(memory: Memory, type: MemoryType): void {
  for (const [field, rule, value] of [
    ['title', type.title, memory.title],
    ['dueAt', type.due, memory.dueAt],
  ] as const) {
    if (rule === 'required' && value === null) throw invalidInput(`A ${memory.type} needs a ${field}.`, { field });
  }
  if (memory.permanent && (memory.attribute === null || memory.value === null)) {
    const field = memory.attribute === null ? 'attribute' : 'value';
    throw invalidInput(`A permanent fact needs an attribute and a value: it has no ${field}.`, { field });
  }
  if (memory.validFrom !== null && memory.validTo !== null && memory.validTo < memory.validFrom) {
    throw invalidInput('validTo is before validFrom.', { field: 'validTo' });
  }
}
