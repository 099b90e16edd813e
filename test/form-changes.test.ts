import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FormResult } from '../src/form/read/reader.ts';
import type { Handle } from '../src/handle/handle.ts';
import { sharedLocalEmbedder } from '../src/models/shared-embedder.ts';
import { DAY, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import {
  type Answers,
  answering,
  item,
  liveStatements,
  openForming,
  promptsOf,
  reading,
  START,
  type StatementAnswer,
} from './form-model.ts';
import { startProtocolServer, type ProtocolServer } from './protocol-server.ts';

// How formation handles answers of a model that state a change imprecisely: in part, under another name, under another number, without an
// end.

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`changes that a model reads on ${database.name}`, () => {
    let server: ProtocolServer;
    let varve: Varve;
    let clock: ManualClock;
    let drop: () => Promise<void>;
    let kim: Handle;
    let users = 0;
    beforeAll(async () => {
      server = await startProtocolServer();
      const created = await database.create();
      ({ drop } = created);
      ({ varve, clock } = await openForming(created.options, {
        server,
        formation: { writes: 'deferred', summaries: true, summary: { minimumInteractions: 1 } },
      }));
    });
    beforeEach(() => {
      clock.set(START);
      kim = varve.for({ agent: 'a', user: `kim${(users += 1)}`, session: 's' });
    });
    afterAll(async () => {
      await varve.close();
      await server.close();
      await drop();
    });

    /** Kim says a sentence, and the model returns these statements. */
    async function say(
      content: string,
      lists: Parameters<typeof reading>[0],
      { handle = kim, ...answers }: { handle?: Handle } & Answers = {},
    ): Promise<FormResult> {
      clock.advance(MINUTE);
      await handle.observe({ content });
      server.otherwise({ chat: answering({ read: reading(lists), ...answers }) });
      return handle.form();
    }
    const live = async (): Promise<string[]> => (await liveStatements(kim)).map(({ content }) => content);

    const salary = item({
      text: 'User earns 52k a year.',
      attribute: 'salary',
      value: '52k',
      turn: 1,
      quote: 'I earn 52k a year',
    });
    const phone = item({
      text: 'User’s phone number is 555 0123.',
      attribute: 'phone_number',
      value: '555 0123',
      turn: 1,
      quote: 'my number is 555 0123',
    });

    describe('a request to forget two things', () => {
      const request = 'Please forget my salary and my phone number.';
      const both = { about: 'salary and phone number', turn: 1, quote: request, known: [1, 2], taken_back: false };
      beforeEach(async () => {
        await say('I earn 52k a year, and my number is 555 0123.', { statements: [salary, phone] });
        await say('I also keep bees.', {
          statements: [item({ text: 'User keeps bees.', turn: 1, quote: 'I also keep bees' })],
        });
        await say(request, { forgets: [both] });
      });

      it('[X1] is obeyed', async () => {
        expect(await live()).toEqual(['User keeps bees.']);
      });

      const back = async (words: string, about: string, handle = kim): Promise<void> => {
        await say(
          `${words}.`,
          { forgets: [{ about, turn: 1, quote: words, known: [], taken_back: true }] },
          { handle },
        );
      };

      it.each([
        ['Actually, keep the phone number', 'phone number'],
        ['Actually, keep the phone number', 'the user’s phone number'],
        ['Hang on to 555 0123 after all', '555 0123'],
      ])('[X1] is withdrawn in part: "%s" (%s)', async (words, about) => {
        await back(words, about);
        expect(await live()).toEqual([phone.text, 'User keeps bees.']);
        expect(JSON.stringify(await kim.recall('How much does Kim earn?'))).not.toContain('52k');
      });

      it('[X1] is withdrawn in part in a later conversation', async () => {
        clock.advance(DAY);
        await back(
          'You may keep my phone number after all',
          'User’s phone number',
          varve.for({ ...kim.scope, session: 'later' }),
        );
        expect(await live()).toEqual([phone.text, 'User keeps bees.']);
      });

      it.each(['', 'it', 'both', 'salary and phone number', 'what was forgotten'])(
        '[X1] is withdrawn as a whole: "%s"',
        async (about) => {
          await back('On second thoughts, keep it', about);
          expect(await live()).toEqual([salary.text, phone.text, 'User keeps bees.']);
        },
      );
    });

    it('[X1] a request may name a known statement that the same reading replaces', async () => {
      const number = (value: string, fields: Partial<StatementAnswer>): StatementAnswer =>
        item({ ...phone, text: `User’s phone number is ${value}.`, value, quote: value, ...fields });
      await say('Call me on 555 0123.', { statements: [number('555 0123', {})] });
      clock.advance(DAY);
      await kim.observe({ content: 'Delete the old number.' });
      await say('It is 555 0777 these days.', {
        statements: [number('555 0777', { turn: 2, relation: 'replaces', known: 1 })],
        forgets: [{ about: 'the old number', turn: 1, quote: 'Delete the old number', known: [1], taken_back: false }],
      });
      expect(await live()).toEqual(['User’s phone number is 555 0777.']);
      expect((await kim.forgotten.list()).map(({ value }) => value)).toEqual(['555 0123']);
      const { items } = await kim.events.list({ order: 'oldest' });
      expect(items.map(({ content }) => content).join()).not.toContain('0123');
    });

    it(
      '[X1] a request may name a known statement that is older than the last thousand',
      { timeout: 60_000 },
      async () => {
        const { memory } = await kim.memories.create({ type: 'fact', content: 'User was once arrested in Tarvisio.' });
        clock.advance(MINUTE);
        for (let index = 0; index < 1000; index += 1)
          await kim.memories.create({ type: 'fact', content: `User filed invoice ${index} in folder ${index * 7}.` });
        const request = 'Forget the arrest in Tarvisio';
        clock.advance(MINUTE);
        await kim.observe({ content: `${request}.` });
        const forgets = (prompt: string): unknown[] => {
          const known = Number(/^(\d+)\. .*arrested/mu.exec(prompt)?.[1]);
          return [{ about: 'the arrest in Tarvisio', turn: 1, quote: request, known: [known], taken_back: false }];
        };
        server.otherwise({
          chat: (asked, response) =>
            answering({ read: reading({ forgets: forgets(asked.body.messages?.at(-1)?.content ?? '') }) })(
              asked,
              response,
            ),
        });
        await kim.form();
        expect(await kim.memories.get(memory.id)).toMatchObject({ archiveReason: 'forgotten' });
      },
    );

    it.each([
      ['employer', 'company'],
      ['employer', 'new_employer'],
      ['employer', 'company_name'],
      ['company', 'current_employer'],
      ['home_city', 'current_home_city'],
      ['car', 'new_car'],
      ['manager_name', 'new_manager_name'],
      ['employer', 'employer_name'],
    ])('[X3] one value is live if the model calls the attribute %s and later %s', async (before, after) => {
      await say('It is Alder for me.', {
        statements: [
          item({ text: 'User: it is Alder.', attribute: before, value: 'Alder', turn: 1, quote: 'It is Alder for me' }),
        ],
      });
      await say('It is Birch for me now.', {
        statements: [
          item({
            text: 'User: it is Birch.',
            attribute: after,
            value: 'Birch',
            turn: 1,
            quote: 'It is Birch for me now',
          }),
        ],
      });
      expect(await live()).toEqual(['User: it is Birch.']);
    });

    it('[K5] a name that the user denies is not the user’s', async () => {
      await say('I live in Ghent. My name isn’t Rik, that is my cousin.', {
        statements: [
          item({
            text: 'User lives in Ghent.',
            attribute: 'home_city',
            value: 'Ghent',
            turn: 1,
            quote: 'I live in Ghent',
          }),
          item({
            text: 'User is not called Rik.',
            attribute: 'name',
            value: 'Rik',
            denied: true,
            turn: 1,
            quote: 'My name isn’t Rik',
          }),
        ],
      });
      await say('Rik moved to Namur in spring.', {
        statements: [
          item({
            about: 'Rik',
            text: 'Rik lives in Namur.',
            attribute: 'home_city',
            value: 'Namur',
            turn: 1,
            quote: 'Rik moved to Namur',
          }),
        ],
      });
      expect(await live()).toEqual(['User lives in Ghent.', 'User is not called Rik.', 'Rik lives in Namur.']);
    });

    it('[X3] a known claim that was also made earlier changes which statements held at that earlier time', async () => {
      const claims = {
        none: { text: 'User has no allergies.', value: null, denied: true },
        not: { text: 'User is not allergic to lactose.', value: 'lactose', denied: true, inferred: true },
        lactose: { text: 'User is allergic to lactose.', value: 'lactose', inferred: true },
        nuts: { text: 'User is allergic to nuts.', value: 'nuts' },
      };
      const tell = async (name: keyof typeof claims, day: number): Promise<FormResult> => {
        const content = `On day ${day} it is like this: ${claims[name].text}`;
        await kim.observe({ content, occurredAt: new Date(START.getTime() - (10 - day) * DAY) });
        const statement = item({ attribute: 'allergy', turn: 1, quote: content, ...claims[name] });
        server.otherwise({ chat: answering({ read: reading({ statements: [statement] }) }) });
        return kim.form();
      };
      await tell('none', 1);
      await tell('not', 3);
      await tell('lactose', 4);
      await tell('nuts', 6);
      expect(await live()).toEqual([claims.not.text, claims.nuts.text]);
      // From day 2 on there was an allergy, so "no allergies" on day 3 did not exclude what was inferred on day 4.
      const { confirmed, retired } = await tell('nuts', 2);
      expect(new Set(await live())).toEqual(new Set([claims.lactose.text, claims.nuts.text]));
      const { items } = await kim.memories.list({ archived: 'only' });
      const not = items.find(({ content }) => content === claims.not.text);
      expect(retired).toEqual([not?.id]);
      expect(not).toMatchObject({ archiveReason: 'superseded', contradictedBy: confirmed[0] });
      const [lactose, nuts] = await liveStatements(kim).then((all) =>
        [claims.lactose, claims.nuts].map(({ text }) => all.find(({ content }) => content === text)),
      );
      expect(lactose).toMatchObject({ archivedAt: null, contradictedBy: null, validTo: null });
      expect(nuts).toMatchObject({ id: confirmed[0], statedAt: new Date(START.getTime() - 4 * DAY) });
      expect(nuts?.sourceEvents).toHaveLength(2);
    });

    describe('a date that is moved', () => {
      const dentist = (day: string, words: string, more: Partial<StatementAnswer> = {}): StatementAnswer =>
        item({
          type: 'intention',
          tense: 'planned',
          attribute: 'appointment',
          value: 'dentist',
          text: `User has a dentist appointment on ${words} November 2026.`,
          due: `2026-11-${day}`,
          turn: 1,
          quote: `The dentist is on ${words}`,
          ...more,
        });
      const dated = async (): Promise<unknown[]> =>
        (await liveStatements(kim)).map(({ content, dueAt }) => [content, dueAt?.toISOString().slice(0, 10)]);
      const moved = ['User has a dentist appointment on Friday 20 November 2026.', '2026-11-20'];

      it.each(['replaces', 'extends', 'repeats'] as const)(
        '[X3] leaves one intention with the new date if the model says that it %s the known one',
        async (relation) => {
          await say('The dentist is on Wednesday 18.', { statements: [dentist('18', 'Wednesday 18')] });
          await say('The dentist is on Friday 20.', {
            statements: [dentist('20', 'Friday 20', { relation, known: 1 })],
          });
          expect(await dated()).toEqual([moved]);
          // The date can also be moved to an earlier day.
          await say('The dentist is on Tuesday 17.', {
            statements: [dentist('17', 'Tuesday 17', { relation, known: 1 })],
          });
          expect(await dated()).toEqual([
            ['User has a dentist appointment on Tuesday 17 November 2026.', '2026-11-17'],
          ]);
        },
      );

      it.each([
        ['DELETE', 1],
        ['ADD', 2],
      ] as const)(
        '[E5] is decided by a question to the model if the model has named no relation: %s',
        async (action, count) => {
          await say('The dentist is on Wednesday 18.', { statements: [dentist('18', 'Wednesday 18')] });
          const decide = { decisions: [{ fact: 1, action, known: 1, text: null }] };
          await say('The dentist is on Friday 20.', { statements: [dentist('20', 'Friday 20')] }, { decide });
          expect(await dated()).toHaveLength(count);
          expect(await dated()).toContainEqual(moved);
        },
      );

      it('[X3] takes effect on the new day if it is a new state', async () => {
        await kim.memories.create({
          type: 'fact',
          content: 'User works at Bosch.',
          attribute: 'employer',
          value: 'Bosch',
        });
        const starts = (from: string, words: string): StatementAnswer =>
          item({
            text: `User starts at Corvid Press on ${words}.`,
            attribute: 'employer',
            value: 'Corvid Press',
            tense: 'planned',
            from,
            turn: 1,
            quote: `I start at Corvid Press on ${words}`,
          });
        await say('I start at Corvid Press on 23 November.', { statements: [starts('2026-11-23', '23 November')] });
        await say('I start at Corvid Press on 30 November.', { statements: [starts('2026-11-30', '30 November')] });
        const employers = async (): Promise<unknown[]> =>
          (await liveStatements(kim)).filter(({ tense }) => tense === 'holds').map(({ value }) => value);
        expect(await liveStatements(kim)).toHaveLength(2);
        clock.advance(10 * DAY);
        await varve.drain();
        expect(await employers()).toEqual(['Bosch']);
        clock.advance(7 * DAY);
        await varve.drain();
        expect(await employers()).toEqual(['Corvid Press']);
      });
    });

    it('[Q3] [X2] of 200 known statements the reader is shown those that the turns change', async () => {
      const changes: [known: string, turn: string][] = [
        ['User goes swimming on Tuesdays.', 'The pool is closed for good, I took up rowing instead.'],
        ['User takes the number 7 tram to work.', 'I cycle to the office since the line was shut.'],
        ['User drinks oat milk.', 'Back to cow’s milk for me.'],
        ['User’s dentist is Dr. Brandt.', 'We switched to Dr. Okafor for our teeth.'],
        ['User is learning Portuguese with an app.', 'I gave up the language course.'],
        ['User’s kitchen is painted yellow.', 'We repainted the kitchen in green.'],
        ['User rents a garage in Mill Lane.', 'The garage was sold, we park on the street now.'],
        ['User saves for a trip to Iceland.', 'The holiday in Iceland is off, we go to Wales.'],
        ['User’s laptop is a ThinkPad.', 'Finally got a MacBook, the old computer is gone.'],
        ['User plays the cello in an orchestra.', 'I left the orchestra, no time for rehearsals.'],
      ];
      const friends = 'Ana Bela Cem Dora Emil Fay Gus Hana Ivo Jule Kaan Lia Mia'.split(' ');
      const facts =
        'collects stamps|reads thrillers|works in a bank|has two cats|bakes bread|goes to bed early|likes jazz|wears glasses|keeps a diary|grows tomatoes|runs on Sundays|watches football|hates coriander|owns a van|teaches maths';
      const others = friends.flatMap((name) => facts.split('|').map((fact) => `User’s friend ${name} ${fact}.`));
      // The local embedder is needed: by words alone, nothing connects "the language course" with Portuguese.
      const created = await database.create();
      const { varve: meaning, clock: time } = await openForming(created.options, {
        server,
        embedder: sharedLocalEmbedder(),
        formation: { writes: 'deferred' },
      });
      const lia = meaning.for({ agent: 'a', user: 'lia', session: 's' });
      for (const [content] of changes) await lia.memories.create({ type: 'fact', content, importance: 0.3 });
      for (const content of others.slice(0, 200 - changes.length))
        await lia.memories.create({ type: 'fact', content, importance: 0.8 });
      await meaning.drain();
      const shownFor = async (turns: readonly string[]): Promise<string[]> => {
        time.advance(MINUTE);
        for (const content of turns) await lia.observe({ content });
        server.otherwise({ chat: answering({}) });
        await lia.form();
        const [prompt = ''] = promptsOf(server).at(-1)?.split('Turns:') ?? [];
        return changes.flatMap(([known]) => (prompt.includes(known) ? [known] : []));
      };
      for (const [known, turn] of changes) expect(await shownFor([turn])).toContain(known);
      // If the turns make ten changes, the prompt shows the known statements of all ten.
      expect(await shownFor(changes.map(([, turn]) => `${turn} Anyway.`))).toHaveLength(changes.length);
      await meaning.close();
      await created.drop();
    });

    it('[E2] each part of a topic has the day of the session that added it', async () => {
      for (const summary of ['Oak doors were chosen.', 'The joiner fell ill.', 'Hinges came too short.']) {
        await say(summary, { topics: [{ topic: 'Cupboard', summary }] });
        clock.advance(60 * DAY);
      }
      const { items } = await kim.memories.list({ types: ['summary'] });
      expect(items.map(({ content }) => content)).toEqual([
        'Oak doors were chosen. (as of 2026-11-15)\nThe joiner fell ill. (as of 2027-01-14)\nHinges came too short.',
      ]);
    });

    it('[E2] a repeated line of a topic is stored once, and its day is noted in its own language', async () => {
      const oak = 'Die Türen sind aus Eiche.';
      for (const summary of [
        oak,
        'Der Schreiner Lindner kommt erst nach dem Urlaub wieder.',
        `Die Scharniere waren zu kurz.\n${oak}`,
      ]) {
        await say(summary, { topics: [{ topic: 'Schrank', summary }] });
        clock.advance(60 * DAY);
      }
      const { items } = await kim.memories.list({ types: ['summary'] });
      const lines = items.flatMap(({ title, content }) => (title === 'Summary: Schrank' ? content.split('\n') : []));
      expect(lines).toEqual([
        expect.stringMatching(/^Der Schreiner Lindner kommt erst nach dem Urlaub wieder\. \(Stand \d{4}-\d\d-\d\d\)$/),
        'Die Scharniere waren zu kurz.',
        oak,
      ]);
    });

    it('[E2] a line of a topic or a reflection that repeats a replaced value has its day from then on', async () => {
      const budget = { attribute: 'budget', value: '900' };
      await say('I spend 900 at most on the loom, and oak is fine.', {
        statements: [item({ ...budget, text: 'User spends 900 at most.', turn: 1, quote: 'I spend 900 at most' })],
        topics: [{ topic: 'Loom', summary: 'A loom for 900 at most is wanted.\nOak is fine.' }],
        reflections: [{ level: 'user', text: 'Offers above 900 need a good reason.' }],
      });
      clock.advance(30 * DAY);
      await say('Make that 1200.', {
        statements: [
          item({ ...budget, value: '1200', text: 'User spends 1200 at most.', turn: 1, quote: 'that 1200' }),
        ],
      });
      const texts = (await kim.memories.list({ types: ['summary', 'reflection'] })).items.map(({ content }) => content);
      expect(texts.toSorted()).toEqual([
        'A loom for 900 at most is wanted. (as of 2026-11-15)\nOak is fine.',
        'Offers above 900 need a good reason. (as of 2026-11-15)',
      ]);
    });

    it('[X1] a reflection that only forgotten words support is forgotten with them, and others stay', async () => {
      const reflections = [
        { level: 'user', text: 'Is under more strain than the jokes show.' },
        { level: 'user', text: 'Likes the sums before the story.' },
        { level: 'agent', text: 'Short replies work best late in the evening.' },
      ];
      const fear = item({ text: 'User had a panic attack.', turn: 1, quote: 'I had a panic attack on the tram' });
      await say('I had a panic attack on the tram, ha. I like it when you put sums before the story.', {
        statements: [fear],
        reflections,
      });
      const left = async (): Promise<string[]> =>
        (await kim.memories.list({ types: ['reflection'] })).items.map(({ content }) => content).toSorted();
      expect(await left()).toHaveLength(3);
      const request = 'Please forget the panic attack.';
      await say(request, { forgets: [{ about: 'panic attack', turn: 1, quote: request, known: [1] }] });
      expect(await left()).toEqual(
        reflections
          .slice(1)
          .map(({ text }) => text)
          .toSorted(),
      );
      expect((await kim.context({ message: 'hello' })).system).not.toContain('strain');
    });

    it('[K9] a summary that says what became of the earlier one replaces it, and other lines stay with their date', async () => {
      const tells = (topic: string, summary: string): Promise<FormResult> =>
        say(summary, { topics: [{ topic, summary }] });
      await tells(
        'Roof',
        'The roof of the barn leaks, and the roofer Emil Strand wants 4,000 crowns for tiles, a gutter and two days in May.',
      );
      await tells('Roof', 'Emil Strand finished the roof of the barn, and took more money than he had said.');
      await tells('Roof', 'A stork nests beside the chimney.');
      const [roof] = (await kim.memories.list({ types: ['summary'] })).items;
      expect(roof?.content).toMatch(
        /^Emil Strand finished the roof .* had said\. \(as of 20\d\d-\d\d-\d\d\)\nA stork nests beside the chimney\.$/,
      );
    });

    it('[E2] a topic can be continued after many others, in any spelling, and its summary does not grow without limit', async () => {
      const tells = (topic: string, summary: string): Promise<FormResult> =>
        say(summary, { topics: [{ topic, summary }] });
      await tells('Beehives', 'The beehives need new frames.');
      for (let index = 0; index < 60; index += 1) await tells(`Matter${index}`, `User talked about matter${index}.`);
      await tells('beehives', 'A swarm left in the morning.');
      const { items } = await kim.memories.list({ types: ['summary'], limit: 200 });
      expect(items).toHaveLength(61);
      const bees = items.find(({ title }) => title === 'Summary: Beehives');
      expect(bees?.content).toMatch(
        /^The beehives need new frames\. \(as of 20\d\d-\d\d-\d\d\)\nA swarm left in the morning\.$/,
      );
      for (let index = 0; index < 12; index += 1)
        await tells('Beehives', `Stick${index} has been carved by hand${index}. `.repeat(14).trim());
      const { content = '' } = (await kim.memories.get(bees?.id ?? '')) ?? {};
      expect(content.length).toBeLessThanOrEqual(4000);
      expect(content).toContain('Stick11');
      expect(content).not.toContain('frames');
    });
  });
}
