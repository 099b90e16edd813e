import { type RawBuilder, sql } from 'kysely';
import { replaceStatements, statementsIn } from '../language/dated-line.ts';
import { BLOCK_KINDS, type BlockKindName } from '../record/block.ts';
import type { Scope } from '../record/scope.ts';
import type { Writer } from './database.ts';
import { beginEpoch, type Place } from './erase-records.ts';

/** Whether a text says what is to be out of sight. */
export type Says = (text: string) => boolean;

/**
 * Takes what was forgotten or erased out of the documents around a scope, and out of their history: the sentences and values that say
 * it. An answer that waits for review and says it is dropped: what it was made of is taken in anew. Gives back how many documents,
 * versions and answers it changed.
 */
export async function redactDocuments(writer: Writer, scope: Scope, says: Says): Promise<number> {
  const around = sql`tenant_id = ${scope.tenant}
    and (agent_id is null or ${scope.agent === null ? sql`1 = 1` : sql`agent_id = ${scope.agent}`})
    and (user_id is null or ${scope.user === null ? sql`1 = 1` : sql`user_id = ${scope.user}`})`;
  const { rows } = await sql<Place & { id: string; kind: string; content: string }>`
    select id, agent_id as agent, user_id as "user", kind, content from blocks where ${around}`.execute(writer);
  let changed = await dropHeldChanges(writer, around, says);
  const places: Place[] = [];
  for (const block of rows) {
    const isJson = BLOCK_KINDS[block.kind as BlockKindName]?.format === 'json';
    const redact = (content: string): string => (isJson ? redactJson(content, says) : redactText(content, says));
    const next = redact(block.content);
    if (next !== block.content) {
      await writer
        .updateTable('blocks')
        .set({ content: next })
        .where('tenant_id', '=', scope.tenant)
        .where('id', '=', block.id)
        .execute();
      places.push(block);
      changed += 1;
    }
    changed += await redactHistory(writer, scope.tenant, block.id, redact);
  }
  await beginEpoch(writer, scope.tenant, places);
  return changed;
}

/** A text without the sentences that say it. */
export function redactText(text: string, says: Says): string {
  return replaceStatements(text, (statement) => (says(statement) ? null : statement));
}

async function dropHeldChanges(writer: Writer, around: RawBuilder<unknown>, says: Says): Promise<number> {
  const { rows } = await sql<{ id: string; proposal: string }>`
    select id, proposal from held_changes where ${around}`.execute(writer);
  const saysSomewhere: Says = (text) => says(text) || statementsIn(text).some(says);
  const dropped = rows.filter(({ proposal }) => redactJson(proposal, saysSomewhere) !== proposal);
  for (const { id } of dropped) await sql`delete from held_changes where ${around} and id = ${id}`.execute(writer);
  return dropped.length;
}

/** Redacts the earlier versions of a document or of a memory. */
export async function redactHistory(
  writer: Writer,
  tenant: string,
  id: string,
  redact: (content: string) => string,
): Promise<number> {
  const revisions = await writer
    .selectFrom('revisions')
    .select(['version', 'before'])
    .where('tenant_id', '=', tenant)
    .where('record_id', '=', id)
    .where('before', 'is not', null)
    .execute();
  let changed = 0;
  for (const { version, before } of revisions) {
    const snapshot = JSON.parse(before ?? '{}') as { content?: unknown };
    if (typeof snapshot.content !== 'string') continue;
    const content = redact(snapshot.content);
    if (content === snapshot.content) continue;
    await writer
      .updateTable('revisions')
      .set({ before: JSON.stringify({ ...snapshot, content }) })
      .where('tenant_id', '=', tenant)
      .where('record_id', '=', id)
      .where('version', '=', version)
      .execute();
    changed += 1;
  }
  return changed;
}

/** Leaves the shape and takes out the values; a key goes with its value. */
export function redactJson(content: string, says: Says): string {
  let isChanged = false;
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string' && (says(value) || says(`${key} ${value}`))) {
      isChanged = true;
      return undefined;
    }
    if (Array.isArray(value)) return value.map((item) => walk(item, key)).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        const left = walk(member, name);
        return left === undefined ? [] : [[name, left]];
      }),
    );
  };
  const walked = walk(JSON.parse(content), '');
  return isChanged ? JSON.stringify(walked ?? {}) : content;
}
