import { z } from 'zod';
import { newDecisionSchema, newOutcomeSchema } from '../observe/decisions.ts';
import { newDocumentSchema } from '../observe/index-document.ts';
import { newInteractionSchema } from '../observe/log-interaction.ts';
import { newApiKeySchema } from '../operate/api-keys.ts';
import { recallFilterSchema } from '../store/record-filter.ts';
import { recallOptionsSchema } from '../recall/recall-options.ts';
import { newEntitySchema } from '../record/entity.ts';
import { newEventSchema } from '../record/event.ts';
import { memoryChangeSchema, newMemorySchema } from '../record/memory.ts';
import { timeSchema } from '../record/parse.ts';
import { NAMED } from './record-schemas.ts';

export interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  $ref?: string;
  [keyword: string]: unknown;
}

const NAMED_INPUTS: Readonly<Record<string, z.ZodType>> = {
  NewEvent: newEventSchema,
  NewMemory: newMemorySchema,
  MemoryChange: memoryChangeSchema,
  NewInteraction: newInteractionSchema,
  NewDocument: newDocumentSchema,
  NewDecision: newDecisionSchema,
  NewOutcome: newOutcomeSchema,
  NewEntity: newEntitySchema,
  NewApiKey: newApiKeySchema,
  RecallOptions: recallOptionsSchema,
  RecallFilter: recallFilterSchema,
};

const registry: z.core.$ZodRegistry<{ id: string }> = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({ ...NAMED, ...NAMED_INPUTS })) registry.add(schema, { id });

/** `named` are the schemas that the result refers to under `#/components/schemas/`. */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): { schema: JsonSchema; named: Record<string, JsonSchema> } {
  // Zod inlines a named schema at the top level, but refers to it inside an object.
  const whole = z.toJSONSchema(z.object({ it: schema }), {
    io,
    metadata: registry,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: made }) {
      if ((zodSchema as unknown) === timeSchema) Object.assign(reset(made), TIME);
      delete made['id'];
      if (made.format === 'date-time') delete made.pattern;
      // Later versions may add fields to answers.
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties;
      // Zod adds these bounds to every integer. They only make the document longer.
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
    },
  }) as JsonSchema;
  const named = (whole['$defs'] ?? {}) as Record<string, JsonSchema>;
  const text = JSON.stringify({ schema: whole.properties?.['it'] ?? {}, named });
  // The only recursive schema without a name is that of any JSON value.
  const renamed = text.replaceAll('"#/$defs/', '"#/components/schemas/').replaceAll(/__schema\d+/g, 'JsonValue');
  return JSON.parse(renamed) as ReturnType<typeof jsonSchema>;
}

const TIME = { type: 'string', format: 'date-time', description: 'ISO 8601, or milliseconds since 1970 as a number.' };

function reset(schema: object): object {
  for (const key of Object.keys(schema)) delete (schema as Record<string, unknown>)[key];
  return schema;
}
