import type { z } from 'zod';

/**
 * A field that a model is told to write, and that has a value of its own where it is missing or wrong: one such field
 * must not cost a whole answer. The JSON schema does not name the fallback, because strict providers refuse defaults.
 */
export function lenient<Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>): z.ZodCatch<Schema> {
  return schema.catch(fallback as never).meta({ default: undefined }) as unknown as z.ZodCatch<Schema>;
}
