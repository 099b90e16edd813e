import { anyWords } from './packs/packs.ts';
import { SECRET_RULES, type SecretCategory } from './secret-rules.ts';
import { SEED_WORDS } from './seed-words.ts';
import { intersects, spansOf, type TextSpan } from './sentences.ts';
import { matchesOf } from './words.ts';

const PRIVACY_CATEGORIES = [
  'secret',
  'password',
  'card',
  'bank_account',
  'government_id',
  'health',
  'intimate',
  'belief',
] as const;
export type PrivacyCategory = (typeof PRIVACY_CATEGORIES)[number];

/** `keep` the text unchanged; `mark` it with a tag; `redact` the sensitive span; `drop` the whole memory. */
export const PRIVACY_ACTIONS = ['keep', 'mark', 'redact', 'drop'] as const;
export type PrivacyAction = (typeof PRIVACY_ACTIONS)[number];

export type PrivacyPolicy = Record<PrivacyCategory, PrivacyAction>;

/** Topics are recognised by words of all languages. Secrets are recognised by their shape: {@link findSecrets}. */
const TOPICS: readonly (readonly [PrivacyCategory, RegExp])[] = [
  ['health', anyWords('health', 'giu')],
  ['health', anyWords('medical', 'giu')],
  ['intimate', anyWords('intimate', 'giu')],
  ['belief', anyWords('belief', 'giu')],
];

interface Cleaned {
  text: string;
  marks: PrivacyCategory[];
  dropped: PrivacyCategory | null;
}

// Longer texts are scanned in chunks, which overlap by more than the length of any secret.
const PIECE = 100_000;
const OVERLAP = 5_000;

interface Found extends TextSpan {
  category: PrivacyCategory;
}

function findSensitive(text: string, policy: PrivacyPolicy): Found[] {
  const found: Found[] = [];
  for (let from = 0; from < text.length; from += PIECE - OVERLAP) {
    const piece = text.slice(from, from + PIECE);
    const spans = findSecrets(piece);
    for (const [category, pattern] of TOPICS) {
      if (policy[category] === 'keep') continue;
      for (const span of spansOf(piece, pattern)) spans.push({ category, ...span });
    }
    found.push(
      ...spans
        .filter(({ category }) => policy[category] !== 'keep')
        .map(({ category, start, end }) => ({ category, start: start + from, end: end + from })),
    );
    if (from + PIECE >= text.length) break;
  }
  return found.sort((one, other) => one.start - other.start);
}

function removalOf(category: PrivacyCategory): string {
  return `[${category.replace('_', ' ')} removed]`;
}

export const REMOVED: RegExp = new RegExp(
  PRIVACY_CATEGORIES.map((category) => removalOf(category).replace(/[[\]]/g, '\\$&')).join('|'),
);

/** A text whose sensitive span has already been replaced is as sensitive as the original. */
export function applyPrivacy(text: string, policy: PrivacyPolicy): Cleaned {
  const removed = PRIVACY_CATEGORIES.find((name) => policy[name] === 'drop' && text.includes(removalOf(name)));
  if (removed !== undefined) return { text, marks: [], dropped: removed };
  const found = findSensitive(text, policy);
  if (found.length === 0) return { text, marks: [], dropped: null };
  const marks = [...new Set(found.map(({ category }) => category))];
  const dropped = found.find(({ category }) => policy[category] === 'drop')?.category ?? null;
  if (dropped !== null) return { text, marks: marks.filter((mark) => policy[mark] !== 'drop'), dropped };
  const pieces: string[] = [];
  let written = 0;
  for (const { category, start, end } of found) {
    if (policy[category] !== 'redact' || end <= written) continue;
    // The name of the secret stays, because its purpose is not secret.
    if (start >= written) pieces.push(text.slice(written, start), removalOf(category));
    written = end;
  }
  return { text: pieces.join('') + text.slice(written), marks, dropped: null };
}

/** Here `drop` redacts too, because an event is never dropped as a whole. */
export function redactSensitive(text: string, policy: PrivacyPolicy): string {
  const known = cleanTexts(policy);
  if (known.has(text)) return text;
  const redacted = applyPrivacy(text, redacting(policy)).text;
  if (redacted === text && text.length <= LONGEST_REMEMBERED) {
    if (known.size === MOST_REMEMBERED) known.clear();
    known.add(text);
  }
  return redacted;
}

