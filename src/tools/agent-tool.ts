import { z } from 'zod';
import type { Handle } from '../handle/handle.ts';
import { cachedFor } from '../record/cache.ts';
import { jsonIn } from '../record/json.ts';
import { spelledKey } from '../record/attribute-table.ts';
import { type AgentToolName, TOOL_EFFECTS, type ToolEffect } from '../record/memory-answers.ts';
import { parse } from '../record/parse.ts';

/** The parts of a handle that the tools need. */
export type ToolHandle = Pick<
  Handle,
  | 'scope'
  | 'context'
  | 'recall'
  | 'observe'
  | 'recordObservation'
  | 'updateUserContext'
  | 'connection'
  | 'facts'
  | 'memories'
  | 'notes'
  | 'savedItems'
  | 'intentions'
  | 'events'
>;

/** The current turn, which is not in the log before it ends. */
export interface ToolTurn {
  /** The user's own messages in the current turn and just before it. */
  said?: readonly string[];
}

export const sourceParameter: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe(
    'Where this comes from: "user" if the user said it in this conversation, otherwise the page, mail, file or tool that says it. What does not come from the user is kept as unverified',
  );

const KEPT =
  'Nothing was changed: the user said what is remembered, and none of the last logged turns of the user says the new text. If the user has said it, log that message first, and call again without a source. Otherwise ask the user.';

/** Only the outcome `kept` needs a reason. */
export function reasonOf(outcome: string): { reason?: string } {
  return outcome === 'kept' ? { reason: KEPT } : {};
}

export function rememberedFrom(source: string | null): string {
  return source === null ? 'remembered' : `remembered from ${source}`.slice(0, 500);
}

/** A tool's effects. A client may ask the user before it runs the tool. */
export interface ToolHints {
  /** Whether the tool changes nothing. */
  readOnly: boolean;
  /** Whether the tool removes records. */
  destructive: boolean;
  idempotent: boolean;
}

/** An agent tool, which every interface and integration offers. */
export interface AgentTool {
  name: AgentToolName;
  /** The name for people. */
  title: string;
  /** For the model: what the tool does, when to use it, what it returns. */
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  hints: ToolHints;
  /** The answer as a text for a model. Default: JSON. */
  textOf?: ((output: Record<string, unknown>) => string) | undefined;
  /** Throws `invalid_input` for bad input, with a message that says what is expected. */
  run(handle: ToolHandle, input: unknown, turn?: ToolTurn): Promise<Record<string, unknown>>;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: AgentToolName;
  title?: string;
  description: string;
  input: Input;
  output: Output;
  textOf?(output: Record<string, unknown>): string;
  run(handle: ToolHandle, input: z.output<Input>, turn: ToolTurn): Promise<z.input<Output>>;
}

const HINTS: Record<ToolEffect, ToolHints> = {
  reads: { readOnly: true, destructive: false, idempotent: true },
  writes: { readOnly: false, destructive: false, idempotent: false },
  sets: { readOnly: false, destructive: false, idempotent: true },
  removes: { readOnly: false, destructive: true, idempotent: true },
};

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): AgentTool {
  const { name, title = titleOf(name), description, input, output } = definition;
  return {
    name,
    title,
    description: description.trim().replace(/\s+/g, (gap) => (gap.includes('\n') ? ' ' : gap)),
    input,
    output,
    hints: HINTS[TOOL_EFFECTS[name]],
    textOf: definition.textOf,
    async run(handle, given, turn = {}) {
      const mended = mendedInput(input, given ?? {});
      // Unknown arguments of a valid call are ignored. Otherwise the error names them, because one may be a misspelt required argument.
      const schema = input.safeParse(mended).success ? input : (input.strict() as unknown as Input);
      return definition.run(handle, parse(schema, mended, `The input of ${name}`), turn);
    },
  };
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Shape {
  type?: string;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

const shapeOf = cachedFor((schema: z.ZodObject) => z.toJSONSchema(schema, { io: 'input' }) as Shape);

/**
 * Null or "" becomes a missing optional field, `"5"` becomes 5, one text or a JSON list becomes a list, and a number out of bounds becomes
 * the nearest bound.
 */
export function mendedInput(schema: z.ZodObject, given: unknown): unknown {
  return mended(shapeOf(schema), given);
}

const MENDERS: Readonly<Record<string, (shape: Shape, given: unknown) => unknown>> = {
  object({ properties, required = [] }, given) {
    if (properties === undefined || typeof given !== 'object' || given === null) return given;
    const fields = Object.entries(given).filter(
      ([key, item]) => required.includes(key) || (item !== null && item !== ''),
    );
    return Object.fromEntries(fields.map(([key, item]) => [key, mended(properties[key] ?? {}, item)]));
  },
  array({ items = {} }, given) {
    const list = typeof given === 'string' ? listOf(given) : given;
    return Array.isArray(list) ? list.map((item) => mended(items, item)) : list;
  },
  integer: (shape, given) => mendedNumber(shape, given, Math.round),
  number: (shape, given) => mendedNumber(shape, given, (number) => number),
  boolean: (_shape, given) => (given === 'true' ? true : given === 'false' ? false : given),
  string({ enum: names }, given) {
    const text = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
    return names !== undefined && typeof text === 'string' ? (named(names, text) ?? text) : text;
  },
};

function mended(shape: Shape, given: unknown): unknown {
  return MENDERS[shape.type ?? '']?.(shape, given) ?? given;
}

function mendedNumber(
  { minimum = -Infinity, maximum = Infinity }: Shape,
  given: unknown,
  rounded: (number: number) => number,
): unknown {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return given;
  return Math.min(Math.max(rounded(number), minimum), maximum);
}

function listOf(text: string): unknown {
  const list = jsonIn(text);
  return Array.isArray(list) ? list : [text];
}

function named<Name extends string>(names: readonly Name[], given: string): Name | undefined {
  const plain = (name: string): string => spelledKey(name).replace(/s$/, '').replace(/ie$/, 'y');
  return names.find((name) => plain(name) === plain(given));
}

export const isoTime: z.ZodString = z
  .string()
  .max(40)
  .regex(/^\d{4}-\d\d-\d\d/, 'is not a date or time in ISO 8601, such as 2026-03-17');

/** `words` has the synonyms of each name, separated by spaces. */
export function synonymsOf<Name extends string>(words: Partial<Record<Name, string>>): Record<string, Name> {
  const entries = Object.entries(words) as [Name, string][];
  return Object.fromEntries(entries.flatMap(([name, list]) => list.split(' ').map((word) => [word, name])));
}

/** Ignores case, plural and separators. Any other text becomes `otherwise`. The schema that a model sees still lists the names. */
export function mappedChoice<const Name extends string>(
  names: readonly [Name, ...Name[]],
  { otherwise, synonyms = {} }: { otherwise: NoInfer<Name>; synonyms?: Readonly<Record<string, NoInfer<Name>>> },
): z.ZodType<Name, unknown> & { describe(text: string): z.ZodType<Name, unknown> } {
  const map = (given: unknown): unknown => {
    if (typeof given !== 'string') return given;
    const key = spelledKey(given);
    return named(names, given) ?? synonyms[key] ?? synonyms[key.replace(/s$/, '')] ?? otherwise;
  };
  return z.preprocess(map, z.enum(names as unknown as [Name, ...Name[]]));
}
