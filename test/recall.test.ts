import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { RELEVANT_NOTES, RELEVANT_SUMMARIES } from '../src/assemble/look-up.ts';
import type { RecallOptions, Recalled, RecallResult } from '../src/recall/recall-options.ts';
import { DAY, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { StoreOptions } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { foundRecord } from '../src/tools/found-record.ts';
import { startChild } from './child-process.ts';
import { databases } from './databases.ts';

const USER_MEMORIES: RecallOptions = { sources: ['memories'], mode: 'semantic', limit: 10 };
const FIVE_SIGNALS: RecallOptions = { sources: ['memories'], scoring: 'signals', limit: 10, minimumImportance: 0.1 };
const STORED_CONTEXT: RecallOptions = { sources: ['memories', 'documents'], mode: 'semantic', limit: 5 };

const texts = ({ results }: Recalled): string[] => results.map((result) => result.text);

// These tests use the real local embedder, because they test what recall finds.
for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`recall on ${database.name}`, () => {
    let varve: Varve;
    let clock: ManualClock;
    let options: StoreOptions;
    let drop: () => Promise<void>;
    let tenants = 0;
    const open = (
      scope: { agent?: string; user?: string; session?: string; connection?: string } = { user: 'ana' },
    ): Handle => {
      tenants += 1;
      return varve.for({ tenant: `recall-${tenants}`, user: null, ...scope });
    };
    const remember = async (handle: Handle, ...contents: string[]): Promise<void> => {
      for (const content of contents) await handle.memories.create({ type: 'fact', content });
      await varve.drain();
    };

    beforeAll(async () => {
      ({ options, drop } = await database.create());
      clock = manualClock(new Date('2026-06-15T09:00:00Z'));
      varve = await createVarve({ store: options, background: false, clock });
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it('finds a memory by meaning and a turn by its words, each explained', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      await handle.observe([
        { content: 'Noted.' },
        { origin: 'agent', content: 'The ferry to Lisbon leaves from the second pier.' },
      ]);
      await remember(handle, 'The user is vegetarian.', 'The user works as a nurse.', 'The user plays the cello.');
      const diet = await handle.recall('Which food does she avoid?', { abstain: false });
      expect(texts(diet)[0]).toBe('The user is vegetarian.');
      const [ferry] = (await handle.recall('Where does the ferry to Lisbon leave?', { abstain: false })).results;
      expect(ferry).toMatchObject({ kind: 'event', text: 'The ferry to Lisbon leaves from the second pier.' });
      expect(ferry?.arms).toEqual(expect.arrayContaining(['vector', 'text']));
      const sum = ferry?.explanation.reduce((total, { value, weight }) => total + value * weight, 0);
      expect(sum).toBeCloseTo(ferry?.score ?? Number.NaN, 3);
    });

    it('an agent that asks about the user gets the user’s own facts before those of a relative', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      for (const userMessage of [
        'I live in Turin and I am a vegetarian. My brother Emil lives in Ghent.',
        'My brother is a pilot, I am a baker.',
      ])
        await handle.logInteraction({ userMessage, agentResponse: 'Good to know.' });
      await varve.drain();
      for (const [query, answer] of [
        ['Which city does the user live in?', 'Lives in Turin'],
        ["the user's home town", 'Lives in Turin'],
        ['What does this person do for a living?', 'Works as baker'],
        ['Where does my user live?', 'Lives in Turin'],
        ['What do I do for a living?', 'Works as baker'],
        ["Where does the user's brother live?", "User's brother Emil: Lives in Ghent"],
      ] as const)
        expect([query, texts(await handle.recall(query))[0]]).toEqual([query, answer]);
    });

    it('pasted text ranks below the user’s own words, does not answer for the user, and has low trust', async () => {
      const handle = open({ agent: 'coach', user: 'ana', session: 's1' });
      for (const userMessage of [
        'could you answer this mail?\n\nDear Ana, I now work as a beekeeper near Izmir and my birthday is on 4 May. Do visit!\n\nBest wishes, Olaf',
        "put this into Finnish: 'My name is Tarja and I drive a lorry with two dogs'",
        'I have one dog, a beagle, and a cat.',
        'The lake was frozen this morning.',
      ])
        await handle.logInteraction({ userMessage, agentResponse: 'Sure.' });
      await varve.drain();
      const all = { abstain: false } as const;
      expect(texts(await handle.recall('How many dogs do I have?', all))[0]).toBe(
        'I have one dog, a beagle, and a cat.',
      );
      expect((await handle.recall('When is my birthday?')).abstained).toBe(true);
      for (const question of ['What did Olaf write about bees?', 'What should I put into Finnish for you?']) {
        const { results } = await handle.recall(question, all);
        const pasted = results.filter(({ text }) => /Olaf|Tarja/u.test(text));
        expect(pasted.map(foundRecord).map(({ trust }) => trust)).toEqual(pasted.map(() => 'low'));
        expect(pasted).toContain(results[0]);
      }
    });

    it('turns without content (“ok”, “thanks”) are found only by their own words, and a “yes” also by the words of its question', async () => {
      const handle = open({ agent: 'coach', user: 'ana', session: 's1' });
      for (const [userMessage, agentResponse] of [
        ['I moved to Oslo in May.', 'Noted.'],
        ['ok', 'Got it.'],
        ['thanks!', 'Gern geschehen.'],
        ['👍', 'Nice! Does your sister Ana work nights?'],
        ['yes', 'Noted. Anything else?'],
        ['thank you', '👍'],
      ] as const)
        await handle.logInteraction({ userMessage, agentResponse });
      await varve.drain();
      const events = async (query: string): Promise<string[]> =>
        texts(await handle.recall(query, { abstain: false, sources: ['events'], limit: 20 }));
      const home = await events('Where do I live?');
      expect(home.toSorted()).toEqual(['I moved to Oslo in May.', 'Nice! Does your sister Ana work nights?']);
      expect(await events('Does Ana work nights?')).toContain('yes');
      expect((await events('thanks'))[0]).toMatch(/^thank/);
      const prompt = await varve
        .for({ ...handle.scope, session: 's2' })
        .context({ message: 'Where do I live?', recallLimit: 20 });
      expect(prompt.system).toContain('Oslo');
      expect(prompt.system).not.toMatch(/ok|Noted|thank|👍|Got it/i);
    });

    it('records without vectors are found by their words, however many other records have vectors, and an unknown name is not found', async () => {
      const handle = open({ agent: 'coach', user: 'ana', session: 's1' });
      const know = (content: string) => handle.memories.create({ type: 'fact', content });
      for (const content of [
        'User is good at Jira, knows Zendesk inside out and can write a basic query.',
        'User has a child, Ada, who is five.',
        'User would take the energy firm over the bank any day.',
        'User leads a team of nine people.',
        'User hates speaking in front of a panel.',
        "Ruben is User's partner.",
        'User has worked in insurance for six years.',
        'User cycles to work in summer.',
      ])
        await know(content);
      await varve.drain();
      await know("User's cousin Thandiwe repairs pianos in Durban.");
      await know('Die Nachbarin Frau Öztürk gießt die Blumen.');
      await know('User keeps the spare key under the blue flowerpot.');
      for (const [query, found] of [
        ['Thandiwe', 'Thandiwe'],
        ['Who is Thandiwe and what does she do for a living?', 'Thandiwe'],
        ['Was macht Frau Öztürk?', 'Öztürk'],
        ['the spare key', 'flowerpot'],
      ] as const) {
        const { abstained, results } = await handle.recall(query);
        expect([query, abstained]).toEqual([query, false]);
        expect(
          results
            .slice(0, 3)
            .map(({ text }) => text)
            .join('\n'),
        ).toContain(found);
      }
      for (const query of ['Zebedee', 'What is the capital of France?'])
        expect([query, (await handle.recall(query)).abstained]).toEqual([query, true]);
    });

    it('[L1] the session, events and memories are three layers of one store', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      await handle.observe([{ content: 'We sell sourdough bread.' }, { origin: 'agent', content: 'Since when?' }]);
      await handle.session.setState({ activePreferences: ['short answers'] });
      await handle.memories.create({ type: 'fact', content: 'The user runs a bakery.' });
      await varve.drain();
      expect(await handle.session.window()).toHaveLength(2);
      expect((await handle.session.get())?.state.activePreferences).toEqual(['short answers']);
      await handle.session.close();
      // The session’s state ends; the episodes and the memories stay, also for the next session.
      const next = varve.for({ ...handle.scope, session: 's2' });
      expect(await next.session.get()).toBeNull();
      expect((await next.events.list({ kinds: ['message'] })).items).toHaveLength(2);
      expect(texts(await next.recall('bakery', { abstain: false }))[0]).toBe('The user runs a bakery.');
    });

    it('[Q7] returns the nearest memories of the user, ten at most, with their score', async () => {
      const handle = open({ agent: 'coach', user: 'ana' });
      await remember(
        handle,
        ...Array.from({ length: 14 }, (_, index) => `The user has visited city number ${index}.`),
        'Prefers tea to coffee.',
      );
      await varve
        .for({ ...handle.scope, user: 'bob' })
        .memories.create({ type: 'fact', content: 'Bob prefers tea as well.' });
      const { results } = await handle.recall('What does the user like to drink?', USER_MEMORIES);
      expect(results).toHaveLength(10);
      expect(results[0]?.text).toBe('Prefers tea to coffee.');
      expect(results.every(({ similarity }) => similarity !== null && similarity >= 0 && similarity <= 1)).toBe(true);
      expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).sort((a, b) => b - a));
    });

    it('[Q6] a session starts with the top 20 memories by importance, then by last access; each of them counts one more access', async () => {
      const handle = open();
      for (let index = 0; index < 25; index += 1) {
        await handle.memories.create({
          type: 'fact',
          content: `Fact ${index}`,
          importance: index < 10 ? 0.9 : 0.3 + index / 100,
        });
      }
      // The first memory was read after the others were created.
      clock.advance(MINUTE);
      const [first] = (await handle.memories.list({ order: 'oldest' })).items;
      await handle.recall('Fact 0', { mode: 'text', limit: 1 });
      await expect.poll(async () => (await handle.memories.get(first!.id))?.accessCount).toBe(1);
      clock.advance(MINUTE);
      const top = await handle.topMemories();
      expect(top).toHaveLength(20);
      expect(top[0]?.content).toBe('Fact 0');
      expect(top.slice(0, 10).every(({ importance }) => importance === 0.9)).toBe(true);
      const order = top.map(({ importance }) => importance);
      expect(order).toEqual([...order].sort((a, b) => b - a));
      await expect.poll(async () => (await handle.memories.get(top[1]!.id))?.accessCount).toBe(1);
      expect((await handle.memories.get(top[1]!.id))?.lastAccessedAt).toEqual(new Date(clock.now()));
      expect((await handle.memories.get(first!.id))?.accessCount).toBe(2);
    });

    it('[L3] of 40 live memories the 30 nearest are ranked and ten are returned, or fewer if a token budget is set', async () => {
      const handle = open();
      const make = (content: string, importance: number) =>
        handle.memories.create({ type: 'fact', content, importance });
      for (let index = 0; index < 30; index += 1) await make(`The bakery sold ${index} loaves of rye bread.`, 0.3);
      for (let index = 0; index < 10; index += 1) await make(`Satellite ${index} crossed the night sky.`, 1);
      await make('The bakery sold bread, too.', 0.09);
      await varve.drain();
      const query = 'How many loaves of rye bread did the bakery sell?';
      const { results } = await handle.recall(query, FIVE_SIGNALS);
      expect(results).toHaveLength(10);
      const all = await handle.recall(query, { ...FIVE_SIGNALS, limit: 40 });
      expect(all.results).toHaveLength(30);
      expect(texts(all).filter((text) => !text.includes('loaves'))).toEqual([]);
      // By importance alone the satellites would come first, but a memory that is not among the 30 nearest is not ranked.
      const weights = { similarity: 0, recency: 0, importance: 1, frequency: 0, entity: 0 };
      expect(texts(await handle.recall(query, { ...FIVE_SIGNALS, weights })).join()).not.toContain('Satellite');
      const few = await handle.recall(query, { ...FIVE_SIGNALS, tokenBudget: 40 });
      expect(few.results.length).toBeGreaterThan(0);
      expect(few.results.length).toBeLessThan(10);
    });

    it('[L2] [L3] five signals order the 30 nearest memories, the weights are settings, and unimportant memories are left out', async () => {
      const handle = open();
      await handle.memories.create({ type: 'fact', content: 'Traffic was 500 visits a day.', importance: 0.5 });
      clock.advance(200 * DAY);
      await handle.memories.create({ type: 'fact', content: 'Traffic is 800 visits a day.', importance: 0.9 });
      await handle.memories.create({ type: 'fact', content: 'Traffic noise is loud.', importance: 0.05 });
      await varve.drain();
      const { results } = await handle.recall('traffic visits a day', FIVE_SIGNALS);
      expect(results.map(({ text }) => text)).toEqual([
        'Traffic is 800 visits a day.',
        'Traffic was 500 visits a day.',
      ]);
      const [first] = results;
      expect(Object.fromEntries(first!.explanation.map(({ signal, weight }) => [signal, weight]))).toEqual({
        similarity: 0.4,
        recency: 0.25,
        importance: 0.2,
        frequency: 0.1,
        entity: 0.05,
      });
      const old = results[1]!.explanation.find(({ signal }) => signal === 'recency');
      expect(old?.value).toBeCloseTo(1 - 200 / 365, 2);
      const weighed = await handle.recall('traffic visits a day', {
        ...FIVE_SIGNALS,
        weights: { similarity: 0, recency: -1, importance: 0, frequency: 0, entity: 0 },
      });
      expect(texts(weighed)[0]).toBe('Traffic was 500 visits a day.');
    });

    it('[L4] a memory that is linked to an entity of the query is found, however different its meaning is', async () => {
      const handle = open();
      const blog = await handle.entities.add({ type: 'service', name: 'Zanzibar Blog', aliases: ['ZB'] });
      await handle.memories.create({ type: 'fact', content: 'Mondays do better than Fridays.', entities: [blog.id] });
      await remember(
        handle,
        ...Array.from({ length: 40 }, (_, index) => `Unrelated statement about gardening tool ${index}.`),
      );
      for (const query of ['How is the Zanzibar Blog doing?', 'anything on zb lately?']) {
        const { results } = await handle.recall(query, { ...FIVE_SIGNALS, limit: 40 });
        const found = results.find(({ text }) => text.startsWith('Mondays'));
        expect(found?.arms).toContain('entity');
        expect(found?.explanation.find(({ signal }) => signal === 'entity')?.value).toBe(1);
      }
    });

    it('[E8] has the modes hybrid, semantic and text, and fuses by reciprocal rank with k = 60', async () => {
      const handle = open();
      await remember(handle, 'The invoice number is QX-4711.', 'Bills are paid on Mondays.', 'The cat sleeps all day.');
      const text = await handle.recall('QX-4711', { mode: 'text' });
      expect(texts(text)).toEqual(['The invoice number is QX-4711.']);
      expect(text.results[0]?.arms).not.toContain('vector');
      const semantic = await handle.recall('when do we settle what we owe', { mode: 'semantic' });
      expect(texts(semantic)[0]).toBe('Bills are paid on Mondays.');
      const fused = await handle.recall('invoice paid on Mondays', { fusion: 'reciprocal-rank', abstain: false });
      const best = fused.results[0];
      expect(best?.text).toBe('Bills are paid on Mondays.');
      expect(best?.score).toBeCloseTo(1 / 61 + 1 / 61, 10);
      const accesses = async (): Promise<number | undefined> =>
        (await handle.memories.list()).items.find(({ content }) => content.startsWith('Bills'))?.accessCount;
      await expect.poll(accesses).toBeGreaterThanOrEqual(2);
    });

    it('[T8] returns the five nearest with their distance, from the active connections or from none, by context type', async () => {
      const jira = open({ user: 'ana', connection: 'jira' });
      const mail = varve.for({ ...jira.scope, connection: 'mail' });
      const plain = varve.for({ ...jira.scope, connection: null });
      await jira.memories.create({
        type: 'fact',
        content: 'The default project is PROJ.',
        context: { type: 'tool_persistent', source: 'system_learned' },
      });
      await mail.memories.create({
        type: 'fact',
        content: 'The project mailbox is proj@example.org.',
        context: { type: 'tool_entity', source: 'tool_indexed' },
      });
      await plain.memories.create({
        type: 'fact',
        content: 'The user leads the project.',
        context: { type: 'user_profile', source: 'user_provided' },
      });
      await jira.indexDocument({ content: 'The project plan ends in May.' });
      await varve.drain();
      const ask = async (handle: Handle, more: object = {}): Promise<string[]> =>
        texts(await handle.recall('What about the project?', { ...STORED_CONTEXT, ...more })).sort();
      expect(await ask(plain)).toEqual(['The user leads the project.']);
      expect(await ask(jira)).toEqual([
        'The default project is PROJ.',
        'The project plan ends in May.',
        'The user leads the project.',
      ]);
      expect(await ask(plain, { connections: ['jira', 'mail'] })).toHaveLength(4);
      expect(await ask(jira, { connections: ['mail'], filter: { contextTypes: ['tool_entity'] } })).toEqual([
        'The project mailbox is proj@example.org.',
      ]);
      const { results } = await jira.recall('What about the project?', STORED_CONTEXT);
      const distances = results.map(({ distance }) => distance ?? Number.NaN);
      expect(distances).toEqual([...distances].sort((a, b) => a - b));
      expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
      for (let index = 0; index < 4; index += 1)
        await jira.memories.create({ type: 'fact', content: `Stage ${index} of the project is done.` });
      await varve.drain();
      expect(await ask(jira)).toHaveLength(5);
    });

    it('[K2] [K13] [K16] finds notes and summaries by meaning, saved items by tag, and the history by keyword', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      await handle.notes.add({ title: 'Rome', content: 'The hotel near the Pantheon had a lovely roof terrace.' });
      await handle.notes.add({ title: 'Boiler', content: 'The boiler is serviced every October.' });
      await handle.memories.create({
        type: 'summary',
        title: 'Summary: Rome trip',
        content: 'Planned a week in Rome with hotels and museums.',
      });
      await handle.savedItems.add({
        title: 'The AI act',
        url: 'https://example.org/ai',
        tags: ['ai_regulation', 'law'],
        summary: 'Ten minutes.',
      });
      await handle.savedItems.add({ title: 'Sourdough', url: 'https://example.org/bread', tags: ['baking'] });
      await handle.logInteraction({
        userMessage: 'I mentioned burnout to my boss.',
        agentResponse: 'That took courage.',
      });
      await varve.drain();
      expect(texts(await handle.recall('a hotel for our Rome trip', RELEVANT_NOTES))).toEqual([
        'Rome. The hotel near the Pantheon had a lovely roof terrace.',
      ]);
      expect(texts(await handle.recall('hotels in Rome', RELEVANT_SUMMARIES))).toHaveLength(1);
      const saved: RecallOptions = {
        sources: ['saved_items'],
        filter: { anyTag: ['ai_regulation', 'new'] },
        abstain: false,
      };
      expect(
        (await handle.recall('What is new in ai regulation?', saved)).results.map(({ memory }) => memory?.title),
      ).toEqual(['The AI act']);
      expect(texts(await handle.recall('burnout', { sources: ['events'], mode: 'text' }))).toEqual([
        'I mentioned burnout to my boss.',
      ]);
      const everywhere = await handle.recall('Rome', { mode: 'semantic', limit: 20 });
      expect(everywhere.results.map(({ memory, event }) => memory?.type ?? event?.kind)).toEqual(
        expect.arrayContaining(['note', 'summary', 'saved_item', 'message']),
      );
    });

    it('[K14] of two equally near notes the newer comes first, by up to 0.05', async () => {
      const handle = open();
      await handle.notes.add({ title: 'Standup', content: 'The team meets at nine.' });
      clock.advance(45 * DAY);
      await handle.notes.add({ title: 'Standup', content: 'The team meets at 9 o’clock.' });
      await varve.drain();
      const boosted = await handle.recall('when does the team meet', {
        ...RELEVANT_NOTES,
        minimumSimilarity: 0,
      });
      const raw = await handle.recall('when does the team meet', { sources: ['notes'], mode: 'semantic', limit: 2 });
      const scoreOf = (recalled: Recalled, content: string): number =>
        recalled.results.find(({ memory }) => memory?.content === content)?.score ?? Number.NaN;
      expect(
        scoreOf(boosted, 'The team meets at 9 o’clock.') - scoreOf(raw, 'The team meets at 9 o’clock.'),
      ).toBeCloseTo(0.05, 4);
      expect(scoreOf(boosted, 'The team meets at nine.') - scoreOf(raw, 'The team meets at nine.')).toBeCloseTo(
        0.025,
        4,
      );
    });

    it('filters by every field, combined with and, or, not', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      const make = (content: string, fields: object): Promise<unknown> =>
        handle.memories.create({ type: 'fact', content, ...fields });
      await make('Paint is red.', {
        tags: ['colour'],
        importance: 0.9,
        trust: 'low',
        metadata: { room: { name: 'hall' }, floor: 2 },
      });
      await make('Paint is blue.', {
        tags: ['colour', 'sea'],
        importance: 0.5,
        confidence: 'low',
        sourceType: 'inference',
        metadata: { hidden: true },
      });
      await make('Paint is green.', { type: 'preference', importance: 0.2, validFrom: '2020-01-01' });
      await handle.observe({ content: 'Paint the fence.' });
      await varve.drain();
      const find = async (filter: object): Promise<string[]> =>
        texts(await handle.recall('paint', { filter, abstain: false })).sort();
      expect(await find({ tags: ['colour'] })).toEqual(['Paint is blue.', 'Paint is red.']);
      expect(await find({ tags: ['colour', 'sea'] })).toEqual(['Paint is blue.']);
      expect(await find({ anyTag: ['sea', 'none'] })).toEqual(['Paint is blue.']);
      expect(await find({ types: ['preference'] })).toEqual(['Paint is green.']);
      expect(await find({ types: ['message'] })).toEqual(['Paint the fence.']);
      expect(await find({ minimumImportance: 0.5, maximumImportance: 0.6 })).toEqual(['Paint is blue.']);
      expect(await find({ minimumConfidence: 'high', types: ['fact'] })).toEqual(['Paint is red.']);
      expect(await find({ minimumTrust: 'high', types: ['fact'] })).toEqual(['Paint is blue.']);
      expect(await find({ sourceTypes: ['inference'] })).toEqual(['Paint is blue.']);
      expect(await find({ origins: ['user'] })).toEqual(['Paint the fence.']);
      expect(await find({ before: '2021-01-01' })).toEqual(['Paint is green.']);
      expect(await find({ metadata: { 'room.name': 'hall', floor: 2 } })).toEqual(['Paint is red.']);
      expect(await find({ metadata: { hidden: true } })).toEqual(['Paint is blue.']);
      expect(await find({ or: [{ types: ['preference'] }, { tags: ['sea'] }] })).toEqual([
        'Paint is blue.',
        'Paint is green.',
      ]);
      expect(await find({ not: { tags: ['colour'] } })).toEqual(['Paint is green.', 'Paint the fence.']);
      expect(await find({ and: [{ tags: ['colour'] }, { not: { metadata: { hidden: true } } }] })).toEqual([
        'Paint is red.',
      ]);
      expect(await find({ metadata: { "x' or 1=1 --": 'y' } })).toEqual([]);
      await expect(handle.recall('paint', { filter: { colour: 'red' } as never })).rejects.toMatchObject({
        code: 'invalid_input',
      });
      await expect(handle.recall('  ')).rejects.toMatchObject({ code: 'invalid_input' });
      await expect(handle.recall('x', { limit: 0 })).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('refuses a filter, an option or a scope with a name that does not exist, and lists those that do', async () => {
      const handle = open();
      const recall = (options: object): Promise<unknown> => handle.recall('x', options);
      for (const filter of [{ types: ['episodes'] }, { or: [{ not: { types: ['fact', 'episodes'] } }] }])
        await expect(recall({ filter })).rejects.toThrow(/"episodes"\. Did you mean episode\? Known types: .*message/);
      expect((await handle.recall('x', { filter: { types: ['tool_result', 'episode'] } })).results).toEqual([]);
      await expect(recall({ filter: { tag: ['a'] } })).rejects.toThrow(
        /"tag"\. Did you mean tags\? The fields are types/,
      );
      await expect(recall({ maximum: 3 })).rejects.toThrow(/"maximum".* The fields are limit, tokenBudget/);
      expect(() => varve.for({ user: 'ana', sesion: 's' } as never)).toThrow(
        'Did you mean session? The fields are tenant, agent, user, session, connection.',
      );
    });

    it('packs results into a token budget, without repeating a text and without a turn beside the memory formed from it', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      const { events } = await handle.observe([
        { content: 'I adopted a greyhound called Nimbus.' },
        { content: 'I adopted a greyhound called Nimbus.' },
      ]);
      await handle.memories.create({
        type: 'personal',
        content: 'Has a greyhound named Nimbus.',
        sourceEvents: [events[0]!.id],
      });
      await varve.drain();
      const all = await handle.recall('greyhound Nimbus', { abstain: false });
      expect(texts(all).filter((text) => text.startsWith('I adopted')).length).toBeLessThanOrEqual(1);
      expect(all.results.map(({ id }) => id)).not.toContain(events[0]!.id);
      const { results } = await handle.recall('greyhound Nimbus', { abstain: false, tokenBudget: 8 });
      expect(results).toHaveLength(1);
    });

    it('returns neighbours and sources, and follows a replaced memory to the live one', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      const { events } = await handle.observe([
        { content: 'Good morning!' },
        { content: 'I broke my arm while skiing.' },
        { origin: 'agent', content: 'Oh no, get well soon.' },
      ]);
      const { memory } = await handle.memories.create({
        type: 'fact',
        content: 'John works at Acme Corporation.',
        sourceEvents: [events[1]!.id],
      });
      await handle.memories.supersede(memory.id, {
        type: 'fact',
        content: 'John is employed by TechCorp.',
        sourceEvents: [events[1]!.id],
      });
      await varve.drain();
      const [skiing] = (await handle.recall('broke arm skiing', { sources: ['events'], neighbours: 1, abstain: false }))
        .results;
      expect(skiing?.before.map(({ content }) => content)).toEqual(['Good morning!']);
      expect(skiing?.after.map(({ content }) => content)).toEqual(['Oh no, get well soon.']);
      const [john] = (
        await handle.recall('Acme Corporation', { sources: ['memories'], withSources: true, abstain: false })
      ).results;
      expect(john).toMatchObject({ text: 'John is employed by TechCorp.', foundBy: memory.id });
      expect(john?.sources.map(({ id }) => id)).toEqual([events[1]!.id]);
    });

    it('returns each result with its own neighbours and sources, also from several sessions', async () => {
      const owner = { tenant: 'paddlers', user: 'ana' };
      const sources: string[] = [];
      for (const [session, place] of [
        ['spring', 'Faro'],
        ['autumn', 'Split'],
      ] as const) {
        const turns = [`Off to ${place} soon.`, `I rented a kayak in ${place}.`, `The sea at ${place} was calm.`];
        const { events } = await varve.for({ ...owner, session }).observe(turns.map((content) => ({ content })));
        sources.push(events[1]!.id);
      }
      const handle = varve.for(owner);
      await handle.memories.create({ type: 'fact', content: 'Likes paddling.', sourceEvents: sources });
      await varve.drain();
      const { results } = await handle.recall('rented a kayak', {
        sources: ['events'],
        neighbours: 1,
        abstain: false,
        limit: 2,
      });
      const beside = results.map(({ text, before, after }) => [
        text,
        [...before, ...after].map((turn) => turn.content),
      ]);
      expect(Object.fromEntries(beside as [string, string[]][])).toEqual({
        'I rented a kayak in Faro.': ['Off to Faro soon.', 'The sea at Faro was calm.'],
        'I rented a kayak in Split.': ['Off to Split soon.', 'The sea at Split was calm.'],
      });
      const [paddling] = (
        await handle.recall('paddling', { sources: ['memories'], withSources: true, neighbours: 1, abstain: false })
      ).results;
      expect(paddling).toMatchObject({ before: [], after: [] });
      expect(paddling?.sources.map(({ id }) => id)).toEqual(sources);
    });

    it('a question about the past is answered by what was true then, and one about the present by what replaced it', async () => {
      const handle = open();
      const { memory } = await handle.memories.create({ type: 'fact', content: 'Sings alto in the chamber choir.' });
      clock.advance(30 * DAY);
      await handle.memories.supersede(memory.id, { type: 'fact', content: 'Sings alto in the gospel choir.' });
      await remember(handle, 'Owns a red canoe.', 'Teaches geography.', 'Is afraid of geese.');
      const first = async (question: string): Promise<string | undefined> =>
        texts(await handle.recall(question, { abstain: false }))[0];
      expect(await first('Which choir does she sing in now?')).toBe('Sings alto in the gospel choir.');
      expect(await first('Which choir did she sing in previously?')).toMatch(
        /^Sings alto in the chamber choir\. \(until 20/,
      );
    });

    it.each([
      ['Ich wohne in Passau.', 'Ich wohne jetzt in Celle.', 'Wo wohne ich?', 'Wo wohnte ich früher?', 'Celle'],
      ['Vivo en Murcia.', 'Ahora vivo en León.', '¿Dónde vivo?', '¿Dónde vivía antes?', 'León'],
      ['Ik woon in Zwolle.', 'Ik woon nu in Breda.', 'Waar woon ik?', 'Waar woonde ik eerst?', 'Breda'],
      ['I live in Truro.', 'I live in Ludlow now.', 'In which town do I live?', 'Where did I live before?', 'Ludlow'],
    ])(
      'a turn ranks below the statement that replaced it, and is marked: %s',
      async (before, after, now, past, town) => {
        const handle = open({ user: 'u1', session: 's1' });
        for (const userMessage of [before, after]) {
          await handle.logInteraction({ userMessage, agentResponse: 'Fine.' });
          await handle.form();
          clock.advance(100 * DAY);
        }
        await varve.drain();
        const held = texts(await handle.recall(now, { abstain: false }));
        expect(held[0]).toContain(town);
        const events = texts(await handle.recall(now, { abstain: false, sources: ['events'] }));
        expect(events).toContain(`${before} (changed later)`);
        expect(events).toContain(after);
        expect(texts(await handle.recall(past, { abstain: false }))[0]).not.toContain(town);
      },
    );

    it('only a turn with a changed statement is marked, and it ranks below the turn that changed it', async () => {
      const talk = open({ agent: 'coach', user: 'u1' });
      for (const [session, userMessage] of [
        'I have an appointment at the optician on Friday at 11',
        'I drink far too much cola, like 4 cans a day',
        'I cut down on cola, just one can on Sundays now',
        'My neighbour keeps three geese.',
      ].entries()) {
        const handle = varve.for({ ...talk.scope, session: `s${session}` });
        await handle.logInteraction({ userMessage, agentResponse: 'I see.' });
        await handle.session.close();
        await varve.drain();
        clock.advance(20 * DAY);
        await varve.maintain({ tenant: talk.scope.tenant });
        await varve.drain();
      }
      const found = async (question: string): Promise<string[]> =>
        texts(await talk.recall(question, { abstain: false, limit: 20 }));
      const cola = await found('How many cans of cola do I drink?');
      expect(cola[0]).toBe('I cut down on cola, just one can on Sundays now');
      expect(cola).toContain('I drink far too much cola, like 4 cans a day (changed later)');
      const optician = await found('When is my appointment at the optician?');
      expect(optician[0]).toBe('I have an appointment at the optician on Friday at 11');
      expect((await found('How much cola did I drink before?'))[0]).toMatch(/4 cans a day/);
    });

    it('a summary marks the lines that were replaced later, and no others', async () => {
      const talk = open({ agent: 'coach', user: 'u1' });
      for (const [session, turns] of [
        [
          'one',
          [
            'I live in Truro, near the cathedral, and ring its bells.',
            'My brother Ned repairs church organs in Exeter.',
            'On Sundays I sing in the choir of Saint Mary.',
            'The choir has twenty people and a very old piano.',
          ],
        ],
        ['two', ['I live in Ludlow now.']],
      ] as const) {
        const handle = varve.for({ ...talk.scope, session });
        for (const userMessage of turns) await handle.logInteraction({ userMessage, agentResponse: 'I see.' });
        await handle.session.close();
        await varve.drain();
        clock.advance(40 * DAY);
      }
      const { results } = await talk.recall('Where do I live, near which cathedral?', {
        abstain: false,
        sources: ['summaries'],
      });
      const lines = results.flatMap(({ memory }) => memory?.content.split('\n') ?? []);
      expect(lines.filter((line) => line.includes('Truro'))).toEqual([expect.stringMatching(/\(changed later\)$/)]);
      expect(lines.filter((line) => !line.includes('Truro')).join()).not.toContain('(changed later)');
      expect(lines.length).toBeGreaterThan(1);
    });

    it('a question for a fact at a named time is answered by the value of that time', async () => {
      const handle = open({ user: 'u1', session: 's1' });
      for (const [day, content] of [
        ['2026-02-10', 'I live in Bilbao.'],
        ['2026-05-01', 'I live in Vigo now.'],
        ['2026-05-02', 'I work as a tailor.'],
      ] as const) {
        await handle.observe({ content, occurredAt: `${day}T10:00:00Z` });
        await handle.form();
      }
      await varve.drain();
      const first = async (question: string): Promise<string | undefined> =>
        texts(await handle.recall(question, { abstain: false, sources: ['memories'], now: '2026-06-10T00:00:00Z' }))[0];
      for (const month of ['February', 'March', 'April'])
        expect(await first(`Where did I live in ${month}?`)).toContain('Bilbao');
      expect(await first('In which city did I live in May?')).toContain('Vigo');
      expect(await first('Where do I live?')).toContain('Vigo');
      // The only known value may have been true before it was mentioned.
      expect(await first('What was my job in March?')).toContain('tailor');
    });

    it('a turn with forgotten words is shown with “…” in their place and without a mark of a change, in results and in prompts', async () => {
      const handle = open({ agent: 'coach', user: 'u1', session: 's1' });
      const userMessage = 'I live in Trondheim and I am a vegetarian now.';
      await handle.logInteraction({ userMessage, agentResponse: 'Good to know.' });
      await varve.drain();
      const { items } = await handle.memories.list({ attributes: ['home_city'] });
      for (const { id } of items) await handle.memories.forget(id);
      await varve.drain();
      const { results } = await handle.recall('Am I a vegetarian?', { abstain: false, sources: ['events'] });
      expect(results.map(({ text }) => text)).toContain('… and I am a vegetarian now.');
      const { messages } = await handle.context({ message: 'What may I eat?' });
      expect(messages[0]?.content).toBe('… and I am a vegetarian now.');
    });

    it('a turn with a replaced statement keeps its rank if other words of the turn answer the question', async () => {
      const handle = open({ user: 'u1', session: 's1' });
      for (const userMessage of [
        'I live in Truro, and last night the chimney of the old bakery across the road collapsed onto three parked vans.',
        'I live in Ludlow now.',
      ]) {
        await handle.logInteraction({ userMessage, agentResponse: 'Fine.' });
        await handle.form();
        clock.advance(100 * DAY);
      }
      await varve.drain();
      const [first] = texts(await handle.recall('What collapsed onto the vans across the road?', { abstain: false }));
      expect(first).toContain('chimney');
    });

    it('a question about changes since a time is answered by statements that began or ended since', async () => {
      const handle = open();
      const since = (validFrom: string, content: string, validTo?: string): Promise<unknown> =>
        handle.memories.create({ type: 'fact', content, validFrom, ...(validTo === undefined ? {} : { validTo }) });
      await since('2025-01-01T09:00:00Z', 'Owns a red canoe.');
      await since('2025-01-02T09:00:00Z', 'Teaches geography.', '2026-05-01T09:00:00Z');
      await since('2026-05-04T09:00:00Z', 'Runs the school library.');
      await since('2024-03-04T09:00:00Z', 'Is afraid of geese.');
      await varve.drain();
      for (const question of ['What has changed since April?', 'Was hat sich seit April geändert?']) {
        const { results, abstained } = await handle.recall(question, { now: '2026-06-15T09:00:00Z' });
        expect(abstained).toBe(false);
        expect(
          results
            .slice(0, 2)
            .map(({ text }) => text)
            .toSorted(),
        ).toEqual(['Runs the school library.', 'Teaches geography. (until 2026-05-01)']);
      }
    });

    it('a question that names only a time is answered by what is due, planned or past in that time', async () => {
      const handle = open({ user: 'ana' });
      const now = new Date('2026-06-15T09:00:00Z'); // a Monday
      const plans = [
        ['Collect the bike from the workshop', '2026-06-18'],
        ['Piano recital of Nora', '2026-06-20'],
        ['Pay the water bill', '2026-06-24'],
        ['Flight to Porto', '2026-12-03'],
      ] as const;
      for (const [content, day] of plans) {
        const planned = { type: 'intention', tense: 'planned', state: 'open', dueAt: day } as const;
        await handle.memories.create({ ...planned, content });
      }
      const seen = { tense: 'happened', validFrom: '2026-06-11' } as const;
      await handle.memories.create({ type: 'fact', content: 'User saw the eclipse.', ...seen });
      await remember(handle, 'User plays the cello.', 'User has a standing desk.');
      const asked = async (question: string): Promise<string[]> => {
        const { results } = await handle.recall(question, { minimumRelevance: 0.5, now });
        return results.map(({ memory }) => memory?.content ?? '').toSorted();
      };
      const week = ['Collect the bike from the workshop', 'Piano recital of Nora'];
      expect(await asked('what have i got on this week?')).toEqual(week);
      await remember(handle, 'The new walking boots have arrived this week or last week, what a week.');
      const [first, second] = (await handle.recall('what have i got on this week?', { now })).results;
      expect([first?.text, second?.text].map((text) => text?.split(' (')[0]).toSorted()).toEqual(week);
      expect(await asked('Was steht diese Woche an?')).toEqual(week);
      expect(await asked('What is planned for this weekend?')).toEqual(['Piano recital of Nora']);
      expect(await asked('Do I have anything next week?')).toEqual(['Pay the water bill']);
      expect(await asked('Am I free on Thursday?')).toEqual(['Collect the bike from the workshop']);
      expect(await asked('what do I have in December?')).toEqual(['Flight to Porto']);
      expect(await asked('What did I do last week?')).toEqual(['User saw the eclipse.']);
      expect((await handle.recall('What have I got on tomorrow?', { now })).abstained).toBe(true);
      const { beforeMessage } = await handle.context({ message: 'anything on this week?', history: false, now });
      expect(beforeMessage).toContain('Collect the bike from the workshop (planned for 2026-06-18)');
      expect(beforeMessage).not.toContain('Do not guess');
    });

    it('a question with the user’s name is a question about the user, and the fact with the name answers only questions for the name', async () => {
      const handle = open({ user: 'ingrid.solberg' });
      await handle.facts.set({ key: 'name', value: 'Ingrid Solberg' });
      await handle.facts.set({ key: 'preferred_name', value: 'Inga' });
      await handle.facts.set({ key: 'home_city', value: 'Tromsø' });
      await handle.facts.set({ key: 'partner_name', value: 'Runa' });
      await remember(handle, 'Keeps reindeer behind the sauna.');
      const first = async (question: string): Promise<string | undefined> => texts(await handle.recall(question))[0];
      for (const name of ['Inga', 'Ingrid', 'Ingrid Solberg', 'inga']) {
        expect(await first(`Where does ${name} live?`)).toContain('Tromsø');
        expect(await first(`Which animals does ${name} keep?`)).toContain('reindeer');
      }
      for (const name of ['Inga', 'Ingrid', 'Ingrid Solberg']) {
        for (const unknown of [`What is ${name}'s shoe size?`, `Which bank does ${name} use?`])
          expect(await handle.recall(unknown)).toMatchObject({ abstained: true, results: [] });
      }
      expect(await first('What is my name?')).toContain('Ingrid Solberg');
      expect(await first('Who am I?')).toMatch(/Ing/);
      expect(await first('Inga')).toContain('Inga');
      expect(await first('What is the name of my partner?')).toContain('Runa');
      expect((await handle.recall('Which dentist do I go to?')).abstained).toBe(true);
    });

    it('the id of the user counts as a name of the user, unless a relative has that name', async () => {
      const [own, sister] = [open({ user: 'mirela' }), open({ user: 'mirela' })];
      for (const handle of [own, sister])
        await handle.logInteraction({ userMessage: 'I live in Cluj.', agentResponse: 'Mirela, what a town.' });
      await sister.logInteraction({ userMessage: 'My sister Mirela lives in Iasi.', agentResponse: 'I see.' });
      await varve.drain();
      expect(texts(await own.recall('Where does Mirela live?'))[0]).toBe('Lives in Cluj');
      expect(texts(await sister.recall('Where does Mirela live?'))[0]).toContain('Iasi');
    });

    it('a plan is shown as a plan with its date, in results and for tools, in its language', async () => {
      const handle = open();
      const planned = { type: 'fact', tense: 'planned', validFrom: '2026-09-01T00:00:00Z' } as const;
      await handle.memories.create({ ...planned, content: 'Works as a beekeeper in Ghent.' });
      await handle.memories.create({ ...planned, content: 'Wohnt mit den Eltern in einem Haus in Graz.' });
      await varve.drain();
      const first = async (question: string): Promise<RecallResult> =>
        (await handle.recall(question, { abstain: false })).results[0] as RecallResult;
      const job = await first('Where does she work as a beekeeper?');
      expect(job.text).toBe('Works as a beekeeper in Ghent. (planned for 2026-09-01)');
      expect(foundRecord(job).text).toBe(job.text);
      const home = await first('In welchem Haus wohnt sie mit den Eltern?');
      expect(home.text).toBe('Wohnt mit den Eltern in einem Haus in Graz. (geplant für 2026-09-01)');
    });

    it('a question for a list gets more than ten results, unless the caller sets a limit', async () => {
      const handle = open();
      const towns = 'Aarhus Bergen Cork Delft Evora Faro Gdynia Hasselt Imola Jena Kotka Lund Malaga Nantes'.split(' ');
      await remember(handle, ...towns.map((town) => `Has spent a holiday in ${town}.`));
      const ask = async (options: RecallOptions = {}): Promise<number> =>
        texts(await handle.recall('Which towns has she been to on holiday?', { abstain: false, ...options })).length;
      expect(await ask()).toBe(14);
      expect(await ask({ limit: 5 })).toBe(5);
      expect(texts(await handle.recall('the holiday in Delft', { abstain: false }))).toHaveLength(10);
    });

    it('turns with the same content are one result, and other results take the freed places', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      const plants = 'ficus aloe fern cactus ivy begonia orchid violet jasmine lavender'.split(' ');
      await handle.observe([
        ...Array.from({ length: 15 }, () => ({ content: 'The ficus needs water.' })),
        ...plants.map((plant) => ({ content: `The ${plant} needs water.` })),
      ]);
      await varve.drain();
      const found = texts(await handle.recall('Does the ficus need water?', { sources: ['events'], abstain: false }));
      expect(found[0]).toBe('The ficus needs water.');
      expect(found.toSorted()).toEqual(plants.map((plant) => `The ${plant} needs water.`).toSorted());
    });

    it('shows the matching passage of a long turn, and the whole turn is available', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      const chapters = [
        'The boat needs a new mast before the summer. I asked two yards for a price, and the one in Stavoren was much cheaper. They can start after Easter.',
        'My cousin Wim has opened a bakery in the old post office. He sells rye bread and a walnut loaf that is gone by nine. On Mondays he is closed.',
        'At work the audit is over at last. The inspectors found three labels that were missing in the cold store. We have until the autumn to mend it.',
        'I am reading about tides again. The tables of the harbour are printed a year ahead and still right to the minute. It calms me down.',
      ];
      const content = chapters.join(' ');
      await handle.observe({ content });
      await varve.drain();
      const [found] = (
        await handle.recall('What does Wim sell in his bakery?', { sources: ['events'], abstain: false })
      ).results;
      expect(found?.event?.content).toBe(content);
      expect(found?.text).toContain('a walnut loaf');
      expect(found?.text.length).toBeLessThan(content.length * 0.7);
    });

    it('answers from the past as of a time', async () => {
      const handle = open();
      await handle.facts.set({ key: 'home_city', value: 'Berlin' });
      await varve.drain();
      const then = clock.now();
      clock.advance(DAY);
      await handle.facts.set({ key: 'home_city', value: 'Munich' });
      await varve.drain();
      expect(texts(await handle.recall('home city', { abstain: false }))).toEqual(['Home city: Munich']);
      expect(texts(await handle.asOf(then).recall('home city', { abstain: false }))).toEqual(['Home city: Berlin']);
      expect(texts(await handle.asOf(then - 1).recall('home city', { abstain: false }))).toEqual([]);
    });

    it('resolves "last week", "in May 2023" and "before I moved" against the time and zone of the asker', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      const at = (time: string, content: string): Promise<unknown> => handle.observe({ content, occurredAt: time });
      await at('2023-05-10T10:00:00Z', 'Had dinner with Tom at the harbour.');
      await at('2025-01-10T10:00:00Z', 'I finally moved to Valencia!');
      await at('2025-08-03T10:00:00Z', 'Had dinner with Kim at the old mill.');
      await at('2026-06-09T10:00:00Z', 'Had dinner with Lea on the boat.');
      for (let month = 1; month <= 9; month += 1)
        await at(`2024-0${month}-10T10:00:00Z`, `Nothing much happened in chapter ${month}.`);
      await varve.drain();
      const ask = async (query: string): Promise<string | undefined> =>
        texts(
          await handle.recall(query, { abstain: false, now: '2026-06-15T09:00:00Z', timeZone: 'Europe/Madrid' }),
        )[0];
      expect(await ask('Who did I have dinner with last week?')).toContain('Lea');
      expect(await ask('Who did I have dinner with in May 2023?')).toContain('Tom');
      expect(await ask('Who did I have dinner with before I moved to Valencia?')).toContain('Tom');
    });

    it('abstains and says so when nothing relevant is known', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      await remember(
        handle,
        'Likes strong espresso.',
        'Works at the port authority.',
        'Has two sisters.',
        'Runs on Sundays.',
      );
      const unknown = await handle.recall('Which quantum chromodynamics textbook was recommended?');
      expect(unknown).toMatchObject({ results: [], abstained: true });
      expect(unknown.answerable).toBeLessThan(0.4);
      const known = await handle.recall('What kind of espresso?');
      expect(known.abstained).toBe(false);
      expect(texts(known)[0]).toBe('Likes strong espresso.');
    });

    it('a permanent fact that matters for the question is returned, even if no other result is relevant', async () => {
      const handle = open({ user: 'ana' });
      await handle.facts.set({ key: 'allergy', value: 'peanuts', category: 'health' });
      await remember(handle, 'Drives a blue van.', 'Works at the port authority.', 'Has two sisters.');
      const { results, abstained } = await handle.recall('What shall we cook?', { minimumRelevance: 0.3 });
      expect(abstained).toBe(false);
      expect(results.map(({ text }) => text)).toEqual(['Allergy: peanuts']);
    });

    it('[K5] a question asks for the attributes that it names, and not for all attributes that share a word with them', async () => {
      const handle = open({ user: 'call' });
      for (const [key, value] of [
        ['name', 'Ana'],
        ['preferred_name', 'Annie'],
        ['partner_name', 'Luis'],
        ['pet_name', 'Miso'],
        ['boat_name', 'Nautilus'],
      ] as const)
        await handle.facts.set({ key, value });
      const asked = async (question: string): Promise<string[]> =>
        (await handle.recall(question, { abstain: false })).results
          .filter(({ arms }) => arms.includes('keyed'))
          .map(({ memory }) => memory?.value ?? '');
      expect(await asked('When did I call the dentist?')).toEqual([]);
      expect(await asked('What is my name?')).toEqual(['Ana']);
      expect(await asked('What is the name of my partner?')).toEqual(['Luis']);
      expect(await asked('Wie heißt mein Haustier?')).toEqual(['Miso']);
      expect(await asked('Where is the boat?')).toEqual(['Nautilus']);
      expect(await asked("What is the name of Boma's school?")).toEqual([]);
      expect(await asked('What did the party for my partner cost?')).toEqual([]);
    });

    it('a statement that was made long ago and recorded just now is not recent', async () => {
      const handle = open({ user: 'bea' });
      const occurredAt = new Date(clock.now() - 100 * DAY);
      await handle.logInteraction({ userMessage: 'I live in Ghent.', agentResponse: 'Noted.', occurredAt });
      await handle.logInteraction({ userMessage: 'The oven is broken again.', agentResponse: 'Oh no.', occurredAt });
      await varve.drain();
      clock.advance(MINUTE);
      const { results } = await handle.recall('Where does she live?', { abstain: false });
      const ages = results.map(({ explanation }) => explanation.find(({ signal }) => signal === 'fresh')?.value ?? 0);
      expect(results.some(({ kind }) => kind === 'memory')).toBe(true);
      expect(Math.max(...ages)).toBeLessThan(0.01);
    });

    it('for a question about the user, statements about the user come before those about relatives', async () => {
      const handle = open({ user: 'ana' });
      for (const [key, value] of [
        ['name', 'Ana'],
        ['employer', 'Acme'],
        ['partner_name', 'Luis'],
        ['mother_name', 'Rosa'],
        ['cat_name', 'Miso'],
      ] as const)
        await handle.facts.set({ key, value });
      await remember(handle, "User's brother works for Shopify in Toronto.", "User's daughter Alba is four years old.");
      const created = await createVarve({ store: options, embedder: null, background: false, clock });
      const first = async (question: string): Promise<string | undefined> => texts(await handle.recall(question))[0];
      expect(await first('Where does she work?')).toBe('Employer: Acme');
      expect(await first('What is her name?')).toBe('Name: Ana');
      expect(await first("What is her husband's name?")).toMatch(/Luis/);
      expect(await first("What is her mother's name?")).toMatch(/Rosa/);
      expect(await first("What is the cat's name?")).toMatch(/Miso/);
      expect(await first('Where does her brother work?')).toBe("User's brother works for Shopify in Toronto.");
      expect(await first("What is her daughter's name?")).toBe("User's daughter Alba is four years old.");
      // This also works without vectors, because the key has the meaning of the question.
      const [byKey] = (await created.for(handle.scope).recall('Where does she work?')).results;
      expect(byKey?.text).toBe('Employer: Acme');
      await created.close();
    });

    it('a question that names a kind of memory is answered by memories of that kind, with and without vectors', async () => {
      const handle = open({ user: 'kim' });
      for (const [type, content] of [
        ['preference', 'User prefers trains over planes.'],
        ['preference', 'User wants the agent to answer in bullet points.'],
        ['goal', 'User wants to open a bakery in 2028.'],
        ['fact', "User's sister Mia is a vet."],
        ['fact', 'User drives a blue van.'],
      ] as const)
        await handle.memories.create({ type, content });
      await varve.drain();
      const withoutVectors = await createVarve({ store: options, embedder: null, background: false, clock });
      for (const opened of [varve, withoutVectors]) {
        const asked = async (query: string): Promise<string[]> =>
          texts(await opened.for(handle.scope).recall(query, { minimumRelevance: 0.5 })).toSorted();
        expect(await asked('user preferences')).toEqual([
          'User prefers trains over planes.',
          'User wants the agent to answer in bullet points.',
        ]);
        expect(await asked('How should I format the answer?')).toEqual([
          'User wants the agent to answer in bullet points.',
        ]);
        expect(await asked('goals')).toEqual(['User wants to open a bakery in 2028.']);
        expect(await asked('family')).toEqual(["User's sister Mia is a vet."]);
        expect(await asked('What do you know about me?')).toHaveLength(5);
        // A question that asks for more than a kind needs results that match the rest too.
        expect(await asked('preferences on quantum chromodynamics')).not.toContain('User prefers trains over planes.');
      }
      await withoutVectors.close();
    });

    it('[T21] returns no secret that the policy keeps out of memories, and the log has none', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      await handle.observe([
        { content: 'The password for the portal is hunter2xyz.' },
        { origin: 'agent', content: 'Noted: your password is hunter2xyz.' },
      ]);
      await varve.drain();
      const found = await handle.recall('What is the password for the portal?', { abstain: false, neighbours: 1 });
      expect(texts(found)[0]).toBe('The password for the portal is [password removed].');
      expect(JSON.stringify(found)).not.toContain('hunter2xyz');
      expect(JSON.stringify(await handle.events.list())).not.toContain('hunter2xyz');
    });

    it('[L4] finds every memory of an entity with several names, however many memories other users have of it', async () => {
      const created = await database.create();
      const plain = await createVarve({ store: created.options, background: false, embedder: null });
      const everybody = plain.for({ tenant: 'names', user: null });
      const anna = await everybody.entities.add({ type: 'person', name: 'Anna Weber', aliases: ['Anna'] });
      const about = async (user: string, count: number): Promise<void> => {
        for (let number = 0; number < count; number += 1)
          await plain
            .for({ tenant: 'names', user })
            .memories.create({ type: 'fact', content: `Note ${number} of ${user}.`, entities: [anna.id] });
      };
      await about('ana', 255);
      await about('ben', 260);
      await about('ana', 1);
      const { results } = await plain.for({ tenant: 'names', user: 'ana' }).recall('Anna Weber', {
        limit: 100,
        abstain: false,
        minimumRelevance: 0,
      });
      const found = await plain
        .for({ tenant: 'names', user: 'ana' })
        .recall('Note 254 of Anna Weber', { abstain: false });
      expect(results.every(({ text }) => text.endsWith('of ana.'))).toBe(true);
      expect(found.results[0]).toMatchObject({ text: 'Note 254 of ana.', arms: expect.arrayContaining(['entity']) });
      await plain.close();
      await created.drop();
    });

    it('returns a turn whose whole text is the id of a memory together with that memory', async () => {
      const handle = open({ user: 'ana', session: 's1' });
      const ticket = await handle.memories.create({ type: 'fact', content: 'The ticket about the boiler is open.' });
      const id = 'memory' in ticket ? (ticket.memory as { id: string }).id : (ticket as { id: string }).id;
      await handle.observe({ content: id });
      await varve.drain();
      const found = await handle.recall(`boiler ticket ${id}`, { abstain: false });
      expect(texts(found)).toEqual(expect.arrayContaining([id, 'The ticket about the boiler is open.']));
    });

    it('finds text in Chinese, Japanese, Korean, German, Arabic and emoji by its words', async () => {
      const handle = open();
      const pairs = [
        ['北京', '我在北京大学学习计算机科学。'],
        ['寿司', '来週は東京で友達と寿司を食べます。'],
        ['강아지', '저는 서울에서 강아지와 함께 살고 있습니다.'],
        ['straße', 'Die Straße in München ist gesperrt.'],
        ['القاهرة', 'أعيش في مدينة القاهرة مع عائلتي'],
        ['🎂', 'Happy day 🎂 for the team'],
      ] as const;
      await remember(handle, ...pairs.map(([, text]) => text));
      for (const [query, text] of pairs) expect(texts(await handle.recall(query, { mode: 'text' }))).toEqual([text]);
      for (const [query, text] of pairs.slice(0, 5))
        expect(texts(await handle.recall(query, { abstain: false }))[0]).toBe(text);
    });

    it('[T16] with an embedder that is down, keyword search still works; if nothing is known, the answer is empty', async () => {
      const created = await database.create();
      const broken = await createVarve({
        store: created.options,
        background: false,
        embedder: { id: 'down', dimensions: 8, embed: () => Promise.reject(new Error('connection refused')) },
      });
      await broken.for({ user: 'bob' }).memories.create({ type: 'fact', content: 'The lamp is broken.' });
      const degraded = await broken.for({ user: 'bob' }).recall('which lamp');
      expect(texts(degraded)).toEqual(['The lamp is broken.']);
      expect(degraded.degraded).toEqual(['meaning: connection refused']);
      await broken.close();
      const without = await createVarve({ store: created.options, background: false, embedder: null });
      const ana = without.for({ user: 'ana' });
      expect(await ana.recall('anything at all')).toMatchObject({ results: [], abstained: false });
      await ana.memories.create({ type: 'fact', content: 'The key is under the mat.' });
      expect(texts(await ana.recall('where is the key'))).toEqual(['The key is under the mat.']);
      await without.close();
      await created.drop();
    });

    it('finds immediately what another handle or process has written', async () => {
      const handle = open({ user: 'ana' });
      await remember(handle, 'One thing.');
      await handle.recall('thing', { abstain: false });
      await varve.for(handle.scope).memories.create({ type: 'fact', content: 'A freshly minted xylophone.' });
      expect(texts(await handle.recall('xylophone', { abstain: false }))[0]).toBe('A freshly minted xylophone.');
      if (database.name === 'PGlite') return;
      const other = varve.for({ tenant: 'crash', user: 'ana' });
      expect(texts(await other.recall('other 1', { mode: 'text' }))).toEqual([]);
      const child = startChild('appender', JSON.stringify(options), 'other', '3');
      await child.printed((line) => line === '2');
      expect(texts(await other.recall('other 1', { mode: 'text' }))[0]).toBe('other 1');
      await child.ended;
    });
  });
}
