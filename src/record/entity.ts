import { z } from 'zod';
import { metadataSchema, textSchema } from './parse.ts';
import type { Scope } from './scope.ts';

export const ENTITY_TYPES = [
  'person',
  'organisation',
  'place',
  'content',
  'service',
  'metric',
  'project',
  'product',
  'topic',
  'other',
] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** A person, place, organisation or other thing that memories mention. */
export interface Entity {
  id: string;
  scope: Scope;
  type: EntityType;
  name: string;
  slug: string;
  aliases: string[];
  metadata: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

/** An entity as an application passes it in. */
export interface NewEntity {
  type: EntityType;
  name: string;
  /** Other names of the same entity. */
  aliases?: string[];
  metadata?: Record<string, unknown>;
}

export const newEntitySchema: z.ZodType<NewEntity, NewEntity> = z.strictObject({
  type: z.enum(ENTITY_TYPES),
  name: textSchema(200),
  aliases: z.array(textSchema(200)).max(50).optional(),
  metadata: metadataSchema.optional(),
});
