import { z } from 'zod';
import { PRIVACY_ACTIONS, type PrivacyCategory, type PrivacyPolicy } from '../language/privacy-policy.ts';
import type { Ledger, Meter } from '../ledger/ledger.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { MINUTE } from '../record/clock.ts';
import type { Event } from '../record/event.ts';
import { parse, shareSchema, timeZoneSchema } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import type { RunCause } from '../store/history-store.ts';
import type { EmbeddingModels } from '../store/indexing.ts';
import type { SeenOwner } from '../store/owner-store.ts';
import type { Embedder } from '../models/embedder.ts';
import type { FormResult, StatementReader } from './read/reader.ts';

/** The tasks of formation that a model can do. Each is configured separately. */
const FORM_TASKS = ['read', 'decide', 'reflect'] as const;
export type FormTask = (typeof FORM_TASKS)[number];

/** How memories are formed. Times are milliseconds. */
export interface FormationSettings {
  /** Whether statements are formed. Recall finds them. */
  facts: boolean;
  /** Whether reflections are formed. They are in every prompt. */
  reflections: boolean;
  /** Whether the topics of a session are summarised once it is quiet. */
  summaries: boolean;
  /** `immediate`: every exchange is read at once. `deferred`: nothing is written before the formation of its session. */
  writes: 'immediate' | 'deferred';
  /** Who reads an exchange at once: the local reader, or the language model in a call of its own. */
  inlineReader: 'local' | 'model';
  /** Whether reflections come with the reading of a part of a session, or from a separate call that sees what was formed. */
  reflectionCall: 'with-reading' | 'own';
  /** Who does which task. Default: the language model where there is one, else the local reader. */
  tasks: Partial<Record<FormTask, 'local' | 'model'>>;
  triggers: TriggerSettings;
  summary: SummarySettings;
  thresholds: ThresholdSettings;
  limits: LimitSettings;
  /** What is done with secrets, card numbers, health data and the like before a memory is formed. */
  privacy: PrivacyPolicy;
  /**
   * Whether the same policy cleans events before they are appended: `drop` then redacts. `false` stores events as they were said; what the
   * policy keeps out of memories is then removed when events are recalled and when a language model or a reranker reads them. An embedder
   * reads events as they are stored.
   */
  redactEvents: boolean;
  /** IANA name, for "yesterday" and "next week". */
  timeZone: string;
  /** What a goal's importance is multiplied by once it is reached. */
  achievedGoalFactor: number;
}

/** When a session is formed. */
export interface TriggerSettings {
  /** Messages since the last formation. */
  messages: number;
  /** Tokens since the last formation: the user's count whole, tools' half, the agent's a fifth. */
  weightedTokens: number;
  /** A session with fewer new messages than this waits, unless it is closed or its formation is requested. */
  minimumMessages: number;
  /** A session that was quiet for this long is formed in the background. */
  coldAfter: number;
}

export interface SummarySettings {
  /** A session is summarised when nothing was said for this long. */
  quietAfter: number;
  minimumInteractions: number;
  mostTopics: number;
}

/** On the calibrated scale of similarities. */
export interface ThresholdSettings {
  /** From this similarity on, a known memory is a candidate for the decision. */
  related: number;
  /** Without a model, a known memory of the same owner and type is confirmed or revised from this similarity on. */
  nearlySame: number;
  /** From this similarity on, two memories are merged by a later job. */
  same: number;
}

export interface LimitSettings {
  /** How many known memories a reader is shown, and how many tokens they may take. */
  existing: number;
  existingTokens: number;
  /** Known memories that each new one is compared with. */
  candidates: number;
  /**
   * The most statements that one formation may add: one for every six words that it reads, at least `minimumMemories` and never more than
   * `memories`. A model's further statements are refused.
   */
  memories: number;
  minimumMemories: number;
  /** How many memories one formation may retire. */
  retired: number;
  reflectionsPerLevel: number;
  /** How many events one formation reads, and how many tokens of text. The rest waits for the next one. */
  events: number;
  tokens: number;
  /** How many characters of a turn a model is shown, except for the user's turns. The user's turns are shown whole, up to ten times this. */
  turnCharacters: number;
}

/** The settings that an application may give. Absent settings have their defaults. */
export type FormationOptions = Partial<
  Omit<FormationSettings, 'triggers' | 'summary' | 'thresholds' | 'limits' | 'privacy'>
> & {
  triggers?: Partial<TriggerSettings>;
  summary?: Partial<SummarySettings>;
  thresholds?: Partial<ThresholdSettings>;
  limits?: Partial<LimitSettings>;
  privacy?: Partial<PrivacyPolicy>;
};

/** A group of settings, each with its default. */
const group = <Fields extends z.ZodRawShape>(fields: Fields) => z.strictObject(fields).prefault({} as never);
const count = z.int().min(0).max(100_000);
const duration = z.number().min(0);

