import { invalidInput, VarveError } from '../errors.ts';
import { assertDepth } from '../operate/parse-json.ts';
import type { SourceFile } from './import-source.ts';

/** A value of a file, and the list that it was in, where the file holds an object of lists. */
export interface Element {
  /** The name of the list. */
  list: string | null;
  /** Texts and numbers that stand beside the lists and before this value: `{ "user_id": "ana", "messages": [ … ] }`. */
  fields: Readonly<Record<string, unknown>>;
  value: unknown;
}

// The names under which exports hold their lists.
const LISTS: ReadonlySet<string> = new Set(
  (
    'results memories points items data conversations messages memory_sessions memory_user memory_agent ' +
    'agents blocks core_memory passages edges nodes facts threads sessions documents'
  ).split(' '),
);
const PREFIX = 64 * 1024;
const MOST_PER_ELEMENT = 256 * 1024 * 1024;

/** The values of a file. What is wrong with it is said with its name: a folder has many. */
export async function* elementsOf(file: SourceFile): AsyncGenerator<Element> {
  try {
    yield* jsonElements(file.open());
  } catch (error) {
    throw VarveError.isInstance(error, 'invalid_input') ? invalidInput(`In ${file.name}: ${error.message}`) : error;
  }
}

/**
 * The values of a JSON file one after the other, whatever holds them: an array, an object of arrays, NDJSON, or values in
 * a row. Only one value is in memory at a time, so that a file may be larger than memory.
 */
export async function* jsonElements(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Element> {
  const decoder = new TextDecoder();
  let prefix = '';
  let scan: ((text: string) => Element[]) | null = null;
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (scan !== null) yield* scan(text);
    else if ((prefix += text).length >= PREFIX) yield* (scan = createScan(holderOf(prefix)))(prefix);
  }
  scan ??= createScan(holderOf(prefix));
  const rest = decoder.decode();
  // A line break ends the last value of a file without one.
  yield* scan(`${prefix.length >= PREFIX ? '' : prefix}${rest}\n`);
  yield* scan(END);
}

const END = '\0';

/** What holds the values: by how deep they lie. */
type Holder = 0 | 1 | 2;

/** An array, an object with one of the known lists, or nothing: a value a line. Looks at the beginning only. */
function holderOf(prefix: string): Holder {
  const start = prefix.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('[')) return 1;
  let depth = 0;
  let holder: Holder = 0;
  for (const { 0: token, index } of start.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:\s*\[)?|[{}[\]]/g)) {
    if (token.startsWith('"')) {
      const key = /^"([^"]*)"\s*:\s*\[$/.exec(token)?.[1];
      if (depth === 1 && key !== undefined && LISTS.has(key)) holder = 2;
      if (token.endsWith('[')) depth += 1;
    } else depth += '{['.includes(token) ? 1 : -1;
    // The first object ends: with another one after it, each of them is a value, such as a conversation with its messages.
    if (depth === 0) return start.slice(index + 1).trim() === '' ? holder : 0;
  }
  return holder;
}

const isSpace = (character: string): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';

/** A scanner that is fed with pieces of text and gives the values that have ended in them. */
function createScan(base: Holder): (text: string) => Element[] {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let value = '';
  let key = '';
  let list: string | null = null;
  const fields: Record<string, unknown> = {};
  // In an object of lists: whether we are in one of them, and not in another value.
  let inList = base !== 2;

  return (text) => {
    if (text === END) {
      if (depth > 0 || inString) throw invalidInput('The file ends in the middle of a value.');
      return [];
    }
    const found: Element[] = [];
    let from = 0;
    const end = (to: number): void => {
      const whole = (value + text.slice(from, to)).trim();
      value = '';
      from = to;
      if (whole !== '' && inList) found.push({ list, fields, value: parsed(whole) });
      else if (base === 2 && depth === 1) key = /"([^"]*)"\s*:\s*$/.exec(whole)?.[1] ?? key;
    };
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] as string;
      if (inString) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') inString = false;
        continue;
      }
      if (character === '"') inString = true;
      else if (character === '{' || character === '[') {
        if (depth < base) {
          // The holder itself: not a part of any value.
          if (base === 2 && depth === 1) {
            key = /"([^"]*)"\s*:\s*$/.exec(value + text.slice(from, at))?.[1] ?? '';
            inList = character === '[';
            list = inList ? key : null;
          }
          value = '';
          from = at + 1;
        }
        depth += 1;
      } else if (character === '}' || character === ']') {
        depth -= 1;
        if (depth === base) end(at + 1);
        else if (depth < base) {
          end(at);
          from = at + 1;
          if (base === 2) inList = false;
        }
      } else if (depth === base && (character === ',' || (character === '\n' && base === 0))) {
        end(at);
        from = at + 1;
      } else if (depth < base && character === ',') {
        if (base === 2) noteField(fields, value + text.slice(from, at));
        value = '';
        from = at + 1;
      } else if (depth === base && from === at && value === '' && isSpace(character)) from = at + 1;
    }
    value += text.slice(from);
    if (value.length > MOST_PER_ELEMENT) throw invalidInput('One value of the file is larger than 256 MiB.');
    return found;
  };
}

const LONGEST_FIELD = 2000;

/** Notes a text or a number that stands beside the lists: what a reader is given as `fields`. */
function noteField(fields: Record<string, unknown>, text: string): void {
  const [, key, value] =
    (text.length > LONGEST_FIELD ? null : /^\s*"([^"\\]+)"\s*:\s*(".*"|-?[\d.]+)\s*$/s.exec(text)) ?? [];
  if (key !== undefined && value !== undefined) fields[key] = parsed(value);
}

function parsed(text: string): unknown {
  assertDepth(text, 'A value of the file');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidInput(`The file is not JSON: ${(error as Error).message.slice(0, 100)}.`);
  }
}
