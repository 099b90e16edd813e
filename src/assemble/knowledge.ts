import type { Memory } from '../record/memory.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { Scope } from '../record/scope.ts';
import { NOTHING_SAID, saidSince, visibleBlocks, type Said, type VisibleBlock } from '../store/context-rows.ts';
import type { Reader } from '../store/database.ts';
import { listMemories } from '../store/read-memories.ts';

/** What is known of a session's owner and always in mind: slow to change, so it is kept between turns. */
export interface Knowledge {
  /** Another one, other knowledge. */
  stamp: string;
  /** Another one, something was removed for good. */
  incarnations: string;
  blocks: VisibleBlock[];
  /** Permanent facts, by category and key. */
  facts: Memory[];
  /** The most important memories. */
  memories: Memory[];
  learnings: Memory[];
  /** Reflections that wait to be merged, oldest first. */
  reflections: Memory[];
  said: Said;
  loadedAt: number;
}

export interface KnowledgeRequest {
  scope: Scope;
  connections: readonly string[];
  topMemories: number;
  memoryTypes: MemoryTypeTable;
  now: number;
}

/** Types that have a section of their own, or are not for the agent's eyes. */
const ELSEWHERE = new Set(['keyed_fact', 'note', 'saved_item', 'summary', 'reflection', 'intention', 'learning']);

export const NOTHING_KNOWN: Knowledge = {
  stamp: '',
  incarnations: '',
  blocks: [],
  facts: [],
  memories: [],
  learnings: [],
  reflections: [],
  said: NOTHING_SAID,
  loadedAt: 0,
};

/** Reads everything that is always in mind. `before` is what was known at the last reading. */
export async function loadKnowledge(
  reader: Reader,
  request: KnowledgeRequest,
  { stamp, incarnations }: Pick<Knowledge, 'stamp' | 'incarnations'>,
  before: Knowledge,
): Promise<Knowledge> {
  const { scope, now, topMemories } = request;
  const connections = [...request.connections];
  const list = async (types: string[], limit: number, order: 'important' | 'oldest'): Promise<Memory[]> =>
    limit === 0 ? [] : (await listMemories(reader, scope, { types, limit, order, connections }, { now })).items;
  const types = [...request.memoryTypes.keys()].filter(
    (type) => !ELSEWHERE.has(type) && request.memoryTypes.get(type)?.recalled !== false,
  );
  return {
    stamp,
    incarnations,
    blocks: await visibleBlocks(reader, scope, connections),
    facts: innermost(await list(['keyed_fact'], 1000, 'important')),
    memories: await list(types, topMemories, 'important'),
    // A rule is followed, so nothing that a document or a tool has said becomes one.
    learnings: (await list(['learning'], 100, 'oldest')).filter(
      ({ state, trust }) => state !== 'dismissed' && trust !== 'low',
    ),
    reflections: await list(['reflection'], 500, 'oldest'),
    said: await saidSince(reader, scope, before.incarnations === incarnations ? before.said : NOTHING_SAID),
    loadedAt: now,
  };
}

/** The user's own value of a key stands before the agent's, and that before the tenant's. By category and key. */
function innermost(facts: readonly Memory[]): Memory[] {
  const depth = ({ scope }: Memory): number =>
    Number(scope.agent !== null) + 2 * Number(scope.user !== null) + Number(scope.connection !== null);
  const best = new Map<string | null, Memory>();
  for (const fact of facts) {
    const other = best.get(fact.key);
    if (other === undefined || depth(fact) > depth(other)) best.set(fact.key, fact);
  }
  const order = (one: string | null, other: string | null): number => (one ?? '').localeCompare(other ?? '', 'en');
  return [...best.values()].sort((one, other) => order(one.category, other.category) || order(one.key, other.key));
}
