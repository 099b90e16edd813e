import { replaceStatements, statementsIn } from '../language/dated-line.ts';
import { bareStatement } from '../language/sentences.ts';
import { type Block, BLOCK_KINDS, blockWordLimit, countWords } from '../record/block.ts';
import { contentHash, type Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerKey } from '../record/scope.ts';
import { replaceBlock, toBlock } from './block-store.ts';
import type { Writer } from './database.ts';
import type { Parts } from './parts.ts';

/**
 * Brings an owner's documents up to date with a memory that changed, or is no longer so: where they say word for word
 * what it said, they say what it says now, or nothing. What a model has put into words of its own waits for its next
 * rewriting.
 */
export async function restateInBlocks(
  writer: Writer,
  parts: Parts,
  { before, after, change }: { before: Memory; after: Memory | null; change: Change },
): Promise<void> {
  const rows = await writer
    .selectFrom('blocks')
    .selectAll()
    .where('tenant_id', '=', before.scope.tenant)
    .where('owner_key', '=', ownerKey(before.scope))
    .where('kind', 'in', ['working_memory', 'profile', 'reflections', 'scaffold'])
    .execute();
  const why = { ...change, reason: `no longer so: ${change.reason}`.slice(0, 500) };
  for (const block of rows.map(toBlock)) {
    const content = restated(block, bareStatement(before.content), after);
    if (content !== block.content) await replaceBlock(writer, parts, block.scope, { kind: block.kind, content }, why);
  }
}

function restated({ kind, scope, content, basis }: Block, old: string, after: Memory | null): unknown {
  if (BLOCK_KINDS[kind].format === 'json') return withoutItems(content, old);
  const text = content as string;
  // What a sentence rests on is known: it is stale by itself, and is written anew with the next consolidation.
  const isOld = (statement: string): boolean =>
    bareStatement(statement) === old && basis[contentHash(statement)] === undefined;
  const without = replaceStatements(text, (statement) => (isOld(statement) ? null : statement));
  // What a tool or a page says does not get into a document by this way.
  if (without === text || after === null || after.trust === 'low') return without;
  const now = `${after.content.replace(/\.$/, '')}.`;
  if (statementsIn(text).some((statement) => bareStatement(statement) === bareStatement(now))) return without;
  const next = replaceStatements(text, (statement, { isListed }) => {
    if (!isOld(statement)) return statement;
    // A line of a list has the date of the statement that is gone.
    return isListed ? null : now;
  });
  const limit = blockWordLimit(kind, scope);
  return limit !== null && countWords(next) > limit ? without : next;
}

/** Data without the items of lists that say it; the same value where there are none. */
function withoutItems(content: unknown, old: string): unknown {
  if (Array.isArray(content)) {
    const left = content
      .filter((item) => typeof item !== 'string' || bareStatement(item) !== old)
      .map((item) => withoutItems(item, old));
    return left.length === content.length && left.every((item, index) => item === content[index]) ? content : left;
  }
  if (typeof content !== 'object' || content === null) return content;
  const left = Object.entries(content).map(([key, value]) => [key, withoutItems(value, old)] as const);
  return left.every(([key, value]) => value === (content as Record<string, unknown>)[key])
    ? content
    : Object.fromEntries(left);
}
