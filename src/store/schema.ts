import type { Generated } from 'kysely';
import type { BlockKindName } from '../record/block.ts';
import type { Entity } from '../record/entity.ts';
import type { Event } from '../record/event.ts';
import type { Forgotten } from '../record/forgotten.ts';
import type { Memory } from '../record/memory.ts';
import type { Session } from '../record/session.ts';

// The tables of both databases. Times are milliseconds since 1970. JSON is read and written as text. For an unset part of a scope, columns
// of a unique key contain '', because NULLs are never equal there; other columns contain NULL.

/** Converts camelCase to snake_case: `sourceEvents` becomes `source_events`. */
type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : '';

/** Times become numbers, booleans 1 or 0, lists and objects JSON. */
type Stored<Value> = Value extends Date | boolean ? number : Value extends object ? string : Value;

type ColumnsOf<Item> = { [Field in keyof Item & string as ColumnName<Field>]: Stored<Item[Field]> };

interface Owned {
  tenant_id: string;
  owner_key: string;
}

export interface Placed extends Owned {
  agent_id: string | null;
  user_id: string | null;
}

export interface OwnerTable extends Placed {
  /** Grows with every change to the owner's records (see `changeOwner`). */
  version: number;
  /** Incremented by every erasure and forgetting, so that caches are discarded. */
  epoch: number;
  created_at: number;
}

export interface EventTable extends Placed, ColumnsOf<Omit<Event, 'scope'>> {
  row_id: Generated<number>;
  /** The owner's version after the event was written. It orders the owner's events. */
  sequence: number;
  session_id: string | null;
  connection_id: string | null;
  context_type: string | null;
  idempotency_key: string | null;
  attempts: number;
  last_error: string | null;
}

export interface MemoryTable extends Placed, ColumnsOf<Omit<Memory, 'scope'>> {
  row_id: Generated<number>;
  session_id: string;
  connection_id: string;
  context_type: string | null;
  /** Unique among the live memories of a scope, as the memory type defines; NULL if duplicates are allowed. */
  unique_key: string | null;
  /** The owner's version when the memory last changed. Caches read the changes after the version that they have. */
  sequence: number;
}

interface LinkTable {
  tenant_id: string;
  memory_id: string;
}

export interface RevisionTable extends Owned {
  record_id: string;
  version: number;
  at: number;
  reason: string;
  actor: string;
  run: string | null;
  before: string | null;
}

export interface BlockTable extends Placed {
  id: string;
  session_id: string;
  connection_id: string;
  kind: BlockKindName;
  content: string;
  basis: Generated<string>;
  version: number;
  created_at: number;
  updated_at: number;
}

export interface SessionTable extends Placed {
  session_id: string;
  status: Session['status'];
  started_at: number;
  last_event_at: number;
  event_count: number;
  formed_position: number;
  messages_since: number;
  weighted_tokens_since: number;
  state: string;
}

interface ToolSchemaTable extends Placed {
  connection_id: string;
  schema: string;
  fetched_at: number;
  expires_at: number;
}

export interface EntityTable extends Placed, ColumnsOf<Omit<Entity, 'scope'>> {}

interface EntityNameTable extends Owned {
  slug: string;
  entity_id: string;
}

interface EmbeddingTable extends Owned {
  record_kind: 'memory' | 'event';
  record_row: number;
  model_id: string;
  /** The passage number of a long event (see `passagesOf`); otherwise 0. */
  passage: number;
  /** The owner's version when the vector was written. Caches read the vectors after the version that they have. */
  sequence: number;
  vector: Uint8Array | string;
}

interface EmbeddingQueueTable extends Owned {
  record_kind: 'memory' | 'event';
  record_row: number;
  version: number;
}