const settingsSchema: z.ZodType<FormationSettings, FormationOptions> = z.strictObject({
  facts: z.boolean().default(true),
  reflections: z.boolean().default(true),
  summaries: z.boolean().default(true),
  writes: z.enum(['immediate', 'deferred']).default('immediate'),
  inlineReader: z.enum(['local', 'model']).default('local'),
  reflectionCall: z.enum(['with-reading', 'own']).default('with-reading'),
  tasks: z.partialRecord(z.enum(FORM_TASKS), z.enum(['local', 'model'])).default({}),
  triggers: group({
    messages: count.default(45),
    weightedTokens: count.default(1000),
    minimumMessages: count.default(4),
    coldAfter: duration.default(10 * MINUTE),
  }),
  summary: group({
    quietAfter: duration.default(30 * MINUTE),
    minimumInteractions: count.default(2),
    mostTopics: count.default(3),
  }),
  thresholds: group({
    related: shareSchema.default(0.7),
    nearlySame: shareSchema.default(0.85),
    same: shareSchema.default(0.92),
  }),
  limits: group({
    existing: count.max(50).default(50),
    existingTokens: count.default(3500),
    candidates: count.default(5),
    memories: count.default(60),
    minimumMemories: count.default(12),
    retired: count.default(30),
    reflectionsPerLevel: count.default(5),
    events: count.min(1).default(200),
    tokens: count.default(16_000),
    turnCharacters: count.default(600),
  }),
  privacy: group({
    secret: z.enum(PRIVACY_ACTIONS).default('drop'),
    password: z.enum(PRIVACY_ACTIONS).default('drop'),
    card: z.enum(PRIVACY_ACTIONS).default('redact'),
    bank_account: z.enum(PRIVACY_ACTIONS).default('redact'),
    government_id: z.enum(PRIVACY_ACTIONS).default('redact'),
    health: z.enum(PRIVACY_ACTIONS).default('mark'),
    intimate: z.enum(PRIVACY_ACTIONS).default('mark'),
    belief: z.enum(PRIVACY_ACTIONS).default('mark'),
  } satisfies Record<PrivacyCategory, z.ZodType>),
  redactEvents: z.boolean().default(true),
  timeZone: timeZoneSchema.default('UTC'),
  achievedGoalFactor: shareSchema.default(0.5),
}) as z.ZodType<FormationSettings, FormationOptions>;

/** Checks the settings of formation and fills in the defaults. */
export function formationSettings(options: FormationOptions = {}): FormationSettings {
  return parse(settingsSchema, options, 'The formation settings');
}

/** What formation works with. */
export interface FormDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  settings: FormationSettings;
  /** The reader that works without a model. Loaded when it is first needed. */
  localReader(): Promise<StatementReader>;
  /** Reads the parts of a message with the local model, whatever embedder the application has chosen. */
  readParts: NonNullable<Embedder['readParts']>;
  /** Null: everything is read locally. */
  languageModel: LanguageModel | null;
  /** The texts that were recalled for a session. They are already known, and are not learned again. */
  recalledTexts?(scope: Scope): Promise<readonly string[]>;
}

/** What decides when a session is formed. */
export type TriggerDeps = Parts & Pick<FormDeps, 'settings' | 'languageModel'>;

/** The dependencies of comparing and writing statements, which need no reader and no model. */
export type ApplyDeps = Parts & Pick<FormDeps, 'settings'>;

/** How a formation is run. */
export interface FormOptions {
  /** Default `hand`. */
  cause?: RunCause;
  signal?: AbortSignal;
  /** Marks the job of the formation as done, in the transaction of its effects. */
  complete?(writer: Writer): Promise<void>;
  /** An open session with fewer new messages than this is not formed. Default 0. */
  minimumMessages?: number;
}

/** The input of every stage of one formation. */
export interface FormWork {
  deps: FormDeps;
  scope: Scope;
  run: string;
  meter: Meter;
  reader: StatementReader;
  events: readonly Event[];
  /** The preceding events, which contain the questions that the turns answer. */
  earlier: readonly Event[];
  /** The part of the session that is read: positions, and whether events are left after it. Null for an exchange on its own. */
  stretch: { from: number; to: number; hasMore: boolean } | null;
  startedAt: Date;
  signal?: AbortSignal;
  /** The state of the owner before the reading, so that nothing comes back that is erased meanwhile. */
  seen: SeenOwner;
  why: Change;
}

/** The transaction that writes what was formed from some events, in a scope. */
export interface Writing extends Pick<FormWork, 'scope' | 'events' | 'why'> {
  writer: Writer;
  deps: ApplyDeps;
  /** Who read the events: `local`, or the id of a model. Kept with each memory. */
  reader: string;
  /** What was written and refused so far. */
  result: FormResult;
}
