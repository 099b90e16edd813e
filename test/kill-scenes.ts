import type { Handle } from '../src/handle/handle.ts';
import type { NewJob } from '../src/store/queue/job.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { functionEmbedder } from '../src/models/embedder.ts';
import { DAY, HOUR, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import { ownerKey, type Scope } from '../src/record/scope.ts';
import type { Varve, VarveOptions } from '../src/varve.ts';
import { type Recording, replayingModel } from './recordings/recorded-model.ts';

/** A store in which one job waits, and the expected result of the job. */
export interface KillScene {
  name: string;
  /** The requirements that the scene tests. */
  proves: string;
  /** Whether the job reads turns with the local model. */
  readsTurns?: boolean;
  options?: Pick<VarveOptions, 'consolidation' | 'embedder' | 'formation'>;
  /** The answers of a model, which is scripted again in each process. Default: no model. */
  answers?: readonly Recording[];
  /** Fills an empty store. The clock begins a hundred days before the job. */
  prepare(stage: Stage): Promise<void>;
  /** The job; null if `run` does the work. */
  job: NewJob | null;
  run?(varve: Varve): Promise<unknown>;
  /** Reads values that show whether everything was done exactly once; `sees` has the expected values. */
  look(ana: Handle, of: Stage['of']): Promise<unknown>;
  sees: unknown;
  /** A word that must be neither in the store nor in its files afterwards. */
  erases?: string;
}

export interface Stage {
  ana: Handle;
  of(session: string): Handle;
  clock: ManualClock;
}

/** When the job runs: between the due times of all schedules. */
export const SCENE_TIME: number = Date.UTC(2026, 5, 1, 12, 1);

const ANA: Scope = { tenant: 't', agent: 'coach', user: 'ana', session: null, connection: null };
const NEVER = '0 0 0 1 1 *';

/** The options of a scene’s store, with a clock fixed at a time. */
export function openOptions(scene: KillScene, time: number): VarveOptions & { clock: ManualClock } {
  return {
    embedder: null,
    ...(scene.answers === undefined
      ? {}
      : { languageModel: createLanguageModel({ fast: replayingModel(scene.answers).model, retries: 0 }) }),
    ...scene.options,
    consolidation: {
      ...scene.options?.consolidation,
      intervals: { consolidate: NEVER, maintain: NEVER, nightly: NEVER },
    },
    background: false,
    formation: { writes: 'deferred', ...scene.options?.formation },
    clock: manualClock(time),
  };
}

/** The handle of Ana, with or without a session. */
export function anaOf(varve: Varve, session?: string): Handle {
  return varve.for({ ...ANA, session: session ?? null });
}

const jobOf = (kind: string, scope: Scope = ANA, more: Record<string, string> = {}): NewJob => ({
  kind,
  tenant: scope.tenant,
  ownerKey: ownerKey(scope),
  uniqueKey: `${ownerKey(scope)}:${scope.session}`,
  payload: { scope: { ...scope }, ...more },
});

const contents = async (ana: Handle, filter: Parameters<Handle['memories']['list']>[0]): Promise<string[]> =>
  (await ana.memories.list({ limit: 1000, ...filter })).items.map(({ content }) => content).toSorted();

const importances = async (ana: Handle, type: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await ana.memories.list({ types: [type], limit: 1000 })).items
      .map(({ content, importance }) => [content, Number(importance.toFixed(6))] as const)
      .toSorted(),
  );

const runs = async (ana: Handle, kind: string): Promise<number> =>
  (await ana.consolidation.runs({ kinds: [kind], statuses: ['done'] })).length;

/** Counts the occurrences of a text in another. */
const times = (text: unknown, said: string): number => String(text).split(said).length - 1;

const OBSERVED = ['User lives in Berlin.', 'User owns a red boat.', 'User works at Acme.', 'User plays the cello.'];
const INSIGHTS = ['Trusts tables.', 'Wants dates first.', 'Reads on the train.', 'Checks sums twice.', 'Hates jargon.'];
const COLOURS = ['red', 'green', 'blue', 'white', 'black', 'pink', 'grey'];
const DISHES = ['soup', 'rice', 'curry', 'salad', 'bread', 'pasta', 'cheese'];
const liking = (what: string): string => `User likes ${what}.`;

const vectorOf = (text: string): number[] =>
  Array.from({ length: 4 }, (_, index) => 1 + text.length * (index + 1) + text.charCodeAt(index));

