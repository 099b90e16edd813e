import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoLife } from '../src/cli/demo-life.ts';
import { createApp } from '../src/http/create-app.ts';
import { createSignInLink } from '../src/http/inspector/inspector-door.ts';
import { readWebFiles } from '../src/http/inspector/web-files.ts';
import { DEFAULT_SETTINGS } from '../src/http/settings.ts';
import { HOUR, manualClock } from '../src/record/clock.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { serverPlace, type ServerPlace, type ServerProcess, startServer } from './server-process.ts';

const ROOT = join(import.meta.dirname, '..');
const WEB = join(ROOT, 'dist/web');

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-web.ts'), '--if-needed'], { cwd: ROOT });
});

describe('the files of the inspector', () => {
  let place: ServerPlace;
  let server: ServerProcess;
  beforeAll(async () => {
    place = await serverPlace();
    server = await startServer(place);
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });

  it('are served without a key, under a policy that allows this server alone and nothing inline', async () => {
    const page = await server.call('GET', '/', { key: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/i);
  });

  it('name no other host, and have at most 70 kB compressed for the first load', async () => {
    const { text } = await server.call('GET', '/', { key: null });
    const first = [...text.matchAll(/(?:src|href)="\.?(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(first.length).toBeGreaterThan(1);
    let size = 0;
    for (const path of ['/', ...first]) {
      const file = await server.call('GET', path, { key: null });
      expect(file.status).toBe(200);
      size += brotliCompressSync(file.text).length;
    }
    expect(size).toBeLessThan(70_000);
    for (const entry of readdirSync(WEB, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const source = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      const hosts = [...source.matchAll(/https?:\/\/([a-z0-9.-]+)/gi)].map(([, host]) => host);
      // Names of XML namespaces are not requested.
      expect(hosts.filter((host) => host !== 'www.w3.org')).toEqual([]);
    }
  });

  it('are cached by browsers if their name contains a digest, and revalidated otherwise', async () => {
    const page = await server.call('GET', '/', { key: null });
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const asset = /\/assets\/[^"]+\.js/.exec(page.text)?.[0] ?? '';
    const script = await server.call('GET', asset, { key: null });
    expect(script.headers.get('cache-control')).toContain('immutable');
    const again = await server.call('GET', asset, {
      key: null,
      headers: { 'if-none-match': script.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('leave no open stream when a page is closed while its stream begins, so that the server still stops', async () => {
    const other = await serverPlace();
    const left = await startServer(other);
    try {
      for (let round = 0; round < 30; round += 1) {
        const headers = { authorization: `Bearer ${left.key}` };
        const asked = get(`${left.url}/v1/changes?user=ana`, { headers, agent: false }).on('error', () => {});
        await new Promise((resolve) => setTimeout(resolve, round * 2));
        asked.destroy();
      }
      const ended = await Promise.race([left.stop(), new Promise((resolve) => setTimeout(resolve, 15_000, 'runs on'))]);
      expect(ended).toBe(0);
    } finally {
      left.process.kill('SIGKILL');
      await other.remove();
    }
  });

  it('refuse a sign-in with a large or broken body', async () => {
    const signIn = (body: string): ReturnType<typeof server.call> =>
      server.call('POST', '/inspector/sign-in', { key: null, body, headers: { 'content-type': 'application/json' } });
    expect((await signIn(JSON.stringify({ code: 'x'.repeat(5_000) }))).status).toBe(413);
    expect((await signIn('{"code":')).status).toBe(400);
    expect((await signIn('{"code":"guess"}')).status).toBe(401);
    expect((await signIn('{"code":"guess","tenant":"other"}')).status).toBe(400);
  });

  it('are the only files that are served below their paths', async () => {
    for (const path of ['/assets/..%2F..%2Fpackage.json', '/assets/%2e%2e/index.html', '/assets/nothing.js']) {
      const { status, text } = await server.call('GET', path, { key: null });
      expect([401, 404]).toContain(status);
      expect(text).not.toContain('"devDependencies"');
    }
  });
});

describe('the files of a site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'varve-site-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are found by their names, and pages without the end of their names', () => {
    mkdirSync(join(folder, 'notes'));
    for (const file of ['index.html', 'guide.html', 'notes/trees.html', 'picture.svg'])
      writeFileSync(join(folder, file), file);
    const files = readWebFiles(folder);
    const told = (path: string): string | null => {
      const body = files.get(path, '')?.body;
      return body === undefined ? null : new TextDecoder().decode(body);
    };
    for (const path of ['/', '/index.html']) expect([path, told(path)]).toEqual([path, 'index.html']);
    for (const path of ['/guide', '/guide.html']) expect([path, told(path)]).toEqual([path, 'guide.html']);
    expect(told('/notes/trees')).toBe('notes/trees.html');
    for (const path of ['/index', '/picture', '/guide/', '/notes', '/notes/', '/html', '/.html'])
      expect([path, told(path)]).toEqual([path, null]);
  });
});

describe('the one-time link', () => {
  it('signs in once, only from this machine, and only before it expires', async () => {
    const clock = manualClock(Date.UTC(2026, 0, 1));
    const varve = await createVarve({ store: ':memory:', background: false, embedder: null, clock });
    try {
      const newLink = () => createSignInLink({ ...clock, lifetime: HOUR, tenant: 'default' });
      const signIn = async (code: string, address: string, link = newLink()): Promise<Record<string, string>> => {
        const body = JSON.stringify({ code: code === 'right' ? link.code : code });
        const headers = { host: '127.0.0.1' };
        const request = new Request('http://127.0.0.1/inspector/sign-in', { method: 'POST', body, headers });
        const answer = await createApp({ varve, inspector: { link } }).fetch(request, address);
        return (await answer.json()) as Record<string, string>;
      };
      const link = newLink();
      expect(await signIn('right', '192.168.0.7', link)).toMatchObject({ code: 'unauthenticated' });
      expect(await signIn('wrong', '127.0.0.1', link)).toMatchObject({ code: 'unauthenticated' });
      const { secret = '' } = await signIn('right', '127.0.0.1', link);
      expect((await varve.operator.keys.verify(secret))?.access).toBe('admin');
      expect(await signIn('right', '127.0.0.1', link)).toMatchObject({ code: 'unauthenticated' });
      const old = newLink();
      clock.advance(HOUR + 1);
      expect(await signIn('right', '::1', old)).toMatchObject({ code: 'unauthenticated' });
      clock.advance(12 * HOUR);
      expect(await varve.operator.keys.verify(secret)).toBeNull();
    } finally {
      await varve.close();
    }
  });
});

it('returns the memory types of the application beside those of Varve', async () => {
  const memoryTypes = { catch: { description: 'A fish that the user landed.', profileSection: 'Notes' as const } };
  const varve = await createVarve({ store: ':memory:', embedder: null, background: false, memoryTypes });
  const { secret } = await varve.operator.keys.create('default', { name: 'k', access: 'read', users: ['ana'] }, 'test');
  const headers = { authorization: `Bearer ${secret}`, host: '127.0.0.1' };
  const request = new Request('http://127.0.0.1/v1/memory-types', { headers });
  const types = await (await createApp({ varve, settings: DEFAULT_SETTINGS }).fetch(request, '127.0.0.1')).json();
  expect(types).toMatchObject({ catch: memoryTypes.catch, fact: { profileSection: 'Personal' } });
  await varve.close();
});

describe('the access of a key in the inspector', () => {
  let place: ServerPlace;
  let server: ServerProcess;
  let anaKey: string;
  let readKey: string;
  const ANA = 'agent=helper&user=ana';
  beforeAll(async () => {
    place = await serverPlace();
    server = await startServer(place);
    for (const user of ['ana', 'ben']) {
      const scope = `agent=helper&user=${user}`;
      await server.call('POST', `/v1/events?${scope}&session=s-${user}`, {
        body: { content: `What can you do for ${user}?` },
      });
      for (const content of [`${user} keeps bees.`, `${user} has a secret.`]) {
        await server.call('POST', `/v1/memories?${scope}`, { body: { memory: { type: 'fact', content } } });
      }
    }
    const made = async (body: object): Promise<string> =>
      ((await server.call('POST', '/v1/keys', { body })).body as { secret: string }).secret;
    anaKey = await made({ name: 'ana', access: 'admin', users: ['ana'] });
    readKey = await made({ name: 'reader', access: 'read' });
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });

  const READS = [
    'owners',
    'memory-rows',
    'memory-facets',
    'sessions',
    'subject-graph',
    'growth',
    'online-metrics',
    'whoami',
  ];

  it('is limited to one user for the key of one user, whatever the address says', async () => {
    for (const path of READS) {
      const own = await server.call('GET', `/v1/${path}`, { key: anaKey });
      expect([path, own.status]).toEqual([path, 200]);
      expect(own.text).not.toMatch(/ben/);
      if (path === 'owners' || path === 'whoami') continue;
      const other = await server.call('GET', `/v1/${path}?user=ben`, { key: anaKey });
      expect([path, other.status]).toEqual([path, 403]);
    }
    const rows = (await server.call('GET', '/v1/memory-rows', { key: anaKey })).body as { total: number };
    expect(rows.total).toBe(2);
    const ben = (await server.call('GET', '/v1/memory-rows?user=ben')).body as { items: { id: string }[] };
    const links = await server.call('GET', `/v1/memories/${ben.items[0]?.id}/links`, { key: anaKey });
    expect(links.status).toBe(404);
    expect((await server.call('GET', '/inspector/demo', { key: anaKey })).status).toBe(403);
  });

  it('leaves out the words of forgotten memories', async () => {
    const { items } = (await server.call('GET', `/v1/memory-rows?${ANA}&text=secret`)).body as {
      items: { id: string }[];
    };
    await server.call('DELETE', `/v1/memories/${items[0]?.id}?${ANA}&reason=forgotten`);
    const path = `/v1/memory-rows?${ANA}&archived=only&archiveReasons=forgotten`;
    for (const key of [undefined, readKey]) {
      const read = await server.call('GET', path, { key });
      expect(read.body).toMatchObject({ total: 1, items: [{ content: '', archiveReason: 'forgotten' }] });
      expect(read.text).not.toContain('secret');
    }
    const search = await server.call('GET', `/v1/memory-rows?${ANA}&archived=include&text=secret`);
    expect(search.body).toMatchObject({ total: 0 });
  });

  it('offers the demo life beside the data of other users, until its own user has data', async () => {
    const state = async (): Promise<unknown> => (await server.call('GET', '/inspector/demo')).body;
    expect(await state()).toMatchObject({ state: 'offered', user: 'pauline' });
    const scope = 'agent=assistant&user=pauline';
    const body = { memory: { type: 'fact', content: 'Pauline keeps bees.' } };
    await server.call('POST', `/v1/memories?${scope}`, { body });
    expect(await state()).toMatchObject({ state: 'unavailable' });
    expect((await server.call('POST', '/inspector/demo')).status).toBe(409);
    expect((await server.call('POST', `/v1/erase?user=pauline`, { body: { confirm: 'pauline' } })).status).toBe(200);
    const owners = async (): Promise<string> => (await server.call('GET', '/v1/owners')).text;
    const before = await owners();
    const loads = await Promise.all([1, 2].map(() => server.call('POST', '/inspector/demo')));
    expect(loads.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await expect.poll(state, { timeout: 90_000 }).toMatchObject({ state: 'unavailable' });
    expect(JSON.parse(await owners()).items).toContainEqual(expect.objectContaining({ user: 'pauline', sessions: 8 }));
    expect(JSON.parse(await owners()).items).toEqual(expect.arrayContaining(JSON.parse(before).items));
  }, 120_000);
});

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`the queries of the inspector, on ${database.name}`, () => {
    let varve: Varve;
    let drop: () => Promise<void>;
    const clock = manualClock(Date.UTC(2026, 2, 1));
    const scope = { tenant: 'default', agent: 'helper', user: 'ana', session: null, connection: null };
    beforeAll(async () => {
      const made = await database.create();
      drop = made.drop;
      varve = await createVarve({
        store: made.options,
        background: false,
        embedder: null,
        clock,
        formation: { facts: false },
      });
      const ana = varve.for({ agent: 'helper', user: 'ana', session: 'first' });
      const { events } = await ana.observe([
        { content: 'I live in Ghent. Where is the station?', origin: 'user' },
        { content: 'North of the river.', origin: 'agent' },
      ]);
      const sister = await ana.entities.add({ name: 'Ana-Lucia', type: 'person' });
      const source = { sourceEvents: [events[0]?.id ?? ''], sourceSession: 'first' };
      const { memory: home } = await ana.memories.create({
        ...source,
        type: 'fact',
        content: 'Lives in Ghent.',
        attribute: 'home_city',
        value: 'Ghent',
        quotes: [{ event: events[0]?.id ?? '', start: 0, end: 16 }],
      });
      clock.advance(24 * HOUR);
      const quiet = varve.for({ agent: 'helper', user: 'ana' });
      await quiet.memories.supersede(home.id, {
        type: 'fact',
        content: 'Lives in Bruges.',
        attribute: 'home_city',
        value: 'Bruges',
      });
      await quiet.memories.create({
        type: 'personal',
        content: 'Her sister paints.',
        subject: "User's sister Ana-Lucia",
        entities: [sister.id],
      });
      for (let number = 0; number < 30; number += 1) {
        clock.advance(HOUR);
        await quiet.memories.create({
          type: 'preference',
          content: `Likes number ${number}.`,
          importance: number / 100,
        });
      }
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it('returns any page of the list in each order, and the total', async () => {
      const { inspect } = varve.operator;
      const rows = await inspect.rows(scope, { offset: 10, limit: 5, order: 'newest' });
      expect(rows.total).toBe(32);
      expect(rows.items.map(({ content }) => content)).toEqual(
        [19, 18, 17, 16, 15].map((number) => `Likes number ${number}.`),
      );
      const important = await inspect.rows(scope, { offset: 0, limit: 1, order: 'important', types: ['preference'] });
      expect(important).toMatchObject({ total: 30, items: [{ content: 'Likes number 29.' }] });
      const old = await inspect.rows(scope, { offset: 0, limit: 1, order: 'oldest', archived: 'include' });
      expect(old).toMatchObject({ total: 33, items: [{ content: 'Lives in Ghent.' }] });
      expect(await inspect.rows(scope, { offset: 0, limit: 9, order: 'stated', text: 'BRUGES' })).toMatchObject({
        total: 1,
      });
      expect(await inspect.rows(scope, { offset: 99, limit: 9, order: 'newest' })).toMatchObject({
        total: 32,
        items: [],
      });
    });

    it('counts the facets of the list', async () => {
      const { facets } = varve.operator.inspect;
      const types = [
        { name: 'preference', count: 30 },
        { name: 'fact', count: 1 },
        { name: 'personal', count: 1 },
      ];
      expect(await facets(scope)).toMatchObject({
        live: 32,
        archived: 1,
        types,
        attributes: [{ name: 'home_city', count: 1 }],
        archiveReasons: [{ name: 'superseded', count: 1 }],
      });
      // A filter narrows the counts of all other filters, but not its own.
      expect(await facets(scope, { types: ['personal'] })).toEqual({
        live: 1,
        archived: 0,
        types,
        subjects: [{ name: "User's sister Ana-Lucia", count: 1 }],
        attributes: [],
        archiveReasons: [],
      });
      expect(await facets(scope, { archived: 'include', text: 'lives in' })).toMatchObject({
        live: 1,
        archived: 1,
        types: [{ name: 'fact', count: 2 }],
      });
    });

    it('[T17] returns replacements and sources of a memory', async () => {
      const { inspect } = varve.operator;
      const [now] = (await inspect.rows(scope, { offset: 0, limit: 1, order: 'newest', text: 'Bruges' })).items;
      const links = await inspect.links(scope, now as NonNullable<typeof now>);
      expect(links.replaced.map(({ content }) => content)).toEqual(['Lives in Ghent.']);
      const [before] = links.replaced;
      const back = await inspect.links(scope, before as NonNullable<typeof before>);
      expect(back.replacedBy.map(({ content }) => content)).toEqual(['Lives in Bruges.']);
      expect(back.events.map(({ content }) => content)).toEqual(['I live in Ghent. Where is the station?']);
    });

    it('lists owners and conversations with their memories and refusals', async () => {
      const { inspect } = varve.operator;
      expect(await inspect.owners('default', { agents: null, users: null, limit: 10 })).toMatchObject([
        { agent: 'helper', user: 'ana', memories: 32, sessions: 1 },
      ]);
      expect(await inspect.owners('default', { agents: null, users: ['ben'], limit: 10 })).toEqual([]);
      expect(await inspect.owners('default', { agents: null, users: null, match: 'AN', limit: 10 })).toHaveLength(1);
      // A summary is about the whole conversation, so the page of the conversation does not count it either.
      const first = varve.for({ agent: 'helper', user: 'ana', session: 'first' });
      const { memory } = await first.memories.create({
        type: 'summary',
        title: 'Ghent',
        content: 'Asked for a train.',
      });
      expect(memory.sourceSession).toBe('first');
      expect(await inspect.sessions(scope, { offset: 0, limit: 10 })).toMatchObject({
        total: 1,
        items: [{ id: 'first', events: 2, memories: 1, opening: 'I live in Ghent. Where is the station?' }],
      });
      await first.eraseMemory(memory.id);
    });

    it('shows the user’s next turn as the beginning of a conversation whose first turn was forgotten', async () => {
      const handle = varve.for({ tenant: 'openings', user: 'ana', session: 's' });
      const turns = [{ content: 'I live in Ghent.' }, { content: 'Where is the station?' }];
      const { events } = await handle.observe(turns);
      const { memory } = await handle.memories.create({
        type: 'fact',
        content: 'Lives in Ghent.',
        sourceEvents: [events[0]?.id ?? ''],
      });
      const listed = () => varve.operator.inspect.sessions(handle.scope, { offset: 0, limit: 10 });
      expect((await listed()).items).toMatchObject([{ opening: 'I live in Ghent.' }]);
      await handle.memories.forget(memory.id, { reason: 'the user asked' });
      expect((await listed()).items).toMatchObject([{ opening: 'Where is the station?' }]);
    });

    it('treats % and _ in a search as plain characters and not as wildcards of SQL', async () => {
      const { inspect } = varve.operator;
      const tenant = 'wildcards';
      const users = ['user_1', 'user21', '100%', 'back\\slash'];
      for (const user of users) {
        await varve.for({ tenant, user }).memories.create({ type: 'fact', content: `Is called ${user}.` });
      }
      const found = async (match: string): Promise<(string | null)[]> => {
        const owners = await inspect.owners(tenant, { agents: null, users: null, match, limit: 10 });
        return owners.map(({ user }) => user).toSorted();
      };
      const told = async (text: string): Promise<string[]> => {
        const all = { tenant, agent: null, user: null, session: null, connection: null };
        const { items } = await inspect.rows(all, { offset: 0, limit: 10, order: 'oldest', text });
        return items.map(({ content }) => content.slice('Is called '.length, -1)).toSorted();
      };
      for (const find of [found, told]) {
        for (const user of users) expect(await find(user)).toEqual([user]);
        expect(await find('R_')).toEqual(['user_1']);
        expect(await find('0%')).toEqual(['100%']);
        expect(await find('USER')).toEqual(['user21', 'user_1']);
        expect(await find('user 1')).toEqual([]);
      }
    });

    it('links a subject to the entity of its name, and the entity to the user', async () => {
      const { nodes, edges } = await varve.operator.inspect.graph(scope);
      const sister = nodes.find(({ subject }) => subject === "User's sister Ana-Lucia");
      expect(sister).toMatchObject({ kind: 'person' });
      expect(edges).toContainEqual({ from: expect.any(String), to: expect.any(String), count: 1 });
      expect(
        edges.some(({ from, to }) => [from, to].includes(sister?.id ?? '') && [from, to].includes('subject:User')),
      ).toBe(true);
    });

    it('counts new and archived memories by day, and returns the online metrics', async () => {
      const growth = await varve.operator.inspect.growth(scope);
      expect(growth.learned.find(({ type }) => type === 'personal')).toEqual({
        day: '2026-03-02',
        type: 'personal',
        count: 1,
      });
      expect(growth.archived).toEqual([{ day: '2026-03-02', reason: 'superseded', count: 1 }]);
      expect(growth.events).toEqual([{ day: '2026-03-01', count: 2 }]);
    });
  });
}

it('imports the demo life with its statements: the server does not read its conversations again', async () => {
  const varve = await createVarve({ store: ':memory:', background: false, embedder: null });
  try {
    await demoLife(varve)?.load('default', () => {});
    const handle = varve.for({ agent: 'assistant', user: 'pauline' });
    const before = await varve.operator.count({});
    expect(before).toMatchObject({ sessions: 8 });
    expect(before.memories).toBeGreaterThan(20);
    for (const { id } of (await varve.operator.inspect.sessions(handle.scope, { offset: 0, limit: 50 })).items) {
      const formed = await varve.for({ agent: 'assistant', user: 'pauline', session: id }).form();
      expect(formed).toMatchObject({ events: 0, added: [] });
    }
    const { items } = await handle.refusals.list();
    expect(items.map(({ reason }) => reason).sort()).toEqual(['not_the_users_own', 'quote_not_found']);
    // Past states and plans that are over are not live, and no text has a day that nobody stated.
    expect((await handle.facts.list()).map(({ key, value }) => [key, value])).toEqual([
      ['age', '63'],
      ['name', 'Pauline Drabble'],
      ['partner_name', 'Clive Stather'],
      ['answer_tone', 'plain'],
      ['hobby', 'ukulele'],
    ]);
    const { system } = await handle.context({ message: 'What is coming up for Clive?' });
    expect(system).toMatch(/Name: Pauline Drabble\n/);
    // An open plan without a day is in the prompt, and the profile does not call it out of date.
    expect(system).toContain('Clive moves in with User in November 2026.');
    const basis = await handle.blocks.basis('profile');
    expect(basis.find(({ text }) => text.includes('moves in'))).toMatchObject({ stale: false });
    const { items: summaries } = await handle.memories.list({ types: ['summary'] });
    expect(summaries.map(({ title }) => title)).toContain('Summary: The honeymoon');
    expect(summaries.filter(({ content }) => content.includes('“'))).toEqual([]);
    expect((await handle.blocks.read('reflections'))?.content).toContain('Enjoys dry humour');
    expect((await handle.blocks.read('scaffold'))?.content).toMatchObject({
      clive: { relation: 'partner', medication: 'clopidogrel, bisoprolol, statin' },
      michelle: { relation: 'daughter', home_city: 'Withernsea' },
    });
    const names = (await varve.operator.inspect.graph(handle.scope)).nodes.map(({ label }) => label);
    expect(names.filter((name) => /Pauline|Drabble|New Year|Christmas/.test(name))).toHaveLength(1);
    const profile = (await handle.blocks.read('profile'))?.content;
    expect(profile).not.toMatch(/The wedding is on|2026-10-27/);
    expect(profile).toMatch(/Clive moves in .*\(planned\)/);
    const times = (await handle.blocks.history('working_memory')).map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  } finally {
    await varve.close();
  }
});

it('finds the demo life beside the sources and in the build', () => {
  expect(existsSync(join(ROOT, 'examples/demo-life.json'))).toBe(true);
  expect(existsSync(join(ROOT, 'dist/demo-life.json'))).toBe(true);
});
