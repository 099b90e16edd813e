import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVarve, type Varve } from '../src/varve.ts';
import { VarveError } from '../src/errors.ts';
import { DAY, HOUR, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { EventListFilter } from '../src/handle/events.ts';
import type { Handle } from '../src/handle/handle.ts';
import { MEMORY_TYPES } from '../src/record/memory-types.ts';
import { databases } from './databases.ts';

// The contract of the store, on every database. Each test has its own tenant in one store.

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`the store on ${database.name}`, () => {
    let varve: Varve;
    let clock: ManualClock;
    let drop: () => Promise<void>;
    let tenants = 0;
    const open = (
      scope: { agent?: string; user?: string; session?: string; connection?: string } = { user: 'ana' },
    ): Handle => {
      tenants += 1;
      return varve.for({ tenant: `tenant-${tenants}`, user: null, ...scope });
    };

    beforeAll(async () => {
      const created = await database.create();
      drop = created.drop;
      clock = manualClock(new Date('2026-03-01T12:00:00Z'));
      varve = await createVarve({
        store: created.options,
        embedder: null,
        background: false,
        clock,
        memoryTypes: { recipe: { description: 'Something to cook.', expiresAfterDays: 10 } },
      });
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    describe('memories', () => {
      it('[Q2] keeps every field of a memory', async () => {
        const handle = open({ agent: 'coach', user: 'ana', session: 's1' });
        const { events } = await handle.observe({ content: 'Keep it short, no buzzwords.' });
        const entity = await handle.entities.add({ type: 'person', name: 'Ana' });
        const { memory } = await handle.memories.create({
          type: 'preference',
          content: 'Dislikes corporate buzzwords.',
          importance: 0.8,
          confidence: 'medium',
          trust: 'medium',
          sourceType: 'conversation',
          sourceEvents: [events[0]!.id],
          tags: ['Writing_Style', 'tone', 'tone'],
          entities: [entity.id],
          validFrom: '2026-02-01',
          expiresAt: new Date('2027-01-01'),
          metadata: { nested: { deep: [1, 'zwei', null] } },
        });
        const read = await handle.memories.get(memory.id);
        expect(read).toEqual(memory);
        expect(read).toMatchObject({
          scope: { agent: 'coach', user: 'ana', session: null },
          sourceSession: 's1',
          sourceEvents: [events[0]!.id],
          tags: ['writing_style', 'tone'],
          entities: [entity.id],
          accessCount: 0,
          lastAccessedAt: null,
          contradicts: null,
          contradictedBy: null,
          createdAt: new Date(clock.now()),
          updatedAt: new Date(clock.now()),
          expiresAt: new Date('2027-01-01'),
          validFrom: new Date('2026-02-01'),
          version: 1,
        });
      });

      it('[Q1] stores every type with its own policy, and one that the application has added', async () => {
        const handle = open({ agent: 'coach', user: 'ana', session: 's1' });
        for (const [type, policy] of Object.entries(MEMORY_TYPES)) {
          const { memory } = await handle.memories.create({
            type,
            content: `A ${type}.`,
            ...(policy.title === 'required' ? { title: `The ${type}` } : {}),
            ...(policy.due === 'required' ? { dueAt: new Date(clock.now() + DAY) } : {}),
          });
          expect(memory.type).toBe(type);
          expect(memory.importance).toBe(policy.defaultImportance);
          expect(memory.scope.session).toBe(type === 'reflection' ? 's1' : null);
        }
        expect(MEMORY_TYPES).toMatchObject({
          preference: { lifespan: 'long' },
          goal: { lifespan: 'medium' },
          fact: { lifespan: 'long' },
          decision: { lifespan: 'permanent' },
          context: { lifespan: 'short', expiresAfterDays: 90 },
          feedback: { lifespan: 'medium' },
          personal: { lifespan: 'medium' },
        });
        const { memory } = await handle.memories.create({ type: 'recipe', content: 'Gulab jamun.' });
        expect(memory.type).toBe('recipe');
        await expect(handle.memories.create({ type: 'recipy', content: 'x' })).rejects.toThrow(/Known types: .*recipe/);
        expect((await handle.memories.list({ types: ['recipe'] })).items).toHaveLength(1);
        await expect(handle.memories.list({ types: ['recipes'] })).rejects.toThrow(/"recipes"\. Did you mean recipe\?/);
      });

      it('[Q4] keeps each version, with its actor and reason', async () => {
        const handle = open();
        const { memory } = await handle.memories.create(
          { type: 'fact', content: 'John works at Acme.' },
          { actor: 'importer' },
        );
        clock.advance(MINUTE);
        const revised = await handle.memories.revise(
          memory.id,
          { content: 'John works at Acme as CTO.', importance: 0.9 },
          { reason: 'promotion', actor: 'form', run: 'run_1' },
        );
        expect(revised).toMatchObject({
          id: memory.id,
          version: 2,
          content: 'John works at Acme as CTO.',
          importance: 0.9,
        });
        expect(await handle.memories.history(memory.id)).toMatchObject([
          { version: 1, actor: 'importer', before: null },
          {
            version: 2,
            reason: 'promotion',
            actor: 'form',
            run: 'run_1',
            before: { content: 'John works at Acme.', version: 1 },
          },
        ]);
      });

      it('[Q4] a contradicted memory points to the one that replaces it', async () => {
        const handle = open();
        const { memory: old } = await handle.memories.create({
          type: 'preference',
          content: 'John likes pizza.',
          validFrom: '2020-01-01',
        });
        clock.advance(HOUR);
        const next = await handle.memories.supersede(
          old.id,
          { type: 'preference', content: 'John hates pizza.' },
          { as: 'contradicted' },
        );
        expect(next.contradicts).toBe(old.id);
        expect(await handle.memories.get(old.id)).toMatchObject({
          contradictedBy: next.id,
          archiveReason: 'contradicted',
          archivedAt: new Date(clock.now()),
          validTo: next.createdAt,
        });
        expect((await handle.memories.list()).items.map((memory) => memory.id)).toEqual([next.id]);
        await expect(handle.memories.supersede(old.id, { type: 'preference', content: 'x' })).rejects.toMatchObject({
          code: 'conflict',
        });
      });

      it('[X1] archiving loses nothing, and archived memories can be restored', async () => {
        const handle = open();
        const { memory } = await handle.memories.create({
          type: 'fact',
          content: 'Has a dog named Max.',
          tags: ['pets'],
        });
        clock.advance(MINUTE);
        await handle.memories.archive(memory.id, 'pruned', { reason: 'unimportant' });
        expect((await handle.memories.list()).items).toEqual([]);
        expect((await handle.memories.list({ tags: ['pets'], archived: 'only' })).items).toHaveLength(1);
        expect(await handle.memories.get(memory.id)).toMatchObject({
          content: memory.content,
          archiveReason: 'pruned',
        });
        const restored = await handle.memories.restore(memory.id);
        expect(restored).toMatchObject({ archivedAt: null, archiveReason: null, version: 3 });
        expect((await handle.memories.list()).items).toHaveLength(1);
      });

      it('a memory cannot be restored while another live memory says the same', async () => {
        const handle = open();
        const { memory } = await handle.memories.create({ type: 'fact', content: 'Lives in Rome.' });
        await handle.memories.forget(memory.id);
        await handle.memories.create({ type: 'fact', content: 'lives in  Rome' });
        await expect(handle.memories.restore(memory.id)).rejects.toMatchObject({ code: 'conflict' });
      });

      it('[E14] there is one live memory for each content and owner; another user may have the same', async () => {
        const handle = open({ agent: 'eden', user: 'ana' });
        const { events } = await handle.observe([{ content: 'one' }, { content: 'two' }]);
        const first = await handle.memories.create({
          type: 'fact',
          content: 'Gene loves hockey.',
          sourceEvents: [events[0]!.id],
        });
        const again = await handle.memories.create({
          type: 'fact',
          content: '  gene loves  HOCKEY',
          sourceEvents: [events[1]!.id],
        });
        expect(again.outcome).toBe('unchanged');
        expect(again.memory.id).toBe(first.memory.id);
        expect(again.memory.sourceEvents).toEqual(events.map((event) => event.id));
        const other = varve.for({ ...handle.scope, user: 'bob' });
        expect((await other.memories.create({ type: 'fact', content: 'Gene loves hockey.' })).outcome).toBe('created');
        const both = await Promise.all(
          Array.from({ length: 8 }, () =>
            handle.memories.create({ type: 'fact', content: 'The deadline is 30 January.' }),
          ),
        );
        expect(new Set(both.map(({ memory }) => memory.id)).size).toBe(1);
        expect(both.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
      });

      it('[E14] there is one summary for each topic, which is updated', async () => {
        const handle = open();
        await handle.memories.create({ type: 'summary', title: 'Summary: Rome', content: 'Planned a trip.' });
        const { outcome, memory } = await handle.memories.create({
          type: 'summary',
          title: 'Summary: Rome',
          content: 'Booked it.',
        });
        expect({ outcome, content: memory.content, version: memory.version }).toEqual({
          outcome: 'revised',
          content: 'Booked it.',
          version: 2,
        });
        expect((await handle.memories.list({ types: ['summary'] })).items).toHaveLength(1);
      });

      it('lists with every filter, in every order, page by page', async () => {
        const handle = open();
        for (let index = 0; index < 25; index += 1) {
          await handle.memories.create({
            type: index % 2 === 0 ? 'fact' : 'preference',
            content: `Statement ${index}`,
            importance: (index % 5) / 5,
            tags: index % 3 === 0 ? ['three', 'all'] : ['all'],
          });
          clock.advance(1000);
        }
        for (const order of ['newest', 'oldest', 'important'] as const) {
          const whole = (await handle.memories.list({ order })).items.map((memory) => memory.id);
          expect(whole).toHaveLength(25);
          const pages: string[] = [];
          let cursor: string | undefined;
          do {
            const page = await handle.memories.list({ order, limit: 7, cursor });
            pages.push(...page.items.map((memory) => memory.id));
            cursor = page.cursor ?? undefined;
          } while (cursor !== undefined);
          expect(pages).toEqual(whole);
        }
        const { items } = await handle.memories.list({
          types: ['fact'],
          tags: ['three', 'all'],
          minimumImportance: 0.4,
        });
        expect(items.map((memory) => memory.content).sort()).toEqual(['Statement 12', 'Statement 18', 'Statement 24']);
        await expect(handle.memories.list({ cursor: 'rubbish' })).rejects.toMatchObject({ code: 'invalid_input' });
      });

      it('an expired memory is not listed', async () => {
        const handle = open();
        await handle.memories.create({
          type: 'context',
          content: 'Three offers.',
          expiresAt: new Date(clock.now() + HOUR),
        });
        expect((await handle.memories.list()).items).toHaveLength(1);
        clock.advance(HOUR);
        expect((await handle.memories.list()).items).toHaveLength(0);
        expect((await handle.memories.list({ archived: 'include' })).items).toHaveLength(1);
      });

      it('of two concurrent writers of one memory one succeeds, and the other gets a conflict', async () => {
        const handle = open();
        const { memory } = await handle.memories.create({ type: 'fact', content: 'Zero.' });
        const changes = await Promise.allSettled(
          Array.from({ length: 6 }, (_, index) => handle.memories.revise(memory.id, { content: `Version ${index}.` })),
        );
        const done = changes.filter((change) => change.status === 'fulfilled').length;
        for (const change of changes) {
          if (change.status === 'rejected') expect(VarveError.isInstance(change.reason, 'conflict')).toBe(true);
        }
        const after = await handle.memories.get(memory.id);
        expect(after?.version).toBe(1 + done);
        expect(await handle.memories.history(memory.id)).toHaveLength(1 + done);
      });

      it('provenance must point to events that the handle can see', async () => {
        const handle = open();
        const stranger = open();
        const { events } = await stranger.observe({ content: 'secret' });
        await expect(
          handle.memories.create({ type: 'fact', content: 'x', sourceEvents: [events[0]!.id] }),
        ).rejects.toMatchObject({ code: 'invalid_input' });
      });
    });

    describe('permanent facts, notes, saved items', () => {
      it('[K5] each key has one live value, and replaced values are kept as history', async () => {
        const handle = open();
        expect((await handle.facts.set({ key: 'home_city', value: 'Berlin', category: 'location' })).outcome).toBe(
          'created',
        );
        expect((await handle.facts.set({ key: 'home_city', value: 'Berlin', category: 'location' })).outcome).toBe(
          'unchanged',
        );
        const berlin = clock.now();
        clock.advance(DAY);
        const { outcome, memory } = await handle.facts.set({ key: 'home_city', value: 'Munich', category: 'location' });
        expect(outcome).toBe('superseded');
        expect((await handle.facts.get('home_city'))?.value).toBe('Munich');
        expect(memory.content).toBe('Home city: Munich');
        expect((await handle.asOf(berlin).facts.get('home_city'))?.value).toBe('Berlin');
        await handle.facts.set({ key: 'partner_name', value: 'Ana', category: 'personal' });
        expect((await handle.facts.list()).map((fact) => [fact.category, fact.key, fact.value])).toEqual([
          ['location', 'home_city', 'Munich'],
          ['personal', 'partner_name', 'Ana'],
        ]);
        expect(memory).toMatchObject({ permanent: true, subject: 'User', attribute: 'home_city', value: 'Munich' });
        expect(await handle.facts.forget('home_city')).toBe(true);
        expect(await handle.facts.forget('home_city')).toBe(false);
        expect(await handle.facts.get('home_city')).toBeNull();
      });

      it('[K5] a key means the same in every spelling', async () => {
        const handle = varve.for({ tenant: 'spellings', user: 'ana' });
        await handle.facts.set({ key: 'Blood Type', value: 'A' });
        expect((await handle.facts.set({ key: 'bloodType', value: 'B' })).outcome).toBe('superseded');
        expect(await handle.facts.get('blood-type')).toMatchObject({ key: 'blood_type', value: 'B' });
        expect(await handle.facts.list()).toHaveLength(1);
        expect(await handle.facts.forget('BLOOD TYPE')).toBe(true);
      });

      it('[K5] many writers of one key leave one live value', async () => {
        const handle = open();
        await Promise.all(
          Array.from({ length: 10 }, (_, index) => handle.facts.set({ key: 'lucky_number', value: `${index}` })),
        );
        const { items } = await handle.memories.list({ attributes: ['lucky_number'] });
        expect(items).toHaveLength(1);
      });

      it('[K5] the user’s own value takes precedence over the agent’s', async () => {
        const user = open({ agent: 'coach', user: 'ana' });
        const agent = varve.for({ tenant: user.scope.tenant, agent: 'coach', user: null });
        await agent.facts.set({ key: 'tone', value: 'formal' });
        await user.facts.set({ key: 'tone', value: 'casual' });
        expect((await user.facts.get('tone'))?.value).toBe('casual');
        expect((await agent.facts.get('tone'))?.value).toBe('formal');
      });

      it('[K19] keeps notes and saved items', async () => {
        const handle = open();
        await handle.notes.add({ title: 'Rome', content: 'Ask about the hotel.', tags: ['travel'] });
        const item = await handle.savedItems.add({
          title: 'AI regulation',
          url: 'https://example.org/ai',
          tags: ['law'],
          summary: 'The act in ten minutes.',
          note: 'For the talk.',
        });
        expect(item).toMatchObject({
          url: 'https://example.org/ai',
          metadata: { summary: 'The act in ten minutes.', note: 'For the talk.' },
        });
        expect((await handle.notes.list({ tags: ['travel'] })).items).toMatchObject([{ title: 'Rome', type: 'note' }]);
        expect((await handle.savedItems.list()).items).toMatchObject([{ title: 'AI regulation', type: 'saved_item' }]);
        await expect(handle.savedItems.add({ title: 'x', url: 'javascript:alert(1)' })).rejects.toMatchObject({
          code: 'invalid_input',
        });
      });
    });

    describe('blocks and connections', () => {
      it('[T17] documents contain the current text of a memory, or nothing when it no longer holds', async () => {
        const handle = open({ agent: 'coach', user: 'ana', session: 's1' });
        const create = async (content: string, type = 'fact') =>
          (await handle.memories.create({ type, content, sourceType: 'explicit' })).memory;
        const berlin = await create('User lives in Berlin.');
        const tea = await create('User likes tea.', 'preference');
        const dog = await create('User has a dog.');
        await handle.facts.set({ key: 'employer', value: 'Acme' });
        await handle.blocks.replace(
          'working_memory',
          'User lives in Berlin. User likes tea. Employer: Acme. A friend lives in Berlin. User has a dog.',
        );
        await handle.blocks.replace('profile', '## Personal\nUser lives in Berlin.\n\n## Notes\nUser likes tea.');
        await handle.blocks.replace('scaffold', { tone: 'dry', likes: ['User likes tea.', 'rain'] });
        const before = new Date(clock.now());
        clock.advance(MINUTE);

        await handle.memories.supersede(berlin.id, { type: 'fact', content: 'User lives in Munich.' });
        await handle.memories.archive(tea.id, 'forgotten');
        await handle.facts.set({ key: 'employer', value: 'Globex' });
        // A faded memory is still true.
        await handle.memories.archive(dog.id, 'decayed');
        const text = async (kind: 'working_memory' | 'profile'): Promise<unknown> =>
          (await handle.blocks.read(kind))?.content;
        expect(await text('working_memory')).toBe(
          'User lives in Munich. Employer: Globex. A friend lives in Berlin. User has a dog.',
        );
        expect(await text('profile')).toBe('## Personal\nUser lives in Munich.\n\n## Notes');
        expect((await handle.blocks.read('scaffold'))?.content).toEqual({ tone: 'dry', likes: ['rain'] });
        expect((await handle.asOf(before).blocks.read('profile'))?.content).toContain('Berlin');
        expect((await handle.blocks.history('profile')).at(-1)?.reason).toMatch(/^no longer so: /);
      });

      it('[T17] a document gets no sentence from untrusted text, and none that exceeds its limit', async () => {
        const handle = open({ agent: 'coach', user: 'ana' });
        const filler = 'word '.repeat(495);
        const { memory } = await handle.memories.create({ type: 'fact', content: 'User lives in Berlin.' });
        await handle.blocks.replace('working_memory', `User lives in Berlin. ${filler.trim()}`);
        await handle.blocks.replace('profile', 'User lives in Berlin.');
        await handle.memories.supersede(memory.id, {
          type: 'fact',
          content: 'User lives in a small town in the north of Italy.',
        });
        expect((await handle.blocks.read('working_memory'))?.content).toBe(filler.trim());
        const { content } = (await handle.blocks.read('profile')) ?? {};
        expect(content).toBe('User lives in a small town in the north of Italy.');
        const heard = { type: 'fact', content: 'User has a boat in Verona.', trust: 'low' as const };
        const boat = (await handle.memories.create(heard)).memory;
        await handle.blocks.replace('profile', boat.content);
        await handle.memories.supersede(boat.id, { ...heard, content: 'User has a boat in Rome.' });
        expect((await handle.blocks.read('profile'))?.content).toBe('');
      });

      it('replaces a block only from the version that was seen, and keeps its history', async () => {
        const handle = open({ agent: 'eden', user: 'ana', session: 's1' });
        const first = await handle.blocks.replace('working_memory', 'Prepares a talk.', { expectedVersion: 0 });
        expect(first.version).toBe(1);
        const before = clock.now();
        clock.advance(MINUTE);
        await expect(handle.blocks.replace('working_memory', 'x', { expectedVersion: 0 })).rejects.toMatchObject({
          code: 'conflict',
        });
        const second = await handle.blocks.replace('working_memory', 'Gave the talk.', {
          expectedVersion: 1,
          reason: 'news',
        });
        expect(second.version).toBe(2);
        expect((await handle.blocks.replace('working_memory', 'Gave the talk.')).version).toBe(2);
        expect((await handle.asOf(before).blocks.read('working_memory'))?.content).toBe('Prepares a talk.');
        expect(await handle.blocks.history('working_memory')).toMatchObject([
          { version: 1 },
          { version: 2, reason: 'news' },
        ]);
        const racers = await Promise.allSettled(
          Array.from({ length: 5 }, (_, index) =>
            handle.blocks.replace('working_memory', `Racer ${index}`, { expectedVersion: 2 }),
          ),
        );
        expect(racers.filter((racer) => racer.status === 'fulfilled')).toHaveLength(1);
      });

      it('[E14] there is one block for each kind and scope', async () => {
        const handle = open({ agent: 'eden', user: 'ana', session: 's1' });
        for (const level of ['agent', 'user', 'session'] as const)
          await handle.blocks.replace('reflections', `Of the ${level}.`, { level });
        for (const level of ['agent', 'user', 'session'] as const) {
          expect((await handle.blocks.read('reflections', { level }))?.content).toBe(`Of the ${level}.`);
        }
        const other = varve.for({ ...handle.scope, session: 's2' });
        expect(await other.blocks.read('reflections', { level: 'session' })).toBeNull();
        expect((await other.blocks.read('reflections', { level: 'user' }))?.content).toBe('Of the user.');
      });

      it('stores JSON of any shape, and refuses content that is too long', async () => {
        const handle = open();
        const scaffold = { Role: 'Manager', Projects: { varve: ['memory', { deep: null }] } };
        expect((await handle.blocks.replace('scaffold', scaffold)).content).toEqual(scaffold);
        expect((await handle.blocks.read('scaffold'))?.content).toEqual(scaffold);
        await expect(handle.blocks.replace('working_memory', 'word '.repeat(501))).rejects.toThrow(
          /501 words; at most 500/,
        );
        await expect(handle.blocks.replace('working_memory', { not: 'text' })).rejects.toMatchObject({
          code: 'invalid_input',
        });
      });

      it('[T11] each connection has its own learned info and a schema that becomes stale', async () => {
        const jira = open({ user: 'ana', connection: 'jira-1' });
        const mail = varve.for({ ...jira.scope, connection: 'mail-1' });
        await jira.connection.learn({ default_project: 'PROJ', old: true });
        await jira.connection.learn({ preferred_issue_type: 'Task', old: null });
        expect(await jira.connection.learnedInfo()).toEqual({ default_project: 'PROJ', preferred_issue_type: 'Task' });
        expect(await mail.connection.learnedInfo()).toEqual({});

        let fetched = 0;
        const fetch = async (): Promise<unknown> => ({ tools: ['search'], version: (fetched += 1) });
        const fresh = () => jira.connection.freshToolSchema(fetch, { timeToLive: HOUR });
        expect(await fresh()).toEqual({ tools: ['search'], version: 1 });
        expect(await fresh()).toEqual({ tools: ['search'], version: 1 });
        clock.advance(HOUR);
        expect(await jira.connection.toolSchema()).toMatchObject({ stale: true });
        expect(await fresh()).toEqual({ tools: ['search'], version: 2 });
        clock.advance(HOUR);
        const failing = jira.connection.freshToolSchema(() => Promise.reject(new Error('down')));
        expect(await failing).toEqual({ tools: ['search'], version: 2 });
        await expect(mail.connection.freshToolSchema(() => Promise.reject(new Error('down')))).rejects.toThrow('down');
      });
    });

    describe('events and sessions', () => {
      it('appends once under an idempotency key, also at the same time', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        const appends = await Promise.all(
          Array.from({ length: 6 }, () => handle.observe({ content: 'Hello', idempotencyKey: 'm1' })),
        );
        expect(new Set(appends.map(({ events }) => events[0]!.id)).size).toBe(1);
        expect(appends.reduce((sum, { repeated }) => sum + repeated, 0)).toBe(5);
        const twice = await handle.observe([
          { content: 'a', idempotencyKey: 'k' },
          { content: 'a', idempotencyKey: 'k' },
        ]);
        expect(twice.repeated).toBe(1);
        expect((await handle.session.get())?.eventCount).toBe(2);
        const other = varve.for({ ...handle.scope, user: 'bob' });
        expect((await other.observe({ content: 'Hello', idempotencyKey: 'm1' })).repeated).toBe(0);
      });

      it('[L10] the window has the last 20 turns and always the first', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        for (let index = 0; index < 30; index += 1) {
          await handle.observe({ content: `Turn ${index}`, origin: index % 2 === 0 ? 'user' : 'agent' });
          const window = await handle.session.window();
          expect(window).toHaveLength(Math.min(index + 1, 20));
          expect(window[0]?.content).toBe('Turn 0');
          expect(window.at(-1)?.content).toBe(`Turn ${index}`);
        }
        expect((await handle.session.window()).map((event) => event.position)).toEqual([
          0,
          ...Array.from({ length: 19 }, (_, i) => i + 11),
        ]);
      });

      it('[L9] keeps session state for 24 hours', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        await handle.observe({ content: 'Hi' });
        await handle.session.setState({ activePreferences: ['prefers short posts'] });
        await handle.session.setState({
          pendingConfirmations: [{ id: 'c1', question: 'Delete it?' }],
          toolResults: [{ tool: 'search', result: '3 hits' }],
        });
        expect((await handle.session.get())?.state).toEqual({
          activePreferences: ['prefers short posts'],
          pendingConfirmations: [{ id: 'c1', question: 'Delete it?' }],
          toolResults: [{ tool: 'search', result: '3 hits' }],
        });
        clock.advance(DAY - 1);
        expect((await handle.session.get())?.state.activePreferences).toHaveLength(1);
        clock.advance(1);
        expect((await handle.session.get())?.state).toEqual({
          activePreferences: [],
          pendingConfirmations: [],
          toolResults: [],
        });
        expect(await handle.session.window()).toHaveLength(1);
      });

      it('[L11] closing, or five idle minutes, keeps every turn, clears the state and queues formation', async () => {
        const waiting = async ({ scope }: Handle): Promise<string[]> => {
          const { items } = await varve.operator.jobs.list({ tenant: scope.tenant, limit: 100 });
          return items.map(({ kind }) => kind).filter((kind) => ['form', 'consolidate'].includes(kind));
        };
        const talked = async (): Promise<Handle> => {
          const handle = open({ user: 'ana', session: 's1' });
          await handle.observe(Array.from({ length: 40 }, (_, index) => ({ content: `Turn ${index}` })));
          await handle.session.setState({ activePreferences: ['x'] });
          return handle;
        };
        const isFlushed = async (handle: Handle, status: 'idle' | 'closed'): Promise<void> => {
          expect(await handle.session.get()).toMatchObject({
            status,
            eventCount: 40,
            state: { activePreferences: [] },
          });
          expect((await handle.events.list({ session: 's1' })).items).toHaveLength(40);
          expect((await waiting(handle)).toSorted()).toEqual(['consolidate', 'form']);
        };
        const closed = await talked();
        expect(await closed.session.close()).toMatchObject({ status: 'closed', eventCount: 40 });
        await isFlushed(closed, 'closed');
        await closed.observe({ content: 'One more thing' });
        expect((await closed.session.get())?.status).toBe('open');
        const quiet = await talked();
        clock.advance(5 * MINUTE - 1);
        await varve.drain();
        expect(await quiet.session.get()).toMatchObject({ status: 'open', state: { activePreferences: ['x'] } });
        // Idle sessions are searched for once a minute.
        clock.advance(MINUTE);
        await varve.drain();
        await isFlushed(quiet, 'idle');
      });

      it('lists events of all that a handle sees, page by page, in both orders', async () => {
        const scopes = [
          { agent: 'coach', user: 'ana', session: 's1' },
          { user: 'ana', session: 's1' },
          { agent: 'coach', user: 'ana', session: 's2' },
          { agent: 'coach', user: null },
          { agent: 'coach', user: 'bob', session: 's1' },
        ];
        for (let index = 0; index < 60; index += 1) {
          const scope = scopes[(index * 7 + (index % 4)) % scopes.length] ?? { user: null };
          // Turns belong to a user or a session; a decision of an agent may be shared.
          const kind = scope.user === null ? 'decision' : index % 3 === 0 ? 'observation' : 'message';
          await varve.for({ tenant: 'pages', ...scope }).observe({ content: `${index}`, kind });
        }
        const handle = varve.for({ tenant: 'pages', agent: 'coach', user: 'ana', session: 's1' });
        const filters: [number, EventListFilter][] = [
          [48, {}],
          [24, { session: 's1' }],
          [16, { session: 's1', kinds: ['message'] }],
          [0, { session: 's3' }],
        ];
        for (const [count, filter] of filters) {
          const all = async (order: 'newest' | 'oldest', limit: number): Promise<number[]> => {
            const found: number[] = [];
            let cursor: string | undefined;
            do {
              const page = await handle.events.list({ ...filter, order, limit, cursor });
              expect(page.items.length).toBeLessThanOrEqual(limit);
              found.push(...page.items.map(({ content }) => Number(content)));
              cursor = page.cursor ?? undefined;
            } while (cursor !== undefined);
            return found;
          };
          const whole = await all('oldest', 1000);
          expect(whole).toHaveLength(count);
          expect(whole).toEqual(whole.toSorted((one, other) => one - other));
          expect(await all('newest', 1000)).toEqual(whole.toReversed());
          expect(await all('oldest', 7)).toEqual(whole);
          expect(await all('newest', 7)).toEqual(whole.toReversed());
        }
        const seen = (await handle.events.list({ limit: 1000 })).items;
        expect(new Set(seen.map(({ scope }) => `${scope.agent} ${scope.user} ${scope.session}`))).toEqual(
          new Set(['coach ana s1', 'null ana s1', 'coach ana s2', 'coach null null']),
        );
      });

      it('[E10] counts the turns since the last formation, weighted by speaker', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        const content = 'one two three four five six seven eight nine ten eleven twelve';
        const tokens = async (origin: 'user' | 'tool' | 'agent' | 'system'): Promise<number> => {
          const before = (await handle.session.get())?.weightedTokensSinceFormation ?? 0;
          await handle.observe({ content, origin });
          return ((await handle.session.get())?.weightedTokensSinceFormation ?? 0) - before;
        };
        const whole = await tokens('user');
        expect(whole).toBeGreaterThan(8);
        expect(await tokens('tool')).toBeCloseTo(whole * 0.5);
        expect(await tokens('agent')).toBeCloseTo(whole * 0.2);
        expect(await tokens('system')).toBeCloseTo(whole * 0.5);
        expect((await handle.session.get())?.messagesSinceFormation).toBe(4);
      });

      it('[K17] logs interactions with their tools, channel, user and time', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        const logged = await handle.logInteraction({
          userMessage: 'What is on today?',
          agentResponse: 'Two meetings.',
          toolsUsed: [{ tool: 'calendar', arguments: { day: 'today' }, result: '2 entries' }],
          channel: 'telegram',
        });
        expect(logged.logged).toBe(true);
        clock.advance(MINUTE);
        await handle.logInteraction({ userMessage: 'Thanks', agentResponse: 'Any time.' });
        expect(await handle.interactions()).toMatchObject([
          { userMessage: 'Thanks', agentResponse: 'Any time.', toolsUsed: [] },
          {
            userMessage: 'What is on today?',
            agentResponse: 'Two meetings.',
            toolsUsed: [{ tool: 'calendar', arguments: { day: 'today' }, result: '2 entries' }],
            channel: 'telegram',
            user: 'ana',
          },
        ]);
        expect(await handle.interactions({ limit: 1 })).toHaveLength(1);
      });

      it('[L14] links outcomes to their decisions', async () => {
        const handle = open({ agent: 'copilot', user: 'priya' });
        const decision = await handle.decisions.record({
          content: 'Suggested a recipe post.',
          reason: 'Recipes do well.',
        });
        await handle.decisions.recordOutcome(decision.id, {
          content: '340 views, 3x the average.',
          effect: 'positive',
          measure: { name: 'views', value: 340 },
        });
        const [found] = await handle.decisions.list();
        expect(found).toMatchObject({
          decision: { content: 'Suggested a recipe post.', metadata: { reason: 'Recipes do well.' } },
          outcomes: [
            { refersTo: decision.id, metadata: { effect: 'positive', measure: { name: 'views', value: 340 } } },
          ],
        });
        await expect(
          handle.decisions.recordOutcome('evt_none', { content: 'x', effect: 'neutral' }),
        ).rejects.toMatchObject({ code: 'not_found' });
        const stranger = open({ agent: 'copilot', user: 'eve' });
        await expect(
          stranger.decisions.recordOutcome(decision.id, { content: 'x', effect: 'neutral' }),
        ).rejects.toMatchObject({ code: 'not_found' });
      });

      it('[T10] ids of indexed content follow from content and metadata: indexing again changes nothing', async () => {
        const handle = open({ user: 'ana', connection: 'mail-1' });
        const document = {
          content: `${'The contract ends in May. '.repeat(60)}\n\nThe fee is 300 euros.`,
          context: {
            type: 'tool_attachment_content' as const,
            source: 'tool_extracted_content' as const,
            organisation: 'acme',
            tool: 'mail',
            message: 'msg-7',
            attachment: 'att-1',
            fileName: 'contract.pdf',
          },
        };
        const first = await handle.indexDocument(document);
        const again = await handle.indexDocument(document);
        expect(first.chunks.length).toBeGreaterThan(2);
        expect(again.chunks.map((chunk) => chunk.id)).toEqual(first.chunks.map((chunk) => chunk.id));
        expect(again.repeated).toBe(first.chunks.length);
        expect((await handle.events.list({ kinds: ['document_chunk'] })).items).toHaveLength(first.chunks.length);
        const renamed = await handle.indexDocument({
          ...document,
          context: { ...document.context, fileName: 'copy.pdf' },
        });
        expect(renamed.repeated).toBe(0);
      });

      it('[T9] stored context has its type, source and origin', async () => {
        const handle = open({ user: 'ana', connection: 'jira-1' });
        const context = {
          type: 'tool_entity',
          source: 'tool_indexed',
          organisation: 'acme',
          tool: 'jira',
          message: 'm',
          attachment: 'a',
          fileName: 'f',
        } as const;
        const { memory } = await handle.memories.create({ type: 'fact', content: 'PROJ-1 is open.', context });
        expect((await handle.memories.get(memory.id))?.context).toEqual(context);
        expect(memory.scope.connection).toBe('jira-1');
        const { chunks } = await handle.indexDocument({
          content: 'Text',
          context: { type: 'user_profile', source: 'user_provided' },
        });
        expect((await handle.events.get(chunks[0]!.id))?.context).toEqual({
          type: 'user_profile',
          source: 'user_provided',
        });
        await expect(
          handle.memories.create({
            type: 'fact',
            content: 'x',
            context: { type: 'nonsense', source: 'tool_indexed' } as never,
          }),
        ).rejects.toMatchObject({ code: 'invalid_input' });
      });
    });

    describe('entities', () => {
      it('merges by name and alias, and links memories', async () => {
        const handle = open();
        const first = await handle.entities.add({
          type: 'content',
          name: 'Diwali Sweet Recipes',
          aliases: ['the Diwali post'],
        });
        const again = await handle.entities.add({ type: 'content', name: 'diwali sweet recipes' });
        const byAlias = await handle.entities.add({ type: 'content', name: 'The Diwali Post', aliases: ['DSR'] });
        expect([again.id, byAlias.id]).toEqual([first.id, first.id]);
        expect(byAlias.aliases).toContain('DSR');
        expect((await handle.entities.find(['dsr'])).map((entity) => entity.id)).toEqual([first.id]);
        const other = await handle.entities.add({ type: 'place', name: 'Diwali Sweet Recipes' });
        expect(other.id).not.toBe(first.id);
        expect(await open().entities.find(['dsr'])).toEqual([]);
      });
    });

    describe('the past', () => {
      it('answers as of a time, through revisions, archive and restore', async () => {
        const handle = open();
        const at: number[] = [];
        const step = (): void => {
          at.push(clock.now());
          clock.advance(DAY);
        };
        step();
        const { memory } = await handle.memories.create({ type: 'fact', content: 'A', tags: ['x'] });
        step();
        await handle.memories.revise(memory.id, { content: 'B' });
        step();
        await handle.memories.forget(memory.id);
        step();
        await handle.memories.restore(memory.id);
        step();
        const contents = [];
        for (const time of at) {
          const past = handle.asOf(time);
          contents.push((await past.memories.list({ tags: ['x'] })).items.map((item) => item.content).join());
        }
        expect(contents).toEqual(['', 'A', 'B', '', 'B']);
        expect(await handle.asOf(at[0]!).memories.get(memory.id)).toBeNull();
        expect(await handle.asOf(at[3]!).memories.get(memory.id)).toMatchObject({ archiveReason: 'forgotten' });
        expect((await handle.asOf(at[0]!).events.list()).items).toEqual([]);
      });
    });

    describe('bad input', () => {
      const cases: [string, (handle: Handle) => Promise<unknown>, RegExp][] = [
        ['importance 7', (h) => h.memories.create({ type: 'fact', content: 'x', importance: 7 }), /importance.*0 to 1/],
        [
          'importance NaN',
          (h) => h.memories.create({ type: 'fact', content: 'x', importance: Number.NaN }),
          /importance/,
        ],
        ['empty content', (h) => h.memories.create({ type: 'fact', content: ' \n ' }), /content.*empty/],
        ['no content', (h) => h.memories.create({ type: 'fact' } as never), /content/],
        ['content that is no text', (h) => h.memories.create({ type: 'fact', content: 42 as never }), /content/],
        ['5 MB of content', (h) => h.memories.create({ type: 'fact', content: 'x'.repeat(5_000_000) }), /20,000/],
        ['5 MB in one event', (h) => h.observe({ content: 'x'.repeat(5_000_000) }), /500,000/],
        [
          'an unknown field',
          (h) => h.memories.create({ type: 'fact', content: 'x', tenant: 'other' } as never),
          /tenant/,
        ],
        ['a scope in an event', (h) => h.observe({ content: 'x', user: 'eve' } as never), /user/],
        ['a key without a letter', (h) => h.facts.set({ key: '!', value: 'x' }), /snake_case/],
        [
          'a category that is none',
          (h) => h.facts.set({ key: 'a', value: 'x', category: 'food' as never }),
          /category/,
        ],
        [
          'a date that is none',
          (h) => h.memories.create({ type: 'fact', content: 'x', validFrom: 'yesterday' }),
          /validFrom.*date/,
        ],
        ['an invalid Date', (h) => h.memories.create({ type: 'fact', content: 'x', dueAt: new Date('x') }), /dueAt/],
        [
          'a validity that ends before it begins',
          (h) => h.memories.create({ type: 'fact', content: 'x', validFrom: '2026-02-01', validTo: '2026-01-01' }),
          /before validFrom/,
        ],
        ['a NUL character', (h) => h.memories.create({ type: 'fact', content: 'a\0b' }), /NUL/],
        [
          'a session fact',
          (h) => h.memories.create({ type: 'fact', content: 'x', level: 'session' }),
          /can be stored at the level/,
        ],
        ['an intention without a date', (h) => h.memories.create({ type: 'intention', content: 'Call.' }), /dueAt/],
        ['a note without a title', (h) => h.memories.create({ type: 'note', content: 'x' }), /title/],
        ['an unknown kind of block', (h) => h.blocks.read('diary' as never), /kind of block/],
        [
          'metadata that is no JSON',
          (h) => h.memories.create({ type: 'fact', content: 'x', metadata: { f: () => 1 } as never }),
          /metadata/,
        ],
        ['a negative limit', (h) => h.memories.list({ limit: -1 }), /limit/],
        ['a change of nothing', (h) => h.memories.revise('mem_x', {}), /Expected at least one field to change/],
        ['an unknown origin', (h) => h.observe({ content: 'x', origin: 'martian' as never }), /origin/],
      ];
      for (const [name, act, message] of cases) {
        it(`${name} is refused before anything is written`, async () => {
          const handle = open();
          const error = await act(handle).then(
            () => null,
            (thrown: unknown) => thrown,
          );
          expect(VarveError.isInstance(error, 'invalid_input')).toBe(true);
          expect((error as Error).message).toMatch(message);
          expect((await handle.memories.list({ archived: 'include' })).items).toEqual([]);
          expect((await handle.events.list()).items).toEqual([]);
        });
      }

      it('a scope that is misspelt, empty or padded is refused', () => {
        expect(() => varve.for({ usr: 'ana' } as never)).toThrow(/usr/);
        expect(() => varve.for({ tenant: '', user: null })).toThrow(/tenant/);
        expect(() => varve.for({ user: ' ana' })).toThrow(/white space/);
        expect(() => varve.for({ user: 'a\u0007' })).toThrow(/control/);
        expect(() => varve.for({ user: 7 as never })).toThrow(/user/);
      });

      it('half an emoji becomes the replacement character on every database', async () => {
        const { memory } = await open().memories.create({ type: 'fact', content: 'Smile \ud83d!' });
        expect(memory.content).toBe('Smile \ufffd!');
      });

      it('a backslash before a letter u is text, and not half an emoji', async () => {
        const handle = open();
        const memory = { type: 'fact', content: 'The volume is mounted.' };
        const metadata = { path: 'C:\\udev', 'D:\\\\u0000': ['\\\\\\ud83d', '\\', 'D:\\ud83d 😀'] };
        const { memory: stored } = await handle.memories.create({ ...memory, metadata });
        expect((await handle.memories.get(stored.id))?.metadata).toEqual(metadata);
        const { connection } = open({ user: 'ana', connection: 'mail' });
        await connection.saveToolSchema(metadata);
        expect((await connection.toolSchema())?.schema).toEqual(metadata);
        for (const path of ['\0', '\\\0', '\\\\\0', '\ud83d', '\\\ud83d', 'C:\\udev \udc00']) {
          for (const refused of [{ path }, { [path]: 1 }, { deep: [{ path }] }])
            await expect(handle.memories.create({ ...memory, metadata: refused })).rejects.toThrow(
              /unpaired surrogate/,
            );
        }
      });

      it('text in any script is returned unchanged', async () => {
        const handle = open();
        const text = '日本語 한국어 العربية Ελληνικά 👩‍👩‍👧‍👦 \'"`; drop table memories; -- %_\\';
        const { memory } = await handle.memories.create({
          type: 'fact',
          content: text,
          metadata: { text },
          tags: [text.slice(0, 50)],
        });
        expect(await handle.memories.get(memory.id)).toMatchObject({ content: text, metadata: { text } });
      });
    });
  });
}
