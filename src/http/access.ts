import { notFound, VarveError } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import type { ForgottenHandle } from '../handle/memories.ts';
import { type ApiKey, KEY_ACCESS, type KeyAccess } from '../operate/api-keys.ts';
import type { NewMemory } from '../record/memory.ts';
import { type HandleScope, ownerLevel, type Scope, type ScopeInput, type ScopeLevel } from '../record/scope.ts';
import { DoorError } from './problem.ts';

export function assertAccess(key: ApiKey, access: KeyAccess): void {
  if (KEY_ACCESS.indexOf(key.access) >= KEY_ACCESS.indexOf(access)) return;
  const problem = `This operation needs a key with the access ${access}; the key of this request has the access ${key.access}.`;
  throw new DoorError('forbidden', problem);
}

export function isLimited(key: ApiKey): boolean {
  return key.agents !== null || key.users !== null;
}

/** The scope of a request, within the limits of its key. A request need not name the only agent or user of its key. */
export function scopeFor(key: ApiKey, asked: Omit<ScopeInput, 'tenant'>): HandleScope {
  return {
    ...asked,
    tenant: key.tenant,
    agent: within('agent', key.agents, asked.agent),
    user: within('user', key.users, asked.user),
  };
}

export function assertReach(key: ApiKey, scope: Scope): void {
  if (scope.tenant !== key.tenant) throw outside('tenant');
  if (key.agents !== null && (scope.agent === null || !key.agents.includes(scope.agent))) throw outside('agent');
  if (key.users !== null && (scope.user === null || !key.users.includes(scope.user))) throw outside('user');
}

function within(part: 'agent' | 'user', reached: string[] | null, asked: string | null | undefined): string | null {
  if (reached === null) return asked ?? null;
  if (asked == null && reached.length === 1) return reached[0] ?? null;
  if (asked != null && reached.includes(asked)) return asked;
  throw outside(part);
}

function outside(part: string): VarveError {
  const message = `This request is outside the ${part}s of its key. Name one of these ${part}s, or use another key.`;
  return new VarveError(message, { code: 'outside_scope', details: { part } });
}

// An allow-list, so that a method that is added to the handle later stays closed to limited keys.
function only<Part extends object, Name extends keyof Part>(part: Part, ...names: Name[]): Pick<Part, Name> {
  return Object.fromEntries(names.map((name) => [name, part[name]])) as Pick<Part, Name>;
}

// The methods that a limited key may call unchecked: they only read, or write only to the handle's own scope.
function ownParts(
  handle: Handle,
): Omit<Handle, 'memories' | 'intentions' | 'learnings' | 'forgotten' | 'eraseMemory' | 'blocks'> {
  const { consolidation, connection, decisions, entities, events, facts, notes, refusals, savedItems, session } =
    handle;
  return {
    ...only(handle, 'scope', 'observe', 'logInteraction', 'recordObservation', 'updateUserContext', 'form'),
    ...only(handle, 'interactions', 'indexDocument', 'recall', 'context', 'contexts', 'topMemories', 'reflect'),
    ...only(handle, 'noteGiven', 'asOf', 'erase', 'erasures'),
    decisions: only(decisions, 'record', 'recordOutcome', 'list'),
    events: only(events, 'get', 'list'),
    session: only(session, 'get', 'window', 'setState', 'close'),
    facts: only(facts, 'get', 'list', 'set', 'forget'),
    notes: only(notes, 'add', 'list'),
    savedItems: only(savedItems, 'add', 'list'),
    connection: only(connection, 'learnedInfo', 'learn', 'toolSchema', 'saveToolSchema', 'freshToolSchema'),
    entities: only(entities, 'add', 'get', 'find', 'list'),
    refusals: only(refusals, 'list'),
    consolidation: {
      ...only(consolidation, 'run', 'runs', 'held', 'accept', 'reject', 'setAside', 'retry'),
      ...only(consolidation, 'suggestTools', 'use', 'configure'),
    },
  };
}

