import { invalidInput } from '../errors.ts';
import {
  type AttributeInput,
  ATTRIBUTES,
  type AttributeTable,
  FACT_CATEGORIES,
  TRAITS,
  UNKNOWN_ATTRIBUTE,
  VALUE_SHAPES,
  type ValueShape,
} from './attributes.ts';
import { parse, textSchema } from './parse.ts';
import { z } from 'zod';

/** Whether a statement is affirmed or denied. */
export const POLARITIES = ['affirmed', 'denied'] as const;
export type Polarity = (typeof POLARITIES)[number];

/**
 * A statement's tense. `holds`: it is true until another statement or a date ends it. `habit`: it happens repeatedly, not on a single date.
 * `happened`: it is past. `planned`: it becomes true on its day, not before.
 */
export const TENSES = ['holds', 'habit', 'happened', 'planned'] as const;
export type Tense = (typeof TENSES)[number];

/** A span of an event's content that supports a statement: `content.slice(start, end)`. */
export interface Quote {
  event: string;
  start: number;
  end: number;
}

/** Adds up the characters in all quotes. */
export function lengthOf(quotes: readonly Quote[]): number {
  return quotes.reduce((sum, { start, end }) => sum + end - start, 0);
}

export const quoteSchema: z.ZodType<Quote, Quote> = z
  .strictObject({ event: textSchema(200), start: z.int().min(0), end: z.int().min(0) })
  .refine(({ start, end }) => start < end, { path: ['end'], error: 'is not after start' });

/** The subject of all statements about the user. */
export const USER = 'User';

const USERS_OWN = /^user['’]s\s+/i;

/** Checks whether a subject is the user. */
export function isUser(subject: string): boolean {
  return subject === USER;
}

/** Checks whether a name is one of the user's names. Ignores case. */
export function isNameOfUser(name: string, userNames: readonly string[]): boolean {
  return userNames.some((own) => own.toLowerCase() === name.toLowerCase());
}

/** Checks whether a subject is a person or thing that belongs to the user: "User's sister Ana". */
export function belongsToUser(subject: string): boolean {
  return USERS_OWN.test(subject);
}

/** A subject split into relation and name: "User's sister Ana" has the relation sister and the name Ana. */
interface SubjectParts {
  /** The relation in lower case: `sister`, `business partner`. Empty if the subject is only a name. */
  relation: string;
  /** The name in lower case: `ana`. Empty if the subject has none. */
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

/** Returns the name in a subject, in lower case: `ana` for "User's sister Ana". Returns null if it has none. */
export function nameOf(subject: string): string | null {
  const { name } = partsOf(subject);
  return isUser(subject) || name === '' ? null : name;
}

const PARTNER = /^(?:partner|boyfriend|girlfriend|fianc[eé]e?|husband|wife|spouse)$/u;

/** Treats all words for a partner as one relation: a fiancé becomes a husband and stays the same person. */
export function oneRelation(relation: string): string {
  return PARTNER.test(relation) ? 'partner' : relation;
}

/**
 * Checks whether two labels refer to the same subject. If both have a name, the names must be equal. A relation without a name matches the
 * same relation with a name: "User's sister" is "User's sister Ana". But "User's business partner" is not "User's partner".
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

/** Does the same as {@link isSameSubject}, given all known labels. If these name two sisters, "User's sister" matches neither of them. */
export function isSameSubjectAmong(one: string, other: string, labels: readonly string[]): boolean {
  if (one === other || !isSameSubject(one, other)) return one === other;
  const bare = [one, other].find((label) => partsOf(label).name === '');
  const named = bare === undefined ? [] : labels.filter((label) => isSameSubject(bare, label));
  return new Set(named.map((label) => partsOf(label).name).filter((name) => name !== '')).size < 2;
}

const ONE_OF_SEVERAL =
  /(?:^| )(?<!(?:best|closest|oldest) )(?:friend|mate|colleague|coworker|co-worker|neighbou?r|cousin|client|customer|student|pupil|classmate|patient)$/u;

/** Checks whether a label without a name may refer to a different person each time: "User's friend". */
export function isOneOfSeveral(subject: string): boolean {
  const { relation, name } = partsOf(subject);
  return name === '' && ONE_OF_SEVERAL.test(relation);
}

/** Checks whether a text contains a subject's name: "User moves in with Ana" contains that of "User's sister Ana". */
export function isNamedIn(subject: string, text: string): boolean {
  const name = nameOf(subject);
  if (name === null) return false;
  const spaced = (words: string): string =>
    ` ${words
      .normalize('NFKC')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .join(' ')} `;
  // Searches without word boundaries in a script without spaces: nothing separates a name from the words around it.
  return /\p{Lo}/u.test(name) ? text.includes(name) : spaced(text).includes(spaced(name));
}

/**
 * Checks whether a subject is a thing and not a person. It is a thing unless it is the user, a name alone, or somebody who belongs to the
 * user.
 */
export function isThing(subject: string): boolean {
  return !isUser(subject) && !belongsToUser(subject) && !/^\p{Lu}[\p{L}'’-]*(?:\s\p{Lu}[\p{L}'’-]*)*$/u.test(subject);
}

/**
 * Checks whether two statements can be about the same topic, as a reader has claimed. They can if they have the same subject. They also can
 * if each is about the user or a thing: one may have "the loan" as its subject, and the other the user. Statements about two different
 * people never are.
 */
export function mayBeOneMatter(one: string, other: string): boolean {
  if (isSameSubject(one, other)) return true;
  return (isUser(one) || isThing(one)) && (isUser(other) || isThing(other));
}

/**
 * Returns the known label for a subject. Returns the given label if none is known, or if two known subjects match ("User's sister" and two
 * named sisters): a second label is better than a statement about the wrong person.
 */
export function knownSubject(subject: string, known: readonly string[]): string {
  if (isUser(subject) || known.includes(subject)) return subject;
  const matches = [...new Set(known)].filter((label) => isSameSubject(subject, label));
  const named = matches.filter((label) => partsOf(label).name !== '');
  // Keeps a label with a name, because it is more specific than the same relation without one.
  if (named.length === 0 && partsOf(subject).name !== '') return subject;
  const [only, ...others] = named.length > 0 ? named : matches;
  return only !== undefined && others.length === 0 ? only : subject;
}

/**
 * Converts a subject to the form that is stored. "user", "the user" and the user's own names become `User`, and white space is collapsed.
 * `names` are the user's names, from the handle or from the user's own statements.
 */
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

/** The schema for an attribute's name. */
export const keySchema: z.ZodString = z
  .string()
  .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'is not snake_case, such as home_city')
  .max(100);

