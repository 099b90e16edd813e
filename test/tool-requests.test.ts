import { createHash } from 'node:crypto';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpServer } from '../src/mcp/create-mcp-server.ts';
import { createLocalEmbedder } from '../src/models/local-embedder/local-embedder.ts';
import { manualClock } from '../src/record/clock.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { copyableSqlite, type CopyableStore } from './prepared-store.ts';
import choicesFile from './talk/tool-choices.json' with { type: 'json' };
import requestsFile from './talk/tool-requests.json' with { type: 'json' };

interface Request {
  says: string;
  wants: string[];
  shows?: string[];
  live?: string[];
  gone?: string[];
  due?: string[];
  dueAt?: string;
  logged?: string[];
}

interface Call {
  tool: string;
  arguments: Record<string, unknown>;
}

interface Listed {
  id: string;
  text: string;
}

const { known, today } = requestsFile;
const REQUESTS: readonly Request[] = requestsFile.requests;
const CHOICES: readonly { says: string; calls: Call[] }[] = choicesFile.choices;
// A store closes its embedder, and loading the model for each of forty stores would take most of the time.
const { close: closeEmbedder, ...embedder } = createLocalEmbedder();
let prepared: CopyableStore;

/** A copy of the known memories, with the request as the user’s last turn, as the hooks of a client log it. */
async function withStore(says: string, work: (varve: Varve, client: Client) => Promise<void>): Promise<void> {
  const { options, drop } = await prepared.copy();
  const varve = await createVarve({ store: options, background: false, embedder, clock: manualClock(new Date(today)) });
  const handle = varve.for({ user: 'maren', session: 'now' });
  await handle.observe({ messages: [{ role: 'user', content: says }] });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer({ handle, version: '1' });
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  try {
    await work(varve, client);
  } finally {
    await client.close();
    await server.close();
    await varve.close();
    await drop();
  }
}

/** Makes the recorded calls, and returns the text of each answer. */
async function makeCalls(client: Client, calls: readonly Call[]): Promise<string[]> {
  const answers: string[] = [];
  let listed: Listed[] = [];
  for (const call of calls) {
    const what = call.arguments['what'] as { $id?: string } | undefined;
    const id = what?.$id === undefined ? undefined : listed.find(({ text }) => text.includes(what.$id ?? ''))?.id;
    const given = what?.$id === undefined ? call.arguments : { ...call.arguments, what: id ?? 'no candidate' };
    const answer = await client.callTool({ name: call.tool, arguments: given });
    if (answer.isError === true) throw new Error(JSON.stringify(answer.content));
    listed = (answer.structuredContent as { candidates?: Listed[] }).candidates ?? [];
    answers.push(JSON.stringify(answer.structuredContent));
  }
  return answers;
}

describe('40 natural requests, with recorded tool calls that a model chose from the list of tools alone', () => {
  beforeAll(async () => {
    prepared = await copyableSqlite();
    const clock = manualClock(new Date(new Date(today).getTime() - 7 * 86_400_000));
    const varve = await createVarve({ store: prepared.options, background: false, embedder, clock });
    const handle = varve.for({ user: 'maren', session: 'before' });
    for (const [key, value] of Object.entries(known.facts)) await handle.facts.set({ key, value, statedBy: 'user' });
    for (const memory of known.memories) await handle.memories.create({ ...memory, statedBy: 'user' });
    for (const intention of known.intentions) await handle.intentions.add(intention);
    await handle.observe({ messages: known.conversation });
    await varve.drain();
    await varve.close();
  });
  afterAll(async () => {
    await closeEmbedder?.();
    await prepared.drop();
  });

  it('have one recorded choice each, in the same order', () => {
    expect(CHOICES.map(({ says }) => says)).toEqual(REQUESTS.map(({ says }) => says));
    expect(REQUESTS).toHaveLength(40);
  });

  it('have choices that were recorded with the current list of tools', async () => {
    await withStore('Hello.', async (_varve, client) => {
      const { tools } = await client.listTools();
      const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      const digest = createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 16);
      // If the lists differ, let a model choose again for each request and record its choices.
      expect(digest).toBe(choicesFile.tools);
    });
  });

  it.each(REQUESTS.map((request, index) => ({ ...request, calls: CHOICES[index]?.calls ?? [] })))(
    '$says',
    async ({ says, calls, ...request }) => {
      expect(request.wants).toContain(calls[0]?.tool);
      await withStore(says, async (varve, client) => {
        const answers = await makeCalls(client, calls);
        const handle = varve.for({ user: 'maren', session: 'now' });
        const { items } = await handle.memories.list({ limit: 200 });
        const live = items.map(({ content }) => content).join('\n');
        const due = (await handle.intentions.list()).map((item) => ({ ...item, day: item.dueAt?.toISOString() ?? '' }));
        for (const words of request.shows ?? []) expect(answers.at(-1)).toContain(words);
        for (const words of request.live ?? []) expect(live).toContain(words);
        for (const words of request.gone ?? []) expect(live).not.toContain(words);
        for (const words of request.due ?? [])
          expect(due.find(({ content }) => content.includes(words))?.day).toContain(request.dueAt ?? '2026-03');
        const turns = (await handle.events.list({ kinds: ['message'] })).items.map(({ content }) => content).join('\n');
        for (const words of request.logged ?? []) expect(turns).toContain(words);
      });
    },
  );
});
