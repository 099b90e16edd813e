import { z } from 'zod';
import { didYouMean, invalidInput } from '../errors.ts';

export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.output<Schema> {
  const result = check(schema, input, what);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap(withinUnion).slice(0, 8).map(sentenceOf);
  throw invalidInput(`${what} cannot be used. ${problems.join(' ')}`, {
    problems: result.error.issues.slice(0, 8).map((issue) => ({ path: issue.path.map(String), code: issue.code })),
  });
}

/** If the input has the type of only one alternative of a union, the caller meant that one: its issues replace the union's. */
function withinUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  if (meant.length !== 1) return [issue];
  return meant.flat().map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function sentenceOf({ path, message }: z.core.$ZodIssue): string {
  const field = path.map(String).join('.');
  const said =
    field === ''
      ? message.replace(/^(?=(?:is|has)\b)/, 'It ').replace(/^./, (first) => first.toUpperCase())
      : `${field}: ${message}`;
  return /[.?!]$/.test(said) ? said : `${said}.`;
}

/** Names of the same thing in other interfaces, so that an error names the field that is meant and not one that is spelled alike. */
const SAME_FIELD: readonly (readonly string[])[] = [
  ['content', 'text', 'message', 'body'],
  ['speaker', 'name'],
];

/** Says where misplaced fields belong, or what misspelt ones resemble, and which fields exist. */
function unknownFields(keys: readonly string[], fields: object): string {
  const shapeOf = (type: unknown): object => {
    const inner = type instanceof z.ZodOptional || type instanceof z.ZodDefault ? type.unwrap() : type;
    return inner instanceof z.ZodObject ? inner.shape : {};
  };
  const known = Object.keys(fields);
  const hints = keys.slice(0, 5).map((key) => {
    const places = Object.entries(fields).filter(([, type]) => Object.hasOwn(shapeOf(type), key));
    const belongs = places.map(([field]) => `${field}.${key}`).join(', ');
    const meant = SAME_FIELD.find((names) => names.includes(key))?.find((name) => known.includes(name));
    if (meant !== undefined) return ` Give ${JSON.stringify(key)} as ${meant}.`;
    return belongs === '' ? didYouMean(key, known) : ` It belongs in ${belongs}.`;
  });
  const names = keys.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 100)));
  const exist = known.length === 0 ? '' : ` The fields are ${known.join(', ')}.`;
  return `has unknown fields: ${names.join(', ')}.${hints.join('')}${exist}`;
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  what: string,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(input, { error: issueWording });
  } catch (error) {
    // Validation is recursive, so thousands of nested levels overflow the stack.
    if (error instanceof RangeError) throw invalidInput(`${what} is nested too deeply.`);
    throw error;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  date: 'a Date',
};

/** Returns undefined for the issues that zod words well itself. A schema's own message has precedence. */
function issueWording(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  const isMissing = input === undefined;
  switch (issue.code) {
    case 'invalid_type': {
      const right = `expected ${KINDS[issue.expected] ?? issue.expected}`;
      return isMissing
        ? `is missing (${right})`
        : `${right}, got ${right.endsWith('number') ? shortOf(input) : kindOf(input)}`;
    }
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value)).join(' or ');
      return isMissing ? `is missing (expected ${values})` : `expected ${values}, got ${shortOf(input)}`;
    }
    case 'too_big':
      return sized(input, `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`);
    case 'too_small':
      return sized(input, `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`);
    case 'invalid_union':
      return isMissing ? 'is missing' : 'has none of the accepted forms';
    case 'unrecognized_keys':
      return unknownFields(issue.keys, issue.inst instanceof z.ZodObject ? issue.inst.shape : {});
    case 'invalid_format':
      return issue.pattern === undefined ? `is no valid ${issue.format}` : `does not match ${issue.pattern}`;
    default:
      return undefined;
  }
}

function sized(input: unknown, right: string): string {
  if (typeof input === 'string') return `has ${input.length} characters, expected ${right}`;
  if (Array.isArray(input)) return `has ${input.length} items, expected ${right}`;
  return `expected ${right}, got ${shortOf(input)}`;
}

function shortOf(input: unknown): string {
  if (typeof input === 'string' && input.length <= 40) return JSON.stringify(input);
  return kindOf(input);
}

function kindOf(input: unknown): string {
  if (input === null || typeof input === 'boolean') return String(input);
  if (Array.isArray(input)) return 'a list';
  if (input instanceof Date) return 'a Date';
  return typeof input === 'number' ? String(input) : (KINDS[typeof input] ?? `a ${typeof input}`);
}

/** A point in time: a Date, an ISO 8601 text, or milliseconds since 1970. A number of seconds is refused. */
export type TimeInput = Date | string | number;

export type Parsed<Input> = {
  [Key in keyof Input]: Extract<Input[Key], Date> extends never ? Input[Key] : Exclude<Input[Key], string | number>;
};

