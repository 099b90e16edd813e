import { generateText, isStepCount, streamText, wrapLanguageModel, type ToolSet } from 'ai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run as runExample } from '../examples/ai-sdk.ts';
import { memoryMiddleware, memoryTools, type MemoryMiddlewareOptions } from '../src/integrations/ai-sdk.ts';
import type { Handle } from '../src/handle/handle.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';
import {
  exampleModel,
  half,
  type ProtocolRequest,
  type ProtocolServer,
  startProtocolServer,
  status,
  text,
  toolCall,
} from './protocol-server.ts';

let server: ProtocolServer;
let varve: Varve;
beforeAll(async () => {
  server = await startProtocolServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  server.reset();
  ({ varve } = await openVarve());
});
afterEach(() => varve.close());

const handleOf = (session = 's'): Handle => varve.for({ agent: 'a', user: 'ann', session });
const model = (handle: Handle = handleOf(), options?: MemoryMiddlewareOptions): ReturnType<typeof wrapLanguageModel> =>
  wrapLanguageModel({ model: server.languageModel() as never, middleware: memoryMiddleware(handle, options) });

interface SentMessage {
  role: string;
  content: string | { type: string; text: string }[];
}
function sent(request: ProtocolRequest | undefined): { role: string; text: string }[] {
  return ((request?.body.messages ?? []) as SentMessage[]).map(({ role, content }) => ({
    role,
    text: typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('\n'),
  }));
}

