/** What a tolerant reading came to. */
export type TolerantResult =
  /** `complete` is false when only closing brackets were missing at the end of the text. */
  | { ok: true; value: unknown; end: number; complete: boolean }
  /** `begun` says whether part of it was data: then what follows may be the rest of it, not another answer. */
  | { ok: false; reason: 'truncated' | 'unreadable' | 'too_deep'; begun: boolean; end: number };

/** How deep an answer may nest. Nothing that we ask for comes near it, and every later walk stays within the stack. */
export const DEEPEST = 64;

const CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”“"',
  '”': '”"',
  '„': '“”"',
  '‘': '’‘\'',
  '’': '’\'',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '/': '/', '\\': '\\', '\n': '' };
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
const BLANK = /[\s\uFEFF\u200B]*/y;
const NUMBER = /[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const AFTER_VALUE = /[\s\uFEFF\u200B]*(?:[,}\]/#]|$)/y;
const NEXT_KEY = /[\s\uFEFF\u200B]*,[\s\uFEFF\u200B]*(?:["'`“”„‘’}/#]|$|[A-Za-z_$][\w$-]*\s*:)/y;
const NEXT_ITEM = /[\s\uFEFF\u200B]*,[\s\uFEFF\u200B]*(?:["'`“”„‘’{[\]/#\d+.-]|$|(?:true|false|null|True|False|None|NaN)\b)/y;
const END_OF_STRUCTURE = /[\s\uFEFF\u200B]*(?:[}\]/#]|$)/y;
const QUOTE_ON_NEXT_LINE = /[^\S\n]*\n[\s\uFEFF\u200B]*["'`“”„‘’{[]/y;
const QUOTE_ON_SAME_LINE = /[^\S\n]*["'`“”„‘’]/y;

class Unreadable {
  readonly reason: 'truncated' | 'unreadable' | 'too_deep';
  constructor(reason: 'truncated' | 'unreadable' | 'too_deep') {
    this.reason = reason;
  }
}

/**
 * Reads JSON as models write it when they do not write JSON: comments, trailing and missing commas, single, smart
 * and unescaped quotes, bare keys, Python's literals, NaN. In one pass, and never by leaving something out:
 * what could hide lost items (an ellipsis, text that ends inside a value) is an error.
 */
export function readTolerantJson(text: string, start = 0): TolerantResult {
  let position = start;
  let begun = false;
  let complete = true;
  /** Whether the text may end here without cutting a value short. */
  let clean = false;

  const fail = (reason: Unreadable['reason'] = 'unreadable'): never => {
    throw new Unreadable(position >= text.length && reason === 'unreadable' ? 'truncated' : reason);
  };

  const match = (pattern: RegExp, at = position): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };

  const skipBlank = (): void => {
    for (;;) {
      position += match(BLANK)?.length ?? 0;
      const two = text.slice(position, position + 2);
      if (two !== '//' && two !== '/*' && two[0] !== '#') return;
      const close = two === '/*' ? '*/' : '\n';
      const found = text.indexOf(close, position + 2);
      if (found < 0 && close === '*/') {
        position = text.length;
        fail();
      }
      const end = found < 0 ? text.length : found + close.length;
      // "// … 12 more": items were left out.
      if (/\.\.\.|…/.test(text.slice(position, end))) fail();
      position = end;
    }
  };

  const readString = (place: 'key' | 'member' | 'item'): string => {
    const closers = CLOSERS[text[position] as string] as string;
    position += 1;
    let value = '';
    let from = position;
    for (; position < text.length; position += 1) {
      const character = text[position] as string;
      if (character === '\\') {
        value += text.slice(from, position) + readEscape();
        from = position + 1;
      } else if (closers.includes(character) && closesHere(place)) {
        value += text.slice(from, position);
        position += 1;
        clean = true;
        return value;
      }
    }
    return fail('truncated');
  };

  const readEscape = (): string => {
    position += 1;
    const character = text[position] ?? fail('truncated');
    if (character === 'u' || character === 'x') {
      const digits = text.slice(position + 1, position + (character === 'u' ? 5 : 3));
      if (!/^(?:[\da-fA-F]{4}|[\da-fA-F]{2})$/.test(digits)) return `\\${character}`;
      position += digits.length;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (character in CLOSERS) return character;
    // An escape that JSON does not know was meant as a backslash: C:\Users.
    return ESCAPES[character] ?? `\\${character}`;
  };

  /** Whether the quote at the position ends its text, or was meant to be part of it. */
  const closesHere = (place: 'key' | 'member' | 'item'): boolean => {
    const next = position + 1;
    if (place === 'key') return true;
    if (match(END_OF_STRUCTURE, next) !== null) return true;
    if (match(place === 'member' ? NEXT_KEY : NEXT_ITEM, next) !== null) return true;
    if (match(QUOTE_ON_NEXT_LINE, next) !== null) return true;
    // "a" "b": two texts, or one with quotes in it. Nobody can say.
    if (match(QUOTE_ON_SAME_LINE, next) !== null) fail();
    return false;
  };

  const readNumber = (): number | null => {
    const word = match(NUMBER);
    if (word === null) {
      if (/^[-+]Infinity\b/.test(text.slice(position, position + 10))) {
        position += 9;
        return null;
      }
      return fail();
    }
    position += word.length;
    // 2026-11-15 or 1.000,00 or 12 apples are no numbers.
    if (match(AFTER_VALUE) === null) fail();
    clean = position < text.length;
    const value = Number(word);
    return Number.isFinite(value) ? value : null;
  };

  const readWord = (): unknown => {
    const word = match(WORD) ?? fail();
    position += word.length;
    if (match(AFTER_VALUE) === null && match(QUOTE_ON_NEXT_LINE) === null) fail();
    clean = LITERALS.has(word) || position < text.length;
    return LITERALS.has(word) ? LITERALS.get(word) : word;
  };

  const readValue = (depth: number, place: 'member' | 'item'): unknown => {
    if (depth > DEEPEST) fail('too_deep');
    skipBlank();
    const character = text[position] ?? fail('truncated');
    clean = false;
    if (character === '{') return readObject(depth);
    if (character === '[') return readArray(depth);
    if (character in CLOSERS) return readString(place);
    return /[-+.\d]/.test(character) ? readNumber() : readWord();
  };

  /** True at the end of the structure; false when another member follows. */
  const ended = (close: string): boolean => {
    skipBlank();
    while (text[position] === ',') {
      position += 1;
      clean = false;
      skipBlank();
    }
    if (position >= text.length) {
      if (!clean) fail('truncated');
      complete = false;
      return true;
    }
    if (text[position] !== close) return false;
    position += 1;
    clean = true;
    return true;
  };

  const readObject = (depth: number): Record<string, unknown> => {
    const object: Record<string, unknown> = {};
    position += 1;
    while (!ended('}')) {
      const character = text[position] as string;
      const key = character in CLOSERS ? readString('key') : readBareKey();
      clean = false;
      skipBlank();
      if (text[position] !== ':') fail();
      position += 1;
      // Not by assignment: that would make __proto__ the object's prototype.
      Object.defineProperty(object, key, {
        value: readValue(depth + 1, 'member'),
        writable: true,
        enumerable: true,
        configurable: true,
      });
      begun = true;
    }
    return object;
  };

  const readBareKey = (): string => {
    const key = match(WORD) ?? fail();
    position += key.length;
    return key;
  };

  const readArray = (depth: number): unknown[] => {
    const array: unknown[] = [];
    position += 1;
    while (!ended(']')) {
      const bare = /[A-Za-z_$]/.test(text[position] as string);
      array.push(readValue(depth + 1, 'item'));
      begun ||= !bare;
    }
    return array;
  };

  try {
    const value = readValue(0, 'item');
    return { ok: true, value, end: position, complete };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { ok: false, reason: thrown.reason, begun, end: position };
  }
}
