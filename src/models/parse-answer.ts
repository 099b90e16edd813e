import type { z } from 'zod';
import { acceptedKinds, jsonSchemaOf } from './json-schema.ts';
import { readTolerantJson } from './tolerant-json.ts';
import { unwrapJson, UnusableJson } from './unwrap-json.ts';

/** Why an answer is of no use. */
export type AnswerProblem =
  | 'empty'
  | 'refused'
  | 'too_long'
  | 'truncated'
  | 'not_json'
  | 'several_answers'
  | 'wrong_shape';

/** An answer that was read, or what is wrong with it. `message` tells a model how to do better, without quoting its answer. */
export type ParsedAnswer<Data> =
  | { ok: true; data: Data; repaired: boolean }
  | { ok: false; problem: AnswerProblem; message: string; issues: { path: string; code: string }[] };

export interface AnswerText {
  text: string;
  /** As the provider says: stop, length, content-filter, … */
  finishReason: string;
}

export interface AnswerLimits {
  /** The longest answer that is read at all. Default 1,000,000 characters. */
  longestAnswer?: number;
}

/** Reads a model's answer as the schema asks: strictly if it can, repaired if it must, never by leaving something out. */
export function parseAnswer<Schema extends z.ZodType>(
  answer: AnswerText,
  schema: Schema,
  { longestAnswer = 1_000_000 }: AnswerLimits = {},
): ParsedAnswer<z.output<Schema>> {
  if (answer.finishReason === 'content-filter') return refused;
  if (answer.text.length > longestAnswer)
    return problem('too_long', `The answer has more than ${longestAnswer} characters.`);
  const text = withoutThoughts(answer.text.replace(/^\uFEFF+/, '')).trim();
  if (text === '') return problem('empty', 'The answer is empty.');
  const found = strictJson(text) ?? embeddedJson(text, acceptedKinds(jsonSchemaOf(schema), jsonSchemaOf(schema)));
  if (!found.ok) return found;
  if (!found.complete && answer.finishReason !== 'stop') return truncated;
  return validated(found.value, schema, found.repaired);
}

type FoundJson =
  | { ok: true; value: unknown; complete: boolean; repaired: boolean }
  | (ParsedAnswer<never> & { ok: false });

function strictJson(text: string): FoundJson | null {
  try {
    return { ok: true, value: JSON.parse(text) as unknown, complete: true, repaired: false };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const MOST_STARTS = 50;

/** The one piece of JSON in a text. Two different ones are an error: the second may be the answer, or an example. */
function embeddedJson(text: string, accepted: ReadonlySet<string>): FoundJson {
  const opening = new RegExp(`[${accepted.has('object') ? '{' : ''}${accepted.has('array') ? '\\[' : ''}]`, 'g');
  if (!accepted.has('object') && !accepted.has('array')) return notJson;
  const found: { value: unknown; complete: boolean }[] = [];
  for (let starts = 0; starts < MOST_STARTS; starts += 1) {
    const start = opening.exec(text)?.index;
    if (start === undefined) break;
    const read = readTolerantJson(text, start);
    if (read.ok) {
      // "[here]" is prose.
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
  // Where text and structure are both allowed, the text that was written may be the one that fits.
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

/** Open models write their thoughts, drafts included, in front of the answer. */
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
