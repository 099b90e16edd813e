import { z } from 'zod';
import { basisSchema, type Block, blockKindSchema } from '../record/block.ts';
import { type NewEntity, newEntitySchema } from '../record/entity.ts';
import { type Event, exportedEventSchema, type NewEvent, type ParsedEvent } from '../record/event.ts';
import { ARCHIVE_REASONS, type Memory, type NewMemory, newMemorySchema } from '../record/memory.ts';
import { type Forgotten, FORGOTTEN_AS } from '../record/forgotten.ts';
import { metadataSchema, type Parsed, storable, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Revision } from '../record/revision.ts';
import { type Scope, type ScopeInput, scopeSchema } from '../record/scope.ts';
import { REFUSED, type RefusalRecord } from '../store/history-store.ts';

/** The first line of an export. */
export interface HeaderLine {
  record: 'header';
  format: 'varve';
  /** In version 1, a memory has a key and no other fields of a statement. The import upgrades it. */
  version: 1 | 2;
  exportedAt?: TimeInput;
}

type FieldsOf<Stored, Name extends keyof Stored> = { [Key in Name]: TimeIn<Stored[Key]> };
type TimeIn<Value> = Value extends Date ? TimeInput : Value;

interface LineOf<Kind extends string> {
  record: Kind;
  id: string;
  scope: ScopeInput;
}

export interface EventLine extends LineOf<'event'>, Partial<FieldsOf<Event, 'recordedAt' | 'processedAt'>> {
  data: NewEvent;
}

/** A memory, live or archived. */
export interface MemoryLine
  extends
    LineOf<'memory'>,
    Partial<FieldsOf<Memory, 'reader' | 'internal' | 'contradictedBy' | 'archivedAt' | 'archiveReason'>>,
    Partial<FieldsOf<Memory, 'createdAt' | 'updatedAt' | 'accessCount' | 'lastAccessedAt' | 'version'>> {
  data: NewMemory;
}

/** A refused statement. */
export interface RefusalLine
  extends
    LineOf<'refusal'>,
    FieldsOf<RefusalRecord, 'at' | 'reason' | 'what'>,
    Partial<FieldsOf<RefusalRecord, 'run' | 'text' | 'detail' | 'proposal' | 'events'>> {}

/** A forgotten statement without its words. Its digests recognise a repetition. */
export interface ForgottenLine
  extends
    LineOf<'forgotten'>,
    FieldsOf<Forgotten, 'as' | 'by' | 'at'>,
    Partial<FieldsOf<Forgotten, 'memory' | 'request' | 'saidAgainAt'>> {
  /** The places in turns that contain the statement. */
  spans: { event: string; start: number; end: number; field?: 'content' | 'metadata' }[];
  digests: { salt: string; of: string[] };
}

/** A block. An import does not change an existing block. The basis names sources by their ids in this export. */
export interface BlockLine
  extends
    LineOf<'block'>,
    FieldsOf<Block, 'kind' | 'content'>,
    Partial<FieldsOf<Block, 'basis' | 'version' | 'createdAt' | 'updatedAt'>> {}

export interface EntityLine extends LineOf<'entity'> {
  data: NewEntity;
}

/** A change of a memory or a block. */
export interface RevisionLine
  extends
    FieldsOf<Revision, 'recordId' | 'version' | 'at' | 'reason' | 'actor' | 'before'>,
    Partial<FieldsOf<Revision, 'run'>> {
  record: 'revision';
  scope: ScopeInput;
}

/** One line of an export or an import. A record comes after the records that it refers to. */
export type RecordLine =
  | HeaderLine
  | EntityLine
  | ForgottenLine
  | EventLine
  | RefusalLine
  | RevisionLine
  | MemoryLine
  | BlockLine;

type Placed<Line> = Line extends RecordLine ? Omit<Parsed<Line>, 'scope'> & { scope: Scope } : never;

export type ParsedLine =
  | Parsed<HeaderLine>
  | Placed<EntityLine | ForgottenLine | RefusalLine | RevisionLine | BlockLine>
  | (Omit<Placed<EventLine>, 'data'> & { data: ParsedEvent })
  | (Omit<Placed<MemoryLine>, 'data'> & { data: Parsed<NewMemory> });

function lineOf(record: RecordLine['record'], prefix: string): Record<keyof LineOf<string>, z.ZodType> {
  const pattern = new RegExp(`^${prefix}_[0-9a-z]{26}$`);
  const id = z.string().regex(pattern, `is not an id such as ${prefix}_0123456789abcdefghjkmnpqrs`);
  return { record: z.literal(record), id, scope: scopeSchema };
}

const versionSchema = z.int().min(1).max(1_000_000_000);
const spanSchema = z.strictObject({
  event: textSchema(200),
  start: z.int().min(0),
  end: z.int().min(0),
  field: z.enum(['content', 'metadata']).optional(),
});
// Earlier exports have an empty text if the item could not be read.
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
  z.strictObject({ ...lineOf('entity', 'ent'), data: newEntitySchema }),
  z.strictObject({
    ...lineOf('forgotten', 'fgt'),
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
    ...lineOf('event', 'evt'),
    data: exportedEventSchema,
    recordedAt: timeSchema.optional(),
    processedAt: timeSchema.nullish(),
  }),
  z.strictObject({
    ...lineOf('refusal', 'ref'),
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
    ...lineOf('memory', 'mem'),
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
    ...lineOf('block', 'blk'),
    kind: blockKindSchema,
    content: z.json(),
    basis: basisSchema.optional(),
    version: versionSchema.optional(),
    createdAt: timeSchema.optional(),
    updatedAt: timeSchema.optional(),
  }),
]) as z.ZodType<ParsedLine, RecordLine>;
