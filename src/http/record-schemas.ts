import { FORGOTTEN_AS } from '../record/forgotten.ts';
import { z } from 'zod';
import { KEY_ACCESS } from '../operate/api-keys.ts';
import { BLOCK_KINDS } from '../record/block.ts';
import { contextSourceSchema } from '../record/context-source.ts';
import { ENTITY_TYPES } from '../record/entity.ts';
import { EVENT_KINDS } from '../record/event.ts';
import { ARCHIVE_REASONS, SOURCE_TYPES } from '../record/memory.ts';
import { CONFIDENCE_LEVELS, ORIGINS, POLARITIES, quoteSchema, TENSES, TRUST_LEVELS } from '../record/statement.ts';
import { REFUSED } from '../store/history-store.ts';

// For the documentation and the tests. The server does not validate its responses.

export const time: z.ZodType = z.iso.datetime();
const text: z.ZodType = z.string().nullable();
const maybeTime: z.ZodType = z.iso.datetime().nullable();
const count: z.ZodType = z.int().min(0);
const object: z.ZodType = z.record(z.string(), z.unknown());
const each = (schema: z.ZodType, names: string): Record<string, z.ZodType> =>
  Object.fromEntries(names.split(' ').map((name) => [name, schema]));
/** Schemas with a name in the OpenAPI document, where each appears only once. */
export const NAMED: Record<string, z.ZodType> = {};
const named = (name: string, fields: z.ZodRawShape): z.ZodType => (NAMED[name] = z.object(fields));
export const page = (item: z.ZodType): z.ZodType => z.object({ items: z.array(item), cursor: text });
export const counts: z.ZodType = z.record(z.string(), count);

const scope: z.ZodType = named('Scope', { tenant: z.string(), ...each(text, 'agent user session connection') });

export const event: z.ZodType = named('Event', {
  id: z.string(),
  scope,
  position: z.int().nullable(),
  kind: z.enum(EVENT_KINDS),
  origin: z.enum(ORIGINS),
  speaker: text,
  content: z.string(),
  ...each(text, 'category refersTo interaction channel'),
  context: contextSourceSchema.nullable(),
  metadata: object,
  ...each(time, 'occurredAt recordedAt'),
  processedAt: maybeTime,
});

const memoryFields = {
  id: z.string(),
  scope,
  ...each(z.string(), 'type content'),
  ...each(text, 'title url'),
  subject: z.string(),
  ...each(text, 'attribute value category'),
  polarity: z.enum(POLARITIES),
  tense: z.enum(TENSES),
  permanent: z.boolean(),
  statedAt: time,
  statedBy: z.enum(ORIGINS),
  quotes: z.array(quoteSchema),
  reader: text,
  importance: z.number(),
  confidence: z.enum(CONFIDENCE_LEVELS),
  trust: z.enum(TRUST_LEVELS),
  sourceType: z.enum(SOURCE_TYPES),
  sourceSession: text,
  ...each(z.array(z.string()), 'sourceEvents tags entities'),
  ...each(text, 'contradicts contradictedBy state'),
  ...each(maybeTime, 'dueAt validFrom validTo'),
  ...each(time, 'createdAt updatedAt'),
  archivedAt: maybeTime,
  archiveReason: z.enum(ARCHIVE_REASONS).nullable(),
  expiresAt: maybeTime,
  accessCount: count,
  lastAccessedAt: maybeTime,
  version: count,
  context: contextSourceSchema.nullable(),
  ...each(object, 'metadata internal'),
};

export const memory: z.ZodType = named('Memory', memoryFields);

export const fact: z.ZodType = named('Fact', { key: z.string(), ...memoryFields });

export const refusal: z.ZodType = named('Refusal', {
  id: z.string(),
  scope,
  run: text,
  at: time,
  reason: z.string(),
  what: z.enum(REFUSED),
  ...each(text, 'text detail'),
  proposal: z.unknown(),
  events: z.array(z.string()),
});

/** If the key may not erase, the fields with words are null or empty. */
export const forgotten: z.ZodType = named('Forgotten', {
  id: z.string(),
  scope,
  as: z.enum(FORGOTTEN_AS),
  memory: text,
  subject: z.string(),
  ...each(text, 'attribute value'),
  polarity: z.enum(POLARITIES),
  tense: z.enum(TENSES),
  text: z.string(),
  spans: z.array(z.object({ event: z.string(), start: z.int(), end: z.int() })),
  by: z.string(),
  request: text,
  reason: z.string(),
  at: time,
  saidAgainAt: maybeTime,
});

export const memoryUse: z.ZodType = named('MemoryUse', {
  ...each(count, 'given used confirmed corrected'),
  lastConfirmedAt: maybeTime,
});

export const written: z.ZodType = named('WrittenMemory', {
  memory,
  outcome: z.enum(['created', 'unchanged', 'revised', 'superseded']),
  others: z.array(memory).optional(),
});

export const revision: z.ZodType = named('Revision', {
  recordId: z.string(),
  version: count,
  at: time,
  ...each(z.string(), 'reason actor'),
  run: text,
  before: object.nullable(),
});

export const block: z.ZodType = named('Block', {
  id: z.string(),
  scope,
  kind: z.enum(Object.keys(BLOCK_KINDS)),
  content: z.unknown(),
  basis: object,
  version: count,
  ...each(time, 'createdAt updatedAt'),
});

