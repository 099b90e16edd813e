import type { Generated } from 'kysely';
import type {
  AdminActTable,
  ApiKeyTable,
  CreditAccountTable,
  CreditEntryTable,
  RequestAnswerTable,
  UsageTable,
  WebhookDeliveryTable,
  WebhookTable,
} from './doors/door-tables.ts';

// The tables of both databases. Times are milliseconds since 1970, and JSON is read and written as text. An unset part of a scope is '' in
// the columns of a unique key, because NULLs are not equal there; in other columns it is NULL.

interface Owned {
  tenant_id: string;
  owner_key: string;
}

interface Placed extends Owned {
  agent_id: string | null;
  user_id: string | null;
}

export interface OwnerTable extends Placed {
  /** Grows with every change of the owner's records, see `changeOwner`. */
  version: number;
  /** Incremented by every erasure and forgetting, so that caches are discarded. */
  epoch: number;
  created_at: number;
}

export interface EventTable extends Placed {
  row_id: Generated<number>;
  /** The owner's version after the event was written. It gives the order in which the owner's events were written. */
  sequence: number;
  id: string;
  session_id: string | null;
  connection_id: string | null;
  position: number | null;
  kind: string;
  origin: string;
  speaker: string | null;
  content: string;
  category: string | null;
  refers_to: string | null;
  interaction: string | null;
  channel: string | null;
  context_type: string | null;
  context: string | null;
  metadata: string;
  idempotency_key: string | null;
  occurred_at: number;
  recorded_at: number;
  processed_at: number | null;
  attempts: number;
  last_error: string | null;
}

export interface MemoryTable extends Placed {
  row_id: Generated<number>;
  id: string;
  session_id: string;
  connection_id: string;
  type: string;
  content: string;
  title: string | null;
  url: string | null;
  subject: string;
  attribute: string | null;
  value: string | null;
  category: string | null;
  polarity: string;
  tense: string;
  /** 1 for a permanent fact. */
  permanent: number;
  stated_at: number;
  stated_by: string;
  quotes: string;
  reader: string | null;
  importance: number;
  confidence: string;
  trust: string;
  source_type: string;
  source_session: string | null;
  source_events: string;
  tags: string;
  entities: string;
  contradicts: string | null;
  contradicted_by: string | null;
  state: string | null;
  due_at: number | null;
  valid_from: number | null;
  valid_to: number | null;
  created_at: number;
  updated_at: number;
  archived_at: number | null;
  archive_reason: string | null;
  expires_at: number | null;
  access_count: number;
  last_accessed_at: number | null;
  version: number;
  context_type: string | null;
  context: string | null;
  metadata: string;
  internal: string;
  /** A key that is unique among the live memories of a scope, as the memory type defines it; NULL if the memory has none. */
  unique_key: string | null;
  /** The owner's version at the last change of the memory. Caches read the changes after their own version. */
  sequence: number;
}

/** A link from a memory to a tag, an event, an entity, or a memory from which it was derived. */
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
  kind: string;
  content: string;
  /** JSON: the statements and events behind each sentence. */
  basis: Generated<string>;
  version: number;
  created_at: number;
  updated_at: number;
}

export interface SessionTable extends Placed {
  session_id: string;
  status: string;
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

export interface EntityTable extends Placed {
  id: string;
  type: string;
  name: string;
  slug: string;
  aliases: string;
  metadata: string;
  created_at: number;
  updated_at: number;
}

interface EntityNameTable extends Owned {
  slug: string;
  entity_id: string;
}

interface EmbeddingTable extends Owned {
  record_kind: string;
  record_row: number;
  model_id: string;
  /** The number of the passage. It is 0 for all records except long events (see `passagesOf`). */
  passage: number;
  /** The owner's version when the vector was written. Caches read the vectors after their own version. */
  sequence: number;
  vector: Uint8Array | string;
}

interface EmbeddingQueueTable extends Owned {
  record_kind: string;
  record_row: number;
  version: number;
}

export interface JobTable extends Owned {
  id: string;
  kind: string;
  payload: string;
  unique_key: string | null;
  /** `waiting`, `running`, `done` or `dead`. */
  state: string;
  /** From 0 to 9. Jobs with priority 0 run first. */
  priority: number;
  run_at: number;
  /** How often the job was leased, including the current run. Postponed and returned runs are not counted. */
  attempts: number;
  max_attempts: number;
  /** The fencing token. A worker without the current token cannot end the job. */
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

export interface RunTable extends Placed {
  id: string;
  session_id: string | null;
  kind: string;
  cause: string;
  status: string;
  started_at: number;
  finished_at: number;
  read: string;
  changed: string;
  /** `local`, or the ids of the models. */
  model: string;
  /** The cost in micro-dollars; NULL if a model has no price. */
  cost: number | null;
  error: string | null;
}

export interface HeldChangeTable extends Placed {
  id: string;
  run: string;
  kind: string;
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
  what: string;
  text: string | null;
  detail: string | null;
  proposal: string | null;
  events: string;
}

export interface OwnerProgressTable extends Placed {
  /** An IANA name; NULL means the store's default. */
  time_zone: string | null;
  /** The hour of the nightly reflection, in local time; NULL means the store's default. */
  reflection_hour: number | null;
  next_reflection_at: number | null;
  reflected_until: number | null;
  /**
   * The sequence of the last reflected message among those recorded exactly at `reflected_until`; 0 means that all of them were reflected.
   */
  reflected_sequence: number;
  /** The sequence of the last observation that the working memory includes. */
  event_row: number;
  /** The owner's version at the last consolidation that found nothing more to do. */
  consolidated_version: number;
}

interface GivenMemoryTable extends Owned {
  id: string;
  session_id: string | null;
  memory_id: string;
  given_at: number;
  /** 1 for a memory that is part of every prompt, 0 for one that was looked up for the turn. */
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

export interface ForgottenTable extends Placed {
  id: string;
  /** `forgotten`, `done` or `dismissed`. */
  as: string;
  memory_id: string | null;
  subject: string;
  attribute: string | null;
  value: string | null;
  polarity: string;
  tense: string;
  text: string;
  asked_by: string;
  request: string | null;
  reason: string;
  at: number;
  said_again_at: number | null;
  /** For records from another store: JSON with a salt and the digests that identify the statement. */
  digests: string | null;
}

export interface ForgottenSpanTable {
  tenant_id: string;
  forgotten_id: string;
  event_id: string;
  /** `content` or `metadata`. For `metadata`, the whole text is stored. */
  field: string;
  start_at: number;
  end_at: number;
  words: string;
}

export interface ErasureTable {
  tenant_id: string;
  id: string;
  at: number;
  actor: string;
  reason: string;
  /** A digest of the erased scope or record. */
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

/** Every table of Varve. */
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
