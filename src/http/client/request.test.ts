import { describe, expect, it } from 'vitest';
import { createClient } from './create-client.ts';
import { type JsonSchema, jsonSchema } from '../json-schema.ts';
import { OPERATIONS } from '../operations/operations.ts';
import { type ClientRequest, createSend, FREE, TIMES } from './request.ts';

/** A server that sends these responses in order, and the requests that it received. */
function serverOf(...answers: (Response | Error)[]): { fetch: typeof globalThis.fetch; keys: (string | null)[] } {
  const keys: (string | null)[] = [];
  const fetch = async (_address: unknown, options?: RequestInit): Promise<Response> => {
    keys.push(new Headers(options?.headers).get('idempotency-key'));
    const answer = answers.shift() ?? new Response('{"ok":true}');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch: fetch as typeof globalThis.fetch, keys };
}
const problem = (status: number, rest: object): Response => new Response(JSON.stringify(rest), { status });
const asked: ClientRequest = { method: 'POST', path: '/v1/notes', body: {} };

describe('the client', () => {
  it('retries a request whose response was lost, with the same idempotency key', async () => {
    for (const method of ['POST', 'PATCH'] as const) {
      const { fetch, keys } = serverOf(new TypeError('fetch failed'), problem(503, { code: 'store_busy' }));
      const send = createSend({ url: 'http://there', key: 'k', fetch });
      expect(await send({ ...asked, method })).toEqual({ ok: true });
      expect([keys.length, new Set(keys).size, keys[0]]).toEqual([3, 1, expect.any(String)]);
    }
  });

  it('waits for an earlier attempt that is still running', async () => {
    const { fetch, keys } = serverOf(problem(504, {}), problem(409, { code: 'conflict', retryable: true }));
    expect(await createSend({ url: 'http://there', key: 'k', fetch })(asked)).toEqual({ ok: true });
    expect(keys).toHaveLength(3);
  });

  it('does not retry a refused request', async () => {
    const { fetch, keys } = serverOf(problem(409, { code: 'conflict', detail: 'Another version.', retryable: false }));
    const refused = createSend({ url: 'http://there', key: 'k', fetch })(asked);
    await expect(refused).rejects.toMatchObject({ code: 'conflict', message: 'Another version.' });
    expect(keys).toHaveLength(1);
  });

  it('does not retry slow requests (form, reflect), because the server stores no answer for them', async () => {
    for (const work of ['form', 'reflect'] as const) {
      const { fetch, keys } = serverOf(new TypeError('fetch failed'));
      const handle = createClient({ url: 'http://there', key: 'k', fetch }).for({ user: 'ana' });
      await expect(handle[work]()).rejects.toMatchObject({ code: 'store_unavailable' });
      expect(keys).toHaveLength(1);
    }
  });

  it('retries a stream of changes when the server is busy, and fails with the error code of the server when it refuses the stream', async () => {
    const { fetch, keys } = serverOf(
      problem(429, {}),
      problem(400, { code: 'invalid_input', detail: 'No such cursor.' }),
    );
    const changes = createClient({ url: 'http://there', key: 'k', fetch }).changes({ user: 'ana' }, { after: 'x' });
    await expect(changes.next()).rejects.toMatchObject({ code: 'invalid_input', message: 'No such cursor.' });
    expect(keys).toHaveLength(2);
  });

  it('refuses options without an address or a key, before any request', () => {
    const wrong = [undefined, {}, { url: '', key: 'k' }, { url: 'localhost:8787', key: 'k' }];
    for (const options of wrong)
      expect(() => createClient(options as never)).toThrow(
        'The `url` of createClient() must be the address of a server',
      );
    expect(() => createClient({ url: 'http://there' } as never)).toThrow('The `key` of createClient() must be');
  });

  it('reports an exchange that could not be logged, as the library does, and throws if the exchange is refused', async () => {
    const answers = [new TypeError('fetch failed'), problem(400, { code: 'invalid_input', detail: 'No words.' })];
    const { fetch } = serverOf(...answers);
    const handle = createClient({ url: 'http://there', key: 'k', fetch, retries: 0 }).for({ user: 'ana' });
    const exchange = { userMessage: 'Hi.', agentResponse: 'Hello.' };
    expect(await handle.logInteraction(exchange)).toMatchObject({
      logged: false,
      error: { code: 'store_unavailable' },
    });
    await expect(handle.logInteraction(exchange)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('rejects a reflection when its signal aborts', async () => {
    const reason = new AbortController();
    const fetch = (async (_address: unknown, { signal }: RequestInit) => {
      reason.abort(new Error('enough'));
      signal?.throwIfAborted();
      return new Response('{}');
    }) as typeof globalThis.fetch;
    const handle = createClient({ url: 'http://there', key: 'k', fetch }).for({ user: 'ana' });
    await expect(handle.reflect({ signal: reason.signal })).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describe('the times in answers', () => {
  /** The fields of an answer that are times, except in the fields that the client leaves as they are. */
  function timesIn({ schema, named }: ReturnType<typeof jsonSchema>): Set<string> {
    const times = new Set<string>();
    const seen = new Set<unknown>();
    const visit = (one: JsonSchema | undefined, field: string): void => {
      if (one === undefined || seen.has(one)) return;
      if (one.format === 'date-time') return void times.add(field);
      seen.add(one);
      if (one.$ref !== undefined) visit(named[one.$ref.split('/').at(-1) ?? ''], field);
      for (const choice of one.anyOf ?? []) visit(choice, field);
      visit(one.items, '');
      for (const [name, inner] of Object.entries(one.properties ?? {})) if (!FREE.has(name)) visit(inner, name);
    };
    visit(schema, '');
    return times;
  }

  it('become dates in the client, and no other field does', () => {
    const answered = new Set(
      OPERATIONS.flatMap(({ answer: { schema } }) =>
        schema === null ? [] : [...timesIn(jsonSchema(schema, 'output'))],
      ),
    );
    // The short records of tools, which have a text as their date. The client asks for whole records.
    answered.delete('date');
    expect([...TIMES].toSorted()).toEqual([...answered].toSorted());
  });
});
