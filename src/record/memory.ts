import { z } from 'zod';
import { DAY } from './clock.ts';
import { type ContextSource, contextSourceSchema } from './context-source.ts';
import type { MemoryType } from './memory-types.ts';
import {
  metadataSchema,
  type Parsed,
  shareSchema,
  tagsSchema,
  textSchema,
  type TimeInput,
  timeSchema,
} from './parse.ts';
import { type Scope, SCOPE_LEVELS, type ScopeLevel } from './scope.ts';
import {
  type Confidence,
  CONFIDENCE_LEVELS,
  isUser,
  keySchema,
  type Origin,
  ORIGINS,
  POLARITIES,
  type Polarity,
  type Quote,
  quoteSchema,
  type Tense,
  TENSES,
  type Trust,
  TRUST_LEVELS,
} from './statement.ts';

/**
 * How a memory was learned. Between contradicting statements of equal trust, `explicit` outranks `conversation` and `import`, and these
 * outrank `inference` and `consolidation`.
 */
export const SOURCE_TYPES = ['explicit', 'conversation', 'inference', 'consolidation', 'import'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/**
 * The reasons for archiving a memory, with their consequences. An archived memory is kept, but is no longer recalled by default. `ended`:
 * the statement no longer holds, so nothing that was derived from it may repeat it. `leavesBlocks`: sentences of blocks that repeat the
 * statement are removed immediately.
 */
export const ARCHIVED_AS = {
  superseded: { ended: true, leavesBlocks: false },
  contradicted: { ended: true, leavesBlocks: true },
  merged: { ended: false, leavesBlocks: false },
  decayed: { ended: false, leavesBlocks: false },
  pruned: { ended: false, leavesBlocks: false },
  expired: { ended: true, leavesBlocks: false },
  absorbed: { ended: false, leavesBlocks: false },
  forgotten: { ended: true, leavesBlocks: true },
} as const;
export type ArchiveReason = keyof typeof ARCHIVED_AS;
export const ARCHIVE_REASONS = Object.keys(ARCHIVED_AS) as [ArchiveReason, ...ArchiveReason[]];

/**
 * One self-contained statement. The fields of a memory define what it states. Its text is a rendering of the
 * fields, and no code parses the stored text.
 */
export interface Memory {
  id: string;
  scope: Scope;
  type: string;
  /** The statement as a sentence, in the user's language. */
  content: string;
  title: string | null;
  url: string | null;
  /** Whom or what the statement is about: `User`, "User's sister Ana", "the Rotterdam order". */
  subject: string;
  /** The property of the subject that the statement is about, as named in the table of attributes: `home_city`; null where none fits. */
  attribute: string | null;
  /** The words of the value; null where the statement has none. */
  value: string | null;
  /** For a statement with an attribute: location, personal, preference, work, health or general. */
  category: string | null;
  polarity: Polarity;
  tense: Tense;
  /** Whether the statement is a permanent fact, which never fades and is in every prompt. */
  permanent: boolean;
  /** When the statement was made. Of two contradicting statements with the same rank, the later one holds. */
  statedAt: Date;
  statedBy: Origin;
  /** The spans of events from which the statement was formed. */
  quotes: Quote[];
  /** The reader that formed the statement from the events: `local`, or the id of a model; null when an application stored it. */
  reader: string | null;
  /** The importance of the memory, from 0 to 1. */
  importance: number;
  /** How certain the statement is. */
  confidence: Confidence;
  /** How far the origin of the statement is trusted. */
  trust: Trust;
  sourceType: SourceType;
  /** The session in which the memory was learned, and the ids of its source events. */
  sourceSession: string | null;
  sourceEvents: string[];
  tags: string[];
  entities: string[];
  contradicts: string | null;
  /** For an archived memory: the memory that replaced it. For a live memory: the merged text that contains it. */
  contradictedBy: string | null;
  /** The state of a memory whose type has outcomes: open, done, dismissed or achieved. */
  state: string | null;
  dueAt: Date | null;
  /** The period in which the statement is or was true. */
  validFrom: Date | null;
  validTo: Date | null;
  /** When Varve stored the memory, and when the memory last changed. */
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
  archiveReason: ArchiveReason | null;
  expiresAt: Date | null;
  accessCount: number;
  lastAccessedAt: Date | null;
  version: number;
  context: ContextSource | null;
  /** The application's own data. Varve writes nothing here. */
  metadata: Record<string, unknown>;
  /** Varve's own data about the memory, such as the evidence of a pattern. */
  internal: Record<string, unknown>;
}

/** The fields that an application can set on a new memory and change by a revision. */
interface MemoryFields {
  title?: string | null;
  url?: string | null;
  importance?: number;
  confidence?: Confidence;
  trust?: Trust;
  category?: string | null;
  value?: string | null;
  polarity?: Polarity;
  tense?: Tense;
  permanent?: boolean;
  /** When the statement was made. Default: now. */
  statedAt?: TimeInput;
  statedBy?: Origin;
  /** The spans of events from which the statement was formed. A revision adds to the list. */
  quotes?: Quote[];
  tags?: string[];
  /** Ids of the entities that the memory is about. */
  entities?: string[];
  /** Ids of the events from which the memory was learned. A revision adds to the list. */
  sourceEvents?: string[];
  state?: string | null;
  dueAt?: TimeInput | null;
  validFrom?: TimeInput | null;
  validTo?: TimeInput | null;
  expiresAt?: TimeInput | null;
  metadata?: Record<string, unknown>;
}

/** A memory as an application passes it in. Its scope is the handle's; only `level` chooses among the levels of that scope. */
export interface NewMemory extends MemoryFields {
  type: string;
  content: string;
  /** The level at which the memory is stored. Default: the first level of its type that the handle's scope reaches. */
  level?: ScopeLevel;
  /** Whom or what the statement is about. Default: the user. */
  subject?: string;
  /** The property of the subject that the statement is about, in snake_case, such as `home_city`. */
  attribute?: string | null;
  sourceType?: SourceType;
  sourceSession?: string | null;
  /** The id of a memory that this one contradicts and replaces. */
  contradicts?: string | null;
  context?: ContextSource | null;
  /**
   * For `create` with a text and no other fields of the statement: the local reader reads subject, attribute and value from the text, so
   * that the new memory replaces the statements that it contradicts. The text itself is stored verbatim. For `supersede` of a plan or a
   * reminder: the day is read from the new text. Default false.
   */
  read?: boolean;
}

/** The fields that a revision may change. Id, scope, type, subject and attribute are fixed. */
export interface MemoryChange extends MemoryFields {
  content?: string;
}

/** Fields that Varve itself may change, in addition to those of `MemoryChange`. */
export interface InternalChange extends Parsed<MemoryChange> {
  sourceType?: SourceType;
  /** For a live memory: the merged text that contains it and that prompts show in its place. */
  contradictedBy?: string | null;
  reader?: string | null;
  internal?: Record<string, unknown>;
}

/** Fields that Varve itself may store, in addition to those of `NewMemory`. */
export interface InternalMemory extends Parsed<NewMemory> {
  /** Default: a new id. */
  id?: string;
  reader?: string | null;
  internal?: Record<string, unknown>;
}

const CONTENT_LIMIT = 20_000;
const idSchema = textSchema(200);

const fields = {
  title: textSchema(500).nullish(),
  url: z
    .url({ protocol: /^https?$/, error: 'expected an http or https address' })
    .max(2000)
    .nullish(),
  importance: shareSchema.optional(),
  confidence: z.enum(CONFIDENCE_LEVELS).optional(),
  trust: z.enum(TRUST_LEVELS).optional(),
  category: textSchema(50).nullish(),
  value: textSchema(5000).nullish(),
  polarity: z.enum(POLARITIES).optional(),
  tense: z.enum(TENSES).optional(),
  permanent: z.boolean().optional(),
  statedAt: timeSchema.optional(),
  statedBy: z.enum(ORIGINS).optional(),
  quotes: z.array(quoteSchema).max(100).optional(),
  tags: tagsSchema.optional(),
  entities: z.array(idSchema).max(200).optional(),
  sourceEvents: z.array(idSchema).max(1000).optional(),
  state: textSchema(50).nullish(),
  dueAt: timeSchema.nullish(),
  validFrom: timeSchema.nullish(),
  validTo: timeSchema.nullish(),
  expiresAt: timeSchema.nullish(),
  metadata: metadataSchema.optional(),
};

export const newMemorySchema: z.ZodType<Parsed<NewMemory>, NewMemory> = z
  .strictObject({
    ...fields,
    type: z.string(),
    content: textSchema(CONTENT_LIMIT),
    level: z.enum(SCOPE_LEVELS).optional(),
    subject: textSchema(200).optional(),
    attribute: keySchema.nullish(),
    sourceType: z.enum(SOURCE_TYPES).optional(),
    sourceSession: textSchema(200).nullish(),
    contradicts: idSchema.nullish(),
    context: contextSourceSchema.nullish(),
    read: z.boolean().optional(),
  })
  .refine(validityIsForward, { path: ['validTo'], error: 'is before validFrom' });

export const memoryChangeSchema: z.ZodType<Parsed<MemoryChange>, MemoryChange> = z
  .strictObject({ ...fields, content: textSchema(CONTENT_LIMIT).optional() })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'expected at least one field to change',
  )
  .refine(validityIsForward, { path: ['validTo'], error: 'is before validFrom' });