// Successive prompts read the same memories and turns. Only texts without a finding are cached, so that the cache holds no secret.
const MOST_REMEMBERED = 4_000;
const LONGEST_REMEMBERED = 2_000;
const remembered = new WeakMap<PrivacyPolicy, Set<string>>();

function cleanTexts(policy: PrivacyPolicy): Set<string> {
  const known = remembered.get(policy) ?? new Set();
  remembered.set(policy, known);
  return known;
}

/** A value is examined together with its name: `{"wifi_password": "swordfish"}`. */
export function redactJson(value: unknown, policy: PrivacyPolicy, name = ''): unknown {
  if (typeof value === 'string') return redactNamed(name, value, policy);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, policy, name));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactJson(item, policy, key)]));
}

export function redactNamed(name: string, value: string, policy: PrivacyPolicy): string {
  return applyNamed(name, value, redacting(policy)).text;
}

/** `wifi_password` is "swordfish". If the name itself is redacted, as in `allergies`, the whole value is replaced. */
export function applyNamed(name: string, value: string, policy: PrivacyPolicy): Cleaned {
  const alone = applyPrivacy(value, policy);
  if (name === '' || value === '' || alone.marks.length > 0 || alone.dropped !== null) return alone;
  const words = `${name.replace(/[_-]/g, ' ')}: `;
  const named = applyPrivacy(`${words}${value}`, policy);
  const inName = named.text.startsWith(words) ? undefined : named.marks.find((mark) => policy[mark] === 'redact');
  return { ...named, text: inName === undefined ? named.text.slice(words.length) : removalOf(inName) };
}

function redacting(policy: PrivacyPolicy): PrivacyPolicy {
  return Object.fromEntries(
    PRIVACY_CATEGORIES.map((category) => [category, policy[category] === 'drop' ? 'redact' : policy[category]]),
  ) as PrivacyPolicy;
}

const INVISIBLE = /\p{Cf}|\p{Variation_Selector}|\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u{E0000}-\u{E01EF}]/u;
const FOLDED = /[^\x00-\x7F]/;

/** Removes invisible characters and converts fullwidth and other forms to plain ones. `places`: the original offsets. */
function folded(text: string): { text: string; places: Uint32Array | null } {
  if (!FOLDED.test(text)) return { text, places: null };
  const characters: string[] = [];
  const places: number[] = [];
  let place = 0;
  for (const character of text) {
    if (!INVISIBLE.test(character)) {
      for (const one of plainForm(character)) {
        characters.push(one);
        for (let unit = 0; unit < one.length; unit += 1) places.push(place);
      }
    }
    place += character.length;
  }
  places.push(place);
  return { text: characters.join(''), places: Uint32Array.from(places) };
}

function plainForm(character: string): string {
  if (character < '\u0080') return character;
  if (/[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/.test(character)) return '-';
  if (/\p{Nd}/u.test(character)) return String(digitValue(character.codePointAt(0) ?? 0));
  if (/\p{Zs}/u.test(character)) return ' ';
  const code = character.codePointAt(0) ?? 0;
  return code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : character;
}

/** Unicode has the decimal digits of a script in blocks of ten that begin with zero. */
function digitValue(code: number): number {
  let zero = code;
  while (code - zero < 10 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (code - zero) % 10;
}

export function findSecrets(text: string): Found[] {
  const { text: plain, places } = folded(text);
  const found: Found[] = [];
  const add = (category: SecretCategory, start: number, end: number): void => {
    const span = places === null ? { start, end } : { start: places[start] ?? 0, end: places[end] ?? text.length };
    found.push({ category, ...span });
  };
  for (const { category, pattern, holds } of SECRET_RULES) {
    for (const match of matchesOf(plain, pattern)) {
      const secret = match[1] ?? match[0];
      if (holds !== undefined && !holds(secret, match)) continue;
      const start = match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(secret));
      add(category, start, start + withoutMarks(secret).length);
    }
  }
  for (const { start, end } of cardNumbers(plain)) add('card', start, end);
  for (const { start, end } of seedPhrases(plain)) add('secret', start, end);
  for (const { start, end } of randomTokens(plain)) add('secret', start, end);
  const redacted = spansOf(text, REDACTED);
  return withoutOverlaps(found.filter((span) => !redacted.some((mark) => intersects(span, mark))));
}

/** Not recognised as a secret itself, so that redaction is idempotent. */
const REDACTED = /\[(?:secret|password|card|bank account|government id) removed\]/g;

function withoutMarks(secret: string): string {
  return secret.replace(/[.,;:)\]}"'”»]$/, '');
}

