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
 * The tense of a statement. `holds`: it is true until another statement or a date ends it. `habit`: it is repeated and has no single date.
 * `happened`: it is in the past. `planned`: it is not true before its day.
 */
export const TENSES = ['holds', 'habit', 'happened', 'planned'] as const;
export type Tense = (typeof TENSES)[number];

/** A span of an event's content that supports a statement: `content.slice(start, end)`. */
export interface Quote {
  event: string;
  start: number;
  end: number;
}

/** The total number of characters of quotes. */
export function lengthOf(quotes: readonly Quote[]): number {
  return quotes.reduce((sum, { start, end }) => sum + end - start, 0);
}

export const quoteSchema: z.ZodType<Quote, Quote> = z
  .strictObject({ event: textSchema(200), start: z.int().min(0), end: z.int().min(0) })
  .refine(({ start, end }) => start < end, { path: ['end'], error: 'is not after start' });

/** The subject of statements about the user. */
export const USER = 'User';

const USERS_OWN = /^user['’]s\s+/i;

/** Whether a subject is the user. */
export function isUser(subject: string): boolean {
  return subject === USER;
}

/** Whether a name is one of the user's names, in any case. */
export function isNameOfUser(name: string, userNames: readonly string[]): boolean {
  return userNames.some((own) => own.toLowerCase() === name.toLowerCase());
}

/** Whether a subject is a person or a thing that belongs to the user: "User's sister Ana". */
export function belongsToUser(subject: string): boolean {
  return USERS_OWN.test(subject);
}

/** The parts of a subject: "User's sister Ana" has the owner User, the relation sister and the name Ana. */
interface SubjectParts {
  /** The relation in lower case: `sister`, `business partner`; empty for a bare name. */
  relation: string;
  /** The name in lower case: `ana`; empty where nobody is named. */
  name: string;
}

function partsOf(subject: string): SubjectParts {
  const label = subject.normalize('NFKC').replace(USERS_OWN, '').trim();
  if (!USERS_OWN.test(subject.normalize('NFKC'))) return { relation: '', name: label.toLowerCase() };
  // A name begins with a capital letter, or with a letter of a script that has no case.
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

/** The name of a subject in lower case: `ana` for "User's sister Ana"; null where nobody is named. */
export function nameOf(subject: string): string | null {
  const { name } = partsOf(subject);
  return isUser(subject) || name === '' ? null : name;
}

const PARTNER = /^(?:partner|boyfriend|girlfriend|fianc[eé]e?|husband|wife|spouse)$/u;

/** All words for a partner are one relation, because a fiancé becomes a husband and stays the same person. */
export function oneRelation(relation: string): string {
  return PARTNER.test(relation) ? 'partner' : relation;
}

/**
 * Whether two labels name one subject. If both have a name, the names must be equal. A relation without a name matches the same relation
 * with a name, so that "User's sister" is "User's sister Ana". "User's business partner" is not "User's partner".
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

/** Whether two labels name one subject, given all known labels: if the labels name two sisters, "User's sister" matches neither of them. */
export function isSameSubjectAmong(one: string, other: string, labels: readonly string[]): boolean {
  if (one === other || !isSameSubject(one, other)) return one === other;
  const bare = [one, other].find((label) => partsOf(label).name === '');
  const named = bare === undefined ? [] : labels.filter((label) => isSameSubject(bare, label));
  return new Set(named.map((label) => partsOf(label).name).filter((name) => name !== '')).size < 2;
}

const ONE_OF_SEVERAL =
  /(?:^| )(?<!(?:best|closest|oldest) )(?:friend|mate|colleague|coworker|co-worker|neighbou?r|cousin|client|customer|student|pupil|classmate|patient)$/u;

/** Whether a label without a name may mean a different person each time: "User's friend". */
export function isOneOfSeveral(subject: string): boolean {
  const { relation, name } = partsOf(subject);
  return name === '' && ONE_OF_SEVERAL.test(relation);
}

/** Whether a text contains the name of a subject: "User's sister Ana" is named in "User moves in with Ana". */
export function isNamedIn(subject: string, text: string): boolean {
  const name = nameOf(subject);
  if (name === null) return false;
  const spaced = (words: string): string =>
    ` ${words
      .normalize('NFKC')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .join(' ')} `;
  // In a script without spaces, nothing separates a name from the words around it.
  return /\p{Lo}/u.test(name) ? text.includes(name) : spaced(text).includes(spaced(name));
}

/** Whether a subject is a thing and not a person: it is neither the user, nor a bare name, nor somebody who belongs to the user. */
export function isThing(subject: string): boolean {
  return !isUser(subject) && !belongsToUser(subject) && !/^\p{Lu}[\p{L}'’-]*(?:\s\p{Lu}[\p{L}'’-]*)*$/u.test(subject);
}

/**
 * Whether a reader's claim that two statements concern the same matter is plausible. Either they have the same subject, or each is about
 * the user or a thing, because one statement may have "the loan" as its subject and the other the user. Statements about two different
 * people never match.
 */
export function mayBeOneMatter(one: string, other: string): boolean {
  if (isSameSubject(one, other)) return true;
  return (isUser(one) || isThing(one)) && (isUser(other) || isThing(other));
}

/**
 * The known label of a subject, or the label itself. If two known subjects match ("User's sister" beside two named sisters), neither is
 * used: a statement about the wrong person is worse than a second label.
 */
export function knownSubject(subject: string, known: readonly string[]): string {
  if (isUser(subject) || known.includes(subject)) return subject;
  const matches = [...new Set(known)].filter((label) => isSameSubject(subject, label));
  const named = matches.filter((label) => partsOf(label).name !== '');
  // A label with a name is more specific than the same relation without one, so it stays.
  if (named.length === 0 && partsOf(subject).name !== '') return subject;
  const [only, ...others] = named.length > 0 ? named : matches;
  return only !== undefined && others.length === 0 ? only : subject;
}

/**
 * The stored form of a subject: "user", "the user" and the user's own names become `User`, and white space is collapsed. `names` are the
 * user's names, which the handle or the user's own statements provide.
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

/** The name of an attribute. */
export const keySchema: z.ZodString = z
  .string()
  .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'is not snake_case, such as home_city')
  .max(100);

