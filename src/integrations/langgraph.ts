import {
  BaseStore,
  getTextAtPath,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import type { Handle } from '../handle/handle.ts';
import type { Memory } from '../record/memory.ts';
import { keyedNotes, type KeyedNotes } from './keyed-notes.ts';

const LONGEST_TEXT = 20_000;

/**
 * LangGraph's long-term memory in Varve: `graph.compile({ store: new VarveStore(handle) })`. Items are notes: they keep
 * their history, and recall finds what they say. All namespaces lie within the handle's scope.
 */
export class VarveStore extends BaseStore {
  readonly #handle: Pick<Handle, 'memories' | 'recall'>;
  readonly #notes: KeyedNotes;

  constructor(handle: Pick<Handle, 'memories' | 'recall'>) {
    super();
    this.#handle = handle;
    this.#notes = keyedNotes(handle, 'langgraph');
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    // In their order, so that a get after a put in one batch sees it.
    for (const operation of operations) results.push(await this.#run(operation));
    return results as OperationResults<Op>;
  }

  #run(operation: Operation): Promise<unknown> {
    if ('value' in operation) return this.#notes.inTurn(() => this.#put(operation));
    if ('namespacePrefix' in operation) return this.#search(operation);
    if ('key' in operation) return this.#get(operation);
    return this.#namespaces(operation);
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const memory = await this.#notes.get(placeOf(namespace, key));
    return memory === null ? null : toItem(memory);
  }

  async #put({ namespace, key, value, index }: PutOperation): Promise<void> {
    const place = placeOf(namespace, key);
    if (value === null) {
      const memory = await this.#notes.get(place);
      if (memory !== null) await this.#notes.remove(memory);
      return;
    }
    const text = index === false ? '' : (index ?? ['$']).flatMap((path) => textAt(value, path)).join('\n');
    const content = text.trim() === '' ? key : text.slice(0, LONGEST_TEXT).toWellFormed();
    await this.#notes.put(place, { title: key.slice(0, 500), content, metadata: { namespace, key, value } });
  }

  async #search({ namespacePrefix, filter, limit = 10, offset = 0, query }: SearchOperation): Promise<SearchItem[]> {
    const found =
      query === undefined
        ? (await this.#notes.list(namespacePrefix)).map((memory): SearchItem => toItem(memory))
        : await this.#nearest(namespacePrefix, query, limit + offset);
    return found.filter(({ value }) => matches(value, filter ?? {})).slice(offset, offset + limit);
  }

  async #nearest(prefix: readonly string[], query: string, limit: number): Promise<SearchItem[]> {
    const { results } = await this.#handle.recall(query, {
      sources: ['notes'],
      filter: { tags: [this.#notes.tagOf(prefix)] },
      // A filter on values comes after: look further than asked.
      limit: Math.min(limit * 4, 200),
      abstain: false,
    });
    return results.flatMap(({ memory, relevance }) =>
      memory === null ? [] : [{ ...toItem(memory), score: relevance }],
    );
  }

  async #namespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): Promise<string[][]> {
    const all = new Map<string, string[]>();
    for (const memory of await this.#notes.list([])) {
      const namespace = memory.metadata['namespace'] as string[];
      if (!matchConditions.every((condition) => agrees(namespace, condition))) continue;
      const shown = namespace.slice(0, maxDepth);
      all.set(JSON.stringify(shown), shown);
    }
    const sorted = [...all].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, namespace]) => namespace);
    return sorted.slice(offset, offset + limit);
  }
}

// The key is apart from the namespace: ["a", "b"] + "c" is not ["a"] + "b".
function placeOf(namespace: readonly string[], key: string): string[] {
  return [...namespace, `\u0000${key}`];
}

function toItem(memory: Memory): Item {
  const { namespace, key, value } = memory.metadata as Pick<Item, 'namespace' | 'key' | 'value'>;
  return { namespace, key, value, createdAt: memory.createdAt, updatedAt: memory.updatedAt };
}

function textAt(value: Record<string, unknown>, path: string): string[] {
  return path === '$' ? [leaves(value).join('\n')] : getTextAtPath(value, path);
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null)
    return value === null || value === undefined ? [] : [JSON.stringify(value)];
  return Object.values(value).flatMap(leaves);
}

type Comparison = (value: unknown, wanted: unknown) => boolean;
const same: Comparison = (value, wanted) => JSON.stringify(value) === JSON.stringify(wanted);
const COMPARISONS: Record<string, Comparison> = {
  $eq: same,
  $ne: (value, wanted) => !same(value, wanted),
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
};

function matches(value: Record<string, unknown>, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const operators = typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : [];
    const isComparing = operators.length > 0 && operators.every(([name]) => Object.hasOwn(COMPARISONS, name));
    if (!isComparing) return same(value[field], wanted);
    return operators.every(([name, bound]) => COMPARISONS[name]?.(value[field], bound));
  });
}

function agrees(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}
