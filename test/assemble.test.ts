import { type Span, trace, type Tracer, type TracerProvider } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { defineLayout } from '../src/assemble/layout.ts';
import { type LayoutName, LAYOUTS } from '../src/assemble/layouts.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { DAY, MINUTE } from '../src/record/clock.ts';
import { type HandleScope, parseScope } from '../src/record/scope.ts';
import { listGiven, recalledTexts } from '../src/store/context-log-store.ts';
import { openStore } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { openVarve, wordEmbedder } from './assemble-users.ts';
import { databases } from './databases.ts';
import { json, startProtocolServer, status } from './protocol-server.ts';
import { tokenizerCounter } from '../src/language/words.ts';

const open: Varve[] = [];
async function opened(options?: Parameters<typeof openVarve>[0]): ReturnType<typeof openVarve> {
  const result = await openVarve(options);
  open.push(result.varve);
  return result;
}
afterEach(async () => {
  for (const varve of open.splice(0)) await varve.close();
});

const FRIEND = { agent: 'a', user: 'u', session: 's' };

describe('a context', () => {
  it('shows statements about the health of the user and of the user’s relatives first, however small the budget', async () => {
    const { varve } = await opened({ embedder: null });
    const told = varve.for({ ...FRIEND, session: 'before' });
    for (const userMessage of [
      'I drive a blue Fiat Panda.',
      'I live in Bergen.',
      'I work at Halden Foods as a buyer.',
      'My daughter is severely allergic to shellfish.',
    ])
      await told.logInteraction({ userMessage });
    const stung = 'Aunt Berta goes into anaphylactic shock from wasps.';
    await told.memories.create({ type: 'fact', content: stung, importance: 0.9 });
    await varve.drain();
    const asked = { message: 'What shall we cook tonight?', history: false as const };
    const { system } = await varve.for(FRIEND).context(asked);
    for (const known of ['shellfish', stung, 'Fiat Panda', 'Bergen']) expect(system).toContain(known);
    const { system: small } = await varve.for(FRIEND).context({ ...asked, budget: 160 });
    for (const known of ['shellfish', stung]) expect(small).toContain(known);
    expect(small).not.toContain('Halden Foods');
  });

  it('[T16] is assembled for a new user, and for a user with only one tier', async () => {
    const { varve } = await opened();
    const none = await varve.for(FRIEND).context({ message: 'hello' });
    expect(none.system).toBe('');
    expect(none.user).toMatch(/^\[Friday, .*\]\n\nhello$/);
    await varve.for(FRIEND).blocks.replace('working_memory', 'Is moving to Oslo.');
    expect((await varve.for(FRIEND).context({ message: 'hello' })).system).toContain('Is moving to Oslo.');
  });

  it('[T16] [K11] leaves out parts that fail, reports them, and never fails itself', async () => {
    const { varve } = await opened({
      embedder: {
        id: 'down',
        dimensions: 8,
        embed: async () => {
          throw new Error('the embedder is down');
        },
      },
    });
    const handle = varve.for(FRIEND);
    await handle.facts.set({ key: 'home_city', value: 'Oslo' });
    const { system, report } = await handle.context({
      message: 'where do I live? the blog please',
      structuredProfile: async () => {
        throw new Error('the profile is down');
      },
      services: { blog: { about: [], load: () => new Promise(() => {}) } },
      timeout: 30,
    });
    expect(system).toContain('Home city: Oslo');
    const failed = Object.fromEntries(report.failed.map(({ section, error }) => [section, error]));
    expect(failed['structuredProfile']).toBe('the profile is down');
    expect(failed['services']).toMatch(/30 ms/);
    expect(failed['recall']).toMatch(/down/);
  });

  it('[K11] [T16] uses the last known records when the store is down', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    await handle.facts.set({ key: 'home_city', value: 'Oslo' });
    await handle.context({ message: 'hi' });
    await varve.close();
    const { system, report } = await handle.context({ message: 'hi' });
    expect(system).toContain('Home city: Oslo');
    expect(report.failed.map(({ section }) => section)).toContain('knowledge');
  });

  it('contains each statement once, in the most stable section with enough budget', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    await handle.facts.set({ key: 'employer', value: 'Acme' });
    await handle.memories.create({ type: 'preference', content: 'User likes tea.', importance: 0.9 });
    await handle.memories.create({ type: 'goal', content: 'User wants to run.', importance: 0.8 });
    await handle.memories.create({ type: 'fact', content: 'User has a dog.', importance: 0.7 });
    await handle.blocks.replace('profile', '## Personal\nUser likes tea.\n\n## Notes\nIs curious.');
    await handle.blocks.replace('working_memory', '## Personal\nUser likes tea! Employer: Acme. User wants to run.');
    await handle.blocks.replace('scaffold', {
      tone: 'dry',
      likes: ['User likes tea.', 'rain'],
      goals: ['User wants to run.'],
    });
    const { system, report } = await handle.context({ message: 'hello' });
    for (const once of ['likes tea', 'Acme', 'wants to run', 'has a dog', 'rain', 'dry']) {
      expect([once, system.split(once).length - 1]).toEqual([once, 1]);
    }
    expect(system).toContain('## Personal\nUser likes tea.');
    const memories = report.sections.find(({ section }) => section === 'memories');
    expect(memories?.dropped.map(({ reason }) => reason)).toEqual([
      'already in the profile',
      'already in the workingMemory',
    ]);
    const [entry] = await handle.contexts();
    expect(entry?.parts.find(({ section }) => section === 'memories')).toMatchObject({
      items: memories?.items,
      dropped: 2,
      reasons: { 'already in the profile': 1, 'already in the workingMemory': 1 },
    });
    expect(await handle.context({ message: 'hello' })).toMatchObject({ system });

    const alone = await handle.context({
      message: 'hello',
      sections: { profile: false, workingMemory: false, scaffold: false },
    });
    expect(alone.system).toContain('[preference] 2026-04-24: User likes tea.');
    const short = await handle.context({ message: 'hello', budget: { sections: { profile: 3 } } });
    expect(short.system.split('likes tea').length - 1).toBe(1);
    const shorter = await handle.context({ message: 'hello', budget: { sections: { profile: 3, workingMemory: 3 } } });
    expect(shorter.system.split('likes tea').length - 1).toBe(1);
    expect(shorter.system).toContain('"likes": ["User likes tea.","rain"]');
  });

  it('a value of the structured data is left out if a sentence above it says the same of the same person', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    await handle.facts.set({ key: 'name', value: 'Oda Lund' });
    await handle.facts.set({ key: 'employer', value: 'Fjordline' });
    await handle.blocks.replace('profile', 'Sverre is 41 and lives in Tromsø. Greta must have no cheese.');
    await handle.blocks.replace('scaffold', {
      name: 'Oda Lund',
      employer: 'Fjordline',
      shift: 'nights',
      sverre: { age: 41, home_city: 'Tromsø', instrument: 'bass' },
      greta: { diet: 'no cheese', likes: 'cheese' },
      tromsø: { river: 'Tromsø' },
      ivar: { age: '41', home_city: 'Tromsø' },
      lunch: { rule: 'cheese' },
    });
    const { system } = await handle.context({ message: 'hello' });
    expect(JSON.parse(/<structured_data>\n([^<]*)/.exec(system)?.[1] ?? '{}')).toEqual({
      shift: 'nights',
      sverre: { instrument: 'bass' },
      greta: { likes: 'cheese' },
      tromsø: { river: 'Tromsø' },
      ivar: { age: '41', home_city: 'Tromsø' },
      lunch: { rule: 'cheese' },
    });
    const { system: alone } = await handle.context({ message: 'hello', sections: { facts: false, profile: false } });
    expect(alone).toContain('"home_city":"Tromsø"');
  });

  it('[K7] shows permanent facts once and in their current state, and never a plan, an ended state or a denial as true now', async () => {
    const { varve, clock } = await opened();
    const handle = varve.for(FRIEND);
    const day = (days: number) => new Date(clock.now() + days * 24 * 60 * MINUTE);
    const make = (content: string, given: object) =>
      handle.memories.create({ type: 'fact', content, permanent: true, attribute: 'employer', ...given });
    await make('Works at Bosch.', { value: 'Bosch' });
    await make('Starts at Siemens.', { value: 'Siemens', tense: 'planned', validFrom: day(10) });
    await make('Worked at Acme.', { value: 'Acme', validTo: day(-10) });
    await make('Is not allergic to nuts.', { attribute: 'allergy', value: 'nuts', polarity: 'denied' });
    for (const value of ['pollen', 'cats']) await make(`Is allergic to ${value}.`, { attribute: 'allergy', value });
    await handle.blocks.replace('working_memory', '- 2026-04-20: Works at Bosch.\n- 2026-04-21: Is building a boat.');
    const { system, user } = await handle.context({ message: 'Where do I work?', lookup: 'always' });
    expect(system).toContain(
      '<facts>\nhealth:\n- Allergy: cats\n- Allergy: pollen\nwork:\n- Employer: Bosch\n</facts>',
    );
    expect(system).toContain('- [fact] 2026-04-24: Starts at Siemens. (planned for 2026-05-04)');
    expect(system).toContain('- [fact] 2026-04-24: Is not allergic to nuts.');
    expect(system).toContain('<working_memory>\n- 2026-04-21: Is building a boat.\n</working_memory>');
    expect(system).not.toMatch(/Acme|Works at Bosch/);
    expect(user).not.toMatch(/Bosch|Siemens/);
  });

  it.each([
    ['partner_name', 'Kofi', "Kofi is User's partner.", 'Partner: Kofi'],
    ['manager_name', 'Ines', 'Ines is the manager of User.', 'Manager: Ines'],
    ['car', 'Golf', "The Golf is User's car.", 'Car: Golf'],
    [
      'partner_name',
      'Kofi',
      "Kofi is User's partner and works nights in Leith.",
      "Partner: Kofi is User's partner and works nights in Leith.",
    ],
    ['pet_name', 'Rex', "Rex is User's brother's dog.", "Pet: Rex is User's brother's dog."],
    [
      'employer',
      'Norsted',
      "Norsted is User's employer since 2019.",
      "Employer: Norsted is User's employer since 2019.",
    ],
  ])(
    '[K7] shows the sentence of a fact only if it says more than the label and the value: %s = %s',
    async (...given) => {
      const [attribute, value, content, shown] = given;
      const handle = (await opened()).varve.for(FRIEND);
      await handle.memories.create({ type: 'fact', content, permanent: true, attribute, value });
      expect((await handle.context({ message: 'hello' })).system).toContain(`- ${shown}\n`);
    },
  );

  it('[T15] writes a log entry with its parts and the ids of its records, and erasing removes the entry', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    const { memory } = await handle.memories.create({ type: 'preference', content: 'Prefers tea' });
    const { report } = await handle.context({ message: 'hi' });
    const [entry] = await handle.contexts();
    expect(entry).toMatchObject({ id: report.id, layout: 'varve', tokens: report.tokens.total, failed: [] });
    expect(entry?.parts.find(({ section }) => section === 'memories')?.ids).toEqual([memory.id]);
    expect(JSON.stringify(entry)).not.toContain('tea');
    await handle.context({ message: 'hi', unlogged: true });
    expect(await handle.contexts()).toHaveLength(1);
    expect(await varve.for({ agent: 'a', user: 'other' }).contexts()).toEqual([]);
    await varve.for({ agent: 'a', user: 'u' }).erase();
    expect(await handle.contexts()).toEqual([]);
  });

  it('[E1] [T20] each tier and each step can be switched off, for all contexts or for one', async () => {
    const { varve } = await opened({ context: { sections: { facts: false } } });
    const handle = varve.for(FRIEND);
    await handle.facts.set({ key: 'home_city', value: 'Oslo' });
    await handle.blocks.replace('working_memory', 'Is writing a book.');
    await handle.blocks.replace('scaffold', { Role: 'Writer' });
    await handle.blocks.replace('reflections', 'Be brief.', { level: 'user' });
    for (let index = 0; index < 25; index += 1) {
      await handle.memories.create({
        type: 'fact',
        content: `Owns the boat number ${index}`,
        importance: index === 3 ? 0.1 : 0.5,
      });
    }
    await varve.drain();
    const message = 'Owns the boat number 3';
    const all = await handle.context({ message, lookup: 'always' });
    expect(all.system).not.toContain('Oslo');
    expect(all.report.off).toEqual(['facts']);
    expect(all.user).toContain('<recalled>');
    const reflectionsOnly = await handle.context({ message, sections: { lookups: false, memories: false } });
    expect(reflectionsOnly.system).toContain('Be brief.');
    expect(reflectionsOnly.user).not.toContain('<recalled>');
    const factsOnly = await handle.context({ message, sections: { reflections: false }, lookup: 'always' });
    expect(factsOnly.system).not.toContain('Be brief.');
    expect(factsOnly.user).toContain('<recalled>');
    const bare = await handle.context({
      message,
      lookup: 'never',
      sections: { workingMemory: false, scaffold: false, memories: false, reflections: false },
    });
    expect(bare.system).toBe('');
  });

  it('[E9] decides by rules whether and what to look up', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    await handle.logInteraction({ userMessage: 'My sister Eva lives in Lisbon.', agentResponse: 'Nice!' });
    const lookup = async (message: string): Promise<string[]> =>
      (await handle.context({ message })).report.lookup.queries;
    expect(await lookup('Thanks!')).toEqual([]);
    expect(await lookup('Wie geht es meinem Garten?')).toEqual(['Wie geht es meinem Garten?']);
    expect(await lookup('How old is she?')).toEqual(['My sister Eva lives in Lisbon.\nHow old is she?']);
    expect((await handle.context({})).report.lookup.queries).toEqual([]);
  });

  it('[E9] asks a model what to look up, and uses the rules when the model is down', async () => {
    const server = await startProtocolServer();
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    await handle.memories.create({ type: 'fact', content: 'Garden has roses', importance: 0.2 });
    await varve.drain();
    const lookupModel = createLanguageModel({ fast: server.languageModel(), retries: 0 } as never);
    server.next(json({ lookup: true, queries: ['roses in the garden'] }));
    const asked = await handle.context({ message: 'what shall I plant?', lookup: 'model', lookupModel });
    expect(asked.report.lookup).toMatchObject({ by: 'model', queries: ['roses in the garden'] });
    server.next(json({ lookup: false, queries: [] }));
    expect(
      (await handle.context({ message: 'what is 2 + 2?', lookup: 'model', lookupModel })).report.lookup.queries,
    ).toEqual([]);
    server.otherwise(status(400));
    const down = await handle.context({ message: 'what shall I plant?', lookup: 'model', lookupModel });
    expect(down.report.lookup).toMatchObject({ by: 'rules', queries: ['what shall I plant?'] });
    expect(down.report.failed.map(({ section }) => section)).toEqual(['lookup']);
    await server.close();
  });

  it('[L15] loads only the services that the question needs', async () => {
    const loaded: string[] = [];
    const service = (name: string, about: string[]): { about: string[]; load: () => Promise<string[]> } => ({
      about,
      load: async () => {
        loaded.push(name);
        return [`${name} data`];
      },
    });
    const services = { blog: service('blog', ['traffic', 'posts']), billing: service('billing', ['invoices']) };
    const { varve } = await opened();
    const { user } = await varve.for(FRIEND).context({ message: 'Why did my traffic drop?', services });
    expect(loaded).toEqual(['blog']);
    expect(user).toContain('blog data');
    await varve.for(FRIEND).context({ message: 'change the title of a post', services });
    expect(loaded).toEqual(['blog', 'blog']);
    await varve.for(FRIEND).context({ message: 'hm', services, intent: async () => ({ services: ['billing'] }) });
    expect(loaded).toEqual(['blog', 'blog', 'billing']);
  });

  it('[Q11] [Q13] contains the structured profile of the application, and reports the tokens that memory saves', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    for (let index = 0; index < 20; index += 1) {
      await handle.memories.create({ type: 'fact', content: `Fact number ${index} about the user` });
    }
    for (let index = 0; index < 60; index += 1) {
      await handle.logInteraction({ userMessage: 'word '.repeat(60), agentResponse: 'word '.repeat(60) });
    }
    const { system, report } = await handle.context({
      message: 'hi',
      refresh: true,
      history: false,
      structuredProfile: async () => ({ name: 'Ann', title: 'Director' }),
    });
    expect(system).toContain('- title: Director');
    expect(report.sections.find(({ section }) => section === 'memories')?.items).toBe(20);
    expect(report.saving.injected).toBeLessThan(500);
    expect(report.saving.raw).toBeGreaterThan(5000);
  });

  it('[T13] takes at most 50 ms, and with recall 300 ms, of processor time at 1,000 memories', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    for (let index = 0; index < 1000; index += 1) {
      await handle.memories.create({ type: 'fact', content: `The boat number ${index} lies in harbour ${index % 7}` });
    }
    await varve.drain();
    // Processor time is measured, because wall-clock time depends on the load of the machine. bench/ measures the wall-clock time.
    const middle = async (lookup: 'never' | 'always'): Promise<number> => {
      const times: number[] = [];
      for (let index = 0; index < 21; index += 1) {
        const before = process.cpuUsage();
        await handle.context({ message: `where is boat ${index}?`, lookup });
        const { user, system } = process.cpuUsage(before);
        times.push((user + system) / 1000);
      }
      return times.toSorted((one, other) => one - other)[10] as number;
    };
    expect(await middle('never')).toBeLessThan(50);
    expect(await middle('always')).toBeLessThan(300);
  });

  it('counts exactly when a tokenizer is set', async () => {
    const { varve } = await opened();
    const tokenCounter = tokenizerCounter('letters', (text) => [...text]);
    const { system, user, report } = await varve
      .for(FRIEND)
      .context({ message: 'hello there', instructions: 'Be kind.', tokenCounter });
    expect(report.counter).toBe('letters');
    expect(report.tokens.total).toBe([...system].length + [...user].length);
  });

  it('accepts the former name of a layout', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    for (const [former, name] of [
      ['toolstream', 'working-memory'],
      ['qwestly', 'memory-list'],
      ['kwasi', 'facts-and-profile'],
      ['logicspike', 'fixed-budgets'],
      ['eden', 'reflections-xml'],
    ] as const) {
      expect((await handle.context({ message: 'hi', layout: former })).report.layout).toBe(name);
    }
    await expect(handle.context({ message: 'hi', layout: 'none' as 'varve' })).rejects.toThrow(/"working-memory"/);
  });

  it('accepts a custom layout of a few lines', async () => {
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    await handle.facts.set({ key: 'home_city', value: 'Oslo </x>' });
    const layout = defineLayout({
      name: 'mine',
      escape: 'xml',
      history: 'messages',
      system: [
        {
          section: 'facts',
          before: '<x>',
          after: '</x>',
          item: (item, writing) => `${item.title}=${writing.line(item.text)}`,
        },
      ],
      user: [{ section: 'message', item: ({ text }) => text }],
    });
    const { system } = await handle.context({ message: 'hi', layout });
    expect(system).toBe('<x>\nHome city=Oslo &lt;/x&gt;\n</x>');
    expect(() => defineLayout({ ...layout, user: layout.system })).toThrow(/twice/);
  });

  it('refuses unknown options', async () => {
    const { varve } = await opened();
    await expect(varve.for(FRIEND).context({ layuot: 'varve' } as never)).rejects.toThrow(/layuot/);
    await expect(varve.for(FRIEND).context({ layout: 'nothing' as never })).rejects.toThrow(/layout/i);
  });
});

