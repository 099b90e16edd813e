import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '../src/record/clock.ts';
import type { Handle } from '../src/handle/handle.ts';
import { agentInstructions } from '../src/tools/agent-instructions.ts';
import { AGENT_TOOLS, agentTool, TOOL_SETS, toolsNamed } from '../src/tools/agent-tools.ts';
import { chosenTools, runTool, toolDefinitions } from '../src/tools/agent-tools.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';

describe('the agent’s tools', () => {
  let varve: Varve;
  let handle: Handle;
  beforeAll(async () => {
    ({ varve } = await openVarve());
    handle = varve.for({ agent: 'ada', user: 'ann', session: 's', connection: 'jira' });
  });
  afterAll(() => varve.close());

  /** Runs a tool and validates its output with the tool’s schema. */
  const run = async (name: string, input: unknown, on: Handle = handle): Promise<Record<string, never>> => {
    const output = await runTool(on, name, input);
    const tool = agentTool(name);
    expect(tool?.output.strict().safeParse(output).error).toBeUndefined();
    return JSON.parse(JSON.stringify(output)) as Record<string, never>;
  };

  it('are complete, each with a description and hints', () => {
    expect(AGENT_TOOLS.map(({ name }) => name)).toEqual([
      'search_memory',
      'remember',
      'forget',
      'correct',
      'get_context',
      'log_conversation',
      'list_due',
      'search_user_memories',
      'search_history',
      'semantic_search',
      'find_everything',
      'remember_fact',
      'recall_facts',
      'forget_fact',
      'record_observation',
      'update_user_context',
      'update_connection_context',
      'add_note',
      'list_notes',
      'save_item',
      'list_saved_items',
      'list_intentions',
      'complete_intention',
      'dismiss_intention',
    ]);
    for (const { name, description, hints } of AGENT_TOOLS) {
      expect([name, description.length > 30]).toEqual([name, true]);
      if (/^(search|semantic|find|list|recall|get)/.test(name)) expect(hints.readOnly).toBe(true);
    }
    expect(agentTool('forget_fact')?.hints).toEqual({ readOnly: false, destructive: true, idempotent: true });
  });

  it('are the everyday set unless the setting names other tools, and an unknown name is refused', () => {
    for (const text of [undefined, '', ' ', ' , ']) expect(toolsNamed(text)).toEqual(TOOL_SETS.everyday);
    expect(toolsNamed('recall_facts, all')).toHaveLength(AGENT_TOOLS.length);
    expect(() => toolsNamed('recall_facts,')).toThrow('There is no tool or set of tools ""');
  });

  it('have JSON schemas that any provider accepts', () => {
    const [remember] = toolDefinitions({ only: ['remember_fact'] });
    expect(remember?.parameters).toMatchObject({
      type: 'object',
      required: ['key', 'value'],
      properties: { category: { enum: ['location', 'personal', 'preference', 'work', 'health', 'general'] } },
    });
    expect(chosenTools({ set: 'all', except: ['forget_fact'] })).toHaveLength(AGENT_TOOLS.length - 1);
    expect(chosenTools().map(({ name }) => name)).toEqual(TOOL_SETS.everyday.map(({ name }) => name));
    expect(() => chosenTools({ only: ['no_such'] })).toThrow(/no_such/);
  });

  it('remember reads a sentence without a key as the user’s statement, and the user’s own words take precedence', async () => {
    const eve = varve.for({ agent: 'ada', user: 'eve', session: 's' });
    const remember = async (text: string): Promise<unknown> => (await run('remember', { text }, eve))['outcome'];
    expect(await remember('User lives in Lyon')).toBe('saved');
    expect(await remember('Moved to Nantes')).toBe('replaced');
    expect(await remember('User lives in Nantes')).toBe('known');
    await eve.logInteraction({ userMessage: 'I moved to Brest.', agentResponse: 'Noted.' });
    await varve.drain();
    expect(await remember('User lives in Lyon')).toBe('kept');
    expect(await remember('The bins are emptied by Suez')).toBe('saved');
    const { items } = await eve.memories.list({ attributes: ['home_city'] });
    expect(items).toMatchObject([{ value: 'Brest', trust: 'high' }]);
    expect((await eve.memories.list()).items.map(({ content }) => content)).toContain('The bins are emptied by Suez');
  });

  it('remember makes a statement of each value of a list, and the prompt contains all of them', async () => {
    const own = varve.for({ agent: 'ada', user: 'lists', session: 's' });
    await run('remember', { text: 'The user is allergic to walnuts, latex and ibuprofen.' }, own);
    await run('remember', { text: "User's son Emil is allergic to sesame" }, own);
    const prompt = async (): Promise<string> =>
      (await own.context({ message: 'Which painkiller can I take?', history: false })).system;
    for (const word of ['walnuts', 'latex', 'ibuprofen', 'sesame']) expect(await prompt()).toContain(word);
    expect(await run('forget', { what: 'walnuts' }, own)).toMatchObject({ forgotten: [{ text: expect.any(String) }] });
    expect(await prompt()).not.toContain('walnuts');
    for (const word of ['latex', 'ibuprofen', 'sesame']) expect(await prompt()).toContain(word);
  });

  it('a sentence that says more than its key and value is in the prompt verbatim', async () => {
    const own = varve.for({ agent: 'ada', user: 'sentences', session: 's' });
    const fact = { key: 'job_title', value: 'bus driver', text: 'User drives the 47 bus in Leeds since 2019' };
    await run('remember', fact, own);
    await run('remember', { key: 'home_city', value: 'Leeds', text: 'User lives in Leeds' }, own);
    const { system } = await own.context({ message: 'Hello there', history: false });
    expect(system).toContain('User drives the 47 bus in Leeds since 2019');
    expect(system).toContain('Home city: Leeds');
  });

  it.each([
    ['I moved to Tampere last month', 'Home city: Tampere'],
    ['User is 52 years old', 'Age: 52'],
    ['User speaks Finnish', 'Language: Finnish'],
  ])('a sentence that says no more than its field is in the prompt as a value: %s', async (text, line) => {
    const own = varve.for({ agent: 'ada', user: `value of ${line}`, session: 's' });
    await run('remember', { text }, own);
    const { system } = await own.context({ message: 'Hello there', history: false });
    expect(system.split('\n')).toContain(`- ${line}`);
  });

  it('a later wish for answers replaces the earlier one', async () => {
    const own = varve.for({ agent: 'ada', user: 'wishes', session: 's' });
    await run('remember', { text: 'User prefers detailed answers' }, own);
    await run('remember', { text: 'User prefers brief answers' }, own);
    const { items } = await own.memories.list();
    expect(items.map(({ attribute, value }) => `${attribute}=${value}`)).toEqual(['answer_length=brief']);
  });

  it.each(['remember', 'record_observation'])(
    '%s: a note about the user is read as the user’s own words',
    async (tool) => {
      const own = varve.for({ agent: 'ada', user: `notes-${tool}`, session: 's' });
      const note = async (text: string): Promise<void> => {
        await run(tool, tool === 'remember' ? { text } : { content: text, category: 'fact' }, own);
        await varve.drain();
      };
      const employer = async (): Promise<string | undefined> => (await own.facts.get('employer'))?.value ?? undefined;
      await note('User works at Ikea');
      expect(await employer()).toBe('Ikea');
      await note('User left Ikea and now works at Otto');
      expect(await employer()).toBe('Otto');
      await note('User loves Otto');
      expect(await employer()).toBe('Otto');
      await note('User quit Otto last Friday');
      expect(await employer()).toBeUndefined();
    },
  );

  it('correct reads the day of a reminder and of a plan from the new text', async () => {
    const { varve: other, clock } = await openVarve();
    const own = other.for({ agent: 'ada', user: 'moved', session: 's' });
    const year = new Date(clock.now()).getUTCFullYear() + 1;
    await run('remember', { text: 'Car inspection', due: `${year}-03-02T08:00:00Z` }, own);
    await run('remember', { text: `User will see Tosca in Riga on 5 April ${year}` }, own);
    const due = async (): Promise<string[]> =>
      ((await run('list_due', {}, own)) as unknown as { due: { text: string; due: string }[] }).due.map(
        (each) => `${each.text}: ${each.due}`,
      );
    const moved = { what: 'inspection', text: `Car inspection on 9 March ${year} at 14:30` };
    expect(await run('correct', moved, own)).toMatchObject({ outcome: 'corrected' });
    await run('correct', { what: 'Riga', text: `User will see Tosca in Riga on 7 April ${year}` }, own);
    expect(await due()).toEqual([
      `Car inspection on 9 March ${year} at 14:30: ${year}-03-09T14:30:00.000Z`,
      `User will see Tosca in Riga on 7 April ${year}: ${year}-04-07T00:00:00.000Z`,
    ]);
    await run('correct', { what: 'inspection', text: 'Car inspection at Bosch' }, own);
    expect((await due())[0]).toBe(`Car inspection at Bosch: ${year}-03-09T14:30:00.000Z`);
    await run('correct', { what: 'inspection', text: 'Car inspection', due: `${year}-03-10T08:00:00Z` }, own);
    expect((await due())[0]).toBe(`Car inspection: ${year}-03-10T08:00:00.000Z`);
    await other.close();
  });

  it('list_due leaves out a plan whose day is over as soon as prompts no longer bring it up', async () => {
    const { varve: other, clock } = await openVarve();
    const own = other.for({ agent: 'ada', user: 'late', session: 's' });
    const say = async (content: string): Promise<void> => {
      await own.observe({ content });
      await other.drain();
    };
    const start = clock.now();
    const dayAfter = (days: number): string => new Date(start + days * DAY).toISOString().slice(0, 10);
    await say(`Remind me to prune the roses on ${dayAfter(2)}.`);
    await say(`I have my eye test on ${dayAfter(4)}.`);
    await say(`We are flying to Bergen on ${dayAfter(40)}.`);
    const days: unknown[] = [];
    for (const day of [1, 5, 8, 30]) {
      clock.set(start + day * DAY);
      const { due } = (await run('list_due', {}, own)) as unknown as { due: { text: string }[] };
      const words = ['roses', 'eye test', 'Bergen'];
      days.push([day, words.filter((word) => due.some(({ text }) => text.includes(word)))]);
    }
    expect(days).toEqual([
      [1, ['roses', 'eye test', 'Bergen']],
      [5, ['roses', 'eye test', 'Bergen']],
      [8, ['Bergen']],
      [30, ['Bergen']],
    ]);
    await other.close();
  });

  it('correct keeps the words of an appointment or a deadline, with the year of its next occurrence, however often it is called', async () => {
    const ivy = varve.for({ agent: 'ada', user: 'ivy', session: 's' });
    const due = async (): Promise<string[]> =>
      ((await run('list_due', {}, ivy))['due'] as unknown as { text: string; due: string }[]).map(
        (each) => `${each.text}: ${each.due}`,
      );
    await run('remember', { text: 'User has a therapy appointment on 3 June at 16:15' }, ivy);
    await run('remember', { text: 'The thesis is due on 30 January at 12:00' }, ivy);
    expect(await due()).toEqual([
      'User has a therapy appointment on 3 June at 16:15: 2026-06-03T16:15:00.000Z',
      'The thesis is due on 30 January at 12:00: 2027-01-30T12:00:00.000Z',
    ]);
    for (const day of ['4 June at 8:45', '11 June at 7:30'])
      await run('correct', { what: 'therapy', text: `User has a therapy appointment on ${day}` }, ivy);
    await run('correct', { what: 'thesis', text: 'The thesis is due on 6 February' }, ivy);
    expect(await due()).toEqual([
      'User has a therapy appointment on 11 June at 7:30: 2026-06-11T07:30:00.000Z',
      'The thesis is due on 6 February: 2027-02-06T00:00:00.000Z',
    ]);
    const { items } = await ivy.memories.list({ order: 'oldest' });
    expect(items.map(({ attribute, value }) => `${attribute}=${value}`)).toEqual([
      'appointment=11 June 2026',
      'deadline=6 February 2027',
    ]);
  });

  it.each([
    ['Remind me to descale the kettle on Tuesday', 'intention', '2026-04-28T00:00:00.000Z'],
    ['Erinnere mich am 5. Mai um 18 Uhr an die Elternpflegschaft', 'intention', '2026-05-05T18:00:00.000Z'],
    ['Remind me to be patient with Otto', 'fact', undefined],
    ['User is flying to Bari on 5 May', 'fact', undefined],
  ])('remember reads a text that asks for a reminder on a day as an intention: %s', async (text, type, dueAt) => {
    const jon = varve.for({ agent: 'ada', user: text, session: 's' });
    await run('remember', { text }, jon);
    const { items } = await jon.memories.list();
    expect(items.map((each) => each.type)).toEqual([type]);
    if (dueAt !== undefined) expect(items[0]?.dueAt?.toISOString()).toBe(dueAt);
  });

  it('list_due returns no due date that nobody stated, until the user postpones the intention to a day', async () => {
    const liv = varve.for({ agent: 'ada', user: 'liv', session: 's' });
    await liv.intentions.add({ text: 'Call the plumber', dueAt: '2030-04-05' });
    const due = async (): Promise<unknown> => (await run('list_due', {}, liv))['due'];
    expect(await due()).toMatchObject([{ text: 'Call the plumber', due: '2030-04-05T00:00:00.000Z' }]);
    const [plan] = await liv.intentions.list();
    await varve.operator.import(
      [
        {
          record: 'memory',
          id: `mem_${'b'.repeat(26)}`,
          scope: { agent: 'ada', user: 'liv' },
          data: { type: 'intention', content: 'Wants to learn to sail', tense: 'planned', dueAt: '2030-01-08' },
          internal: { due: 'follow-up' },
          version: 1,
        },
      ],
      {},
    );
    await liv.intentions.done(plan?.id ?? '');
    expect(await due()).toMatchObject([{ text: 'Wants to learn to sail', due: '' }]);
    await liv.intentions.snooze(`mem_${'b'.repeat(26)}`, '2030-02-01');
    expect(await due()).toMatchObject([{ due: '2030-02-01T00:00:00.000Z' }]);
  });

  it('list_due lists planned statements with a day together with the intentions, in the order of their days', async () => {
    const joy = varve.for({ agent: 'ada', user: 'joy', session: 's' });
    const year = new Date().getUTCFullYear() + 1;
    await joy.intentions.add({ text: 'Renew the passport', dueAt: `${year}-05-20` });
    for (const [text, day] of [
      ['Has an eye test', `${year}-05-04`],
      ['Runs the marathon in Turin', `${year}-06-02`],
    ] as const)
      await joy.memories.create({ type: 'fact', content: text, tense: 'planned', validFrom: `${day}T09:00:00Z` });
    await joy.memories.create({ type: 'fact', content: 'Wants a boat one day', tense: 'planned' });
    await joy.memories.create({ type: 'fact', content: 'Owns a kayak' });
    const due = async (input: object): Promise<string[]> =>
      ((await run('list_due', input, joy))['due'] as unknown as { text: string }[]).map(({ text }) => text);
    expect(await due({})).toEqual(['Has an eye test', 'Renew the passport', 'Runs the marathon in Turin']);
    expect(await due({ until: `${year}-05-04` })).toEqual(['Has an eye test']);
  });

  it('remember keeps the sentence with its key, and a future day makes it a plan', async () => {
    const kai = varve.for({ agent: 'ada', user: 'kai' });
    const before = await run(
      'remember',
      { text: 'Kai teaches at Elm School', key: 'employer', value: 'Elm School' },
      kai,
    );
    expect(before).toMatchObject({ outcome: 'saved', memory: { text: 'Kai teaches at Elm School' } });
    const year = new Date().getUTCFullYear() + 1;
    const text = `He will start at Oak College on 1 March ${year}`;
    expect(await run('remember', { text, key: 'employer', value: 'Oak College' }, kai)).toMatchObject({
      outcome: 'saved',
      memory: { text },
    });
    expect((await kai.facts.get('employer'))?.value).toBe('Elm School');
    expect((await kai.memories.list({ attributes: ['employer'] })).items).toContainEqual(
      expect.objectContaining({ value: 'Oak College', tense: 'planned', validFrom: new Date(`${year}-03-01`) }),
    );
    const due = `Kai's lease ends on 3 May ${year}`;
    await run('remember', { text: due, key: 'lease_end', value: `3 May ${year}` }, kai);
    expect(await kai.facts.get('lease_end')).toMatchObject({ content: due, tense: 'holds' });
  });

  it('[K6] remember, recall and forget facts', async () => {
    expect(await run('remember_fact', { key: 'home_city', value: 'Berlin', category: 'location' })).toMatchObject({
      outcome: 'added',
    });
    expect(await run('remember_fact', { key: 'home_city', value: 'Berlin', category: 'location' })).toMatchObject({
      outcome: 'unchanged',
    });
    expect(await run('remember_fact', { key: 'home_city', value: 'Munich', category: 'location' })).toMatchObject({
      outcome: 'replaced',
    });
    await run('remember_fact', { key: 'partner_name', value: 'Ana' });
    expect(await run('recall_facts', {})).toMatchObject({
      count: 2,
      facts: { location: [{ key: 'home_city', value: 'Munich' }], personal: [{ key: 'partner_name' }] },
    });
    expect(await run('recall_facts', { query: 'munich' })).toMatchObject({ count: 1 });
    expect(await run('forget_fact', { key: 'home_city' })).toEqual({ key: 'home_city', forgotten: true });
    expect(await run('forget_fact', { key: 'home_city' })).toEqual({ key: 'home_city', forgotten: false });
    await expect(run('remember_fact', { key: '!', value: 'x' })).rejects.toThrow(/snake_case/);
  });

  it('[T3] [T4] record observations as waiting events', async () => {
    await run('record_observation', { content: 'Prefers short e-mails', category: 'preference' });
    await run('update_user_context', {
      scaffold_updates: { Role: 'Manager', Projects: { a: 1 } },
      persistent_info_additions: ['Works in Oslo'],
    });
    const { items } = await handle.events.list({ kinds: ['observation'], order: 'oldest' });
    expect(items.map(({ category }) => category)).toEqual([
      'preference',
      'scaffold_update',
      'scaffold_update',
      'learned_fact',
    ]);
    expect(items.every(({ processedAt }) => processedAt === null)).toBe(true);
  });

  it('[T11] store learned info with its connection', async () => {
    expect(await run('update_connection_context', { learned_info: { default_project: 'PROJ' } })).toEqual({
      learned_info: { default_project: 'PROJ' },
    });
    const other = varve.for({ agent: 'ada', user: 'ann', connection: 'github' });
    expect(await other.connection.learnedInfo()).toEqual({});
    const { system } = await handle.context({ message: 'hi', layout: 'working-memory' });
    expect(system).toContain('jira: {"default_project":"PROJ"}');
    expect((await other.context({ message: 'hi', layout: 'working-memory' })).system).not.toContain('PROJ');
    const none = varve.for({ agent: 'ada', user: 'ann' });
    await expect(run('update_connection_context', { learned_info: {} }, none)).rejects.toThrow(/no connection/);
  });

  it('[K19] [K13] [Q7] [E9] [T5] keep notes and saved items, and find everything again', async () => {
    await run('add_note', {
      title: 'Sourdough',
      content: 'Feed the sourdough starter every morning',
      tags: ['baking'],
    });
    await run('save_item', {
      title: 'Tides',
      url: 'https://example.com/tides',
      tags: ['sea'],
      summary: 'How tides work at sea',
    });
    expect(await run('list_notes', { tags: ['baking'] })).toMatchObject({ notes: [{ title: 'Sourdough' }] });
    expect(await run('list_saved_items', {})).toMatchObject({
      items: [{ title: 'Tides', url: 'https://example.com/tides' }],
    });
    await handle.memories.create({ type: 'preference', content: 'Prefers rye bread with the sourdough starter' });
    await varve
      .for({ agent: 'ada', user: null })
      .memories.create({ type: 'fact', content: 'The sourdough starter of the agent' });
    await handle.logInteraction({
      userMessage: 'My sourdough starter smells of apples',
      agentResponse: 'That is fine.',
    });
    await handle.indexDocument({
      content: 'The sourdough manual says: 65 % water.',
      context: {
        type: 'tool_attachment_content',
        source: 'tool_indexed',
        fileName: 'manual.txt',
        message: 'm1',
        attachment: 'a1',
      },
    });
    await varve.drain();

    const own = (await run('search_user_memories', { query: 'sourdough starter' })) as unknown as {
      results: { text: string; relevance: number }[];
    };
    expect(own.results.map(({ text }) => text)).toContain('Prefers rye bread with the sourdough starter');
    expect(own.results.map(({ text }) => text)).not.toContain('The sourdough starter of the agent');
    expect(own.results[0]?.relevance).toBeGreaterThan(0);
    const grouped = await run('semantic_search', { query: 'sourdough starter' });
    expect(grouped).toMatchObject({
      notes: [{ title: 'Sourdough', similarity: expect.stringMatching(/^\d+%$/) as string }],
    });
    expect(grouped['interactions']).toMatchObject([{ speaker: 'user', text: 'My sourdough starter smells of apples' }]);
    expect(await run('semantic_search', { query: 'tides at sea', sources: ['saved_items'] })).toMatchObject({
      saved_items: [{ title: 'Tides' }],
    });
    expect(await run('search_history', { query: 'apples' })).toMatchObject({
      results: [{ text: 'My sourdough starter smells of apples', speaker: 'user' }],
    });
    const everything = await run('find_everything', { query: 'sourdough starter' });
    expect(everything).toMatchObject({
      keyword: expect.arrayContaining([]) as unknown,
      meaning: expect.arrayContaining([]) as unknown,
    });
    expect(JSON.stringify(everything['keyword'])).toContain('apples');
    expect(JSON.stringify(everything['meaning'])).toContain('Feed the sourdough');
    const { results } = (await run('search_memory', { query: 'sourdough starter' })) as unknown as {
      results: { relevance: number; similarity?: string }[];
    };
    expect(results.length).toBeGreaterThan(2);
    expect(results.map(({ relevance }) => relevance)).toEqual(
      results.map(({ relevance }) => relevance).toSorted((a, b) => b - a),
    );
    expect(results.every(({ similarity }) => similarity === undefined)).toBe(true);
    const documents = await run('search_memory', { query: 'sourdough manual water', sources: ['documents'] });
    expect(documents).toMatchObject({ known: true, results: [{ type: 'document_chunk', trust: 'low' }] });
  });

  it('correct and forget offer the same candidates, and no unrelated one, also before memories have vectors', async () => {
    const own = varve.for({ user: 'mia' });
    await run('remember', { text: 'Mia works at Halden Foods.' }, own);
    await run('remember', { text: 'Mia prefers window seats on trains.' }, own);
    for (const isEmbedded of [false, true]) {
      if (isEmbedded) await varve.drain();
      const cases: [what: string, texts: string[]][] = [
        ['the zebra crossing near the harbour', []],
        ['train seat in Munich', ['Mia prefers window seats on trains.']],
      ];
      for (const [what, texts] of cases) {
        const corrected = await run('correct', { what, text: 'Something else.' }, own);
        const forgotten = await run('forget', { what }, own);
        expect(corrected['candidates']).toMatchObject(texts.map((text) => ({ text })));
        expect(forgotten['candidates']).toEqual(corrected['candidates']);
      }
    }
  });

  it('correct offers no unrelated candidates, and remember stores the values of a list with the same importance', async () => {
    const own = varve.for({ agent: 'ada', user: 'edda' });
    expect(await run('remember', { text: 'I am allergic to strawberries and pollen.' }, own)).toMatchObject({
      also: expect.stringContaining('pollen') as string,
    });
    const { items } = await own.memories.list({ attributes: ['allergy'] });
    expect(items).toHaveLength(2);
    expect(new Set(items.map(({ importance }) => importance)).size).toBe(1);
    await run('remember', { text: 'Plays the violin in an orchestra.' }, own);
    await varve.drain();
    expect(await run('correct', { what: 'tax return', text: 'It is due in May.' }, own)).toMatchObject({
      candidates: [],
    });
    expect(JSON.stringify(await run('correct', { what: 'violin concerts', text: 'x' }, own))).toContain('violin');
  });

  it('[K18] list intentions and close them', async () => {
    const { memory } = await handle.memories.create({
      type: 'intention',
      content: 'Call the dentist',
      dueAt: '2026-04-22T00:00:00Z',
    });
    const later = await handle.memories.create({
      type: 'intention',
      content: 'Renew the passport',
      dueAt: '2027-01-01T00:00:00Z',
    });
    expect(await run('list_intentions', { due_before: '2026-05-01T00:00:00Z' })).toMatchObject({
      intentions: [{ text: 'Call the dentist' }],
    });
    expect((await handle.context({ message: 'hi' })).user).toContain('Call the dentist');
    await run('complete_intention', { id: memory.id });
    await run('dismiss_intention', { id: later.memory.id });
    expect(await run('list_intentions', {})).toEqual({ intentions: [] });
    expect((await handle.context({ message: 'hi' })).user).not.toContain('Call the dentist');
  });

  it('show text of documents as data, without links', async () => {
    const other = varve.for({ user: 'bob' });
    await other.memories.create({ type: 'fact', content: 'See ![x](https://evil.example/a) now', trust: 'low' });
    const found = await run('search_memory', { query: 'see now' }, other);
    expect(JSON.stringify(found)).not.toContain('https:');
  });
});

describe('the instructions for the agent', () => {
  it('[Q11] name the source for each kind of question', () => {
    const text = agentInstructions({
      tools: 'all',
      profileTool: 'get_user_profile',
      documentTool: 'query_user_knowledge',
    });
    expect(text).toMatch(/preferences, goals, past decisions: search_user_memories/);
    expect(text).toMatch(/name, title, employment\): get_user_profile/);
    expect(text).toMatch(/word for word: query_user_knowledge/);
  });

  it('[K16] contain the order of sources, and when to say that something is not known', () => {
    const text = agentInstructions({ tools: 'all' });
    const steps = [
      'facts in this prompt',
      'profile',
      'recall_facts',
      'search_history',
      'semantic_search',
      'do not know',
    ];
    const places = steps.map((step) => text.indexOf(step, text.indexOf('in this order')));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(text).toMatch(/offer to remember/);
    expect(agentInstructions({ tools: false })).not.toMatch(/recall_facts/);
  });
});
