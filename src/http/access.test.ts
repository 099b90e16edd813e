import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../handle/handle.ts';
import type { ApiKey } from '../operate/api-keys.ts';
import { createVarve, type Varve } from '../varve.ts';
import { limitHandle } from './access.ts';

const KEY: ApiKey = {
  id: 'k',
  name: 'bob',
  tenant: 'default',
  access: 'admin',
  agents: null,
  users: ['bob'],
  rate: null,
  createdAt: new Date(0),
  createdBy: 'cli',
  expiresAt: null,
  revokedAt: null,
};

describe('the handle of a key that is limited to a user', () => {
  let varve: Varve;
  let everybody: Handle;
  let bob: Handle;

  beforeAll(async () => {
    varve = await createVarve({ store: ':memory:', embedder: null, background: false });
    everybody = varve.for({ user: null });
    bob = varve.for({ user: 'bob' });
  });
  afterAll(() => varve.close());

  /** The paths of all methods of a handle: `memories.get`. */
  const methodsOf = (part: object): string[] =>
    Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
      if (typeof value === 'function') return [name];
      return name === 'scope' ? [] : methodsOf(value as object).map((method) => `${name}.${method}`);
    });

  it('has every method of a handle, and a new method only where limitHandle lists it', () => {
    const methods = methodsOf(bob).toSorted();
    expect(methods.length).toBeGreaterThan(60);
    const added = { change: () => null };
    const parts = Object.entries(bob).map(([name, part]: [string, unknown]) => [
      name,
      typeof part === 'object' && name !== 'scope' ? { ...part, ...added } : part,
    ]);
    const wider = { ...(Object.fromEntries(parts) as Handle), ...added };
    expect(methodsOf(wider).length).toBeGreaterThan(methods.length + 10);
    expect(methodsOf(limitHandle(wider, KEY)).toSorted()).toEqual(methods);
  });

  it('stores what the key creates at its own level, also for a type whose default is a wider level', async () => {
    const board = { description: 'A post.', levels: ['agent', 'user'] as ['agent', 'user'] };
    const wide = await createVarve({ store: ':memory:', embedder: null, background: false, memoryTypes: { board } });
    const limited = limitHandle(wide.for({ agent: 'a', user: 'bob' }), KEY);
    const { memory } = await limited.memories.create({ type: 'board', content: 'The sauna is free on Mondays.' });
    expect(memory.scope.user).toBe('bob');
    const shared = { type: 'board', content: 'For everybody.', level: 'agent' as const };
    await expect(limited.memories.create(shared)).rejects.toMatchObject({ code: 'outside_scope' });
    expect((await wide.for({ agent: 'a', user: 'eve' }).memories.list()).items).toEqual([]);
    await wide.close();
  });

  it('shows no use of memories that other users share, and shows the use of its own', async () => {
    const own = limitHandle(bob, KEY);
    const eve = varve.for({ user: 'eve' });
    const { memory } = await everybody.memories.create({
      type: 'note',
      title: 'Help',
      content: 'The helpline opens at 9.',
    });
    const { memory: mine } = await bob.memories.create({
      type: 'note',
      title: 'Tea',
      content: 'The green tea is at home.',
    });
    await eve.recall('helpline', { mode: 'text' });
    await bob.recall('green tea', { mode: 'text' });
    await varve.drain();
    const counts = async (handle: Handle): Promise<(number | undefined)[]> => {
      const { items } = await handle.memories.list({ types: ['note'] });
      const { results } = await handle.recall('helpline green tea', { mode: 'text', track: false });
      const past = await handle.asOf(new Date()).memories.get(memory.id);
      const all = [...items, ...results.map((result) => result.memory), await handle.memories.get(memory.id), past];
      return all.filter((each) => each?.id === memory.id).map((each) => each?.accessCount);
    };
    expect(new Set(await counts(own))).toEqual(new Set([0]));
    expect((await own.memories.get(memory.id))?.lastAccessedAt).toBeNull();
    expect((await own.memories.get(mine.id))?.accessCount).toBe(1);
    expect((await eve.memories.get(memory.id))?.accessCount).toBe(1);
  });

  it('restores no forgotten record that all users share, and restores its own', async () => {
    const limited = limitHandle(bob, KEY);
    for (const [owner, content] of [
      [everybody, 'The office is closed on Fridays.'],
      [bob, 'Bob plays the oboe.'],
    ] as const) {
      const { memory } = await owner.memories.create({ type: 'fact', content });
      await owner.memories.forget(memory.id);
    }
    const forgotten = await limited.forgotten.list();
    const idOf = (user: string | null): string => forgotten.find(({ scope }) => scope.user === user)?.id ?? '';
    await expect(limited.forgotten.restore(idOf(null))).rejects.toMatchObject({ code: 'outside_scope' });
    await expect(limited.forgotten.restore('nothing')).rejects.toMatchObject({ code: 'not_found' });
    await limited.forgotten.restore(idOf('bob'));
    expect((await everybody.forgotten.list()).map(({ id }) => id)).toEqual([idOf(null)]);
  });
});