/**
 * The name of an attribute as people and models write it: "Home City" and `homeCity` become `home_city`. Refusing such a name would cost
 * a second call with the same name in another spelling.
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

// Matches a word of an attribute's name that does not change its meaning. A current location may be a hotel; "location" means the home.
const TIME_WORD = /^(?:new_|(?:current|present)_(?!location$))/;

/** Merges an application's attributes into Varve's. An application can also change Varve's own attributes. */
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

/** "Home City" and `homeCity` → `home_city`; empty when no Latin letter is left. */
export function spelledKey(name: string): string {
  return snakeCase(wordsApart(name));
}

/** The key as earlier versions spelled it, which stores may still have: "Schuhgröße" was `schuhgro_e`. */
export function olderKey(name: string): string {
  return joinedWords(withoutMarks(wordsApart(name)));
}

/** "Home City" → `home_city`; empty when no Latin letter is left. */
export function snakeCase(name: string): string {
  return joinedWords(withoutMarks(name).replace(/[ßœæøłđðþı]/g, (letter) => BASE_LETTERS[letter] ?? letter));
}

/** Latin letters that Unicode does not decompose into a base letter and a mark. */
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

/** The label of an attribute in a language, or else in English, or else its name in words: "leadership_style" → "Leadership style". */
export function attributeLabel(table: AttributeTable, attribute: string, language = 'en'): string {
  const { labels } = table.policyOf(attribute);
  const label = labels[language] ?? labels.en;
  if (label !== '') return label;
  const words = attribute.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The normal form of a value for comparison: without case, accents, leading articles and punctuation, and with numbers in one notation
 * (`40k` is `40000`). Values with the same normal form are the same; values with different normal forms may still mean the same ("LA", "Los
 * Angeles").
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

/** Whether two values of an attribute are the same. */
export function isSameValue(one: string | null, other: string | null, shape: ValueShape = 'text'): boolean {
  if (one === null || other === null) return one === other;
  return normalValue(one, shape) === normalValue(other, shape);
}

/** Who or what an event comes from. */
export const ORIGINS = ['user', 'agent', 'tool', 'document', 'system'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The levels of trust, lowest first. */
export const TRUST_LEVELS = ['low', 'medium', 'high'] as const;
export type Trust = (typeof TRUST_LEVELS)[number];

/** The levels of confidence, lowest first. */
export const CONFIDENCE_LEVELS = ['low', 'medium', 'high'] as const;
export type Confidence = (typeof CONFIDENCE_LEVELS)[number];

const TRUST_OF_ORIGIN: Record<Origin, Trust> = {
  user: 'high',
  system: 'high',
  agent: 'medium',
  tool: 'low',
  document: 'low',
};

/** The trust that an origin starts with. */
export function trustOf(origin: Origin): Trust {
  return TRUST_OF_ORIGIN[origin];
}

/** Whether `one` is trusted more than `other`. A statement never replaces one that is trusted more. */
export function isMoreTrusted(one: Trust, other: Trust): boolean {
  return TRUST_LEVELS.indexOf(one) > TRUST_LEVELS.indexOf(other);
}

/** The trust of a statement that was derived from several sources: the lowest among them, and `low` without sources. */
export function lowestTrust(levels: readonly Trust[]): Trust {
  const lowest = Math.min(...levels.map((level) => TRUST_LEVELS.indexOf(level)));
  return TRUST_LEVELS[lowest] ?? 'low';
}
