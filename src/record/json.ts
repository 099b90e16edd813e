import { invalidInput, type VarveError } from '../errors.ts';

// No record needs to be this deep. Checking and storing are recursive, so deeper values could overflow the stack.
const DEEPEST = 100;

/** Parses JSON. Throws `invalid_input` if the text is not JSON or is nested too deeply. */
export function parseJson(text: string, what: string): unknown {
  assertDepth(text, what);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidInput(`${what} is not valid JSON.`, { cause: (error as Error).name });
  }
}

/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Throws `invalid_input` if a JSON text is nested too deeply. */
export function assertDepth(text: string, what: string): void {
  if (isTooDeep(text)) throw tooDeep(what);
}

/** Creates the error for a value that is nested too deeply. */
export function tooDeep(what: string): VarveError {
  return invalidInput(`${what} is nested deeper than ${DEEPEST} levels, which is the limit.`);
}

/** Checks whether a parsed value is nested too deeply. Goes level by level, because recursion could overflow the stack. */
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

/** Measures the depth in the text itself, because parsing a million levels would take a second. */
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
