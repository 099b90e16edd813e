import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { LAYOUTS, type LayoutName } from '../src/assemble/layouts.ts';
import type { Handle } from '../src/handle/handle.ts';
import { createLanguageModel } from '../src/models/create-language-model.ts';
import { BLOCK_KINDS, type BlockKindName } from '../src/record/block.ts';
import { DAY, HOUR, manualClock, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import { AGENT_TOOLS, agentTool } from '../src/tools/agent-tools.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases, type TestDatabase } from './databases.ts';
import { randomOf } from './random.ts';
import { from, json, type ProtocolServer, startProtocolServer } from './protocol-server.ts';

// Every way to forget × every job and interface that could bring the words back, before and after each job, for each kind of statement. The
// tables below are complete: a new way, job, interface or statement is one more entry. `npm test` runs a sample of the pairs of ways and
// jobs, each with every interface: on SQLite for each kind of statement, on PostgreSQL, where a pair takes six times as long, for all kinds
// together.

const SECRET = /zorbex/i;
const KEPT = 'Rollo';

/** One owner, with everything that a scenario needs. */
interface Scene {
  varve: Varve;
  clock: ManualClock;
  /** The session in which the statement was made. */
  said: Handle;
  /** Another session of the same user, later. */
  later: Handle;
  matter: Matter;
}

/** The statement of a scenario, and how it is found and requested. Each contains the secret word and something that stays. */
interface Matter {
  turns: Parameters<Handle['logInteraction']>[0][];
  /** The key of a fact; null for a sentence without an attribute. */
  key: string | null;
  /** The input of the tool `forget`. */
  what: string;
  asks: Record<'here' | 'later', string>;
  /** The assistant’s answer to the request, and its later messages. */
  echoes: Record<'reply' | 'later', string>;
}

const DOG = { userMessage: 'I have a dog named Rollo.', agentResponse: 'Rollo sounds fun, and so does Zorbex.' };

/** A statement, a turn that becomes no memory, repetitions by the assistant, and something that stays. */
const MATTERS: Record<string, Matter> = {
  'a fact': {
    turns: [
      { userMessage: 'I work at Zorbex Foods.', agentResponse: 'Zorbex Foods is a nice place. Noted.' },
      DOG,
      {
        userMessage: 'Ugh, zorbex foods canteen again, lol',
        agentResponse: 'Soup?',
        toolsUsed: [{ tool: 'lookup', result: 'Zorbex Foods: 12 Mill Lane' }],
      },
    ],
    key: 'employer',
    what: 'employer',
    asks: { here: 'Please forget where I work.', later: 'Forget that I work at Zorbex Foods.' },
    echoes: {
      reply: 'Okay, I have forgotten Zorbex Foods.',
      later: 'As you work at Zorbex Foods, take the bus. It is late.',
    },
  },
  // The title of the summary is the beginning of the first sentence, and its name is in no other statement.
  'a sentence with a name': {
    turns: [
      { userMessage: 'My boss Zorbex is a bully and shouts at us in the warehouse.', agentResponse: 'That is hard.' },
      { ...DOG, agentResponse: 'Rollo sounds fun.' },
      { userMessage: 'I started a course in welding.', agentResponse: 'Nice.' },
    ],
    key: null,
    what: 'Zorbex',
    asks: { here: 'Please forget everything about Zorbex.', later: 'Forget that my boss Zorbex is a bully.' },
    echoes: {
      reply: 'Okay, that is forgotten.',
      later: 'As your boss Zorbex is a bully who shouts at you in the warehouse, take the bus. It is late.',
    },
  },
};

async function tell({ varve, clock, said }: Scene, { turns }: Matter): Promise<void> {
  for (const turn of turns) {
    await said.logInteraction(turn);
    await varve.drain();
    clock.advance(MINUTE);
  }
}

/** The memory of the statement. */
async function secret({ said, matter: { key } }: Scene): Promise<Memory> {
  const { items } = await said.memories.list({ limit: 200 });
  return items.find(
    ({ attribute, content, type }) => attribute === key && type !== 'summary' && SECRET.test(content),
  ) as Memory;
}

const WAYS: Record<string, (scene: Scene) => Promise<unknown>> = {
  'facts.forget': ({ said, matter: { key } }) => said.facts.forget(key ?? ''),
  'the tool forget_fact': async ({ said, matter: { key } }) => agentTool('forget_fact')?.run(said, { key }),
  'the tool forget': async ({ said, matter: { what } }) => agentTool('forget')?.run(said, { what }),
  'memories.archive': async (scene) => scene.said.memories.archive((await secret(scene)).id, 'forgotten'),
  eraseMemory: async (scene) => scene.said.eraseMemory((await secret(scene)).id),
  'a spoken request': (scene) => ask(scene, scene.said, scene.matter.asks.here),
  'a spoken request in another session': (scene) => ask(scene, scene.later, scene.matter.asks.later),
};
const NEED_A_KEY: ReadonlySet<string> = new Set(['facts.forget', 'the tool forget_fact']);

async function ask({ varve, clock, matter }: Scene, handle: Handle, userMessage: string): Promise<void> {
  await handle.logInteraction({ userMessage, agentResponse: matter.echoes.reply });
  await varve.drain();
  // If a model reads, it reads the request together with the session.
  await handle.form();
  clock.advance(MINUTE);
}

const JOBS: Record<string, (scene: Scene) => Promise<unknown>> = {
  nothing: async () => undefined,
  'formation by hand': ({ said }) => said.form(),
  'the end of the session': async ({ varve, clock, said }) => {
    await said.session.close();
    clock.advance(10 * MINUTE);
    await varve.drain();
  },
  'a summary after silence': async ({ varve, clock }) => {
    clock.advance(HOUR);
    await varve.drain();
  },
  'nightly reflection': ({ said }) => said.reflect(),
  consolidation: async ({ clock, said }) => {
    clock.advance(6 * MINUTE);
    await said.consolidation.run();
  },
  maintenance: async ({ varve, clock, said }) => {
    clock.advance(DAY);
    await varve.maintain({ tenant: said.scope.tenant });
    await varve.drain();
  },
  'an echo of the assistant': async ({ varve, said, matter }) => {
    await said.observe({ origin: 'agent', content: matter.echoes.later });
    await varve.drain();
  },
};

/** An erasure leaves no record that could identify a repetition, so an agent that repeats the words afterwards states something new. */
function isPossible(way: string, job: string): boolean {
  return way !== 'eraseMemory' || job !== 'an echo of the assistant';
}

function pairsOf({ key }: Matter): string[][] {
  return Object.keys(WAYS)
    .filter((way) => key !== null || !NEED_A_KEY.has(way))
    .flatMap((way) =>
      Object.keys(JOBS)
        .filter((job) => isPossible(way, job))
        .map((job) => [way, job]),
    );
}

/** Cells that contain every name at least once, combined by the seed of the run. `npm run test:slow` runs all pairs. */
function sampleCells(cells: readonly string[][], stream: string): string[][] {
  const [random, missing] = [randomOf(stream), new Set(cells.flat())];
  const shuffled = cells.map((cell) => ({ cell, place: random() })).toSorted((one, other) => one.place - other.place);
  // Cells with more new names come first.
  return [3, 2, 1].flatMap((least) =>
    shuffled.flatMap(({ cell }) => {
      if (cell.filter((name) => missing.has(name)).length < least) return [];
      for (const name of cell) missing.delete(name);
      return [cell];
    }),
  );
}

/** The output of each interface as one text. */
const DOORS: Record<string, (scene: Scene) => Promise<unknown>> = {
  'memories and facts': async ({ said }) => [
    await said.memories.list(),
    await said.facts.list(),
    await said.topMemories(),
    await said.intentions.list(),
  ],
  recall: async ({ later }) => {
    const modes = ['hybrid', 'text'] as const;
    const queries = ['Zorbex Foods', 'Where does the user work?', 'Rollo the dog'];
    const asked = modes.flatMap((mode) =>
      queries.map((query) => later.recall(query, { mode, neighbours: 2, withSources: true })),
    );
    return (await Promise.all(asked)).map(({ results }) => results);
  },
  contexts: async ({ said, later }) => {
    const names = Object.keys(LAYOUTS) as LayoutName[];
    const message = 'Where do I work, and what is my dog called?';
    return Promise.all([
      ...names.map((layout) => later.context({ message, layout })),
      said.context({ message, history: { mode: 'semantic' } }),
      said.context({ message: 'Hello' }),
    ]);
  },
  entities: ({ said }) => said.entities.list(),
  documents: ({ said }) =>
    Promise.all((Object.keys(BLOCK_KINDS) as BlockKindName[]).map((kind) => said.blocks.read(kind).catch(() => null))),
  'tools that read': ({ later }) =>
    Promise.all(
      AGENT_TOOLS.filter(({ hints }) => hints.readOnly).map((tool) =>
        tool
          .run(later, 'query' in tool.input.shape ? { query: 'Zorbex Foods work' } : {})
          .then((answer) => ({ ...answer, query: null })),
      ),
    ),
  'the log': async ({ said }) => [
    await said.events.list({ limit: 1000 }),
    await said.interactions(),
    await said.session.window(40),
  ],
  'the past': async ({ said, clock }) => {
    const past = said.asOf(new Date(clock.now() - 1));
    const before = said.asOf(new Date(START + 4 * MINUTE));
    return [
      await past.memories.list(),
      await before.memories.list(),
      await before.facts.list(),
      (await before.recall('Zorbex Foods')).results,
      await before.blocks.read('working_memory').catch(() => null),
    ];
  },
  'what was refused and what waits': async ({ said }) => [await said.refusals.list(), await said.consolidation.held()],
};

/** The interfaces that return the secret, and the text around it. */
async function leaks(scene: Scene): Promise<string[]> {
  const found: string[] = [];
  for (const [name, read] of Object.entries(DOORS)) {
    const text = JSON.stringify(await read(scene)) ?? '';
    const place = text.search(SECRET);
    if (place >= 0) found.push(`${name}: …${text.slice(Math.max(0, place - 160), place + 80)}…`);
  }
  return found;
}

const START = Date.UTC(2026, 0, 5, 12);
const LOCAL = { name: 'the local reader', isModel: false };
const MODEL = { name: 'a model that tells all it sees', isModel: true };

/** A model that tries to bring the secret back at every opportunity: it quotes the turn with the secret, whether it was shown or not. */
function tellingAll(server: ProtocolServer): void {
  server.otherwise({
    chat: from(({ body }) => {
      const name = body.response_format?.json_schema?.name ?? '';
      const prompt = body.messages?.at(-1)?.content ?? '';
      if (name !== 'read') return json({});
      const line = prompt.split('\n').findIndex((each) => SECRET.test(each));
      const turn = Number(/^(\d+)\./.exec(prompt.split('\n')[line] ?? '')?.[1] ?? 1);
      const asks = /(\d+)\.[^\n]*User: (Please forget where I work\.|Forget that I work at Zorbex Foods\.)/.exec(
        prompt,
      );
      const base = { about: 'User', denied: false, tense: 'holds', type: 'fact', from: null, to: null, due: null };
      const rest = { importance: 0.7, inferred: false, everyone: false, tags: [], relation: null, known: null };
      const secret = { attribute: 'employer', value: 'Zorbex Foods', text: 'User works at Zorbex Foods.' };
      return json({
        statements: [{ ...base, ...secret, ...rest, turn, quote: 'I work at Zorbex Foods' }],
        ends: [],
        forgets:
          asks === null ? [] : [{ about: 'where the user works', turn: Number(asks[1]), quote: asks[2], known: [] }],
        reflections: [],
        topics: [{ topic: 'Work', summary: 'The user works at Zorbex Foods.', turns: [turn] }],
      });
    }),
  });
}

/** Opens a Varve instance for one case, with its own model server or without a model. */
async function openScene(database: TestDatabase, { isModel }: typeof LOCAL, matter: Matter): Promise<Opened> {
  const { options, drop } = await database.create();
  const clock = manualClock(START);
  const server = isModel ? await startProtocolServer() : undefined;
  if (server !== undefined) tellingAll(server);
  const varve = await createVarve({
    store: options,
    embedder: null,
    background: false,
    clock,
    formation: isModel ? { writes: 'deferred' } : {},
    ...(server === undefined
      ? {}
      : { languageModel: createLanguageModel({ fast: server.languageModel(), retries: 0, clock }) }),
  });
  const scope = { agent: 'a', user: 'kim' };
  return {
    varve,
    clock,
    said: varve.for({ ...scope, session: 'one' }),
    later: varve.for({ ...scope, session: 'two' }),
    matter,
    prompts: () =>
      (server?.requests ?? []).map(({ body }) => body.messages?.map(({ content }) => content).join('\n') ?? ''),
    async close() {
      await varve.close();
      await server?.close();
      await drop();
    },
  };
}

interface Opened extends Scene {
  /** The prompts that the model has received so far. */
  prompts(): string[];
  close(): Promise<void>;
}

/** The model states only the fact, so the sentence is tested with the local reader. */
const KINDS = [
  { reader: LOCAL, name: 'a fact' },
  { reader: MODEL, name: 'a fact' },
  { reader: LOCAL, name: 'a sentence with a name' },
];

/** The ways and jobs that a kind of statement is tested with. */
function chosenPairs({ reader, name }: (typeof KINDS)[number], database: TestDatabase): string[][] {
  const [all, depth] = [pairsOf(MATTERS[name] as Matter), inject('depth')];
  if (depth === 'all' && database.name === 'SQLite') return all;
  if (depth === 'all' || database.name === 'SQLite') return sampleCells(all, database.name);
  const kindOf = (kind: (typeof KINDS)[number]): string => `${kind.name}, ${kind.reader.name}`;
  const cells = KINDS.flatMap((kind) => pairsOf(MATTERS[kind.name] as Matter).map((pair) => [kindOf(kind), ...pair]));
  return sampleCells(cells, database.name).flatMap(([kind, ...pair]) =>
    kind === kindOf({ reader, name }) ? [pair] : [],
  );
}

for (const database of databases()) {
  for (const { reader, name } of KINDS) {
    describe.skipIf(database.skip !== null)(
      `[X1] what was forgotten, ${name}, with ${reader.name} on ${database.name}`,
      () => {
        const matter = MATTERS[name] as Matter;
        let scene: Opened;
        beforeEach(async () => {
          scene = await openScene(database, reader, matter);
          await tell(scene, matter);
          if (reader.isModel) await scene.said.form();
        });
        afterEach(() => scene.close());
        const pairs = chosenPairs({ reader, name }, database);

        it.each(pairs)('does not come back after %s, with %s before and afterwards', async (way = '', job = '') => {
          if (job !== 'an echo of the assistant') await JOBS[job]?.(scene);
          expect(await secret(scene)).toMatchObject({ value: matter.key === null ? null : 'Zorbex Foods' });
          await WAYS[way]?.(scene);
          const shown = scene.prompts().length;
          expect(await leaks(scene)).toEqual([]);
          await JOBS[job]?.(scene);
          expect(await leaks(scene)).toEqual([]);
          expect(
            scene
              .prompts()
              .slice(shown)
              .filter((prompt) => SECRET.test(prompt)),
          ).toEqual([]);
          if (!reader.isModel) expect(JSON.stringify(await scene.said.memories.list())).toContain(KEPT);
        });

        it('does not come back when all jobs run, twice', async () => {
          await WAYS['a spoken request']?.(scene);
          for (let round = 0; round < 2; round += 1) for (const run of Object.values(JOBS)) await run(scene);
          expect(await leaks(scene)).toEqual([]);
        });
      },
    );
  }
}
