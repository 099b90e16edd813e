import { anyWords, PACKS, wordsOfAll } from './packs/packs.ts';
import type { TextSpan } from './sentences.ts';
import { ENGLISH_NUMBERS, matchesOf } from './words.ts';

interface Token extends TextSpan {
  /** Without apostrophes: "she's" and "shes" are one word. */
  word: string;
  /** The part before an apostrophe: "Oonagh" of "Oonagh's". */
  base: string;
}

// Scripts without spaces between words are compared character by character.
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|\d+(?:[.,]\d+)*|[\p{L}\p{M}\p{N}]+(?:['’]\p{L}{1,2}(?!\p{L}))?/gu;

// In words. The alignment takes time proportional to the product of the two lengths.
const LONGEST_QUOTE = 120;
const LONGEST_TEXT = 6000;

/** Tolerates small errors: nine tenths of the quote's words, in order, in a span of at most `STRETCH` times their number. */
const SHARE = 0.9;
const STRETCH = 1.5;

/** Ignores case, accents, punctuation and white space. A quote with an ellipsis ("I moved … to Linz") is found piece by piece. */
export function locateQuote(text: string, quote: string): TextSpan | null {
  const pieces = quote.split(/…|\[\.{3}\]|\.{3,}/u).filter((piece) => tokensOf(piece).length > 0);
  if (pieces.length === 0) return null;
  const tokens = tokensOf(text.slice(0, LONGEST_TEXT * 8)).slice(0, LONGEST_TEXT);
  let from = 0;
  let found: TextSpan | null = null;
  for (const piece of pieces) {
    const words = tokensOf(piece)
      .map(({ word }) => word)
      .slice(0, LONGEST_QUOTE);
    const place = findExact(tokens, words, from) ?? findNearly(tokens, words, from);
    if (place === null) return null;
    const span = { start: (tokens[place.start] as Token).start, end: (tokens[place.end - 1] as Token).end };
    found = found === null ? span : { start: found.start, end: span.end };
    from = place.end;
  }
  return found;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of matchesOf(text, TOKEN)) {
    const plain = match[0]
      .normalize('NFKD')
      .replace(/[\p{M}.,]/gu, '')
      .toLowerCase();
    const [base = ''] = plain.split(/['’]/);
    const word = plain.replace(/['’]/gu, '');
    if (word !== '') tokens.push({ word, base, start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/** "cost" and "costs". */
function isSameWord(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 4 && long.length - short.length <= 2 && long.startsWith(short);
}

function isWord(token: Token | undefined, word: string | undefined): boolean {
  return token !== undefined && (token.word === word || token.base === word);
}

function findExact(tokens: readonly Token[], words: readonly string[], from: number): TextSpan | null {
  for (let start = from; start + words.length <= tokens.length; start += 1) {
    let length = 0;
    while (length < words.length && isWord(tokens[start + length], words[length])) length += 1;
    if (length === words.length) return { start, end: start + length };
  }
  return null;
}

/** For every end, finds the longest common subsequence with the latest start. */
function findNearly(tokens: readonly Token[], words: readonly string[], from: number): TextSpan | null {
  const needed = Math.ceil(words.length * SHARE);
  // A very short quote must match completely: each missing word would be a large part of it.
  if (words.length < 4) return null;
  const length = Array.from<number>({ length: words.length + 1 }).fill(0);
  const begin = Array.from<number>({ length: words.length + 1 }).fill(-1);
  let best: TextSpan | null = null;
  for (let index = from; index < tokens.length; index += 1) {
    let diagonalLength = 0;
    let diagonalBegin = index;
    for (let column = 1; column <= words.length; column += 1) {
      const [upLength, upBegin] = [length[column] as number, begin[column] as number];
      if (
        isWord(tokens[index], words[column - 1]) ||
        isSameWord((tokens[index] as Token).word, words[column - 1] as string)
      ) {
        length[column] = diagonalLength + 1;
        begin[column] = diagonalLength === 0 ? index : diagonalBegin;
      } else if ((length[column - 1] as number) > upLength) {
        length[column] = length[column - 1] as number;
        begin[column] = begin[column - 1] as number;
      }
      diagonalLength = upLength;
      diagonalBegin = upBegin;
    }
    const start = begin[words.length] as number;
    const isEnough = (length[words.length] as number) >= needed;
    const span = { start, end: index + 1 };
    if (!isEnough || span.end - start > Math.ceil(words.length * STRETCH) + 1) continue;
    if (best === null || span.end - span.start < best.end - best.start) best = span;
    if (best.end - best.start <= words.length) break;
  }
  return best;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** "Bank of England", "Ludwig van Beethoven". */
const SMALL = new Set(wordsOfAll('nameJoin').split('|'));

/** A similar spelling ("München", "Munich"), initials ("LA", "Los Angeles") or one word of several is enough. */
export function isNameSaid(value: string, sources: readonly string[]): boolean {
  const words = (value.normalize('NFKC').match(WORD) ?? []).filter((word) => !SMALL.has(word.toLowerCase()));
  const names = words.filter((word) => /^\p{Lu}/u.test(word));
  // Values in lower case or in a script without capitals are descriptions and not checked.
  if (names.length === 0) return true;
  const said = sources.flatMap((source) => plainWords(source));
  const known = new Set(said);
  const initials = names.map((name) => name.charAt(0).toLowerCase()).join('');
  if (names.length > 1 && known.has(initials)) return true;
  return names.some((name) => {
    const [plain = ''] = plainWords(name);
    if (known.has(plain) || said.some((word) => isShortDay(word, plain))) return true;
    // "You Tube" and "YouTube" are one name.
    if (said.some((word, index) => plain === `${word}${said[index + 1]}`)) return true;
    if (plain.length <= 4 && /^\p{Lu}+$/u.test(name)) return hasInitials(said, plain);
    const says = (word: string): boolean => isSpelledAlike(plain, word) || (word.length >= 6 && plain.startsWith(word));
    return plain.length >= 4 && said.some(says);
  });
}

const CALENDAR_NAMES: ReadonlySet<string> = new Set(
  PACKS.filter(({ script }) => script === 'latin').flatMap(({ language }) =>
    [...namesOf(language, 'weekday'), ...namesOf(language, 'month')].flatMap(plainWords),
  ),
);

function namesOf(language: string, part: 'weekday' | 'month'): string[] {
  const name = new Intl.DateTimeFormat(language, { [part]: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, index) => name.format(Date.UTC(2026, index, index + 1)));
}

/** A model may write a day or month in full: "Mon to wed", "Mo bis Mi". */
function isShortDay(word: string, name: string): boolean {
  return word.length >= 2 && word.length < name.length && name.startsWith(word) && CALENDAR_NAMES.has(name);
}

function plainWords(text: string): string[] {
  return (text.normalize('NFKD').replace(/\p{M}/gu, '').match(WORD) ?? []).map((word) => word.toLowerCase());
}

function hasInitials(words: readonly string[], letters: string): boolean {
  const firsts = words.map((word) => word.charAt(0)).join('');
  return letters.length > 1 && firsts.includes(letters);
}

// The share of common letters: "munchen" and "munich" share m, u, n, c, h in order, five of seven.
const ALIKE = 0.55;

function isSpelledAlike(one: string, other: string): boolean {
  if (one.charAt(0) !== other.charAt(0) || Math.abs(one.length - other.length) > 4 || other.length < 3) return false;
  let row = Array.from<number>({ length: other.length + 1 }).fill(0);
  for (const letter of one) {
    const next = [0];
    for (let index = 1; index <= other.length; index += 1) {
      const isSame = letter === other.charAt(index - 1);
      next.push(isSame ? (row[index - 1] as number) + 1 : Math.max(row[index] as number, next[index - 1] as number));
    }
    row = next;
  }
  return (row[other.length] as number) / Math.max(one.length, other.length) >= ALIKE;
}

const ENGLISH = /\b(?:the|and|of|to|is|in|for|with|was|has|are|on|a|an|be|that|it|at|by|from|there|user)\b/gi;

export function isEnglish(text: string): boolean {
  return (text.match(ENGLISH) ?? []).length / (text.match(WORD) ?? [1]).length > 0.15;
}

/** `counting` lists number words in order from one. */
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...ENGLISH_NUMBERS,
  ...PACKS.flatMap(
    ({ lists: { counting } }) => counting?.split('|').map((word, at): [string, number] => [word, at + 1]) ?? [],
  ),
  // The amounts overwrite the counting words: "once" is English here, and not the Spanish eleven.
  ...amountsOf('amounts'),
]);
const HAN_NUMBER = /[一二两三四五六七八九十百千万打]+/gu;
const SCALES: ReadonlyMap<string, number> = new Map(amountsOf('scales'));

const FIGURE = new RegExp(
  `\\d+(?:[.,'\\u00a0\\u202f ]\\d{3})*(?:[.,]\\d+)?(?:\\s?(${[...SCALES.keys()].join('|')})(?![\\p{L}]))?`,
  'giu',
);

/** Half a million characters would take five seconds. */
const MOST_READ = 48_000;

/** "40k", "a dozen", "forty-two". */
export function numbersSaid(text: string): Set<number> {
  const numbers = new Set<number>();
  const plain = text.slice(0, MOST_READ).normalize('NFKC').toLowerCase();
  for (const match of matchesOf(plain, FIGURE)) {
    const scale = SCALES.get(match[1] ?? '') ?? 1;
    const { whole, parts } = readings(match[0].replace(match[1] ?? '', '').trim());
    for (const number of [...whole, ...parts]) {
      numbers.add(number * scale);
      if (scale > 1) numbers.add(number);
    }
  }
  // A number does not continue in the next sentence: "under four thousand. Three thousand eight hundred and forty."
  for (const sentence of new Set(plain.split(/[.!?;:\n。！？；]/u)))
    for (const number of spelledNumbers(sentence.match(/[\p{L}]+/gu) ?? [])) numbers.add(number);
  for (const number of spokenTimes(plain)) numbers.add(number);
  for (const run of plain.match(HAN_NUMBER) ?? []) {
    numbers.add(hanNumber(run));
    for (const sign of run) numbers.add(NUMBER_WORDS.get(sign) ?? 0);
  }
  return numbers;
}

const HALF_HOUR = anyWords('halfHour');
const QUARTER_HOUR = anyWords('quarterHour');
/** Spoken times that name the next hour. Without minutes, they mean half an hour before it. */
const BEFORE_HOUR: readonly RegExp[] = [
  // "halb neun", "half negen"
  /(?<!\p{L})(?:halb|half) (?<hour>\p{L}{1,20}|\d{1,2})/giu,
  // "a quarter to six", "zehn vor sechs", "kwart voor zes"
  /(?<!\p{L})(?<minutes>\p{L}{1,20}|\d{1,2})(?: minut\p{L}{1,5})? (?:to|vor|voor) (?<hour>\p{L}{1,20}|\d{1,2})/giu,
  // "las seis menos cuarto", "six heures moins le quart"
  /(?<!\p{L})(?<hour>\p{L}{1,20}|\d{1,2})(?: heures?| horas?| h)? (?:menos|moins|meno) (?:le |un )?(?<minutes>\p{L}{1,20}|\d{1,2})/giu,
  /(?<hour>[一二三四五六七八九十]{1,3}|\d{1,2})[時时点](?<minutes>[一二三四五十]{1,3}|\d{1,2})分前/gu,
];

/** Yields hours and minutes: "half past five" is 5:30, "a quarter to six" 5:45, "halb neun" and 8時半 are 8:30. */
function* spokenTimes(text: string): Generator<number> {
  if (HALF_HOUR.test(text)) yield 30;
  if (QUARTER_HOUR.test(text)) yield* [15, 45];
  for (const { groups } of BEFORE_HOUR.flatMap((pattern) => matchesOf(text, pattern))) {
    for (const hour of clockNumbers(groups?.['hour'])) if (hour > 0 && hour <= 24) yield hour - 1;
    for (const minutes of clockNumbers(groups?.['minutes'])) if (minutes > 0 && minutes < 30) yield 60 - minutes;
  }
}

function clockNumbers(word = ''): number[] {
  if (/^\d/.test(word)) return [Number(word)];
  return /^\p{Script=Han}/u.test(word) ? [hanNumber(word)] : [...spelledNumbers([word])];
}

/** Yields the values of runs of number words and of all their parts: "three thousand eight hundred and forty". */
function* numbersInWords(words: readonly string[]): Generator<number> {
  let [thousands, current, last] = [0, 0, 0];
  for (const word of words) {
    const value = NUMBER_WORDS.get(word);
    if (value === undefined) {
      if (word !== 'and' && word !== 'und') [thousands, current, last] = [0, 0, 0];
      continue;
    }
    yield value;
    // "Sixteen fifty" is also read as 1650, and "six fifty" as 650.
    if (last >= 1 && last < 100 && value >= 10 && value < 100) yield last * 100 + value;
    // "Seven forty-five" contains 45.
    if (last >= 20 && last < 100 && last % 10 === 0 && value < 10) yield last + value;
    if (value >= 1000) [thousands, current] = [thousands + Math.max(current, 1) * value, 0];
    else current = value === 100 ? Math.max(current, 1) * 100 : current + value;
    last = value;
    yield thousands + current;
  }
}

function* spelledNumbers(words: readonly string[]): Generator<number> {
  yield* numbersInWords(words);
  for (const numerals of NUMERALS) yield* numbersInParts(words, numerals);
}

/** Parts of number words in languages that join them into one word. A part without a value only joins others: "und", "y". */
const NUMERALS: readonly ReadonlyMap<string, number | null>[] = PACKS.flatMap(({ lists: { numerals } }) =>
  numerals === undefined
    ? []
    : [
        new Map(
          numerals.split('|').map((entry): [string, number | null] => {
            const [part = '', value = ''] = entry.split('=');
            return [part, value === '' ? null : Number(value)];
          }),
        ),
      ],
);

/** Yields the values of joined number words, alone and with the words before them: "zweihundertfünfzig", "deux cents". */
function* numbersInParts(words: readonly string[], numerals: ReadonlyMap<string, number | null>): Generator<number> {
  let run: (number | null)[] = [];
  for (const word of words) {
    const parts = partsOf(word, numerals);
    run = parts === null ? [] : [...run, ...parts].slice(-MOST_PARTS);
    if (parts === null || parts.every((part) => part === null)) continue;
    yield composed(parts);
    yield composed(run);
  }
}

const LONGEST_NUMERAL = 40;
const LONGEST_PART = 14;
const MOST_PARTS = 12;

/** Splits a word into number parts, or returns null. Remembers positions that lead nowhere, so that the time is linear. */
function partsOf(word: string, numerals: ReadonlyMap<string, number | null>): (number | null)[] | null {
  if (word.length > LONGEST_NUMERAL) return null;
  const failed = new Set<number>();
  const from = (start: number): (number | null)[] | null => {
    if (start === word.length) return [];
    if (failed.has(start)) return null;
    for (let end = Math.min(word.length, start + LONGEST_PART); end > start; end -= 1) {
      const value = numerals.get(word.slice(start, end));
      const rest = value === undefined ? null : from(end);
      if (value !== undefined && rest !== null) return [value, ...rest];
    }
    failed.add(start);
    return null;
  };
  return from(0);
}

function composed(parts: readonly (number | null)[]): number {
  let [total, current] = [0, 0];
  for (const value of parts.filter((part) => part !== null)) {
    if (value >= 1000) [total, current] = [total + Math.max(current, 1) * value, 0];
    else if (value === 100 && current < 10) current = Math.max(current, 1) * 100;
    // "quatre-vingts" is four twenties.
    else if (value === 20 && current % 100 === 4) current += 76;
    else current += value;
  }
  return total + current;
}

/** 八万五千 is 85,000: a digit is multiplied by the power of ten after it, and 万 multiplies everything before it. */
function hanNumber(run: string): number {
  let total = 0;
  let section = 0;
  let digit = 0;
  for (const sign of run) {
    const value = NUMBER_WORDS.get(sign) ?? 0;
    if (value < 10) digit = value;
    else if (value < 10_000) section += Math.max(digit, 1) * value;
    else total += Math.max(section + digit, 1) * value;
    if (value >= 10) digit = 0;
    if (value >= 10_000) section = 0;
  }
  return total + section + digit;
}

/** A mark before three digits may separate thousands or decimals: "40,000" gives 40000 and 40. "4,5" and "4.5" give 4.5. */
function readings(figure: string): { whole: number[]; parts: number[] } {
  const grouped = Number(figure.replace(/[.,'\u00a0\u202f ](?=\d{3}(?:\D|$))/gu, '').replace(',', '.'));
  const decimal = Number(figure.replace(/['\u00a0\u202f ]/gu, '').replace(',', '.'));
  const parts = figure.split(/[^\d]+/).map(Number);
  return { whole: [grouped, decimal].filter((number) => Number.isFinite(number)), parts };
}

export function numberNotSaid(value: string, said: ReadonlySet<number>): string | null {
  const rest = value.normalize('NFKC').replace(CLOCK_TIME, (time, hour: string, minute: string) => {
    return isTimeSaid(Number(hour), Number(minute), said) ? ' ' : time;
  });
  for (const match of matchesOf(rest, FIGURE)) {
    const letter = (match[1] ?? '').toLowerCase();
    const { whole, parts } = readings(match[0].replace(match[1] ?? '', '').trim());
    // "1,40 m" may mean metres or millions.
    const scales = [SCALES.get(letter) ?? 1, ...(/\sm$/i.test(match[0]) ? [1] : [])];
    // "9:20" confirms "9.20" because both parts match. One part alone does not confirm a longer number.
    const isSaid = scales.some(
      (scale) =>
        whole.some((number) => said.has(number * scale) || isSaidInThousands(number * scale, said)) ||
        parts.every((number) => said.has(number * scale)),
    );
    if (!isSaid) return match[0].trim();
  }
  return null;
}

/** In "Asking one sixty thousand, not a cent under one fifty", 150 may mean 150,000. */
function isSaidInThousands(number: number, said: ReadonlySet<number>): boolean {
  return number >= 1000 && number % 1000 === 0 && said.has(number / 1000) && [...said].some((other) => other >= 1000);
}

const CLOCK_TIME = /(?<!\d)([01]?\d|2[0-4])[:.](\d{2})(?!\d)/g;

/** "Six till four" may mean 18:00 and 4:00: the hour may be in either half of the day, and a full hour needs no minutes. */
function isTimeSaid(hour: number, minute: number, said: ReadonlySet<number>): boolean {
  const hours = [hour, hour % 12, (hour % 12) + 12];
  return hours.some((each) => said.has(each) && (minute === 0 || said.has(minute)));
}

function amountsOf(list: string): [string, number][] {
  return wordsOfAll(list)
    .split('|')
    .map((entry) => [entry.split('=')[0] ?? '', Number(entry.split('=')[1])]);
}

const NEGATION = new RegExp(`${anyWords('negation').source}|n['’]t(?![\\p{L}])`, 'giu');

export function negationsIn(text: string): number {
  return text.match(NEGATION)?.length ?? 0;
}

export function isNegated(text: string): boolean {
  return negationsIn(text) > 0;
}

const DIGITS = /\d+(?:[.,:]\d+)*/g;
const NAME = /(?<=[^\s.!?:"“„«]\s)\p{Lu}[\p{L}\p{M}'-]+/gu;
export function tellApart(one: string, other: string): boolean {
  const differsIn = (find: (text: string) => readonly string[]): boolean => {
    const [left, right] = [find(one), find(other)];
    return !left.every((each) => right.includes(each)) && !right.every((each) => left.includes(each));
  };
  const matched = (pattern: RegExp) => (text: string) =>
    (text.match(pattern) ?? []).map((found) => found.toLowerCase());
  // "Never pay without asking" and "always pay without asking" both contain negations, but not equally many.
  return negationsIn(one) !== negationsIn(other) || [matched(DIGITS), matched(NAME), daysIn].some(differsIn);
}

function daysIn(text: string): string[] {
  const named = plainWords(text).flatMap(
    (word) => [word, word.replace(/s$/, '')].find((each) => CALENDAR_NAMES.has(each)) ?? [],
  );
  return [...named, ...HAN_WEEKDAYS.filter((name) => text.includes(name))];
}

const HAN_WEEKDAYS = PACKS.filter(({ script }) => script === 'han').flatMap(({ language }) =>
  namesOf(language, 'weekday'),
);
