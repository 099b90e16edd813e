import { sql } from 'kysely';
import type { BlockKindName } from '../record/block.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import { ownerLevel, type Scope, SCOPE_LEVELS, type ScopeLevel, visibleOwners } from '../record/scope.ts';
import type { Quote } from '../record/statement.ts';
import { staleKeys, toBlock, withoutStale } from './block-store.ts';
import type { Reader } from './database.ts';
import { isTagged, toMemory } from './record-rows.ts';
import { isIn, ofVisibleOwners, rowsBy, rowsWhere, visibleFrom } from './rows.ts';

export interface VisibleBlock {
  id: string;
  kind: BlockKindName;
  level: ScopeLevel;
  connection: string | null;
  content: unknown;
  /** Ids by the hash of a sentence or the name of an entry. */
  restsOn: ReadonlyMap<string, readonly string[]>;
}

/** Leaves out stale sentences. The tenant's blocks come first, the session's last. */
export async function visibleBlocks(
  reader: Reader,
  scope: Scope,
  connections: readonly string[],
  standing: { now: number; memoryTypes: MemoryTypeTable },
): Promise<VisibleBlock[]> {
  const rows = await rowsWhere(reader, 'blocks', visibleFrom(scope, connections));
  const blocks = rows.map(toBlock);
  const stale = await staleKeys(reader, scope.tenant, blocks, standing);
  return blocks
    .map((block) => ({
      id: block.id,
      kind: block.kind,
      level: block.scope.session === null ? ownerLevel(block.scope) : ('session' as const),
      connection: block.scope.connection,
      content: withoutStale(block, stale),
      restsOn: new Map(Object.entries(block.basis).map(([key, { rests }]) => [key, Object.keys(rests)])),
    }))
    .sort((one, other) => SCOPE_LEVELS.indexOf(one.level) - SCOPE_LEVELS.indexOf(other.level));
}

/** Does not change with new events. An erasure may leave it unchanged, so compare the owners' incarnations as well. */
export async function knowledgeStamp(reader: Reader, scope: Scope): Promise<string> {
  const owners = visibleOwners(scope);
  // One index lookup per owner: grouping would read all rows of the owner.
  const latest = owners.map(
    (owner) => sql<number | null>`(select max(sequence) from memories
      where tenant_id = ${scope.tenant} and owner_key = ${owner})`,
  );
  const { rows } = await sql<Record<string, number | null>>`
    select ${sql.join(latest.map((each, index) => sql`${each} as ${sql.ref(`owner_${index}`)}`))}`.execute(reader);
  const { rows: blocks } = await sql<Record<'owner_key' | 'versions' | 'count', string | number>>`
    select owner_key, sum(version) as versions, count(*) as count from blocks
    where ${ofVisibleOwners(scope)} group by owner_key order by owner_key`.execute(reader);
  return JSON.stringify([
    owners.map((_, index) => Number(rows[0]?.[`owner_${index}`] ?? -1)),
    blocks.map((row) => [row.owner_key, Number(row.versions), Number(row.count)]),
  ]);
}

/** `upTo` is the version up to which each owner's events were added. */
export interface Said {
  characters: number;
  upTo: ReadonlyMap<string, number>;
}

export const NOTHING_SAID: Said = { characters: 0, upTo: new Map() };

export async function saidSince(reader: Reader, scope: Scope, before: Said): Promise<Said> {
  const later = visibleOwners(scope).map(
    (owner) => sql`(owner_key = ${owner} and sequence > ${before.upTo.get(owner) ?? -1})`,
  );
  const { rows } = await sql<{ owner: string; characters: number | string; last: number | string }>`
    select owner_key as owner, sum(length(content)) as characters, max(sequence) as last from events
    where tenant_id = ${scope.tenant} and (${sql.join(later, sql` or `)}) group by owner_key`.execute(reader);
  return {
    characters: rows.reduce((sum, row) => sum + Number(row.characters), before.characters),
    upTo: new Map([...before.upTo, ...rows.map(({ owner, last }) => [owner, Number(last)] as const)]),
  };
}

export async function memoriesByTag(
  reader: Reader,
  scope: Scope,
  { types, tags, limit }: { types: readonly string[]; tags: readonly string[]; limit: number },
): Promise<Memory[]> {
  if (types.length === 0 || tags.length === 0) return [];
  const latest = sql`${visibleFrom(scope)} and ${isIn('type', types)} and archived_at is null and ${isTagged(tags)}
    order by created_at desc, row_id desc limit ${limit}`;
  return (await rowsWhere(reader, 'memories', latest)).map(toMemory);
}

export type QuotedStatement = Pick<Memory, 'id' | 'attribute' | 'content' | 'quotes' | 'importance'>;

export async function quotedStatements(
  reader: Reader,
  tenant: string,
  ids: readonly string[],
): Promise<QuotedStatement[]> {
  const columns = ['id', 'attribute', 'content', 'quotes', 'importance'] as const;
  const rows = await rowsBy(reader, tenant, 'memories', { id: ids }, columns);
  return rows.map((row) => ({ ...row, quotes: JSON.parse(row.quotes) as Quote[] }));
}
