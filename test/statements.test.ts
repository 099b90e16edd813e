import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { DAY, manualClock, type ManualClock } from '../src/record/clock.ts';
import { createIdSource } from '../src/record/id.ts';
import type { Memory } from '../src/record/memory.ts';
import type { Scope } from '../src/record/scope.ts';
import type { Database } from '../src/store/database.ts';
import { insertRefusals, type RefusalRecord } from '../src/store/history-store.ts';
import { openStore } from '../src/store/open-store.ts';
import { listStatements } from '../src/store/read-memories.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';

// Statements and refusals in the store, on every database. Each test has its own tenant in one store.

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`statements on ${database.name}`, () => {
    let varve: Varve;
    let store: Database;
    let clock: ManualClock;
    let drop: () => Promise<void>;
    let tenants = 0;
    const open = (scope: { agent?: string; user?: string; session?: string } = { user: 'ana' }): Handle => {
      tenants += 1;
      return varve.for({ tenant: `tenant-${tenants}`, user: null, ...scope });
    };

    beforeAll(async () => {
      const created = await database.create();
      drop = created.drop;
      clock = manualClock(new Date('2026-03-01T12:00:00Z'));
      varve = await createVarve({ store: created.options, embedder: null, background: false, clock });
      store = await openStore(created.options);
    });
    afterAll(async () => {
      await varve.close();
      await store.close();
      await drop();
    });

    describe('the sources of a memory', () => {
      it('[Q4] [X4] the history of a continued topic grows linearly with its sessions, and erasing still finds every source', async () => {
        const scope = { user: 'ana' };
        const ana = open(scope);
        const { tenant } = ana.scope;
        const talk = async (session: number): Promise<{ id: string; events: string[]; at: Date }> => {
          clock.advance(DAY);
          const turns = Array.from({ length: 6 }, (_, turn) => ({ content: `Turn ${turn} about bees in ${session}.` }));
          const { events } = await varve.for({ tenant, ...scope, session: `s${session}` }).observe(turns);
          const [first] = events;
          const { memory } = await ana.memories.create({
            type: 'summary',
            title: 'Bees',
            content: `Bees were talked about, last in ${session + 1000}.`,
            sourceEvents: events.map(({ id }) => id),
            quotes: [{ event: first!.id, start: 0, end: 4 }],
          });
          return { id: memory.id, events: events.map(({ id }) => id), at: new Date(clock.now()) };
        };
        const bytes = async (): Promise<number> => {
          const rows = await store.read(tenant, (reader) =>
            reader.selectFrom('revisions').select('before').where('tenant_id', '=', tenant).execute(),
          );
          return rows.reduce((sum, { before }) => sum + (before ?? '').length, 0);
        };
        const talks: Awaited<ReturnType<typeof talk>>[] = [];
        const sizes: number[] = [];
        for (let session = 0; session < 40; session += 1) {
          talks.push(await talk(session));
          sizes.push(await bytes());
        }
        // Twice the sessions take twice the space, and not four times.
        expect(sizes[39]! / sizes[19]!).toBeLessThan(2.2);

        const sourcesUntil = (session: number): string[] => talks.slice(0, session + 1).flatMap(({ events }) => events);
        const { id } = talks[0]!;
        const past = ana.asOf(talks[10]!.at);
        expect((await past.memories.get(id))?.sourceEvents).toEqual(sourcesUntil(10));
        expect((await past.memories.list()).items.map(({ sourceEvents }) => sourceEvents)).toEqual([sourcesUntil(10)]);
        const history = await ana.memories.history(id);
        expect(history).toHaveLength(40);
        expect(history[25]?.before).toMatchObject({ sourceEvents: sourcesUntil(24) });
        expect(history[25]?.before?.['quotes']).toHaveLength(25);

        for (const session of [3, 20, 39]) {
          const erased = talks[session]!.events;
          await varve.for({ tenant, ...scope, session: `s${session}` }).erase();
          const said = JSON.stringify([await ana.memories.get(id), await past.memories.get(id)]);
          expect(erased.filter((event) => said.includes(event))).toEqual([]);
        }
        expect((await ana.memories.get(id))?.sourceEvents).toHaveLength(37 * 6);
        for (const [session] of talks.entries()) await varve.for({ tenant, ...scope, session: `s${session}` }).erase();
        expect(await ana.memories.get(id)).toBeNull();
      });
    });

    describe('the fields', () => {
      it('keeps every field of a statement', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        const { events } = await handle.observe({ content: 'My sister Ana will move to Linz in May.' });
        const { memory } = await handle.memories.create({
          type: 'fact',
          content: "User's sister Ana moves to Linz.",
          subject: "the user's sister Ana",
          attribute: 'home_city',
          value: ' Linz ',
          tense: 'planned',
          statedAt: '2026-02-01T08:00:00Z',
          statedBy: 'user',
          quotes: [{ event: events[0]!.id, start: 0, end: 27 }],
          validFrom: '2026-05-01',
        });
        expect(await handle.memories.get(memory.id)).toEqual(memory);
        expect(memory).toMatchObject({
          subject: "User's sister Ana",
          attribute: 'home_city',
          value: 'Linz',
          category: 'location',
          polarity: 'affirmed',
          tense: 'planned',
          permanent: false,
          statedAt: new Date('2026-02-01T08:00:00Z'),
          statedBy: 'user',
          quotes: [{ event: events[0]!.id, start: 0, end: 27 }],
          sourceEvents: [events[0]!.id],
          reader: null,
          internal: {},
        });
      });

      it('treats a memory without fields as the application’s statement about the user, made now', async () => {
        const { memory } = await open().memories.create({ type: 'fact', content: 'Has a dog.' });
        expect(memory).toMatchObject({
          subject: 'User',
          attribute: null,
          value: null,
          category: null,
          polarity: 'affirmed',
          tense: 'holds',
          statedAt: new Date(clock.now()),
          statedBy: 'system',
          trust: 'high',
          quotes: [],
        });
        const goal = await open().memories.create({ type: 'goal', content: 'Run a marathon.' });
        expect(goal.memory.state).toBe('open');
      });

      it('trusts a statement as much as its author, unless a trust is given', async () => {
        const handle = open();
        const by = async (statedBy: 'tool' | 'agent', content: string) =>
          (await handle.memories.create({ type: 'fact', content, statedBy })).memory.trust;
        expect(await by('tool', 'A')).toBe('low');
        expect(await by('agent', 'B')).toBe('medium');
      });

      it('does not let an application set internal fields', async () => {
        for (const field of [{ reader: 'local' }, { internal: {} }, { key: 'home_city' }]) {
          await expect(open().memories.create({ type: 'fact', content: 'x', ...field } as never)).rejects.toMatchObject(
            { code: 'invalid_input' },
          );
        }
      });

      it('refuses a permanent fact without an attribute or a value, also by revision', async () => {
        const handle = open();
        const permanent = { type: 'fact', content: 'Lives in Oslo.', permanent: true };
        await expect(handle.memories.create(permanent)).rejects.toThrow(/attribute/);
        await expect(handle.memories.create({ ...permanent, attribute: 'home_city' })).rejects.toThrow(/value/);
        const { memory } = await handle.memories.create({ ...permanent, attribute: 'home_city', value: 'Oslo' });
        await expect(handle.memories.revise(memory.id, { value: null })).rejects.toThrow(/value/);
      });

      it('adds quotes and their events, and removes them when an event is erased', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        const later = varve.for({ ...handle.scope, session: 's2' });
        const [first, second] = [
          (await handle.observe({ content: 'I live in Oslo.' })).events[0]!,
          (await later.observe({ content: 'Oslo is home.' })).events[0]!,
        ];
        const { memory } = await handle.memories.create({
          type: 'fact',
          content: 'Lives in Oslo.',
          quotes: [{ event: first.id, start: 2, end: 14 }],
        });
        const again = { event: first.id, start: 2, end: 14 };
        const quote = { event: second.id, start: 0, end: 4 };
        const revised = await handle.memories.revise(memory.id, { quotes: [again, quote] });
        expect(revised.quotes).toEqual([again, quote]);
        expect(revised.sourceEvents).toEqual([first.id, second.id]);
        const said = { type: 'fact', content: 'Lives in Oslo.', quotes: [{ event: second.id, start: 8, end: 12 }] };
        expect(await handle.memories.create(said)).toMatchObject({ outcome: 'unchanged', memory: { version: 3 } });

        await later.erase();
        expect(await handle.memories.get(memory.id)).toMatchObject({ quotes: [again], sourceEvents: [first.id] });
      });

      it('refuses a quote of an unknown event, and an empty quote', async () => {
        const handle = open();
        const stranger = (await open().observe({ content: 'I live in Oslo.' })).events[0]!;
        const create = (quote: { event: string; start: number; end: number }) =>
          handle.memories.create({ type: 'fact', content: 'x', quotes: [quote] });
        await expect(create({ event: stranger.id, start: 0, end: 3 })).rejects.toThrow(/no event/);
        await expect(create({ event: stranger.id, start: 3, end: 3 })).rejects.toThrow(/not after start/);
      });

      it('[E14] the same words with other fields are another statement', async () => {
        const handle = open();
        const said = { type: 'fact', content: '“I live and work in Linz.”' };
        const outcomes: string[] = [];
        for (const fields of [
          {},
          { attribute: 'home_city', value: 'Linz' },
          { attribute: 'work_city', value: 'Linz' },
          { attribute: 'work_city', value: 'Linz', subject: "User's sister" },
          { attribute: 'work_city', value: 'Linz', polarity: 'denied' as const },
          { attribute: 'home_city', value: 'Linz' },
          {},
        ]) {
          outcomes.push((await handle.memories.create({ ...said, ...fields })).outcome);
        }
        expect(outcomes).toEqual(['created', 'created', 'created', 'created', 'created', 'unchanged', 'unchanged']);
      });
    });

    describe('a contradicting memory', () => {
      const oslo = { type: 'fact', content: 'Lives in Oslo.', attribute: 'home_city', value: 'Oslo' };
      const bergen = { type: 'fact', content: 'Lives in Bergen.', attribute: 'home_city', value: 'Bergen' };

      it('[Q4] archives the memory that it names, with its end, in the same transaction', async () => {
        const handle = open();
        const old = (await handle.memories.create(oslo)).memory;
        clock.advance(DAY);
        const { memory, outcome } = await handle.memories.create({
          ...bergen,
          contradicts: old.id,
          validFrom: '2026-03-02',
        });
        expect(outcome).toBe('superseded');
        expect(memory.contradicts).toBe(old.id);
        expect(await handle.memories.get(old.id)).toMatchObject({
          archiveReason: 'contradicted',
          contradictedBy: memory.id,
          validTo: new Date('2026-03-02'),
          archivedAt: new Date(clock.now()),
        });
        expect((await handle.memories.list()).items.map(({ id }) => id)).toEqual([memory.id]);
        expect(await handle.memories.history(old.id)).toHaveLength(2);
      });

      it('replaces nothing that is trusted more, through any interface', async () => {
        const handle = open();
        const old = (await handle.memories.create({ ...oslo, statedBy: 'user' })).memory;
        const said = { ...bergen, statedBy: 'tool' as const };
        const conflict = { code: 'conflict', details: { id: old.id } };
        await expect(handle.memories.supersede(old.id, said)).rejects.toMatchObject(conflict);
        await expect(handle.memories.supersede(old.id, said, { asked: true })).rejects.toMatchObject(conflict);
        await expect(handle.memories.create({ ...said, contradicts: old.id })).rejects.toMatchObject(conflict);
        await expect(handle.memories.supersede(old.id, { ...bergen, statedBy: 'agent' })).rejects.toMatchObject(
          conflict,
        );
        const fact = { key: 'home_city', value: 'Bergen', statedBy: 'tool' as const };
        expect((await handle.facts.set(fact)).outcome).toBe('unchanged');
        expect((await handle.memories.list()).items.map(({ id }) => id)).toEqual([old.id]);
        const asked = { ...bergen, statedBy: 'agent' as const };
        const next = await handle.memories.supersede(old.id, asked, { asked: true });
        expect((await handle.memories.list()).items.map(({ id }) => id)).toEqual([next.id]);
      });

      it('ends the contradicted memory at the time when it was stated, if it has no `validFrom`', async () => {
        const handle = open();
        const old = (await handle.memories.create(oslo)).memory;
        await handle.memories.create({ ...bergen, contradicts: old.id, statedAt: '2026-02-15' });
        expect((await handle.memories.get(old.id))?.validTo).toEqual(new Date('2026-02-15'));
      });

      it('archives the memory that it names in favour of a known equal statement, and no memory in favour of itself', async () => {
        const handle = open();
        const old = (await handle.memories.create(oslo)).memory;
        const known = (await handle.memories.create(bergen)).memory;
        expect((await handle.memories.create({ ...bergen, contradicts: known.id })).outcome).toBe('unchanged');
        expect((await handle.memories.get(known.id))?.archivedAt).toBeNull();
        expect((await handle.memories.create({ ...bergen, contradicts: old.id })).outcome).toBe('unchanged');
        expect(await handle.memories.get(old.id)).toMatchObject({
          archiveReason: 'contradicted',
          contradictedBy: known.id,
        });
      });

      it('changes nothing that the handle cannot see, and leaves an archived memory as it is', async () => {
        const stranger = (await open().memories.create(oslo)).memory;
        const handle = open();
        await expect(handle.memories.create({ ...bergen, contradicts: stranger.id })).rejects.toThrow(/no memory/);
        expect((await handle.memories.list()).items).toEqual([]);
        const old = (await handle.memories.create(oslo)).memory;
        await handle.memories.archive(old.id, 'forgotten');
        expect((await handle.memories.create({ ...bergen, contradicts: old.id })).outcome).toBe('created');
        expect(await handle.memories.get(old.id)).toMatchObject({ archiveReason: 'forgotten', contradictedBy: null });
      });
    });

    describe('restoring', () => {
      const create = async (handle: Handle, attribute: string, value: string, rest: object = {}): Promise<Memory> => {
        const input = { type: 'fact', content: `${attribute}: ${value}`, attribute, value, ...rest };
        return (await handle.memories.create(input)).memory;
      };

      it('is a conflict if an attribute with one value has another value', async () => {
        const handle = open();
        const oslo = await create(handle, 'home_city', 'Oslo');
        await handle.memories.forget(oslo.id);
        const bergen = await create(handle, 'home_city', 'Bergen');
        await expect(handle.memories.restore(oslo.id)).rejects.toMatchObject({
          code: 'conflict',
          details: { inItsPlace: bergen.id },
        });
      });

      it('is allowed with other values of an attribute with many, and with another subject', async () => {
        const handle = open();
        const nuts = await create(handle, 'allergy', 'nuts', { permanent: true });
        await handle.memories.forget(nuts.id);
        await create(handle, 'allergy', 'pollen', { permanent: true });
        expect((await handle.memories.restore(nuts.id)).archivedAt).toBeNull();
        const oslo = await create(handle, 'home_city', 'Oslo');
        await handle.memories.forget(oslo.id);
        await create(handle, 'home_city', 'Bergen', { subject: "User's sister Ana" });
        expect((await handle.memories.restore(oslo.id)).archivedAt).toBeNull();
      });
    });

    describe('reading by fields', () => {
      it('lists by subject, attribute and permanence, now and as of a time', async () => {
        const handle = open();
        const values = async (filter: object, at?: Date): Promise<(string | null)[]> => {
          const reader = at === undefined ? handle.memories : handle.asOf(at).memories;
          return (await reader.list({ ...filter, order: 'oldest' })).items.map(({ value }) => value);
        };
        await handle.memories.create({ type: 'fact', content: '1', attribute: 'home_city', value: 'Oslo' });
        await handle.memories.create({
          type: 'fact',
          content: '2',
          attribute: 'home_city',
          value: 'Linz',
          subject: "User's sister Ana",
        });
        const tea = { type: 'fact', content: '3', attribute: 'likes', value: 'tea' };
        const { memory } = await handle.memories.create(tea);
        await handle.facts.set({ key: 'employer', value: 'Acme' });
        const then = new Date(clock.now());
        clock.advance(DAY);
        await handle.memories.archive(memory.id, 'decayed');
        for (const at of [undefined, then]) {
          expect(await values({ attributes: ['home_city'] }, at)).toEqual(['Oslo', 'Linz']);
          expect(await values({ attributes: ['home_city'], subjects: ['User'] }, at)).toEqual(['Oslo']);
          expect(await values({ permanent: true }, at)).toEqual(['Acme']);
          expect(await values({ subjects: ['User'], permanent: false }, at)).toEqual(
            at === undefined ? ['Oslo'] : ['Oslo', 'tea'],
          );
        }
      });

      it('finds live statements of the owner or of all that the handle sees, the latest stated first', async () => {
        const handle = open({ agent: 'coach', user: 'ana' });
        const shared = varve.for({ tenant: handle.scope.tenant, agent: 'coach', user: null });
        const add = async (to: Handle, value: string, rest: object = {}): Promise<Memory> => {
          const input = { type: 'fact', content: value, attribute: 'likes', value, ...rest };
          return (await to.memories.create(input)).memory;
        };
        await add(handle, 'tea', { statedAt: '2026-01-02' });
        await add(handle, 'rain', { statedAt: '2026-01-03' });
        await add(handle, 'coffee', { statedAt: '2026-01-01', expiresAt: new Date(clock.now() + DAY) });
        await add(handle, 'snow', { subject: "User's sister Ana" });
        await add(shared, 'silence', { statedAt: '2026-01-04' });
        await handle.memories.forget((await add(handle, 'wine')).id);
        const find = async (search: Omit<Parameters<typeof listStatements>[2], 'attributes'>): Promise<unknown[]> => {
          const found = await store.read(handle.scope.tenant, (reader) =>
            listStatements(reader, handle.scope, { attributes: ['likes'], ...search }),
          );
          return found.map(({ value }) => value);
        };
        expect(await find({ subjects: ['User'], owner: 'own' })).toEqual(['rain', 'tea', 'coffee']);
        expect(await find({ subjects: ['User'], owner: 'own', now: clock.now() + DAY })).toEqual(['rain', 'tea']);
        expect(await find({ subjects: ['User'], owner: 'visible' })).toEqual(['silence', 'rain', 'tea', 'coffee']);
        expect(await find({ subjects: ["User's sister Ana", 'nobody'], owner: 'own' })).toEqual(['snow']);
        expect(await find({ subjects: ['User'], permanent: true, owner: 'own' })).toEqual([]);
        expect(await find({ subjects: [], owner: 'own' })).toEqual([]);
      });
    });

    describe('a fact under a key that an earlier version spelled without ß', () => {
      it('is read, replaced and forgotten by its name', async () => {
        const handle = open();
        await handle.facts.set({ key: 'schuhgro_e', value: '43' });
        expect(await handle.facts.get('Schuhgröße')).toMatchObject({ key: 'schuhgro_e', value: '43' });
        await handle.facts.set({ key: 'Schuhgröße', value: '44' });
        expect(await handle.facts.list()).toMatchObject([{ key: 'schuhgrosse', value: '44' }]);
        await handle.facts.set({ key: 'ringgro_e', value: '52' });
        expect(await handle.facts.forget('Ringgröße')).toBe(true);
        expect(await handle.facts.list()).toHaveLength(1);
      });
    });

    describe('refusals', () => {
      const refuse = async (scope: Scope, text: string, rest: Partial<RefusalRecord> = {}): Promise<RefusalRecord> => {
        const refusal: RefusalRecord = {
          id: createIdSource(clock).next('ref'),
          scope: { ...scope, connection: null },
          run: null,
          at: new Date(clock.now()),
          reason: 'quote_not_found',
          what: 'statement',
          text,
          detail: null,
          proposal: null,
          events: [],
          ...rest,
        };
        clock.advance(1000);
        await store.write(scope.tenant, (writer) => insertRefusals(writer, [refusal]));
        return refusal;
      };
      const texts = async (handle: Handle): Promise<(string | null)[]> =>
        (await handle.refusals.list()).items.map(({ text }) => text);

      it('are listed with all their fields, newest first, page by page', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        const first = await refuse(handle.scope, 'one', {
          detail: 'the words stand nowhere',
          proposal: { text: 'one', quotes: [] },
          events: ['evt_1'],
          run: 'run_1',
        });
        await refuse({ ...handle.scope, session: 's2' }, 'two', { what: 'forget' });
        await refuse({ ...handle.scope, session: null }, 'three', { text: null, reason: 'private' });
        const user = varve.for({ tenant: handle.scope.tenant, user: 'ana' });
        expect(await texts(user)).toEqual([null, 'two', 'one']);
        expect((await user.refusals.list({ session: 's1' })).items).toEqual([first]);
        expect(await texts(handle)).toEqual(['one']);
        const page = await user.refusals.list({ limit: 2 });
        expect(page.items).toHaveLength(2);
        const rest = await user.refusals.list({ limit: 2, cursor: page.cursor ?? '' });
        expect(rest).toEqual({ items: [first], cursor: null });
        await expect(user.refusals.list({ cursor: 'rubbish' })).rejects.toMatchObject({ code: 'invalid_input' });
      });

      it('are written once under one id', async () => {
        const handle = open();
        const refusal = await refuse(handle.scope, 'one');
        const again = await store.write(handle.scope.tenant, (writer) => insertRefusals(writer, [refusal]));
        expect(again).toBe(0);
        expect(await texts(handle)).toEqual(['one']);
      });

      it('[X1] are erased with the person, with the session, and with the events that were read', async () => {
        const handle = open({ user: 'ana', session: 's1' });
        const ana = varve.for({ tenant: handle.scope.tenant, user: 'ana' });
        const ben = varve.for({ tenant: handle.scope.tenant, user: 'ben' });
        const { events } = await handle.observe({ content: 'My code is 4711.' });
        await refuse({ ...ana.scope }, 'read in the session', { events: [events[0]!.id] });
        await refuse(handle.scope, 'said in the session');
        await refuse(ana.scope, 'said elsewhere');
        await refuse(ben.scope, 'of somebody else');
        const erased = await handle.erase();
        expect(erased.refusals).toBe(2);
        expect(await texts(ana)).toEqual(['said elsewhere']);
        expect((await ana.erase()).certificate.counts['refusals']).toBe(1);
        expect(await texts(ana)).toEqual([]);
        expect(await texts(ben)).toEqual(['of somebody else']);
      });

      it('[X1] are erased with a memory that was learned from the same events', async () => {
        const handle = open();
        const { events } = await handle.observe({ content: 'My code is 4711.' });
        const sourceEvents = [events[0]!.id];
        const { memory } = await handle.memories.create({ type: 'fact', content: 'Code: 4711', sourceEvents });
        await refuse(handle.scope, 'The code is 4711, for ever.', { events: sourceEvents });
        await refuse(handle.scope, 'else');
        await handle.eraseMemory(memory.id);
        expect(await texts(handle)).toEqual(['else']);
      });

      it('stay in their tenant, and within the handle’s user', async () => {
        const handle = open();
        await refuse(handle.scope, 'mine');
        expect(await texts(open())).toEqual([]);
        expect(await texts(varve.for({ tenant: handle.scope.tenant, user: 'ben' }))).toEqual([]);
      });

      it('are exported, and imported once', async () => {
        const handle = open();
        const refusal = await refuse(handle.scope, 'one', { proposal: { text: 'one' } });
        // Earlier versions stored an empty text for an item that could not be read, and the whole text of an outranking memory.
        await refuse(handle.scope, '', { reason: 'malformed' });
        await refuse(handle.scope, 'two', { detail: 'long '.repeat(3000).trim() });
        const lines: unknown[] = [];
        for await (const line of varve.operator.export({ tenant: handle.scope.tenant })) lines.push(line);
        expect(lines).toContainEqual({ record: 'refusal', ...refusal });
        const into = open();
        const stored = JSON.parse(JSON.stringify(lines)) as unknown[];
        const report = await varve.operator.import(stored, { into: { tenant: into.scope.tenant } });
        expect(report).toMatchObject({ imported: { refusal: 3 }, rejected: 0 });
        const again = await varve.operator.import(stored, { into: { tenant: into.scope.tenant } });
        expect(again.known).toEqual({ refusal: 3 });
        expect(await texts(into)).toEqual(['two', null, 'one']);
      });
    });
  });
}
