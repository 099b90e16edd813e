import { invalidInput, type VarveError } from '../errors.ts';

// Checking and storing are recursive, so deeper values could overflow the stack.
const DEEPEST = 100;

export function parseJson(text: string, what: string): unknown {
  assertDepth(text, what);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidInput(`${what} is not valid JSON.`, { cause: (error as Error).name });
  }
}

/** Returns undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function assertDepth(text: string, what: string): void {
  if (isTooDeep(text)) throw tooDeep(what);
}

export function tooDeep(what: string): VarveError {
  return invalidInput(`${what} is nested deeper than ${DEEPEST} levels, which is the limit.`);
}

/** Goes level by level, because recursion could overflow the stack. */
export function isNestedTooDeeply(value: unknown): boolean {
  let level = [value].filter(isNode);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNode));
  }
  return false;
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Scans the text, because parsing a million levels would take a second. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === BRACE || code === BRACKET) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (code === BRACE_END || code === BRACKET_END) depth -= 1;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
