import { describe, expect, it } from 'vitest';
import { fittedSections, readBlockText, writeBlockText } from '../src/consolidate/documents/document.ts';
import { nextReflection } from '../src/consolidate/nightly/due-reflections.ts';
import { parseReflection } from '../src/consolidate/nightly/reflection-prompts.ts';
import { DAY, HOUR } from '../src/record/clock.ts';
import { PROFILE_SECTIONS } from '../src/record/memory-types.ts';
import { createVarve } from '../src/varve.ts';
import { changesAnswer, consolidationSuite, type Opened, START } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { from, type ProtocolServer, status, text } from './protocol-server.ts';
import { answering, item, reading } from './form-model.ts';
import { countWords } from '../src/record/parse.ts';

const PROFILE = `## Personal
Lives a busy life in a big city.
## Goals & Values
Wants to be healthy.
## Communication Style
Direct and dry.
## Patterns & Rhythms
Works late.
## Preferences
Tea over coffee.
## Notes
Knee trouble.`;
/** Turns of the day are numbered after the sentences and statements, so here they are 1 and 2. */
const CHANGES = [
  { text: 'Lives in Berlin with a dog.', section: 'Personal', from: [1] },
  { text: 'Wants things confirmed before deleting.', section: 'Communication Style', from: [2] },
  { text: 'Has knee trouble.', section: 'Notes', from: [2] },
];
const WRITTEN = `## Personal
Lives in Berlin with a dog.

## Goals & Values

## Communication Style
Wants things confirmed before deleting.

## Patterns & Rhythms

## Preferences

## Notes
Has knee trouble.`;
const ANSWER = `---PROFILE---
${JSON.stringify(CHANGES)}

---FACTS---
\`\`\`json
[{"key": "home_city", "value": "Berlin", "category": "location"}, {"key": "Dog Name", "value": "Max", "category": "pets"}]
\`\`\`

---INTENTIONS---
[{"text": "call the doctor about the knee", "follow_up_days": 3, "context": "knee pain"}]

---LEARNINGS---
[{"rule": "always confirm before deleting any item", "category": "decision_making"}]`;

