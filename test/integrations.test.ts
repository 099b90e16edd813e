import { InMemoryStore } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run as runAnthropicMemory } from '../examples/anthropic-memory.ts';
import { run as runLangGraph } from '../examples/langgraph.ts';
import { run as runPlain } from '../examples/plain.ts';
import { anthropicMemory, type MemoryCommand } from '../src/integrations/anthropic-memory.ts';
import { converse } from '../src/integrations/converse.ts';
import { VarveStore } from '../src/integrations/langgraph.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';

let varve: Varve;
beforeEach(async () => {
  ({ varve } = await openVarve());
});
afterEach(() => varve.close());

describe('the store for LangGraph.js', () => {
  for (const [name, create] of [
    ['LangGraph’s own', () => new InMemoryStore()],
    ['Varve', () => new VarveStore(varve.for({ user: 'ann' }))],
  ] as const) {
    it(`puts, gets, searches, deletes and lists namespaces: ${name}`, async () => {
      const store = create();
      await store.put(['users', 'ann'], 'food', { text: 'likes pizza', score: 3 });
      await store.put(['users', 'ann'], 'drink', { text: 'likes tea', score: 7 });
      await store.put(['users', 'bob'], 'food', { text: 'likes soup', score: 5 });
      await store.put(['docs'], 'a', { nested: { deep: true } });
      expect((await store.get(['users', 'ann'], 'food'))?.value).toEqual({ text: 'likes pizza', score: 3 });
      expect(await store.get(['users'], 'ann')).toBeNull();
      await store.put(['users', 'ann'], 'food', { text: 'likes pasta', score: 4 });
      expect(await store.get(['users', 'ann'], 'food')).toMatchObject({
        key: 'food',
        namespace: ['users', 'ann'],
        value: { text: 'likes pasta' },
      });
      const found = await store.search(['users'], { limit: 10 });
      expect(found.map(({ namespace, key }) => [...namespace, key].join('/')).sort()).toEqual([
        'users/ann/drink',
        'users/ann/food',
        'users/bob/food',
      ]);
      expect(await store.search(['users'], { filter: { text: 'likes soup' } })).toHaveLength(1);
      expect((await store.search(['users'], { filter: { score: { $gt: 4 } } })).map(({ key }) => key).sort()).toEqual([
        'drink',
        'food',
      ]);
      expect(await store.search(['users'], { limit: 1, offset: 2 })).toHaveLength(1);
      const namespaces = await store.listNamespaces({ prefix: ['users'] });
      expect(namespaces.map((namespace) => namespace.join('/')).sort()).toEqual(['users/ann', 'users/bob']);
      expect((await store.listNamespaces({ maxDepth: 1 })).map((namespace) => namespace.join('/')).sort()).toEqual([
        'docs',
        'users',
      ]);
      await store.delete(['users', 'ann'], 'food');
      expect(await store.get(['users', 'ann'], 'food')).toBeNull();
      await expect(store.put([], 'x', {})).rejects.toThrow(/Namespace/);
    });
  }

  it('keeps the history of items, stays within the scope of its handle, and stores one item if several puts of a key run at the same time', async () => {
    const store = new VarveStore(varve.for({ user: 'ann' }));
    await Promise.all([1, 2, 3].map((version) => store.put(['x'], 'k', { version })));
    expect(await store.search(['x'])).toHaveLength(1);
    const { items } = await varve.for({ user: 'ann' }).memories.list({ types: ['note'] });
    expect(await varve.for({ user: 'ann' }).memories.history(items[0]?.id ?? '')).toHaveLength(3);
    expect(await new VarveStore(varve.for({ user: 'bob' })).search(['x'])).toEqual([]);
  });

  it('answers several operations in their order', async () => {
    const store = new VarveStore(varve.for({ user: 'ann' }));
    const [, item] = await store.batch([
      { namespace: ['x'], key: 'k', value: { a: 1 } },
      { namespace: ['x'], key: 'k' },
    ]);
    expect((item as { value: unknown }).value).toEqual({ a: 1 });
  });

  it('runs the example, which finds an item by meaning', async () => {
    expect(await runLangGraph(varve)).toBe('Drinks tea, never coffee');
  });
});

