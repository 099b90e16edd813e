type TolerantResult =
  /** `complete`: the value is closed. `begun`: the value has more than bare words. */
  | { ok: true; value: unknown; end: number; complete: boolean; begun: boolean }
  /** `begun`: part of the text was data, so that the text after it may be the rest of that data and not another answer. */
  | { ok: false; reason: Trouble; begun: boolean; end: number };

type Trouble = 'truncated' | 'unreadable' | 'too_deep';

/** No schema of Varve is nested this deeply, and recursive functions do not overflow the stack. */
export const DEEPEST = 64;

/**
 * Parses the almost-JSON that models sometimes write: comments, trailing and missing commas, single, smart and unescaped quotes, bare keys,
 * Python's literals, NaN. Takes one pass and never drops content: an ellipsis or a truncated value is an error. With `keepsWhole`,
 * truncated lists give their complete items.
 */
export function readTolerantJson(text: string, start = 0, keepsWhole = false): TolerantResult {
  const reader = new TolerantReader(text, start, keepsWhole);
  try {
    const value = reader.readValue(0, 'item');
    return { ok: true, value, end: reader.position, complete: reader.complete, begun: reader.begun };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { ok: false, reason: thrown.reason, begun: reader.begun, end: reader.position };
  }
}

class Unreadable {
  readonly reason: Trouble;
  constructor(reason: Trouble) {
    this.reason = reason;
  }
}

const CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“"',
  '”': '”"',
  '„': '“”"',
  '‘': "’‘'",
  '’': "’'",
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '/': '/',
  '\\': '\\',
  '\n': '',
};
const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
  ['undefined', null],
  ['NaN', null],
  ['Infinity', null],
]);
const S = String.raw`[\s\uFEFF\u200B]*`;
const QUOTES = '["\'`“”„‘’';
const BLANK = new RegExp(S, 'y');
const NUMBER = /[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y;
const INFINITE = /[-+]Infinity\b/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const AFTER_VALUE = new RegExp(String.raw`${S}(?:[,}\]/#]|$)`, 'y');
const NEXT_KEY = new RegExp(String.raw`${S},${S}(?:${QUOTES}}/#]|$|[A-Za-z_$][\w$-]*\s*:)`, 'y');
const NEXT_ITEM = new RegExp(
  String.raw`${S},${S}(?:${QUOTES}{[\]/#\d+.-]|$|(?:true|false|null|True|False|None|NaN)\b)`,
  'y',
);
const END_OF_STRUCTURE = new RegExp(String.raw`${S}(?:[}\]/#]|$)`, 'y');
const MORE_ON_NEXT_LINE = new RegExp(String.raw`[^\S\n]*\n${S}${QUOTES}{[]`, 'y');
const QUOTE_ON_SAME_LINE = new RegExp(String.raw`[^\S\n]*${QUOTES}]`, 'y');

type Place = 'key' | 'member' | 'item';

class TolerantReader {
  readonly #text: string;
  position: number;
  begun = false;
  complete = true;
  /** Whether the input could end here without cutting a value short. */
  #clean = false;

  readonly #keepsWhole: boolean;

  constructor(text: string, start: number, keepsWhole: boolean) {
    this.#text = text;
    this.position = start;
    this.#keepsWhole = keepsWhole;
  }

  readValue(depth: number, place: Place): unknown {
    if (depth > DEEPEST) this.#fail('too_deep');
    this.#skipBlank();
    const character = this.#text[this.position] ?? this.#fail('truncated');
    this.#clean = false;
    if (character === '{') return this.#readObject(depth);
    if (character === '[') return this.#readArray(depth);
    if (character in CLOSERS) return this.#readText(place);
    return /[-+.\d]/.test(character) ? this.#readNumber() : this.#readWord();
  }

  #readObject(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.position += 1;
    // Only the outermost object may be incomplete. A part of an item would be a different statement.
    this.#whileWhole(depth === 0, '}', () => {
      const key = (this.#text[this.position] as string) in CLOSERS ? this.#readText('key') : this.#take(WORD);
      this.#clean = false;
      this.#skipBlank();
      if (this.#text[this.position] !== ':') this.#fail();
      this.position += 1;
      const value = this.readValue(depth + 1, 'member');
      // An assignment would make `__proto__` the object's prototype.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      this.begun = true;
    });
    return object;
  }

  #readArray(depth: number): unknown[] {
    const array: unknown[] = [];
    this.position += 1;
    this.#whileWhole(true, ']', () => {
      const bare = /[A-Za-z_$]/.test(this.#text[this.position] as string);
      array.push(this.readValue(depth + 1, 'item'));
      this.begun ||= !bare;
    });
    return array;
  }

  /** Reads members until the structure ends. With `keepsWhole`, the end of the text ends it too, and a truncated member is left out. */
  #whileWhole(isPartOfUse: boolean, close: string, readMember: () => void): void {
    try {
      while (!this.#ended(close)) readMember();
    } catch (thrown) {
      const isCut = thrown instanceof Unreadable && thrown.reason === 'truncated';
      if (!isCut || !isPartOfUse || !this.#keepsWhole) throw thrown;
      this.position = this.#text.length;
      this.complete = false;
    }
  }

  #ended(close: string): boolean {
    this.#skipBlank();
    while (this.#text[this.position] === ',') {
      this.position += 1;
      this.#clean = false;
      this.#skipBlank();
    }
    if (this.position >= this.#text.length) {
      if (!this.#clean) this.#fail('truncated');
      this.complete = false;
      return true;
    }
    if (this.#text[this.position] !== close) return false;
    this.position += 1;
    this.#clean = true;
    return true;
  }

  #readText(place: Place): string {
    const closers = CLOSERS[this.#text[this.position] as string] as string;
    this.position += 1;
    let value = '';
    let from = this.position;
    for (; this.position < this.#text.length; this.position += 1) {
      const character = this.#text[this.position] as string;
      if (character === '\\') {
        value += this.#text.slice(from, this.position) + this.#readEscape();
        from = this.position + 1;
      } else if (closers.includes(character) && this.#closesHere(place)) {
        value += this.#text.slice(from, this.position);
        this.position += 1;
        this.#clean = true;
        return value;
      }
    }
    return this.#fail('truncated');
  }

  #readEscape(): string {
    this.position += 1;
    const character = this.#text[this.position] ?? this.#fail('truncated');
    if (character === 'u' || character === 'x') {
      const digits = this.#text.slice(this.position + 1, this.position + (character === 'u' ? 5 : 3));
      if (!/^(?:[\da-fA-F]{4}|[\da-fA-F]{2})$/.test(digits)) return `\\${character}`;
      this.position += digits.length;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (character in CLOSERS) return character;
    // In an unknown escape, the backslash is literal: C:\Users.
    return ESCAPES[character] ?? `\\${character}`;
  }

  #closesHere(place: Place): boolean {
    const next = this.position + 1;
    if (place === 'key' || this.#matches(END_OF_STRUCTURE, next)) return true;
    if (this.#matches(place === 'member' ? NEXT_KEY : NEXT_ITEM, next)) return true;
    if (this.#matches(MORE_ON_NEXT_LINE, next)) return true;
    // "a" "b" is ambiguous: two texts, or one text that contains quotes.
    if (this.#matches(QUOTE_ON_SAME_LINE, next)) this.#fail();
    return false;
  }

  #readNumber(): number | null {
    if (this.#matches(INFINITE, this.position)) {
      this.#take(INFINITE);
      return null;
    }
    const value = Number(this.#take(NUMBER));
    // 2026-11-15, 1.000,00 and 12 apples are not numbers.
    if (!this.#matches(AFTER_VALUE, this.position)) this.#fail();
    this.#clean = this.position < this.#text.length;
    return Number.isFinite(value) ? value : null;
  }

  #readWord(): unknown {
    const word = this.#take(WORD);
    if (!this.#matches(AFTER_VALUE, this.position) && !this.#matches(MORE_ON_NEXT_LINE, this.position)) this.#fail();
    this.#clean = LITERALS.has(word) || this.position < this.#text.length;
    return LITERALS.has(word) ? LITERALS.get(word) : word;
  }

  #skipBlank(): void {
    for (;;) {
      this.#take(BLANK);
      const two = this.#text.slice(this.position, this.position + 2);
      if (two !== '//' && two !== '/*' && two[0] !== '#') return;
      const close = two === '/*' ? '*/' : '\n';
      const found = this.#text.indexOf(close, this.position + 2);
      if (found < 0 && close === '*/') this.#fail('truncated');
      const end = found < 0 ? this.#text.length : found + close.length;
      // A comment such as "// … 12 more" means that items were left out.
      if (/\.\.\.|…/.test(this.#text.slice(this.position, end))) this.#fail();
      this.position = end;
    }
  }

  #matches(pattern: RegExp, at: number): boolean {
    pattern.lastIndex = at;
    return pattern.test(this.#text);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.#text)?.[0] ?? this.#fail();
    this.position += found.length;
    return found;
  }

  #fail(reason: Trouble = 'unreadable'): never {
    throw new Unreadable(this.position >= this.#text.length && reason === 'unreadable' ? 'truncated' : reason);
  }
}
