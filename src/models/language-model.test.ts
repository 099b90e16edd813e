import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { manualDelay, type ManualDelay } from '../../test/manual-delay.ts';
import {
  drop,
  from,
  half,
  hang,
  json,
  large,
  type ProtocolServer,
  raw,
  refusal,
  type Reply,
  startProtocolServer,
  status,
  text,
} from '../../test/protocol-server.ts';
import { VarveError } from '../errors.ts';
import { manualClock } from '../record/clock.ts';
import { createLanguageModel, type LanguageModelOptions } from './create-language-model.ts';
import { type LanguageModel, usageOfFailure } from './language-model.ts';

const schema = z.object({ facts: z.array(z.string()) });
const prompt = { system: 'Extract facts.', user: 'I live in Oslo.' };
const request = { task: 'read', schema, prompt } as const;
const good = { facts: ['Lives in Oslo'] };

let server: ProtocolServer;
let time: ManualDelay;
beforeAll(async () => {
  server = await startProtocolServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

function model(options: Partial<LanguageModelOptions> = {}): LanguageModel {
  const clock = manualClock(0);
  time = manualDelay(clock);
  return createLanguageModel({ fast: server.languageModel(), clock, delay: time.delay, random: () => 1, ...options });
}

async function failure(call: Promise<unknown>): Promise<VarveError> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!VarveError.isInstance(thrown)) throw new Error(`expected a VarveError, got ${String(thrown)}`);
  return thrown;
}

