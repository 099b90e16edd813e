/** The kinds of sensitive content that are recognised. */
export const PRIVACY_CATEGORIES = [
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

/** `keep` as it is; `mark` with a tag; `redact` the place; `drop` the whole memory. */
export const PRIVACY_ACTIONS = ['keep', 'mark', 'redact', 'drop'] as const;
export type PrivacyAction = (typeof PRIVACY_ACTIONS)[number];

export type PrivacyPolicy = Record<PrivacyCategory, PrivacyAction>;

interface Pattern {
  category: PrivacyCategory;
  pattern: RegExp;
  holds?: (match: string) => boolean;
}

// Gaps are bounded: two open ones side by side take quadratic time, and these run on whole messages as they come in.
// The known prefixes of providers' keys, then anything long and mixed that is called a key or a token.
const SECRET =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}/g;
const NAMED_SECRET =
  /\b(?:api[ _-]?key|access[ _-]?key|secret[ _-]?key|auth(?:entication)?[ _-]?token|bearer|access[ _-]?token|client[ _-]?secret|private[ _-]?key|seed phrase)\b\s{0,40}(?:is|was|=|:|to)?\s{0,40}["'`]?([^\s"'`,;]{8,})/gi;
const PASSWORD =
  /\b(?:pass(?:word|phrase|code|wd)|passwort|mot de passe|contraseña|senha|pin(?: code| number)?)\b(?:\s{1,40}(?:for|to|of)\s{1,40}(?:\S{1,40}\s{1,40}){1,4}?)?\s{0,40}(?:is|was|=|:|lautet|ist|est|es)\s{0,40}["'`]?([^\s"'`,;]{3,})/gi;
const CARD = /(?<![\d-])(?:\d[ -]?){12,18}\d(?![\d-])/g;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g;
const GOVERNMENT =
  /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])|\b(?:passport|social security|ssn|driver'?s? licen[cs]e|national id|tax id)(?: (?:number|no\.?|#))?\s{0,40}(?:is|:|=)?\s{0,40}["']?([A-Z0-9][A-Z0-9-]{5,})/gi;
const HEALTH =
  /\b(?:diagnos(?:ed|is)|cancer|tumou?r|diabet(?:es|ic)|asthma|hiv|aids|epilep(?:sy|tic)|depress(?:ion|ed)|anxiety disorder|bipolar|schizophreni\w+|adhd|autis(?:m|tic)|pregnan(?:t|cy)|miscarriage|abortion|chemotherapy|antidepressants?|insulin|medication|prescription|therap(?:y|ist)|psychiatrist|surgery|allerg(?:y|ic|ies)|blood type|disabilit(?:y|ies)|addict(?:ion|ed)|alcoholic|migraines?|arthritis|dementia|alzheimer\w*|blood pressure)\b/gi;
const INTIMATE =
  /\b(?:gay|lesbian|bisexual|transgender|queer|sexual(?:ity| orientation)?|sex life|affair|domestic violence|abused?)\b/gi;
const BELIEF =
  /\b(?:muslim|christian|catholic|protestant|jewish|hindu|buddhist|atheist|religion|religious|republican|democrat|voted for|political party|trade union|union member)\b/gi;

const PATTERNS: readonly Pattern[] = [
  { category: 'secret', pattern: SECRET },
  { category: 'secret', pattern: NAMED_SECRET, holds: (match) => /\d/.test(match) && /[A-Za-z]/.test(match) },
  { category: 'password', pattern: PASSWORD },
  { category: 'card', pattern: CARD, holds: passesLuhn },
  { category: 'bank_account', pattern: IBAN, holds: passesIbanCheck },
  { category: 'government_id', pattern: GOVERNMENT, holds: (match) => /\d{2}/.test(match) },
  { category: 'health', pattern: HEALTH },
  { category: 'intimate', pattern: INTIMATE },
  { category: 'belief', pattern: BELIEF },
];

/** What became of a text under a policy. */
export interface Cleaned {
  /** Without what had to be redacted. */
  text: string;
  /** The categories that were marked or redacted. */
  marks: PrivacyCategory[];
  /** The category because of which nothing may be stored; null when it may. */
  dropped: PrivacyCategory | null;
}

const LONGEST_TEXT = 100_000;

/** Applies a privacy policy to a text. */
export function applyPrivacy(text: string, policy: PrivacyPolicy): Cleaned {
  const readable = text.slice(0, LONGEST_TEXT);
  const marks = new Set<PrivacyCategory>();
  let cleaned = readable;
  for (const { category, pattern, holds } of PATTERNS) {
    const action = policy[category];
    if (action === 'keep') continue;
    let isFound = false;
    const next = cleaned.replace(pattern, (match: string, value: unknown) => {
      if (holds !== undefined && !holds(match)) return match;
      isFound = true;
      if (action !== 'redact') return match;
      // Where the pattern says which part is the secret, what it is for may stay.
      const named = typeof value === 'string' ? match.slice(0, match.lastIndexOf(value)) : '';
      return `${named}[${category.replace('_', ' ')} removed]`;
    });
    if (!isFound) continue;
    if (action === 'drop') return { text: cleaned, marks: [...marks], dropped: category };
    marks.add(category);
    cleaned = next;
  }
  return { text: cleaned + text.slice(LONGEST_TEXT), marks: [...marks], dropped: null };
}

/** A text without what may not be kept: here `drop` redacts, because an event is never dropped as a whole. */
export function redactSensitive(text: string, policy: PrivacyPolicy): string {
  const redacting = Object.fromEntries(
    PRIVACY_CATEGORIES.map((category) => [category, policy[category] === 'drop' ? 'redact' : policy[category]]),
  ) as PrivacyPolicy;
  return applyPrivacy(text, redacting).text;
}

function passesLuhn(match: string): boolean {
  const digits = match.replace(/\D/g, '');
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0 && !/^(\d)\1+$/.test(digits);
}

function passesIbanCheck(match: string): boolean {
  const compact = match.replaceAll(' ', '');
  if (compact.length < 15 || compact.length > 34) return false;
  const moved = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (const character of moved) {
    const value = /\d/.test(character) ? character : String(character.charCodeAt(0) - 55);
    for (const digit of value) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest === 1;
}
