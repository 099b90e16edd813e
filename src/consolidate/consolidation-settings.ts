import { z } from 'zod';
import { EVENT_KINDS, type EventKind } from '../record/event.ts';
import { parse, shareSchema, timeZoneSchema } from '../record/parse.ts';

/** The settings of consolidation and maintenance. */
export interface ConsolidationSettings {
  /** The settings of working memory and scaffold. */
  tiers: TierSettings;
  /** For each level, how waiting reflections are merged into the texts that every prompt contains. */
  reflections: Record<'agent' | 'user' | 'session', MergeSettings> & { enabled: boolean };
  tags: TagSettings;
  patterns: PatternSettings;
  nightly: NightlySettings;
  decay: DecaySettings;
  usefulness: UsefulnessSettings;
  /** After how many days memories are deleted for good, by type. Default: never. */
  retention: Record<string, number>;
  /** After how many days events are deleted for good, by kind, but not before formation has read them. Memories formed from them stay. */
  eventRetention: Partial<Record<EventKind, number>>;
  intervals: IntervalSettings;
}

export interface TierSettings {
  enabled: boolean;
  /** The word limit of the working memory, at most 500. */
  words: number;
  /** A sentence of the working memory is dropped if it has not been confirmed for this many days. */
  staleAfterDays: number;
  /** The keys that the scaffold may have. Null allows any key. */
  scaffoldKeys: string[] | null;
  /** The maximum number of observations in one call of a model. */
  batch: number;
  /** An observation that has failed this many times in a batch of its own is set aside. */
  tries: number;
  /** An answer that removes more than this share of a document is held for review. */
  shrinkShare: number;
}

export interface MergeSettings {
  threshold: number;
  words: number;
}

export interface TagSettings {
  enabled: boolean;
  /** A tag with more live memories than this is merged into one text. */
  moreThan: number;
  words: number;
}

export interface PatternSettings {
  enabled: boolean;
  /** A theme becomes a pattern from this many episodes and decisions on. */
  minimum: number;
  /** Two cases belong to one theme from this calibrated similarity on. */
  similarity: number;
  /** The maximum number of episodes and decisions that are considered, the newest first. */
  window: number;
}

export interface NightlySettings {
  enabled: boolean;
  /** The local hour of the nightly reflection, 0 to 23, for users who have not set one. */
  hour: number;
  /** The time zone for users who have not set one. */
  timeZone: string;
  words: number;
  /** The maximum number of exchanges per model call. Longer periods take several calls. */
  exchanges: number;
  /** Each message of the user is cut to this many characters in a call. */
  characters: number;
}

export interface DecaySettings {
  enabled: boolean;
  /** After this many days without access, importance begins to fall. */
  unreadDays: number;
  /** A memory below this importance is archived after `archiveAfterDays` without access. */
  archiveBelow: number;
  archiveAfterDays: number;
  /** A memory below this importance is archived as `pruned` after `pruneAfterDays` without access. */
  pruneBelow: number;
  pruneAfterDays: number;
}

/** How much importance rises or falls for each kind of use. */
export interface UsefulnessSettings {
  enabled: boolean;
  used: number;
  confirmed: number;
  corrected: number;
  /** The step for an ignored memory, which was given repeatedly but never used. */
  ignored: number;
  /** A memory counts as ignored after it has been given this many times without ever being used. */
  ignoredAfter: number;
  /** The largest change of importance in one run. */
  largestStep: number;
}

/** Schedules, as cron expressions in UTC with a leading field for seconds. */
export interface IntervalSettings {
  consolidate: string;
  maintain: string;
  /** How often Varve checks which users' nightly reflection is due. */
  nightly: string;
  /** Runs stay in the audit log for this many days. */
  keepRunsDays: number;
}

/** The settings that an application may pass. Omitted settings get their defaults. */
export type ConsolidationOptions = {
  [Key in Exclude<keyof ConsolidationSettings, 'retention' | 'eventRetention' | 'reflections'>]?: Partial<
    ConsolidationSettings[Key]
  >;
} & {
  retention?: Record<string, number>;
  eventRetention?: Partial<Record<EventKind, number>>;
  reflections?: { enabled?: boolean } & Partial<Record<'agent' | 'user' | 'session', Partial<MergeSettings>>>;
};

const count = z.int().min(0).max(100_000);
const days = z.number().min(0).max(36_500);
const step = z.number().min(-1).max(1);
/** Each setting, or the whole group, may be omitted. */
const group = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape).prefault({} as never);
const merge = (threshold: number, words: number) =>
  group({ threshold: count.min(1).default(threshold), words: count.min(10).max(words).default(words) });

const settingsSchema = z.strictObject({
  tiers: group({
    enabled: z.boolean().default(true),
    words: count.min(10).max(500).default(500),
    staleAfterDays: days.default(45),
    scaffoldKeys: z.array(z.string().min(1).max(200)).max(200).nullable().default(null),
    batch: count.min(1).default(50),
    tries: count.min(1).default(5),
    shrinkShare: shareSchema.default(0.5),
  }),
  reflections: group({
    enabled: z.boolean().default(true),
    agent: merge(8, 1000),
    user: merge(4, 400),
    session: merge(4, 400),
  }),
  tags: group({
    enabled: z.boolean().default(true),
    moreThan: count.min(1).default(5),
    words: count.min(10).default(150),
  }),
  patterns: group({
    enabled: z.boolean().default(true),
    minimum: count.min(2).default(5),
    similarity: shareSchema.default(0.7),
    window: count.max(1000).default(200),
  }),
  nightly: group({
    enabled: z.boolean().default(true),
    hour: z.int().min(0).max(23).default(2),
    timeZone: timeZoneSchema.default('UTC'),
    words: count.min(50).max(550).default(550),
    exchanges: count.min(1).default(200),
    characters: count.min(50).default(1000),
  }),
  decay: group({
    enabled: z.boolean().default(true),
    unreadDays: days.default(7),
    archiveBelow: shareSchema.default(0.3),
    archiveAfterDays: days.default(30),
    pruneBelow: shareSchema.default(0.1),
    pruneAfterDays: days.default(30),
  }),
  usefulness: group({
    enabled: z.boolean().default(true),
    used: step.default(0.02),
    confirmed: step.default(0.05),
    corrected: step.default(-0.15),
    ignored: step.default(-0.01),
    ignoredAfter: count.min(1).default(5),
    largestStep: shareSchema.default(0.15),
  }),
  retention: z.record(z.string().min(1).max(50), days).default({}),
  eventRetention: z.partialRecord(z.enum(EVENT_KINDS), days).default({}),
  intervals: group({
    consolidate: z.string().max(100).default('0 */5 * * * *'),
    maintain: z.string().max(100).default('0 0 */6 * * *'),
    nightly: z.string().max(100).default('0 */15 * * * *'),
    keepRunsDays: days.default(365),
  }),
});

export function consolidationSettings(options: ConsolidationOptions = {}): ConsolidationSettings {
  return parse(settingsSchema, options, 'The consolidation settings') as ConsolidationSettings;
}
