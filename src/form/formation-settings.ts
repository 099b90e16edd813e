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

/** The tasks of formation that a model can do. Each can be given to the model or to the local reader. */
const FORM_TASKS = ['read', 'decide', 'reflect'] as const;
export type FormTask = (typeof FORM_TASKS)[number];

/** How memories are formed. Times are milliseconds. */
export interface FormationSettings {
  /** Whether statements are formed. */
  facts: boolean;
  /** Whether reflections are formed. They are part of every prompt. */
  reflections: boolean;
  /** Whether a session's topics are summarised once the session is quiet. */
  summaries: boolean;
  /** `immediate`: every exchange is read immediately. `deferred`: exchanges are read when their session is formed. */
  writes: 'immediate' | 'deferred';
  /** Who reads an exchange immediately: the local reader, or the language model in a separate call. */
  inlineReader: 'local' | 'model';
  /**
   * `with-reading`: the model's answer about the turns also contains the reflections. `own`: a separate call is shown the new statements
   * and asked for reflections.
   */
  reflectionCall: 'with-reading' | 'own';
  /** Who does each task. Default: the language model if one is configured, otherwise the local reader. */
  tasks: Partial<Record<FormTask, 'local' | 'model'>>;
  triggers: TriggerSettings;
  summary: SummarySettings;
  thresholds: ThresholdSettings;
  limits: LimitSettings;
  /**
   * The action for each category of sensitive text, such as secrets, card numbers and health data. It is applied before a memory is formed.
   */
  privacy: PrivacyPolicy;
  /**
   * Whether the same policy also redacts events before they are appended. The action `drop` redacts them as well. With `false`, events are
   * stored unchanged; sensitive text is then redacted when events are recalled and when a language model or a reranker reads them. An
   * embedder reads events as they are stored.
   */
  redactEvents: boolean;
  /**
   * `obey`: a user's request to forget, made in a conversation, is carried out. `report`: nothing is forgotten, and the request is listed
   * in `refusals` with the statements that it refers to. The application can then ask the user and call `memories.forget`.
   */
  requestsToForget: 'obey' | 'report';
  /** The IANA time zone in which "yesterday" and "next week" are resolved, for messages and users that have no time zone of their own. */
  timeZone: string;
  /** When a goal is reached, its importance is multiplied by this factor. */
  achievedGoalFactor: number;
}

export interface TriggerSettings {
  /** A session is formed after this many new messages. */
  messages: number;
  /** A session is formed after this many weighted new tokens. A user's token counts 1, an agent's token 0.2, and every other token 0.5. */
  weightedTokens: number;
  /** A session with fewer new messages than this waits, unless it is closed or its formation is requested. */
  minimumMessages: number;
  /** A session that has been quiet for this long is formed in the background. */
  coldAfter: number;
}

export interface SummarySettings {
  /** A session is summarised once it has been quiet for this long. */
  quietAfter: number;
  minimumInteractions: number;
  mostTopics: number;
}

/** Thresholds on the calibrated scale of similarities. */
export interface ThresholdSettings {
  /** From this similarity on, a model is asked how a new statement relates to a known memory, if their fields leave that open. */
  related: number;
  /** From this similarity on, a new statement confirms or revises a known memory of the same type, unless a field differs. */
  nearlySame: number;
  /** From this similarity on, a later job merges two memories. It also applies to a new statement and a known memory of another type. */
  same: number;
}

export interface LimitSettings {
  /** How many known memories a reader is shown. `existingTokens` limits their tokens. */
  existing: number;
  existingTokens: number;
  /** How many known memories each new statement is compared with. */
  candidates: number;
  /**
   * The most statements that one formation may add: one for every six words that it reads, but at least `minimumMemories` and at most
   * `memories`. Further statements of a model are refused.
   */
  memories: number;
  minimumMemories: number;
  /** How many memories one formation may end or replace. */
  retired: number;
  reflectionsPerLevel: number;
  /** How many events one formation reads. `tokens` limits their total length. The remaining events wait for the next formation. */
  events: number;
  tokens: number;
  /** A model is shown this many characters of a turn, and ten times as many of a user's turn. */
  turnCharacters: number;
}

/** The settings as an application gives them. A missing setting has its default. */
export type FormationOptions = {
  [Name in keyof FormationSettings]?: FormationSettings[Name] extends object
    ? Partial<FormationSettings[Name]>
    : FormationSettings[Name];
};

/** Returns the schema of a group of settings. A missing group has its defaults. */
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
  requestsToForget: z.enum(['obey', 'report']).default('obey'),
  timeZone: timeZoneSchema.default('UTC'),
  achievedGoalFactor: shareSchema.default(0.5),
}) as z.ZodType<FormationSettings, FormationOptions>;

/** Validates the settings of formation and fills in the defaults. */
export function formationSettings(options: FormationOptions = {}): FormationSettings {
  return parse(settingsSchema, options, 'The formation settings');
}

export interface FormDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  settings: FormationSettings;
  /** Returns the local reader, which needs no language model. It is loaded on first use. */
  localReader(): Promise<StatementReader>;
  /** Classifies the parts of a message with the reading layers of the local embedder, even if the application uses another embedder. */
  readParts: NonNullable<Embedder['readParts']>;
  /** Null if the local reader reads everything. */
  languageModel: LanguageModel | null;
  /** Returns the texts that were recalled for a session. They are already known, so no new statements are formed from them. */
  recalledTexts?(scope: Scope): Promise<readonly string[]>;
}

/** What is needed to find out whether a session is due to be formed. */
export type TriggerDeps = Parts & Pick<FormDeps, 'settings' | 'languageModel'>;

/** What is needed to compare and write statements, without a reader or a model. */
export type ApplyDeps = Parts & Pick<FormDeps, 'settings'>;

export interface FormOptions {
  /** Default `hand`. */
  cause?: RunCause;
  signal?: AbortSignal;
  /** Marks the job of the formation as done, in the transaction that writes the results. */
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
  /** The events before these. They contain the questions that these events answer. */
  earlier: readonly Event[];
  /** The part of the session that is read, as positions, and whether unread events follow it. Null for an exchange on its own. */
  stretch: { from: number; to: number; hasMore: boolean } | null;
  startedAt: Date;
  signal?: AbortSignal;
  /** The owner's state before the reading. If the owner is erased in the meantime, nothing is written. */
  seen: SeenOwner;
  why: Change;
}

/** The transaction that writes the results of a formation, with its scope and events. */
export interface Writing extends Pick<FormWork, 'scope' | 'events' | 'why'> {
  writer: Writer;
  deps: ApplyDeps;
  /** The id of the reader: `local`, or the id of a model. It is stored with each memory as its `reader`. */
  readBy: string;
  /** The changes and refusals so far. */
  result: FormResult;
}
