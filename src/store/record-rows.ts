import { type Insertable, type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { invalidInput } from '../errors.ts';
import { redactNamed, redactSensitive } from '../language/privacy-policy.ts';
import type { ContextSource } from '../record/context-source.ts';
import type { Event } from '../record/event.ts';
import type { MemoryType, MemoryTypeTable } from '../record/memory-types.ts';
import type { InternalMemory, Memory } from '../record/memory.ts';
import { type Scope, scopeAt, type ScopeLevel, sharedOwner } from '../record/scope.ts';
import { canonicalSubject, isUser, type Quote, trustOf, USER } from '../record/statement.ts';
import type { Parts } from './database.ts';
import { upgradeSnapshot } from './migrations/older-memory.ts';
import type { EventTable, MemoryTable } from './schema.ts';
import { contentHash } from '../record/id.ts';
import { entitySlug } from '../language/entities.ts';
import { ownerColumns, scopeOfRow } from './rows.ts';

export type EventRow = Selectable<EventTable>;

export function toEvent(row: EventRow): Event {
  return {
    id: row.id,
    scope: scopeOfRow(row),
    position: row.position,
    kind: row.kind,
    origin: row.origin,
    speaker: row.speaker,
    content: row.content,
    category: row.category,
    refersTo: row.refers_to,
    interaction: row.interaction,
    channel: row.channel,
    context: row.context === null ? null : (JSON.parse(row.context) as ContextSource),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    occurredAt: new Date(row.occurred_at),
    recordedAt: new Date(row.recorded_at),
    processedAt: row.processed_at === null ? null : new Date(row.processed_at),
  };
}

export type MemoryRow = Selectable<MemoryTable>;

/** Memories forgotten since then are hidden from past states as well. */
export const isNotForgotten: RawBuilder<SqlBool> = sql<SqlBool>`coalesce(archive_reason, '') <> 'forgotten'`;

export function isTagged(tags: readonly string[], table = 'memories'): RawBuilder<SqlBool> {
  const memory = sql.table(table);
  return sql<SqlBool>`exists (select 1 from memory_tags l where l.tenant_id = ${memory}.tenant_id
    and l.owner_key = ${memory}.owner_key and l.memory_id = ${memory}.id and l.tag in (${sql.join(tags)}))`;
}

export function isLearnedFrom(tenant: string, eventIds: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`tenant_id = ${tenant} and id in
    (select memory_id from memory_sources where tenant_id = ${tenant} and event_id in (${sql.join(eventIds)}))`;
}

export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.id,
    scope: scopeOfRow(row),
    type: row.type,
    content: row.content,
    title: row.title,
    url: row.url,
    subject: row.subject,
    attribute: row.attribute,
    value: row.value,
    category: row.category,
    polarity: row.polarity,
    tense: row.tense,
    permanent: row.permanent === 1,
    statedAt: new Date(row.stated_at),
    statedBy: row.stated_by,
    quotes: fromJson(row.quotes) as Quote[],
    reader: row.reader,
    importance: row.importance,
    confidence: row.confidence,
    trust: row.trust,
    sourceType: row.source_type,
    sourceSession: row.source_session,
    sourceEvents: fromJson(row.source_events) as string[],
    tags: fromJson(row.tags) as string[],
    entities: fromJson(row.entities) as string[],
    contradicts: row.contradicts,
    contradictedBy: row.contradicted_by,
    state: row.state,
    dueAt: toDate(row.due_at),
    validFrom: toDate(row.valid_from),
    validTo: toDate(row.valid_to),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    archivedAt: toDate(row.archived_at),
    archiveReason: row.archive_reason,
    expiresAt: toDate(row.expires_at),
    accessCount: row.access_count,
    lastAccessedAt: toDate(row.last_accessed_at),
    version: row.version,
    context: row.context === null ? null : (JSON.parse(row.context) as ContextSource),
    metadata: fromJson(row.metadata) as Record<string, unknown>,
    internal: fromJson(row.internal) as Record<string, unknown>,
  };
}

/** Empty lists and objects are frequent and need no parsing. */
function fromJson(text: string): unknown {
  return text === '[]' ? [] : text === '{}' ? {} : JSON.parse(text);
}