/**
 * Accepts an attribute's name as people and models write it: "Home City" and `homeCity` become `home_city`. A refusal would only cost a
 * second call with another spelling.
 */
export const givenKeySchema: z.ZodType<string, string> = z.preprocess(
  (key) => (typeof key === 'string' ? spelledKey(key) : key),
  keySchema,
) as z.ZodType<string, string>;

const attributeSchema = z
  .strictObject({
    values: z.enum(['one', 'many']),
    category: z.enum(FACT_CATEGORIES),
    shape: z.enum(VALUE_SHAPES),
    permanent: z.boolean(),
    namesSomebody: z.boolean(),
    traits: z.array(z.enum(TRAITS)),
    labels: z.record(z.string(), z.string()).refine(({ en }) => en !== undefined, 'has no English label (en)'),
    synonyms: z.array(z.string()),
    askedWith: z.array(z.string()),
  })
  .partial();

// Matches a prefix that does not change what an attribute's name means. Not "current" before "location": a current location may be a hotel,
// and "location" means the home.
const TIME_WORD = /^(?:new_|(?:current|present)_(?!location$))/;

/** Adds an application's attributes to Varve's. An application may also change Varve's own attributes. */
export function attributeTable(added: Record<string, AttributeInput> = {}): AttributeTable {
  const table = new Map(Object.entries(ATTRIBUTES));
  for (const [name, policy] of Object.entries(added)) {
    if (!keySchema.safeParse(name).success) {
      throw invalidInput(`The attribute ${JSON.stringify(name)} needs a snake_case name, such as home_city.`);
    }
    parse(attributeSchema, policy, `The attribute ${name}`);
    table.set(name, { ...(table.get(name) ?? UNKNOWN_ATTRIBUTE), ...policy });
  }
  const synonyms = new Map(
    [...table].flatMap(([name, policy]) => policy.synonyms.map((other) => [other, name] as const)),
  );
  return {
    policyOf: (attribute) => table.get(attribute) ?? UNKNOWN_ATTRIBUTE,
    resolve(name) {
      const key = snakeCase(name ?? '');
      if (key === '') return null;
      // `new_employer` and `company_name` resolve to `employer`.
      const names = [
        key,
        key.replace(TIME_WORD, ''),
        key.replace(TIME_WORD, '').replace(/_name$/, ''),
        olderKey(name ?? ''),
      ];
      return names.flatMap((each) => (table.has(each) ? each : (synonyms.get(each) ?? [])))[0] ?? key;
    },
    isKnown: (attribute) => table.has(attribute),
    names: () => [...table.keys()],
  };
}