/** A limited key may only read the records that are shared above its scope, because one user must not change what all users share. */
export function limitHandle(handle: Handle, key: ApiKey): Handle {
  if (!isLimited(key)) return handle;
  const limited = limitChanges(handle, key);
  return key.users === null ? limited : answering(limited, withoutSharedUse);
}

// Applies `change` to the results of all methods of `part`.
function answering<Part extends object>(part: Part, change: <Value>(value: Value) => Value): Part {
  const parts = Object.entries(part).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function') return [name, name === 'scope' ? value : answering(value as object, change)];
    const method = (...given: unknown[]): unknown => {
      const result: unknown = value.apply(part, given);
      if (result instanceof Promise) return result.then(change);
      // `asOf` returns a handle.
      return typeof result === 'object' && result !== null ? answering(result, change) : result;
    };
    return [name, method];
  });
  return Object.fromEntries(parts) as Part;
}

// Hides how often shared memories are used. Otherwise a user could see when another user asks about the topic of such a memory.
function withoutSharedUse<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutSharedUse) as Value;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [name, withoutSharedUse(each)]),
  );
  const isShared = 'accessCount' in copy && (copy['scope'] as Scope | undefined)?.user === null;
  return (isShared ? { ...copy, accessCount: 0, lastAccessedAt: null } : copy) as Value;
}

function limitChanges(handle: Handle, key: ApiKey): Handle {
  const { memories, blocks, intentions, learnings } = handle;
  const own = async (id: string): Promise<void> => {
    const memory = await memories.get(id);
    if (memory !== null) assertReach(key, memory.scope);
  };
  /** Wraps a method whose first argument is the id of a memory: the call throws if the key may not change this memory. */
  const owned =
    <Rest extends unknown[], Result>(method: (id: string, ...rest: Rest) => Promise<Result>) =>
    async (id: string, ...rest: Rest): Promise<Result> => {
      await own(id);
      return method(id, ...rest);
    };
  const leveled = (memory: NewMemory): NewMemory => {
    const level = memory.level ?? ownerLevel(handle.scope);
    assertLevel(key, level);
    return { ...memory, level };
  };
  return {
    ...ownParts(handle),
    memories: {
      ...only(memories, 'get', 'list', 'history'),
      async create(memory, why) {
        // Creating a memory archives the one that it contradicts, so the key must reach that one too.
        if (memory.contradicts != null) await own(memory.contradicts);
        return memories.create(leveled(memory), why);
      },
      revise: owned(memories.revise),
      archive: owned(memories.archive),
      forget: owned(memories.forget),
      restore: owned(memories.restore),
      supersede: owned(async (id, memory, options) => memories.supersede(id, leveled(memory), options)),
    },
    intentions: {
      ...only(intentions, 'add', 'due', 'list'),
      done: owned(intentions.done),
      dismiss: owned(intentions.dismiss),
      snooze: owned(intentions.snooze),
    },
    learnings: { ...only(learnings, 'add', 'list'), forget: owned(learnings.forget) },
    forgotten: limitForgotten(handle.forgotten, key),
    eraseMemory: owned(handle.eraseMemory),
    blocks: {
      ...only(blocks, 'read', 'basis', 'history'),
      async replace(kind, content, options) {
        assertLevel(key, options?.level);
        return blocks.replace(kind, content, options);
      },
    },
  };
}

function limitForgotten(forgotten: ForgottenHandle, key: ApiKey): ForgottenHandle {
  return {
    ...only(forgotten, 'list'),
    async restore(id, why) {
      const record = (await forgotten.list({ limit: 10_000 })).find((each) => each.id === id);
      if (record === undefined) throw notFound(`There is no forgotten record ${id} that this key can see.`, id);
      assertReach(key, record.scope);
      return forgotten.restore(id, why);
    },
  };
}

function assertLevel(key: ApiKey, level: ScopeLevel | undefined): void {
  const isAbove = (key.users !== null && level === 'agent') || level === 'tenant';
  if (isAbove) throw outside(level);
}