export function toMemoryRow(memory: Memory, type: MemoryType, sequence: number): Insertable<MemoryTable> {
  return {
    ...ownerColumns(memory.scope),
    id: memory.id,
    session_id: memory.scope.session ?? '',
    connection_id: memory.scope.connection ?? '',
    type: memory.type,
    content: memory.content,
    title: memory.title,
    url: memory.url,
    subject: memory.subject,
    attribute: memory.attribute,
    value: memory.value,
    category: memory.category,
    polarity: memory.polarity,
    tense: memory.tense,
    permanent: memory.permanent ? 1 : 0,
    stated_at: memory.statedAt.getTime(),
    stated_by: memory.statedBy,
    quotes: JSON.stringify(memory.quotes),
    reader: memory.reader,
    importance: memory.importance,
    confidence: memory.confidence,
    trust: memory.trust,
    source_type: memory.sourceType,
    source_session: memory.sourceSession,
    source_events: JSON.stringify(memory.sourceEvents),
    tags: JSON.stringify(memory.tags),
    entities: JSON.stringify(memory.entities),
    contradicts: memory.contradicts,
    contradicted_by: memory.contradictedBy,
    state: memory.state,
    due_at: toTime(memory.dueAt),
    valid_from: toTime(memory.validFrom),
    valid_to: toTime(memory.validTo),
    created_at: memory.createdAt.getTime(),
    updated_at: memory.updatedAt.getTime(),
    archived_at: toTime(memory.archivedAt),
    archive_reason: memory.archiveReason,
    expires_at: toTime(memory.expiresAt),
    access_count: memory.accessCount,
    last_accessed_at: toTime(memory.lastAccessedAt),
    version: memory.version,
    context_type: memory.context?.type ?? null,
    context: memory.context === null ? null : JSON.stringify(memory.context),
    metadata: JSON.stringify(memory.metadata),
    internal: JSON.stringify(memory.internal),
    unique_key: uniqueKey(memory, type),
    sequence,
  };
}

type Identity = Pick<Memory, 'type' | 'content' | 'title' | 'subject' | 'attribute' | 'value' | 'polarity'>;

/** Two live memories of a scope never have the same key. Null if the type allows duplicates. */
export function uniqueKey(memory: Identity, type: MemoryType): string | null {
  if (type.unique === 'nothing') return null;
  if (type.unique === 'title') return `title:${memory.type}:${entitySlug(memory.title ?? '')}`;
  return contentKey(memory);
}

/** Equal only for exact duplicates. Two statements may quote the same words and still differ in subject, attribute, value or polarity. */
export function contentKey({ content, subject, attribute, value, polarity }: Omit<Identity, 'type' | 'title'>): string {
  const key = `content:${contentHash(content)}`;
  const isPlain = subject === USER && attribute === null && value === null && polarity === 'affirmed';
  return isPlain ? key : `${key}:${contentHash(JSON.stringify([subject, attribute, value, polarity]))}`;
}

export function searchableText(memory: Pick<Memory, 'content' | 'title' | 'tags' | 'url'>): string {
  return [memory.title, memory.content, memory.tags.join(' ').replaceAll('_', ' '), memory.url]
    .filter((part) => part !== null && part !== '')
    .join('\n');
}

/** Only an erasure removes entries from these lists. */
export type Sources = Pick<Memory, 'sourceEvents' | 'quotes'>;

/**
 * Contains only the sources that the change added: with all sources in every revision, a topic's history would grow with the square of its
 * sessions.
 */
export function toSnapshot({ sourceEvents, quotes, ...memory }: Memory, after: Sources): string {
  const [events, quoted] = [new Set(sourceEvents), new Set(quotes.map(quoteKey))];
  const added: Sources = {
    sourceEvents: after.sourceEvents.filter((id) => !events.has(id)),
    quotes: after.quotes.filter((quote) => !quoted.has(quoteKey(quote))),
  };
  return JSON.stringify({ ...memory, added });
}

/** The inverse of `toSnapshot`: the sources of the next version without those that the change added. */
export function withSources(snapshot: Record<string, unknown>, next: Sources): Record<string, unknown> & Sources {
  const { added, ...memory } = snapshot as { added?: Sources };
  // Revisions from older versions of Varve contain all sources. Imported revisions may have any format.
  if (!Array.isArray(added?.sourceEvents) || !Array.isArray(added.quotes))
    return { sourceEvents: [], quotes: [], ...memory };
  const [events, quoted] = [new Set(added.sourceEvents), new Set(added.quotes.map(quoteKey))];
  return {
    ...memory,
    sourceEvents: next.sourceEvents.filter((id) => !events.has(id)),
    quotes: next.quotes.filter((quote) => !quoted.has(quoteKey(quote))),
  };
}

function quoteKey({ event, start, end }: Quote): string {
  return `${event} ${start} ${end}`;
}

const DATES = [
  'statedAt',
  'dueAt',
  'validFrom',
  'validTo',
  'createdAt',
  'updatedAt',
  'archivedAt',
  'expiresAt',
  'lastAccessedAt',
] as const;

export function fromSnapshots(snapshots: readonly string[], current: Sources): Memory {
  const then = snapshots.reduce<Sources>(
    (next, snapshot) => withSources(upgradeSnapshot(JSON.parse(snapshot) as Record<string, unknown>), next),
    current,
  );
  const memory = { ...then } as Memory;
  for (const field of DATES) {
    const value = memory[field] as unknown as string | null;
    if (value !== null) memory[field] = new Date(value);
  }
  return memory;
}

