import { z } from 'zod';
import { timeSchema } from '../../record/parse.ts';

/** The most items of a list that has no pages. */
export function limitSchema(maximum: number): z.ZodOptional<z.ZodInt> {
  return z.int().min(1).max(maximum).optional();
}

export const levelSchema: z.ZodOptional<z.ZodEnum> = z.enum(['tenant', 'agent', 'user', 'session']).optional();

/** Reads what was known at a time instead of what is known now. */
export const asOfSchema: z.ZodOptional<typeof timeSchema> = timeSchema.optional();

/** The id in the path. */
export function idOf(params: Record<string, string>): string {
  return params['id'] ?? '';
}