/**
 * The user makes two statements, and the assistant repeats the first. Then the user asks to forget the first statement; formation has not
 * read this request yet.
 */
async function tellOfWork({ of, clock }: Stage): Promise<void> {
  clock.set(SCENE_TIME - 10 * MINUTE);
  const talk = of('talk');
  await talk.logInteraction({
    userMessage: 'I work at Xylophonequartz Foods.',
    agentResponse: 'Xylophonequartz, good.',
  });
  await talk.logInteraction({ userMessage: 'My dog is called Max.', agentResponse: 'Good to know.' });
  await talk.form();
  clock.advance(MINUTE);
  for (const userMessage of ['Please forget where I work.', 'How is the weather?', 'Thanks.'])
    await talk.logInteraction({ userMessage, agentResponse: 'Done.' });
}

async function lookAtForgotten(ana: Handle): Promise<unknown> {
  const { items } = await ana.events.list({ limit: 100 });
  return {
    employer: await ana.facts.get('employer'),
    dog: (await ana.facts.get('pet_name'))?.value,
    log: items.filter(({ content }) => /xylophonequartz/i.test(content)).length,
    records: (await ana.forgotten.list()).map(({ attribute }) => attribute),
  };
}

/** The night after a day on which a boat was sold and a call was made. */
const NIGHT: Recording = {
  task: 'profile',
  asked: '[2026-06-01] User: I sold the boat. I called Clara.\n   Agent: Noted.',
  known: [...OBSERVED.slice(1), '[2026-06-01] User: I sold the boat. I called Clara.'],
  intentions: ['call Clara (due 2026-06-02)'],
  answer: {
    profile: [{ text: 'Works at Acme in the day and plays the cello.', section: 'Personal', from: [2, 3] }],
    working: [{ text: 'Sold the red boat.', from: [1, 4] }],
    intentions: [{ close: 1, as: 'done' }],
    learnings: [{ rule: 'Ask before a boat is named.', category: 'general' }],
  },
};

