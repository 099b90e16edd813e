import { z } from 'zod';
import { DEEPEST, readTolerantJson } from './tolerant-json.ts';

export interface JsonSchema {
  $ref?: string;
  definitions?: Record<string, JsonSchema>;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema | JsonSchema[];
  additionalItems?: boolean | JsonSchema;
}

const known = new WeakMap<z.ZodType, JsonSchema>();

/** Describes the input, before defaults and transforms. Objects are closed, as strict structured output requires. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  let found = known.get(schema);
  if (found === undefined) {
    const { $schema: _, ...made } = z.toJSONSchema(schema, {
      target: 'draft-7',
      io: 'input',
      unrepresentable: 'any',
      override({ jsonSchema }) {
        if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false;
      },
    });
    found = made as JsonSchema;
    known.set(schema, found);
  }
  return found;
}

function alternativesOf({ anyOf = [], oneOf = [], allOf = [] }: JsonSchema): JsonSchema[] {
  return [...anyOf, ...oneOf, ...allOf];
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  // Limited, in case a schema refers only to itself.
  for (let hops = 0; current.$ref !== undefined && hops < 16; hops += 1) {
    if (current.$ref === '#') return root;
    const name = /^#\/definitions\/(.+)$/.exec(current.$ref)?.[1];
    const target = name === undefined ? undefined : root.definitions?.[name];
    if (target === undefined) return {};
    current = target;
  }
  return current;
}

export function acceptedKinds(schema: JsonSchema, root: JsonSchema = schema, depth = 0): Set<string> {
  const found = resolved(schema, root);
  const kinds = new Set<string>();
  const add = (kind: string): unknown => kinds.add(kind === 'integer' ? 'number' : kind);
  if ('const' in found) return new Set([kindOf(found.const)]);
  if (found.enum !== undefined) return new Set(found.enum.map(kindOf));
  [found.type ?? []].flat().forEach(add);
  const alternatives = depth < DEEPEST_ALTERNATIVE ? alternativesOf(found) : [];
  for (const part of alternatives) acceptedKinds(part, root, depth + 1).forEach(add);
  return kinds.size === 0 ? new Set(ANY) : kinds;
}

const DEEPEST_ALTERNATIVE = 8;

const ANY = ['string', 'number', 'boolean', 'null', 'object', 'array'];

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Thrown if a value is nested too deeply or has the key `__proto__`. */
export class UnusableJson extends Error {}

/** Where the schema accepts no text, any text is parsed; where it accepts anything, only a text that is exactly an object or an array. */
export function unwrapJson(value: unknown, schema: JsonSchema): unknown {
  return unwrap(value, schema, schema, 0);
}

function unwrap(value: unknown, schema: JsonSchema, root: JsonSchema, depth: number): unknown {
  if (depth > DEEPEST) throw new UnusableJson(`The answer nests more than ${DEEPEST} levels deep.`);
  if (typeof value === 'string') {
    const inner = innerJson(value, acceptedKinds(schema, root));
    return inner === undefined ? value : unwrap(inner, schema, root, depth + 1);
  }
  if (Array.isArray(value))
    return value.map((item, index) => unwrap(item, itemSchema(schema, index, root), root, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '__proto__')) throw new UnusableJson('The answer has a key __proto__.');
  const members = Object.entries(value).map(([key, member]) => {
    return [key, unwrap(member, memberSchema(schema, key, root), root, depth + 1)];
  });
  return Object.fromEntries(members);
}

