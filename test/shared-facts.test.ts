import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import type { RecordLine } from '../src/operate/record-line.ts';
import { DAY, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { answering, item, openForming, reading } from './form-model.ts';
import { startProtocolServer } from './protocol-server.ts';
import { type Answered, serverPlace, startServer } from './server-process.ts';

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`facts shared by the agents of a user on ${database.name}`, () => {
    let varve: Varve;
    let clock: ManualClock;
    let options: StoreOptions;
    let drop: () => Promise<void>;
    let coach: Handle;
    let cook: Handle;
    beforeEach(async () => {
      ({ options, drop } = await database.create());
      ({ varve, clock } = await openForming(options, { formation: { writes: 'immediate' }, facts: { shared: true } }));
      coach = varve.for({ agent: 'coach', user: 'priya', session: 'monday' });
      cook = varve.for({ agent: 'cook', user: 'priya', session: 'lunch' });
    });
    afterEach(async () => {
      await varve.close();
      await drop();
    });
    const say = async (handle: Handle, userMessage: string, agentResponse = 'Okay.'): Promise<void> => {
      await handle.logInteraction({ userMessage, agentResponse });
      await varve.drain();
      clock.advance(MINUTE);
    };
    const city = async (handle: Handle): Promise<string | null> => (await handle.facts.get('home_city'))?.value ?? null;
    const log = async (handle: Handle): Promise<string> =>
      (await handle.events.list({ order: 'oldest' })).items.map(({ content }) => content).join('|');

    it('[E14] [T1] are known to every agent of the user, in facts, recall and prompt, and to no other user', async () => {
      await say(coach, 'I live in Berlin. I think the plan for squats is too easy.');
      expect(await city(cook)).toBe('Berlin');
      expect((await cook.facts.list()).map(({ scope }) => scope)).toMatchObject([{ agent: null, user: 'priya' }]);
      expect((await cook.recall('Where does she live?')).results.map(({ text }) => text).join()).toContain('Berlin');
      expect((await cook.context({ message: 'Hello' })).system).toContain('Berlin');
      // A memory that is not a permanent fact stays with the agent that learned it, and so do the turns.
      expect((await cook.memories.list()).items.every(({ scope }) => scope.agent === null)).toBe(true);
      expect(await log(cook)).toBe('');
      for (const stranger of [
        varve.for({ agent: 'coach', user: 'omar', session: 'monday' }),
        varve.for({ agent: 'coach', user: null }),
        varve.for({ tenant: 'other', agent: 'coach', user: 'priya' }),
      ]) {
        expect(await city(stranger)).toBeNull();
        expect((await stranger.memories.list({ archived: 'include' })).items).toEqual([]);
        expect((await stranger.recall('Berlin', { mode: 'text' })).results).toEqual([]);
      }
    });

    it('[X3] are replaced, confirmed and set by any of the agents', async () => {
      await say(coach, 'I live in Berlin.');
      await say(cook, 'I moved to Lisbon.');
      expect([await city(coach), await city(cook)]).toEqual(['Lisbon', 'Lisbon']);
      await coach.facts.set({ key: 'home_city', value: 'Porto' });
      expect([await city(coach), await city(cook)]).toEqual(['Porto', 'Porto']);
      expect((await cook.memories.list({ attributes: ['home_city'] })).items).toHaveLength(1);
      const [first] = (await cook.memories.list({ archived: 'only', attributes: ['home_city'], order: 'oldest' }))
        .items;
      expect(first).toMatchObject({ value: 'Berlin', archiveReason: 'superseded' });
    });

    it('[X1] are forgotten with every agent, in each agent’s log, and restored with every agent', async () => {
      await say(coach, 'I work at Halden Foods.', 'Halden Foods, nice.');
      await say(cook, 'Is lunch at Halden Foods any good?', 'Halden Foods has a canteen?');
      await say(cook, 'I work at Halden Foods, by the way.');
      await say(coach, 'Please forget where I work.');
      expect((await cook.facts.list()).map(({ value }) => value)).toEqual([]);
      expect(`${await log(coach)}${await log(cook)}`).not.toContain('Halden');
      expect((await cook.recall('Halden', { mode: 'text' })).results).toEqual([]);
      const record = (await cook.forgotten.list()).find(({ attribute }) => attribute === 'employer');
      await cook.forgotten.restore(record?.id ?? '');
      expect((await coach.facts.get('employer'))?.value).toBe('Halden Foods');
      expect(await coach.facts.forget('employer')).toBe(true);
      expect(await cook.facts.get('employer')).toBeNull();
    });

    it('[X4] are erased with an agent’s memory of the user if they rest on its conversations alone, and are in its export', async () => {
      await say(coach, 'I live in Berlin.');
      await say(cook, 'I am allergic to walnuts.');
      await say(coach, 'Mind that I am allergic to walnuts.');
      const lines: RecordLine[] = [];
      for await (const line of varve.operator.export({ agent: 'coach', user: 'priya' })) lines.push(line);
      const exported = lines.flatMap((line) => (line.record === 'memory' ? line.data.value : []));
      expect(exported).toEqual(expect.arrayContaining(['Berlin', 'walnuts']));
      expect(lines.some((line) => line.record === 'event' && line.scope.agent === 'cook')).toBe(false);
      await varve.for({ agent: 'coach', user: 'priya' }).erase();
      expect((await cook.facts.list()).map(({ value }) => value)).toEqual(['walnuts']);
      await varve.for({ user: 'priya' }).erase();
      expect(await cook.facts.list()).toEqual([]);
      expect(await log(cook)).toBe('');
    });

    it('[X3] replace what one agent learned before facts were shared, in that agent’s prompt as well', async () => {
      await varve.close();
      ({ varve, clock } = await openForming(options, { formation: { writes: 'immediate' } }));
      await say(varve.for({ agent: 'coach', user: 'priya', session: 'monday' }), 'I work at Tavira Glass.');
      await varve.close();
      ({ varve, clock } = await openForming(options, { formation: { writes: 'immediate' }, facts: { shared: true } }));
      clock.advance(DAY);
      await say(varve.for({ agent: 'cook', user: 'priya', session: 'lunch' }), 'I work at Moreno Tiles.');
      coach = varve.for({ agent: 'coach', user: 'priya', session: 'monday' });
      expect((await coach.facts.get('employer'))?.value).toBe('Moreno Tiles');
      const { system } = await coach.context({ message: 'Hi' });
      expect(system).toContain('Moreno Tiles');
      expect(system).not.toContain('Tavira Glass');
    });

    it('[Q3] statements of low trust are not shared, and a plan takes effect for all agents on its day', async () => {
      await coach.facts.set({ key: 'home_city', value: 'Graz', statedBy: 'tool' });
      expect(await city(cook)).toBeNull();
      await say(coach, 'I live in Berlin.');
      expect(await city(cook)).toBe('Berlin');
      await say(cook, 'From 1 December 2026 on I live in Lisbon.');
      clock.advance(60 * DAY);
      await varve.drain();
      expect([await city(coach), await city(cook)]).toEqual(['Lisbon', 'Lisbon']);
    });

    it('[Q4] [X3] can be replaced or ended by the model of any agent, by their number', async () => {
      const server = await startProtocolServer();
      await varve.close();
      ({ varve, clock } = await openForming(options, { server, facts: { shared: true } }));
      [coach, cook] = ['coach', 'cook'].map((agent) => varve.for({ agent, user: 'priya', session: agent })) as [
        Handle,
        Handle,
      ];
      const read = async (handle: Handle, content: string, lists: Parameters<typeof reading>[0]): Promise<void> => {
        server.otherwise({ chat: answering({ read: reading(lists) }) });
        await handle.observe({ content });
        await handle.form();
        clock.advance(MINUTE);
      };
      const lives = { attribute: 'home_city', turn: 1 } as const;
      await read(coach, 'I live in Berlin.', {
        statements: [item({ ...lives, text: 'User lives in Berlin.', value: 'Berlin', quote: 'I live in Berlin' })],
      });
      await read(cook, 'Packed up, Lisbon it is!', {
        statements: [
          item({
            ...lives,
            text: 'User lives in Lisbon.',
            value: 'Lisbon',
            quote: 'Lisbon it is',
            relation: 'replaces',
            known: 1,
          }),
        ],
      });
      expect([await city(coach), await city(cook)]).toEqual(['Lisbon', 'Lisbon']);
      await read(coach, 'I have no home any more.', {
        ends: [{ known: 1, turn: 1, quote: 'I have no home any more' }],
      });
      expect([await city(coach), await city(cook)]).toEqual([null, null]);
      await server.close();
    });

    it('[T1] stay with their agent by default', async () => {
      await varve.close();
      ({ varve, clock } = await openForming(options, { formation: { writes: 'immediate' } }));
      await say(varve.for({ agent: 'coach', user: 'priya', session: 'monday' }), 'I live in Berlin.');
      expect(await city(varve.for({ agent: 'cook', user: 'priya' }))).toBeNull();
    });
  });
}

