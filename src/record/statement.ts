import type { ValueShape } from './attributes.ts';
import { textSchema } from './parse.ts';
import { z } from 'zod';

export const POLARITIES = ['affirmed', 'denied'] as const;
export type Polarity = (typeof POLARITIES)[number];

/**
 * `holds`: true until another statement or a date ends it. `habit`: it happens repeatedly. `happened`: it is past. `planned`: it becomes
 * true on its day.
 */
export const TENSES = ['holds', 'habit', 'happened', 'planned'] as const;
export type Tense = (typeof TENSES)[number];

/** A span of an event's content that supports a statement: `content.slice(start, end)`. */
export interface Quote {
  event: string;
  start: number;
  end: number;
}

export function lengthOf(quotes: readonly Quote[]): number {
  return quotes.reduce((sum, { start, end }) => sum + end - start, 0);
}

export const quoteSchema: z.ZodType<Quote, Quote> = z
  .strictObject({ event: textSchema(200), start: z.int().min(0), end: z.int().min(0) })
  .refine(({ start, end }) => start < end, { path: ['end'], error: 'is not after start' });

export const USER = 'User';

const USERS_OWN = /^user['’]s\s+/i;

export function isUser(subject: string): boolean {
  return subject === USER;
}

export function isNameOfUser(name: string, userNames: readonly string[]): boolean {
  return userNames.some((own) => own.toLowerCase() === name.toLowerCase());
}

/** "User's sister Ana" belongs to the user. */
export function belongsToUser(subject: string): boolean {
  return USERS_OWN.test(subject);
}

interface SubjectParts {
  /** `sister`, `business partner`. Empty if the subject is only a name. */
  relation: string;
  /** `ana`. Empty if the subject has none. */
  name: string;
}

function partsOf(subject: string): SubjectParts {
  const label = subject.normalize('NFKC').replace(USERS_OWN, '').trim();
  if (!USERS_OWN.test(subject.normalize('NFKC'))) return { relation: '', name: label.toLowerCase() };
  // A name begins with a capital letter, or with any letter of a script without case.
  const name =
    /(?:^|\s)((?:\p{Lu}|\p{Lo})[^\s]*(?:\s+(?:\p{Lu}|\p{Lo}|d[aeiou]\s|v[ao]n\s)[^\s]*)*)$/u.exec(label)?.[1] ?? '';
  return {
    relation: oneRelation(
      label
        .slice(0, label.length - name.length)
        .trim()
        .toLowerCase(),
    ),
    name: name.toLowerCase(),
  };
}

/** The name in lower case: `ana` for "User's sister Ana". */
export function nameOf(subject: string): string | null {
  const { name } = partsOf(subject);
  return isUser(subject) || name === '' ? null : name;
}

const PARTNER = /^(?:partner|boyfriend|girlfriend|fianc[eé]e?|husband|wife|spouse)$/u;

/** All words for a partner are one relation: a fiancé becomes a husband and stays the same person. */
export function oneRelation(relation: string): string {
  return PARTNER.test(relation) ? 'partner' : relation;
}

/**
 * If both labels have a name, the names must be equal. A relation without a name matches the same relation with one: "User's sister" is
 * "User's sister Ana". "User's business partner" is not "User's partner".
 */
export function isSameSubject(one: string, other: string): boolean {
  if (one === other) return true;
  if (isUser(one) || isUser(other)) return false;
  const [left, right] = [partsOf(one), partsOf(other)];
  if (left.name !== '' && right.name !== '') {
    const isSameName = left.name === right.name;
    return isSameName && (left.relation === right.relation || left.relation === '' || right.relation === '');
  }
  return left.relation !== '' && left.relation === right.relation;
}

/** Among labels that name two sisters, "User's sister" matches neither of them. */
export function isSameSubjectAmong(one: string, other: string, labels: readonly string[]): boolean {
  if (one === other || !isSameSubject(one, other)) return one === other;
  const bare = [one, other].find((label) => partsOf(label).name === '');
  const named = bare === undefined ? [] : labels.filter((label) => isSameSubject(bare, label));
  return new Set(named.map((label) => partsOf(label).name).filter((name) => name !== '')).size < 2;
}

const ONE_OF_SEVERAL =
  /(?:^| )(?<!(?:best|closest|oldest) )(?:friend|mate|colleague|coworker|co-worker|neighbou?r|cousin|client|customer|student|pupil|classmate|patient)$/u;

/** A label such as "User's friend" may refer to a different person each time. */
export function isOneOfSeveral(subject: string): boolean {
  const { relation, name } = partsOf(subject);
  return name === '' && ONE_OF_SEVERAL.test(relation);
}

/** "User moves in with Ana" names the subject "User's sister Ana". */
export function isNamedIn(subject: string, text: string): boolean {
  const name = nameOf(subject);
  if (name === null) return false;
  const spaced = (words: string): string =>
    ` ${words
      .normalize('NFKC')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .join(' ')} `;
  // A script without spaces has no word boundaries to search for.
  return /\p{Lo}/u.test(name) ? text.includes(name) : spaced(text).includes(spaced(name));
}

/** A subject is a person if it is the user, a name alone, or somebody who belongs to the user. Any other subject is a thing. */
export function isThing(subject: string): boolean {
  return !isUser(subject) && !belongsToUser(subject) && !/^\p{Lu}[\p{L}'’-]*(?:\s\p{Lu}[\p{L}'’-]*)*$/u.test(subject);
}