function validityIsForward(memory: { validFrom?: Date | null; validTo?: Date | null }): boolean {
  return !memory.validFrom || !memory.validTo || memory.validFrom <= memory.validTo;
}

/**
 * Limits an importance to the range from 0 to 1 and rounds it, because sums of decimal fractions are
 * inexact in floating point (0.7999999999).
 */
export function roundedImportance(importance: number): number {
  return Math.min(1, Math.max(0, Math.round(importance * 1e6) / 1e6));
}

type Timed = Pick<Memory, 'tense' | 'validFrom' | 'validTo' | 'dueAt'>;
type Plan = Timed & { internal?: Memory['internal'] };

/**
 * The value of `internal.due` for an intention without a stated day: `dueAt` is then only the day on which prompts bring the intention up.
 */
export const FOLLOW_UP = 'follow-up';

/** The stated day of a plan; null where no day was stated, and for statements that are no plan. */
export function plannedFor({ tense, validFrom, dueAt, internal }: Plan): Date | null {
  if (tense !== 'planned') return null;
  return validFrom ?? (internal?.['due'] === FOLLOW_UP ? null : dueAt);
}

/** Whether the day on which a memory is due was stated, and not chosen by Varve. */
export function isDaySaid({ tense, validFrom, internal }: Pick<Memory, 'tense' | 'validFrom' | 'internal'>): boolean {
  return internal['due'] !== FOLLOW_UP && (tense !== 'planned' || validFrom !== null);
}