function innerJson(text: string, accepted: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  if (!accepted.has('string')) {
    const found = readTolerantJson(trimmed);
    if (!found.ok || !found.complete || found.end !== trimmed.length) return undefined;
    // JSON that was stringified more than once gets shorter with each step.
    const again = typeof found.value === 'string' && found.value.length < text.length;
    return again || accepted.has(kindOf(found.value)) ? found.value : undefined;
  }
  const inner = /^[{["]/.test(trimmed) ? strictJson(trimmed) : undefined;
  if (typeof inner === 'string') return inner.length < text.length ? innerJson(inner, accepted) : undefined;
  return typeof inner === 'object' && accepted.has(kindOf(inner)) ? inner : undefined;
}

function strictJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function memberSchema(schema: JsonSchema, key: string, root: JsonSchema): JsonSchema {
  return pick(schema, root, (part) => {
    if (part.properties !== undefined && Object.hasOwn(part.properties, key)) return part.properties[key];
    return typeof part.additionalProperties === 'object' ? part.additionalProperties : undefined;
  });
}

function itemSchema(schema: JsonSchema, index: number, root: JsonSchema): JsonSchema {
  return pick(schema, root, (part) => {
    const tuple = Array.isArray(part.items) ? part.items : undefined;
    if (tuple?.[index] !== undefined) return tuple[index];
    if (typeof part.additionalItems === 'object') return part.additionalItems;
    return part.items === undefined || Array.isArray(part.items) ? undefined : part.items;
  });
}

function pick(schema: JsonSchema, root: JsonSchema, find: (part: JsonSchema) => JsonSchema | undefined): JsonSchema {
  const collect = (of: JsonSchema, depth: number): JsonSchema[] => {
    const part = resolved(of, root);
    const alternatives = depth < DEEPEST_ALTERNATIVE ? alternativesOf(part) : [];
    const theirs = alternatives.flatMap((alternative) => collect(alternative, depth + 1));
    const own = find(part);
    return own === undefined ? theirs : [own, ...theirs];
  };
  const [first = {}, ...others] = collect(schema, 0);
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

export type AnswerProblem =
  | 'empty'
  | 'refused'
  | 'too_long'
  | 'truncated'
  | 'not_json'
  | 'several_answers'
  | 'wrong_shape';

/** `message` tells a model how to correct the answer, without quoting it. */
export type ParsedAnswer<Data> =
  | { ok: true; data: Data; repaired: boolean; isCut?: boolean }
  | { ok: false; problem: AnswerProblem; message: string; issues: { path: string; code: string }[] };

export interface AnswerText {
  text: string;
  /** The provider's finish reason: stop, length, content-filter and others. */
  finishReason: string;
}

export interface AnswerLimits {
  /** Whether to accept a truncated answer's complete items. By default, a truncated answer is an error. */
  keepsWhole?: boolean;
  /** A longer answer is not parsed. Default 1,000,000 characters. */
  longestAnswer?: number;
}

/**
 * Parses strictly if possible, otherwise with repairs, but never by dropping content. Unclosed JSON is truncated, even with the finish
 * reason `stop`, which some providers report for a truncated answer.
 */
export function parseAnswer<Schema extends z.ZodType>(
  answer: AnswerText,
  schema: Schema,
  { longestAnswer = 1_000_000, keepsWhole = false }: AnswerLimits = {},
): ParsedAnswer<z.output<Schema>> {
  if (answer.finishReason === 'content-filter') return refused;
  if (answer.text.length > longestAnswer)
    return problem('too_long', `The answer has more than ${longestAnswer} characters.`);
  const text = withoutThoughts(answer.text.replace(/^\uFEFF+/, '')).trim();
  if (text === '') return problem('empty', 'The answer is empty.');
  const whole = strictJson(text);
  const found: FoundJson =
    whole === undefined
      ? embeddedJson(text, acceptedKinds(jsonSchemaOf(schema)), keepsWhole)
      : { ok: true, value: whole, complete: true, repaired: false };
  if (!found.ok) return found;
  if (found.complete) return validated(found.value, schema, found.repaired);
  const part = keepsWhole ? validated(found.value, schema, true) : truncated;
  return part.ok ? { ...part, isCut: true } : truncated;
}

type FoundJson =
  | { ok: true; value: unknown; complete: boolean; repaired: boolean }
  | (ParsedAnswer<never> & { ok: false });

const MOST_STARTS = 50;

/** Two different values are an error, because one of them may be an example. */
function embeddedJson(text: string, accepted: ReadonlySet<string>, keepsWhole: boolean): FoundJson {
  const opening = new RegExp(`[${accepted.has('object') ? '{' : ''}${accepted.has('array') ? '\\[' : ''}]`, 'g');
  if (!accepted.has('object') && !accepted.has('array')) return notJson;
  const found: { value: unknown; complete: boolean }[] = [];
  for (let starts = 0; starts < MOST_STARTS; starts += 1) {
    const start = opening.exec(text)?.index;
    if (start === undefined) break;
    const read = readTolerantJson(text, start, keepsWhole);
    if (read.ok) {
      // A list of bare words such as "[here]" is prose and not JSON.
      const prose = !read.begun && Array.isArray(read.value) && read.value.length > 0;
      if (!prose) found.push(read);
      opening.lastIndex = read.end;
    } else if (read.reason === 'truncated') {
      return truncated;
    } else if (read.begun || read.reason === 'too_deep') {
      return notJson;
    }
  }
  const [first] = found;
  if (first === undefined) return notJson;
  const same = JSON.stringify(first.value);
  if (found.some(({ value }) => JSON.stringify(value) !== same)) {
    return problem('several_answers', 'The answer has several JSON values. Give exactly one.');
  }
  return { ok: true, value: first.value, complete: found.every(({ complete }) => complete), repaired: true };
}

function validated<Schema extends z.ZodType>(
  value: unknown,
  schema: Schema,
  repaired: boolean,
): ParsedAnswer<z.output<Schema>> {
  let unwrapped: unknown;
  try {
    unwrapped = unwrapJson(value, jsonSchemaOf(schema));
  } catch (error) {
    if (error instanceof UnusableJson) return problem('wrong_shape', error.message);
    throw error;
  }
  const result = schema.safeParse(unwrapped);
  if (result.success) return { ok: true, data: result.data, repaired };
  // If the schema allows both text and structure, the original text may be the value that fits.
  const plain = schema.safeParse(value);
  if (plain.success) return { ok: true, data: plain.data, repaired };
  const issues = result.error.issues.slice(0, 10);
  const lines = issues.map(({ path, message }) =>
    `- ${path.map(String).join('.') || 'the whole answer'}: ${message}`.slice(0, 300),
  );
  return {
    ok: false,
    problem: 'wrong_shape',
    message: `The answer does not fit the schema:\n${lines.join('\n')}`,
    issues: issues.map(({ path, code }) => ({ path: path.map(String).join('.').slice(0, 200), code })),
  };
}

/** Removes the reasoning that open models write before the answer, because it may contain drafts. */
function withoutThoughts(text: string): string {
  const opened = /^\s*<(think|thinking|reasoning)>/.exec(text);
  if (opened === null) return text;
  const close = `</${opened[1]}>`;
  const end = text.indexOf(close);
  return end < 0 ? '' : text.slice(end + close.length);
}

function problem(kind: AnswerProblem, message: string): ParsedAnswer<never> & { ok: false } {
  return { ok: false, problem: kind, message, issues: [] };
}

const notJson: FoundJson & { ok: false } = problem('not_json', 'The answer is not JSON.');
const truncated: FoundJson & { ok: false } = problem('truncated', 'The answer ends before it is complete. Be briefer.');
const refused: FoundJson & { ok: false } = problem('refused', 'The model refuses to answer.');