describe('tracing', () => {
  afterEach(() => trace.disable());

  it('[K4] creates spans with token estimates under the names for memory, without content unless the option is set', async () => {
    const spans: { name: string; attributes: Record<string, unknown>; ended: boolean }[] = [];
    trace.setGlobalTracerProvider(recordingProvider(spans));
    const { varve } = await opened();
    const handle = varve.for(FRIEND);
    await handle.logInteraction({ userMessage: 'hello', agentResponse: 'hi' });
    await handle.context({ message: 'my secret garden' });
    const span = spans.find(({ name }) => name === 'assemble_context');
    expect(span?.ended).toBe(true);
    expect(span?.attributes).toMatchObject({
      'gen_ai.operation.name': 'search_memory',
      'gen_ai.memory.store.id': 'default',
      'varve.history_interactions': 1,
      'varve.context_layers': expect.arrayContaining(['date', 'message', 'history']) as unknown,
    });
    for (const name of ['history', 'context', 'user_turn']) {
      expect(span?.attributes[`varve.est_tokens_${name}`]).toBeTypeOf('number');
    }
    expect(spans.map(({ name }) => name)).toContain('search_memory');
    expect(JSON.stringify(spans)).not.toContain('secret');
    const told = await opened({ tracing: { content: true } });
    await told.varve.for(FRIEND).context({ message: 'my secret garden' });
    expect(JSON.stringify(spans)).toContain('my secret garden');
  });
});