describe('requests to a language model through its real provider', () => {
  it('returns validated data and its usage with strict structured output', async () => {
    server.next(json(good, { usage: { in: 50, out: 7, cached: 30 } }));
    const generated = await model().generate(request);
    expect(generated).toMatchObject({
      data: good,
      model: 'test.chat:test-model',
      repaired: false,
      usage: { tokensIn: 50, tokensOut: 7, tokensCached: 30, calls: 1, estimated: false },
    });
    const body = server.requests[0]?.body;
    expect(body?.messages?.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body?.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'read', strict: true, schema: { additionalProperties: false, required: ['facts'] } },
    });
  });

  it('describes the schema in words to a provider without structured output', async () => {
    server.next(json(good));
    const generated = await model({ fast: server.languageModel('plain', { strict: false }) }).generate(request);
    expect(generated.data).toEqual(good);
    expect(server.requests[0]?.body.response_format).toEqual({ type: 'json_object' });
    expect(server.requests[0]?.body.messages?.[0]?.content).toContain('"facts"');
  });

  it('describes a list in words instead of by a response format, because JSON modes return objects only', async () => {
    server.next(json([1, 2]));
    expect((await model().generate({ ...request, schema: z.array(z.number()) })).data).toEqual([1, 2]);
    expect(server.requests[0]?.body.response_format).toBeUndefined();
    expect(server.requests[0]?.body.messages?.[0]?.content).toContain('"array"');
  });

  it('falls back when the provider rejects the format, and remembers the fallback', async () => {
    const picky = from(({ body }) =>
      body.response_format === undefined ? json(good) : status(400, { message: "'response_format' is not supported" }),
    );
    server.otherwise(picky);
    const asking = model();
    expect((await asking.generate(request)).data).toEqual(good);
    expect(server.requests.map(({ body }) => body.response_format?.type)).toEqual([
      'json_schema',
      'json_object',
      undefined,
    ]);
    await asking.generate(request);
    expect(server.requests).toHaveLength(4);
  });

  it('does not fall back when the provider rejects the call for another reason', async () => {
    server.otherwise(status(400, { message: 'context length exceeded' }));
    expect(await failure(model().generate(request))).toMatchObject({ code: 'model_unavailable', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  it('asks once more with the errors of the first answer, and counts both calls', async () => {
    server.next(json({ facts: 'none' }), json(good));
    const generated = await model().generate(request);
    expect(generated).toMatchObject({ data: good, repaired: true, usage: { tokensIn: 200, calls: 2 } });
    const messages = server.requests[1]?.body.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[3]?.content).toMatch(/facts: .*array/);
  });

  const useless: [string, Reply, string, number][] = [
    ['prose', text('I would rather talk about the weather.'), 'not_json', 2],
    ['prose in another language', text('申し訳ありませんが、わかりません。'), 'not_json', 2],
    ['the wrong shape', json({ answers: [] }), 'wrong_shape', 2],
    ['nothing', text(''), 'empty', 2],
    ['no content at all', text(null), 'empty', 2],
    ['a cut answer', text('{"facts": ["a", "b', { finish: 'length' }), 'truncated', 2],
    ['10 MB', large(10_000_000), 'too_long', 2],
    ['a refusal', refusal(), 'refused', 1],
    ['a content filter', text('', { finish: 'content_filter' }), 'refused', 1],
  ];
  it.each(useless)(
    '[T16] throws an error that is not retryable when the answer is %s',
    async (_name, reply, problem, tries) => {
      server.otherwise(reply);
      const error = await failure(model().generate(request));
      expect(error).toMatchObject({
        code: 'model_answer_invalid',
        retryable: false,
        details: { problem, task: 'read' },
      });
      expect(usageOfFailure(error)).toMatchObject({ calls: tries, tokensIn: 100 * tries });
      expect(server.requests).toHaveLength(tries);
      expect(JSON.stringify(error.details) + error.message).not.toMatch(/Oslo|weather/);
    },
  );

  it('marks the complete items of a truncated answer as a part, if the options accept them', async () => {
    server.next(text('{"facts": ["Keeps two goats", "Has a sis', { finish: 'length' }));
    expect(await model({ keepsWhole: true }).generate(request)).toMatchObject({
      data: { facts: ['Keeps two goats'] },
      isCut: true,
    });
    expect(server.requests).toHaveLength(1);
  });

  const down: [string, Reply][] = [
    ['500', status(500)],
    ['503 with a page of a proxy', status(503, { body: '<html>down</html>' })],
    ['a closed connection', drop()],
    ['half an answer', half()],
    ['a page instead of JSON', raw('<html>welcome to the hotel</html>', 'text/html')],
    ['half a JSON', raw('{"id": "chat-1", "choices": [{"mess')],
    ['429', status(429)],
  ];
  it.each(down)(
    '[T16] retries, and then throws a retryable error, when the model answers with %s',
    async (_name, reply) => {
      server.otherwise(reply);
      expect(await failure(model().generate(request))).toMatchObject({ code: 'model_unavailable', retryable: true });
      expect(server.requests).toHaveLength(3);
      server.reset();
      server.next(reply, json(good));
      expect((await model().generate(request)).data).toEqual(good);
    },
  );

  it('waits for the Retry-After of a 429', async () => {
    server.next(status(429, { retryAfter: 7 }), json(good));
    await model().generate(request);
    expect(time.pauses).toEqual([7000]);
  });

  it('[T16] throws a retryable error when nothing listens', async () => {
    const gone = await startProtocolServer();
    const fast = gone.languageModel();
    await gone.close();
    expect(await failure(model({ fast }).generate(request))).toMatchObject({
      code: 'model_unavailable',
      retryable: true,
    });
  });

  it('[T16] times out on a connection that hangs', async () => {
    server.otherwise(hang());
    const pending = failure(model({ retries: 0 }).generate(request));
    await server.arrived(1);
    time.timeOut();
    expect(await pending).toMatchObject({ code: 'timed_out', retryable: true });
  });

  it('is cancelled by its signal', async () => {
    server.otherwise(hang());
    const cancelling = new AbortController();
    const pending = failure(model().generate({ ...request, signal: cancelling.signal }));
    await server.arrived(1);
    cancelling.abort();
    expect(await pending).toMatchObject({ code: 'cancelled', retryable: false });
  });

  it('reports the usage of the first call when the second fails', async () => {
    server.next(text('no json'));
    server.otherwise(status(500));
    const error = await failure(model().generate(request));
    expect(error.code).toBe('model_unavailable');
    expect(usageOfFailure(error)).toMatchObject({ calls: 1, tokensIn: 100 });
  });

  it('[T16] stops calling a model that is down, and calls it again later', async () => {
    const clock = manualClock(0);
    const asking = createLanguageModel({
      fast: server.languageModel(),
      clock,
      delay: manualDelay(clock).delay,
      retries: 0,
      breaker: { failures: 2, cooldown: 5000 },
    });
    server.next(status(500), status(500));
    server.otherwise(json(good));
    for (let calls = 0; calls < 2; calls += 1) await failure(asking.generate(request));
    expect(await failure(asking.generate(request))).toMatchObject({ details: { reason: 'circuit_open' } });
    expect(server.requests).toHaveLength(2);
    clock.advance(5000);
    expect((await asking.generate(request)).data).toEqual(good);
  });

  it('limits the concurrent calls to one model', async () => {
    let open = 0;
    let most = 0;
    server.otherwise(async (incoming, response) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      await json(good)(incoming, response);
    });
    const asking = model({ parallel: 3 });
    await Promise.all(Array.from({ length: 12 }, () => asking.generate(request)));
    expect(most).toBe(3);
  });

  it('estimates the tokens that a provider does not count', async () => {
    server.next(json(good, { usage: null }));
    const { usage } = await model().generate(request);
    expect(usage.estimated).toBe(true);
    expect(usage.tokensIn).toBeGreaterThan(5);
    expect(usage.tokensOut).toBeGreaterThan(3);
  });
});

describe('requests for text', () => {
  const asked = { task: 'profile', prompt } as const;

  it('returns the text', async () => {
    server.next(text('\n---PROFILE---\n## Personal\n'));
    expect((await model().generateText(asked)).data).toBe('---PROFILE---\n## Personal');
    expect(server.requests[0]?.body.response_format).toBeUndefined();
  });

  it.each([
    ['empty', text(' ')],
    ['refused', refusal()],
    ['truncated', text('---PROFILE---\n## Pers', { finish: 'length' })],
    ['too_long', large(10_000_000)],
  ])('[T16] refuses an answer that is %s', async (problem, reply) => {
    server.next(reply);
    const error = await failure(model().generateText(asked));
    expect(error).toMatchObject({ code: 'model_answer_invalid', details: { problem } });
    expect(usageOfFailure(error)).toMatchObject({ calls: 1 });
  });
});
