import type { Selectable } from 'kysely';
import { VarveError } from '../errors.ts';
import { BLOCK_KINDS, serializeBlock, type Basis, type Block, type BlockKindName } from '../record/block.ts';
import type { Change } from '../record/revision.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Reader, Writer } from './database.ts';
import { changeOwner } from './owner-store.ts';
import type { Parts } from './parts.ts';
import { recordRevision, snapshotsAsOf } from './revision-store.ts';
import type { BlockTable } from './schema.ts';

type BlockRow = Selectable<BlockTable>;

/** A block from its row. */
export function toBlock(row: BlockRow): Block {
  return {
    id: row.id,
    scope: {
      tenant: row.tenant_id,
      agent: row.agent_id,
      user: row.user_id,
      session: row.session_id || null,
      connection: row.connection_id || null,
    },
    kind: row.kind as BlockKindName,
    content:
      BLOCK_KINDS[row.kind as BlockKindName].format === 'json' ? (JSON.parse(row.content) as unknown) : row.content,
    // A snapshot from before documents rested on statements has none.
    basis: JSON.parse((row.basis as string | undefined) ?? '{}') as Basis,
    version: row.version,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** The block of exactly this scope, as it is or as it was; null when there is none. */
export async function findBlock(
  reader: Reader,
  scope: Scope,
  kind: BlockKindName,
  asOf: Date | null = null,
): Promise<Block | null> {
  const row = await findRow(reader, scope, kind);
  if (row === undefined) return null;
  if (asOf === null) return toBlock(row);
  if (row.created_at > asOf.getTime()) return null;
  const before = (await snapshotsAsOf(reader, scope.tenant, [row.id], asOf)).get(row.id);
  return toBlock(before === undefined ? row : (JSON.parse(before) as BlockRow));
}

async function findRow(reader: Reader, scope: Scope, kind: BlockKindName): Promise<BlockRow | undefined> {
  return reader
    .selectFrom('blocks')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('session_id', '=', scope.session ?? '')
    .where('connection_id', '=', scope.connection ?? '')
    .where('kind', '=', kind)
    .executeTakeFirst();
}

/** What a block is to hold from now on. */
export interface BlockReplacement {
  kind: BlockKindName;
  content: unknown;
  /** What it rests on. Left out: sentences and entries that stay as they were rest on what they rested on. */
  basis?: Basis;
  /** The version that the caller has seen, 0 for none: another one is a conflict. Left out: whatever is there. */
  expectedVersion?: number;
}

/** Replaces a block and keeps what it was. The same content on the same basis changes nothing. */
export async function replaceBlock(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  replacement: BlockReplacement,
  change: Change,
): Promise<Block> {
  const { kind, expectedVersion } = replacement;
  const content = serializeBlock(kind, scope, replacement.content);
  const now = parts.clock.now();
  await changeOwner(writer, scope, now);
  const before = await findRow(writer, scope, kind);
  const version = before?.version ?? 0;
  if (expectedVersion !== undefined && expectedVersion !== version) {
    throw new VarveError(`The block ${kind} is at version ${version}, not ${expectedVersion}. Read it again.`, {
      code: 'conflict',
      retryable: true,
      details: { kind, version, expectedVersion },
    });
  }
  const basis = JSON.stringify(replacement.basis ?? JSON.parse(before?.basis ?? '{}'));
  if (before !== undefined && before.content === content && before.basis === basis) return toBlock(before);
  const row: BlockRow = {
    tenant_id: scope.tenant,
    owner_key: ownerKey(scope),
    id: before?.id ?? parts.ids.next('blk'),
    agent_id: scope.agent,
    user_id: scope.user,
    session_id: scope.session ?? '',
    connection_id: scope.connection ?? '',
    kind,
    content,
    basis,
    version: version + 1,
    created_at: before?.created_at ?? now,
    updated_at: now,
  };
  await writer
    .insertInto('blocks')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'owner_key', 'session_id', 'connection_id', 'kind'])
        .doUpdateSet({ content, basis, version: version + 1, updated_at: now }),
    )
    .execute();
  await recordRevision(writer, {
    tenant: scope.tenant,
    ownerKey: row.owner_key,
    recordId: row.id,
    version: row.version,
    at: now,
    change,
    before: before === undefined ? null : JSON.stringify(before),
  });
  return toBlock(row);
}
