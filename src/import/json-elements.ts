import { invalidInput, VarveError } from '../errors.ts';
import { assertDepth } from '../record/json.ts';
import { LIST_FIELDS } from './import-formats.ts';
import type { SourceFile } from './import-source.ts';

/** A value in a file. `list` is the name of its list, if the file is an object of lists. */
export interface Element {
  list: string | null;
  /** Texts and numbers beside the list: `{ "user_id": "ana", "messages": [ … ] }`. They must come before it. */
  fields: Readonly<Record<string, unknown>>;
  value: unknown;
}

const PREFIX = 64 * 1024;
const MOST_PER_ELEMENT = 256 * 1024 * 1024;

export async function* elementsIn(files: readonly SourceFile[]): AsyncGenerator<Element> {
  for (const file of files) yield* elementsOf(file);
}

/** Errors name the file, because a folder may have many. */
export async function* elementsOf(file: SourceFile): AsyncGenerator<Element> {
  try {
    yield* jsonElements(file.open());
  } catch (error) {
    throw VarveError.isInstance(error, 'invalid_input') ? invalidInput(`In ${file.name}: ${error.message}`) : error;
  }
}

/** Reads an array, an object of arrays, NDJSON, or concatenated values. Holds one value at a time, so the file may exceed memory. */
export async function* jsonElements(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Element> {
  const decoder = new TextDecoder();
  let prefix = '';
  let scan: Scan | null = null;
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (scan !== null) yield* scan.take(text);
    else if ((prefix += text).length >= PREFIX) yield* (scan = new Scan(holderOf(prefix))).take(prefix);
  }
  scan ??= new Scan(holderOf(prefix));
  const rest = decoder.decode();
  // The line break ends the last value if the file does not end with one.
  yield* scan.take(`${prefix.length >= PREFIX ? '' : prefix}${rest}\n`);
  yield* scan.take(END);
}

const END = '\0';

/** The nesting depth of the values: 0 on the top level, 1 in an array, 2 in an object of arrays. */
type Holder = 0 | 1 | 2;

function holderOf(prefix: string): Holder {
  const start = prefix.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('[')) return 1;
  let depth = 0;
  let holder: Holder = 0;
  for (const { 0: token, index } of start.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:\s*\[)?|[{}[\]]/g)) {
    if (token.startsWith('"')) {
      const key = /^"([^"]*)"\s*:\s*\[$/.exec(token)?.[1];
      if (depth === 1 && key !== undefined && LIST_FIELDS.has(key)) holder = 2;
      if (token.endsWith('[')) depth += 1;
    } else depth += '{['.includes(token) ? 1 : -1;
    // The first object has ended. If another one follows, each object is a value, such as a conversation with its messages.
    if (depth === 0) return start.slice(index + 1).trim() === '' ? holder : 0;
  }
  return holder;
}

/** An incremental parser: takes chunks of text and returns the values that end in them. */
class Scan {
  readonly #base: Holder;
  readonly #fields: Record<string, unknown> = {};
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Only for an object of lists: whether the parser is within one of the lists. */
  #inList: boolean;
  #list: string | null = null;
  #value = '';
  #text = '';
  #from = 0;
  #found: Element[] = [];

  constructor(base: Holder) {
    this.#base = base;
    this.#inList = base !== 2;
  }

  take(text: string): Element[] {
    if (text === END) {
      if (this.#depth > 0 || this.#inString)
        throw invalidInput('The file ends in the middle of a value: it is incomplete.');
      return [];
    }
    this.#text = text;
    this.#from = 0;
    this.#found = [];
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] as string;
      if (this.#inString) this.#inText(character);
      else if (character === '"') this.#inString = true;
      else if (character === '{' || character === '[') this.#open(character, at);
      else if (character === '}' || character === ']') this.#close(at);
      else this.#between(character, at);
    }
    this.#value += text.slice(this.#from);
    if (this.#value.length > MOST_PER_ELEMENT)
      throw invalidInput('A value of the file is larger than 256 MiB: split the file.');
    return this.#found;
  }

  #inText(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
  }

  #open(character: string, at: number): void {
    if (this.#depth < this.#base) {
      if (this.#base === 2 && this.#depth === 1) {
        this.#inList = character === '[';
        this.#list = this.#inList ? (/"([^"]*)"\s*:\s*$/.exec(this.#read(at))?.[1] ?? '') : null;
      }
      this.#goOnAfter(at);
    }
    this.#depth += 1;
  }

  #close(at: number): void {
    this.#depth -= 1;
    if (this.#depth === this.#base) this.#end(at + 1);
    else if (this.#depth < this.#base) {
      this.#end(at);
      this.#goOnAfter(at);
      if (this.#base === 2) this.#inList = false;
    }
  }

  #between(character: string, at: number): void {
    if (this.#depth === this.#base) {
      if (character === ',' || (character === '\n' && this.#base === 0)) {
        this.#end(at);
        this.#goOnAfter(at);
      } else if (this.#from === at && this.#value === '' && ' \n\r\t'.includes(character)) this.#from = at + 1;
    } else if (this.#depth < this.#base && character === ',') {
      if (this.#base === 2) noteField(this.#fields, this.#read(at));
      this.#goOnAfter(at);
    }
  }

  #read(to: number): string {
    return this.#value + this.#text.slice(this.#from, to);
  }

  #goOnAfter(at: number): void {
    this.#value = '';
    this.#from = at + 1;
  }

  #end(to: number): void {
    const whole = this.#read(to).trim();
    this.#goOnAfter(to - 1);
    if (whole !== '' && this.#inList) {
      this.#found.push({ list: this.#list, fields: this.#fields, value: parsed(whole) });
    }
  }
}

const LONGEST_FIELD = 2000;

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
    throw invalidInput(`The file is not valid JSON: ${(error as Error).message.slice(0, 100)}.`);
  }
}
