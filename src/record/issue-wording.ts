import type { z } from 'zod';

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

/**
 * Says what is wrong with a value and what is right, for the kinds of issues whose text in zod names neither. A message that a schema gives
 * itself has precedence over this wording, and undefined leaves zod's text.
 */
export function issueWording(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  const isMissing = input === undefined;
  switch (issue.code) {
    case 'invalid_type': {
      const right = `expected ${KINDS[issue.expected] ?? issue.expected}`;
      return isMissing ? `is missing (${right})` : `${right}, got ${typeof input === 'number' ? input : kindOf(input)}`;
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
      return `has unknown fields: ${issue.keys.map((key) => JSON.stringify(key.slice(0, 100))).join(', ')}`;
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

/** A number or a short text itself, for example the misspelt name of a choice; otherwise the kind of the value. */
function shortOf(input: unknown): string {
  if (typeof input === 'string' && input.length <= 40) return JSON.stringify(input);
  return typeof input === 'number' ? String(input) : kindOf(input);
}

function kindOf(input: unknown): string {
  if (input === null || typeof input === 'boolean') return String(input);
  if (Array.isArray(input)) return 'a list';
  if (input instanceof Date) return 'a Date';
  return KINDS[typeof input] ?? `a ${typeof input}`;
}
