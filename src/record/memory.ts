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
import { keySchema } from './attribute-table.ts';
import {
  type Confidence,
  CONFIDENCE_LEVELS,
  isUser,
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

/** How a memory was learned. At equal trust, `explicit` outranks `conversation` and `import`, then `inference` and `consolidation`. */
export const SOURCE_TYPES = ['explicit', 'conversation', 'inference', 'consolidation', 'import'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/**
 * Why a memory was archived, and what follows. `ended`: the statement is no longer true, so nothing derived from it may repeat it.
 * `leavesBlocks`: sentences in blocks that repeat it are removed immediately.
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

/** One self-contained statement. Its fields define what it says. The text only renders them, and no code parses it. */
export interface Memory {
  id: string;
  scope: Scope;
  type: string;
  /** The statement as a sentence in the user's language. */
  content: string;
  title: string | null;
  url: string | null;
  /** What the statement is about: `User`, "User's sister Ana", "the Rotterdam order". */
  subject: string;
  /** The subject's property, by its name in the table of attributes: `home_city`. Null if none fits. */
  attribute: string | null;
  /** The value in words. Null if the statement has none. */
  value: string | null;
  /** Set only with an attribute: location, personal, preference, work, health or general. */
  category: string | null;
  polarity: Polarity;
  tense: Tense;
  /** Whether the statement is a permanent fact: it never fades, and every prompt contains it. */
  permanent: boolean;
  /** When the statement was made. Between contradicting statements of the same rank, the later one wins. */
  statedAt: Date;
  statedBy: Origin;
  /** The spans of events that the statement was formed from. */
  quotes: Quote[];
  /** What formed the statement: `local`, or the id of a model. Null if an application stored it. */
  reader: string | null;
  /** Importance, from 0 to 1. */
  importance: number;
  /** How certain the statement is. */
  confidence: Confidence;
  /** How much the statement's origin is trusted. */
  trust: Trust;
  sourceType: SourceType;
  /** The session in which the memory was learned. */
  sourceSession: string | null;
  sourceEvents: string[];
  tags: string[];
  entities: string[];
  contradicts: string | null;
  /** If the memory is archived: the memory that replaced it. If it is live: the merged text that contains it. */
  contradictedBy: string | null;
  /** `open`, `done`, `dismissed` or `achieved`, if the type has outcomes. */
  state: string | null;
  dueAt: Date | null;
  /** When the statement is or was true. */
  validFrom: Date | null;
  validTo: Date | null;
  /** When Varve stored the memory. */
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
  archiveReason: ArchiveReason | null;
  expiresAt: Date | null;
  accessCount: number;
  lastAccessedAt: Date | null;
  version: number;
  context: ContextSource | null;
  /** The application's own data, which Varve never changes. */
  metadata: Record<string, unknown>;
  /** Varve's own data, such as the evidence of a pattern. */
  internal: Record<string, unknown>;
}

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
  /** The spans of events that the statement was formed from. A revision adds to them. */
  quotes?: Quote[];
  tags?: string[];
  /** Ids of the entities that the memory mentions. */
  entities?: string[];
  /** The events that the memory was learned from. A revision adds to them. */
  sourceEvents?: string[];
  state?: string | null;
  dueAt?: TimeInput | null;
  validFrom?: TimeInput | null;
  validTo?: TimeInput | null;
  expiresAt?: TimeInput | null;
  metadata?: Record<string, unknown>;
}

/** A memory as an application passes it in. Its scope comes from the handle, and `level` can choose a level within that scope. */
export interface NewMemory extends MemoryFields {
  type: string;
  content: string;
  /** The level of the owner. Default: the first level of the type that the handle's scope includes. */
  level?: ScopeLevel;
  /** What the statement is about. Default: the user. */
  subject?: string;
  /** The subject's property in snake_case, such as `home_city`. */
  attribute?: string | null;
  sourceType?: SourceType;
  sourceSession?: string | null;
  /** The memory that this one contradicts and replaces. */
  contradicts?: string | null;
  context?: ContextSource | null;
  /**
   * Whether the local reader parses the text to find its subject, attribute, value and day. The text is stored verbatim. Default: false.
   */
  read?: boolean;
}

/** Fields that a revision may change. Id, scope, type, subject and attribute never change. */
export interface MemoryChange extends MemoryFields {
  content?: string;
}

export interface InternalChange extends Parsed<MemoryChange> {
  sourceType?: SourceType;
  /** For a live memory: the merged text that contains it. Prompts show that text instead. */
  contradictedBy?: string | null;
  reader?: string | null;
  internal?: Record<string, unknown>;
}

export interface InternalMemory extends Parsed<NewMemory> {
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

/** Rounds, because sums of decimal fractions are inexact in floating point (0.7999999999). */
export function roundedImportance(importance: number): number {
  return Math.min(1, Math.max(0, Math.round(importance * 1e6) / 1e6));
}

type Timed = Pick<Memory, 'tense' | 'validFrom' | 'validTo' | 'dueAt'>;
type Plan = Timed & { internal?: Memory['internal'] };

/** The value of `internal.due` if an intention names no day. Its `dueAt` is then only the day on which prompts bring it up. */
export const FOLLOW_UP = 'follow-up';

/** The stated day of a plan. Null if no day was stated, or if the statement is not a plan. */
export function plannedFor({ tense, validFrom, dueAt, internal }: Plan): Date | null {
  if (tense !== 'planned') return null;
  return validFrom ?? (internal?.['due'] === FOLLOW_UP ? null : dueAt);
}

/** Whether the day on which a memory is due was stated. Otherwise Varve chose it. */
export function isDaySaid({ tense, validFrom, internal }: Pick<Memory, 'tense' | 'validFrom' | 'internal'>): boolean {
  return internal['due'] !== FOLLOW_UP && (tense !== 'planned' || validFrom !== null);
}

export function hasEnded({ validTo }: Pick<Timed, 'validTo'>, now: number): boolean {
  return validTo !== null && validTo.getTime() <= now;
}

/** A plan without a stated end lasts 24 hours. */
export function isPlanOver(memory: Plan, now: number): boolean {
  const day = plannedFor(memory);
  if (day === null) return false;
  return (memory.validTo?.getTime() ?? day.getTime() + DAY) <= now;
}

/** Done, dismissed and achieved are outcomes. Open and snoozed are not. */
export function hasOutcome(
  { state }: Pick<Memory, 'state'>,
  type: Pick<MemoryType, 'initialState'> | undefined,
): boolean {
  // If a type has no outcomes, its states belong to the application.
  if (type === undefined || type.initialState === null) return false;
  return state !== null && state !== type.initialState && state !== 'snoozed';
}

/** Whether one of the merged texts in the list contains a live memory and can replace it. */
export function mergedAmong(memories: readonly Memory[]): (memory: Pick<Memory, 'contradictedBy'>) => boolean {
  const texts = new Set(memories.filter(({ sourceType }) => sourceType === 'consolidation').map(({ id }) => id));
  return ({ contradictedBy }) => contradictedBy !== null && texts.has(contradictedBy);
}

/** A new statement can still change a memory that is live, or that has expired without a known outcome. */
export function mayStillChange({ archivedAt, archiveReason }: Pick<Memory, 'archivedAt' | 'archiveReason'>): boolean {
  return archivedAt === null || archiveReason === 'expired';
}

/** Every door shows a forgotten memory without its words. `forgotten.list()` returns them, and restoring brings them back. */
export function withoutForgottenWords(memory: Memory): Memory {
  if (memory.archiveReason !== 'forgotten') return memory;
  return {
    ...memory,
    content: '',
    title: null,
    url: null,
    subject: '',
    value: null,
    quotes: [],
    tags: [],
    entities: [],
    metadata: {},
    internal: {},
  };
}

/** Every prompt shows these facts as a label and a value. */
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