describe('the option of shared facts', () => {
  it('is refused with a value of a wrong type', async () => {
    const wrong = { shared: 'yes' } as unknown as { shared: boolean };
    await expect(createVarve({ store: ':memory:', facts: wrong })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('lets a key of one agent read, set and forget them as facts of users that it may name, and in no other way', async () => {
    const place = await serverPlace();
    const config = join(place.folder, 'shared.config.js');
    writeFileSync(config, 'export default { facts: { shared: true } };');
    const server = await startServer(place, { environment: { VARVE_CONFIG: config }, parameters: ['--no-worker'] });
    const make = async (key: object): Promise<string> =>
      (await server.call('POST', '/v1/keys', { body: key })).body.secret as string;
    const coach = await make({ name: 'coach', agents: ['coach'] });
    const onlyAna = await make({ name: 'ana', agents: ['coach'], users: ['ana'] });
    const set = (key: string, scope: string, value: string): Promise<Answered> =>
      server.call('PUT', `/v1/facts/home_city?${scope}`, { key, body: { value } });
    const city = async (scope: string): Promise<string | undefined> =>
      (await server.call('GET', `/v1/facts/home_city?${scope}`)).body?.value as string | undefined;

    expect((await set(coach, 'agent=coach&user=ana', 'Berlin')).status).toBe(200);
    expect(await city('agent=cook&user=ana')).toBe('Berlin');
    const { body } = await server.call('GET', '/v1/facts?agent=coach&user=ana', { key: coach });
    expect(JSON.stringify(body)).toContain('Berlin');
    // Agents and users that the key may not name, and all users together, are refused.
    expect((await set(coach, 'agent=cook&user=ana', 'Graz')).status).toBe(403);
    expect((await set(onlyAna, 'agent=coach&user=bob', 'Graz')).status).toBe(403);
    // By its id, the memory belongs to the user with every agent, which is outside the scope of the key.
    const [fact] = (await server.call('GET', '/v1/memories?user=ana')).body.items as { id: string }[];
    expect((await server.call('DELETE', `/v1/memories/${fact?.id}?agent=coach&user=ana`, { key: coach })).status).toBe(
      403,
    );
    expect(await city('agent=cook&user=ana')).toBe('Berlin');
    expect(
      (await server.call('DELETE', '/v1/facts/home_city?agent=coach&user=ana', { key: coach })).status,
    ).toBeLessThan(300);
    expect(await city('agent=cook&user=ana')).toBeUndefined();
    await server.stop();
    await place.remove();
  });
});
