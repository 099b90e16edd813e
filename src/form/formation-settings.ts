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

/** Each task can be given to the model or to the local reader. */
const FORM_TASKS = ['read', 'decide', 'reflect'] as const;
export type FormTask = (typeof FORM_TASKS)[number];

/** How memories are formed. Times are in milliseconds. */
export interface FormationSettings {
  /** Whether statements are formed. */
  facts: boolean;
  /** Whether reflections are formed. They are part of every prompt. */
  reflections: boolean;
  /** Whether a session's topics are summarised once the session is quiet. */
  summaries: boolean;
  /** `immediate`: every exchange is read at once. `deferred`: exchanges are read when their session is formed. */
  writes: 'immediate' | 'deferred';
  /** Who reads an exchange at once: the local reader, or the language model in a separate call. */
  inlineReader: 'local' | 'model';
  /** `with-reading`: the model's answer about the turns also contains the reflections. `own`: a separate call returns them. */
  reflectionCall: 'with-reading' | 'own';
  /** Who does each task. Default: the language model if one is configured, otherwise the local reader. */
  tasks: Partial<Record<FormTask, 'local' | 'model'>>;
  triggers: TriggerSettings;
  summary: SummarySettings;
  thresholds: ThresholdSettings;
  limits: LimitSettings;
  /** The action for each category of sensitive text, applied before a memory is formed. */
  privacy: PrivacyPolicy;
  /**
   * Whether the policy also redacts events before they are appended. The action `drop` redacts them as well. With `false`, events are
   * stored unchanged and redacted when they are recalled or read by a language model or a reranker; an embedder reads them as stored.
   */
  redactEvents: boolean;
  /**
   * `obey`: a user's request to forget is carried out. `report`: nothing is forgotten, and the request is listed in `refusals`, so that the
   * application can ask the user and call `memories.forget`.
   */
  requestsToForget: 'obey' | 'report';
  /** The IANA time zone of messages and users that have none of their own. */
  timeZone: string;
  /** The factor for the importance of a goal that is reached. */
  achievedGoalFactor: number;
}

export interface TriggerSettings {
  /** A session is formed after this many new messages. */
  messages: number;
  /** A session is formed after this many weighted new tokens: a user's token counts 1, an agent's 0.2, every other 0.5. */
  weightedTokens: number;
  /** A session with fewer new messages waits, unless it is closed or its formation is requested. */
  minimumMessages: number;
  /** A session that has been quiet for this many milliseconds is formed in the background. */
  coldAfter: number;
}

export interface SummarySettings {
  /** A session that has been quiet for this many milliseconds is summarised. */
  quietAfter: number;
  minimumInteractions: number;
  mostTopics: number;
}

/** Thresholds on the calibrated scale of similarities, from 0 to 1. */
export interface ThresholdSettings {
  /** From this similarity on, a model decides about a new statement and a known memory whose fields leave their relation open. */
  related: number;
  /** From this similarity on, a new statement confirms or revises a known memory of the same type, unless a field differs. */
  nearlySame: number;
  /** From this similarity on, a later job merges two memories, and a statement may confirm or revise a memory of another type. */
  same: number;
}

export interface LimitSettings {
  /** How many known memories a reader is shown, and their total tokens. */
  existing: number;
  existingTokens: number;
  /** How many known memories each new statement is compared with. */
  candidates: number;
  /** The most statements of one formation: one for every six words that it reads, but at least `minimumMemories` and at most `memories`. */
  memories: number;
  minimumMemories: number;
  /** How many memories one formation may end or replace. */
  retired: number;
  reflectionsPerLevel: number;
  /** How many events one formation reads, and their total tokens. The rest waits for the next formation. */
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

/** A missing group has its defaults. */
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

export function formationSettings(options: FormationOptions = {}): FormationSettings {
  return parse(settingsSchema, options, 'The formation settings');
}

export interface FormDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  settings: FormationSettings;
  /** Needs no language model. Loaded on first use. */
  localReader(): Promise<StatementReader>;
  /** Uses the reading layers of the local embedder, even if the application has another embedder. */
  readParts: NonNullable<Embedder['readParts']>;
  /** Null if the local reader reads everything. */
  languageModel: LanguageModel | null;
  /** Texts that were recalled for a session. They are known, so no statements are formed from them. */
  recalledTexts?(scope: Scope): Promise<readonly string[]>;
}

export type TriggerDeps = Parts & Pick<FormDeps, 'settings' | 'languageModel'>;

export type ApplyDeps = Parts & Pick<FormDeps, 'settings'>;

export interface FormOptions {
  /** Default `hand`. */
  cause?: RunCause;
  signal?: AbortSignal;
  /** Marks the job as done, in the transaction that writes the results. */
  complete?(writer: Writer): Promise<void>;
  /** An open session with fewer new messages than this is not formed. Default 0. */
  minimumMessages?: number;
}

export interface FormWork {
  deps: FormDeps;
  scope: Scope;
  run: string;
  meter: Meter;
  reader: StatementReader;
  events: readonly Event[];
  /** The events before these, with the questions that these events answer. */
  earlier: readonly Event[];
  /** The positions of the session that are read, and whether unread events follow. Null for an exchange on its own. */
  stretch: { from: number; to: number; hasMore: boolean } | null;
  startedAt: Date;
  signal?: AbortSignal;
  /** The owner's state before the reading. If the owner is erased meanwhile, nothing is written. */
  seen: SeenOwner;
  why: Change;
}

export interface Writing extends Pick<FormWork, 'scope' | 'events' | 'why'> {
  writer: Writer;
  deps: ApplyDeps;
  /** Stored with each memory as its `reader`: `local`, or the id of a model. */
  readBy: string;
  result: FormResult;
}
