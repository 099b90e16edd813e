import { findSecrets } from './secrets.ts';
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

const HEALTH =
  /\b(?:diagnos(?:ed|is)|cancer|tumou?r|diabet(?:es|ic)|asthma|hiv|aids|epilep(?:sy|tic)|depress(?:ion|ed)|anxiety disorder|bipolar|schizophreni\w+|adhd|autis(?:m|tic)|pregnan(?:t|cy)|miscarriage|abortion|chemotherapy|antidepressants?|insulin|medication|prescription|therap(?:y|ist)|psychiatrist|surgery|allerg(?:y|ic|ies)|blood type|disabilit(?:y|ies)|addict(?:ion|ed)|alcoholic|migraines?|arthritis|dementia|alzheimer\w*|blood pressure)\b/gi;
const INTIMATE =
  /\b(?:gay|lesbian|bisexual|transgender|queer|sexual(?:ity| orientation)?|sex life|affair|domestic violence|abused?)\b/gi;
const BELIEF =
  /\b(?:muslim|christian|catholic|protestant|jewish|hindu|buddhist|atheist|religion|religious|republican|democrat|voted for|political party|trade union|union member)\b/gi;

/** Words that show the topic of a text. Secrets are recognised by their shape: {@link findSecrets}. */
const TOPICS: readonly (readonly [PrivacyCategory, RegExp])[] = [
  ['health', HEALTH],
  ['intimate', INTIMATE],
  ['belief', BELIEF],
];

/** The result of applying a policy to a text. */
interface Cleaned {
  /** The text after redaction. */
  text: string;
  /** The categories that were marked or redacted. */
  marks: PrivacyCategory[];
  /** The category that forbids storing the text; null when it may be stored. */
  dropped: PrivacyCategory | null;
}

// Longer texts are scanned in chunks, which overlap by more than the length of any secret.
const PIECE = 100_000;
const OVERLAP = 5_000;

interface Found {
  category: PrivacyCategory;
  start: number;
  end: number;
}

/** All sensitive spans of a text in a category that the policy covers, in order of position. */
function findSensitive(text: string, policy: PrivacyPolicy): Found[] {
  const found: Found[] = [];
  for (let from = 0; from < text.length; from += PIECE - OVERLAP) {
    const piece = text.slice(from, from + PIECE);
    const spans: Found[] = [...findSecrets(piece)];
    for (const [category, pattern] of TOPICS) {
      if (policy[category] === 'keep') continue;
      for (const match of matchesOf(piece, pattern)) {
        spans.push({ category, start: match.index, end: match.index + match[0].length });
      }
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

/** The replacement of a sensitive span. */
function removalOf(category: PrivacyCategory): string {
  return `[${category.replace('_', ' ')} removed]`;
}

/** The replacement of a sensitive span, in a text that was redacted. */
export const REMOVED: RegExp = new RegExp(
  PRIVACY_CATEGORIES.map((category) => removalOf(category).replace(/[[\]]/g, '\\$&')).join('|'),
);

/** Applies a privacy policy to a text. A text that contains the replacement of a redacted span is as sensitive as the original was. */
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
    // Only the value is replaced. The name of the secret stays, because its purpose is not secret.
    if (start >= written) pieces.push(text.slice(written, start), removalOf(category));
    written = end;
  }
  return { text: pieces.join('') + text.slice(written), marks, dropped: null };
}

/** Redacts the text of an event: here `drop` redacts too, because an event is never dropped as a whole. */
export function redactSensitive(text: string, policy: PrivacyPolicy): string {
  const known = cleanTexts(policy);
  if (known.has(text)) return text;
  const redacting = Object.fromEntries(
    PRIVACY_CATEGORIES.map((category) => [category, policy[category] === 'drop' ? 'redact' : policy[category]]),
  ) as PrivacyPolicy;
  const redacted = applyPrivacy(text, redacting).text;
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

/** Redacts the values of a JSON object. A value is also examined together with its name: `{"wifi_password": "swordfish"}`. */
export function redactJson(value: unknown, policy: PrivacyPolicy, name = ''): unknown {
  if (typeof value === 'string') return redactNamed(name, value, policy);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, policy, name));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactJson(item, policy, key)]));
}

/** Redacts a value, whose name may show what it is. */
export function redactNamed(name: string, value: string, policy: PrivacyPolicy): string {
  const cleaned = redactSensitive(value, policy);
  if (name === '' || cleaned !== value) return cleaned;
  const words = `${name.replace(/[_-]/g, ' ')}: `;
  const named = redactSensitive(`${words}${value}`, policy);
  return named.startsWith(words) ? named.slice(words.length) : named;
}
