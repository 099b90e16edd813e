import { z } from 'zod';
import type { LanguageModel } from '../models/language-model.ts';
import { RECALL_SOURCES, type RecallSource } from '../recall/recall-options.ts';
import { textSchema, type TimeInput, timeSchema, timeZoneSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Budget, Layout } from './layout.ts';
import { type LayoutName, layoutNameSchema, LAYOUTS } from './layouts.ts';
import { SECTION_NAMES, type SectionName } from './section.ts';
import type { Trust } from '../record/statement.ts';
import type { TokenCounter } from '../language/words.ts';

/** What a message needs. */
export interface Intent {
  /** The services whose data the message needs. */
  services: string[];
  /** The message's words, normalised for search. */
  words: string[];
  /** Whether the message only greets, thanks or agrees. */
  smallTalk: boolean;
}

/** What hooks receive about a turn. */
export interface Asked {
  scope: Scope;
  message: string;
  intent: Intent;
}

/** A service of the application. Its data goes into a context if the message needs it. */
export interface Service {
  /** The heading above the service's data. Default: the service's name. */
  title?: string;
  /** The data is loaded if the message contains one of these words. */
  about: readonly string[];
  load(asked: Asked): Promise<Readonly<Record<string, unknown>> | readonly string[] | string | null>;
  /** How far to trust the service's data. Default: `medium`. */
  trust?: Trust;
}

/** The application's functions that add to contexts. */
export interface ContextHooks {
  /** Returns the user's structured profile, from the application's own database. */
  structuredProfile?: (asked: Asked) => Promise<Readonly<Record<string, unknown>> | null>;
  services?: Readonly<Record<string, Service>>;
  /** Classifies a message. Replaces the result of the rules, field by field. */
  intent?: (message: string, byRules: Intent) => Promise<Partial<Intent>> | Partial<Intent>;
  /** Summarises older turns. Default: the beginning of each turn is shown. */
  summarise?: (turns: readonly { role: string; text: string }[]) => Promise<string>;
}

/** How past turns are chosen. */
export interface HistoryOptions {
  /** `chronological` (default): the last turns. `semantic`: the last exchanges, and the older ones most relevant to the message. */
  mode?: 'chronological' | 'semantic';
  /** The maximum number of turns to read. Default: 40. */
  turns?: number;
  /** For `semantic`: how many of the latest exchanges are always kept. Default: 3. */
  recent?: number;
  /** For `semantic`: the maximum number of relevant older exchanges. Default: 3. */
  relevant?: number;
  /** For `semantic`: the minimum similarity of older exchanges. Default: 0.6. */
  minimumSimilarity?: number;
  /** What happens to older turns that exceed the budget. At least the last 4 turns stay verbatim. Default: `summarise`. */
  older?: 'summarise' | 'drop';
  /** The texts of turns that the application sends itself. The context does not repeat them. */
  given?: readonly string[];
}

/** How Varve chooses whether to look something up before a turn, and with which queries. */
export type LookupMode = 'rules' | 'model' | 'always' | 'never';

/** Switches individual sections, or the groups `reflections` and `lookups`, on or off. */
export type SectionSwitches = Partial<Record<SectionName | 'reflections' | 'lookups', boolean>>;

/** Settings for all contexts (`createVarve({ context })`) or for a single context. */
export interface ContextSettings extends ContextHooks {
  /** The layout of the context. Default: `varve`. */
  layout?: LayoutName | Layout;
  /** The maximum number of tokens, or one budget per section. Default: the layout's budget, or 8,000. */
  budget?: number | Budget;
  /** False leaves a section out. `reflections` stands for all sections of reflections, `lookups` for all that searches fill. */
  sections?: SectionSwitches;
  history?: HistoryOptions | false;
  /** How Varve chooses what to look up before a turn. Default: `rules`. */
  lookup?: LookupMode;
  /** The model that chooses the queries for `lookup: 'model'`. */
  lookupModel?: LanguageModel;
  /** How many of the most important memories every prompt contains. Default: 20. */
  topMemories?: number;
  /** The maximum number of recalled records. Default: the layout's limit, or 10. */
  recallLimit?: number;
  /** The kinds of records that recall searches. Default: the layout's sources, or all. */
  recallSources?: readonly RecallSource[];
  /** Counts tokens. Default: an estimate within about 10 %. */
  tokenCounter?: TokenCounter;
  /** The model that reads the context, by its name in the price list. The ledger then records what the memory in the prompt costs. */
  model?: string;
  /** The user's time zone. Default: the zone of `consolidation.configure`, or else `formation.timeZone`. */
  timeZone?: string;
  /** After this many milliseconds, a hook or a search is abandoned. Default: 2,000. */
  timeout?: number;
}

