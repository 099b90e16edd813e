import { matchesOf } from '../../language/words.ts';

export interface GlossedText {
  text: string;
  /** The replacements, in order. The text between them is unchanged. */
  stretches: readonly Stretch[];
}

interface Stretch {
  start: number;
  end: number;
  source: { start: number; end: number };
}

export interface Lexicon {
  /** In lower case. A word is also a key without its accents ("comio" for "comió"), unless that is another word ("avó", "avô"). */
  readonly words: ReadonlyMap<string, string>;
  readonly inflections: readonly Inflection[];
  /** Letters at the start or in the middle of participles and infinitives: German "ge" and "zu". */
  readonly infixes: readonly string[];
  /** Letters that link the parts of compounds. Null if the language has no compounds. */
  readonly joints: readonly string[] | null;
  /** Whether some forms of a word double a letter and others do not: Dutch "lopen" and "loop". */
  readonly isDoubling: boolean;
  /** Whether all nouns are capitalised, so that a capital does not mark a name. */
  readonly hasCapitals: boolean;
  readonly hasSpaces: boolean;
  /** In words, or in characters in a language without spaces. */
  readonly longest: number;
}

interface Inflection {
  readonly stems: ReadonlyMap<string, string>;
  readonly endings: RegExp;
}

/**
 * Parses a lexicon. The first line has settings, such as "# de infinitive=e?n verbs=e|st|t stem=e words=e|en|er infixes=ge|zu joints=s|n".
 * A verb's stem is its entry without the ending `infinitive`, and its forms end in one of `verbs`. Any other word's stem is its entry
 * without the ending `stem`, and its forms end in one of `words`. Each further line has an entry, a tab and the English words. Of equal
 * entries, the first is used.
 */