export const restingSentence: z.ZodType = named('RestingSentence', {
  text: z.string(),
  restsOn: z.array(z.string()),
  stale: z.boolean(),
});

export const sessionState: z.ZodType = named('SessionState', {
  activePreferences: z.array(z.string()),
  pendingConfirmations: z.array(z.object({ id: z.string(), question: z.string(), metadata: object.optional() })),
  toolResults: z.array(z.object({ tool: z.string(), result: z.string(), metadata: object.optional() })),
});

export const session: z.ZodType = named('Session', {
  scope,
  status: z.enum(['open', 'idle', 'closed']),
  ...each(time, 'startedAt lastEventAt expiresAt'),
  ...each(count, 'eventCount formedPosition messagesSinceFormation'),
  weightedTokensSinceFormation: z.number(),
  state: sessionState,
});

export const entity: z.ZodType = named('Entity', {
  id: z.string(),
  scope,
  type: z.enum(ENTITY_TYPES),
  ...each(z.string(), 'name slug'),
  aliases: z.array(z.string()),
  metadata: object,
  ...each(time, 'createdAt updatedAt'),
});

export const interaction: z.ZodType = named('Interaction', {
  ...each(z.string(), 'id userMessage agentResponse'),
  toolsUsed: z.array(z.object({ tool: z.string(), arguments: object.optional(), result: z.string().optional() })),
  ...each(text, 'channel user session'),
  occurredAt: time,
});

export const decision: z.ZodType = named('Decision', { decision: event, outcomes: z.array(event) });

export const toolSchema: z.ZodType = named('ToolSchema', {
  scope,
  schema: z.unknown(),
  ...each(time, 'fetchedAt expiresAt'),
  stale: z.boolean(),
});

export const job: z.ZodType = named('Job', {
  ...each(z.string(), 'id kind tenant ownerKey'),
  payload: z.unknown(),
  uniqueKey: text,
  state: z.enum(['waiting', 'running', 'done', 'dead']),
  priority: z.int(),
  runAt: time,
  ...each(count, 'attempts maxAttempts'),
  lastError: text,
  leaseUntil: maybeTime,
  createdAt: time,
  finishedAt: maybeTime,
});

export const apiKey: z.ZodType = named('ApiKey', {
  ...each(z.string(), 'id tenant name'),
  access: z.enum(KEY_ACCESS),
  ...each(z.array(z.string()).nullable(), 'agents users'),
  rate: z.number().nullable(),
  createdAt: time,
  createdBy: z.string(),
  ...each(maybeTime, 'expiresAt revokedAt'),
});

export const webhook: z.ZodType = z.object({
  ...each(z.string(), 'id url'),
  events: z.array(z.string()),
  description: text,
  enabled: z.boolean(),
  disabledReason: text,
  createdAt: time,
  createdBy: z.string(),
});

export const webhookDelivery: z.ZodType = z.object({
  ...each(z.string(), 'id type'),
  state: z.enum(['waiting', 'delivered', 'failed', 'dropped']),
  attempts: count,
  status: z.int().nullable(),
  error: text,
  createdAt: time,
  endedAt: maybeTime,
  body: object,
});

export const act: z.ZodType = named('Act', {
  id: z.string(),
  at: time,
  ...each(z.string(), 'actor act'),
  subject: text,
  details: object,
});

export const recordCounts: z.ZodType = named('RecordCounts', {
  ...each(count, 'events eventsWaiting memories memoriesArchived'),
  byType: counts,
  ...each(count, 'blocks sessions entities vectorsWaiting heldChanges owners'),
});

const rate = z.object({ rate: z.number().nullable(), of: count });

export const onlineMetrics: z.ZodType = named('OnlineMetrics', {
  ...each(rate, 'contextUtilisation observationRate statementRate correctionRate'),
  corrections: z.array(z.object({ month: text, rate: z.number().nullable(), turns: count })),
  repeatQuestionRate: rate,
  repeated: z.array(z.object({ question: text, attribute: text })),
  scaffold: z.object({
    curve: z.array(z.object({ day: text, keys: z.number(), scaffolds: count })),
    ...each(z.number().nullable(), 'keys lateShare'),
  }),
  refused: z.array(z.object({ reason: text, count })),
});

export const extractionReport: z.ZodType = named('ExtractionReport', {
  conversations: count,
  checks: z.array(
    z.object({ check: text, share: z.number().nullable(), of: count, threshold: z.number(), isAlert: z.boolean() }),
  ),
  examples: z.array(z.object({ check: text, memory: text })),
});

export const costLine: z.ZodType = named('CostLine', {
  keys: z.record(z.string(), text),
  ...each(count, 'count calls failed tokensIn tokensOut tokensCached'),
  ...each(z.number(), 'milliseconds cost charged'),
  unpriced: count,
});

export const importReport: z.ZodType = named('ImportReport', {
  read: count,
  ...each(counts, 'imported known'),
  rejected: count,
  problems: z.array(z.object({ line: count, problem: z.string() })),
  forming: count,
  dryRun: z.boolean(),
});

export const problem: z.ZodType = named('Problem', {
  ...each(z.string(), 'type title'),
  status: z.int(),
  ...each(z.string(), 'detail code'),
  retryable: z.boolean(),
  problems: z.unknown().optional(),
});