function withoutOverlaps(spans: Found[]): Found[] {
  spans.sort((one, other) => one.start - other.start || other.end - one.end);
  const kept: Found[] = [];
  for (const span of spans) {
    const last = kept.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else if (span.end > span.start) kept.push({ ...span });
  }
  return kept;
}

/** Other numbers may surround a card number, so each group of digits is tried as its beginning. */
function cardNumbers(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (const run of matchesOf(text, /\d(?:[\s.\-_/,|*]{0,3}\d){12,200}/g)) {
    const digits: { value: number; place: number; begins: boolean; ends: boolean }[] = [];
    for (let place = 0; place < run[0].length; place += 1) {
      const value = run[0].charCodeAt(place) - 48;
      if (value < 0 || value > 9) continue;
      const begins = digits.at(-1)?.place !== place - 1;
      if (begins && digits.length > 0) (digits.at(-1) as { ends: boolean }).ends = true;
      digits.push({ value, place, begins, ends: false });
    }
    (digits.at(-1) as { ends: boolean }).ends = true;
    for (let first = 0; first < digits.length; first += 1) {
      if (digits[first]?.begins !== true) continue;
      for (let count = Math.min(19, digits.length - first); count >= 13; count -= 1) {
        const last = digits[first + count - 1];
        if (last?.ends !== true || !passesLuhn(digits.slice(first, first + count).map(({ value }) => value))) continue;
        found.push({ start: run.index + (digits[first]?.place ?? 0), end: run.index + last.place + 1 });
        first += count - 1;
        break;
      }
    }
  }
  return found;
}

const SEED_LENGTH = 12;
const DISTINCT_WORDS = 8;

/** Finds recovery phrases: twelve or more consecutive words from the BIP 39 list. Ordinary sentences mix them with other words. */
function seedPhrases(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  let run: { start: number; end: number; count: number; words: Set<string> } | null = null;
  const close = (): void => {
    if (run !== null && run.count >= SEED_LENGTH && run.words.size >= DISTINCT_WORDS)
      found.push({ start: run.start, end: run.end });
    run = null;
  };
  for (const match of matchesOf(text, /[\p{L}\p{N}'’]+/gu)) {
    const word = match[0];
    if (/^\d{1,2}$/.test(word)) continue;
    const end = match.index + word.length;
    if (!SEED_WORDS.has(word.toLowerCase()) || (run !== null && match.index - run.end > 8)) {
      close();
      if (!SEED_WORDS.has(word.toLowerCase())) continue;
    }
    run ??= { start: match.index, end, count: 0, words: new Set() };
    run.end = end;
    run.count += 1;
    run.words.add(word.toLowerCase());
  }
  close();
  return found;
}

const LEAST_BITS = 4.2;

/** Finds long random strings, such as keys of providers that use no prefix. Skips parts of URLs. */
function randomTokens(text: string): TextSpan[] {
  return spansOf(text, /(?<![\w/.+=?&#%@-])[A-Za-z0-9+/_=-]{32,200}(?![\w/])/g).filter(({ start, end }) => {
    const token = text.slice(start, end);
    const isMixed = [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(token));
    return isMixed && token.split(/[-_/]/).length <= 5 && bitsOf(token) >= LEAST_BITS;
  });
}

function bitsOf(token: string): number {
  const counts = new Map<string, number>();
  for (const character of token) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / token.length) * Math.log2(count / token.length);
  return bits;
}

function passesLuhn(digits: readonly number[]): boolean {
  // Visa, Mastercard, American Express, Discover, UnionPay, Maestro and others.
  const [first = 0] = digits;
  if (first < 2 || first > 6) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits[digits.length - 1 - index] as number;
    const value = digit * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && digits.some((digit) => digit !== first);
}
