import { createHmac } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VarveError } from '../src/errors.ts';
import type { WebhookDelivery } from '../src/operate/webhooks.ts';
import { checkReceiver, isPublicAddress } from '../src/operate/webhook-request.ts';
import { DAY, HOUR, manualClock, MINUTE, SECOND } from '../src/record/clock.ts';
import { createVarve, type Varve, type VarveOptions } from '../src/varve.ts';
import { databases } from './databases.ts';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  // Tests read messages of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  message: any;
}

/** A receiver of webhooks: a real server that answers as the test specifies. */
async function startReceiver() {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  let answer: (place: number) => { status: number; headers?: Record<string, string> } | null = () => ({ status: 204 });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    received.push({ headers: request.headers, body, message: JSON.parse(body) });
    for (const wake of waiting.splice(0)) wake();
    const given = answer(received.length);
    // Null means that it never answers.
    if (given !== null) response.writeHead(given.status, given.headers).end('a body that nobody reads');
  };
  const server: Server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answers(how: typeof answer) {
      answer = how;
    },
    next: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Verifies a message as the Standard Webhooks specification requires. */
function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

describe('addresses that a webhook may not call', () => {
  it.each([
    [
      '127.0.0.1',
      '127.255.0.9',
      '0.0.0.0',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
    ],
    ['100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.7'],
    ['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'fc00::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8'],
    ['64:ff9b::7f00:1', '2001:db8::1', '2002:7f00:1::', '2001::1', 'not an address'],
  ])('include %s and others', (...addresses) => {
    for (const address of addresses) expect([address, isPublicAddress(address)]).toEqual([address, false]);
  });

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
    '%s is public, and may be called',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    'http://example.org/hook',
    'ftp://example.org/hook',
    'https://user:password@example.org/',
    'https://localhost/hook',
    'https://api.localhost./hook',
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:7f00:1]/hook',
    'https://169.254.169.254/latest/meta-data',
    'no URL',
  ])('%s is refused', (url) => {
    expect(() => checkReceiver(url, {})).toThrow(VarveError);
  });

  it('a public name is accepted, and a private one if the operator allows it', () => {
    expect(checkReceiver('https://example.org/hook', {}).href).toBe('https://example.org/hook');
    expect(checkReceiver('http://127.0.0.1:9/hook', { allowPrivate: true }).port).toBe('9');
  });
});

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`webhooks on ${database.name}`, () => {
    const clock = manualClock(new Date('2026-11-15T12:00:00Z'));
    let varve: Varve;
    let options: VarveOptions;
    let drop: () => Promise<void>;
    let receiver: Awaited<ReturnType<typeof startReceiver>>;

    beforeEach(async () => {
      const store = await database.create();
      drop = store.drop;
      options = { store: store.options, background: false, embedder: null, clock, webhooks: { allowPrivate: true } };
      varve = await createVarve(options);
      // Schedules begin with the first work, and the feed is due from then on.
      await varve.drain();
      receiver = await startReceiver();
    });
    afterEach(async () => {
      await receiver.close();
      await varve.close();
      await drop();
    });

    /** Reads new events and sends their messages. */
    const pass = async (milliseconds: number = 6 * SECOND): Promise<void> => {
      clock.advance(milliseconds);
      await varve.drain();
      // The feed queues messages, which the worker takes in its next pass.
      await varve.drain();
    };
    const log = async (tenant: string, id: string): Promise<WebhookDelivery[]> =>
      (await varve.operator.webhooks.deliveries(tenant, id)).items;

    it('receive each new and archived memory once, signed and without content', async () => {
      const { webhook, secret } = await varve.operator.webhooks.create('t', { url: receiver.url }, 'test');
      const ana = varve.for({ tenant: 't', user: 'ana' });
      const { memory } = await ana.memories.create({ type: 'fact', content: 'Keeps a xylophone.' });
      await pass();
      await ana.memories.revise(memory.id, { importance: 0.9 });
      await ana.blocks.replace('profile', 'A xylophone player.');
      await pass();
      await ana.memories.forget(memory.id);
      await pass();
      await pass(40 * SECOND);
      const told = receiver.received.map(({ message }) => [message.type, message.data.id, message.data.scope]);
      expect(told).toEqual(
        expect.arrayContaining([
          ['memory.created', memory.id, { user: 'ana' }],
          ['memory.changed', memory.id, { user: 'ana' }],
          ['block.changed', expect.stringMatching(/^blk_/), { user: 'ana' }],
          ['memory.forgotten', memory.id, { user: 'ana' }],
        ]),
      );
      expect(told.filter(([type]) => type === 'memory.created')).toHaveLength(1);
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(told.length);
      for (const one of receiver.received) {
        expect(isSignedBy(secret, one)).toBe(true);
        expect(one.body).not.toContain('xylophone');
      }
      expect(await log('t', webhook.id)).toHaveLength(told.length);
      expect((await log('t', webhook.id)).every(({ state }) => state === 'delivered')).toBe(true);
    });

    it('receive only the events that they subscribed to: an intention when it is due, and an erasure', async () => {
      const events = ['intention.due', 'scope.erased'] as const;
      await varve.operator.webhooks.create('t', { url: receiver.url, events: [...events] }, 'test');
      const ana = varve.for({ tenant: 't', user: 'ana' });
      const dueAt = new Date(clock.now() + HOUR);
      const { id } = await ana.intentions.add({ text: 'Call the vet', dueAt });
      await pass();
      expect(receiver.received).toEqual([]);
      await pass(HOUR);
      await pass();
      expect(receiver.received.map(({ message }) => message)).toMatchObject([
        { type: 'intention.due', timestamp: dueAt.toISOString(), data: { id, scope: { user: 'ana' } } },
      ]);
      const { certificate } = await ana.erase();
      await pass();
      expect(receiver.received.at(-1)?.message).toMatchObject({
        type: 'scope.erased',
        data: { certificate: certificate.id },
      });
    });

    it('are retried with the same id and a new time until they are accepted', async () => {
      receiver.answers((place) => ({ status: place < 3 ? 503 : 200 }));
      // Events of documents are left out, because the time of their writing depends on how far earlier tests have moved the clock.
      const { webhook, secret } = await varve.operator.webhooks.create(
        't',
        { url: receiver.url, events: ['memory.created'] },
        'test',
      );
      await varve.for({ tenant: 't', user: 'ana' }).memories.create({ type: 'fact', content: 'One.' });
      await pass();
      expect(await log('t', webhook.id)).toMatchObject([{ state: 'waiting', attempts: 1, status: 503 }]);
      await pass(MINUTE);
      await pass(5 * MINUTE);
      expect(await log('t', webhook.id)).toMatchObject([{ state: 'delivered', attempts: 3, status: 200, error: null }]);
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3);
      expect(receiver.received.every((one) => isSignedBy(secret, one))).toBe(true);
    });

    it('that fail for good are kept and can be sent again, and 410 turns the webhook off', async () => {
      receiver.answers(() => ({ status: 410 }));
      const { webhook } = await varve.operator.webhooks.create('t', { url: receiver.url }, 'test');
      const ana = varve.for({ tenant: 't', user: 'ana' });
      await ana.memories.create({ type: 'fact', content: 'One.' });
      await pass();
      const [failed] = await log('t', webhook.id);
      expect(failed).toMatchObject({ state: 'failed', status: 410 });
      const [off] = await varve.operator.webhooks.list('t');
      expect(off).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('410') });
      await ana.memories.create({ type: 'fact', content: 'While it is off.' });
      await pass();
      receiver.answers(() => ({ status: 200 }));
      await varve.operator.webhooks.change('t', webhook.id, { enabled: true }, 'test');
      await varve.operator.webhooks.redeliver('t', failed?.id ?? '');
      await pass();
      // Events that happened while the webhook was off are not sent.
      expect((await log('t', webhook.id)).map(({ state }) => state)).toEqual(['delivered']);
      await expect(varve.operator.webhooks.redeliver('t', failed?.id ?? '')).rejects.toMatchObject({
        code: 'conflict',
      });
    });

    it('follow no redirect, and are not sent to a name of this machine', async () => {
      receiver.answers(() => ({ status: 307, headers: { location: receiver.url } }));
      const { webhook } = await varve.operator.webhooks.create(
        't',
        { url: receiver.url, events: ['webhook.ping'] },
        'x',
      );
      await varve.operator.webhooks.ping('t', webhook.id);
      await pass();
      expect(receiver.received).toHaveLength(1);
      expect(await log('t', webhook.id)).toMatchObject([{ state: 'waiting', status: 307 }]);
      await varve.close();
      varve = await createVarve({ ...options, webhooks: {} });
      const { webhooks } = varve.operator;
      await expect(webhooks.create('t', { url: receiver.url }, 'x')).rejects.toMatchObject({ code: 'invalid_input' });
      const named = await webhooks.create('t', { url: `https://${hostname()}:${receiver.port}/` }, 'x');
      await webhooks.ping('t', named.webhook.id);
      await pass();
      expect(await log('t', named.webhook.id)).toMatchObject([
        { state: 'failed', status: null, error: expect.stringContaining('public internet') },
      ]);
      expect(receiver.received).toHaveLength(1);
    });

    it('are sent again by another process when one process ends in the middle', async () => {
      receiver.answers((place) => (place === 1 ? null : { status: 200 }));
      const { webhook } = await varve.operator.webhooks.create('t', { url: receiver.url }, 'test');
      await varve.for({ tenant: 't', user: 'ana' }).memories.create({ type: 'fact', content: 'One.' });
      clock.advance(6 * SECOND);
      const arrived = receiver.next();
      const hanging = varve.drain();
      await arrived;
      // This process does not continue the job; another one does when the lease has expired.
      clock.advance(2 * MINUTE);
      const other = await createVarve(options);
      await other.drain();
      await other.drain();
      expect(await log('t', webhook.id)).toMatchObject([{ state: 'delivered', status: 200 }]);
      const [first, second] = receiver.received;
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      await other.close();
      await hanging;
      expect(await log('t', webhook.id)).toMatchObject([{ state: 'delivered' }]);
    }, 30_000);

    it('belong to a tenant, show no secret, sign with both secrets during a rotation, and are erased with the person', async () => {
      const mine = await varve.operator.webhooks.create('t', { url: receiver.url, events: ['memory.created'] }, 'test');
      const other = await varve.operator.webhooks.create('other', { url: receiver.url }, 'test');
      const { webhooks } = varve.operator;
      expect(JSON.stringify([await webhooks.list('t'), await varve.operator.acts.list('t')])).not.toContain('whsec_');
      expect((await webhooks.list('t')).map(({ id }) => id)).toEqual([mine.webhook.id]);
      for (const work of [
        () => webhooks.change('t', other.webhook.id, { enabled: false }, 'x'),
        () => webhooks.rotate('t', other.webhook.id, 'x'),
        () => webhooks.remove('t', other.webhook.id, 'x'),
        () => webhooks.ping('t', other.webhook.id),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'not_found' });
      }
      const rotated = await webhooks.rotate('t', mine.webhook.id, 'test');
      const ana = varve.for({ tenant: 't', user: 'ana' });
      await ana.memories.create({ type: 'fact', content: 'One.' });
      await pass();
      const [only] = receiver.received;
      expect(receiver.received).toHaveLength(1);
      expect([isSignedBy(mine.secret, only as Received), isSignedBy(rotated.secret, only as Received)]).toEqual([
        true,
        true,
      ]);
      expect(await log('t', other.webhook.id)).toEqual([]);
      await pass(2 * DAY);
      await ana.memories.create({ type: 'fact', content: 'Two.' });
      await pass();
      const last = receiver.received.at(-1) as Received;
      expect([isSignedBy(mine.secret, last), isSignedBy(rotated.secret, last)]).toEqual([false, true]);
      await ana.erase();
      expect(await log('t', mine.webhook.id)).toEqual([]);
      await webhooks.remove('t', mine.webhook.id, 'test');
      expect(await webhooks.list('t')).toEqual([]);
    });

    it('catch up with all events that happened without a worker, in pages of the log', async () => {
      const { webhook } = await varve.operator.webhooks.create(
        't',
        { url: receiver.url, events: ['memory.created'] },
        'test',
      );
      const ana = varve.for({ tenant: 't', user: 'ana' });
      for (let place = 0; place < 30; place += 1) {
        await ana.memories.create({ type: 'fact', content: `Number ${place}.` });
        clock.advance(MINUTE);
      }
      await pass(3 * HOUR);
      expect(receiver.received).toHaveLength(30);
      const first = await varve.operator.webhooks.deliveries('t', webhook.id, { limit: 20 });
      const rest = await varve.operator.webhooks.deliveries('t', webhook.id, { limit: 20, cursor: first.cursor ?? '' });
      expect(new Set([...first.items, ...rest.items].map(({ id }) => id)).size).toBe(30);
      expect(rest.cursor).toBeNull();
    });
  });
}
