import { contentStems, coveredBy } from '../language/words.ts';
import { snakeCase } from '../record/attributes.ts';
import type { Memory } from '../record/memory.ts';
import type { ToolHandle } from './agent-tool.ts';

/** What a model means by an id, a key or plain words. */
export interface Meant {
  /** The memories that are certainly meant. */
  memories: Memory[];
  /** The nearest ones, where that is not certain. */
  candidates: Memory[];
}

const MOST_CANDIDATES = 5;
const RECORD_ID = /^mem_[0-9a-z]+$/;

/**
 * Finds the live memories of this user that a model means. Words mean a memory for certain only when it alone has all of them: what is
 * merely near is offered as a candidate, because taking out the wrong memory is worse than asking again.
 */
export async function meantBy(handle: ToolHandle, what: string): Promise<Meant> {
  if (RECORD_ID.test(what.trim())) return byId(handle, what.trim());
  const keyed = await byKey(handle, what);
  if (keyed.length > 0) return { memories: keyed, candidates: [] };
  const near = await nearest(handle, what);
  const stems = contentStems(what);
  const certain = near.filter(({ content }) => stems.size > 0 && coveredBy(stems, contentStems(content)) === 1);
  return certain.length === 1 ? { memories: certain, candidates: [] } : { memories: [], candidates: near };
}

async function byId(handle: ToolHandle, id: string): Promise<Meant> {
  const memory = await handle.memories.get(id);
  return { memories: memory === null || memory.archivedAt !== null ? [] : [memory], candidates: [] };
}

/** The user's own facts under a key: "Phone number" means `phone`. */
async function byKey(handle: ToolHandle, what: string): Promise<Memory[]> {
  const key = snakeCase(what.replace(/^(?:my|the user['’]?s?|user['’]s)\s+/i, ''));
  if (key === '') return [];
  const fact = await handle.facts.get(key);
  if (fact === null) return [];
  const facts = await handle.facts.list();
  return facts.filter((other) => other.key === fact.key && other.scope.user === handle.scope.user);
}

async function nearest(handle: ToolHandle, what: string): Promise<Memory[]> {
  const { results } = await handle.recall(what, { sources: ['memories'], limit: 20, abstain: false, track: false });
  const plans = await handle.intentions.list();
  const stems = contentStems(what);
  const planned = plans.filter(({ content }) => coveredBy(stems, contentStems(content)) > 0);
  const found = results.flatMap(({ memory }) => memory ?? []);
  const own = [...planned, ...found].filter(({ scope }) => scope.user === handle.scope.user);
  return [...new Map(own.map((memory) => [memory.id, memory])).values()].slice(0, MOST_CANDIDATES);
}