function toDate(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}

function toTime(date: Date | null): number | null {
  return date?.getTime() ?? null;
}

export function memoryType(table: MemoryTypeTable, name: string): MemoryType {
  const type = table.get(name);
  if (type !== undefined) return type;
  throw invalidInput(
    `There is no memory type ${JSON.stringify(name)}. Known types: ${[...table.keys()].join(', ')}. ` +
      `Add one with createVarve({ memoryTypes: { ${name}: { description: '…' } } }).`,
  );
}

export function newMemory(parts: Parts, scope: Scope, input: InternalMemory): Memory {
  const type = memoryType(parts.memoryTypes, input.type);
  const now = new Date(parts.clock.now());
  const memory: Memory = {
    id: input.id ?? parts.ids.next('mem'),
    scope: scopeAt(scope, levelOf(input, type, scope)),
    type: input.type,
    ...statementOf(parts, input),
    ...originOf(input, scope, now),
    importance: input.importance ?? type.defaultImportance,
    tags: input.tags ?? [],
    entities: [...new Set(input.entities)],
    contradicts: input.contradicts ?? null,
    contradictedBy: null,
    state: input.state === undefined ? type.initialState : input.state,
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
  return isSharedFact(parts, memory) ? { ...memory, scope: sharedOwner(memory.scope) } : memory;
}

/** Statements from tools and documents are never shared. */
function isSharedFact({ sharesFacts, attributes }: Parts, memory: Memory): boolean {
  const { scope, subject, attribute, trust, permanent } = memory;
  if (sharesFacts !== true || scope.user === null || scope.session !== null || scope.connection !== null) return false;
  if (attribute === null || !isUser(subject) || trust === 'low') return false;
  return permanent || attributes.policyOf(attribute).permanent;
}

function statementOf(
  parts: Parts,
  input: InternalMemory,
): Pick<
  Memory,
  | ('content' | 'title' | 'url' | 'subject' | 'attribute' | 'value' | 'category')
  | ('polarity' | 'tense' | 'permanent' | 'dueAt' | 'validFrom' | 'validTo')
> {
  const attribute = input.attribute ?? null;
  const value = redactedValue(parts, attribute, input.value?.trim() ?? null);
  return {
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
    dueAt: input.dueAt ?? null,
    validFrom: input.validFrom ?? null,
    validTo: input.validTo ?? null,
  };
}

function originOf(
  input: InternalMemory,
  scope: Scope,
  now: Date,
): Pick<
  Memory,
  | ('statedAt' | 'statedBy' | 'quotes' | 'reader' | 'confidence' | 'trust')
  | ('sourceType' | 'sourceSession' | 'sourceEvents')
> {
  const statedBy = input.statedBy ?? 'system';
  const quotes = joinQuotes([], input.quotes);
  return {
    statedAt: input.statedAt ?? now,
    statedBy,
    quotes,
    reader: input.reader ?? null,
    confidence: input.confidence ?? 'high',
    trust: input.trust ?? trustOf(statedBy),
    sourceType: input.sourceType ?? 'explicit',
    sourceSession: input.sourceSession ?? scope.session,
    sourceEvents: joinEvents(input.sourceEvents ?? [], quotes),
  };
}

export function redactedValue(
  { privacy }: Pick<Parts, 'privacy'>,
  attribute: string | null,
  value: string | null,
): string | null {
  return value === null || privacy === undefined ? value : redactNamed(attribute ?? '', value, privacy);
}

export function withoutValue(content: string, given: string | null | undefined, value: string | null): string {
  const before = given?.trim() ?? '';
  return before === '' || value === null || before === value ? content : content.replaceAll(before, value);
}

export function withoutSecrets({ privacy }: Pick<Parts, 'privacy'>, text: string): string {
  return privacy === undefined ? text : redactSensitive(text, privacy);
}

function categoryOf({ attributes }: Parts, attribute: string | null): string | null {
  return attribute !== null && attributes.isKnown(attribute) ? attributes.policyOf(attribute).category : null;
}

export function joinQuotes(quotes: readonly Quote[], added: readonly Quote[] = []): Quote[] {
  const all = [...quotes, ...added].map(({ event, start, end }) => ({ event, start, end }));
  return [...new Map(all.map((quote) => [quoteKey(quote), quote])).values()];
}

export function joinEvents(events: readonly string[], quotes: readonly Quote[]): string[] {
  return [...new Set([...events, ...quotes.map(({ event }) => event)])];
}

function levelOf(input: InternalMemory, type: MemoryType, scope: Scope): ScopeLevel {
  if (input.level !== undefined) {
    if (!type.levels.includes(input.level)) {
      throw invalidInput(`A ${input.type} can be stored at the level ${type.levels.join(' or ')}, not ${input.level}.`);
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
    throw invalidInput('The time `validTo` is before `validFrom`.', { field: 'validTo' });
  }
}
