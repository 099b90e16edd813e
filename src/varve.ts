import { createHandle, type Handle } from './handle/handle.ts';
import { systemClock, type Clock } from './record/clock.ts';
import { createIdSource, type IdSource } from './record/id.ts';
import { memoryTypeTable, type MemoryTypeInput } from './record/memory-types.ts';
import { parseScope, type ScopeInput } from './record/scope.ts';
import { openStore, type StoreOptions } from './store/open-store.ts';
import type { Parts } from './store/parts.ts';

/** How to open Varve. Everything has a default. */
export interface VarveOptions {
  /**
   * Where memory is kept: the path of an SQLite file, a `postgres://` URL, or the options of either.
   * Default: `.varve/varve.db` in the working folder.
   */
  store?: string | StoreOptions;
  /** Memory types of the application's own, or other policies for Varve's. */
  memoryTypes?: Record<string, MemoryTypeInput>;
  /** Where the time comes from. Default: the machine's clock. */
  clock?: Clock;
  /** Where ids come from. Default: time and randomness. */
  ids?: IdSource;
}

/** An open memory. */
export interface Varve {
  /** Everything that can be read and written within a scope. Cheap: make one for each request. */
  for(scope: ScopeInput): Handle;
  /** Lets go of the store. What was acknowledged is on the disk already. */
  close(): Promise<void>;
}

/** Opens a memory: brings the store up to date and hands out scoped handles. */
export async function createVarve(options: VarveOptions = {}): Promise<Varve> {
  const clock = options.clock ?? systemClock;
  const memoryTypes = memoryTypeTable(options.memoryTypes);
  const database = await openStore(storeOptions(options.store));
  const parts: Parts = { database, clock, ids: options.ids ?? createIdSource(clock), memoryTypes };
  return {
    for: (scope) => createHandle(parts, parseScope(scope)),
    close: () => database.close(),
  };
}

function storeOptions(store: VarveOptions['store']): StoreOptions {
  if (typeof store === 'object') return store;
  if (store === undefined) return { path: '.varve/varve.db' };
  return /^postgres(ql)?:\/\//.test(store) ? { url: store } : { path: store };
}
