import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { invalidInput } from '../errors.ts';
import type { Entity, EntityType, NewEntity } from '../record/entity.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Parts, Reader, Writer } from './database.ts';
import { changeOwner } from './owner-store.ts';
import {
  insertion,
  insertNew,
  isIn,
  ofOwner,
  ofVisibleOwners,
  ownerColumns,
  removeRows,
  rowsBy,
  rowsInReach,
  rowsWhere,
  scopeOfRow,
  setColumns,
} from './rows.ts';
import type { EntityTable } from './schema.ts';
import { entitySlug } from '../language/entities.ts';

export function toEntity(row: Selectable<EntityTable>): Entity {
  return {
    id: row.id,
    scope: scopeOfRow(row),
    type: row.type,
    name: row.name,
    slug: row.slug,
    aliases: JSON.parse(row.aliases) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** Upserts an entity: if the owner has one of this type under any of the names, adds the new names and metadata to it. */
export async function writeEntity(writer: Writer, parts: Parts, scope: Scope, input: NewEntity): Promise<Entity> {
  const slug = entitySlug(input.name);
  if (slug === '') throw invalidInput(`The entity name ${JSON.stringify(input.name)} has no letters or digits.`);
  const now = parts.clock.now();
  await changeOwner(writer, scope, now);
  const known = await findByName(writer, scope, input.type, [slug, ...(input.aliases ?? []).map(entitySlug)]);
  const names = [...(known?.aliases ?? []), ...(known === null ? [] : [input.name]), ...(input.aliases ?? [])];
  const name = known?.name ?? input.name;
  const aliases = [...new Set(names)].filter(
    (alias) => entitySlug(alias) !== entitySlug(name) && entitySlug(alias) !== '',
  );
  const row: Selectable<EntityTable> = {
    ...ownerColumns(scope),
    id: known?.id ?? parts.ids.next('ent'),
    type: input.type,
    name,
    slug: known?.slug ?? slug,
    aliases: JSON.stringify(aliases),
    metadata: JSON.stringify({ ...known?.metadata, ...input.metadata }),
    created_at: known?.createdAt.getTime() ?? now,
    updated_at: now,
  };
  // An imported entity may have the id of another owner's entity, which must not be changed.
  await sql`${insertion('entities', [row])} on conflict (tenant_id, id) do update set type = excluded.type,
      aliases = excluded.aliases, metadata = excluded.metadata, updated_at = excluded.updated_at
    where entities.owner_key = excluded.owner_key`.execute(writer);
  const slugs = [...new Set([row.slug, slug, ...aliases.map(entitySlug)])];
  const { tenant_id, owner_key, id: entity_id } = row;
  const namesOfRow = slugs.map((name) => ({ tenant_id, owner_key, slug: name, entity_id }));
  await insertNew(writer, 'entity_names', namesOfRow);
  return toEntity(row);
}

/** Also removes the names, and the memories' references. Returns the number of removed entities. */
export async function removeEntityRows(writer: Writer, tenant: string, ids: readonly string[]): Promise<number> {
  const links = await rowsBy(writer, tenant, 'memory_entities', { entity_id: ids }, ['memory_id']);
  const linked = links.map(({ memory_id }) => memory_id);
  const gone = new Set(ids);
  for (const { id, entities } of await rowsBy(writer, tenant, 'memories', { id: linked }, ['id', 'entities'])) {
    const left = (JSON.parse(entities) as string[]).filter((entity) => !gone.has(entity));
    await setColumns(writer, 'memories', { tenant, id }, { entities: JSON.stringify(left) });
  }
  await removeRows(writer, tenant, 'entity_names', { entity_id: ids });
  await removeRows(writer, tenant, 'memory_entities', { entity_id: ids });
  return removeRows(writer, tenant, 'entities', { id: ids });
}

/** Falls back to an entity of type `other`, whose type `writeEntity` then changes. */
async function findByName(reader: Reader, scope: Scope, type: EntityType, slugs: string[]): Promise<Entity | null> {
  const entities = await namedEntities(reader, scope.tenant, ofOwner(scope), slugs);
  return entities.find((entity) => entity.type === type) ?? entities.find((entity) => entity.type === 'other') ?? null;
}

async function namedEntities(
  reader: Reader,
  tenant: string,
  ofOwners: RawBuilder<SqlBool>,
  slugs: readonly string[],
): Promise<Entity[]> {
  const isNamed = sql`tenant_id = ${tenant} and id in (
    select entity_id from entity_names where ${ofOwners} and ${isIn('slug', slugs)}) order by created_at`;
  return (await rowsWhere(reader, 'entities', isNamed)).map(toEntity);
}

export async function isOthersEntity(reader: Reader, scope: Scope, id: string): Promise<boolean> {
  const [row] = await rowsBy(reader, scope.tenant, 'entities', { id: [id] }, ['owner_key']);
  return row !== undefined && row.owner_key !== ownerKey(scope);
}

export async function findEntitiesByName(reader: Reader, scope: Scope, names: readonly string[]): Promise<Entity[]> {
  const slugs = [...new Set(names.map(entitySlug))].filter((slug) => slug !== '');
  return slugs.length === 0 ? [] : namedEntities(reader, scope.tenant, ofVisibleOwners(scope), slugs);
}

export async function listEntities(reader: Reader, scope: Scope, limit: number): Promise<Entity[]> {
  const named = sql`${ofVisibleOwners(scope)} order by name limit ${limit}`;
  return (await rowsWhere(reader, 'entities', named)).map(toEntity);
}

export async function findEntity(reader: Reader, scope: Scope, id: string): Promise<Entity | null> {
  const [row] = await rowsInReach(reader, scope, 'entities', [id]);
  return row === undefined ? null : toEntity(row);
}
