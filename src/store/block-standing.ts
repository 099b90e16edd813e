import { BLOCK_KINDS, type Basis, type BlockKindName } from '../record/block.ts';
import { replaceStatements, statementsIn } from '../language/dated-line.ts';
import { contentHash, type ArchiveReason, type Memory } from '../record/memory.ts';
import { hasEnded, hasOutcome } from '../record/standing.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import { chunks, type Reader } from './database.ts';
import { memoriesFrom } from './load-records.ts';
import { toMemory } from './memory-rows.ts';

/** Reasons for which a statement is out of recall because it is no longer so. For the others its documents stand. */
const NO_LONGER_SO: ReadonlySet<ArchiveReason> = new Set(['contradicted', 'superseded', 'forgotten', 'expired']);

/** Whether a statement was archived because it is no longer so. A draft that a better reading replaced was not wrong. */
export function isNoLongerSo({
  archiveReason,
  contradictedBy,
}: Pick<Memory, 'archiveReason' | 'contradictedBy'>): boolean {
  if (archiveReason === 'superseded' && contradictedBy === null) return false;
  return archiveReason !== null && NO_LONGER_SO.has(archiveReason);
}

/** The events of which nothing holds any more that was formed from them. */
export function eventsGone(formed: readonly Memory[]): Set<string> {
  const holding = new Set(formed.filter((memory) => !isNoLongerSo(memory)).flatMap(({ sourceEvents }) => sourceEvents));
  return new Set(formed.flatMap(({ sourceEvents }) => sourceEvents).filter((id) => !holding.has(id)));
}

/** A block as far as its standing goes. */
export interface StandingBlock {
  kind: BlockKindName;
  content: unknown;
  basis: Basis;
}

/**
 * Which keys of the bases of blocks are stale: a statement behind the sentence or entry was replaced, ended, was forgotten or erased,
 * or says something else now; an event behind it was erased, words were cut from it, or nothing holds that was formed from it. Nothing is stored of that, so that whatever changes a statement, in whatever way, no document needs to
 * be told, and a statement that is restored brings its sentences back.
 */
export async function staleKeys(
  reader: Reader,
  tenant: string,
  blocks: readonly StandingBlock[],
  { now, memoryTypes }: { now: number; memoryTypes: MemoryTypeTable },
): Promise<Set<string>> {
  const entries = blocks.flatMap(({ basis }) => Object.entries(basis)).filter(([key]) => key !== '');
  const ids = [...new Set(entries.flatMap(([, { rests }]) => Object.keys(rests)))];
  const stale = new Set<string>();
  if (entries.length === 0) return stale;
  const memories = new Map<string, Memory>();
  const events = new Map<string, string>();
  for (const some of chunks(ids)) {
    const rows = await reader
      .selectFrom('memories')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('id', 'in', some)
      .execute();
    for (const memory of rows.map(toMemory)) memories.set(memory.id, memory);
    const others = some.filter((id) => !memories.has(id));
    if (others.length === 0) continue;
    const found = await reader
      .selectFrom('events')
      .select(['id', 'content'])
      .where('tenant_id', '=', tenant)
      .where('id', 'in', others)
      .execute();
    for (const { id, content } of found) events.set(id, contentHash(content));
  }
  for (const id of eventsGone(await memoriesFrom(reader, tenant, [...events.keys()]))) events.delete(id);
  const holds = (id: string, hash: string): boolean => {
    const memory = memories.get(id);
    if (memory === undefined) return events.has(id) && (hash === '' || hash === events.get(id));
    const isOver = memory.tense !== 'happened' && hasEnded(memory, now);
    if (isNoLongerSo(memory) || isOver || hasOutcome(memory, memoryTypes.get(memory.type))) return false;
    return hash === '' || hash === contentHash(memory.content);
  };
  for (const [key, { rests, until }] of entries) {
    const isSound = Object.entries(rests).every(([id, hash]) => holds(id, hash));
    if (!isSound || (until !== undefined && until <= now)) stale.add(key);
  }
  return stale;
}

/** The content of a block without what is stale. */
export function withoutStale({ kind, content, basis }: StandingBlock, stale: ReadonlySet<string>): unknown {
  const keys = Object.keys(basis).filter((key) => stale.has(key));
  if (keys.length === 0) return content;
  if (BLOCK_KINDS[kind].format === 'json') {
    return Object.fromEntries(Object.entries(content as object).filter(([key]) => !stale.has(key)));
  }
  return replaceStatements(content as string, (statement) => (stale.has(contentHash(statement)) ? null : statement));
}

/** One sentence of a document, or one entry of a document that is JSON, with the statements and events that it rests on. */
export interface RestingSentence {
  text: string;
  /** Empty: somebody wrote it by hand. */
  restsOn: string[];
  /** Whether something that it rests on no longer holds: no prompt shows it. */
  stale: boolean;
}

/** The sentences of a block in their order, or its entries, with what they rest on. */
export function restingSentences(
  { kind, content, basis }: StandingBlock,
  stale: ReadonlySet<string>,
): RestingSentence[] {
  const isJson = BLOCK_KINDS[kind].format === 'json';
  const parts = isJson
    ? Object.keys(typeof content === 'object' && content !== null ? content : {}).map((key) => ({ text: key, key }))
    : statementsIn(String(content))
        .filter((text) => !text.startsWith('#'))
        .map((text) => ({ text, key: contentHash(text) }));
  return parts.map(({ text, key }) => ({
    text,
    restsOn: Object.keys(basis[key]?.rests ?? {}),
    stale: stale.has(key),
  }));
}
