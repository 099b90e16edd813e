import { z } from 'zod';
import { type Basis, basisSchema, type BlockKindName, blockKindSchema } from '../record/block.ts';
import { type NewEntity, newEntitySchema } from '../record/entity.ts';
import { exportedEventSchema, type NewEvent, type ParsedEvent } from '../record/event.ts';
import { ARCHIVE_REASONS, type ArchiveReason, type NewMemory, newMemorySchema } from '../record/memory.ts';
import { FORGOTTEN_AS, type ForgottenAs } from '../record/forgotten.ts';
import { metadataSchema, type Parsed, storable, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import { type Scope, type ScopeInput, scopeSchema } from '../record/scope.ts';
import { type Refused, REFUSED } from '../store/history-store.ts';

/** The first line of an export. */
export interface HeaderLine {
  record: 'header';
  format: 'varve';
  /** In version 1, memories have a key and no other fields of a statement. The import upgrades them. */
  version: 1 | 2;
  exportedAt?: TimeInput;
}

/** An event. Imported once per id. */
export interface EventLine {
  record: 'event';
  id: string;
  scope: ScopeInput;
  data: NewEvent;
  recordedAt?: TimeInput;
  processedAt?: TimeInput | null;
}

/** A memory with its archive state. Imported once per id. */
export interface MemoryLine {
  record: 'memory';
  id: string;
  scope: ScopeInput;
  data: NewMemory;
  reader?: string | null;
  internal?: Record<string, unknown>;
  contradictedBy?: string | null;
  createdAt?: TimeInput;
  updatedAt?: TimeInput;
  archivedAt?: TimeInput | null;
  archiveReason?: ArchiveReason | null;
  accessCount?: number;
  lastAccessedAt?: TimeInput | null;
  version?: number;
}

/** A refused statement. Imported once per id. */
export interface RefusalLine {
  record: 'refusal';
  id: string;
  scope: ScopeInput;
  run?: string | null;
  at: TimeInput;
  reason: string;
  what: Refused;
  text?: string | null;
  detail?: string | null;
  proposal?: unknown;
  events?: string[];
}

/** A forgotten statement without its words. If somebody says it again, its digests identify it. Imported once per id. */
export interface ForgottenLine {
  record: 'forgotten';
  id: string;
  scope: ScopeInput;
  as: ForgottenAs;
  /** The memory that was forgotten. */
  memory?: string | null;
  /** The spans of the turns that contain the statement. */
  spans: { event: string; start: number; end: number; field?: 'content' | 'metadata' }[];
  by: string;
  /** The event with the request to forget. */
  request?: string | null;
  at: TimeInput;
  saidAgainAt?: TimeInput | null;
  digests: { salt: string; of: string[] };
}

/** A block. An existing block is not changed. */
export interface BlockLine {
  record: 'block';
  id: string;
  scope: ScopeInput;
  kind: BlockKindName;
  content: unknown;
  /** The sources of its sentences, as ids of records in this export. */
  basis?: Basis;
  version?: number;
  createdAt?: TimeInput;
  updatedAt?: TimeInput;
}

export interface EntityLine {
  record: 'entity';
  id: string;
  scope: ScopeInput;
  data: NewEntity;
}

/** A change of a memory or a block. */
export interface RevisionLine {
  record: 'revision';
  scope: ScopeInput;
  recordId: string;
  version: number;
  at: TimeInput;
  reason: string;
  actor: string;
  run?: string | null;
  before: Record<string, unknown> | null;
}

/** One line of an export or an import: NDJSON, in which a record comes after the records that it refers to. */
export type RecordLine =
  | HeaderLine
  | EntityLine
  | ForgottenLine
  | EventLine
  | RefusalLine
  | RevisionLine
  | MemoryLine
  | BlockLine;

type Placed<Line> = Omit<Parsed<Line>, 'scope'> & { scope: Scope };

/** A validated line. */
export type ParsedLine =
  | Parsed<HeaderLine>
  | Placed<EntityLine>
  | Placed<ForgottenLine>
  | Placed<RefusalLine>
  | Placed<RevisionLine>
  | Placed<BlockLine>
  | (Omit<Placed<EventLine>, 'data'> & { data: ParsedEvent })
  | (Omit<Placed<MemoryLine>, 'data'> & { data: Parsed<NewMemory> });

const idOf = (prefix: string): z.ZodString =>
  z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`), `is not an id such as ${prefix}_0123456789abcdefghjkmnpqrs`);
const versionSchema = z.int().min(1).max(1_000_000_000);
const spanSchema = z.strictObject({
  event: textSchema(200),
  start: z.int().min(0),
  end: z.int().min(0),
  field: z.enum(['content', 'metadata']).optional(),
});
/** The text of a refusal, which may be the text of a memory. Earlier exports have an empty text for an item that could not be read. */
const refusedTextSchema = z
  .literal('')
  .transform(() => null)
  .or(textSchema(20_000))
  .nullish();

export const recordLineSchema: z.ZodType<ParsedLine, RecordLine> = z.discriminatedUnion('record', [
  z.strictObject({
    record: z.literal('header'),
    format: z.literal('varve'),
    version: z.literal([1, 2]),
    exportedAt: timeSchema.optional(),
  }),
  z.strictObject({ record: z.literal('entity'), id: idOf('ent'), scope: scopeSchema, data: newEntitySchema }),
  z.strictObject({
    record: z.literal('forgotten'),
    id: idOf('fgt'),
    scope: scopeSchema,
    as: z.enum(FORGOTTEN_AS),
    memory: textSchema(200).nullish(),
    spans: z.array(spanSchema).max(10_000),
    by: textSchema(200),
    request: textSchema(200).nullish(),
    at: timeSchema,
    saidAgainAt: timeSchema.nullish(),
    digests: z.strictObject({ salt: textSchema(100), of: z.array(textSchema(100)).max(10) }),
  }),
  z.strictObject({
    record: z.literal('event'),
    id: idOf('evt'),
    scope: scopeSchema,
    data: exportedEventSchema,
    recordedAt: timeSchema.optional(),
    processedAt: timeSchema.nullish(),
  }),
  z.strictObject({
    record: z.literal('refusal'),
    id: idOf('ref'),
    scope: scopeSchema,
    run: textSchema(100).nullish(),
    at: timeSchema,
    reason: textSchema(100),
    what: z.enum(REFUSED),
    text: refusedTextSchema,
    detail: refusedTextSchema,
    proposal: z.json().check(storable).nullish(),
    events: z.array(textSchema(200)).max(1000).optional(),
  }),
  z.strictObject({
    record: z.literal('revision'),
    scope: scopeSchema,
    recordId: z.string().regex(/^(mem|blk)_[0-9a-z]{26}$/, 'is not the id of a memory or a block'),
    version: versionSchema,
    at: timeSchema,
    reason: textSchema(500),
    actor: textSchema(100),
    run: textSchema(100).nullish(),
    before: z.record(z.string(), z.json()).check(storable).nullable(),
  }),
  z.strictObject({
    record: z.literal('memory'),
    id: idOf('mem'),
    scope: scopeSchema,
    data: newMemorySchema,
    reader: textSchema(200).nullish(),
    internal: metadataSchema.optional(),
    contradictedBy: textSchema(200).nullish(),
    createdAt: timeSchema.optional(),
    updatedAt: timeSchema.optional(),
    archivedAt: timeSchema.nullish(),
    archiveReason: z.enum(ARCHIVE_REASONS).nullish(),
    accessCount: z.int().min(0).max(1_000_000_000).optional(),
    lastAccessedAt: timeSchema.nullish(),
    version: versionSchema.optional(),
  }),
  z.strictObject({
    record: z.literal('block'),
    id: idOf('blk'),
    scope: scopeSchema,
    kind: blockKindSchema,
    content: z.json(),
    basis: basisSchema.optional(),
    version: versionSchema.optional(),
    createdAt: timeSchema.optional(),
    updatedAt: timeSchema.optional(),
  }),
]) as z.ZodType<ParsedLine, RecordLine>;
