import { invalidInput } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import { digest } from '../record/id.ts';
import type { Memory } from '../record/memory.ts';
import { createMutex } from '../record/event-loop.ts';
import type { MemoryFilter } from '../store/read-memories.ts';

export interface KeyedNote {
  title: string;
  content: string;
  metadata: Record<string, unknown>;
}

/** Notes that are identified by a place, like files by a path. */
export interface KeyedNotes {
  get(place: readonly string[]): Promise<Memory | null>;
  list(prefix: readonly string[]): Promise<Memory[]>;
  put(place: readonly string[], note: KeyedNote): Promise<Memory>;
  /** Moves a note and keeps its history. */
  move(memory: Memory, place: readonly string[], note: Partial<KeyedNote>): Promise<Memory>;
  remove(memory: Memory): Promise<void>;
  tagOf(prefix: readonly string[]): string;
  /** Runs changes one after another within this process. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
}

const PAGE = 1000;

/** Throws if a handle has no user, because all users would share its memories. */
export function assertHasUser({ scope }: Pick<Handle, 'scope'>, what: string): void {
  if (scope.user !== null) return;
  throw invalidInput(`${what} needs a handle with a user: varve.for({ …, user: '…' }).`, { field: 'user' });
}

/** Throws if a handle has no user or no session, because all of the user's conversations would be merged into one. */
export function assertHasSession(handle: Pick<Handle, 'scope'>, what: string): void {
  assertHasUser(handle, what);
  if (handle.scope.session !== null) return;
  throw invalidInput(`${what} needs a handle with a session: varve.for({ …, session: '…' }).`, { field: 'session' });
}

/** Places are stored as digests in tags, so that no place can be mistaken for another. */
export function keyedNotes(handle: Pick<Handle, 'memories'>, kind: string): KeyedNotes {
  const inTurn = createMutex();
  const at = (place: readonly string[]): string => `${kind}:at:${digest([...place], 24)}`;
  const tagOf = (prefix: readonly string[]): string => `${kind}:in:${digest([...prefix], 24)}`;
  const tagsOf = (place: readonly string[]): string[] => [
    at(place),
    ...Array.from({ length: Math.min(place.length, 40) + 1 }, (_, length) => tagOf(place.slice(0, length))),
  ];
  const get: KeyedNotes['get'] = async (place) => {
    const { items } = await handle.memories.list({ types: ['note'], tags: [at(place)], limit: 1 });
    return items[0] ?? null;
  };
  const why = { reason: `written through ${kind}`, actor: 'agent' };
  return {
    get,
    inTurn,
    tagOf,
    async list(prefix) {
      const found: Memory[] = [];
      const filter: MemoryFilter = { types: ['note'], tags: [tagOf(prefix)], order: 'oldest', limit: PAGE };
      for (let cursor: string | undefined; ;) {
        const page = await handle.memories.list({ ...filter, cursor });
        found.push(...page.items);
        if (page.cursor === null) return found;
        cursor = page.cursor;
      }
    },
    async put(place, note) {
      const before = await get(place);
      if (before !== null) return handle.memories.revise(before.id, note, why);
      const made = { ...note, type: 'note', tags: tagsOf(place), trust: 'medium', sourceType: 'inference' } as const;
      return (await handle.memories.create(made, why)).memory;
    },
    move: (memory, place, note) => handle.memories.revise(memory.id, { ...note, tags: tagsOf(place) }, why),
    async remove(memory) {
      await handle.memories.forget(memory.id, why);
    },
  };
}
