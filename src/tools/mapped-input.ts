import { z } from 'zod';
import { snakeCase } from '../record/attributes.ts';
import { keySchema } from '../record/memory.ts';

/**
 * A key as models write it: "Home City" and `homeCity` are `home_city`. Refusing them would cost a second call, and the model would
 * send the same key in another spelling.
 */
export function mappedKey(): z.ZodType<string, unknown> & { describe(text: string): z.ZodType<string, unknown> } {
  return z.preprocess((key) => (typeof key === 'string' ? snakeCase(key.replace(CAMEL, '$1_$2')) : key), keySchema);
}

const CAMEL = /(\p{Ll})(\p{Lu})/gu;

/**
 * One of a few names, in any spelling: case, plural and separators do not count, synonyms are known, and what is none of them is
 * `otherwise`. The schema that a model sees still names the choices.
 */
export function mappedChoice<const Name extends string>(
  names: readonly [Name, ...Name[]],
  { otherwise, synonyms = {} }: { otherwise: NoInfer<Name>; synonyms?: Readonly<Record<string, NoInfer<Name>>> },
): z.ZodType<Name, unknown> & { describe(text: string): z.ZodType<Name, unknown> } {
  const map = (given: unknown): unknown => {
    if (typeof given !== 'string') return given;
    const key = snakeCase(given.replace(CAMEL, '$1_$2'));
    const singular = key.replace(/s$/, '');
    const known = names.find((name) => name === key || name === singular || name.replace(/s$/, '') === singular);
    return known ?? synonyms[key] ?? synonyms[singular] ?? otherwise;
  };
  return z.preprocess(map, z.enum(names as unknown as [Name, ...Name[]]));
}
