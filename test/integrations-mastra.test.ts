import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { run } from '../examples/mastra.ts';
import { VarveMemory } from '../src/integrations/mastra.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';
import {
  exampleModel,
  from,
  type ProtocolServer,
  type Sent,
  sentText,
  startProtocolServer,
  text,
  toolCall,
} from './protocol-server.ts';

let varve: Varve;
let server: ProtocolServer;
beforeEach(async () => {
  ({ varve } = await openVarve());
  server = await startProtocolServer();
});
afterEach(async () => {
  await server.close();
  await varve.close();
});

const model = () => ({ id: 'local/test', url: server.url, apiKey: 'key' }) as const;

describe('Mastra', () => {
  it('runs the example: a statement in one thread is known in the next', async () => {
    server.otherwise(exampleModel);
    expect(await run(varve, model())).toEqual(['I will remember Max.', 'Max!']);
    const handle = varve.for({ agent: 'assistant', user: 'ann', session: 'monday' });
    const { items } = await handle.events.list({ kinds: ['message'], session: 'monday', order: 'oldest' });
    // The recalled records are in the prompt and not in the log.
    expect(items.map(({ content }) => content)).toEqual([
      'My dog is called Max. Please remember that.',
      'I will remember Max.',
    ]);
  });

  it('adds the thread’s history and, before the message, recalled records, and logs the results of other tools', async () => {
    const memory = new VarveMemory({ varve, tools: false, context: { lookup: 'always' } });
    const weather = createTool({
      id: 'weather',
      description: 'The weather.',
      inputSchema: z.object({ city: z.string() }),
      execute: async () => ({ sky: 'hail in Linz' }),
    });
    const agent = new Agent({
      id: 'a',
      name: 'a',
      instructions: 'Be kind.',
      model: model(),
      memory,
      tools: { weather },
    });
    const seen: Sent[][] = [];
    server.otherwise(
      from((request) => {
        const messages = request.body.messages as Sent[];
        seen.push(messages);
        if (sentText(messages.at(-1) as Sent).endsWith('weather?')) return toolCall('weather', { city: 'Linz' });
        return text(`Answer ${seen.length}`);
      }),
    );
    const where = { memory: { thread: 't', resource: 'ann' } };
    await varve
      .for({ user: 'ann', session: 'before' })
      .observe({ messages: [{ role: 'user', content: 'My boat is called Ottilie.' }] });
    await agent.generate('Good morning', where);
    await agent.generate('How is the weather?', where);
    await agent.generate('What is my boat called?', where);
    const last = seen.at(-1) ?? [];
    expect(last.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(sentText(last.at(-1) as Sent)).toContain('Ottilie');
    expect(sentText(last.at(-1) as Sent).endsWith('What is my boat called?')).toBe(true);
    const { items } = await varve.for({ user: 'ann', session: 't' }).events.list({ session: 't', order: 'oldest' });
    expect(items.map(({ kind, content }) => [kind, content])).toEqual([
      ['message', 'Good morning'],
      ['message', 'Answer 1'],
      ['message', 'How is the weather?'],
      ['tool_result', expect.stringContaining('hail in Linz')],
      ['message', 'Answer 3'],
      ['message', 'What is my boat called?'],
      ['message', 'Answer 4'],
    ]);
  });

  it('keeps threads and their titles, isolated by user', async () => {
    const memory = new VarveMemory({ varve });
    const message = (id: string, threadId: string, resourceId: string, said: string) => ({
      id,
      role: 'user' as const,
      createdAt: new Date('2026-01-02'),
      threadId,
      resourceId,
      content: { format: 2 as const, parts: [{ type: 'text' as const, text: said }] },
    });
    const messages = [
      message('1', 'one', 'ann', 'Mine'),
      message('2', 'two', 'bob', 'His'),
      message('3', 'both', 'ann', 'A'),
    ];
    await memory.saveMessages({ messages });
    // The same message is stored only once.
    await memory.saveMessages({ messages: [...messages, message('3', 'both', 'bob', 'B')] });
    expect(await memory.getThreadById({ threadId: 'one' })).toMatchObject({
      id: 'one',
      resourceId: 'ann',
      title: 'Mine',
    });
    expect(await memory.getThreadById({ threadId: 'none' })).toBeNull();
    // Two resources have a thread with this id, and neither sees the other’s.
    expect(await memory.getThreadById({ threadId: 'both' })).toBeNull();
    expect((await memory.recall({ threadId: 'both', resourceId: 'bob' })).messages).toMatchObject([
      { content: { parts: [{ text: 'B' }] } },
    ]);
    expect((await memory.recall({ threadId: 'one', resourceId: 'bob' })).messages).toEqual([]);
    await memory.updateThread({ id: 'one', title: 'Holidays', metadata: { colour: 'red' } });
    const mine = await memory.listThreads({ filter: { resourceId: 'ann', metadata: { colour: 'red' } } });
    expect(mine.threads).toMatchObject([{ id: 'one', title: 'Holidays', metadata: { colour: 'red' } }]);
    // A title does not become a memory.
    const { results } = await varve.for({ user: 'ann', session: 'one' }).recall('holidays', { abstain: false });
    expect(results.map(({ text }) => text).join()).not.toContain('Holidays');
    await memory.deleteThread('one');
    expect(await memory.getThreadById({ threadId: 'one' })).toBeNull();
    expect((await memory.recall({ threadId: 'two', resourceId: 'bob' })).total).toBe(1);
    await expect(memory.deleteMessages()).rejects.toThrow(/delete the thread/);
  });

  it('reads and replaces the working memory of the resource, and returns pages of a thread', async () => {
    const memory = new VarveMemory({ varve });
    expect(await memory.getWorkingMemory({ threadId: 't', resourceId: 'ann' })).toBeNull();
    await memory.updateWorkingMemory({ resourceId: 'ann', workingMemory: 'Ann sails.' });
    expect(await memory.getWorkingMemory({ threadId: 't', resourceId: 'ann' })).toBe('Ann sails.');
    expect(await memory.getWorkingMemory({ threadId: 't', resourceId: 'bob' })).toBeNull();
    const said = Array.from({ length: 5 }, (_, index) => ({ role: 'user', content: `Turn ${index}` }));
    await memory.handle('ann', 't').observe({ messages: said });
    const page = await memory.recall({ threadId: 't', resourceId: 'ann', perPage: 2, page: 1 });
    expect(page.messages.map(({ content }) => content.parts)).toMatchObject([
      [{ text: 'Turn 1' }],
      [{ text: 'Turn 2' }],
    ]);
    expect(page).toMatchObject({ total: 5, hasMore: true });
  });
});