/** Converts a name to snake_case: "Home City" and `homeCity` become `home_city`. Returns an empty text if no Latin letter is left. */
export function spelledKey(name: string): string {
  return snakeCase(wordsApart(name));
}

/** Returns the key as earlier versions of Varve spelled it, because stores may still contain it: "Schuhgröße" was `schuhgro_e`. */
export function olderKey(name: string): string {
  return joinedWords(withoutMarks(wordsApart(name)));
}

/** "Home City" → `home_city`; empty when no Latin letter is left. */
export function snakeCase(name: string): string {
  return joinedWords(withoutMarks(name).replace(/[ßœæøłđðþı]/g, (letter) => BASE_LETTERS[letter] ?? letter));
}

/** Latin letters that Unicode does not split into a base letter and a mark. */
const BASE_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  œ: 'oe',
  æ: 'ae',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

function wordsApart(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2');
}

function withoutMarks(name: string): string {
  return name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
}

function joinedWords(name: string): string {
  return name
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_$/g, '')
    .slice(0, 100);
}

/**
 * Returns an attribute's label in a language. Falls back to English, and then to the name in words: "leadership_style" becomes "Leadership
 * style".
 */
export function attributeLabel(table: AttributeTable, attribute: string, language = 'en'): string {
  const { labels } = table.policyOf(attribute);
  const label = labels[language] ?? labels.en;
  if (label !== '') return label;
  const words = attribute.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Normalises a value for comparison: ignores case, accents, leading articles and punctuation, and writes numbers in one notation (`40k` as
 * `40000`). If two normal forms are equal, so are the values. If they differ, the values may still mean the same ("LA", "Los Angeles").
 */
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

/** Checks whether two values of an attribute are the same. */
export function isSameValue(one: string | null, other: string | null, shape: ValueShape = 'text'): boolean {
  if (one === null || other === null) return one === other;
  return normalValue(one, shape) === normalValue(other, shape);
}

/** Who or what an event comes from. */
export const ORIGINS = ['user', 'agent', 'tool', 'document', 'system'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Levels of trust, lowest first. */
export const TRUST_LEVELS = ['low', 'medium', 'high'] as const;
export type Trust = (typeof TRUST_LEVELS)[number];

/** Levels of confidence, lowest first. */
export const CONFIDENCE_LEVELS = ['low', 'medium', 'high'] as const;
export type Confidence = (typeof CONFIDENCE_LEVELS)[number];

const TRUST_OF_ORIGIN: Record<Origin, Trust> = {
  user: 'high',
  system: 'high',
  agent: 'medium',
  tool: 'low',
  document: 'low',
};

/** The initial trust in statements from each origin. */
export function trustOf(origin: Origin): Trust {
  return TRUST_OF_ORIGIN[origin];
}

/** Checks whether `one` is trusted more than `other`. A statement never replaces one that is trusted more. */
export function isMoreTrusted(one: Trust, other: Trust): boolean {
  return TRUST_LEVELS.indexOf(one) > TRUST_LEVELS.indexOf(other);
}

/** Returns the trust in a statement that was derived from several sources: the lowest trust among them, or `low` if there are none. */
export function lowestTrust(levels: readonly Trust[]): Trust {
  const lowest = Math.min(...levels.map((level) => TRUST_LEVELS.indexOf(level)));
  return TRUST_LEVELS[lowest] ?? 'low';
}
