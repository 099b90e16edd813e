import { z } from 'zod';
import { type Entity, type NewEntity, newEntitySchema } from '../record/entity.ts';
import { parse } from '../record/parse.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import type { Parts } from '../store/database.ts';
import { findEntitiesByName, findEntity, listEntities, writeEntity } from '../store/entity-store.ts';

/** The people, places and things that memories are about. */
export interface EntityHandle {
  /** Stores an entity, or merges it into the entity of its type that already has this name or alias. */
  add(entity: NewEntity): Promise<Entity>;
  get(id: string): Promise<Entity | null>;
  /** Finds the entities that have one of these names or aliases. */
  find(names: readonly string[]): Promise<Entity[]>;
  /** Lists the entities by name. Default: 100. */
  list(options?: { limit?: number }): Promise<Entity[]>;
}

export function entityHandle(parts: Parts, scope: Scope): EntityHandle {
  const { database } = parts;
  return {
    async add(entity) {
      const checked = parse(newEntitySchema, entity, 'The entity');
      const owner = ownerOf(scope);
      return database.write(scope.tenant, (writer) => writeEntity(writer, parts, owner, checked));
    },
    get: (id) => database.read(scope.tenant, (reader) => findEntity(reader, scope, id)),
    find: (names) => database.read(scope.tenant, (reader) => findEntitiesByName(reader, scope, names)),
    async list({ limit = 100 } = {}) {
      parse(z.int().min(1).max(10_000), limit, 'The limit');
      return database.read(scope.tenant, (reader) => listEntities(reader, scope, limit));
    },
  };
}
