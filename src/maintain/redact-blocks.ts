import { sql } from 'kysely';
import { contentStems, coveredBy } from '../form/guards/text-overlap.ts';
import { splitSentences } from '../language/split-sentences.ts';
import { BLOCK_KINDS, type BlockKindName } from '../record/block.ts';
import type { Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { letGoOfCaches } from '../store/erase-records.ts';

/** A sentence that has so many of its words from an erased text says what that said. */
const SAYS_IT = 0.8;

/**
 * Takes what was erased out of the documents that stay, and out of their history: sentences and values that say what an
 * erased text said, and that nothing which stays says as well. Gives back how many documents and versions it changed.
 */
export async function redactBlocks(
  writer: Writer,
  scope: Scope,
  { erased, kept }: { erased: readonly string[]; kept: readonly string[] },
): Promise<number> {
  const gone = erased.map(contentStems).filter((stems) => stems.size > 0);
  const stays = kept.map(contentStems);
  if (gone.length === 0) return 0;
  const saysErased = (text: string): boolean => {
    const stems = contentStems(text);
    if (stems.size === 0) return false;
    return (
      gone.some((each) => coveredBy(stems, each) >= SAYS_IT) && !stays.some((each) => coveredBy(stems, each) >= SAYS_IT)
    );
  };
  const { rows } = await sql<{ id: string; owner: string; kind: string; content: string }>`
    select id, owner_key as owner, kind, content from blocks where tenant_id = ${scope.tenant}
      and (agent_id is null or ${scope.agent === null ? sql`1 = 1` : sql`agent_id = ${scope.agent}`})
      and (user_id is null or ${scope.user === null ? sql`1 = 1` : sql`user_id = ${scope.user}`})`.execute(writer);
  let changed = 0;
  const owners = new Set<string>();
  for (const block of rows) {
    const isJson = BLOCK_KINDS[block.kind as BlockKindName]?.format === 'json';
    const redact = (content: string): string =>
      isJson ? redactJson(content, saysErased) : redactText(content, saysErased);
    const next = redact(block.content);
    if (next !== block.content) {
      await writer
        .updateTable('blocks')
        .set({ content: next })
        .where('tenant_id', '=', scope.tenant)
        .where('id', '=', block.id)
        .execute();
      owners.add(block.owner);
      changed += 1;
    }
    changed += await redactHistory(writer, scope.tenant, block.id, redact);
  }
  await letGoOfCaches(writer, scope.tenant, owners);
  return changed;
}

async function redactHistory(
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

function redactText(text: string, saysErased: (text: string) => boolean): string {
  let redacted = text;
  for (const { text: sentence, span } of splitSentences(text).toReversed()) {
    if (saysErased(sentence)) redacted = redacted.slice(0, span.start) + redacted.slice(span.end);
  }
  return redacted === text ? text : redacted.replace(/[ \t]{2,}/g, ' ').trim();
}

/** Leaves the shape and takes out the values; a key goes with its value. */
function redactJson(content: string, saysErased: (text: string) => boolean): string {
  let isChanged = false;
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string' && (saysErased(value) || saysErased(`${key} ${value}`))) {
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
