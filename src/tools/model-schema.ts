import { z } from 'zod';

// Bounds are checked when a tool is called, and an error says what would be right: a model need not read them in every conversation.
const LEFT_OUT: ReadonlySet<string> = new Set(
  '$schema additionalProperties minLength maxLength minItems maxItems minimum maximum pattern format'.split(' '),
);

/** The JSON schema of a tool's input or output as a model reads it: names, types, choices, and what an input means. */
export function modelSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const leftOut = io === 'input' ? LEFT_OUT : new Set([...LEFT_OUT, 'description', 'required']);
  return shortened(z.toJSONSchema(schema, { io }), { leftOut }) as Record<string, unknown>;
}

/** `isNames`: the keys are the names of properties, of which none is left out. */
function shortened(
  value: unknown,
  { leftOut, isNames = false }: { leftOut: ReadonlySet<string>; isNames?: boolean },
): unknown {
  if (Array.isArray(value)) return value.map((item) => shortened(item, { leftOut }));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !leftOut.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => [key, shortened(item, { leftOut, isNames: !isNames && key === 'properties' })]),
  );
}
