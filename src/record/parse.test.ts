import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parse, textSchema, timeSchema } from './parse.ts';

const schema = z
  .strictObject({
    name: textSchema(5),
    count: z.int().min(1).max(3),
    share: z.number().positive(),
    order: z.enum(['newest', 'oldest']),
    texts: z.array(z.string().max(4)).min(1).max(2),
    value: z.union([z.string(), z.number()]),
    day: z.string().regex(/^\d{4}/),
    isOpen: z.boolean(),
    options: z.strictObject({ limit: z.int() }).partial(),
  })
  .partial();
const needed = z.object({ confirm: z.string() });

describe('the wording of invalid input', () => {
  it.for<[object: unknown, problem: string]>([
    [{ name: 'Miriam' }, 'name: is longer than 5 characters'],
    [{ name: 5 }, 'name: expected a text, got 5'],
    [{ name: null }, 'name: expected a text, got null'],
    [{ count: 0 }, 'count: expected at least 1, got 0'],
    [{ count: 1.5 }, 'count: expected a whole number, got 1.5'],
    [{ share: 0 }, 'share: expected more than 0, got 0'],
    [{ order: 'latest' }, 'order: expected "newest" or "oldest", got "latest"'],
    [{ texts: [] }, 'texts: has 0 items, expected at least 1'],
    [{ texts: ['longer'] }, 'texts.0: has 6 characters, expected at most 4'],
    [{ texts: 'one' }, 'texts: expected a list, got a text'],
    [{ value: true }, 'value: has none of the accepted forms'],
    [{ day: 'tomorrow' }, 'day: does not match /^\\d{4}/'],
    [{ isOpen: 'yes' }, 'isOpen: expected true or false, got a text'],
    [{ count: 'three' }, 'count: expected a number, got "three".'],
    [{ limit: 3 }, 'It has unknown fields: "limit". It belongs in options.limit. The fields are name, count, '],
    [{ oder: 'newest' }, 'It has unknown fields: "oder". Did you mean order? The fields are name, count, '],
    [{ options: { limits: 3 } }, 'options: has unknown fields: "limits". Did you mean limit? The fields are limit.'],
    [[], 'Expected an object, got a list'],
  ])('%j: %s', ([input, problem]) => {
    expect(() => parse(schema, input, 'The body')).toThrow(`The body cannot be used. ${problem}`);
  });

  it('refuses a time in seconds, and accepts a Date, a text and milliseconds', () => {
    const said = 'expected milliseconds since 1970, got 1763200000, which looks like seconds: multiply it by 1000';
    expect(() => parse(timeSchema, 1_763_200_000, 'The time')).toThrow(said.slice(1));
    for (const time of [1_763_200_000_000, new Date(1_763_200_000_000), '2025-11-15T09:46:40Z'])
      expect(parse(timeSchema, time, 'The time').getTime()).toBe(1_763_200_000_000);
    expect(parse(timeSchema, 0, 'The time').getTime()).toBe(0);
  });

  it('names what is missing, and the fields that exist', () => {
    const problems = 'confirm: is missing (expected a text)';
    expect(() => parse(needed, {}, 'The body')).toThrow(`The body cannot be used. ${problems}`);
    expect(() => parse(needed, undefined, 'The body')).toThrow('It is missing (expected an object).');
    const fields = 'It has unknown fields: "user". The fields are confirm.';
    expect(() => parse(needed.strict(), { confirm: 'ana', user: 'ana' }, 'The body')).toThrow(fields);
  });
});
