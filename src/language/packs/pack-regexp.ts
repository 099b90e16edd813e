import type { Pack } from './pack.ts';

const LETTERS = 'a-zA-ZÀ-ÖØ-öø-ɏḀ-ỿ';

const KANA_AND_HAN = 'ぁ-ゖァ-ヺー々㐀-鿿';

const CLASSES: Readonly<Record<string, string>> = {
  L: LETTERS + KANA_AND_HAN,
  N: '0-9０-９',
  'Script=Han': '㐀-鿿々',
  'Script=Hiragana': 'ぁ-ゖ',
  'Script=Katakana': 'ァ-ヺー',
  'Script=Latin': LETTERS,
};

/** Replaces classes such as `\\p{L}` by ranges: a class takes a millisecond or more to compile, ranges a few hundredths of one. */
export function packRegExp(source: string, flags = 'iu'): RegExp {
  const key = `${flags}/${source}`;
  let pattern = compiled.get(key);
  if (pattern === undefined) {
    let isInClass = false;
    const plain = source.replace(/\\p\{([^}]+)\}|\\.|[[\]]/gu, (found, name: string | undefined) => {
      const ranges = name === undefined ? undefined : CLASSES[name];
      if (ranges !== undefined) return isInClass ? ranges : `[${ranges}]`;
      if (found === '[' || found === ']') isInClass = found === '[';
      return found;
    });
    const places = /(?<!\\)\((?!\?)|\(\?<[a-z]/.test(plain) ? 'd' : '';
    // Patterns with the flag `u` take V8 three times as long to compile.
    const kept = /\\[pu]\{/.test(plain) ? flags : flags.replace('u', '');
    pattern = flags.includes('i') ? new LowerCaseRegExp(plain, kept.replace('i', places)) : new RegExp(plain, kept);
    compiled.set(key, pattern);
  }
  return pattern;
}

const compiled = new Map<string, RegExp>();

let lastText = '';

let lastLower = '';

/** Keeps every offset, unlike `toLowerCase`, which turns "İ" into two characters. */
export function lowerCase(text: string): string {
  if (text === lastText) return lastLower;
  const lower = text.toLowerCase();
  lastText = text;
  lastLower =
    lower.length === text.length
      ? lower
      : text.replace(/\p{Lu}/gu, (letter) => {
          const small = letter.toLowerCase();
          return small.length === letter.length ? small : letter;
        });
  return lastLower;
}

/** Matches lower-cased text and returns the words as written. The flag `i` makes V8 several times slower. */
class LowerCaseRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    const match = super.exec(lowerCase(text));
    if (match === null) return null;
    match[0] = text.slice(match.index, match.index + match[0].length);
    match.indices?.forEach((place, index) => {
      if (place !== undefined) match[index] = text.slice(...place);
    });
    for (const [name, place] of Object.entries(match.indices?.groups ?? {}))
      if (match.groups !== undefined && place !== undefined) match.groups[name] = text.slice(...place);
    return match;
  }
}

/** Matches whole words, except in scripts without spaces. */
export function wordsPattern(alternatives: string, script: Pack['script'] = 'latin', flags = 'iu'): RegExp {
  if (alternatives === '') return new RegExp('(?!)', flags);
  const source = script === 'han' ? `(?:${alternatives})` : `(?<![\\p{L}\\p{N}'])(?:${alternatives})(?![\\p{L}\\p{N}])`;
  return packRegExp(source, flags);
}
