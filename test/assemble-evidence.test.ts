import { afterEach, describe, expect, it } from 'vitest';
import { createSaid } from '../src/assemble/fit-section.ts';
import { sharedLocalEmbedder } from '../src/models/shared-embedder.ts';
import { DAY } from '../src/record/clock.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';

const open: Varve[] = [];
async function opened(options?: Parameters<typeof openVarve>[0]): ReturnType<typeof openVarve> {
  const result = await openVarve(options);
  open.push(result.varve);
  return result;
}
afterEach(async () => {
  for (const varve of open.splice(0)) await varve.close();
});

const ANN = { agent: 'a', user: 'ann' };
const recalledIn = (user: string): string => /<recalled>[\s\S]*<\/recalled>/.exec(user)?.[0] ?? '';

describe('the evidence in a prompt', () => {
  it('has a reserved part of the budget that long documents cannot take, and the system prompt does not depend on the results', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    const lines = Array.from({ length: 120 }, (_, index) => `Ann wrote about matter${index}.`);
    await handle.blocks.replace('working_memory', lines.join(' '));
    await handle.blocks.replace('profile', lines.join(' ').replaceAll('wrote', 'read'));
    for (let index = 0; index < 40; index += 1) {
      const content = `The boat number ${index} lies in the harbour of Kragerø beside a yellow crane`;
      await handle.memories.create({ type: 'fact', content, importance: 0.1 });
    }
    await varve.drain();
    const ask = (message: string) => handle.context({ message, budget: 1000, topMemories: 0 });
    const boat = await ask('Which boats lie in the harbour of Kragerø?');
    const recall = boat.report.sections.find(({ section }) => section === 'recall');
    expect(boat.report.tokens.total).toBeLessThanOrEqual(1000);
    expect(recall?.taken).toBeGreaterThan(400);
    expect(boat.system).toContain('matter0.');
    for (const message of ['Thanks!', 'Which boat has number 3?', 'What about the moon?']) {
      expect((await ask(message)).system).toBe(boat.system);
    }
  });

  it('shows the next results if the best ones are already elsewhere in the prompt', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    for (let index = 0; index < 12; index += 1) {
      const content = `Keeps bees in hive number ${index} near the mill`;
      await handle.memories.create({ type: 'fact', content, importance: index < 6 ? 0.9 : 0.1 });
    }
    await varve.drain();
    for (const layout of ['varve', 'working-memory', 'reflections-xml'] as const) {
      const { system, user } = await handle.context({
        message: 'Keeps bees in hive number near the mill?',
        topMemories: 6,
        recallLimit: 4,
        lookup: 'always',
        layout,
      });
      const shown = `${system}\n${user}`.match(/hive number \d+ near/g) ?? [];
      expect(new Set(shown).size).toBe(shown.length);
      expect(shown).toHaveLength(layout === 'varve' ? 10 : 4);
    }
  });

  it.each([3, 15])('shows %i results of recall if the application asks for this many', async (recallLimit) => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    for (let index = 0; index < 20; index += 1)
      await handle.memories.create({ type: 'fact', content: `Keeps bees in hive number ${index} near the mill` });
    await varve.drain();
    const message = 'Keeps bees in hive number near the mill?';
    const { user } = await handle.context({ message, topMemories: 0, recallLimit, lookup: 'always' });
    expect(user.match(/hive number \d+ near/g)).toHaveLength(recallLimit);
  });

  it('shows only the sources of recall that the application asks for', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    await handle.observe({ origin: 'user', content: 'The kayak race in Kragerø starts at the lighthouse.' });
    await handle.notes.add({ title: 'Kayak race', content: 'The kayak race in Kragerø costs 40 euros.' });
    await varve.drain();
    const message = 'What do you know of the kayak race in Kragerø?';
    const shown = async (recallSources?: ('notes' | 'events')[]): Promise<string> =>
      (await varve.for({ ...ANN, session: 't' }).context({ message, topMemories: 0, recallSources })).user;
    expect(await shown()).toContain('lighthouse');
    expect(await shown(['notes'])).toContain('40 euros');
    expect(await shown(['notes'])).not.toContain('lighthouse');
  });

  it('marks a turn that is mostly pasted text, and does not mark the user’s own statement that is shown with it', async () => {
    const { varve } = await opened({ embedder: sharedLocalEmbedder() });
    const before = varve.for({ ...ANN, session: 'one' });
    const mail =
      'please draft an answer\n\nHello Ann, my flat in Genoa is empty in August and the key is with Rosa. Call me on 0039 555 0101.\n\nKind regards, Ugo';
    await before.logInteraction({ userMessage: mail, agentResponse: 'Here it is.' });
    await before.logInteraction({ userMessage: 'I keep the spare key under the fern.', agentResponse: 'Good.' });
    await varve.drain();
    const message = 'Which flat in Genoa is empty, and where is the key?';
    const { user } = await varve.for({ ...ANN, session: 'two' }).context({ message, topMemories: 0 });
    const lines = recalledIn(user).split('\n');
    expect(lines.find((line) => line.includes('Genoa'))).toMatch(/\(unverified\)$/);
    expect(lines.find((line) => line.includes('fern'))).toMatch(/fern\.$/);
  });

  it('shows a statement that is a part of a turn as the whole turn, once', async () => {
    const { varve, clock } = await opened();
    const first = varve.for({ ...ANN, session: 'one' });
    const turn =
      'Next week the roofer Ottokar comes. He is allergic to our cat, so she goes to the neighbour. Please remember that.';
    await first.logInteraction({ userMessage: turn, agentResponse: 'I will.' });
    await first.session.close();
    await varve.drain();
    clock.advance(DAY);
    const ask = async (options: object) =>
      varve.for({ ...ANN, session: 'two' }).context({ message: 'When does the roofer Ottokar come?', ...options });
    const { user, report } = await ask({ topMemories: 0 });
    expect(recalledIn(user)).toContain(`2026-04-24:\n- user: ${turn}`);
    expect(user.match(/roofer Ottokar comes/g)).toHaveLength(1);
    const { items } = await first.memories.list({ limit: 50 });
    const told = items.filter(({ quotes }) => quotes.length > 0).map(({ id }) => id);
    expect(told.length).toBeGreaterThan(0);
    // Statements from the turn count as shown.
    expect(report.sections.find(({ section }) => section === 'recall')?.ids).toEqual(expect.arrayContaining(told));
  });

  it('shows few records or none if recall abstains', async () => {
    const { varve } = await opened({ embedder: sharedLocalEmbedder() });
    const before = varve.for({ ...ANN, session: 'one' });
    for (let index = 0; index < 12; index += 1) {
      const [plant, month] = [['roses', 'beans', 'figs', 'leeks'][index % 4], ['March', 'June', 'July'][index % 3]];
      const userMessage = `The ${plant} in bed ${index} were early in ${month}, and the snails ate half of them.`;
      await before.logInteraction({ userMessage, agentResponse: `Bed ${index} has had bad luck with its ${plant}.` });
    }
    await varve.drain();
    const shown = async (message: string): Promise<number> => {
      const { user, report } = await varve.for({ ...ANN, session: 'two' }).context({ message, topMemories: 0 });
      expect(report.lookup.queries).toHaveLength(1);
      return recalledIn(user).split('\n- ').length - 1;
    };
    for (const message of ['What is my shoe size?', 'Can you name a good film about sailing?'])
      expect(await shown(message)).toBeLessThanOrEqual(5);
    expect(await shown('What did the snails eat in my garden?')).toBeGreaterThan(10);
  });

  it('leaves out replaced statements, and marks them if the question is about the past', async () => {
    const { varve, clock } = await opened();
    const handle = varve.for({ ...ANN, session: 'one' });
    await handle.logInteraction({ userMessage: 'I work at Bosch.', agentResponse: 'I see.' });
    await handle.form();
    clock.advance(30 * DAY);
    await handle.logInteraction({ userMessage: 'I work at Siemens now.', agentResponse: 'Congratulations.' });
    await handle.form();
    await varve.drain();
    const ask = async (message: string) => {
      const { system, user } = await varve.for({ ...ANN, session: 'two' }).context({ message, lookup: 'always' });
      return `${system}\n${recalledIn(user)}`;
    };
    const now = await ask('Which company do I work at now?');
    expect(now).toContain('Siemens');
    expect(now).not.toContain('Bosch');
    expect(await ask('Where did I work before?')).toMatch(
      /Works at Bosch \(until 2026-05-24\)|I work at Bosch\. \(changed later\)/,
    );
  });

  it('leaves out replies of the agent that are meaningless alone, and the JSON of observations', async () => {
    const { varve, clock } = await opened();
    const handle = varve.for({ ...ANN, session: 'one' });
    for (const [userMessage, agentResponse] of [
      ['The regatta on the Weser was rained off.', 'What a shame.'],
      ['Our regatta boat needs a new mast.', 'The regatta yard in Bremen repairs masts on Saturdays.'],
    ] as const)
      await handle.logInteraction({ userMessage, agentResponse });
    await handle.updateUserContext({ scaffoldUpdates: { regatta: { crew: ['Ole', 'Imke'], boat: 'Kranich' } } });
    await varve.drain();
    clock.advance(DAY);
    const ask = async (message: string) => varve.for({ ...ANN, session: 'two' }).context({ message, lookup: 'always' });
    const { user } = await ask('Who repairs the mast of our regatta boat?');
    expect(recalledIn(user)).toContain('agent: The regatta yard in Bremen');
    expect(recalledIn(user)).not.toMatch(/shame|Kranich/);
    expect(recalledIn((await ask('Did you say "What a shame"?')).user)).toContain('What a shame.');
  });

  it('leaves out earlier questions of the user, unless they ask for the same', async () => {
    const { varve, clock } = await opened({ embedder: sharedLocalEmbedder() });
    const handle = varve.for({ ...ANN, session: 'one' });
    for (const userMessage of [
      'I can’t stand aubergines.',
      'which paint dries fastest',
      'Where was my dentist again?',
      'Wie lange kocht man Reis?',
      'Is there a good recipe for aubergines that I would like?',
    ])
      await handle.logInteraction({ userMessage, agentResponse: 'Let me think.' });
    await varve.drain();
    clock.advance(DAY);
    const ask = async (message: string): Promise<string> =>
      recalledIn((await varve.for({ ...ANN, session: 'two' }).context({ message, topMemories: 0 })).user);
    const dinner = await ask('Which food do I hate?');
    expect(dinner).toContain('aubergines');
    expect(dinner).not.toMatch(/paint|dentist|Reis/);
    expect(await ask('Where was my dentist?')).toContain('Where was my dentist again?');
  });

  it('a summary does not repeat the quotations of the results that are shown with it', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 'one' });
    const kiln = 'The pottery kiln in the shed runs on wood.';
    await handle.logInteraction({ userMessage: kiln, agentResponse: 'I see.' });
    await handle.memories.create({
      type: 'summary',
      title: 'Pottery',
      content:
        '24 April: “The pottery kiln in the shed runs on wood”\n24 April: “The pottery wheel in the shed squeaks”',
    });
    await varve.drain();
    const { user } = await varve
      .for({ ...ANN, session: 'two' })
      .context({ message: 'Tell me about the pottery kiln in the shed', lookup: 'always', topMemories: 0 });
    expect(user).toContain('pottery wheel in the shed squeaks');
    expect(user.match(/kiln in the shed runs on wood/g)).toHaveLength(1);
  });

  it('shows results of tools after the user’s own statements, in every layout', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 'one' });
    const page = 'allergies allergies allergies: my allergies are peanuts, my allergies are cats. // my allergies';
    await handle.observe([
      { origin: 'tool', kind: 'tool_result', content: page },
      { origin: 'user', content: 'The doctor looked at my allergies and found birch pollen.' },
    ]);
    await varve.drain();
    for (const layout of ['varve', 'working-memory'] as const) {
      const { system, user } = await varve
        .for({ ...ANN, session: 'two' })
        .context({ message: 'What are my allergies?', lookup: 'always', topMemories: 0, layout });
      const prompt = `${system}\n${user}`;
      expect(prompt.indexOf('birch pollen')).toBeGreaterThan(-1);
      expect(prompt.indexOf('peanuts')).toBeGreaterThan(prompt.indexOf('birch pollen'));
    }
  });

  it('leaves out a summary of which only the place of a forgotten line is left', () => {
    const said = createSaid();
    const item = { kind: 'event' as const, id: 'e1', text: 'I grow beans', score: 1, trust: 'high' as const };
    said.add('recall', item);
    const summary = { ...item, kind: 'memory' as const, id: 'm1', text: '1 May: “I grow beans”\n\n' };
    expect(said.rest('summaries', summary)).toBe('recall');
  });

  it('says that nothing is known when a question has no answer, and only then', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    const line = async (message: string, options = {}) =>
      (await handle.context({ message, ...options })).user
        .split('\n')
        .find((each) => each.startsWith('Nothing more is remembered'));
    expect(await line('What is the name of my aunt?')).toBe(
      'Nothing more is remembered about: What is the name of my aunt? Do not guess facts about the user or their people that are not above.',
    );
    expect(await line('whats my aunt called')).toContain('about: whats my aunt called. Do not guess');
    expect(await line('My aunt is called Rosa.')).toBeUndefined();
    expect(await line('Thanks!')).toBeUndefined();
    for (const general of [
      'Which river flows through Prague?',
      'How do I peel a mango?',
      'What could we sing tonight?',
    ])
      expect(await line(general)).toBeUndefined();
    expect(await line('What is the name of my aunt?', { sections: { lookups: false } })).toBeUndefined();
    expect(await line('What is the name of my aunt?', { layout: 'working-memory' })).toBeUndefined();
    await handle.memories.create({ type: 'fact', content: 'The name of my aunt is Rosa' });
    await varve.drain();
    expect(await line('What is the name of my aunt?', { topMemories: 0 })).toBeUndefined();
  });

  it('does not say that nothing is known if the question asks only for what is due, and something is due', async () => {
    const { varve, clock } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    const dueOf = async (message: string) => {
      const { user } = await handle.context({ message, lookup: 'always' });
      return [user.includes('<due_today>'), user.includes('Nothing more is remembered')];
    };
    expect(await dueOf('Anything on for me?')).toEqual([false, true]);
    await handle.intentions.add({ text: 'Return the ladder', dueAt: new Date(clock.now()) });
    for (const message of [
      'Anything on for me?',
      'hello, do I have anything to do today?',
      'Any reminders for me?',
      'Habe ich heute etwas vor?',
      '¿Tengo algo pendiente?',
      'Cosa ho in programma oggi?',
      'Heb ik vandaag iets te doen?',
    ])
      expect([message, ...(await dueOf(message))]).toEqual([message, true, false]);
    for (const message of [
      'What is the name of my aunt?',
      'hello, what is my blood type?',
      'Wie heißt meine Tante?',
      'When did I buy my car?',
      'Have I told you my shoe size?',
      'Anything on for me? And where is my passport?',
    ])
      expect([message, ...(await dueOf(message))]).toEqual([message, true, true]);
  });

  it('finds and shows the whole turn if the statement that was formed from it lacks a name that the question has', async () => {
    const { varve } = await opened();
    await varve
      .for({ ...ANN, session: 'one' })
      .logInteraction({ userMessage: 'My sister Wies lives in Breda and works at Vandebron.', agentResponse: 'Nice!' });
    await varve.drain();
    const handle = varve.for({ ...ANN, session: 'two' });
    const message = 'Where does Wies work?';
    expect((await handle.recall(message)).results.map(({ text }) => text).join(' ')).toContain('Vandebron');
    const { system, user } = await handle.context({ message });
    expect(`${system} ${user}`).toContain('Vandebron');
  });

  it('keeps every turn of the current conversation, even if a memory says the same', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    const turns = { userMessage: 'I love Thai food.', agentResponse: 'Shall I book Krua or Bangkok Garden?' };
    await handle.logInteraction(turns);
    await varve.drain();
    const { messages } = await handle.context({ message: 'The second one.' });
    expect(messages.map(({ content }) => content)).toEqual(Object.values(turns));
  });

  it('contains the only memory of a store even if it is related only in meaning', async () => {
    const { varve } = await opened({ embedder: sharedLocalEmbedder() });
    const handle = varve.for(ANN);
    await handle.memories.create({ type: 'preference', content: 'Ann prefers ferries to flights' });
    await varve.drain();
    expect((await handle.recall('How does she travel?')).results).toHaveLength(1);
    expect((await handle.recall('What is her blood type?')).abstained).toBe(true);
  });

  it('contains short outcomes of decisions only if the question is about a decision or an outcome', async () => {
    const { varve } = await opened({ embedder: sharedLocalEmbedder() });
    const agent = varve.for({ agent: 'a', user: null });
    for (const views of ['210 views', '35 views']) {
      const { id } = await agent.decisions.record({ content: 'Posted the pumpkin recipe on the blog in the evening' });
      await agent.decisions.recordOutcome(id, { content: views, effect: 'positive' });
    }
    await varve
      .for({ ...ANN, session: 'one' })
      .logInteraction({ userMessage: 'I work at Brill.', agentResponse: 'Ok.' });
    await varve.drain();
    const views = async (message: string): Promise<string[]> =>
      recalledIn((await varve.for({ ...ANN, session: 'two' }).context({ message })).user)
        .match(/\d+ views/g)
        ?.toSorted() ?? [];
    expect(await views('Where do I work?')).toEqual([]);
    expect(await views('Wo arbeite ich?')).toEqual([]);
    expect(await views('How did the pumpkin recipe on the blog do?')).toEqual(['210 views', '35 views']);
    expect(await views('How many views did we have?')).toEqual(['210 views', '35 views']);
  });

  it('contains the reason of a decision, by whose words the decision is found, until the reason is forgotten', async () => {
    const { varve } = await opened();
    const handle = varve.for({ ...ANN, session: 's' });
    const reason = 'The landlord in Ghent wants 900 euros. The kiln needs more power, password: hunter22.';
    await handle.decisions.record({ content: 'Moved the pottery to the old mill', reason });
    const { memory } = await handle.memories.create({
      type: 'fact',
      content: 'The landlord in Ghent wants 900 euros.',
    });
    await varve.drain();
    const found = async (): Promise<string> =>
      (await handle.recall('pottery landlord kiln power', { mode: 'text', sources: ['events'] })).results
        .map(({ text }) => text)
        .join();
    expect(await found()).toMatch(/^Moved the pottery to the old mill \(reason: The landlord in Ghent .* more power/);
    expect(await found()).not.toContain('hunter22');
    const { user } = await varve
      .for({ ...ANN, session: 't' })
      .context({ message: 'Why does the kiln need more power?' });
    expect(recalledIn(user)).toContain('(reason: The landlord');
    await handle.memories.forget(memory.id);
    expect(await found()).toMatch(/^Moved the pottery to the old mill/);
    expect(await found()).not.toMatch(/landlord|900/);
  });
});
