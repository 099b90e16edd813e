import { indexWords } from '../language/words.ts';
import type { Memory } from '../record/memory.ts';
import { ownerKey } from '../record/scope.ts';
import type { Writer } from './database.ts';
import { queueForEmbedding } from './embedding-store.ts';
import { searchableText } from './memory-rows.ts';
import type { Parts } from './parts.ts';

export type Links = Pick<Memory, 'tags' | 'sourceEvents' | 'entities'>;

/** Keeps full text and the link tables in step with a memory. */
export async function indexMemory(
  writer: Writer,
  parts: Parts,
  rowId: number,
  memory: Memory,
  before: Links,
  textChanged = true,
): Promise<void> {
  const tenant = memory.scope.tenant;
  const owner = ownerKey(memory.scope);
  if (textChanged) {
    await parts.database.text.add(writer, 'memory', [
      { tenant, owner, rowId, words: indexWords(searchableText(memory)) },
    ]);
    await queueForEmbedding(writer, [{ tenant, owner, kind: 'memory', rowId, version: memory.version }]);
  }
  const gone = before.tags.filter((tag) => !memory.tags.includes(tag));
  if (gone.length > 0) {
    await writer
      .deleteFrom('memory_tags')
      .where('tenant_id', '=', tenant)
      .where('memory_id', '=', memory.id)
      .where('tag', 'in', gone)
      .execute();
  }
  const goneEntities = before.entities.filter((entity) => !memory.entities.includes(entity));
  if (goneEntities.length > 0) {
    await writer
      .deleteFrom('memory_entities')
      .where('tenant_id', '=', tenant)
      .where('memory_id', '=', memory.id)
      .where('entity_id', 'in', goneEntities)
      .execute();
  }
  const tags = added(memory.tags, before.tags).map((tag) => ({
    tenant_id: tenant,
    owner_key: owner,
    tag,
    memory_id: memory.id,
  }));
  if (tags.length > 0) await writer.insertInto('memory_tags').values(tags).execute();
  const sources = added(memory.sourceEvents, before.sourceEvents).map((event_id) => ({
    tenant_id: tenant,
    event_id,
    memory_id: memory.id,
  }));
  if (sources.length > 0) await writer.insertInto('memory_sources').values(sources).execute();
  const entities = added(memory.entities, before.entities).map((entity_id) => ({
    tenant_id: tenant,
    entity_id,
    memory_id: memory.id,
  }));
  if (entities.length > 0) await writer.insertInto('memory_entities').values(entities).execute();
}

function added(after: readonly string[], before: readonly string[]): string[] {
  return after.filter((item) => !before.includes(item));
}
