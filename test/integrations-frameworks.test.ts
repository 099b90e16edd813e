import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import Anthropic from '@anthropic-ai/sdk';
import { AIMessage, type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { OpenAIChatCompletionsModel } from '@openai/agents-openai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run as runAnthropic } from '../examples/anthropic-sdk.ts';
import { run as runLangChain } from '../examples/langchain.ts';
import { run as runLlamaIndex } from '../examples/llamaindex.ts';
import { run as runAgents } from '../examples/openai-agents.ts';
import { VarveChatHistory } from '../src/integrations/langchain.ts';
import { VarveMemoryBlock } from '../src/integrations/llamaindex.ts';
import { memoryTools, VarveSession } from '../src/integrations/openai-agents.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';
import { exampleModel, from, type ProtocolServer, type Sent, startProtocolServer, text } from './protocol-server.ts';

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

describe('the OpenAI Agents SDK', () => {
  it('runs the example: a statement in one session is known in the next', async () => {
    server.otherwise(exampleModel);
    const client = new OpenAI({ baseURL: server.url, apiKey: 'key' });
    const model = new OpenAIChatCompletionsModel(client, 'test');
    expect(await runAgents(varve, model)).toEqual(['I will remember Max.', 'Max!']);
    const { items } = await varve.for({ agent: 'assistant', user: 'ann', session: 'monday' }).events.list({
      kinds: ['message'],
      session: 'monday',
      order: 'oldest',
    });
    expect(items.map(({ content }) => content)).toEqual([
      'My dog is called Max. Please remember that.',
      'I will remember Max.',
    ]);
  });

  it('keeps the order and the limit of the items of a session, and hides items that were removed', async () => {
    const handle = varve.for({ user: 'ann', session: 's' });
    const session = new VarveSession(handle);
    await session.addItems([
      { type: 'message', role: 'system', content: 'You are kind.' },
      { type: 'message', role: 'user', content: 'One' },
      { type: 'function_call', callId: 'c', name: 'weather', arguments: '{}', status: 'completed' },
      { type: 'function_call_result', callId: 'c', name: 'weather', status: 'completed', output: 'Rain' },
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Two' }] },
    ] as never);
    expect(await session.getSessionId()).toBe('s');
    expect(JSON.stringify(await session.getItems())).toMatch(/One.*Two/);
    expect(await session.getItems(1)).toMatchObject([{ role: 'assistant' }]);
    expect((await handle.events.list({ kinds: ['tool_result'] })).items).toMatchObject([
      { content: 'Rain', origin: 'tool' },
    ]);
    expect(await session.popItem()).toMatchObject({ role: 'assistant' });
    expect(await session.getItems()).toEqual([{ type: 'message', role: 'user', content: 'One' }]);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(memoryTools(handle).map(({ name }) => name)).not.toContain('log_conversation');
    expect(() => new VarveSession(varve.for({ user: 'ann' }))).toThrow(/session/);
    expect(() => new VarveSession(varve.for({ user: null, session: 's' }))).toThrow(/user/);
  });
});

describe('LangChain', () => {
  it('runs the example: a model that sees the history, and a retriever', async () => {
    const model = RunnableLambda.from(async (messages: BaseMessage[]) => {
      const response = await fetch(`${server.url}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({
          messages: messages.map((message) => ({ role: message.getType(), content: message.content })),
        }),
      });
      const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
      return new AIMessage(choices[0]?.message.content ?? '');
    });
    server.otherwise(
      from(({ body }) =>
        text((body.messages as Sent[]).length > 2 ? `Seen ${(body.messages as Sent[]).length}` : 'Hello Max.'),
      ),
    );
    const [first, second, found] = await runLangChain(varve, model as never);
    expect([first, second]).toEqual(['Hello Max.', 'Seen 4']);
    expect(found).toContain('Max');
  });

  it('stores no system messages, and clears only one session', async () => {
    const history = new VarveChatHistory(varve.for({ user: 'ann', session: 'a' }));
    const other = new VarveChatHistory(varve.for({ user: 'ann', session: 'b' }));
    await history.addMessages([new SystemMessage('Be kind.'), new AIMessage('Hi')]);
    await other.addUserMessage('Stay');
    expect((await history.getMessages()).map(({ content }) => content)).toEqual(['Hi']);
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
    expect(await other.getMessages()).toHaveLength(1);
  });
});

describe('LlamaIndex.TS', () => {
  it('runs the example: the context comes first, and messages that leave the short-term memory are logged', async () => {
    const { given, found } = await runLlamaIndex(varve);
    expect(given).toContain('Porto');
    expect(found).toContain('Max');
    expect(() => new VarveMemoryBlock(varve.for({ user: 'ann' }))).toThrow(/session/);
  });
});

describe('Anthropic’s SDK', () => {
  it('runs the example: its memory tool writes files that Varve keeps', async () => {
    const requests: { messages: unknown[] }[] = [];
    const http = createServer((incoming, response) => {
      const answerTo = (body: unknown): void => {
        requests.push(body as { messages: unknown[] });
        const call = {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'memory',
          input: { command: 'create', path: '/memories/ann.md', file_text: 'Lives in Porto.' },
        };
        const isFirst = requests.length === 1;
        const answer = {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'test',
          content: isFirst ? [call] : [{ type: 'text', text: 'Noted.' }],
          stop_reason: isFirst ? 'tool_use' : 'end_turn',
          usage: { input_tokens: 1, output_tokens: 1 },
        };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      };
      void json(incoming).then(answerTo);
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const baseURL = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    expect(await runAnthropic(varve, new Anthropic({ baseURL, apiKey: 'key' }))).toBe('Noted.');
    expect(JSON.stringify(requests[1]?.messages)).toContain('File created successfully');
    const { items } = await varve.for({ agent: 'claude', user: 'ann' }).notes.list();
    expect(items).toMatchObject([{ content: 'Lives in Porto.' }]);
    http.closeAllConnections();
    http.close();
  });
});
