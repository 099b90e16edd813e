import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { DAY, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { answering, item, liveStatements, ONLY_FORMATION, openForming, promptsOf, reading } from './form-model.ts';
import { from, json } from './protocol-replies.ts';
import { startProtocolServer, type ProtocolServer } from './protocol-server.ts';

// When the statements of a model begin, are under way, are over and expire. The tests begin on 15 November 2026.

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`the times of statements on ${database.name}`, () => {
    let varve: Varve;
    let clock: ManualClock;
    let server: ProtocolServer;
    let handle: Handle;
    let drop: () => Promise<void>;

    beforeEach(async () => {
      server = await startProtocolServer();
      const created = await database.create();
      ({ drop } = created);
      ({ varve, clock } = await openForming(created.options, {
        server,
        formation: { writes: 'deferred', reflections: false, summaries: false },
        consolidation: { ...ONLY_FORMATION, decay: { enabled: true } },
      }));
      // The schedules count from this time.
      await varve.drain();
      handle = varve.for({ user: 'ana', session: 's' });
    });
    afterEach(async () => {
      await varve.close();
      await server.close();
      await drop();
    });

    type Answered = Partial<Parameters<typeof item>[0]>[];
    /**
     * Sends a sentence of the user that a model reads as these statements. A function sees the prompt. Returns the memories that were added.
     */
    const say = async (
      content: string,
      statements: Answered | (() => Answered),
      ends: object[] = [],
    ): Promise<Memory[]> => {
      clock.advance(MINUTE);
      await handle.observe({ content });
      const read = from(() => {
        const answered = typeof statements === 'function' ? statements() : statements;
        const items = answered.map((fields) => item({ text: content, turn: 1, quote: content, ...fields }));
        return json(reading({ statements: items, ends }));
      });
      server.otherwise({ chat: answering({ read }) });
      const { added, refused } = await handle.form();
      expect(refused).toEqual([]);
      const memories = await Promise.all(added.map((id) => handle.memories.get(id)));
      return memories.filter((memory) => memory !== null);
    };
    const wait = async (days: number): Promise<void> => {
      for (let passed = 0; passed < days; passed += 7) {
        clock.advance(Math.min(7, days - passed) * DAY);
        await varve.drain();
      }
    };
    const now = async (memory: Memory | undefined): Promise<Memory | null> => handle.memories.get(memory?.id ?? '');
    /** The known statements in the last prompt of the model. */
    const shown = (): string => /Known:\n([\s\S]*?)\n\n/.exec(promptsOf(server).at(-1) ?? '')?.[1] ?? '';

    /** The number of a known statement in the last prompt. */
    const numberOf = (words: string): number =>
      Number.parseInt(
        shown()
          .split('\n')
          .find((line) => line.includes(words)) ?? '',
        10,
      );

    it('[Q9] [X1] a planned state begins on its day and ends on its last day, an event is history after its day', async () => {
      const [goats] = await say('Joris minds our goats from 1 to 20 December.', [
        { type: 'context', tense: 'planned', from: '2026-12-01', to: '2026-12-20' },
      ]);
      const [fair] = await say('The goat fair in Bergen is on 1 December.', [{ tense: 'planned', due: '2026-12-01' }]);
      await wait(20);
      expect(await now(goats)).toMatchObject({ tense: 'holds', archivedAt: null });
      expect(await now(fair)).toMatchObject({ tense: 'happened', archivedAt: null });
      await say('The goats got out.', []);
      expect(shown()).toContain('(began on 2026-12-01, until 2026-12-20) Joris minds our goats');
      expect(shown()).toContain('(was planned, its day has passed, due 2026-12-01) The goat fair');
      await wait(17);
      expect(await now(goats)).toMatchObject({ archiveReason: 'expired' });
      expect(await now(fair)).toMatchObject({ archivedAt: null });
    });

    it('[Q3] a day that the words exclude is not the day of a plan', async () => {
      const [plan] = await say('Paint days are the 4th and the 19th, but not this Sunday.', [
        { type: 'intention', tense: 'planned', due: '2026-12-19' },
      ]);
      expect(plan?.dueAt?.toISOString()).toContain('2026-12-19');
    });

    it('[X1] a statement with a stated end is shown as over, and not as a plan without an outcome', async () => {
      const [route] = await say('I ride line 7 to the depot.', [{ attribute: 'commute', value: 'line 7' }]);
      await say(
        'From 1 December I am on line 12 to the depot.',
        [],
        [{ known: [1], turn: 1, quote: 'From 1 December I am on line 12', on: '2026-12-01' }],
      );
      await wait(21);
      expect(await now(route)).toMatchObject({ archiveReason: 'expired' });
      await say('Line 7 to the depot was nicer.', []);
      expect(shown()).toContain('(was so until 2026-12-01) commute = line 7');
      expect(shown()).not.toContain('ran out');
    });

    it('[K18] an intention that has only a first day is not due on that day, and is kept for three months from that day on', async () => {
      const [search] = await say('From 1 March we look for a bigger boat shed.', [
        { type: 'intention', tense: 'planned', from: '2027-03-01' },
      ]);
      const [practice] = await say('I practise knots with you from 1 to 20 March.', [
        { type: 'intention', tense: 'planned', from: '2027-03-01', to: '2027-03-20' },
      ]);
      const [launch] = await say('The boat is launched on 1 March.', [
        { type: 'intention', tense: 'planned', due: '2027-03-01' },
      ]);
      await wait(112);
      await say('The boat shed leaks, and knots are hard.', []);
      expect(shown()).toContain('(planned, from 2027-03-01) From 1 March we look');
      expect(shown()).toContain('(planned, from 2027-03-01, until 2027-03-20) I practise knots');
      expect(shown()).toContain('(was planned, its day has passed, due 2027-03-01) The boat is launched');
      await wait(14);
      expect(await now(launch)).toMatchObject({ archiveReason: 'expired' });
      expect(await now(search)).toMatchObject({ archivedAt: null });
      await wait(28);
      expect(await now(practice)).toMatchObject({ archiveReason: 'expired' });
      expect(await now(search)).toMatchObject({ archivedAt: null });
      await wait(49);
      expect(await now(search)).toMatchObject({ archiveReason: 'expired' });
    });

    it('[K18] an intention without a day gets the day that is stated later', async () => {
      const [oven] = await say('I want to sell the oven.', [{ type: 'intention', tense: 'planned' }]);
      await say('I sell the oven to Wim on Monday.', [
        { type: 'intention', tense: 'planned', due: '2026-11-16', relation: 'extends', known: 1 },
      ]);
      expect(shown()).toContain('(planned) I want to sell');
      await say('The oven is clean.', []);
      expect(shown()).toContain('(planned, due 2026-11-16) I sell the oven to Wim');
      expect((await liveStatements(handle)).map(({ id }) => id)).toEqual([oven?.id]);
      await wait(28);
      expect(await now(oven)).toMatchObject({ archiveReason: 'expired' });
    });

    it('[K18] [X1] a plan whose words are taken over has all of the new times: beginning, end and due date', async () => {
      const trip = { attribute: 'travel_destination', value: 'Oslo', tense: 'planned' } as const;
      const [oslo] = await say('I am in Oslo from 4 to 8 March.', [{ ...trip, from: '2027-03-04', to: '2027-03-08' }]);
      await say('Oslo is from 20 to 24 March now.', [
        { ...trip, from: '2027-03-20', to: '2027-03-24', relation: 'extends', known: 1 },
      ]);
      expect(await now(oslo)).toMatchObject({ validFrom: new Date('2027-03-20'), validTo: new Date('2027-03-24') });
      // The end was not stated again, and is before the new beginning.
      await say('Oslo begins on 2 April.', [{ ...trip, from: '2027-04-02', relation: 'extends', known: 1 }]);
      expect(await now(oslo)).toMatchObject({ validFrom: new Date('2027-04-02'), validTo: null });

      const visit = { attribute: 'appointment', value: 'vet', type: 'intention', tense: 'planned' } as const;
      const [vet] = await say('Vet on 20 November.', [{ ...visit, from: '2026-11-20', due: '2026-11-20' }]);
      await say('The vet is on 27 November.', [{ ...visit, from: '2026-11-27', relation: 'repeats', known: 2 }]);
      expect(await now(vet)).toMatchObject({ dueAt: new Date('2026-11-27') });
    });

    it('[K18] [X1] a plan that is stated again under an attribute keeps its times, its importance and its tags', async () => {
      await say('The choir sings from 3 to 5 April.', [
        { tense: 'planned', from: '2027-04-03', to: '2027-04-05', importance: 0.9, tags: ['choir'] },
      ]);
      const hall = { attribute: 'concert_hall', value: 'Kiln Hall', tense: 'planned', relation: 'extends' } as const;
      const [concert] = await say('The choir sings in Kiln Hall.', [{ ...hall, importance: 0.5, known: 1 }]);
      expect(concert).toMatchObject({
        validFrom: new Date('2027-04-03'),
        validTo: new Date('2027-04-05'),
        importance: 0.9,
        tags: ['choir', 'concert_hall'],
      });

      const task = { type: 'intention', tense: 'planned' } as const;
      await say('I bring the kayak back on 18 November.', [{ ...task, due: '2026-11-18' }]);
      const to = { ...task, attribute: 'kayak_owner', value: 'Wim', relation: 'extends' } as const;
      const [kayak] = await say('I bring the kayak back to Wim.', [{ ...to, known: 2 }]);
      expect(kayak).toMatchObject({ dueAt: new Date('2026-11-18') });
      // The new words take precedence.
      const hour = { ...task, attribute: 'kayak_place', value: 'pier', relation: 'extends' } as const;
      await say('I sell the old oars.', [task]);
      const [moved] = await say('I sell the old oars at the pier on 21 November.', [
        { ...hour, due: '2026-11-21', known: 3 },
      ]);
      expect(moved).toMatchObject({ dueAt: new Date('2026-11-21') });
    });

    it('[X1] a state whose end is stated in a later turn ends on the stated day', async () => {
      const lease = { attribute: 'employer', value: 'Norsted' } as const;
      const [job] = await say('I work at Norsted.', [lease]);
      await say('I work at Norsted until 31 January 2027.', [
        { ...lease, to: '2027-01-31', relation: 'extends', known: 1 },
      ]);
      expect(await now(job)).toMatchObject({ archivedAt: null, validTo: new Date('2027-01-31') });
    });

    it('[Q3] a relative day such as “yesterday” does not replace the reader’s date if the turn also states another date', async () => {
      const line = 'Yesterday I signed with Norsted, I start there on 1 April.';
      const [job] = await say(line, [
        { attribute: 'employer', value: 'Norsted', tense: 'planned', from: '2027-04-01' },
      ]);
      expect(job).toMatchObject({ tense: 'planned', validFrom: new Date('2027-04-01') });
      const [trip] = await say('We met in Oslo yesterday.', [{ tense: 'happened', from: '2026-10-02' }]);
      expect(trip?.validFrom).toEqual(new Date('2026-11-14'));
    });

    it('[Q3] [X3] a relative day of something else is not the day of a plan, and the present value holds until that day', async () => {
      const [rent] = await say('My rent is 900.', [{ attribute: 'rent', value: '900' }]);
      // No rent and no post begins on the day on which the news came, whatever the tense that the reader gives.
      const begins = { from: '2027-02-01' };
      const [raised] = await say('The letter came this morning: 1050.', [
        { attribute: 'rent', value: '1050', tense: 'planned', ...begins },
      ]);
      const [post] = await say('They told me yesterday, I get the post of bosun.', [
        { attribute: 'job_title', value: 'bosun', ...begins },
      ]);
      for (const plan of [raised, post])
        expect(plan).toMatchObject({ tense: 'planned', validFrom: new Date('2027-02-01') });
      expect(await now(rent)).toMatchObject({ archivedAt: null });
      await say('The tram school begins on 8 March.', []);
      const [course] = await say('I ring the tram school tomorrow and say yes.', [
        { attribute: 'course', value: 'tram school', tense: 'planned', from: '2027-03-08' },
      ]);
      expect(course).toMatchObject({ validFrom: new Date('2027-03-08') });
      // A date that no turn names is a mistake in counting.
      for (const [words, from, day] of [
        ['I see the oculist tomorrow.', '2026-11-19', '2026-11-16'],
        ['The chimney sweep comes next Friday.', '2026-11-30', '2026-11-20'],
      ] as const) {
        const [visit] = await say(words, [{ type: 'intention', tense: 'planned', due: from }]);
        expect(visit?.dueAt?.toISOString()).toContain(day);
      }
    });

    it('[K18] all goals and intentions that one statement reaches get their outcomes, in any order, although the statement is a plan', async () => {
      for (const [place, order] of [
        ['Odda', ['wants a boat', 'sees the', 'has a hired']],
        ['Voss', ['sees the', 'has a hired', 'wants a boat']],
        ['Bodø', ['sees the', 'wants a boat', 'has a hired']],
      ] as const) {
        handle = varve.for({ user: place, session: 's' });
        const due = new Date(clock.now() + 3 * DAY);
        const [boat, viewing, hired] = await say(`I want a boat of my own, and see the ${place} boat soon.`, [
          { type: 'goal', text: 'User wants a boat of their own.' },
          {
            type: 'intention',
            tense: 'planned',
            text: `User sees the ${place} boat.`,
            due: due.toISOString().slice(0, 10),
          },
          { attribute: 'boat', value: 'a hired boat', text: 'User has a hired boat.' },
        ]);
        await wait(10);
        const start = new Date(clock.now() + 40 * DAY).toISOString().slice(0, 10);
        await say(`The ${place} boat is mine, a boat of my own, I give the hired boat back.`, () => [
          {
            tense: 'planned',
            text: `User owns the ${place} boat.`,
            from: start,
            relation: 'reaches',
            known: order.map(numberOf),
          },
        ]);
        expect(await now(boat)).toMatchObject({ state: 'achieved' });
        expect(await now(viewing)).toMatchObject({ state: 'done', archiveReason: 'expired' });
        expect((await now(viewing))?.validTo?.toISOString()).toContain(due.toISOString().slice(0, 10));
        expect(await now(hired)).toMatchObject({ archivedAt: null, validTo: new Date(start) });
      }
    });

    it('[K18] [E5] a habit is not due on a day, and its end is its only date', async () => {
      const [rent, course, calls] = await say('I pay Solveig 300 a month and swim on Mondays for ten weeks.', [
        { type: 'intention', tense: 'habit', text: 'User pays Solveig 300 crowns a month.', from: '2026-12-01' },
        { tense: 'habit', text: 'User swims on Mondays.', attribute: 'sport', value: 'swimming', to: '2027-01-25' },
        { tense: 'habit', text: 'User pays on the first of a month.', to: '2026-11-20' },
      ]);
      expect(rent).toMatchObject({ type: 'fact', validFrom: null, validTo: null, dueAt: null });
      expect(course).toMatchObject({ validFrom: null, validTo: new Date('2027-01-25') });
      // A date within the week is the day of the next occurrence, and not an end.
      expect(calls).toMatchObject({ validTo: null });
      await wait(77);
      expect(await now(course)).toMatchObject({ archiveReason: 'expired' });
      expect((await liveStatements(handle)).map(({ id }) => id)).toEqual([rent?.id, calls?.id]);
    });

    it('[K18] [Q9] an intention that is done is archived immediately, and a reached goal at the next maintenance', async () => {
      const [parcel, licence] = await say('I want to post the parcel and get the boat licence.', [
        { type: 'intention', tense: 'planned', text: 'User wants to post the parcel to Odda.' },
        { type: 'goal', tense: 'planned', text: 'User wants to get the boat licence.' },
      ]);
      await say('Posted the parcel, and I have the licence!', [
        { text: 'User posted the parcel to Odda.', tense: 'happened', relation: 'reaches', known: 1 },
        { text: 'User has the boat licence.', relation: 'reaches', known: 2 },
      ]);
      expect(await now(parcel)).toMatchObject({ state: 'done', archiveReason: 'expired' });
      expect(await now(licence)).toMatchObject({ state: 'achieved', archivedAt: null });
      clock.advance(DAY / 2);
      await varve.drain();
      expect(await now(licence)).toMatchObject({ state: 'achieved', archiveReason: 'expired' });
      await say('The parcel to Odda arrived, and the boat licence is framed.', []);
      expect(shown()).not.toContain('wants to');
    });

    it('[Q3] [K20] a state that is over is stored as a denial of its value, because an affirmed value would stay a fact (prompt 7)', async () => {
      const asthma = { attribute: 'medical_condition', value: 'asthma' };
      await say('I have asthma.', [asthma]);
      expect((await handle.facts.list()).map(({ value }) => value)).toContain('asthma');
      const [free] = await say('The clinic says the asthma is gone.', [
        { ...asthma, text: 'User has no asthma any more.', denied: true, relation: 'replaces', known: 1 },
      ]);
      expect(promptsOf(server, 'system').at(-1)).toContain('or no longer so');
      expect((await liveStatements(handle)).map(({ id }) => id)).toEqual([free?.id]);
      expect((await handle.facts.list()).map(({ value }) => value)).not.toContain('asthma');
    });

    it('[X1] a statement that a plan replaces holds until the day of the plan, also under another attribute', async () => {
      const [budget] = await say('I have 1450 at most for rent.', [
        { text: 'User can pay 1450 rent at most for the new flat.', attribute: 'budget', value: '1450' },
      ]);
      await say('Found one for 1500, from 1 December.', [
        {
          text: 'User pays 1500 rent from 1 December.',
          attribute: 'rent',
          value: '1500',
          tense: 'planned',
          from: '2026-12-01',
          relation: 'replaces',
          known: 1,
        },
      ]);
      expect(await now(budget)).toMatchObject({ archivedAt: null });
      await wait(21);
      expect(await now(budget)).toMatchObject({ archiveReason: 'superseded' });
    });

    it('[X1] a plan that is postponed replaces the old statement on the new day, and an abandoned plan replaces nothing', async () => {
      const [shop] = await say('I work at Hale.', [
        { text: 'User works at Hale.', attribute: 'employer', value: 'Hale' },
      ]);
      const plan = { attribute: 'market_stall', value: 'stall', tense: 'planned', from: '2026-12-01' } as const;
      const replaced = { ...plan, relation: 'replaces', known: 1 } as const;
      const [stall] = await say('From 1 December I run a stall, no longer Hale.', [replaced]);
      await say('The stall has to wait.', []);
      const known = Number(/^(\d+)\. .*run a stall/m.exec(shown())?.[1]);
      await say('The stall opens on 20 December.', [{ ...plan, from: '2026-12-20', relation: 'extends', known }]);
      expect(await now(stall)).toMatchObject({ validFrom: new Date('2026-12-20') });
      await wait(21);
      expect(await now(shop)).toMatchObject({ archivedAt: null });
      await wait(21);
      expect(await now(shop)).toMatchObject({ archiveReason: 'superseded' });

      const [flat] = await say('I have 900 at most for rent.', [{ attribute: 'budget', value: '900' }]);
      await say('The flat is small.', []);
      const budget = Number(/^(\d+)\. .*900/m.exec(shown())?.[1]);
      const [van] = await say('From 1 March we live in a van, no rent.', [
        { ...replaced, attribute: 'van', value: 'van', from: '2027-03-01', known: budget },
      ]);
      await handle.memories.archive(van?.id ?? '', 'expired');
      await wait(63);
      expect(await now(flat)).toMatchObject({ archivedAt: null });
    });

    it('[Q9] a past event does not expire, whatever its type', async () => {
      const [letter] = await say('I wrote to the town in March 2025 and never got an answer.', [
        { text: 'User wrote to the town in March 2025.', type: 'context', tense: 'happened', from: '2025-03-01' },
      ]);
      await wait(200);
      expect(await now(letter)).toMatchObject({ archivedAt: null });
    });

    it('a model’s name for an attribute is resolved to a known attribute only if the value fits', async () => {
      const [crowd, city] = await say('Three women, one toilet: that is home. Home is Linz.', [
        { text: 'Home is three women and one toilet.', attribute: 'home', value: 'Three women, one toilet' },
        { text: 'Home is Linz.', attribute: 'home', value: 'Linz' },
      ]);
      expect(crowd?.attribute).toBe('home');
      expect(city?.attribute).toBe('home_city');
    });

    it('[X3] the consequences of a stated change count as stated and not as inferred, because an inference replaces no statement (prompt 7)', async () => {
      await say('The hip is done on 1 December, then I am at home for a month.', [
        { text: 'User is at home for a month after the hip operation of 1 December 2026.', type: 'context' },
      ]);
      const moved = {
        text: 'User is at home for a month after the hip operation of 15 December 2026.',
        type: 'context',
        turn: 1,
        quote: 'The hip is put off to 15 December',
        relation: 'replaces',
        known: 1,
      } as const;
      await handle.observe({ content: 'The hip is put off to 15 December.' });
      server.otherwise({ chat: answering({ read: reading({ statements: [item({ ...moved, inferred: true })] }) }) });
      expect((await handle.form()).refused).toMatchObject([{ reason: 'outranked' }]);
      expect(promptsOf(server, 'system').at(-1)).toContain('is said, not inferred');
      await say('As I say, the hip is put off to 15 December.', [
        { ...moved, quote: 'the hip is put off to 15 December' },
      ]);
      expect((await liveStatements(handle)).map(({ content }) => content)).toEqual([moved.text]);
    });
  });
}