/** Whether the end of a statement's validity has passed. */
export function hasEnded({ validTo }: Pick<Timed, 'validTo'>, now: number): boolean {
  return validTo !== null && validTo.getTime() <= now;
}

/** Whether the stated day of a plan is over. A date without a time of day means the whole day. */
export function isPlanOver(memory: Plan, now: number): boolean {
  const day = plannedFor(memory);
  if (day === null) return false;
  return (memory.validTo?.getTime() ?? day.getTime() + DAY) <= now;
}

/** Whether a memory has reached an outcome of its type: done, dismissed or achieved. Open and snoozed are not outcomes. */
export function hasOutcome(
  { state }: Pick<Memory, 'state'>,
  type: Pick<MemoryType, 'initialState'> | undefined,
): boolean {
  // In types without outcomes, the application alone defines the states.
  if (type === undefined || type.initialState === null) return false;
  return state !== null && state !== type.initialState && state !== 'snoozed';
}

/** Tests whether a live memory is part of a merged text among some memories, so that the text can stand in its place. */
export function mergedAmong(memories: readonly Memory[]): (memory: Pick<Memory, 'contradictedBy'>) => boolean {
  const texts = new Set(memories.filter(({ sourceType }) => sourceType === 'consolidation').map(({ id }) => id));
  return ({ contradictedBy }) => contradictedBy !== null && texts.has(contradictedBy);
}

/** Whether a new statement can still change a memory: the memory is live, or it has expired without a known outcome. */
export function mayStillChange({ archivedAt, archiveReason }: Pick<Memory, 'archivedAt' | 'archiveReason'>): boolean {
  return archivedAt === null || archiveReason === 'expired';
}

/** Whether a live memory is a permanent fact that is true now. Every prompt shows such a fact as a label and a value. */
export function isPresentFact(memory: Memory, now: number): boolean {
  return (
    memory.permanent &&
    memory.attribute !== null &&
    memory.value !== null &&
    isUser(memory.subject) &&
    memory.polarity === 'affirmed' &&
    memory.tense !== 'planned' &&
    !hasEnded(memory, now)
  );
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}