export interface JobTable extends Owned {
  id: string;
  kind: string;
  payload: string;
  unique_key: string | null;
  state: 'waiting' | 'running' | 'done' | 'dead';
  /** From 0 (runs first) to 9. */
  priority: number;
  run_at: number;
  /** Includes the current run, but no leases that ended in a postponement or return. */
  attempts: number;
  max_attempts: number;
  /** The fencing token. A worker without the current token cannot settle the job. */
  lease_id: string | null;
  lease_until: number | null;
  last_error: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface ScheduleTable {
  name: string;
  kind: string;
  payload: string;
  cron: string;
  time_zone: string;
  next_due: number;
  last_due: number | null;
}

interface MetaTable {
  key: string;
  value: string;
}

interface RunTable extends Placed {
  id: string;
  session_id: string | null;
  kind: string;
  cause: 'schedule' | 'flush' | 'hand';
  status: 'done' | 'failed' | 'held' | 'skipped';
  started_at: number;
  finished_at: number;
  read: string;
  changed: string;
  model: string;
  /** Micro-dollars; NULL if a model has no price. */
  cost: number | null;
  error: string | null;
}

interface HeldChangeTable extends Placed {
  id: string;
  run: string;
  kind: 'synthesis' | 'profile' | 'working_memory';
  reason: string;
  proposal: string;
  events: string;
  created_at: number;
  decided_at: number | null;
  decision: string | null;
}

export interface RefusalTable extends Placed {
  id: string;
  session_id: string | null;
  run: string | null;
  at: number;
  reason: string;
  what: 'statement' | 'end' | 'forget' | 'reflection' | 'topic' | 'fact';
  text: string | null;
  detail: string | null;
  proposal: string | null;
  events: string;
}

export interface OwnerProgressTable extends Placed {
  /** An IANA name; NULL means the store's default. */
  time_zone: string | null;
  /** Local time; NULL means the store's default. */
  reflection_hour: number | null;
  next_reflection_at: number | null;
  reflected_until: number | null;
  /** See `OwnerProgress`. */
  reflected_sequence: number;
  /** A sequence, despite the name: the working memory includes the observations up to it. */
  event_row: number;
  /** The owner's version when a consolidation last found nothing left to do. */
  consolidated_version: number;
}

interface GivenMemoryTable extends Owned {
  id: string;
  session_id: string | null;
  memory_id: string;
  given_at: number;
  /** 1 for a memory that every prompt contains, 0 for one that was retrieved for the turn. */
  always: Generated<number>;
}

interface MemoryUseTable extends Owned {
  memory_id: string;
  given: number;
  used: number;
  confirmed: number;
  corrected: number;
  last_confirmed_at: number | null;
}

export interface ForgottenTable extends Placed, ColumnsOf<Omit<Forgotten, 'scope' | 'memory' | 'spans' | 'by'>> {
  memory_id: string | null;
  asked_by: string;
  /** JSON with a salt and the digests that identify the statement. Only in records from another store. */
  digests: string | null;
}

export interface ForgottenSpanTable {
  tenant_id: string;
  forgotten_id: string;
  event_id: string;
  /** For `metadata`, `words` contains all of the metadata. */
  field: 'content' | 'metadata';
  start_at: number;
  end_at: number;
  words: string;
}

interface ErasureTable {
  tenant_id: string;
  id: string;
  at: number;
  actor: string;
  reason: string;
  subject: string;
  counts: string;
  removed: number;
  removed_hash: string;
}

export interface ContextLogTable extends Placed {
  id: string;
  session_id: string | null;
  at: number;
  layout: string;
  tokens: number;
  milliseconds: number;
  parts: string;
}

interface UsageTable {
  tenant_id: string;
  id: string;
  at: number;
  /** UTC, such as `2026-11-15`. */
  day: string;
  agent_id: string | null;
  user_id: string | null;
  run: string | null;
  operation: string;
  task: string;
  model: string;
  tokens_in: number;
  tokens_out: number;
  tokens_cached: number;
  calls: number;
  milliseconds: number;
  estimated: number;
  failed: number;
  /** Micro-dollars; NULL if the model has no price. */
  cost: number | null;
  /** Micro-dollars. */
  charged: number;
}

interface CreditAccountTable {
  tenant_id: string;
  user_id: string;
  balance: number;
  updated_at: number;
}

interface CreditEntryTable {
  tenant_id: string;
  /** For entries of the kind `usage`: the id of the row in the table `usage`. */
  id: string;
  user_id: string;
  kind: 'grant' | 'charge' | 'usage';
  amount: number;
  reason: string;
  at: number;
}

export interface ApiKeyTable {
  id: string;
  tenant_id: string;
  name: string;
  hash: string;
  access: string;
  agents: string | null;
  users: string | null;
  rate: number | null;
  created_at: number;
  created_by: string;
  expires_at: number | null;
  revoked_at: number | null;
}

interface AdminActTable {
  tenant_id: string;
  id: string;
  at: number;
  actor: string;
  act: string;
  subject: string | null;
  details: string;
}

interface RequestAnswerTable {
  tenant_id: string;
  caller: string;
  request_key: string;
  fingerprint: string;
  agent_id: string | null;
  user_id: string | null;
  session_id: string | null;
  /** NULL while the request is in progress. */
  status: number | null;
  answer: string | null;
  at: number;
}

export interface WebhookTable {
  tenant_id: string;
  id: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  enabled: number;
  disabled_reason: string | null;
  /** Events before this time are never sent. */
  active_from: number;
  /** Deliveries were created for all events up to this time. */
  read_until: number;
  created_at: number;
  created_by: string;
}

export interface WebhookDeliveryTable {
  tenant_id: string;
  id: string;
  webhook_id: string;
  type: string;
  body: string;
  agent_id: string | null;
  user_id: string | null;
  session_id: string | null;
  state: string;
  attempts: number;
  status: number | null;
  error: string | null;
  created_at: number;
  ended_at: number | null;
}

export interface Tables {
  meta: MetaTable;
  owners: OwnerTable;
  events: EventTable;
  memories: MemoryTable;
  memory_tags: LinkTable & Owned & { tag: string };
  memory_sources: LinkTable & { event_id: string };
  memory_entities: LinkTable & { entity_id: string };
  revisions: RevisionTable;
  blocks: BlockTable;
  sessions: SessionTable;
  tool_schemas: ToolSchemaTable;
  entities: EntityTable;
  entity_names: EntityNameTable;
  embeddings: EmbeddingTable;
  embedding_queue: EmbeddingQueueTable;
  jobs: JobTable;
  schedules: ScheduleTable;
  usage: UsageTable;
  credit_accounts: CreditAccountTable;
  credit_entries: CreditEntryTable;
  context_log: ContextLogTable;
  api_keys: ApiKeyTable;
  admin_acts: AdminActTable;
  request_answers: RequestAnswerTable;
  runs: RunTable;
  held_changes: HeldChangeTable;
  refusals: RefusalTable;
  owner_progress: OwnerProgressTable;
  memory_derivations: LinkTable & { from_id: string };
  given_memories: GivenMemoryTable;
  memory_use: MemoryUseTable;
  erasures: ErasureTable;
  forgotten: ForgottenTable;
  forgotten_spans: ForgottenSpanTable;
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
}