describe('the backend of Anthropic’s memory tool', () => {
  const execute = (command: MemoryCommand, user = 'ann'): Promise<string> =>
    anthropicMemory(varve.for({ user })).execute(command);
  const create = (path: string, file_text: string): Promise<string> => execute({ command: 'create', path, file_text });
  const view = (path: string, view_range?: [number, number]): Promise<string> =>
    execute({ command: 'view', path, view_range });

  it('creates, views, edits, renames and deletes files', async () => {
    expect(await create('/memories/notes.md', 'one\ntwo\nthree')).toBe(
      'File created successfully at: /memories/notes.md',
    );
    expect(await create('/memories/notes.md', 'x')).toBe('Error: File /memories/notes.md already exists');
    expect(await view('/memories/notes.md')).toBe(
      "Here's the content of /memories/notes.md with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree",
    );
    expect(await view('/memories/notes.md', [2, 3])).toMatch(/:\n {5}2\ttwo\n {5}3\tthree$/);
    expect(await execute({ command: 'str_replace', path: '/memories/notes.md', old_str: 'two', new_str: '2' })).toMatch(
      /^The memory file has been edited\.\n/,
    );
    expect(
      await execute({ command: 'insert', path: '/memories/notes.md', insert_line: 0, insert_text: 'zero\n' }),
    ).toBe('The file /memories/notes.md has been edited.');
    expect(await view('/memories/notes.md')).toMatch(/1\tzero\n {5}2\tone\n {5}3\t2\n {5}4\tthree$/);
    expect(await execute({ command: 'rename', old_path: '/memories/notes.md', new_path: '/memories/a/b.md' })).toBe(
      'Successfully renamed /memories/notes.md to /memories/a/b.md',
    );
    expect(await view('/memories')).toBe(
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n16B\t/memories\n16B\t/memories/a\n16B\t/memories/a/b.md",
    );
    expect(await execute({ command: 'rename', old_path: '/memories/a', new_path: '/memories/c' })).toBe(
      'Successfully renamed /memories/a to /memories/c',
    );
    expect(await view('/memories/c/b.md')).toContain('zero');
    expect(await execute({ command: 'delete', path: '/memories/c' })).toBe('Successfully deleted /memories/c');
    expect(await view('/memories/c/b.md')).toBe(
      'The path /memories/c/b.md does not exist. Please provide a valid path.',
    );
  });

  it('returns errors in the wording of Anthropic’s tool', async () => {
    await create('/memories/a', 'x x');
    expect(await execute({ command: 'str_replace', path: '/memories/a', old_str: 'x', new_str: 'y' })).toBe(
      'No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 1. Please ensure it is unique',
    );
    expect(await execute({ command: 'str_replace', path: '/memories/a', old_str: 'q', new_str: 'y' })).toMatch(
      /did not appear verbatim/,
    );
    expect(await execute({ command: 'insert', path: '/memories/a', insert_line: 9, insert_text: 'y' })).toMatch(
      /\[0, 1\]/,
    );
    expect(await execute({ command: 'delete', path: '/memories/none' })).toBe(
      'Error: The path /memories/none does not exist',
    );
    await create('/memories/b', '');
    expect(await view('/memories/b')).toMatch(/1\t$/);
    expect(await execute({ command: 'rename', old_path: '/memories/a', new_path: '/memories/b' })).toBe(
      'Error: The destination /memories/b already exists',
    );
    expect(await execute({ command: 'explode', path: '/memories' } as never)).toMatch(/^Error: /);
    expect(await create('/memories/long', 'x'.repeat(30_000))).toMatch(/^Error: .*20,000/);
  });

  it('refuses every path that leads out of /memories', async () => {
    const refused: unknown = expect.stringMatching(/^Error: /);
    for (const path of [
      '/etc/passwd',
      '/memories/../etc/passwd',
      '/memories/a/../../b',
      '/memories/./a',
      '/memories//a',
      '/memories/%2e%2e/b',
      '/memories/..%2fb',
      '/memories/a\\..\\b',
      '/memoriesX/a',
      'memories/a',
      '../memories/a',
      '/memories/a\u0000b',
      '/memories/%',
      '',
    ]) {
      expect([path, await create(path, 'x')]).toEqual([path, refused]);
      expect([path, await view(path)]).toEqual([path, refused]);
      await create('/memories/ok', 'x');
      const moved = await execute({ command: 'rename', old_path: '/memories/ok', new_path: path });
      expect([path, moved]).toEqual([path, refused]);
    }
    expect(await execute({ command: 'delete', path: '/memories' })).toMatch(/^Error: /);
  });

  it('separates the files of users, and recall finds their content', async () => {
    await create('/memories/ann.md', 'The rose garden needs water every morning');
    expect(await execute({ command: 'view', path: '/memories/ann.md' }, 'bob')).toMatch(/does not exist/);
    await varve.drain();
    const { results } = await varve
      .for({ user: 'ann' })
      .recall('rose garden water', { sources: ['notes'], abstain: false });
    expect(results[0]?.memory?.content).toContain('rose garden');
  });

  it('run the example', async () => {
    const answers = await runAnthropicMemory(varve);
    expect(answers[3]).toContain('Lives in Porto.');
    expect(answers[4]).toMatch(/^Error: .* not allowed/);
  });
});

describe('plain functions', () => {
  it('run the example', async () => {
    const answers = await runPlain(varve, async ({ system, messages }) => {
      expect(messages.at(-1)?.role).toBe('user');
      return /Allerg\w+: peanuts/.test(system) ? 'Without peanuts.' : 'Noted.';
    });
    expect(answers).toEqual(['Noted.', 'Without peanuts.', 'Without peanuts.']);
  });

  it('[K17] log the user’s message even if the model fails, and rethrow its failure', async () => {
    const handle = varve.for({ user: 'ines', session: 's' });
    const failing = async (): Promise<string> => {
      throw new Error('rate limit');
    };
    const asked = converse(handle, { message: 'I keep bees.', channel: 'web' }, failing);
    await expect(asked).rejects.toThrow('rate limit');
    const { items } = await handle.events.list();
    expect(items).toMatchObject([{ content: 'I keep bees.', origin: 'user', channel: 'web' }]);
    expect(await handle.interactions()).toMatchObject([{ userMessage: 'I keep bees.', agentResponse: '' }]);
  });

  it('refuse a call without the function that calls the model', async () => {
    const handle = varve.for({ user: 'ines', session: 's' });
    const asked = converse(handle, { message: 'I keep ducks.' }, undefined as never);
    await expect(asked).rejects.toThrow('must be the function that calls your model');
  });

  it('return the answer even if the turn could not be logged', async () => {
    const handle = varve.for({ user: 'ann', session: 's' });
    const { text, notLogged } = await converse(handle, { message: 'hi' }, async () => {
      await varve.close();
      return { text: 'hello', toolsUsed: [] };
    });
    expect(text).toBe('hello');
    expect(notLogged?.code).toBe('closed');
  });
});