/** One statement may have "the loan" as its subject, and the other the user. Statements about two people never are one matter. */
export function mayBeOneMatter(one: string, other: string): boolean {
  if (isSameSubject(one, other)) return true;
  return (isUser(one) || isThing(one)) && (isUser(other) || isThing(other));
}

/** Keeps the given label if several subjects match: a second label is better than a statement about the wrong person. */
export function knownSubject(subject: string, known: readonly string[]): string {
  if (isUser(subject) || known.includes(subject)) return subject;
  const matches = [...new Set(known)].filter((label) => isSameSubject(subject, label));
  const named = matches.filter((label) => partsOf(label).name !== '');
  // A label with a name is more specific than the same relation without one.
  if (named.length === 0 && partsOf(subject).name !== '') return subject;
  const [only, ...others] = named.length > 0 ? named : matches;
  return only !== undefined && others.length === 0 ? only : subject;
}

/** "the user" and the user's own `names` become `User`, and "my sister" becomes "User's sister". */
export function canonicalSubject(subject: string | null | undefined, names: readonly string[] = []): string {
  const label = (subject ?? '')
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^the user\b/i, USER)
    .slice(0, 200);
  if (label === '' || /^(?:user|i|me|myself|self)$/i.test(label)) return USER;
  if (isNameOfUser(label, names)) return USER;
  const owned = /^(.+?)['’]s (.+)$/u.exec(label);
  if (
    owned?.[1] !== undefined &&
    owned[2] !== undefined &&
    (/^user$/i.test(owned[1]) || isNameOfUser(owned[1], names))
  ) {
    return `${USER}'s ${owned[2]}`;
  }
  const mine = /^(?:my|our) (.+)$/i.exec(label);
  return mine?.[1] === undefined ? label : `${USER}'s ${mine[1]}`;
}

/** Ignores case, accents, leading articles and punctuation, and writes `40k` as `40000`. */
export function normalValue(value: string, shape: ValueShape = 'text'): string {
  const plain = value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[’']/g, "'").trim();
  if (shape === 'phone') return plain.replace(/[^\d+]/g, '');
  const words = plain
    .replace(/(\d)[,.\s'](?=\d{3}\b)/g, '$1')
    .replace(/(\d{1,15}(?:\.\d{1,15})?)\s?k\b/g, (_, number: string) => String(Number(number) * 1000))
    .replace(/^(?:(?:a|an|the|my|der|die|das|ein|eine|el|la|los|las|le|les|un|une|o|os|as|il|lo|de|het|een)\s+)+/u, '')
    .replace(/[^\p{L}\p{N}@.+-]+/gu, ' ')
    .replace(/\.(?!\d)/g, '')
    .trim();
  return shape === 'number' ? (/\d+(?:\.\d+)?/.exec(words)?.[0] ?? words) : words;
}

export function isSameValue(one: string | null, other: string | null, shape: ValueShape = 'text'): boolean {
  if (one === null || other === null) return one === other;
  return normalValue(one, shape) === normalValue(other, shape);
}

export const ORIGINS = ['user', 'agent', 'tool', 'document', 'system'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Lowest first. */
export const TRUST_LEVELS = ['low', 'medium', 'high'] as const;
export type Trust = (typeof TRUST_LEVELS)[number];

/** Lowest first. */
export const CONFIDENCE_LEVELS = ['low', 'medium', 'high'] as const;
export type Confidence = (typeof CONFIDENCE_LEVELS)[number];

const TRUST_OF_ORIGIN: Record<Origin, Trust> = {
  user: 'high',
  system: 'high',
  agent: 'medium',
  tool: 'low',
  document: 'low',
};

export function trustOf(origin: Origin): Trust {
  return TRUST_OF_ORIGIN[origin];
}

/** A statement never replaces one that is trusted more. */
export function isMoreTrusted(one: Trust, other: Trust): boolean {
  return TRUST_LEVELS.indexOf(one) > TRUST_LEVELS.indexOf(other);
}

/** The trust in a statement that was derived from several sources. `low` without any source. */
export function lowestTrust(levels: readonly Trust[]): Trust {
  const lowest = Math.min(...levels.map((level) => TRUST_LEVELS.indexOf(level)));
  return TRUST_LEVELS[lowest] ?? 'low';
}
