import { BaseStore, getTextAtPath } from '@langchain/langgraph-checkpoint';
import type { GetOperation, Item, ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint';
import type { Operation, OperationResults, PutOperation } from '@langchain/langgraph-checkpoint';
import type { SearchItem, SearchOperation } from '@langchain/langgraph-checkpoint';
import { invalidInput, type VarveError } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import { cached } from '../record/cache.ts';
import type { Memory } from '../record/memory.ts';
import type { Varve } from '../varve.ts';
import { assertHasUser, keyedNotes, type KeyedNotes } from './keyed-notes.ts';

const LONGEST_TEXT = 20_000;

export type StoreHandle = Pick<Handle, 'scope' | 'memories' | 'recall'>;

/** How a LangGraph store's namespaces map to scopes. */
export interface VarveStoreOptions {
  /** Default `default`. */
  tenant?: string;
  agent?: string;
  /** Returns the user of a namespace; null if all users share it. Default: the second label, as in `['memories', userId]`. */
  userOf?: (namespace: readonly string[]) => string | null | undefined;
}

interface Shelf {
  handle: StoreHandle;
  notes: KeyedNotes;
}

// Limits memory in a process that serves many users. Creating a shelf again is cheap.
const MOST_SHELVES = 1000;

/**
 * LangGraph's long-term memory: `graph.compile({ store: new VarveStore(varve) })`. Each item is a note of its namespace's user. With a
 * handle instead of `varve`, all items belong to the handle's user.
 */
export class VarveStore extends BaseStore {
  readonly #shelfOf: (namespace: readonly string[]) => Shelf;

  constructor(source: Pick<Varve, 'for'> | StoreHandle, options: VarveStoreOptions = {}) {
    super();
    if ('memories' in source) {
      assertHasUser(source, 'A LangGraph store');
      const shelf = shelfOf(source);
      this.#shelfOf = () => shelf;
      return;
    }
    const { userOf = (namespace) => namespace[1], tenant, agent } = options;
    const shelfOfUser = cached(MOST_SHELVES, (user) =>
      shelfOf(source.for({ tenant, agent, user: JSON.parse(user) as string | null })),
    );
    this.#shelfOf = (namespace) => {
      const user = userOf(namespace);
      if (user === undefined || user === '' || user === '*') throw namesNobody(namespace);
      return shelfOfUser(JSON.stringify(user));
    };
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    // In order, so that a get after a put in the same batch returns the new value.
    for (const operation of operations) results.push(await this.#run(operation));
    return results as OperationResults<Op>;
  }

  #run(operation: Operation): Promise<unknown> {
    if ('value' in operation) return this.#shelfOf(operation.namespace).notes.inTurn(() => this.#put(operation));
    if ('namespacePrefix' in operation) return this.#search(operation);
    if ('key' in operation) return this.#get(operation);
    return this.#namespaces(operation);
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const memory = await this.#shelfOf(namespace).notes.get(placeOf(namespace, key));
    return memory === null ? null : toItem(memory);
  }

  async #put({ namespace, key, value, index }: PutOperation): Promise<void> {
    const { notes } = this.#shelfOf(namespace);
    const place = placeOf(namespace, key);
    if (value === null) {
      const memory = await notes.get(place);
      if (memory !== null) await notes.remove(memory);
      return;
    }
    const texts = (index === false ? [] : (index ?? ['$'])).flatMap((path) =>
      path === '$' ? [leaves(value).join('\n')] : getTextAtPath(value, path),
    );
    const text = texts.join('\n');
    const content = text.trim() === '' ? key : text.slice(0, LONGEST_TEXT).toWellFormed();
    await notes.put(place, { title: key.slice(0, 500), content, metadata: { namespace, key, value } });
  }

  async #search({ namespacePrefix, filter, limit = 10, offset = 0, query }: SearchOperation): Promise<SearchItem[]> {
    const found =
      query === undefined
        ? (await this.#shelfOf(namespacePrefix).notes.list(namespacePrefix)).map((memory): SearchItem => toItem(memory))
        : await this.#nearest(namespacePrefix, query, limit + offset);
    return found.filter(({ value }) => matches(value, filter ?? {})).slice(offset, offset + limit);
  }

  async #nearest(prefix: readonly string[], query: string, limit: number): Promise<SearchItem[]> {
    const { handle, notes } = this.#shelfOf(prefix);
    const { results } = await handle.recall(query, {
      sources: ['notes'],
      filter: { tags: [notes.tagOf(prefix)] },
      // More than `limit`, because the filter on values is applied afterwards.
      limit: Math.min(limit * 4, 200),
      abstain: false,
    });
    return results.flatMap(({ memory, relevance }) =>
      memory === null ? [] : [{ ...toItem(memory), score: relevance }],
    );
  }

  async #namespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): Promise<string[][]> {
    const all = new Map<string, string[]>();
    const prefix = matchConditions.find(({ matchType }) => matchType === 'prefix')?.path ?? [];
    for (const memory of await this.#shelfOf(prefix).notes.list([])) {
      const namespace = memory.metadata['namespace'] as string[];
      if (!matchConditions.every((condition) => agrees(namespace, condition))) continue;
      const shown = namespace.slice(0, maxDepth);
      all.set(JSON.stringify(shown), shown);
    }
    const sorted = [...all].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, namespace]) => namespace);
    return sorted.slice(offset, offset + limit);
  }
}

function shelfOf(handle: StoreHandle): Shelf {
  return { handle, notes: keyedNotes(handle, 'langgraph') };
}

function namesNobody(namespace: readonly string[]): VarveError {
  return invalidInput(
    `The namespace ${JSON.stringify(namespace)} names no user. Use ['memories', userId], or return the user of a namespace from the option userOf.`,
    { field: 'namespace' },
  );
}

// The NUL separates the key from the namespace, so that ["a", "b"] + "c" differs from ["a"] + "b".
function placeOf(namespace: readonly string[], key: string): string[] {
  return [...namespace, `\u0000${key}`];
}

function toItem(memory: Memory): Item {
  const { namespace, key, value } = memory.metadata as Pick<Item, 'namespace' | 'key' | 'value'>;
  return { namespace, key, value, createdAt: memory.createdAt, updatedAt: memory.updatedAt };
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
