import { describe, expect, it } from 'vitest';
import type { Handle } from '../../src/handle/handle.ts';
import { createMcpServer } from '../../src/mcp/create-mcp-server.ts';
import { AGENT_TOOLS, runTool } from '../../src/tools/agent-tools.ts';
import { createVarve } from '../../src/varve.ts';
import { databases } from '../databases.ts';
import { tally } from './tally.ts';

const FACTS = [
  'User keeps eleven beehives behind the barn.',
  'User paid 4,200 euros for the honey extractor.',
  'User sells honey at the market in Wels.',
];

/** The ways in which a program may log the result of a memory tool. */
const LOGS: Record<string, (handle: Handle, tool: string, answer: string) => Promise<unknown>> = {
  'as a tool of an exchange': (handle, tool, result) =>
    handle.logInteraction({
      userMessage: 'What about honey?',
      agentResponse: 'Let me see.',
      toolsUsed: [{ tool, result }],
    }),
  'under the name that a client gives': (handle, tool, result) =>
    handle.logInteraction({
      userMessage: 'And the bees?',
      agentResponse: 'I see.',
      toolsUsed: [{ tool: `mcp__varve__${tool}`, result }],
    }),
  'with another prefix': (handle, tool, result) =>
    handle.observe({ content: result, kind: 'tool_result', origin: 'tool', metadata: { tool: `varve.${tool}` } }),
  'as a result without a name': (handle, _tool, result) =>
    handle.observe({ content: result, kind: 'tool_result', origin: 'tool' }),
  'under another name': (handle, _tool, result) =>
    handle.observe({
      content: `Result:\n${result}`,
      kind: 'tool_result',
      origin: 'tool',
      metadata: { tool: 'lookup', name: 'x' },
    }),
  'as an observation of a tool': (handle, tool, result) =>
    handle.observe({ content: result, kind: 'observation', origin: 'tool', metadata: { tool } }),
};

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`loops on ${database.name} (R7)`, () => {
    it('results of memory tools are neither recalled nor learned again', { timeout: 120_000 }, async () => {
      const created = await database.create();
      const varve = await createVarve({ store: created.options, embedder: null, background: false });
      const counted = tally(`loops on ${database.name}`);
      const readers = AGENT_TOOLS.filter(({ hints }) => hints.readOnly).map(({ name }) => name);
      let users = 0;
      for (const [way, log] of Object.entries(LOGS)) {
        const handle = varve.for({ user: `u${(users += 1)}`, session: 's' });
        for (const content of FACTS) await handle.memories.create({ type: 'fact', content });
        await handle.facts.set({ key: 'hobby', value: 'bees and honey' });
        await handle.notes.add({ title: 'Honey', content: 'The honey of May was dark.' });
        const before = (await handle.memories.list({ limit: 200 })).items.length;
        const sizes: number[] = [];
        for (let round = 0; round < 7; round += 1) {
          let size = 0;
          for (const tool of readers) {
            const input = /search|find/.test(tool) ? { query: 'honey bees' } : {};
            const answer = JSON.stringify(await runTool(handle, tool, input));
            size += answer.length;
            await log(handle, tool, answer);
          }
          await handle.form();
          await varve.drain();
          sizes.push(size);
        }
        const growth = (sizes.at(-1) ?? 0) / (sizes[0] ?? 1);
        // Messages of the exchange itself may be found from the second round on.
        const plain = sizes.at(-1) === sizes[1] || growth < 2;
        counted.note(`${way}: ${sizes.join(' → ')} characters`, !plain);
        const found = (await handle.recall('honey bees', { abstain: false, limit: 100 })).results;
        counted.note(
          `${way}: recalled`,
          found.some(({ text }) => /mem_|"trust"/.test(text)),
        );
        const after = (await handle.memories.list({ limit: 500 })).items;
        const learned = after.filter(({ content }) => /mem_|"trust"|eleven beehives/.test(content)).length;
        counted.note(`${way}: learned ${after.length - before}`, learned > 1);
      }
      // The prompt of a context is logged as the user’s message.
      const handle = varve.for({ user: 'prompted', session: 's' });
      for (const content of FACTS) await handle.memories.create({ type: 'fact', content });
      const server = createMcpServer({ handle, version: '0' });
      expect(server).toBeDefined();
      const { user } = await handle.context({ message: 'What about honey?', lookup: 'always' });
      await handle.observe({ content: user });
      const [event] = (await handle.events.list({ kinds: ['message'] })).items;
      counted.note('the context within the user’s message', /beehives|extractor/.test(event?.content ?? ''));
      expect(event?.content).toContain('What about honey?');
      counted.close();
      await varve.close();
      await created.drop();
    });
  });
}