describe('the marker format', () => {
  it('[K10] is split into its parts at the markers, and code fences are removed', () => {
    const parsed = parseReflection(ANSWER);
    expect(JSON.parse(parsed.profile)).toEqual(CHANGES);
    expect(parsed.facts).toEqual([
      { key: 'home_city', value: 'Berlin', category: 'location' },
      { key: 'dog_name', value: 'Max', category: 'general' },
    ]);
    expect(parsed.intentions).toEqual([
      { text: 'call the doctor about the knee', followUpDays: 3, context: 'knee pain' },
    ]);
    expect(parseReflection('---INTENTIONS---\n[{"close": 2, "as": "dropped"}, {"close": 1}]').closes).toEqual([
      { number: 2, as: 'dismissed' },
      { number: 1, as: 'done' },
    ]);
    expect(parsed.learnings).toEqual([
      { rule: 'always confirm before deleting any item', category: 'decision_making' },
    ]);
    expect(parsed.warnings).toEqual([]);
  });

  it('[K10] without markers the whole answer is the profile, with a warning', () => {
    expect(parseReflection('Just a text.')).toEqual({
      profile: 'Just a text.',
      workingMemory: '',
      facts: [],
      intentions: [],
      closes: [],
      learnings: [],
      warnings: ['The answer has no section markers. All of it was used as the profile.'],
    });
    // JSON is not a profile.
    expect(parseReflection('{}')).toMatchObject({ profile: '', warnings: [expect.stringContaining('is JSON')] });
  });

  it('[K10] only missing sections, broken lists and bad items are dropped', () => {
    const parsed = parseReflection(
      `---PROFILE---\nText.\n---FACTS---\nnot json\n---INTENTIONS---\n[{"text":"a"},{"days":1},{"text":"b","follow_up_days":"soon"}]`,
    );
    expect(parsed).toMatchObject({ profile: 'Text.', facts: [], learnings: [] });
    expect(parsed.intentions).toEqual([
      { text: 'a', followUpDays: 3, context: null },
      { text: 'b', followUpDays: 3, context: null },
    ]);
    expect(parsed.warnings).toHaveLength(2);
    expect(parseReflection('Prose before.\n---FACTS---\n[]').profile).toBe('Prose before.');
  });

  it('[K10] a profile has six sections within 550 words, the longest cut first', () => {
    const long = PROFILE.replace('Works late.', 'This is one more sentence. '.repeat(300));
    let sentence = 0;
    const cut = fittedSections(
      readBlockText(
        long.replace(/one more/g, () => `one ${(sentence += 1)} more`),
        {},
      ),
      550,
      {
        sections: PROFILE_SECTIONS,
        importance: new Map(),
      },
    );
    const fitted = writeBlockText(cut, PROFILE_SECTIONS).text;
    expect(countWords(fitted)).toBeLessThanOrEqual(550);
    expect(countWords(fitted)).toBeGreaterThan(530);
    expect([...fitted.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual([...PROFILE_SECTIONS]);
    expect(fitted).toContain('Knee trouble.');
  });

  it('[K10] a reflection is due at the hour that the user has set, in the user’s time zone, also after a change to daylight saving time', () => {
    const settings = { hour: 2, timeZone: 'UTC' };
    const none = { reflectionHour: null, timeZone: null };
    expect(new Date(nextReflection(settings, none, START)).toISOString()).toBe('2026-01-06T02:00:00.000Z');
    const berlin = { reflectionHour: 4, timeZone: 'Europe/Berlin' };
    expect(new Date(nextReflection(settings, berlin, START)).toISOString()).toBe('2026-01-06T03:00:00.000Z');
    expect(new Date(nextReflection(settings, berlin, Date.UTC(2026, 6, 1, 12))).toISOString()).toBe(
      '2026-07-02T02:00:00.000Z',
    );
  });
});

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`nightly reflection on ${database.name}`, () => {
    let server: ProtocolServer;
    const open = consolidationSuite(database, (started) => (server = started));
    const talk = async ({ ana }: Opened): Promise<void> => {
      await ana.logInteraction({
        userMessage: 'I live in Berlin now, and my dog is called Max.',
        agentResponse: 'Nice! Do you own a yacht?',
      });
      await ana.logInteraction({
        userMessage: 'I should call the doctor about my knee. And always confirm before deleting any item!',
        agentResponse: 'Sure.',
      });
    };

    it('[K10] [K12] writes a profile, facts, intentions and learnings, and returns their counts', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      const { ana, clock } = one;
      await talk(one);
      server.next(text(ANSWER.replace('[{"key"', '[{"key": "boat", "value": "yacht", "category": "general"}, {"key"')));
      const counts = await ana.reflect();
      // Only the agent mentioned a yacht.
      expect(counts).toEqual({
        users: 1,
        facts_added: 2,
        facts_updated: 0,
        intentions_added: 1,
        intentions_closed: 0,
        learnings_added: 1,
        skipped: false,
        profile_held: false,
        warnings: [],
      });
      expect((await ana.blocks.read('profile'))?.content).toBe(WRITTEN);
      const basis = await ana.blocks.basis('profile');
      const [first, second] = (await ana.events.list({ kinds: ['message'] })).items
        .filter(({ origin }) => origin === 'user')
        .toReversed();
      expect(basis.map(({ restsOn }) => restsOn)).toEqual([[first?.id], [second?.id], [second?.id]]);
      expect((await ana.facts.list()).map(({ value }) => value).toSorted()).toEqual(['Berlin', 'Max']);
      const [intention] = await ana.intentions.list();
      expect(intention).toMatchObject({
        state: 'open',
        dueAt: new Date(START + 3 * DAY),
        metadata: { context: 'knee pain' },
      });
      expect((await ana.learnings.list())[0]).toMatchObject({ category: 'decision_making' });
      expect((await ana.facts.get('home_city'))?.sourceEvents).toHaveLength(1);
      const [run] = await ana.consolidation.runs({ kinds: ['reflect'] });
      expect(run).toMatchObject({ status: 'done', cause: 'hand', changed: { facts_added: 2, profile: 1 } });

      // Without new turns nothing happens, not even a call.
      expect(await ana.reflect()).toMatchObject({ skipped: true, facts_added: 0 });
      expect(server.requests).toHaveLength(1);

      clock.advance(DAY);
      await ana.logInteraction({ userMessage: 'I moved to Munich.', agentResponse: 'Good.' });
      server.next(
        text(
          `---PROFILE---\n[]\n---FACTS---\n[{"key":"home_city","value":"Munich","category":"location"}]\n---INTENTIONS---\n[]\n---LEARNINGS---\n[]`,
        ),
      );
      expect(await ana.reflect()).toMatchObject({ facts_added: 0, facts_updated: 1 });
      expect((await ana.facts.get('home_city'))?.value).toBe('Munich');
      expect((await ana.asOf(START).facts.get('home_city'))?.value).toBe('Berlin');
      const prompt = JSON.stringify(server.requests[1]?.body.messages);
      expect(prompt).toContain('home_city (location): Berlin');
      expect(prompt).not.toContain('my dog is called Max');
    });

    const BUSY = ['Lives a busy life.', 'Has many friends.', 'Is in a big city.', 'Rarely sleeps.', 'Knows the mayor.'];

    it.each(['accept', 'reject'] as const)(
      '[K10] a profile that would lose most of its text is held and the rest of the answer is applied; then a person can %s the profile',
      async (decision) => {
        const one = await open({ server, formation: { writes: 'deferred' } });
        const { ana } = one;
        const before = `## Personal\n${BUSY.join(' ')}`;
        await ana.blocks.replace('profile', before);
        await talk(one);
        server.otherwise(text(ANSWER.replace(JSON.stringify(CHANGES), JSON.stringify([{ drop: [1, 2, 3, 4] }]))));
        const reason = 'the profile would lose 4 of 5 statements that still hold';
        expect(await ana.reflect()).toEqual({
          users: 1,
          facts_added: 2,
          facts_updated: 0,
          intentions_added: 1,
          intentions_closed: 0,
          learnings_added: 1,
          skipped: false,
          profile_held: true,
          warnings: [`The profile is held for review: ${reason}.`],
        });
        expect((await ana.blocks.read('profile'))?.content).toBe(before);
        expect(await ana.facts.list()).toHaveLength(2);
        const [run] = await ana.consolidation.runs({ kinds: ['reflect'] });
        expect(run).toMatchObject({ status: 'held', changed: { facts_added: 2, profile: 0, held: 1 } });
        const [held] = await ana.consolidation.held();
        expect(held).toMatchObject({ kind: 'profile', reason, run: run?.id, events: [] });

        // Changes of the tiers do not affect the held profile.
        await ana.recordObservation('User lives in Berlin.', 'fact');
        server.otherwise(changesAnswer({ set: { City: 'Berlin' } }));
        expect((await ana.consolidation.run()).synthesis.held).toBe(0);
        expect((await ana.consolidation.held()).map(({ id }) => id)).toEqual([held?.id]);

        await ana.consolidation[decision](held!.id);
        expect(await ana.consolidation.held()).toEqual([]);
        const profile = String((await ana.blocks.read('profile'))?.content);
        expect(profile.includes('Lives a busy life.')).toBe(decision === 'reject');
        expect(profile).toContain('Knows the mayor.');
        if (decision === 'accept')
          expect((await ana.blocks.history('profile')).at(-1)?.reason).toBe(`accepted after review: ${reason}`);
        await expect(ana.consolidation.accept(held!.id)).rejects.toMatchObject({ code: 'not_found' });
      },
    );

    it('[K10] a held profile is replaced by the next one, and cannot be accepted once the profile has changed', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      const { ana, clock } = one;
      const before = BUSY.join(' ');
      await ana.blocks.replace('profile', before);
      for (const drop of [
        [1, 2, 3, 4, 5],
        [1, 2, 3, 4],
      ]) {
        await ana.logInteraction({ userMessage: 'Hello again.', agentResponse: 'Hi.' });
        server.otherwise(text(`---PROFILE---\n${JSON.stringify([{ drop }])}\n---FACTS---\n[]`));
        expect(await ana.reflect()).toMatchObject({ profile_held: true });
        clock.advance(DAY);
      }
      const held = await ana.consolidation.held();
      expect(held.map(({ reason }) => reason)).toEqual(['the profile would lose 4 of 5 statements that still hold']);
      await ana.blocks.replace('profile', `${before} Has a dog.`);
      await expect(ana.consolidation.accept(held[0]!.id)).rejects.toMatchObject({ code: 'conflict' });
      expect(await ana.consolidation.held()).toHaveLength(1);
      await ana.logInteraction({ userMessage: 'My dog is called Max.', agentResponse: 'Hi.' });
      server.otherwise(
        text(`---PROFILE---\n${JSON.stringify([{ text: 'Has a dog, Max.', from: [6, 7] }])}\n---FACTS---\n[]`),
      );
      expect(await ana.reflect()).toMatchObject({ profile_held: false });
      expect(await ana.consolidation.held()).toEqual([]);
      expect((await ana.blocks.read('profile'))?.content).toContain('Has a dog, Max.');
    });

    it('[K10] documents that other jobs or a person change during the call of the model have those changes and the answer', async () => {
      const { ana } = await open({ server, formation: { writes: 'deferred' } });
      await ana.blocks.replace('profile', 'Sings in the shower. Keeps a diary.');
      const know = (content: string) => ana.memories.create({ type: 'fact', content });
      await know('User repairs accordions.');
      await know('User rents a loft in Gent.');
      await ana.logInteraction({ userMessage: 'The accordions sell well.', agentResponse: 'Good.' });
      const changes = [{ text: 'Repairs accordions, which sell well.', from: [3] }];
      const answer = `---PROFILE---\n${JSON.stringify(changes)}\n---WORKING MEMORY---\n${JSON.stringify(changes)}\n---FACTS---\n[]`;
      server.otherwise(async (request, response) => {
        await know('User has a whippet.');
        await ana.consolidation.run();
        await ana.blocks.replace('profile', 'Sings in the shower. Dislikes lifts.');
        await text(answer)(request, response);
      });
      expect(await ana.reflect()).toMatchObject({ warnings: [] });
      const [run] = await ana.consolidation.runs({ kinds: ['reflect'] });
      expect(run).toMatchObject({ status: 'done', changed: { working_memory: 1, profile: 1 } });
      const lines = async (kind: 'profile' | 'working_memory') =>
        (await ana.blocks.basis(kind)).map((sentence) => sentence.text).toSorted();
      expect(await lines('working_memory')).toEqual([
        'Repairs accordions, which sell well.',
        'User has a whippet.',
        'User rents a loft in Gent.',
      ]);
      expect(await lines('profile')).toEqual([
        'Dislikes lifts.',
        'Repairs accordions, which sell well.',
        'Sings in the shower.',
      ]);
    });

    it('[K10] a model that returns the whole profile again changes only its new parts', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      const { ana } = one;
      await ana.blocks.replace('profile', PROFILE);
      await ana.logInteraction({ userMessage: 'I run every morning now.', agentResponse: 'Hi.' });
      server.otherwise(
        text(`---PROFILE---\n${PROFILE.replace('Works late.', 'Works late. Runs every morning.')}\n---FACTS---\n[]`),
      );
      expect(await ana.reflect()).toMatchObject({ profile_held: false, warnings: [] });
      const basis = await ana.blocks.basis('profile');
      expect(basis.map(({ text: sentence, restsOn }) => [sentence, restsOn.length])).toContainEqual([
        'Runs every morning.',
        1,
      ]);
      expect(basis.filter(({ restsOn }) => restsOn.length === 0)).toHaveLength(6);
    });

    it.each([
      ['a preface', (list: string) => `I changed one sentence:\n\n${list}`],
      [
        'a fence after a preface',
        (list: string) => `The new entry is below.\n\`\`\`json\n${list}\n\`\`\`\nThat is all.`,
      ],
      ['an object after a preface', (list: string) => `Result: {"changes": ${list}}`],
    ])('[K10] a list of changes with %s is read as a list', async (_, wrap) => {
      const { ana } = await open({ server, formation: { writes: 'deferred' } });
      await ana.logInteraction({ userMessage: 'I run every morning now.', agentResponse: 'Hi.' });
      const list = (words: string): string =>
        JSON.stringify([{ text: words, section: 'Patterns & Rhythms', from: [1] }]);
      server.otherwise(
        text(
          `---PROFILE---\n${wrap(list('Runs every morning.'))}\n---WORKING MEMORY---\n${wrap('[]')}\n---FACTS---\n[]`,
        ),
      );
      expect(await ana.reflect()).toMatchObject({ warnings: [] });
      expect((await ana.blocks.read('profile'))?.content).toContain('## Patterns & Rhythms\nRuns every morning.\n\n##');
      expect((await ana.context({})).system).not.toMatch(/preface|changes?|entry|"from"|Result/);
    });

    it('[K10] [K18] reads all turns since the last reflection, and closes completed intentions', async () => {
      const one = await open({
        server,
        formation: { writes: 'deferred' },
        consolidation: { nightly: { exchanges: 2 } },
      });
      const { ana, clock } = one;
      const dentist = await ana.intentions.add({ text: 'Call the dentist.', followUpDays: 30 });
      await ana.intentions.add({ text: 'Water the plants.', followUpDays: 30 });
      for (const said of ['one', 'two', 'three', 'four', 'five']) {
        await ana.logInteraction({ userMessage: `I have news, part ${said}.`, agentResponse: 'Hm.' });
        clock.advance(3 * DAY);
      }
      await ana.logInteraction({ userMessage: 'By the way, I called the dentist.', agentResponse: 'Good.' });
      server.otherwise(
        from((request) => {
          const prompt = String(request.body.messages?.at(-1)?.content);
          const number = /(\d+)\. Call the dentist/.exec(prompt)?.[1];
          const isDone = prompt.includes('I called the dentist');
          const again = { text: 'call the dentist soon', follow_up_days: 2 };
          return text(
            `---PROFILE---\n[]\n---INTENTIONS---\n${JSON.stringify(isDone ? [{ close: Number(number), as: 'done' }] : [again])}`,
          );
        }),
      );
      expect(await ana.reflect()).toMatchObject({ intentions_added: 0, intentions_closed: 1, skipped: false });
      const prompts = server.requests.map(({ body }) => String(body.messages?.at(-1)?.content)).join('\n');
      for (const said of ['one', 'two', 'three', 'four', 'five'])
        expect([said, prompts.split(`part ${said}.`).length]).toEqual([said, 2]);
      expect((await ana.intentions.list()).map(({ content }) => content)).toEqual(['Water the plants.']);
      expect(await ana.memories.get(dentist.id)).toMatchObject({ state: 'done' });
      expect(await ana.reflect()).toMatchObject({ skipped: true });
    });

    it('[K10] reads every turn once, also turns that were recorded at the same time', async () => {
      const { ana, of } = await open({
        server,
        formation: { writes: 'deferred' },
        consolidation: { nightly: { exchanges: 3 } },
      });
      const turns = Array.from({ length: 70 }, (_, index) => ({ content: `I planted tree number ${index + 1}.` }));
      await of('import').observe(turns);
      server.otherwise(text('---PROFILE---\n[]\n---FACTS---\n[]'));
      // A reflection makes at most ten calls, of six turns each; the rest waits for the next one.
      const { warnings } = await ana.reflect();
      expect(warnings).toEqual([expect.stringContaining('The next reflection reads the rest')]);
      expect(server.requests).toHaveLength(10);
      expect(await ana.reflect()).toMatchObject({ skipped: false, warnings: [] });
      expect(server.requests).toHaveLength(12);
      const asked = server.requests.map(({ body }) => String(body.messages?.at(-1)?.content)).join('\n');
      const read = [...asked.matchAll(/User: I planted tree number (\d+)\./g)].map(([, number]) => Number(number));
      expect(read).toEqual(turns.map((_, index) => index + 1));
      expect(await ana.reflect()).toMatchObject({ skipped: true });
    });

    it('[K10] one model call at night writes both the profile and the working memory', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      const { ana, clock } = one;
      for (const what of ['tea', 'rain', 'jazz'])
        await ana.memories.create({ type: 'preference', content: `User likes ${what}.` });
      await ana.consolidation.run();
      await ana.logInteraction({ userMessage: 'Good night.', agentResponse: 'Sleep well.' });
      server.otherwise(
        text(
          `---PROFILE---\n[{"text": "Likes jazz.", "section": "Preferences", "from": [3]}]\n---WORKING MEMORY---\n[{"text": "Likes tea, rain and jazz.", "from": [1, 2, 3]}]`,
        ),
      );
      await ana.reflect();
      expect(server.requests).toHaveLength(1);
      expect((await ana.blocks.read('working_memory'))?.content).toBe('Likes tea, rain and jazz.');
      expect((await ana.blocks.basis('working_memory'))[0]?.restsOn).toHaveLength(3);
      expect((await ana.blocks.basis('profile')).map(({ text: sentence }) => sentence)).toEqual(['Likes jazz.']);
      // Statements that the documents already contain are not offered again.
      clock.advance(DAY);
      await ana.logInteraction({ userMessage: 'Good morning.', agentResponse: 'Hello.' });
      await ana.consolidation.run();
      await ana.reflect();
      const last = String(server.requests[1]?.body.messages?.at(-1)?.content);
      expect(last).toContain('1. (Preferences) Likes jazz.');
      expect(last).toContain('2. Likes tea, rain and jazz.');
      expect(last).not.toContain('new_statements');
    });

    it('[K10] a line of the working memory that the profile repeats may be dropped without counting as a loss', async () => {
      const { ana, clock } = await open({ server, formation: { writes: 'deferred' } });
      for (const what of ['tea', 'rain', 'jazz', 'chess'])
        await ana.memories.create({ type: 'preference', content: `User likes ${what}.` });
      await ana.consolidation.run();
      await ana.logInteraction({ userMessage: 'Good night.', agentResponse: 'Sleep well.' });
      server.otherwise(
        text(
          `---PROFILE---\n[{"text": "Likes tea, rain and jazz.", "section": "Preferences", "from": [1, 2, 3]}]\n---WORKING MEMORY---\n[{"drop": [1, 2]}]`,
        ),
      );
      expect(await ana.reflect()).toMatchObject({ warnings: [] });
      expect(await ana.consolidation.held()).toEqual([]);
      const lines = async (): Promise<string[]> =>
        (await ana.blocks.basis('working_memory')).map(({ text: sentence }) => sentence);
      expect(await lines()).toEqual(['User likes chess.']);
      clock.advance(DAY);
      await ana.consolidation.run();
      expect(await lines()).toEqual(['User likes chess.']);
    });

    it('[K18] [X1] an intention loses the part of its context that is forgotten, in its history, too', async () => {
      const { ana } = await open({ server, formation: { writes: 'deferred' } });
      const { memory } = await ana.memories.create({
        type: 'fact',
        content: 'Rents a workshop from Brandvold Ltd.',
        attribute: 'landlord',
        value: 'Brandvold Ltd',
      });
      await ana.logInteraction({ userMessage: 'I want to buy new locks.', agentResponse: 'Good.' });
      const context = 'Brandvold Ltd has lost the key.';
      server.otherwise(text(`---INTENTIONS---\n${JSON.stringify([{ text: 'buy new locks', context }])}`));
      await ana.reflect();
      const [intention] = await ana.intentions.list();
      expect(intention?.metadata).toEqual({ context });
      const { id } = await ana.memories.revise(intention!.id, { importance: 0.9 });
      await ana.memories.forget(memory.id);
      expect((await ana.intentions.list()).map(({ metadata }) => metadata)).toEqual([{}]);
      expect(JSON.stringify(await ana.memories.history(id))).not.toContain('Brandvold');
    });

    it('[K10] [T1] a sentence of the working memory may rest on an intention, until the intention is over', async () => {
      const { ana, clock } = await open({ server, formation: { writes: 'deferred' } });
      const dueAt = new Date(clock.now() + 10 * DAY);
      const intention = await ana.intentions.add({ text: 'deliver the sashes to Limavady', dueAt });
      await ana.logInteraction({ userMessage: 'The sashes go to Limavady.', agentResponse: 'Good.' });
      server.otherwise(text(`---WORKING MEMORY---\n[{"text": "Delivers the sashes to Limavady.", "from": [1, 2]}]`));
      await ana.reflect();
      const said = async (): Promise<unknown> => (await ana.blocks.read('working_memory'))?.content;
      expect(await said()).toContain('Delivers the sashes to Limavady.');
      clock.advance(DAY);
      await ana.consolidation.run();
      expect(await said()).toContain('Delivers the sashes to Limavady.');
      await ana.intentions.done(intention.id);
      await ana.consolidation.run();
      expect(await said()).not.toContain('Limavady');
    });

    it('[K10] the model learns once which parts of the last night’s answer were refused, and why', async () => {
      const { ana, clock } = await open({ server, formation: { writes: 'deferred' } });
      const night = async (): Promise<string> => {
        await ana.logInteraction({ userMessage: 'I have a boat.', agentResponse: 'Nice.' });
        await ana.reflect();
        clock.advance(DAY);
        return String(server.requests.at(-1)?.body.messages?.at(-1)?.content);
      };
      server.next(text(`---PROFILE---\n[{"text": "Has a boat of 4711 tons.", "section": "Notes", "from": [1]}]`));
      server.otherwise(text(`---PROFILE---\n[]`));
      expect(await night()).not.toContain('refused');
      const second = await night();
      expect(second).toContain('Has a boat of 4711 tons.');
      expect(second).toContain('a number in it is in none of its sources');
      expect(await night()).not.toContain('4711');
    });

    it('[K10] a failure changes nothing, and the next reflection covers the same day again', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      await talk(one);
      server.otherwise(status(400));
      await expect(one.ana.reflect()).rejects.toMatchObject({ code: 'model_unavailable' });
      expect(await one.ana.blocks.read('profile')).toBeNull();
      server.otherwise(text(ANSWER));
      expect(await one.ana.reflect()).toMatchObject({ facts_added: 2 });
    });

    it('[K10] [X3] a value that the user has set explicitly is not replaced by an inference', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      await one.ana.facts.set({ key: 'home_city', value: 'Hamburg' });
      await talk(one);
      server.otherwise(text(ANSWER));
      expect(await one.ana.reflect()).toMatchObject({ facts_added: 1, facts_updated: 0 });
      expect((await one.ana.facts.get('home_city'))?.value).toBe('Hamburg');
    });

    it('[K10] without a model the profile is made of the known statements', async () => {
      const one = await open({ formation: { writes: 'deferred' } });
      const { ana } = one;
      await ana.memories.create({ type: 'preference', content: 'User prefers tea over coffee.' });
      await ana.memories.create({ type: 'goal', content: 'User wants to run a marathon.' });
      await ana.memories.create({ type: 'goal', content: 'User wants to learn to juggle.', state: 'achieved' });
      await ana.memories.create({ type: 'feedback', content: 'User likes short answers.' });
      await ana.facts.set({ key: 'home_city', value: 'Linz' });
      for (let index = 0; index < 80; index += 1)
        await ana.memories.create({
          type: 'fact',
          content: `User knows about the topic number ${index} and talks of it.`,
        });
      await talk(one);
      const counts = await ana.reflect();
      expect(counts.skipped).toBe(false);
      const profile = String((await ana.blocks.read('profile'))?.content);
      expect(countWords(profile)).toBeLessThanOrEqual(550);
      expect([...profile.matchAll(/^## (.*)$/gm)].map((match) => match[1])).toEqual([...PROFILE_SECTIONS]);
      expect(profile).toContain('## Preferences\n- 2026-01-05: User prefers tea over coffee.');
      expect(profile).toContain('## Communication Style\n- 2026-01-05: User likes short answers.');
      // A reached goal is no longer a goal, and a permanent fact has its own line in the prompt.
      expect(profile).not.toMatch(/juggle|Linz/);
    });

    it('[K10] [K18] a plan without a stated day stays in the profile as long as the list of intentions has it as open', async () => {
      const { varve, ana, clock, of } = await open({ server, formation: { writes: 'deferred' } });
      const session = of('plans');
      const content = 'I want to learn to sail. The ladder goes back to Joris on the 15th.';
      await session.observe({ content });
      const plan = { type: 'intention', tense: 'planned', turn: 1 } as const;
      const sail = item({ ...plan, text: 'User wants to learn to sail.', quote: 'I want to learn to sail' });
      const ladder = { text: 'User returns the ladder to Joris.', quote: 'The ladder goes back to Joris on the 15th' };
      const statements = [sail, item({ ...plan, ...ladder, due: '2026-01-15' })];
      server.next(answering({ read: reading({ statements }) }));
      await session.form();
      const goals = ['Wants to learn to sail.', 'Returns the ladder to Joris.'];
      const sentences = goals.map((goal, index) => ({ text: goal, section: 'Goals & Values', from: [index + 1] }));
      server.otherwise(text(`---PROFILE---\n${JSON.stringify(sentences)}`));
      await ana.reflect();
      const days: unknown[] = [];
      for (const day of [1, 12, 30, 95]) {
        clock.set(START + day * DAY);
        await varve.maintain({ tenant: 't' });
        const { system } = await ana.context({ message: 'Hello.' });
        const basis = await ana.blocks.basis('profile');
        const inPrompt = goals.filter((goal) => system.includes(goal));
        expect(basis.filter(({ stale }) => !stale).map(({ text: sentence }) => sentence)).toEqual(inPrompt);
        days.push([day, inPrompt, (await ana.intentions.list()).length]);
      }
      const [wantsToSail] = goals;
      expect(days).toEqual([
        [1, goals, 2],
        [12, [wantsToSail], 2],
        [30, [wantsToSail], 1],
        [95, [], 0],
      ]);
    });

    it('[K10] [K12] without a model, a reflection counts the statements that formation has learned since the last reflection', async () => {
      const one = await open({ formation: { writes: 'deferred' } });
      const { ana, clock } = one;
      await talk(one);
      await ana.intentions.add({ text: 'Water the plants.', followUpDays: 2 });
      // Records of the application are not findings of the reflection.
      expect(await ana.reflect()).toMatchObject({ facts_added: 0, intentions_added: 0, skipped: false });
      clock.advance(HOUR);
      expect(await ana.reflect()).toMatchObject({ skipped: true });
      const read = await open();
      await talk(read);
      await read.varve.drain();
      const facts = await read.ana.facts.list();
      expect(facts.map(({ value }) => value)).toContain('Berlin');
      expect(await read.ana.reflect()).toMatchObject({ facts_added: facts.length, facts_updated: 0 });
    });

    it('[K10] runs once for each due time, for users who have said something, in their own time zone', async () => {
      const { varve, clock, ana } = await open({ formation: { writes: 'deferred' } });
      const tokyo = varve.for({ tenant: 't', agent: 'coach', user: 'kei' });
      const silent = varve.for({ tenant: 't', agent: 'coach', user: 'sil' });
      for (const handle of [ana, tokyo]) {
        await handle.memories.create({ type: 'preference', content: 'User likes tea.' });
        await handle.logInteraction({ userMessage: 'Hello, I like tea.', agentResponse: 'Hi.' });
      }
      await silent.memories.create({ type: 'preference', content: 'User likes rain.' });
      await tokyo.consolidation.configure({ reflectionHour: 3 });
      // Settings that a call leaves out keep their values.
      await tokyo.consolidation.configure({ timeZone: 'Asia/Tokyo' });
      await expect(tokyo.consolidation.configure({ timeZone: 'Mars/Olympus' })).rejects.toThrow(/time zone/);
      const reflections = async (handle: typeof ana): Promise<number> =>
        (await handle.consolidation.runs({ kinds: ['reflect'] })).length;
      // Noon in UTC is nine in the evening in Tokyo.
      await varve.drain();
      clock.advance(5.9 * HOUR);
      await varve.drain();
      expect([await reflections(ana), await reflections(tokyo), await reflections(silent)]).toEqual([0, 0, 0]);
      clock.advance(0.2 * HOUR);
      await varve.drain();
      await varve.drain();
      expect([await reflections(ana), await reflections(tokyo)]).toEqual([0, 1]);
      clock.set(Date.UTC(2026, 0, 6, 2, 1));
      await varve.drain();
      expect([await reflections(ana), await reflections(tokyo), await reflections(silent)]).toEqual([1, 1, 0]);
      // On this day nobody says anything.
      clock.advance(DAY);
      await varve.drain();
      expect([await reflections(ana), await reflections(tokyo)]).toEqual([1, 1]);
    });

    it('[K12] a call without a user reflects for every user with new turns, and returns their number', async () => {
      const { varve, clock } = await open({ formation: { writes: 'deferred' } });
      const of = (agent: string | null, user: string) => varve.for({ tenant: 't', agent, user });
      for (const [agent, user] of [
        ['coach', 'ana'],
        ['shop', 'ana'],
        ['coach', 'ben'],
        [null, 'cleo'],
      ] as const) {
        await of(agent, user).memories.create({ type: 'preference', content: 'User likes tea.' });
        await of(agent, user).logInteraction({ userMessage: 'Hello, I like tea.', agentResponse: 'Hi.' });
      }
      await of('coach', 'silent').memories.create({ type: 'preference', content: 'User likes rain.' });
      await varve
        .for({ tenant: 'other', agent: 'coach', user: 'dan' })
        .logInteraction({ userMessage: 'Hi.', agentResponse: 'Hi.' });
      // First one user with all agents, then the rest of the tenant.
      expect(await of(null, 'ana').reflect()).toMatchObject({ users: 2, skipped: false });
      expect(await varve.for({ tenant: 't', user: null }).reflect()).toMatchObject({ users: 2, skipped: false });
      expect((await of('coach', 'ben').blocks.read('profile'))?.content).toContain('User likes tea.');
      expect(await of('coach', 'silent').blocks.read('profile')).toBeNull();
      clock.advance(DAY);
      expect(await varve.for({ tenant: 't', user: null }).reflect()).toMatchObject({ users: 0, skipped: true });
    });

    it('[K12] a call without a user names the users whose reflection failed, and the next call reflects for them again', async () => {
      const { varve, clock } = await open({ server, formation: { writes: 'deferred' } });
      const everybody = varve.for({ tenant: 't', user: null });
      for (const user of ['ana', 'ben']) {
        const handle = varve.for({ tenant: 't', agent: 'coach', user });
        await handle.logInteraction({ userMessage: `Hello, I am ${user}.`, agentResponse: 'Hi.' });
      }
      const failing = from(({ body }) =>
        JSON.stringify(body.messages).includes('I am ben') ? status(400, { message: 'no' }) : text(ANSWER),
      );
      server.otherwise(failing);
      const warnings = expect.arrayContaining([expect.stringMatching(/^The reflection of ben failed: /)]);
      expect(await everybody.reflect()).toMatchObject({ users: 1, skipped: false, warnings });
      expect(await varve.for({ tenant: 't', user: 'ana' }).reflect()).toMatchObject({ users: 0, skipped: true });
      // Nobody else has new turns, so the only failure is thrown.
      await expect(everybody.reflect()).rejects.toMatchObject({ code: 'model_unavailable' });
      server.otherwise(text(ANSWER));
      clock.advance(9 * DAY);
      expect(await everybody.reflect()).toMatchObject({ users: 1, skipped: false });
    });

    it('[K18] intentions are shown when they are due, and can be completed, dismissed and postponed', async () => {
      const { ana, clock } = await open();
      const dentist = await ana.intentions.add({ text: 'Call the dentist.', followUpDays: 3 });
      const report = await ana.intentions.add({
        text: 'Finish the report.',
        dueAt: START + 4 * DAY,
        context: 'The boss asked.',
      });
      const gym = await ana.intentions.add({ text: 'Go to the gym.', followUpDays: 3 });
      clock.set(START + 3 * DAY - 1);
      expect(await ana.intentions.due()).toEqual([]);
      clock.advance(1);
      expect((await ana.intentions.due()).map(({ id }) => id)).toEqual([dentist.id, gym.id].sort());
      await ana.intentions.done(dentist.id);
      await ana.intentions.snooze(gym.id, START + 10 * DAY);
      clock.set(START + 5 * DAY);
      expect((await ana.intentions.due()).map(({ id }) => id)).toEqual([report.id]);
      await ana.intentions.dismiss(report.id);
      expect(await ana.intentions.due()).toEqual([]);
      expect((await ana.intentions.list()).map(({ id }) => id)).toEqual([gym.id]);
      clock.set(START + 10 * DAY);
      expect((await ana.intentions.due()).map(({ state }) => state)).toEqual(['snoozed']);
      expect(await ana.memories.get(dentist.id)).toMatchObject({ state: 'done' });
      expect((await ana.asOf(START + 3 * DAY - 1).memories.get(dentist.id))?.state).toBe('open');
      await expect(ana.intentions.done('mem_none')).rejects.toMatchObject({ code: 'not_found' });
      for (const limit of [0, -1, 2.5, Number.NaN])
        await expect(ana.intentions.due({ limit })).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('[K18] an intention is due, overdue for a few days, then no longer shown, then archived; a prompt shows a few at most', async () => {
      const { varve, ana, clock } = await open();
      for (let index = 0; index < 12; index += 1)
        await ana.intentions.add({ text: `Write letter ${index} to aunt ${index}.`, followUpDays: 3 });
      const brought = async (): Promise<number> =>
        (await ana.context({ message: 'Hello.' })).user.match(/Write letter/g)?.length ?? 0;
      const states: number[][] = [];
      for (const day of [2, 3, 6.9, 7, 16, 17]) {
        clock.set(START + day * DAY);
        await varve.maintain({ tenant: 't' });
        states.push([await brought(), (await ana.intentions.due()).length, (await ana.intentions.list()).length]);
      }
      expect(states).toEqual([
        [0, 0, 12],
        [5, 12, 12],
        [5, 12, 12],
        [0, 0, 12],
        [0, 0, 12],
        [0, 0, 0],
      ]);
    });

    it('[K18] learnings are rules with a category and a source', async () => {
      const { ana } = await open();
      const rule = await ana.learnings.add({
        rule: 'Never send mail without asking.',
        category: 'decision_making',
        source: 'correction',
      });
      await ana.learnings.add({ rule: 'Never send mail without asking.', category: 'decision_making' });
      await ana.learnings.add({ rule: 'Answer in German.', category: 'communication' });
      expect(rule).toMatchObject({ type: 'learning', category: 'decision_making', metadata: { source: 'correction' } });
      expect(await ana.learnings.list()).toHaveLength(2);
      expect((await ana.learnings.list({ category: 'communication' })).map(({ content }) => content)).toEqual([
        'Answer in German.',
      ]);
      await ana.learnings.forget(rule.id);
      expect(await ana.learnings.list()).toHaveLength(1);
    });

    it('[K10] [T21] no reflection runs if reflections are switched off, although their schedule is in the store', async () => {
      const one = await open();
      await talk(one);
      await one.varve.drain();
      const off = await createVarve({
        store: one.store,
        embedder: null,
        background: false,
        clock: one.clock,
        consolidation: { nightly: { enabled: false } },
      });
      for (let hours = 0; hours < 36; hours += 9) {
        one.clock.advance(9 * HOUR);
        await off.drain();
      }
      await off.close();
      expect(await one.ana.consolidation.runs({ kinds: ['reflect'] })).toEqual([]);
      one.clock.advance(DAY);
      await one.varve.drain();
      // After it is switched on again, it catches up and then continues with new turns.
      await talk(one);
      one.clock.advance(20 * HOUR);
      await one.varve.drain();
      expect(await one.ana.consolidation.runs({ kinds: ['reflect'], statuses: ['done'] })).toHaveLength(2);
    });
  });
}
