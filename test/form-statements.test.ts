import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { DAY, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory, NewMemory } from '../src/record/memory.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import {
  answering,
  item,
  liveStatements,
  ONLY_FORMATION,
  openForming,
  promptsOf,
  reading,
  tasksAsked,
  tell,
} from './form-model.ts';
import { text } from './protocol-replies.ts';
import { startProtocolServer, type ProtocolServer } from './protocol-server.ts';

// How the statements of a life are stored. Each finding of the first review (F3 …) is named in its test.

interface Ending {
  before: string[];
  after: string;
  fact: { attribute: string; value: string };
}

interface ModelAnswer {
  name: string;
  turns: { role: 'user' | 'assistant' | 'tool'; text: string }[];
  known: { text: string; about: string; attribute: string; value: string }[];
  answer: { statements: { text: string; type: string; relation: string | null }[] };
  expect: ('stored' | 'refused')[];
  why: string;
}

const talk = <Content>(name: string): Content =>
  JSON.parse(readFileSync(new URL(`talk/${name}.json`, import.meta.url), 'utf8')) as Content;
const { harmless, ending } = talk<{ harmless: Ending[]; ending: Ending[] }>('endings');
const modelAnswers = talk<ModelAnswer[]>('model-answers');

const ORIGINS = {
  user: { origin: 'user', kind: 'message' },
  assistant: { origin: 'agent', kind: 'message' },
  tool: { origin: 'tool', kind: 'tool_result' },
} as const;

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`statements without a model on ${database.name}`, () => {
    let varve: Varve;
    let clock: ManualClock;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const created = await database.create();
      ({ drop } = created);
      ({ varve, clock } = await openForming(created.options));
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it.each(harmless.map((ending, index) => [index + 1, ending.after, ending] as const))(
      'an everyday sentence retires nothing (F3): %i. %s',
      async (number, _, { before, after, fact }) => {
        const handle = varve.for({ user: `harmless${number}`, session: 's' });
        await tell({ varve, clock }, handle, before);
        const read = await liveStatements(handle);
        if (!read.some(({ attribute }) => attribute === fact.attribute)) {
          await handle.memories.create({
            type: fact.attribute === 'goal' ? 'goal' : 'fact',
            content: `${fact.attribute}: ${fact.value}`,
            ...fact,
          });
        }
        const known = new Set((await liveStatements(handle)).map(({ id }) => id));
        clock.advance(DAY);
        await tell({ varve, clock }, handle, [after]);
        await handle.session.close();
        await varve.drain();
        const { items } = await handle.memories.list({ archived: 'only' });
        expect(items.filter(({ id }) => known.has(id)).map(({ content }) => content)).toEqual([]);
        const goals = (await liveStatements(handle)).filter(({ type }) => type === 'goal');
        expect(goals.filter(({ state }) => state !== 'open')).toEqual([]);
      },
    );

    it('[X3] [Q4] a memory that is created with `contradicts` archives the memory that it names, and no other (F6)', async () => {
      const handle = varve.for({ user: 'contradicting', session: 's' });
      const create = async (content: string, contradicts: string | null = null): Promise<Memory> =>
        (await handle.memories.create({ type: 'preference', content, contradicts })).memory;
      const old = await create('Wants invoices on paper.');
      const other = await create('Wants invoices in Dutch.');
      const then = new Date(clock.now());
      clock.advance(DAY);
      const next = await create('Wants invoices by mail only.', old.id);
      expect(await handle.memories.get(old.id)).toMatchObject({
        archiveReason: 'contradicted',
        contradictedBy: next.id,
      });
      expect((await liveStatements(handle)).map(({ id }) => id)).toEqual([other.id, next.id]);
      expect((await handle.asOf(then).memories.list()).items.map(({ id }) => id)).toContain(old.id);
    });

    it('[K20] [Q5] talk from years ago has the dates of its own turns, and does not undo what is newer (F12)', async () => {
      const handle = varve.for({ user: 'imported', session: 'now' });
      await tell({ varve, clock }, handle, ['I work at Halden Foods.']);
      const old = varve.for({ user: 'imported', session: 'old' });
      await old.observe([
        { content: 'I work at Brix Marine.', occurredAt: '2024-03-05T09:00:00Z' },
        { content: 'I see.', origin: 'agent', occurredAt: '2024-03-05T09:00:10Z' },
        { content: "I'm allergic to walnuts.", occurredAt: '2024-03-05T09:01:00Z' },
      ]);
      await varve.drain();
      await old.form();
      expect((await handle.facts.get('employer'))?.value).toBe('Halden Foods');
      expect((await handle.facts.get('allergy'))?.value).toBe('walnuts');
      const all = (await handle.memories.list({ archived: 'include' })).items;
      const brix = all.find(({ value }) => value === 'Brix Marine');
      expect(brix).toMatchObject({ statedAt: new Date('2024-03-05T09:00:00Z'), archiveReason: 'superseded' });
      expect(all.find(({ value }) => value === 'walnuts')?.statedAt).toEqual(new Date('2024-03-05T09:01:00Z'));
    });
  });

  describe.skipIf(database.skip !== null)(`statements of a model on ${database.name}`, () => {
    let server: ProtocolServer;
    let options: StoreOptions;
    let drop: () => Promise<void>;
    let varve: Varve;
    let clock: ManualClock;
    let user = 0;
    const fresh = (): Handle => varve.for({ user: `user${(user += 1)}`, session: 's' });
    const answer = (lists: Parameters<typeof reading>[0]): void =>
      server.otherwise({ chat: answering({ read: reading(lists) }) });
    const know = async (handle: Handle, memory: Partial<NewMemory> & { content: string }): Promise<Memory> =>
      (await handle.memories.create({ type: 'fact', ...memory })).memory;
    const open = async (more: Parameters<typeof openForming>[1] = {}): Promise<void> => {
      ({ options, drop } = await database.create());
      const formation = { writes: 'deferred', reflections: false, summaries: false, ...more?.formation } as const;
      ({ varve, clock } = await openForming(options, { server, ...more, formation }));
    };

    beforeEach(async () => {
      server = await startProtocolServer();
      server.otherwise({ chat: answering({}) });
    });
    afterEach(async () => {
      await varve.close();
      await server.close();
      await drop();
    });

    it(
      '[Q3] a right answer is stored and a wrong one refused, whatever its wording (F7, F8)',
      { timeout: 120_000 },
      async () => {
        await open();
        const outcomes: string[] = [];
        const expected: string[] = [];
        for (const { name, turns, known, answer: given, expect: wanted } of modelAnswers) {
          const handle = fresh();
          for (const { text, about, attribute, value } of known) {
            const type = attribute === 'goal' ? 'goal' : 'fact';
            await know(handle, { type, content: text, subject: about, attribute, value });
            clock.advance(MINUTE);
          }
          await handle.observe(turns.map(({ role, text }) => ({ content: text, ...ORIGINS[role] })));
          answer({ statements: given.statements });
          const { refused, run } = await handle.form();
          expect({ name, run }).not.toEqual({ name, run: null });
          const stored = new Set(
            (await handle.memories.list({ archived: 'include' })).items.map(({ content }) => content),
          );
          given.statements.forEach(({ text }, index) => {
            const reasons = refused.filter((refusal) => refusal.text === text).map(({ reason }) => reason);
            const isStored = stored.has(text) && reasons.length === 0;
            outcomes.push(`${name} ${index + 1}: ${isStored ? 'stored' : 'refused'}`);
            expected.push(`${name} ${index + 1}: ${wanted[index]}`);
          });
          // The refused statements have changed nothing that was known.
          if (wanted.every((outcome) => outcome === 'refused')) {
            outcomes.push(`${name}: ${(await liveStatements(handle)).map(({ content }) => content).join(' / ')}`);
            expected.push(`${name}: ${known.map(({ text }) => text).join(' / ')}`);
          }
        }
        expect(outcomes).toEqual(expected);
      },
    );

    it(
      '[Q9] [X1] a statement that the reader calls over is ended with the quoted words, and kept (F5)',
      { timeout: 120_000 },
      async () => {
        await open();
        const left: string[] = [];
        for (const { after, fact } of ending) {
          const handle = fresh();
          const content = `${fact.attribute}: ${fact.value}`;
          // Statements of the application end only with words about them (form-lying-model.test.ts).
          const known = await know(handle, { content, ...fact, sourceType: 'conversation' });
          clock.advance(DAY);
          await handle.observe([{ content: after }]);
          answer({ ends: [{ known: 1, turn: 1, quote: after.slice(0, 200) }] });
          await handle.form();
          const now = await handle.memories.get(known.id);
          const isEnded = now?.archiveReason === 'contradicted' && now.quotes.length === 1 && now.validTo !== null;
          if (!isEnded) left.push(after);
        }
        expect(ending).toHaveLength(25);
        expect(left).toEqual([]);
      },
    );

    it('[E5] a business partner beside a partner, a step-sister beside a sister: nothing is replaced (F4)', async () => {
      await open();
      const handle = fresh();
      await know(handle, { content: 'User is married to Ines.', attribute: 'partner_name', value: 'Ines' });
      await know(handle, {
        content: "User's sister lives in Porto.",
        subject: "User's sister",
        attribute: 'home_city',
        value: 'Porto',
      });
      await handle.observe({
        content: 'My business partner Joost signs the lease. My step-sister lives in Braga.',
      });
      answer({
        statements: [
          item({
            text: "User's business partner is Joost.",
            attribute: 'business_partner',
            value: 'Joost',
            turn: 1,
            quote: 'My business partner Joost',
          }),
          item({
            text: "User's step-sister lives in Braga.",
            about: "User's step-sister",
            attribute: 'home_city',
            value: 'Braga',
            turn: 1,
            quote: 'My step-sister lives in Braga',
          }),
        ],
      });
      expect(await handle.form()).toMatchObject({
        retired: [],
        refused: [],
        added: [expect.any(String), expect.any(String)],
      });
      expect(await liveStatements(handle)).toHaveLength(4);
    });

    const planned = {
      text: 'User starts working at Corvid Press on 11 January 2027.',
      attribute: 'employer',
      value: 'Corvid Press',
      tense: 'planned',
      turn: 1,
      quote: 'I start at Corvid Press on 11 January',
      from: '2027-01-11',
      relation: 'replaces',
      known: 1,
    } as const;

    it('[X3] a planned employer replaces nothing before its day, and takes its place then (F4)', async () => {
      await open();
      const handle = fresh();
      const old = await know(handle, {
        content: 'User works at Lund Cables.',
        attribute: 'employer',
        value: 'Lund Cables',
        permanent: true,
      });
      clock.advance(MINUTE);
      await handle.observe({ content: 'I start at Corvid Press on 11 January, finally!' });
      answer({ statements: [item(planned)] });
      const { added, retired } = await handle.form();
      expect(retired).toEqual([]);
      expect((await handle.facts.get('employer'))?.value).toBe('Lund Cables');
      clock.advance(Date.parse('2027-01-10T22:00:00Z') - clock.now());
      await varve.drain();
      expect((await handle.facts.get('employer'))?.value).toBe('Lund Cables');
      clock.advance(3 * 60 * MINUTE);
      await varve.drain();
      expect(await handle.facts.get('employer')).toMatchObject({ id: added[0], value: 'Corvid Press' });
      expect(await handle.memories.get(added[0] ?? '')).toMatchObject({ tense: 'holds', permanent: true });
      expect(await handle.memories.get(old.id)).toMatchObject({
        archiveReason: 'superseded',
        contradictedBy: added[0],
        validTo: new Date('2027-01-11T00:00:00Z'),
      });
    });

    it('[X3] a plan that is only inferred does not take effect against a statement of the user (F4)', async () => {
      await open();
      const handle = fresh();
      await handle.facts.set({ key: 'employer', value: 'Lund Cables' });
      clock.advance(MINUTE);
      await handle.observe({ content: 'I start at Corvid Press on 11 January, finally!' });
      answer({ statements: [item({ ...planned, inferred: true, relation: null, known: null })] });
      const { added } = await handle.form();
      expect(added).toHaveLength(1);
      clock.advance(Date.parse('2027-01-12T00:00:00Z') - clock.now());
      await varve.drain();
      expect((await handle.facts.list()).map(({ value }) => value)).toEqual(['Lund Cables']);
      expect(await handle.memories.get(added[0] ?? '')).toMatchObject({ tense: 'planned' });
    });

    it('[X3] a plan that was called off before its day does not take effect (F4)', async () => {
      await open();
      const handle = fresh();
      await know(handle, {
        content: 'User works at Lund Cables.',
        attribute: 'employer',
        value: 'Lund Cables',
        permanent: true,
      });
      clock.advance(MINUTE);
      await handle.observe({ content: 'I start at Corvid Press on 11 January, finally!' });
      answer({ statements: [item({ ...planned, relation: null, known: null })] });
      await handle.form();
      clock.advance(DAY);
      await handle.observe({ content: 'Corvid Press called it off. I stay where I am.' });
      answer({ ends: [{ known: 2, turn: 1, quote: 'Corvid Press called it off' }] });
      expect((await handle.form()).retired).toHaveLength(1);
      clock.advance(100 * DAY);
      await varve.drain();
      expect((await handle.facts.get('employer'))?.value).toBe('Lund Cables');
    });

    it('[K18] a goal that is reached before its day does not affect other statements', async () => {
      await open({ consolidation: ONLY_FORMATION });
      const handle = fresh();
      await handle.observe({ content: 'I need the lorry licence by 17 December.' });
      const planned = { type: 'goal', tense: 'planned', attribute: 'goal', value: 'lorry licence' } as const;
      answer({
        statements: [
          item({
            ...planned,
            text: 'User needs the lorry licence by 17 December.',
            turn: 1,
            quote: 'I need the lorry licence by 17 December',
            from: '2026-12-17',
            due: '2026-12-17',
          }),
        ],
      });
      const [goal = ''] = (await handle.form()).added;
      clock.advance(DAY);
      await handle.observe({ content: 'Took the test again and passed! My instructor was Odile.' });
      answer({
        statements: [
          item({
            text: 'User passed the test for the lorry licence.',
            turn: 1,
            quote: 'Took the test again and passed',
            relation: 'reaches',
            known: 1,
          }),
          item({ text: "User's instructor was Odile.", turn: 1, quote: 'My instructor was Odile' }),
        ],
      });
      const { goalsReached, added } = await handle.form();
      expect(goalsReached).toEqual([goal]);
      expect(added).toHaveLength(2);
      const said = new Date(clock.now());
      expect(await handle.memories.get(goal)).toMatchObject({ state: 'achieved', validFrom: said, validTo: said });
    });

    it('[K18] [X1] the outcome of an intention that expired weeks ago is returned under the intention’s own number', async () => {
      await open({ consolidation: { ...ONLY_FORMATION, decay: { enabled: true } } });
      const handle = fresh();
      await handle.observe({ content: 'I have the interview at Brightline on 24 November.' });
      clock.advance(MINUTE);
      await handle.observe({ content: 'And I want to have my winter tyres put on.' });
      const intention = { type: 'intention', tense: 'planned' } as const;
      answer({
        statements: [
          item({
            ...intention,
            text: 'User has an interview at Brightline on 24 November 2026.',
            attribute: 'appointment',
            value: 'interview at Brightline',
            turn: 1,
            quote: 'I have the interview at Brightline on 24 November',
            due: '2026-11-24',
          }),
          item({
            ...intention,
            text: 'User wants to have the winter tyres put on.',
            turn: 2,
            quote: 'I want to have my winter tyres put on',
          }),
        ],
      });
      const [interview = ''] = (await handle.form()).added;
      for (let week = 0; week < 6; week += 1) {
        clock.advance(7 * DAY);
        await varve.drain();
      }
      expect(await handle.memories.get(interview)).toMatchObject({ archiveReason: 'expired', validTo: null });

      await handle.observe({ content: 'Brightline called, I got the job!' });
      answer({
        statements: [
          item({
            text: 'User got the job at Brightline.',
            attribute: 'job_offer',
            value: 'Brightline',
            turn: 1,
            quote: 'Brightline called, I got the job',
            relation: 'reaches',
            known: 1,
          }),
        ],
      });
      const { goalsReached } = await handle.form();
      expect(promptsOf(server).at(-1)).toMatch(/1\. \[[\d-]+\] \(ran out on [\d-]+, outcome unknown, due 2026-11-24\)/);
      expect(goalsReached).toEqual([interview]);
      const validTo = new Date('2026-11-24');
      expect(await handle.memories.get(interview)).toMatchObject({ state: 'done', validTo });

      // An intention with an outcome is not shown again. An intention without a day is kept for three months, and its outcome is asked for
      // in the three months after that.
      for (const [days, known] of [
        [1, []],
        [100, ['tyres']],
        [101, []],
      ] as const) {
        clock.advance(days * DAY);
        await varve.drain();
        await handle.observe({ content: `Brightline has a new canteen, I was there for ${days} days.` });
        answer({});
        await handle.form();
        if (days === 1)
          expect(promptsOf(server).at(-1)).toMatch(/^\d+\. \[2026-11-15\] \(planned\) User wants .* winter tyres/m);
        const lines =
          promptsOf(server)
            .at(-1)
            ?.match(/^.*ran out on.*$/gm) ?? [];
        expect(lines).toEqual(known.map((word) => expect.stringContaining(word) as string));
      }
    });

    it('[X1] one sentence ends several known statements, immediately or on a future day', async () => {
      await open({ consolidation: { ...ONLY_FORMATION, decay: { enabled: true } } });
      const handle = fresh();
      const known: Memory[] = [];
      for (const [attribute, value, content] of [
        ['employer', 'Lund Cables', 'User works at Lund Cables.'],
        ['working_hours', '6 to 14', 'User works from 6 to 14.'],
        ['commute', 'tram 4', 'User takes tram 4 to work.'],
        ['hobby', 'choir', 'User sings in a choir.'],
      ] as const) {
        known.push(await know(handle, { content, attribute, value }));
        clock.advance(MINUTE);
      }
      const [choir] = known.splice(3);
      await handle.observe({
        content: 'I hand in my notice, my last day at Lund is 30 November. And no choir any more.',
      });
      answer({
        ends: [
          { known: [1, 2, 3], turn: 1, quote: 'my last day at Lund is 30 November', on: '2026-12-01' },
          { known: 4, turn: 1, quote: 'no choir any more', on: null },
        ],
      });
      expect((await handle.form()).retired).toEqual([choir?.id]);
      const end = new Date('2026-12-01T00:00:00Z');
      for (const { id } of known)
        expect(await handle.memories.get(id)).toMatchObject({ archivedAt: null, validTo: end, quotes: [{}] });
      for (let week = 0; week < 4; week += 1) {
        clock.advance(7 * DAY);
        await varve.drain();
      }
      for (const { id } of known)
        expect(await handle.memories.get(id)).toMatchObject({ archiveReason: 'expired', validTo: end });
    });

    it('[T6] [X4] a statement that repeats the words of the statement that it replaces cites the turns of both', async () => {
      await open();
      const handle = fresh();
      await handle.observe({ content: 'New joiner started: Noor Haddad, 34, from Tyre, used to build boats.' });
      const text = 'Noor Haddad, 34, from Tyre, who used to build boats, is a temporary joiner at User’s workshop.';
      const noor = { about: "User's colleague Noor Haddad", attribute: 'colleague', value: 'Noor Haddad', turn: 1 };
      answer({ statements: [item({ ...noor, text, quote: 'New joiner started: Noor Haddad, 34' })] });
      await handle.form();
      clock.advance(DAY);
      const { events } = await handle.observe({ content: 'Noor is permanent from today!' });
      answer({
        statements: [
          item({
            ...noor,
            text: text.replace('a temporary', 'since today a permanent'),
            quote: 'Noor is permanent from today',
            relation: 'replaces',
            known: 1,
          }),
        ],
      });
      const { added, refused } = await handle.form();
      expect(refused).toEqual([]);
      const memory = await handle.memories.get(added[0] ?? '');
      expect(memory?.sourceEvents).toHaveLength(2);
      expect(memory?.sourceEvents).toContain(events[0]?.id);
      expect(memory?.quotes.map(({ event }) => event).sort()).toEqual(memory?.sourceEvents.toSorted());
    });

    it('[T6] a statement in the present tense about the past is continued in the past tense; the outcome of a plan cites only its own turns', async () => {
      await open();
      for (const [before, after, turns] of [
        [
          { tense: 'holds', text: 'User has led the village band for ten years.' },
          { tense: 'happened', text: 'User led the village band for ten years, until 2026.' },
          2,
        ],
        [
          { tense: 'planned', text: 'User pays Aunt Solveig 300 crowns a month from May 2027.' },
          { tense: 'holds', text: 'User pays Aunt Solveig 300 crowns a month from May 2027, in cash.' },
          1,
        ],
        [
          { tense: 'planned', text: 'User fetches the kayak in Odda in May 2027.', due: '2027-05-01' },
          { tense: 'happened', text: 'User fetched the kayak in Odda in May 2027, for 900 crowns.' },
          1,
        ],
      ] as const) {
        const handle = fresh();
        await handle.observe({ content: before.text.replace('User', 'I') });
        answer({ statements: [item({ ...before, turn: 1, quote: before.text.replace('User ', '') })] });
        const [old = ''] = (await handle.form()).added;
        clock.advance(DAY);
        await handle.observe({ content: after.text.replace('User', 'I') });
        const quote = after.text.replace('User ', '');
        answer({ statements: [item({ ...after, turn: 1, quote, relation: 'replaces', known: 1 })] });
        const [next = ''] = (await handle.form()).added;
        expect(await handle.memories.get(old)).toMatchObject({ archiveReason: 'superseded', contradictedBy: next });
        expect((await handle.memories.get(next))?.sourceEvents).toHaveLength(turns);
      }
    });

    it('[Q9] a trip is kept until its day, however unimportant and unread it is (F4)', async () => {
      await open({ consolidation: { ...ONLY_FORMATION, decay: { enabled: true } } });
      const handle = fresh();
      await handle.observe({ content: 'We take the night train to Narvik on 20 March.' });
      answer({
        statements: [
          item({
            type: 'context',
            text: 'User takes the night train to Narvik on 20 March 2027.',
            attribute: 'travel_destination',
            value: 'Narvik',
            tense: 'planned',
            turn: 1,
            quote: 'We take the night train to Narvik on 20 March',
            from: '2027-03-20',
            importance: 0.2,
          }),
        ],
      });
      const { added } = await handle.form();
      for (let week = 0; week < 17; week += 1) {
        clock.advance(7 * DAY);
        await varve.drain();
      }
      expect(new Date(clock.now()).toISOString()).toMatch(/^2027-03-14/);
      expect(await handle.memories.get(added[0] ?? '')).toMatchObject({ archivedAt: null, tense: 'planned' });
    });

    it('[E5] a habit has no date, and a weekday in it is not a day of the calendar (F2)', async () => {
      await open();
      const handle = fresh();
      await handle.observe({ content: 'I never take calls on Thursday, that is pottery.' });
      answer({
        statements: [
          item({
            type: 'preference',
            text: 'User never takes calls on Thursdays.',
            tense: 'habit',
            turn: 1,
            quote: 'I never take calls on Thursday',
            from: '2026-11-19',
            due: '2026-11-19',
          }),
        ],
      });
      await handle.form();
      expect(await liveStatements(handle)).toMatchObject([
        { tense: 'habit', validFrom: null, validTo: null, dueAt: null },
      ]);
    });

    it('[Q3] dates are counted from the turn’s own day, in imports and after outages (F12)', async () => {
      await open();
      const handle = fresh();
      await handle.observe({ content: 'I sold the sailing boat yesterday.', occurredAt: '2024-06-03T08:00:00Z' });
      const sold = {
        text: 'User sold the sailing boat on 2 June 2024.',
        tense: 'happened',
        turn: 1,
        quote: 'I sold the sailing boat yesterday',
      } as const;
      // The model counted from the day of the run.
      answer({ statements: [item({ ...sold, from: '2026-11-14' })] });
      await handle.form();
      expect(promptsOf(server)[0]).toContain('1. [2024-06-03 Mon] User: I sold the sailing boat yesterday.');
      const [memory] = await liveStatements(handle);
      expect(memory).toMatchObject({ statedAt: new Date('2024-06-03T08:00:00Z') });
      expect(memory?.validFrom?.toISOString()).toMatch(/^2024-06-02/);
    });

    it('[L6] [Q5] drafts of the local reader are provisional: the model’s reading takes their place in one transaction (F10)', async () => {
      await open({ formation: { writes: 'immediate' } });
      const handle = fresh();
      const city = await know(handle, {
        content: 'User lives in Trier.',
        attribute: 'home_city',
        value: 'Trier',
        permanent: true,
      });
      clock.advance(MINUTE);
      await tell({ varve, clock }, handle, ['I work at Halden Foods as a buyer.', 'I moved to Graz.']);
      const drafts = await liveStatements(handle);
      expect(drafts.map(({ reader }) => reader)).toContain('local');
      expect((await handle.facts.get('home_city'))?.value).toBe('Graz');
      const employer = await handle.facts.get('employer');
      // No exchange causes a call.
      expect(tasksAsked(server)).toEqual([]);

      answer({
        statements: [
          item({
            text: 'User is a buyer at Halden Foods.',
            attribute: 'employer',
            value: 'Halden Foods',
            turn: 1,
            quote: 'I work at Halden Foods as a buyer',
          }),
        ],
      });
      await handle.form();
      expect(tasksAsked(server)).toEqual(['read']);
      const [prompt = ''] = promptsOf(server);
      const known = prompt.slice(prompt.indexOf('Known:'), prompt.indexOf('Turns:'));
      // Drafts of these turns are not shown as known.
      expect(known).not.toMatch(/Halden|Graz/);
      // A statement that a draft has replaced is restored by the reading, so the model must see it to be able to end it.
      expect(known).toContain('User lives in Trier.');
      // The draft gives way to the model’s statement. A draft that the model does not confirm is removed, and the statement that it had
      // replaced is restored.
      expect(await handle.memories.get(employer?.id ?? '')).toMatchObject({ archiveReason: 'superseded' });
      const read = (await liveStatements(handle)).find(({ attribute }) => attribute === 'employer');
      expect(read).toMatchObject({
        content: 'User is a buyer at Halden Foods.',
        reader: expect.stringContaining('test-model') as string,
      });
      expect(await handle.facts.get('home_city')).toMatchObject({ id: city.id, value: 'Trier' });
      expect((await liveStatements(handle)).map(({ content }) => content).sort()).toEqual([
        'User is a buyer at Halden Foods.',
        'User lives in Trier.',
      ]);
      // A second formation finds nothing left to do.
      await handle.form();
      expect(tasksAsked(server)).toEqual(['read']);
    });

    it('the complete statements of an answer that is truncated twice are used, and the drafts of the local reader stay', async () => {
      await open({ formation: { writes: 'immediate' } });
      const handle = fresh();
      clock.advance(MINUTE);
      await tell({ varve, clock }, handle, ['I walk Otis, the beagle, every evening.', 'I moved to Graz.']);
      const walks = item({
        type: 'personal',
        text: 'User walks a beagle named Otis every evening.',
        turn: 1,
        quote: 'I walk Otis, the beagle, every evening',
      });
      const whole = JSON.stringify(
        reading({ statements: [walks, item({ text: 'User moved to Graz.', turn: 3, quote: 'I moved to Graz' })] }),
      );
      server.otherwise({ chat: text(whole.slice(0, whole.indexOf(' moved to Graz'))) });
      await handle.form();
      // The first truncated answer is requested again.
      expect(tasksAsked(server)).toEqual(['read', 'read']);
      const live = (await liveStatements(handle)).map(({ content }) => content);
      expect(live).toContain('User walks a beagle named Otis every evening.');
      expect((await handle.facts.get('home_city'))?.value).toBe('Graz');
    });

    describe('[L6] a draft that the model does not confirm', () => {
      const draft = async (handle: Handle, ...lines: string[]): Promise<void> => {
        clock.advance(MINUTE);
        await tell({ varve, clock }, handle, lines);
        // A reading without any item would leave the permanent facts as they are.
        answer({ statements: [item({ text: 'User works.', turn: 1, quote: 'work' })] });
      };
      const employers = async (handle: Handle): Promise<string[]> => {
        await handle.form();
        return (await liveStatements(handle)).flatMap(({ value }) => value ?? []);
      };
      beforeEach(() => open({ formation: { writes: 'immediate' } }));

      it('restores nothing that was forgotten meanwhile', async () => {
        const handle = fresh();
        const old = await know(handle, { content: 'User works at Norsted.', attribute: 'employer', value: 'Norsted' });
        await draft(handle, 'I work at Halden Foods now.');
        await handle.memories.forget(old.id);
        expect(await employers(handle)).toEqual([]);
        expect(await handle.memories.get(old.id)).toMatchObject({ archiveReason: 'forgotten' });
      });

      it('restores nothing that has been replaced', async () => {
        const handle = fresh();
        await handle.facts.set({ key: 'employer', value: 'Norsted' });
        await draft(handle, 'I work at Halden Foods now.');
        await know(handle, { content: 'User works at Halden AG.', attribute: 'employer', value: 'Halden AG' });
        expect(await employers(handle)).toEqual(['Halden AG']);
      });

      it('restores what was known before the first of several drafts', async () => {
        const handle = fresh();
        await handle.facts.set({ key: 'employer', value: 'Norsted' });
        await draft(handle, 'I work at Halden Foods.', 'I work at Brill Brothers.');
        expect(await employers(handle)).toEqual(['Norsted']);
      });

      it('stays if the check refuses all statements of the model', async () => {
        const handle = fresh();
        await draft(handle, 'I work at Halden Foods.');
        const text = 'User is a millionaire.';
        answer({
          statements: [item({ text, turn: 1, quote: 'I' }), item({ text, turn: 1, quote: 'I own nine houses' })],
        });
        expect(await employers(handle)).toEqual(['Halden Foods']);
        const { items } = await handle.refusals.list();
        expect(items.map(({ reason }) => reason)).toEqual(['quote_not_found', 'quote_not_found']);
      });

      it('stays if it is a permanent fact or about health and the reading has no items at all, which is listed as a refusal', async () => {
        const handle = fresh();
        const facts = ['I live in Bremen.', 'My brother is allergic to peanuts.'];
        await draft(handle, ...facts, 'My friend Tom is a lawyer.', 'I hate coriander.');
        const drafts = await liveStatements(handle);
        expect(drafts).toHaveLength(4);
        answer({ statements: [] });
        const { retired, refused } = await handle.form();
        const kept = await liveStatements(handle);
        expect(kept.map(({ attribute, value }) => [attribute, value])).toEqual([
          ['home_city', 'Bremen'],
          ['allergy', 'peanuts'],
        ]);
        expect(retired).toEqual(drafts.filter(({ id }) => !kept.some((each) => each.id === id)).map(({ id }) => id));
        expect(refused.map(({ what, reason, text }) => [what, reason, text])).toEqual(
          kept.map(({ content }) => ['end', 'empty_reading', content]),
        );
      });

      it('is not written after the model has read its turn', async () => {
        const handle = fresh();
        await handle.observe({ content: 'In my play the hero says: I work at Halden Foods.' });
        await handle.observe({ content: 'I work at Brill Brothers.' });
        await handle.form();
        await varve.drain();
        expect(await liveStatements(handle)).toEqual([]);
        // Later messages are read immediately.
        await draft(handle, 'I live in Ghent.');
        expect((await liveStatements(handle)).map(({ value }) => value)).toEqual(['Ghent']);
      });

      it('stays if the application has set the same value', async () => {
        const handle = fresh();
        await handle.facts.set({ key: 'employer', value: 'Norsted' });
        await draft(handle, 'I work at Halden Foods.');
        await handle.facts.set({ key: 'employer', value: 'Halden Foods' });
        expect(await employers(handle)).toEqual(['Halden Foods']);
      });
    });

    it('[L6] while the model is down the drafts stay, and none is lost (F10)', async () => {
      await open({ formation: { writes: 'immediate' } });
      const handle = fresh();
      await tell({ varve, clock }, handle, ['I work at Halden Foods as a buyer.']);
      server.otherwise({ chat: (_, response) => void response.destroy() });
      await expect(handle.form()).rejects.toMatchObject({ code: 'model_unavailable' });
      expect((await handle.facts.get('employer'))?.value).toBe('Halden Foods');
    });

    it('[Q5] [X2] near-duplicates become one: same subject, attribute and value, or the same in other words (F13)', async () => {
      await open({ formation: { limits: { existing: 0 } } });
      const handle = fresh();
      const short = await know(handle, {
        type: 'preference',
        content: 'User prefers short meeting notes.',
        attribute: 'preference',
        value: 'short meeting notes',
        sourceType: 'conversation',
      });
      const tea = await know(handle, {
        type: 'preference',
        content: 'User likes strong black tea in the morning.',
        sourceType: 'conversation',
      });
      await handle.observe([
        { content: 'Short meeting notes, as always please.' },
        { content: 'I like strong black tea in the morning.' },
      ]);
      answer({
        statements: [
          item({
            type: 'feedback',
            text: 'Meeting notes that are short suit User best.',
            attribute: 'preference',
            value: 'Short meeting notes',
            turn: 1,
            quote: 'Short meeting notes, as always please',
          }),
          item({
            type: 'preference',
            text: 'In the morning User likes strong black tea.',
            turn: 2,
            quote: 'I like strong black tea in the morning',
          }),
        ],
      });
      const formed = await handle.form();
      expect(formed.added).toEqual([]);
      expect([...formed.confirmed, ...formed.updated].sort()).toEqual([short.id, tea.id].sort());
    });

    it('[Q4] the relation “extends” stores the whole statement, and keeps the earlier text as a version', async () => {
      await open();
      const handle = fresh();
      const known = await know(handle, {
        content: "User's mother had a hip operation.",
        subject: "User's mother",
        sourceType: 'conversation',
      });
      await handle.observe({ content: 'Mum can climb stairs again after the hip operation.' });
      answer({
        statements: [
          item({
            about: "User's mother",
            text: "User's mother had a hip operation and can climb stairs again.",
            turn: 1,
            quote: 'Mum can climb stairs again after the hip operation',
            relation: 'extends',
            known: 1,
          }),
        ],
      });
      expect((await handle.form()).updated).toEqual([known.id]);
      const now = await handle.memories.get(known.id);
      expect(now).toMatchObject({
        version: 2,
        content: "User's mother had a hip operation and can climb stairs again.",
      });
      expect(now?.quotes).toHaveLength(1);
      expect((await handle.memories.history(known.id))[1]?.before).toMatchObject({ content: known.content });
    });

    it('[L5] [X1] a type and an attribute of the application are formed, compared and forgotten (F18)', async () => {
      await open({
        memoryTypes: { catch: { description: 'A fish that the user landed.' } },
        attributes: { boat_name: { values: 'one', labels: { en: 'Boat name' }, synonyms: ['vessel'] } },
      });
      const handle = fresh();
      // Formation ignores an application’s own metadata, whatever its keys are called.
      const odd = await know(handle, {
        content: 'User has a berth in Ostend.',
        metadata: { slot: { attribute: 'home_city' }, distiller: 7, key: 'home_city' },
      });
      await handle.observe({
        content: 'We renamed her: the boat is called Little Margin. Landed a zander of 4 kilos.',
      });
      const boat = { text: "User's boat is called Little Margin.", attribute: 'vessel', value: 'Little Margin' };
      answer({
        statements: [
          item({ ...boat, turn: 1, quote: 'the boat is called Little Margin' }),
          item({
            type: 'catch',
            text: 'User landed a zander of 4 kilos.',
            tense: 'happened',
            turn: 1,
            quote: 'Landed a zander of 4 kilos',
          }),
        ],
      });
      await handle.form();
      const prompt = promptsOf(server)[0] ?? '';
      expect(prompt).toContain('catch (A fish that the user landed.)');
      expect(prompt).toContain('boat_name');
      expect((await liveStatements(handle)).map(({ type, attribute }) => [type, attribute])).toEqual([
        ['fact', null],
        ['fact', 'boat_name'],
        ['catch', null],
      ]);

      clock.advance(DAY);
      await handle.observe({ content: 'The boat is called Salt Biscuit now.' });
      answer({
        statements: [
          item({
            text: "User's boat is called Salt Biscuit.",
            attribute: 'boat_name',
            value: 'Salt Biscuit',
            turn: 1,
            quote: 'The boat is called Salt Biscuit now',
          }),
        ],
      });
      expect((await handle.form()).retired).toHaveLength(1);

      clock.advance(DAY);
      await handle.observe({ content: 'Forget the zander. And forget my boat name.' });
      answer({
        forgets: [
          { about: 'the zander', turn: 1, quote: 'Forget the zander', known: [] },
          { about: 'boat name', turn: 1, quote: 'forget my boat name', known: [] },
        ],
      });
      expect((await handle.form()).forgotten.length).toBeGreaterThanOrEqual(2);
      const left = await liveStatements(handle);
      expect(left.map(({ id, metadata }) => [id, metadata])).toContainEqual([odd.id, odd.metadata]);
    });
  });
}