describe('the times of statements that the local reader forms', () => {
  it.each([
    ['Remember that I lead the bell ringers from 1 December.', 'holds'],
    ['Remember that my nephew starts school on 1 December.', 'happened'],
    ['Remember that our wedding anniversary is on 1 December.', 'habit'],
  ])('[Q9] a state begins and an event is history, and both are kept: %s', async (userMessage, tense) => {
    const clock = manualClock(Date.parse('2026-11-15T09:00:00Z'));
    const varve = await createVarve({ store: ':memory:', background: false, clock });
    await varve.drain();
    const handle = varve.for({ user: 'ana', session: 's' });
    await handle.logInteraction({ userMessage, agentResponse: 'Noted.' });
    for (let week = 0; week < 6; week += 1) {
      clock.advance(7 * DAY);
      await varve.drain();
    }
    expect(await liveStatements(handle)).toMatchObject([{ tense, archivedAt: null }]);
    await varve.close();
  });
});

describe('a day without a year in a sentence of its own, without a model', () => {
  it.each([
    ['Meine Schwester hat die Prüfung bestanden! sie fährt Donnerstag los', '2026-11-19'],
    ['Mi hermana aprobó el examen! empieza a trabajar el jueves', '2026-11-19'],
    ['Ma sœur a réussi son examen! elle part en Italie jeudi', '2026-11-19'],
  ])('lies ahead although the sentence before it is about the past: %s', async (userMessage, day) => {
    const clock = manualClock(Date.parse('2026-11-15T09:00:00Z'));
    const varve = await createVarve({ store: ':memory:', background: false, clock });
    const handle = varve.for({ user: 'ana', session: 's' });
    await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
    await varve.drain();
    const [memory] = (await handle.memories.list()).items;
    expect(memory).toMatchObject({ tense: 'planned', validFrom: new Date(`${day}T00:00:00Z`) });
    await varve.close();
  });
});
