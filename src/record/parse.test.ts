import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parse, textSchema } from './parse.ts';

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
    options: z.strictObject({ limit: z.int() }),
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
    [{ limit: 3 }, 'Has unknown fields: "limit" (it belongs in options.limit)'],
    [[], 'Expected an object, got a list'],
  ])('%j: %s', ([input, problem]) => {
    expect(() => parse(schema, input, 'The body')).toThrow(`The body cannot be used. ${problem}`);
  });

  it('names what is missing, and the fields that exist', () => {
    const problems = 'confirm: is missing (expected a text)';
    expect(() => parse(needed, {}, 'The body')).toThrow(`The body cannot be used. ${problems}`);
    const fields = 'Has unknown fields: "user" (the fields are confirm)';
    expect(() => parse(needed.strict(), { confirm: 'ana', user: 'ana' }, 'The body')).toThrow(fields);
  });
});