describe('the AI SDK middleware', () => {
  it('[Q12] [Q13] adds memory to the prompt, logs the turn without it, and counts the tokens that it costs', async () => {
    await handleOf().facts.set({ key: 'dog_name', value: 'Max' });
    server.next(text('Your dog is Max.'));
    const { text: answer } = await generateText({
      model: model(handleOf(), { channel: 'web' }),
      instructions: 'Be kind.',
      prompt: 'What is my dog called?',
    });
    expect(answer).toBe('Your dog is Max.');
    const [system, user] = sent(server.requests[0]);
    expect(system?.text).toMatch(/^Be kind\.\n\n<memory>[\s\S]*: Max/);
    expect(user?.text).toMatch(/^\[Friday, .*\]\n\nWhat is my dog called\?$/);
    const [logged] = await handleOf().interactions();
    await handleOf().contexts();
    const costs = await varve.ledger.report({ tenant: 'default', by: ['operation', 'model'] });
    const injection = costs.find(({ keys }) => keys.operation === 'injection');
    expect(injection).toMatchObject({ keys: { model: 'test.chat:test-model' }, count: 1, charged: 0 });
    expect(injection?.tokensIn).toBeGreaterThan(5);
    expect(logged).toMatchObject({
      userMessage: 'What is my dog called?',
      agentResponse: 'Your dog is Max.',
      channel: 'web',
    });
  });

  it('does not repeat turns that are among the messages, and recalls turns of other conversations', async () => {
    const told = 'The sauna in the cellar leaks beside the boiler.';
    const other = 'The window of the cellar leaks when it rains.';
    await handleOf('another').logInteraction({ userMessage: other, agentResponse: 'I see.' });
    server.next(text('Which pipe of the sauna in the cellar leaks?'), text('The sauna.'));
    const first = await generateText({ model: model(), prompt: told });
    await varve.drain();
    await generateText({
      model: model(),
      messages: [
        { role: 'user', content: told },
        { role: 'assistant', content: first.text },
        { role: 'user', content: 'Tell me what leaks in the cellar: the sauna?' },
      ],
    });
    const said = sent(server.requests[1])
      .map((message) => message.text)
      .join('\n');
    expect(said.split('beside the boiler')).toHaveLength(2);
    expect(said.split('Which pipe of the sauna')).toHaveLength(2);
    expect(said).toContain('when it rains');
  });

  const KYIV = [
    { role: 'user' as const, content: 'I live in Kyiv.' },
    { role: 'assistant' as const, content: 'How is Kyiv?' },
    { role: 'user' as const, content: 'And I play the violin.' },
  ];
  const log = async (): Promise<string[]> => {
    const { items } = await handleOf().events.list({ order: 'oldest' });
    return items.map(({ origin, content }) => `${origin}: ${content}`);
  };

  it('with logHistory, logs the earlier messages of a new session once, in order, also after a restart', async () => {
    server.otherwise(text('Nice.'));
    await generateText({ model: model(handleOf(), { logHistory: true }), messages: KYIV });
    const all = ['user: I live in Kyiv.', 'agent: How is Kyiv?', 'user: And I play the violin.', 'agent: Nice.'];
    expect(await log()).toEqual(all);
    await varve.drain();
    expect((await handleOf().facts.get('home_city'))?.value).toBe('Kyiv');
    const next = [
      ...KYIV,
      { role: 'assistant' as const, content: 'Nice.' },
      { role: 'user' as const, content: 'Bye.' },
    ];
    await generateText({ model: model(handleOf(), { logHistory: true }), messages: next });
    expect(await log()).toEqual([...all, 'user: Bye.', 'agent: Nice.']);
  });

  it('with logHistory, logs the history of two first calls at the same time once, and no forgotten message again', async () => {
    server.otherwise(text('Nice.'));
    const handle = handleOf();
    const bothHaveLooked = Promise.withResolvers<void>();
    let looked = 0;
    const get: Handle['session']['get'] = async () => {
      const found = await handle.session.get();
      if ((looked += 1) === 2) bothHaveLooked.resolve();
      await bothHaveLooked.promise;
      return found;
    };
    const remembering = model({ ...handle, session: { ...handle.session, get } }, { logHistory: true });
    await Promise.all([1, 2].map(() => generateText({ model: remembering, messages: KYIV })));
    expect((await log()).filter((line) => line.includes('Kyiv'))).toHaveLength(2);
    await varve.drain();
    await handleOf().facts.forget('home_city');
    await generateText({ model: remembering, messages: [...KYIV, { role: 'user', content: 'Bye.' }] });
    await varve.drain();
    expect((await log()).join('\n')).not.toContain('I live in Kyiv');
    expect(await handleOf().facts.get('home_city')).toBeNull();
  });

  it('logs only the last message and the answer by default, because earlier messages may be examples', async () => {
    server.next(text('Nice.'));
    await generateText({ model: model(), messages: KYIV });
    expect(await log()).toEqual(['user: And I play the violin.', 'agent: Nice.']);
  });

  it('streams as without memory, and logs the whole answer', async () => {
    await handleOf().facts.set({ key: 'dog_name', value: 'Max' });
    const long = 'Your dog is Max, and he is a very good dog indeed.';
    server.next(text(long));
    const result = streamText({ model: model(), prompt: 'What is my dog called?' });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(long);
    expect(sent(server.requests[0])[0]?.text).toContain(': Max');
    expect((await handleOf().interactions())[0]).toMatchObject({
      userMessage: 'What is my dog called?',
      agentResponse: long,
    });
  });

  for (const streamed of [false, true]) {
    it(`[T5] records tools and their results, once for the whole turn${streamed ? ', streamed' : ''}`, async () => {
      const tools = {
        ...memoryTools(handleOf(), { set: 'all' }),
        weather: {
          description: 'Weather',
          inputSchema: memoryTools(handleOf(), { set: 'all' })['recall_facts']?.inputSchema,
          execute: async () => 'Sunny in Lisbon',
        },
      };
      await handleOf().facts.set({ key: 'home_city', value: 'Lisbon' });
      server.next(
        toolCall('recall_facts', { query: 'home' }, 'one'),
        toolCall('weather', { query: 'Lisbon' }, 'two'),
        text('It is sunny.'),
      );
      const settings = {
        model: model(),
        prompt: 'How is the weather at home?',
        tools: tools as ToolSet,
        stopWhen: isStepCount(5),
      };
      if (streamed) await streamText(settings).consumeStream();
      else await generateText(settings);
      expect(server.requests).toHaveLength(3);
      const prefixes = server.requests.map((request) => sent(request).slice(0, 2));
      expect(prefixes[1]).toEqual(prefixes[0]);
      expect(prefixes[2]).toEqual(prefixes[0]);
      const interactions = await handleOf().interactions();
      expect(interactions).toHaveLength(1);
      expect(interactions[0]?.toolsUsed).toEqual([
        { tool: 'recall_facts', arguments: { query: 'home' } },
        { tool: 'weather', arguments: { query: 'Lisbon' }, result: 'Sunny in Lisbon' },
      ]);
      const { items } = await handleOf().events.list({ kinds: ['tool_result'] });
      expect(items.map(({ content }) => content)).toEqual(['Sunny in Lisbon']);
    });
  }

  for (const streamed of [false, true]) {
    it(`[K17] logs the user’s message once when the model fails, and adds the answer of a retry${streamed ? ', streamed' : ''}`, async () => {
      const remembering = model();
      const ask = async (): Promise<unknown> => {
        const settings = { model: remembering, prompt: 'My ferry leaves at nine.', maxRetries: 1 };
        if (!streamed) return generateText(settings);
        const failures: unknown[] = [];
        await streamText({ ...settings, onError: ({ error }) => void failures.push(error) }).consumeStream();
        if (failures.length > 0) throw failures[0];
        return null;
      };
      const words = async (): Promise<string[]> => (await handleOf().events.list()).items.map(({ content }) => content);
      server.otherwise(status(503, { retryAfter: 0 }));
      await expect(ask()).rejects.toThrow(/503|fail/i);
      expect(await words()).toEqual(['My ferry leaves at nine.']);
      server.otherwise(text('Then take the tram.'));
      await ask();
      expect((await words()).toSorted()).toEqual(['My ferry leaves at nine.', 'Then take the tram.']);
      expect(await handleOf().interactions()).toMatchObject([
        { userMessage: 'My ferry leaves at nine.', agentResponse: 'Then take the tram.' },
      ]);
    });
  }

  it('[K6] runs the agent’s tools', async () => {
    server.next(toolCall('remember_fact', { key: 'dog_name', value: 'Max' }), text('Noted.'));
    await generateText({
      model: model(),
      prompt: 'My dog is Max',
      tools: memoryTools(handleOf(), { only: ['remember_fact'] }),
      stopWhen: isStepCount(3),
    });
    expect((await handleOf().facts.get('dog_name'))?.value).toBe('Max');
  });

  it('queues formation: turns become memories, and recalled memories are not duplicated', async () => {
    server.otherwise(text('I will keep that in mind.'));
    await generateText({ model: model(), prompt: 'I prefer tea over coffee.' });
    await handleOf().session.close();
    await varve.drain();
    const count = (await handleOf().memories.list()).items.length;
    expect(count).toBeGreaterThan(0);
    server.otherwise(text('You prefer tea over coffee.'));
    await generateText({ model: model(handleOf('later')), prompt: 'Which drink shall I order?' });
    await handleOf('later').session.close();
    await varve.drain();
    expect((await handleOf().memories.list()).items).toHaveLength(count);
  });

  it('[T5] indexes the text of attached files', async () => {
    server.next(text('A menu.'));
    await generateText({
      model: model(),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            {
              type: 'file',
              mediaType: 'text/plain',
              filename: 'menu.txt',
              data: Buffer.from('Soup of the day: pumpkin'),
            },
          ],
        },
      ],
    }).catch((error: unknown) => String(error));
    const { items } = await handleOf().events.list({ kinds: ['document_chunk'] });
    const supported = (await handleOf().interactions()).length > 0;
    expect(items.map(({ content, context }) => [content, context?.fileName])).toEqual(
      supported ? [['Soup of the day: pumpkin', 'menu.txt']] : [],
    );
    expect(supported).toBe(true);
  });

  it('never stops the model when memory fails', async () => {
    const errors: unknown[] = [];
    const handle = handleOf();
    const broken = { ...handle, context: () => Promise.reject(new Error('memory is down')) };
    server.next(text('Hello.'));
    const result = await generateText({
      model: model(broken, { onError: (error) => errors.push(error) }),
      prompt: 'Hi',
    });
    expect(result.text).toBe('Hello.');
    expect(String(errors[0])).toContain('memory is down');
    expect(sent(server.requests[0])).toEqual([{ role: 'user', text: 'Hi' }]);
  });

  it('logs only the message of a failed call, and can be switched off', async () => {
    server.next(half());
    await generateText({ model: model(), prompt: 'Hi', maxRetries: 0 }).catch((error: unknown) => error);
    const message = [expect.objectContaining({ userMessage: 'Hi', agentResponse: '' })];
    expect(await handleOf().interactions()).toEqual(message);
    server.otherwise(text('Hello.'));
    await generateText({ model: model(handleOf(), { observe: false, inject: false }), prompt: 'Hi' });
    expect(await handleOf().interactions()).toEqual(message);
    expect(sent(server.requests.at(-1))).toEqual([{ role: 'user', text: 'Hi' }]);
  });

  it('serves many users with one wrapped model', async () => {
    const middleware = memoryMiddleware((options) => varve.for({ user: String(options['user']), session: 's' }));
    const shared = wrapLanguageModel({ model: server.languageModel() as never, middleware });
    await varve.for({ user: 'bob' }).facts.set({ key: 'dog_name', value: 'Rex' });
    server.otherwise(text('ok'));
    for (const user of ['ann', 'bob']) {
      await generateText({ model: shared, prompt: 'Hi', providerOptions: { varve: { user } } });
    }
    expect(sent(server.requests[0])[0]?.text).not.toContain('Rex');
    expect(sent(server.requests[1])[0]?.text).toContain('Rex');
    expect(await varve.for({ user: 'bob' }).interactions()).toHaveLength(1);
  });

  it('runs the example', async () => {
    server.otherwise(exampleModel);
    expect(await runExample(varve, server.languageModel())).toEqual(['I will remember Max.', 'Max!']);
  });
});