function recordingProvider(
  spans: { name: string; attributes: Record<string, unknown>; ended: boolean }[],
): TracerProvider {
  const startSpan: Tracer['startSpan'] = (name, options) => {
    const record = { name, attributes: { ...options?.attributes } as Record<string, unknown>, ended: false };
    spans.push(record);
    return {
      setAttributes: (more: object) => void Object.assign(record.attributes, more),
      end: () => void (record.ended = true),
      recordException: () => {},
      setStatus: () => {},
    } as unknown as Span;
  };
  const tracer = {
    startSpan,
    startActiveSpan: (name: string, options: object, work: (span: Span) => unknown) => work(startSpan(name, options)),
  } as unknown as Tracer;
  return { getTracer: () => tracer };
}

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`the cached memory of a session, on ${database.name}`, () => {
    it('[E7] [E15] is cached until it changes, even in another process, for at most five minutes', async () => {
      const { options, drop } = await database.create();
      const { varve, clock } = await opened({ store: options });
      const other = await createVarve({ store: options, background: false, embedder: wordEmbedder, clock });
      open.push(other);
      const handle = varve.for(FRIEND);
      await handle.blocks.replace('reflections', 'Be brief.', { level: 'user' });
      const first = await handle.context({ message: 'hi', layout: 'reflections-xml' });
      expect(first.report.cached).toBe(false);
      await handle.logInteraction({ userMessage: 'hi', agentResponse: 'hello' });
      const second = await handle.context({ message: 'hi', layout: 'reflections-xml' });
      expect(second.report.cached).toBe(true);
      expect(second.system).toBe(first.system);

      await other.for(FRIEND).memories.create({ type: 'reflection', content: 'Likes numbers.', level: 'user' });
      const third = await handle.context({ message: 'hi', layout: 'reflections-xml' });
      expect(third.report.cached).toBe(false);
      expect(third.system).toContain('Likes numbers.');

      const parallel = await varve
        .for({ ...FRIEND, session: 'beside' })
        .context({ message: 'hi', layout: 'reflections-xml' });
      expect(parallel.system).toContain('Likes numbers.');

      clock.advance(5 * MINUTE);
      const stale = await handle.context({ message: 'hi', layout: 'reflections-xml' });
      expect(stale.report.cached).toBe(false);
      expect(stale.system).toBe(third.system);
      await varve.close();
      await other.close();
      await drop();
    });

    it('[E7] [E15] omits memories that have ended since it was cached, and a context as of another time does not change it', async () => {
      const { options, drop } = await database.create();
      const { varve, clock } = await opened({ store: options });
      const handle = varve.for(FRIEND);
      const end = clock.now() + 2 * MINUTE;
      await handle.memories.create({ content: 'Lodges with an aunt.', type: 'fact', validTo: new Date(end) });
      await handle.memories.create({ content: 'Plays the oboe.', type: 'fact' });
      const shown = async (now?: number): Promise<boolean[]> => {
        const { system } = await handle.context(now === undefined ? {} : { now });
        return ['Lodges', 'oboe'].map((word) => system.includes(word));
      };
      expect(await shown(end + DAY)).toEqual([false, true]);
      expect(await shown()).toEqual([true, true]);
      clock.advance(5 * MINUTE);
      expect(await shown()).toEqual([false, true]);
      await varve.close();
      await drop();
    });

    it('[Q6] reading memories for a session counts as one access, not one for every turn', async () => {
      const { options, drop } = await database.create();
      const { varve } = await opened({ store: options });
      const { memory } = await varve.for(FRIEND).memories.create({ type: 'fact', content: 'Likes tea' });
      for (let turn = 0; turn < 3; turn += 1) await varve.for(FRIEND).context({ message: 'thanks' });
      await varve.close();
      const again = await opened({ store: options });
      expect((await again.varve.for(FRIEND).memories.get(memory.id))?.accessCount).toBe(1);
      await again.varve.close();
      await drop();
    });

    it('never includes records of another tenant, user, agent, session or connection', async () => {
      const { options, drop } = await database.create();
      const { varve } = await opened({ store: options });
      const mine = { tenant: 't', agent: 'a', user: 'u', session: 's', connection: 'c' };
      const handle = varve.for(mine);
      await handle.connection.learn({ code: 'secret-connection' });
      await handle.memories.create({ type: 'reflection', content: 'secret-session', level: 'session' });
      const wide = varve.for({ ...mine, connection: null });
      await wide.facts.set({ key: 'code', value: 'secret-fact' });
      await wide.blocks.replace('working_memory', 'secret-block');
      await wide.memories.create({ type: 'fact', content: 'secret-memory boat' });
      await wide.logInteraction({ userMessage: 'secret-turn boat', agentResponse: 'secret-answer' });
      await varve.drain();
      const shown = async (scope: HandleScope): Promise<string> => {
        const texts: string[] = [];
        for (const layout of Object.keys(LAYOUTS) as LayoutName[]) {
          const { system, user, messages } = await varve
            .for(scope)
            .context({ message: 'boat', layout, lookup: 'always' });
          texts.push(system, user, JSON.stringify(messages));
        }
        return texts.join('\n');
      };
      const all = ['connection', 'session', 'fact', 'block', 'memory', 'turn', 'answer'];
      const secretsIn = (text: string): string[] => all.filter((kind) => text.includes(`secret-${kind}`));
      expect(secretsIn(await shown(mine))).toEqual(all);
      for (const part of ['tenant', 'agent', 'user'] as const) {
        expect([part, secretsIn(await shown({ ...mine, [part]: 'eve' }))]).toEqual([part, []]);
        expect(await varve.for({ ...mine, [part]: 'eve' }).contexts()).toHaveLength(6);
      }
      expect(secretsIn(await shown({ ...mine, session: 'eve' }))).not.toContain('session');
      expect(secretsIn(await shown({ ...mine, connection: 'eve' }))).not.toContain('connection');
      await varve.close();
      await drop();
    });

    it('[L16] records of a prompt are reported to formation, which does not learn them again, and their use is judged', async () => {
      const { options, drop } = await database.create();
      const { varve } = await opened({ store: options });
      const handle = varve.for(FRIEND);
      const always = await handle.memories.create({ type: 'preference', content: 'Prefers tea' });
      const { memory } = await handle.memories.create({
        type: 'fact',
        content: 'Boat Nautilus lies in Oslo',
        importance: 0.1,
      });
      await varve.drain();
      await handle.context({ message: 'boat Nautilus lies in?', topMemories: 1, lookup: 'always', recallLimit: 1 });
      await varve.close();
      const store = await openStore(options);
      const scope = parseScope(FRIEND);
      const given = (session: string): Promise<string[]> =>
        store.read('default', (reader) => recalledTexts(reader, { ...scope, session }));
      expect((await given('s')).toSorted()).toEqual(['Boat Nautilus lies in Oslo', 'Prefers tea']);
      expect(await given('another')).toEqual([]);
      const judged = await store.read('default', (reader) => listGiven(reader, scope, 10));
      // The use of both is judged; a memory that is in every prompt can only gain importance.
      expect(Object.fromEntries(judged.map(({ memoryId, isAlways }) => [memoryId, isAlways]))).toEqual({
        [always.memory.id]: true,
        [memory.id]: false,
      });
      await store.close();
      await drop();
    });

    it('[K2] [K18] [T15] contains due intentions and the saved items whose tags the message names, and writes a log entry', async () => {
      const { options, drop } = await database.create();
      const { varve } = await opened({ store: options });
      const handle = varve.for(FRIEND);
      await handle.savedItems.add({ title: 'Sourdough', url: 'https://example.com/s', tags: ['sourdough'] });
      await handle.savedItems.add({ title: 'Cars', url: 'https://example.com/c', tags: ['cars'] });
      await handle.savedItems.add({ title: 'Deep learning', url: 'https://example.com/d', tags: ['machine-learning'] });
      await handle.memories.create({ type: 'intention', content: 'Call the dentist', dueAt: '2026-04-24T07:15:00Z' });
      const { user } = await handle.context({
        message: 'sourdough and machine learning?',
        layout: 'facts-and-profile',
        lookup: 'always',
      });
      expect(user).toContain('"Sourdough"');
      expect(user).toContain('"Deep learning"');
      expect(user).not.toContain('"Cars"');
      expect(user).toContain('- Call the dentist');
      const [entry] = await handle.contexts();
      expect(entry?.parts.map(({ section }) => section)).toEqual(expect.arrayContaining(['savedItems', 'intentions']));
      await varve.close();
      await drop();
    });
  });
}