export const KILL_SCENES: readonly KillScene[] = [
  {
    name: 'synthesise',
    proves: '[T6] [T1]',
    async prepare({ ana, clock }) {
      clock.set(SCENE_TIME - HOUR);
      for (const content of OBSERVED) await ana.recordObservation(content, 'fact');
    },
    job: jobOf('consolidate'),
    async look(ana) {
      const { items } = await ana.events.list({ kinds: ['observation'] });
      const [run] = await ana.consolidation.runs({ kinds: ['synthesise'], statuses: ['done'] });
      const { content } = (await ana.blocks.read('working_memory')) ?? {};
      return {
        waiting: items.filter(({ processedAt }) => processedAt === null).length,
        taken: run?.changed['events'],
        runs: await runs(ana, 'synthesise'),
        said: OBSERVED.map((each) => times(content, each)),
      };
    },
    sees: { waiting: 0, taken: 4, runs: 1, said: [1, 1, 1, 1] },
  },
  {
    name: 'end-sessions',
    proves: '[E6]',
    async prepare({ of, clock }) {
      for (const name of ['one', 'two']) {
        const session = of(name);
        await session.observe({ content: 'Hello.' });
        await session.blocks.replace('reflections', `What ${name} was about.`, { level: 'session' });
        for (const content of INSIGHTS.slice(0, 3))
          await session.memories.create({ type: 'reflection', level: 'session', content });
        clock.advance(MINUTE);
        await session.session.close();
      }
    },
    job: jobOf('consolidate'),
    async look(_ana, of) {
      const seen = await Promise.all(
        ['one', 'two'].map(async (name) => [
          (await of(name).memories.list({ types: ['reflection'], archiveReasons: ['expired'] })).items.length,
          (await of(name).memories.list({ types: ['reflection'] })).items.length,
          (await of(name).blocks.read('reflections', { level: 'session' }))?.content,
        ]),
      );
      return seen;
    },
    sees: [
      [3, 0, ''],
      [3, 0, ''],
    ],
  },
  {
    name: 'merge-reflections',
    proves: '[E6]',
    async prepare({ ana }) {
      await ana.blocks.replace('reflections', 'Likes brevity.', { level: 'user' });
      for (const content of INSIGHTS) await ana.memories.create({ type: 'reflection', level: 'user', content });
      for (const colour of [...COLOURS, 'teal', 'ochre'])
        await ana.memories.create({ type: 'reflection', level: 'agent', content: `Users ask for ${colour}.` });
    },
    job: jobOf('consolidate'),
    async look(ana) {
      const mine = await ana.blocks.read('reflections', { level: 'user' });
      const agents = await ana.blocks.read('reflections', { level: 'agent' });
      return {
        mine: [...INSIGHTS, 'Likes brevity.'].map((each) => times(mine?.content, each)),
        agents: COLOURS.map((colour) => times(agents?.content, `Users ask for ${colour}.`)),
        versions: [mine?.version, agents?.version],
        live: await contents(ana, { types: ['reflection'] }),
      };
    },
    sees: { mine: [1, 1, 1, 1, 1, 1], agents: COLOURS.map(() => 1), versions: [2, 1], live: [] },
  },
  {
    name: 'merge-tags',
    proves: '[Q8]',
    async prepare({ ana }) {
      for (const [tag, all] of [
        ['colour', COLOURS],
        ['food', DISHES],
      ] as const)
        for (const each of all)
          await ana.memories.create({ type: 'preference', content: liking(each), tags: [tag], importance: 0.9 });
    },
    job: jobOf('consolidate'),
    async look(ana) {
      const { items } = await ana.memories.list({ types: ['preference'], limit: 100 });
      const texts = items.filter(({ sourceType }) => sourceType === 'consolidation');
      const said = texts.map(({ content }) => content).join('\n');
      return {
        texts: texts.length,
        said: [...COLOURS, ...DISHES].map((each) => times(said, liking(each))),
        superseded: items.filter(({ contradictedBy }) => contradictedBy !== null).length,
        runs: await runs(ana, 'merge-tags'),
      };
    },
    sees: { texts: 2, said: [...COLOURS, ...DISHES].map(() => 1), superseded: 14, runs: 2 },
  },
  {
    name: 'find-patterns',
    proves: '[L8] [L14]',
    async prepare({ ana }) {
      for (const [what, views] of [
        ['recipe', 340],
        ['recipe', 290],
        ['recipe', 280],
        ['news', 95],
        ['news', 110],
      ] as const)
        await ana.memories.create({ type: 'episode', content: `Suggested ${what} post → ${views} views` });
    },
    job: jobOf('consolidate'),
    async look(ana) {
      const patterns = (await ana.memories.list({ types: ['pattern'], archived: 'include' })).items;
      return {
        patterns: patterns.map(({ internal }) => (internal['evidence'] as unknown[]).length),
        counted: patterns[0]?.content.includes('303 views on average in 3 cases, against 103 in 2 cases with news'),
        live: await contents(ana, { types: ['episode'] }),
        runs: await runs(ana, 'find-patterns'),
      };
    },
    sees: { patterns: [5], counted: true, live: [], runs: 1 },
  },
  {
    name: 'judge-use',
    proves: '[L16]',
    async prepare({ ana, of, clock }) {
      const ids: string[] = [];
      for (const content of ['User is allergic to peanuts.', 'User drives a red Volvo.'])
        ids.push((await ana.memories.create({ type: 'fact', content, importance: 0.5 })).memory.id);
      const session = of('talk');
      for (const [question, answer] of [
        ['What should I cook?', 'As you are allergic to peanuts, a lentil curry.'],
        ['Yes, exactly, good memory!', 'You are welcome.'],
      ] as const) {
        clock.advance(MINUTE);
        await session.observe({ content: question });
        await session.noteGiven(ids);
        await session.observe({ content: answer, origin: 'agent' });
      }
    },
    job: jobOf('consolidate'),
    async look(ana) {
      const { items } = await ana.memories.list({ types: ['fact'] });
      const uses = await Promise.all(items.map(({ id }) => ana.consolidation.use(id)));
      return {
        facts: await importances(ana, 'fact'),
        counts: uses.map((use) => [use?.given, use?.used, use?.confirmed, use?.corrected]).toSorted(),
      };
    },
    sees: {
      facts: { 'User drives a red Volvo.': 0.5, 'User is allergic to peanuts.': 0.57 },
      counts: [
        [2, 0, 0, 0],
        [2, 1, 1, 0],
      ],
    },
  },
  {
    name: 'reflect',
    proves: '[K10]',
    // Formation is off, because it would form the same statements as the reflection, and their order after a kill is not determined.
    options: { formation: { facts: false, reflections: false, summaries: false } },
    async prepare({ ana, of, clock }) {
      for (const content of OBSERVED) await ana.memories.create({ type: 'fact', content });
      clock.set(SCENE_TIME - 6 * HOUR);
      await of('talk').logInteraction({ userMessage: 'I prefer tea to coffee.', agentResponse: 'Noted.' });
      await of('talk').logInteraction({ userMessage: 'Remind me to call Clara tomorrow.', agentResponse: 'I will.' });
    },
    job: jobOf('reflect'),
    async look(ana) {
      const profile = await ana.blocks.read('profile');
      return { version: profile?.version, runs: await runs(ana, 'reflect'), berlin: times(profile?.content, 'Berlin') };
    },
    sees: { version: 1, runs: 1, berlin: 1 },
  },
  {
    name: 'refresh-documents',
    proves: '[T1] [T6]',
    async prepare({ ana, clock }) {
      clock.set(SCENE_TIME - HOUR);
      for (const content of OBSERVED) await ana.memories.create({ type: 'preference', content });
      await ana.consolidation.run();
      clock.advance(MINUTE);
      const { items } = await ana.memories.list({ types: ['preference'] });
      const boat = items.find(({ content }) => content.includes('boat'));
      await ana.memories.archive(boat?.id ?? '', 'contradicted');
      await ana.memories.create({ type: 'preference', content: 'User owns a green canoe.' });
    },
    job: jobOf('consolidate'),
    async look(ana) {
      const basis = await ana.blocks.basis('working_memory');
      return {
        said: basis.map(({ text, restsOn, stale }) => [text, restsOn.length, stale]).toSorted(),
        version: (await ana.blocks.read('working_memory'))?.version,
        runs: await runs(ana, 'refresh-documents'),
      };
    },
    sees: {
      said: [...OBSERVED.filter((each) => !each.includes('boat')), 'User owns a green canoe.']
        .toSorted()
        .map((text) => [text, 1, false]),
      version: 2,
      runs: 2,
    },
  },
  {
    name: 'rewrite a merged text',
    proves: '[Q8]',
    async prepare({ ana }) {
      for (const each of COLOURS)
        await ana.memories.create({ type: 'preference', content: liking(each), tags: ['colour'], importance: 0.9 });
      await ana.consolidation.run();
    },
    job: null,
    async run(varve) {
      const { items } = await anaOf(varve).memories.list({ types: ['preference'], limit: 100 });
      const single = items.find(({ content }) => content === liking('red'));
      if (single !== undefined) await anaOf(varve).memories.revise(single.id, { content: liking('scarlet') });
    },
    async look(ana) {
      const { items } = await ana.memories.list({ types: ['preference'], limit: 100 });
      const texts = items.filter(({ sourceType }) => sourceType === 'consolidation');
      return {
        texts: texts.length,
        said: ['red', 'scarlet', 'green'].map((each) => times(texts[0]?.content, liking(each))),
        singles: items.filter(({ content }) => content === liking('scarlet')).length,
      };
    },
    sees: { texts: 1, said: [0, 1, 1], singles: 1 },
  },
  {
    name: 'reflect with a model',
    proves: '[K10] [T1]',
    options: { formation: { facts: false, reflections: false, summaries: false } },
    answers: [NIGHT],
    async prepare({ ana, of, clock }) {
      clock.set(SCENE_TIME - 7 * HOUR);
      for (const content of OBSERVED.slice(1)) await ana.memories.create({ type: 'preference', content });
      await ana.intentions.add({ text: 'call Clara', dueAt: new Date(SCENE_TIME + DAY) });
      clock.set(SCENE_TIME - 6 * HOUR);
      await of('talk').logInteraction({ userMessage: 'I sold the boat. I called Clara.', agentResponse: 'Noted.' });
      // The turns are marked as read, because the order of formation and reflection after a kill is not determined.
      await of('talk').form();
    },
    job: jobOf('reflect'),
    async look(ana) {
      return {
        profile: times((await ana.blocks.read('profile'))?.content, 'Acme in the day'),
        working: times((await ana.blocks.read('working_memory'))?.content, 'Sold the red boat.'),
        open: (await ana.intentions.list()).length,
        closed: (await ana.forgotten.list()).map(({ as }) => as),
        learnings: (await ana.learnings.list()).map(({ content }) => content),
        runs: await runs(ana, 'reflect'),
      };
    },
    sees: { profile: 1, working: 1, open: 0, closed: ['done'], learnings: ['Ask before a boat is named.'], runs: 1 },
  },
  {
    name: 'maintain-tenant',
    proves: '[Q9] [L8] [T17] [X1]',
    options: { consolidation: { retention: { saved_item: 50 }, tiers: { staleAfterDays: 30 } } },
    async prepare({ ana, of, clock }) {
      await ana.recordObservation('User is preparing the Lisbon conference.', 'fact');
      await ana.consolidation.run();
      for (const [content, importance] of [
        ['Low.', 0.29],
        ['Lowest.', 0.05],
        ['Fine.', 0.9],
      ] as const)
        await ana.memories.create({ type: 'feedback', content, importance });
      await ana.memories.create({ type: 'context', content: 'In the middle of a move.', importance: 0.9 });
      await ana.memories.create({ type: 'saved_item', title: 'Old', content: 'Kept xylophonequartz for fifty days.' });
      const session = of('old');
      await session.observe({ content: 'Hello.' });
      // The turns are marked as read, because a cold and unread session would be formed at the next due time.
      await session.form();
      await session.memories.create({ type: 'reflection', level: 'session', content: 'Greets.' });
      clock.set(SCENE_TIME - DAY);
      await ana.memories.create({ type: 'feedback', content: 'New.', importance: 0.5 });
    },
    job: { kind: 'maintain-tenant', tenant: 't', uniqueKey: 'maintain', payload: {} },
    async look(ana) {
      return {
        feedback: await importances(ana, 'feedback'),
        decayed: await contents(ana, { archiveReasons: ['decayed'] }),
        pruned: await contents(ana, { archiveReasons: ['pruned'] }),
        expired: await contents(ana, { archiveReasons: ['expired'] }),
        saved: await contents(ana, { types: ['saved_item'], archived: 'include' }),
        certificates: (await ana.erasures()).map(({ removed }) => removed),
        working: (await ana.blocks.read('working_memory'))?.content,
      };
    },
    sees: {
      feedback: { 'Fine.': 0.8995, 'New.': 0.5 },
      decayed: ['Low.'],
      pruned: ['Lowest.'],
      expired: ['In the middle of a move.'],
      saved: [],
      certificates: [1],
      working: '- 2026-02-21: Fine.\n- 2026-05-31: New.',
    },
    erases: 'xylophonequartz',
  },
  {
    name: 'merge-doubles',
    proves: '[L7]',
    async prepare({ ana, clock }) {
      clock.set(SCENE_TIME - HOUR);
      for (const [content, attribute, value] of [
        ['User enjoys walks by the harbour.', 'likes', 'walks by the harbour'],
        ['User really enjoys walks by the harbour.', 'likes', 'Walks by the harbour'],
        ['User collects radio tubes.', 'hobby', 'radio tubes'],
        ['User collects old radio tubes.', 'hobby', 'the radio tubes'],
      ] as const)
        await ana.memories.create({ type: 'fact', content, attribute, value, importance: 0.5 });
    },
    job: jobOf('merge-doubles'),
    look: (ana) => importances(ana, 'fact'),
    sees: { 'User collects old radio tubes.': 0.55, 'User really enjoys walks by the harbour.': 0.55 },
  },
  {
    name: 'boost-outcomes',
    proves: '[L7]',
    async prepare({ ana }) {
      for (const content of ['Recipe posts get many views.', 'Recipe posts please the readers.'])
        await ana.memories.create({ type: 'fact', content, importance: 0.5 });
      const decision = await ana.decisions.record({
        content: 'Published a recipe post.',
        reason: 'Readers like them.',
      });
      await ana.decisions.recordOutcome(decision.id, {
        content: 'The recipe post got many views and pleased the readers.',
        effect: 'positive',
      });
    },
    job: null,
    look: (ana) => importances(ana, 'fact'),
    sees: { 'Recipe posts get many views.': 0.6, 'Recipe posts please the readers.': 0.6 },
  },
  {
    name: 'form',
    proves: '[T6] [Q5]',
    async prepare({ of, clock }) {
      clock.set(SCENE_TIME - 10 * MINUTE);
      for (const userMessage of ['I live in Berlin.', 'My dog is called Max.', 'I am allergic to peanuts.'])
        await of('talk').logInteraction({ userMessage, agentResponse: 'Good to know.' });
    },
    job: jobOf('form', { ...ANA, session: 'talk' }, { cause: 'flush' }),
    async look(ana) {
      const { items } = await ana.events.list({ limit: 100 });
      return {
        waiting: items.filter(({ processedAt }) => processedAt === null).length,
        runs: await runs(ana, 'form'),
        home: (await ana.facts.get('home_city'))?.value,
        dog: (await ana.facts.get('pet_name'))?.value,
      };
    },
    sees: { waiting: 0, runs: 1, home: 'Berlin', dog: 'Max' },
  },
  {
    name: 'summarise',
    proves: '[E6]',
    async prepare({ of, clock }) {
      clock.set(SCENE_TIME - 30 * MINUTE);
      for (const userMessage of [
        'We plan a trip to Rome in May.',
        'My sister Clara lives in Rome.',
        'Which museums in Rome are open on Monday?',
        'Book the train to Rome, please.',
        'And a hotel near the museums in Rome.',
        'Rome it is, then.',
      ])
        await of('talk').logInteraction({ userMessage, agentResponse: 'About Rome: I will see to it.' });
    },
    job: jobOf('summarise', { ...ANA, session: 'talk' }),
    look: async (ana) => (await contents(ana, { types: ['summary'], archived: 'include' })).length,
    sees: 1,
  },
  {
    name: 'embed',
    proves: '[T21]',
    options: {
      embedder: functionEmbedder({ id: 'letters@1', dimensions: 4, embed: async (texts) => texts.map(vectorOf) }),
    },
    async prepare({ ana }) {
      for (let index = 0; index < 40; index += 1)
        await ana.memories.create({ type: 'fact', content: `User has seen film ${index}.` });
    },
    job: { kind: 'embed', tenant: 't', ownerKey: ownerKey(ANA), uniqueKey: ownerKey(ANA), payload: {} },
    look: async (ana) => (await contents(ana, { types: ['fact'] })).length,
    sees: 40,
  },
  {
    name: 'forget on request',
    proves: '[X1]',
    readsTurns: true,
    prepare: tellOfWork,
    job: jobOf('form', { ...ANA, session: 'talk' }, { cause: 'flush' }),
    look: lookAtForgotten,
    sees: { employer: null, dog: 'Max', log: 0, records: ['employer'] },
  },
  {
    name: 'forget by a door',
    proves: '[X1]',
    prepare: tellOfWork,
    job: null,
    run: (varve) => anaOf(varve).facts.forget('employer'),
    look: lookAtForgotten,
    sees: { employer: null, dog: 'Max', log: 0, records: ['employer'] },
  },
  {
    name: 'erase a memory',
    proves: '[X1]',
    prepare: tellOfWork,
    job: null,
    async run(varve) {
      const fact = await anaOf(varve).facts.get('employer');
      if (fact !== null) await anaOf(varve).eraseMemory(fact.id);
    },
    look: lookAtForgotten,
    sees: { employer: null, dog: 'Max', log: 0, records: [] },
    erases: 'xylophonequartz',
  },
  {
    name: 'erase',
    proves: '[X1]',
    async prepare({ ana, of }) {
      const { events } = await of('talk').observe([{ content: 'xylophonequartz one' }, { content: 'Hello.' }]);
      await of('talk').memories.create({
        type: 'fact',
        content: 'Knows xylophonequartz.',
        sourceEvents: [events[0]!.id],
        tags: ['xylophonequartz'],
      });
      await ana.facts.set({ key: 'password', value: 'xylophonequartz' });
      await ana.blocks.replace('working_memory', 'About xylophonequartz.');
      await ana.entities.add({ type: 'product', name: 'xylophonequartz' });
    },
    job: null,
    async run(varve) {
      const ana = varve.for({ tenant: 't', user: 'ana' });
      if ((await ana.erasures()).length === 0) await ana.erase({ actor: 'desk', reason: 'asked to' });
    },
    look: async (ana) => ({
      certificates: (await ana.erasures()).map(({ actor }) => actor),
      left: (await ana.memories.list({ archived: 'include' })).items.length,
    }),
    sees: { certificates: ['desk'], left: 0 },
    erases: 'xylophonequartz',
  },
];