export function readLexicon(source: string): Lexicon {
  const [head = '', ...lines] = source.split('\n');
  const setting = (name: string): string | null => new RegExp(` ${name}=(\\S*)`, 'u').exec(head)?.[1] ?? null;
  const listed = (name: string): string[] | null => setting(name)?.split('|') ?? null;
  const [hasSpaces, isDoubling] = [!head.includes(' nospaces'), head.includes(' doubled')];
  const words = new Map<string, string>();
  let longest = 1;
  for (const line of lines) {
    const [entry, english] = line.split('\t');
    if (entry === undefined || english === undefined) continue;
    const form = entry.toLowerCase().replace(/['’]$/u, '');
    if (!words.has(form)) words.set(form, english);
    longest = Math.max(longest, hasSpaces ? form.split(APART).length : form.length);
  }
  const written = [...words];
  for (const [form, english] of written) if (!words.has(folded(form))) words.set(folded(form), english);
  const inflectionOf = (end: string, endings: string): Inflection => {
    const stems = new Map<string, string>();
    const ending = new RegExp(`(?:${setting(end) ?? '(?!)'})$`, 'u');
    for (const [word, english] of words) {
      const form = folded(word);
      if (APART.test(form) || (end === 'infinitive' && !ending.test(form))) continue;
      const stem = plainStem(form.replace(ending, ''), isDoubling);
      if (stem.length >= SHORTEST_STEM && !stems.has(stem)) stems.set(stem, english);
    }
    return { stems, endings: new RegExp(`^(?:${setting(endings) ?? ''})?$`, 'u') };
  };
  return {
    words,
    inflections: hasSpaces ? [inflectionOf('stem', 'words'), inflectionOf('infinitive', 'verbs')] : [],
    infixes: listed('infixes') ?? [],
    joints: listed('joints'),
    isDoubling,
    hasCapitals: head.includes(' capitals'),
    hasSpaces,
    longest,
  };
}

function plainStem(stem: string, isDoubling: boolean): string {
  return isDoubling ? stem.replace(/(.)\1/gu, '$1') : stem;
}

const APART = /[ '’-]/u;
const SHORTEST_STEM = 3;
/** Longer words are not analysed, to limit the cost. */
const LONGEST_WORD = 40;
const WORD = /[\p{L}\p{M}]+/gu;

function folded(word: string): string {
  const lower = word.toLowerCase();
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/u.test(lower)) return lower;
  return lower.replaceAll('ß', 'ss').normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC');
}

// Does not include the voicing mark of Japanese が.
const LATIN_MARKS = /[\u0300-\u036f]/gu;

const MOST_READ = 65_536;

export function glossWith(lexicon: Lexicon, text: string): GlossedText {
  const read = text.slice(0, MOST_READ).normalize('NFC');
  const writer = new GlossWriter(read);
  if (lexicon.hasSpaces) glossWords(read, lexicon, writer);
  else glossCharacters(read, lexicon, writer);
  return writer.finish();
}

class GlossWriter {
  readonly #source: string;
  readonly #stretches: Stretch[] = [];
  #text = '';
  #read = 0;

  constructor(source: string) {
    this.#source = source;
  }

  replace(start: number, end: number, english: string): void {
    const before = this.#text + this.#source.slice(this.#read, start);
    this.#text = before + english;
    this.#stretches.push({ start: before.length, end: this.#text.length, source: { start, end } });
    this.#read = end;
  }

  finish(): GlossedText {
    return { text: this.#text + this.#source.slice(this.#read), stretches: this.#stretches };
  }
}

function glossWords(text: string, lexicon: Lexicon, writer: GlossWriter): void {
  const found = matchesOf(text, WORD).map(({ 0: word, index }) => {
    return { word, start: index, end: index + word.length };
  });
  for (let at = 0; at < found.length; at += 1) {
    const { word, start } = found[at]!;
    const several = severalWords(text, found.slice(at, at + lexicon.longest), lexicon);
    // A capitalised word within a sentence is a name.
    const isCapital = /\p{Lu}/u.test(word.charAt(0));
    const isName = isCapital && /[\p{L}\p{N},;] $/u.test(text.slice(Math.max(0, start - 2), start));
    const isKept = !lexicon.hasCapitals && isName;
    const english = several?.english ?? (isKept ? null : englishOf(word.toLowerCase(), lexicon));
    if (several !== null) at += several.count - 1;
    if (english !== null) writer.replace(start, found[at]!.end, english);
  }
}

function severalWords(
  text: string,
  next: readonly { start: number; end: number }[],
  { words }: Lexicon,
): { english: string; count: number } | null {
  for (let count = next.length; count > 1; count -= 1) {
    const entry = text
      .slice(next[0]!.start, next[count - 1]!.end)
      .toLowerCase()
      .replaceAll('’', "'");
    const english = words.get(entry) ?? words.get(folded(entry));
    if (english !== undefined) return { english, count };
  }
  return null;
}

function englishOf(lower: string, lexicon: Lexicon): string | null {
  const word = folded(lower);
  const whole = lexicon.words.get(lower) ?? lexicon.words.get(word);
  if (whole !== undefined || word.length <= SHORTEST_STEM || word.length > LONGEST_WORD) return whole ?? null;
  return (
    inflected(word, lexicon) ??
    withoutInfix(word, lexicon) ??
    (lexicon.joints === null ? null : compound(word, lexicon))
  );
}

function inflected(form: string, { inflections, isDoubling }: Lexicon): string | null {
  const word = plainStem(form, isDoubling);
  for (let length = word.length; length >= SHORTEST_STEM; length -= 1) {
    const stem = word.slice(0, length);
    for (const { stems, endings } of inflections) {
      const english = stems.get(stem);
      if (english !== undefined && endings.test(word.slice(length))) return english;
    }
  }
  return null;
}

/** The most letters before a German "ge" or "zu". */
const LONGEST_PARTICLE = 6;

/** "gekocht" is a form of "kochen"; "aufgeräumt" and "aufzuräumen" are forms of "aufräumen". */
function withoutInfix(word: string, lexicon: Lexicon): string | null {
  for (const infix of lexicon.infixes) {
    const at = word.indexOf(infix);
    if (at < 0 || at > LONGEST_PARTICLE || word.length - infix.length <= SHORTEST_STEM) continue;
    const rest = word.slice(0, at) + word.slice(at + infix.length);
    const english = lexicon.words.get(rest) ?? inflected(rest, lexicon);
    if (english !== null && english !== undefined) return english;
  }
  return null;
}

const SHORTEST_PART = 4;

/** "zahnarzttermin" is "zahnarzt" and "termin". */
function compound(word: string, lexicon: Lexicon, parts = 3): string | null {
  if (parts === 1) return null;
  for (let length = word.length - SHORTEST_PART; length >= SHORTEST_PART; length -= 1) {
    const first = firstOfCompound(word.slice(0, length), lexicon);
    if (first === undefined) continue;
    const second = word.slice(length);
    const rest = lexicon.words.get(second) ?? inflected(second, lexicon) ?? compound(second, lexicon, parts - 1);
    if (rest !== null && rest !== undefined) return `${first} ${rest}`;
  }
  return null;
}

function firstOfCompound(start: string, { words, inflections, joints }: Lexicon): string | undefined {
  const joint = (joints ?? []).find((letters) => letters !== '' && start.endsWith(letters));
  return (
    words.get(start) ??
    (joint === undefined || start.length - joint.length < SHORTEST_STEM
      ? undefined
      : words.get(start.slice(0, -joint.length))) ??
    (start.length > SHORTEST_STEM ? inflections[0]?.stems.get(start) : undefined)
  );
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;

/** Splits text without spaces from left to right, each time at the longest entry. */
function glossCharacters(text: string, { words, longest }: Lexicon, writer: GlossWriter): void {
  for (const { 0: run, index } of matchesOf(text, UNSPACED)) {
    for (let at = 0; at < run.length;) {
      let length = Math.min(longest, run.length - at);
      while (length > 1 && !words.has(run.slice(at, at + length))) length -= 1;
      const entry = run.slice(at, at + length);
      writer.replace(index + at, index + at + length, ` ${words.get(entry) ?? entry} `);
      at += length;
    }
  }
}