export interface ContextOptions extends ContextSettings {
  /** The user's message. Without it, nothing is looked up. */
  message?: string;
  /** The agent's instructions. They are the application's own text, so they are never cut. */
  instructions?: string;
  /** The agent's capabilities. The layout determines where they appear in the system prompt. */
  capabilities?: string;
  identity?: { name: string; constitution?: string };
  directives?: readonly string[];
  artifacts?: readonly { title: string; description?: string }[];
  /** Tool definitions that are sent with the prompt. The context does not contain them, but their tokens are counted. */
  tools?: string | readonly unknown[];
  /** How many tokens must stay free. Default: `budget.reserve`, or 0. */
  reserve?: number;
  /** Active connections besides the handle's own. */
  connections?: readonly string[];
  now?: TimeInput;
  /** Whether to read everything again. Default: false, which caches a session's knowledge until it changes. */
  refresh?: boolean;
  /** Whether to write no entry to the log. Default: false. */
  unlogged?: boolean;
}

const tokens = z.int().min(0).max(100_000_000).optional();
const any = z.any().optional();

type TextField = 'message' | 'instructions' | 'capabilities' | 'identity' | 'directives' | 'artifacts';
type Given<Name extends TextField> = NonNullable<ContextOptions[Name]>;

/** The library and the HTTP API accept the same texts. */
export const contextTextFields: { readonly [Name in TextField]: z.ZodOptional<z.ZodType<Given<Name>, Given<Name>>> } = {
  message: z.string().max(1_000_000).optional(),
  instructions: z.string().max(1_000_000).optional(),
  capabilities: z.string().max(1_000_000).optional(),
  identity: z.strictObject({ name: textSchema(500), constitution: z.string().max(100_000).optional() }).optional(),
  directives: z.array(z.string()).max(1000).optional(),
  artifacts: z
    .array(z.strictObject({ title: textSchema(1000), description: z.string().max(5000).optional() }))
    .max(1000)
    .optional(),
};

function bySection<Value extends z.ZodType>(value: Value, ...others: string[]): z.ZodRecord<z.ZodString, Value> {
  const names: readonly string[] = [...SECTION_NAMES, ...others];
  return z.record(z.string(), value).superRefine((given, context) => {
    for (const name of Object.keys(given).filter((key) => !names.includes(key)))
      context.addIssue(`${JSON.stringify(name)} is not a section. The sections are ${names.join(', ')}.`);
  });
}

export const sectionSwitchesSchema: z.ZodRecord<z.ZodString, z.ZodOptional<z.ZodBoolean>> = bySection(
  z.boolean().optional(),
  'reflections',
  'lookups',
);

const layoutSchema = z.union(
  [
    layoutNameSchema,
    z.custom<Layout>((given) => Array.isArray((given as Layout)?.system) && Array.isArray((given as Layout).user)),
  ],
  {
    error: `expected ${Object.keys(LAYOUTS)
      .map((name) => `"${name}"`)
      .join(', ')}, or a layout that defineLayout() made`,
  },
);

export const contextOptionsSchema: z.ZodType<ContextOptions, ContextOptions> = z.strictObject({
  ...contextTextFields,
  tools: any,
  reserve: tokens,
  connections: z.array(textSchema(200)).max(200).optional(),
  now: timeSchema.optional(),
  refresh: z.boolean().optional(),
  unlogged: z.boolean().optional(),
  layout: layoutSchema.optional(),
  budget: z
    .union([
      z.int().min(1),
      z.strictObject({
        total: tokens,
        reserve: tokens,
        evidence: z.strictObject({ share: z.number().min(0).max(1), most: z.int().min(0) }).optional(),
        sections: bySection(tokens, 'tools').optional(),
        shared: z
          .array(z.strictObject({ sections: z.array(z.enum(SECTION_NAMES)), tokens: z.int().min(0) }))
          .optional(),
      }),
    ])
    .optional(),
  sections: sectionSwitchesSchema.optional(),
  history: z
    .union([
      z.literal(false),
      z.strictObject({
        mode: z.enum(['chronological', 'semantic']).optional(),
        turns: z.int().min(0).max(1000).optional(),
        recent: z.int().min(0).max(100).optional(),
        relevant: z.int().min(0).max(100).optional(),
        minimumSimilarity: z.number().min(0).max(1).optional(),
        older: z.enum(['summarise', 'drop']).optional(),
        given: z.array(z.string()).max(10_000).optional(),
      }),
    ])
    .optional(),
  lookup: z.enum(['rules', 'model', 'always', 'never']).optional(),
  lookupModel: any,
  topMemories: z.int().min(0).max(1000).optional(),
  recallLimit: z.int().min(1).max(200).optional(),
  recallSources: z.array(z.enum(RECALL_SOURCES)).min(1).optional(),
  tokenCounter: any,
  model: z.string().max(300).optional(),
  timeZone: timeZoneSchema.optional(),
  timeout: z.int().min(1).max(600_000).optional(),
  structuredProfile: any,
  services: any,
  intent: any,
  summarise: any,
}) as unknown as z.ZodType<ContextOptions, ContextOptions>;
