import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import {
  type AttributeInput,
  ATTRIBUTES,
  type AttributeTable,
  FACT_CATEGORIES,
  TRAITS,
  UNKNOWN_ATTRIBUTE,
  VALUE_SHAPES,
} from './attributes.ts';
import { parse } from './parse.ts';

export const keySchema: z.ZodString = z
  .string()
  .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'is not snake_case, such as home_city')
  .max(100);

/** Accepts a name as people and models write it: "Home City" and `homeCity` become `home_city`. A refusal would only cost a second call. */
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

// These prefixes do not change what a name means. "current" before "location" does: it may be a hotel, and "location" is the home.
const TIME_WORD = /^(?:new_|(?:current|present)_(?!location$))/;

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

/** "Home City" and `homeCity` become `home_city`. Empty if no Latin letter is left. */
export function spelledKey(name: string): string {
  return snakeCase(wordsApart(name));
}

/** The key as earlier versions of Varve spelled it, because stores may still contain it: "Schuhgröße" was `schuhgro_e`. */
export function olderKey(name: string): string {
  return joinedWords(withoutMarks(wordsApart(name)));
}

/** "Home City" → `home_city`. Does not split `homeCity`. Empty if no Latin letter is left. */
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

/** Falls back to English, and then to the name in words: "leadership_style" becomes "Leadership style". */
export function attributeLabel(table: AttributeTable, attribute: string, language = 'en'): string {
  const { labels } = table.policyOf(attribute);
  const label = labels[language] ?? labels.en;
  if (label !== '') return label;
  const words = attribute.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