// As milliseconds, these are days in January and February of 1970; as seconds, the years 2001 to 2096.
const isInSeconds = (value: unknown): value is number => typeof value === 'number' && value >= 1e9 && value < 4e9;

export const timeSchema: z.ZodType<Date, TimeInput> = z
  .union([z.date(), z.number(), z.string()], { error: 'expected a Date, an ISO 8601 text or milliseconds since 1970' })
  .transform((value, context) => {
    if (isInSeconds(value)) {
      const message = `expected milliseconds since 1970, got ${value}, which looks like seconds: multiply it by 1000`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
    const time = new Date(value);
    // JavaScript engines parse other text ("5", "tomorrow") in surprising ways.
    const isoLike = typeof value !== 'string' || /^[+-]?\d{4,6}-\d{2}(-\d{2})?/.test(value);
    if (isoLike && !Number.isNaN(time.getTime())) return withOffset(time, value);
    context.addIssue({ code: 'custom', message: `expected a date such as 2026-11-15T09:30:00Z, got ${shown(value)}` });
    return z.NEVER;
  });

// The UTC offsets of parsed texts, which a Date cannot store. They are kept beside the Dates, because a time passes through several schemas
// on its way to the log. Offsets of zero are not kept: most programs that write "+00:00" have converted the time to UTC.
const offsets = new WeakMap<Date, string>();

function withOffset(time: Date, given: TimeInput): Date {
  const [, hours, minutes] = /([+-]\d{2}):?(\d{2})$/.exec(String(given)) ?? [];
  const isText = typeof given === 'string' && hours !== undefined && !(Number(hours) === 0 && minutes === '00');
  const offset = isText ? `${hours}:${minutes}` : given instanceof Date ? offsets.get(given) : undefined;
  if (offset !== undefined) offsets.set(time, offset);
  return time;
}

/** The UTC offset in the text that a time was parsed from, such as "-06:00". */
export function offsetOf(time: Date): string | undefined {
  return offsets.get(time);
}

function shown(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 40));
}

export function textSchema(maximum: number): z.ZodString {
  // A schema for each check, and formatting the limit before an error, would delay a short command by 20 ms.
  return z.string().check(
    z.maxLength(maximum, { error: () => `is longer than ${maximum.toLocaleString('en')} characters` }),
    z.refine((text: string) => /\S/u.test(text), 'is empty: some text is expected'),
    z.refine((text: string) => !text.includes('\0'), 'contains a NUL character'),
    // PostgreSQL refuses an unpaired surrogate (half an emoji), so both databases store the replacement character instead.
    z.overwrite((text: string) => text.toWellFormed()),
  );
}

/** The maximum number of items in a returned list. */
export const limitSchema: z.ZodInt = z.int().min(1).max(10_000);

export const shareSchema: z.ZodNumber = z
  .number('expected a number from 0 to 1')
  .min(0, 'expected a number from 0 to 1')
  .max(1, 'expected a number from 0 to 1');

// An escape begins after an even number of backslashes, because each pair stands for one backslash: "C:\\udev" has none.
const REFUSED_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** PostgreSQL's jsonb refuses NUL and unpaired surrogates, which JSON.stringify writes as escapes. */
export const storable: z.core.$ZodCheck<unknown> = z.refine(
  (value) => !REFUSED_ESCAPE.test(JSON.stringify(value)),
  'contains a NUL character or an unpaired surrogate (half of an emoji)',
);

const METADATA_LIMIT = 64 * 1024;

/** A JSON object from the application. Varve reads nothing in it except an event's `timeZone`. */
export const metadataSchema: z.ZodType<Record<string, unknown>, Record<string, unknown>> = z
  .record(z.string().min(1).max(200), z.json(), { error: 'expected a JSON object' })
  .refine((value) => JSON.stringify(value).length <= METADATA_LIMIT, 'is larger than 64 KiB of JSON')
  .check(storable);

const tagSchema: z.ZodType<string, string> = textSchema(100).transform((tag) => tag.trim().toLowerCase());

export const tagsSchema: z.ZodType<string[], string[]> = z
  .array(tagSchema)
  .max(50, 'has more than 50 tags')
  .transform((tags) => [...new Set(tags)]);

export const timeZoneSchema: z.ZodString = z
  .string()
  .max(100)
  .refine(isTimeZone, 'is not a time zone such as Europe/Paris');

/** Machines have different lists of zones, and one owner's unknown zone must not stop the work on all owners. */
export function knownTimeZone(stored: unknown, otherwise: string): string {
  const zone = timeZoneSchema.safeParse(stored);
  return zone.success ? zone.data : otherwise;
}

// Creating a formatter takes some tenths of a millisecond, and every due time of a schedule checks its zone.
const zones = new Set<string>();
const MOST_ZONES = 1_000;

function isTimeZone(name: string): boolean {
  if (zones.has(name)) return true;
  try {
    const isZone = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
    if (isZone && zones.size < MOST_ZONES) zones.add(name);
    return isZone;
  } catch {
    return false;
  }
}

export function countWords(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}

export function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
