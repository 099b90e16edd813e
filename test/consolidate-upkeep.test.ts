import { afterAll, describe, expect, it } from 'vitest';
import { consolidationSettings } from '../src/consolidate/consolidation-settings.ts';
import { planUpkeep, slowness, type UpkeepRow } from '../src/maintain/maintain.ts';
import { judgeUse, stepOf } from '../src/consolidate/usefulness.ts';
import { DAY, HOUR, MINUTE } from '../src/record/clock.ts';
import { MEMORY_TYPES, type MemoryType, memoryTypeTable, typesThat } from '../src/record/memory-types.ts';
import { openConsolidation, type Opened, START } from './consolidate-fixture.ts';
import { databases } from './databases.ts';

const { decay, usefulness } = consolidationSettings();
const typeOf = (name: string): MemoryType => MEMORY_TYPES[name] as MemoryType;
const row = (given: Partial<UpkeepRow>): UpkeepRow => ({
  permanent: false,
  plannedFor: null,
  endedAt: null,
  beginsAt: null,
  isFollowUp: false,
  tense: 'holds',
  importance: 0.5,
  createdAt: 0,
  updatedAt: 0,
  lastAccessedAt: null,
  expiresAt: null,
  accessCount: 0,
  confirmed: 0,
  lastConfirmedAt: null,
  outcomes: 0,
  ...given,
});
const plan = (given: Partial<UpkeepRow>, days: number, type = 'feedback') =>
  planUpkeep(row(given), typeOf(type), decay, days * DAY);

/** A memory, a question, an answer that uses the memory, and reactions that confirm it, correct it, or do neither. */
const REACTIONS: [string, string, string, string, string[], string[], string[]][] = [
  [
    'de',
    'Ist gegen Erdnüsse allergisch.',
    'Was soll ich für Tom kochen?',
    'Weil du gegen Erdnüsse allergisch bist, lieber Risotto.',
    ['Genau, danke!', 'Ja, stimmt.', 'Das stimmt.'],
    ['Nein, das war einmal.', 'Das stimmt so nicht.', 'Eigentlich vertrage ich sie wieder.', 'Ich bin es nicht mehr.'],
    ['Und was passt dazu?', 'Danke dir.'],
  ],
  [
    'es',
    'Es alérgica a los cacahuetes.',
    '¿Qué cocino para Tomás?',
    'Como eres alérgica a los cacahuetes, mejor un arroz.',
    ['¡Exacto!', 'Sí, eso es.'],
    ['No, ya no lo soy.', 'En realidad ya puedo comerlos.'],
    ['¿Y de postre?', 'No pasa nada, gracias.'],
  ],
  [
    'fr',
    'Est allergique aux arachides.',
    'Que cuisiner pour Thomas ?',
    'Comme tu es allergique aux arachides, plutôt un risotto.',
    ['Oui, c’est ça.', 'Exactement !'],
    ['Non, c’est fini.', 'En fait, je ne le suis plus.'],
    ['Et comme dessert ?', 'Non merci.'],
  ],
  [
    'pt',
    'É alérgica a amendoim.',
    'O que cozinho para o Tomás?',
    'Como és alérgica a amendoim, talvez um risoto.',
    ['Isso mesmo!', 'Sim, exato.'],
    ['Não, isso já passou.', 'Na verdade já posso comer.'],
    ['E para a sobremesa?', 'Não faz mal.'],
  ],
  [
    'it',
    'È allergica alle arachidi.',
    'Cosa cucino per Tommaso?',
    'Dato che sei allergica alle arachidi, meglio un risotto.',
    ['Esatto!', 'Sì, giusto.'],
    ['No, non più.', 'In realtà ora le posso mangiare.'],
    ['E come dolce?', 'Grazie mille.'],
  ],
  [
    'nl',
    'Is allergisch voor pinda.',
    'Wat kook ik voor Tom?',
    'Omdat je allergisch bent voor pinda, liever een risotto.',
    ['Klopt!', 'Ja, precies.'],
    ['Nee, dat is voorbij.', 'Dat klopt niet meer.', 'Ik ben het niet meer.'],
    ['En wat eten we toe?', 'Bedankt.'],
  ],
  [
    'zh',
    '对花生过敏。',
    '今晚给汤姆做什么？',
    '因为你对花生过敏，建议做炒饭。',
    ['对，谢谢！', '没错。'],
    ['不，现在可以吃了。', '其实我已经好了。'],
    ['对不起，甜点呢？', '不用了。'],
  ],
  [
    'ja',
    'ピーナッツアレルギーがあります。',
    '今夜は何を作ればいい？',
    'ピーナッツアレルギーがありますから、リゾットはどうですか。',
    ['はい、その通りです。', 'そうそう。'],
    ['いいえ、もう治りました。', '実は食べられます。'],
    ['デザートは？', 'ありがとう。'],
  ],
];

describe('the rules of maintenance', () => {
  it.each([
    [29, 'fade'],
    [30, 'archive'],
    [31, 'archive'],
  ])('[Q9] importance below 0.3, unread for %i days: %s', (days, action) => {
    expect(plan({ importance: 0.29 }, days).action).toBe(action);
  });
  it.each([
    [0.29, { action: 'archive', reason: 'decayed' }],
    [0.3, { action: 'fade', importance: 0.3 - typeOf('feedback').decayPerPass }],
    [0.09, { action: 'archive', reason: 'pruned' }],
    [0.1, { action: 'archive', reason: 'decayed' }],
  ])('[Q9] [L8] unread for 30 days with importance %f: %o', (importance, expected) => {
    expect(plan({ importance }, 30)).toEqual(expected);
  });
  it.each([
    [6.99, 'keep'],
    [7, 'fade'],
  ])('[L8] importance begins to fall after 7 days: on day %f %s', (days, action) => {
    expect(plan({}, days).action).toBe(action);
  });
  it('[L8] importance decays at the rate of its type, and not below 0.1', () => {
    expect(plan({}, 8)).toEqual({ action: 'fade', importance: 0.5 - typeOf('feedback').decayPerPass });
    expect(plan({}, 8, 'context')).toEqual({ action: 'fade', importance: 0.5 - typeOf('context').decayPerPass });
    expect(plan({ importance: 0.1 }, 8).action).toBe('keep');
  });
  it.each([
    [89.99, 'fade'],
    [90, 'archive'],
  ])('[Q9] context on day %f: %s, however important', (days, action) => {
    expect(plan({ importance: 1, createdAt: 0, lastAccessedAt: 80 * DAY }, days, 'context').action).toBe(action);
  });
  it('[Q9] a context with a stated end lasts until then, and the age of one that begins later is counted from its beginning', () => {
    const important = { importance: 1, lastAccessedAt: 130 * DAY };
    expect(plan({ ...important, endedAt: 140 * DAY }, 140.9, 'context').action).toBe('fade');
    expect(plan({ ...important, endedAt: 140 * DAY }, 141, 'context').action).toBe('archive');
    expect(plan({ ...important, beginsAt: 60 * DAY }, 149, 'context').action).toBe('fade');
    expect(plan({ ...important, beginsAt: 60 * DAY }, 150, 'context').action).toBe('archive');
  });
  it('[X1] a memory that ends on a day expires when the next day begins, and one that ends at a time expires at that time', () => {
    expect(plan({ endedAt: 5 * DAY }, 5.9).action).toBe('keep');
    expect(plan({ endedAt: 5 * DAY }, 6)).toEqual({ action: 'archive', reason: 'expired' });
    expect(plan({ endedAt: 5.4 * DAY }, 5.3).action).toBe('keep');
    expect(plan({ endedAt: 5.4 * DAY }, 5.4)).toEqual({ action: 'archive', reason: 'expired' });
  });
  it('[Q9] reading, confirming or changing a memory restarts the count of unread days', () => {
    for (const field of ['lastAccessedAt', 'lastConfirmedAt', 'updatedAt'] as const) {
      expect(plan({ importance: 0.1, [field]: 10 * DAY }, 39.9).action).toBe('keep');
      expect(plan({ importance: 0.1, [field]: 10 * DAY }, 40).action).toBe('archive');
    }
  });
  it('[L8] access, confirmation and good outcomes slow the decay', () => {
    const none = slowness({ accessCount: 0, confirmed: 0, outcomes: 0 });
    expect(none).toBe(1);
    for (const given of [{ accessCount: 3 }, { confirmed: 1 }, { outcomes: 2 }]) {
      expect(slowness({ accessCount: 0, confirmed: 0, outcomes: 0, ...given })).toBe(0.5);
    }
  });
  it.each(typesThat(memoryTypeTable(), ({ decayPerPass, prunable }) => decayPerPass === 0 && !prunable))(
    '[Q9] a %s never decays and is never pruned',
    (type) => {
      expect(plan({ importance: 0.01 }, 5000, type)).toEqual({ action: 'keep' });
    },
  );
  it('[Q9] a permanent fact never decays and is never pruned', () => {
    expect(plan({ permanent: true, importance: 0.01 }, 5000, 'fact')).toEqual({ action: 'keep' });
    expect(plan({ permanent: true, importance: 0.01 }, 5000, 'context')).toEqual({ action: 'keep' });
  });
  it.each([
    ['fact', 69, 'keep'],
    ['context', 69, 'keep'],
    ['fact', 99.9, 'fade'],
    ['fact', 100, 'archive'],
  ])('[Q9] a %s that is planned for day 70 is on day %f: %s', (type, days, action) => {
    expect(plan({ importance: 0.29, plannedFor: 70 * DAY }, days, type).action).toBe(action);
  });
  it.each([
    [13.9, 'keep'],
    [14, 'archive'],
  ])('[K18] an intention that was due %f days ago: %s', (days, action) => {
    expect(plan({ plannedFor: 5 * DAY }, 5 + days, 'intention').action).toBe(action);
    expect(plan({ tense: 'planned', beginsAt: 5 * DAY, plannedFor: 5 * DAY }, 5 + days, 'intention').action).toBe(
      action,
    );
  });
  it.each([
    [89.9, 'keep'],
    [90, 'archive'],
  ])('[K18] an intention without a day, stated %f days ago: %s', (days, action) => {
    expect(plan({ tense: 'planned', plannedFor: 7 * DAY }, days, 'intention').action).toBe(action);
    const begun = { tense: 'planned', isFollowUp: true, beginsAt: 20 * DAY, plannedFor: 20 * DAY } as const;
    expect(plan(begun, 20 + days, 'intention').action).toBe(action);
  });
  it('[Q9] a memory with an expiry of its own is archived at that time', () => {
    expect(plan({ expiresAt: 5 * DAY }, 4.99).action).toBe('keep');
    expect(plan({ expiresAt: 5 * DAY }, 5)).toEqual({ action: 'archive', reason: 'expired' });
  });
});

describe('whether a memory helped', () => {
  const turn = {
    question: 'What should I cook tonight?',
    answer: 'As you are allergic to peanuts, try a lentil curry.',
    reaction: null,
  };
  it('[L16] is judged by the words that the answer took from it', () => {
    expect(judgeUse('User is allergic to peanuts.', turn)).toEqual({ used: true, reaction: null });
    expect(judgeUse('User drives a red Volvo.', turn)).toEqual({ used: false, reaction: null });
    // Words of the question itself do not count.
    expect(judgeUse('User likes to cook in the evening with Tom.', turn).used).toBe(false);
  });
  it.each([
    ['No, that’s wrong, I am not allergic any more.', 'corrected'],
    ['Actually I can eat peanuts now.', 'corrected'],
    ['Yes, exactly!', 'confirmed'],
    ['No worries, thanks.', null],
    ['What about dessert?', null],
  ])('[L16] the user said %j: %s', (reaction, expected) => {
    expect(judgeUse('User is allergic to peanuts.', { ...turn, reaction }).reaction).toBe(expected);
    expect(judgeUse('User drives a red Volvo.', { ...turn, reaction }).reaction).toBeNull();
  });
  it.each(REACTIONS)(
    '[L16] reads reactions of the language %s',
    (_, memory, question, answer, confirmed, corrected, neither) => {
      const reactionTo = (reaction: string) => judgeUse(memory, { question, answer, reaction }).reaction;
      expect(confirmed.map(reactionTo)).toEqual(confirmed.map(() => 'confirmed'));
      expect(corrected.map(reactionTo)).toEqual(corrected.map(() => 'corrected'));
      expect(neither.map(reactionTo)).toEqual(neither.map(() => null));
    },
  );
  it('[L16] moves importance by bounded steps', () => {
    const none = { given: 1, used: 0, confirmed: 0, corrected: 0 };
    expect(stepOf(none, { ...none, given: 4 }, usefulness)).toBe(0);
    expect(stepOf(none, { ...none, given: 5 }, usefulness)).toBe(-0.01);
    expect(stepOf({ ...none, used: 1 }, { ...none, used: 1 }, usefulness)).toBe(0.02);
    expect(stepOf({ ...none, used: 1, confirmed: 1 }, none, usefulness)).toBeCloseTo(0.07);
    expect(stepOf({ ...none, used: 100 }, none, usefulness)).toBe(0.15);
    expect(stepOf({ ...none, used: 9, corrected: 9 }, none, usefulness)).toBe(-0.15);
  });
});

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`maintenance on ${database.name}`, () => {
    const opened: Opened[] = [];
    const open = async (given: Parameters<typeof openConsolidation>[1] = {}): Promise<Opened> => {
      const one = await openConsolidation(database, { formation: { writes: 'deferred' }, ...given });
      opened.push(one);
      return one;
    };
    afterAll(async () => {
      for (const one of opened) await one.close();
    });

    it('[Q9] [L8] [X1] archives with the reason and keeps everything; a dry run changes nothing', async () => {
      const { varve, ana, clock } = await open();
      const make = async (content: string, importance: number, type = 'feedback') =>
        (await ana.memories.create({ type, content, importance })).memory.id;
      const low = await make('Low.', 0.29);
      const lowest = await make('Lowest.', 0.05);
      const fine = await make('Fine.', 0.9);
      const context = await make('In the middle of a move.', 0.9, 'context');
      clock.set(START + 29 * DAY);
      expect((await varve.maintain({ tenant: 't' })).archived).toEqual({ decayed: 0, pruned: 0, expired: 0 });
      clock.set(START + 30 * DAY);
      const dry = await varve.maintain({ tenant: 't', dryRun: true });
      expect(dry.archivedMemories).toEqual([
        { id: low, reason: 'decayed' },
        { id: lowest, reason: 'pruned' },
      ]);
      expect((await ana.memories.list()).items).toHaveLength(4);
      const report = await varve.maintain({ tenant: 't' });
      expect(report).toMatchObject({ read: 4, archived: { decayed: 1, pruned: 1, expired: 0 } });
      clock.set(START + 90 * DAY);
      expect((await varve.maintain({ tenant: 't' })).archived.expired).toBe(1);
      expect(await ana.memories.get(context)).toMatchObject({ archiveReason: 'expired' });
      expect((await ana.memories.list()).items.map(({ id }) => id)).toEqual([fine]);
      expect(await ana.memories.get(low)).toMatchObject({ archiveReason: 'decayed', version: 2 });
      expect((await ana.memories.history(low)).at(-1)).toMatchObject({ actor: 'maintain', run: report.run });
      expect((await ana.asOf(START + 2 * DAY).memories.list()).items).toHaveLength(4);
      const runs = await varve.for({ tenant: 't', user: null }).consolidation.runs({ kinds: ['maintain'] });
      expect(runs).toHaveLength(3);
      expect(runs[1]).toMatchObject({ cause: 'hand', model: 'local', cost: 0, changed: { decayed: 1, pruned: 1 } });
      await ana.memories.restore(low);
      expect(await ana.memories.get(low)).toMatchObject({ archivedAt: null });
    });

    it('[Q9] a plan is kept until its day and is history afterwards; goals and intentions keep their states', async () => {
      const { varve, ana, clock } = await open();
      const make = async (type: string, content: string, given: object = {}) =>
        (await ana.memories.create({ type, content, importance: 0.2, tense: 'planned', ...given })).memory.id;
      const trip = await make('fact', 'User flies to Oslo.', { validFrom: START + 60 * DAY });
      const job = await make('fact', 'User starts at Acme.', {
        validFrom: START + 60 * DAY,
        attribute: 'employer',
        value: 'Acme',
      });
      const goal = await make('goal', 'User wants to run a marathon.', { dueAt: START + 60 * DAY });
      const call = await make('intention', 'Call the dentist.', { dueAt: START + 60 * DAY });
      clock.set(START + 59 * DAY);
      expect(await varve.maintain({ tenant: 't' })).toMatchObject({
        plansOver: 0,
        archived: { decayed: 0, pruned: 0 },
      });
      clock.set(START + 61 * DAY);
      expect(await varve.maintain({ tenant: 't', dryRun: true })).toMatchObject({ plansOver: 1 });
      expect(await ana.memories.get(trip)).toMatchObject({ tense: 'planned' });
      expect(await varve.maintain({ tenant: 't' })).toMatchObject({ plansOver: 1 });
      expect(await ana.memories.get(trip)).toMatchObject({ tense: 'happened', archivedAt: null });
      // Formation puts a plan for a single-valued attribute into effect. The outcome of the other plans is unknown.
      for (const id of [job, goal, call])
        expect(await ana.memories.get(id)).toMatchObject({ tense: 'planned', archivedAt: null });
    });

    it('[T21] [T15] maintenance and consolidation run on their schedules, once for each due time, and are logged', async () => {
      const { varve, ana, clock } = await open({
        consolidation: { intervals: { maintain: '0 0 * * * *', consolidate: '0 */30 * * * *' } },
      });
      await ana.recordObservation('User lives in Berlin.', 'fact');
      const runs = async (kind: string) =>
        (await varve.for({ tenant: 't', user: null }).consolidation.runs({ kinds: [kind] })).length;
      await varve.drain();
      clock.advance(29 * MINUTE);
      await varve.drain();
      expect([await runs('synthesise'), await runs('maintain')]).toEqual([0, 0]);
      clock.advance(MINUTE);
      await varve.drain();
      await varve.drain();
      expect([await runs('synthesise'), await runs('maintain')]).toEqual([1, 0]);
      clock.advance(30 * MINUTE);
      await varve.drain();
      await varve.drain();
      expect([await runs('synthesise'), await runs('maintain')]).toEqual([1, 1]);
      clock.advance(5 * HOUR);
      await varve.drain();
      // Several missed due times give only one run.
      expect(await runs('maintain')).toBe(2);
    });

    it('[L8] by default maintenance runs every six hours', async () => {
      const { varve, ana, clock } = await open();
      await ana.memories.create({ type: 'fact', content: 'User lives in Berlin.' });
      const runs = async (): Promise<number> =>
        (await varve.for({ tenant: 't', user: null }).consolidation.runs({ kinds: ['maintain'] })).length;
      await varve.drain();
      clock.advance(6 * HOUR - MINUTE);
      await varve.drain();
      expect(await runs()).toBe(0);
      clock.advance(MINUTE);
      await varve.drain();
      await varve.drain();
      expect(await runs()).toBe(1);
    });

    it('[L16] a memory that is in every prompt gains importance when the answer uses it, and loses none when the answer does not', async () => {
      const { varve, ana, of, clock } = await open();
      const peanuts = (
        await ana.memories.create({ type: 'fact', content: 'User is allergic to peanuts.', importance: 0.7 })
      ).memory.id;
      const volvo = (await ana.memories.create({ type: 'fact', content: 'User drives a red Volvo.', importance: 0.7 }))
        .memory.id;
      const session = of('talk');
      for (let turn = 0; turn < 8; turn += 1) {
        clock.advance(MINUTE);
        await session.context({ message: 'What should I cook?' });
        await session.logInteraction({
          userMessage: 'What should I cook?',
          agentResponse: 'As you are allergic to peanuts, a curry.',
        });
      }
      clock.advance(2 * HOUR);
      await varve.drain();
      await ana.consolidation.run();
      expect((await ana.consolidation.use(peanuts))?.used).toBeGreaterThan(3);
      expect((await ana.memories.get(peanuts))?.importance).toBe(0.85);
      expect((await ana.memories.get(volvo))?.importance).toBe(0.7);
    });

    it('[L16] a memory that is in the prompt only through a document counts too', async () => {
      const { varve, ana, of, clock } = await open();
      const { memory } = await ana.memories.create({ type: 'fact', content: 'User keeps bees on the roof.' });
      await ana.consolidation.run();
      expect((await ana.blocks.basis('working_memory')).flatMap(({ restsOn }) => restsOn)).toEqual([memory.id]);
      const { report } = await of('talk').context({ message: 'What could I give my neighbour?' });
      expect(report.sections.flatMap(({ ids }) => ids)).not.toContain(memory.id);
      await of('talk').logInteraction({
        userMessage: 'What could I give my neighbour?',
        agentResponse: 'A jar of honey, as you keep bees on the roof.',
      });
      clock.advance(2 * HOUR);
      await varve.drain();
      await ana.consolidation.run();
      expect(await ana.consolidation.use(memory.id)).toMatchObject({ given: 1, used: 1 });
    });

    it('[L16] the importance of a memory changes when it is shown, used, confirmed or corrected', async () => {
      const { ana, of, clock } = await open();
      const make = async (content: string) =>
        (await ana.memories.create({ type: 'fact', content, importance: 0.5 })).memory.id;
      const [peanuts, volvo] = [await make('User is allergic to peanuts.'), await make('User drives a red Volvo.')];
      const session = of('s1');
      const turn = async (userMessage: string, agentResponse: string): Promise<void> => {
        clock.advance(MINUTE);
        await session.observe({ content: userMessage });
        await session.noteGiven([peanuts, volvo]);
        await session.observe({ content: agentResponse, origin: 'agent' });
      };
      await turn('What should I cook?', 'As you are allergic to peanuts, a lentil curry.');
      await turn('Yes, exactly, good memory!', 'You are welcome.');
      clock.advance(HOUR);
      const report = await ana.consolidation.run();
      expect(report).toMatchObject({ judged: 2, moved: 1 });
      expect((await ana.memories.get(peanuts))?.importance).toBeCloseTo(0.57);
      expect((await ana.memories.get(volvo))?.importance).toBe(0.5);
      expect(await ana.consolidation.use(peanuts)).toMatchObject({ given: 2, used: 1, confirmed: 1, corrected: 0 });
      expect(await ana.consolidation.use(volvo)).toMatchObject({ given: 2, used: 0 });
      expect((await ana.memories.history(peanuts)).at(-1)).toMatchObject({
        actor: 'judge-use',
        reason: 'the user confirmed an answer that used it',
      });

      await turn('Can I eat this?', 'No: peanuts, and you are allergic.');
      await turn('No, that’s wrong, I am fine with them by now.', 'I will remember.');
      clock.advance(HOUR);
      await ana.consolidation.run();
      expect((await ana.memories.get(peanuts))?.importance).toBeCloseTo(0.57 - 0.13);
      // Each answer is judged once.
      expect((await ana.consolidation.run()).judged).toBe(0);
    });

    it('[L16] the importance of a memory about who somebody is or about health does not fall because answers do not use the memory', async () => {
      const { ana, of, clock } = await open();
      const make = async (fields: object) =>
        (await ana.memories.create({ type: 'fact', content: '', importance: 0.5, ...fields })).memory.id;
      const kept = [
        await make({ content: 'User works at Norsted.', attribute: 'employer', value: 'Norsted', permanent: true }),
        await make({
          content: 'User’s son cannot eat sesame.',
          subject: 'User’s son',
          attribute: 'allergy',
          value: 'sesame',
        }),
      ];
      const ids = [...kept, await make({ content: 'User drives a red Volvo.' })];
      const before = await Promise.all(ids.map(async (id) => (await ana.memories.get(id))?.importance));
      for (let turn = 0; turn < 6; turn += 1) {
        clock.advance(MINUTE);
        await of('s1').observe({ content: 'What is the weather?' });
        await of('s1').noteGiven(ids);
        await of('s1').observe({ content: 'It rains.', origin: 'agent' });
      }
      clock.advance(HOUR);
      await ana.consolidation.run();
      const after = await Promise.all(ids.map(async (id) => (await ana.memories.get(id))?.importance ?? 0));
      expect(after).toEqual([before[0], before[1], expect.closeTo(0.49)]);
    });

    it('[X1] erasing a memory removes records that were derived from it alone, also from the documents and their history', async () => {
      const { ana, clock } = await open();
      const ids: string[] = [];
      for (const content of [
        'User likes red.',
        'User likes blue.',
        'User likes green.',
        'User likes pink.',
        'User likes black.',
        'User likes white.',
      ]) {
        ids.push((await ana.memories.create({ type: 'preference', content, tags: ['colour'] })).memory.id);
      }
      const { tags } = await ana.consolidation.run();
      const merged = tags[0]!.into;
      await ana.eraseMemory(ids[0]!);
      // The merged text was made from five other memories as well.
      expect(await ana.memories.get(merged)).not.toBeNull();
      for (const id of ids.slice(1)) await ana.eraseMemory(id);
      expect(await ana.memories.get(merged)).toBeNull();

      const { memory: secret } = await ana.memories.create({
        type: 'fact',
        content: 'User hides xylophonequartz in the cellar.',
      });
      await ana.blocks.replace(
        'working_memory',
        'User lives in Berlin. User hides xylophonequartz in the cellar. User is kind.',
      );
      clock.advance(1000);
      await ana.blocks.replace('working_memory', 'User lives in Berlin. User hides xylophonequartz in the cellar.');
      await ana.blocks.replace('scaffold', { secrets: ['hides xylophonequartz in the cellar'], city: 'Berlin' });
      const certificate = await ana.eraseMemory(secret.id, { actor: 'ana', reason: 'asked to' });
      expect(certificate).toMatchObject({ removed: 1, actor: 'ana', counts: { memories: 1 } });
      expect((await ana.blocks.read('working_memory'))?.content).toBe('User lives in Berlin.');
      expect((await ana.blocks.read('scaffold'))?.content).toEqual({ secrets: [], city: 'Berlin' });
      const everything = JSON.stringify([
        await ana.blocks.history('working_memory'),
        await ana.memories.list({ archived: 'include' }),
        await ana.erasures(),
      ]);
      expect(everything).not.toContain('xylophonequartz');
      await expect(ana.eraseMemory(secret.id)).rejects.toMatchObject({ code: 'not_found' });

      const { memory: listed } = await ana.memories.create({
        type: 'fact',
        content: 'User hides krypton in the attic.',
      });
      await ana.memories.create({ type: 'fact', content: 'User sings in a choir.' });
      await ana.consolidation.run();
      expect((await ana.blocks.read('working_memory'))?.content).toContain('- 2026-01-05: User hides krypton');
      await ana.eraseMemory(listed.id);
      expect((await ana.blocks.read('working_memory'))?.content).toBe(
        'User lives in Berlin.\n\n- 2026-01-05: User sings in a choir.',
      );
    });

    it('[X1] erasing a person anonymises the ledger, ends work on them, and is certified without content', async () => {
      const { varve, ana } = await open({ ledger: { credit: 'user' } });
      await varve.ledger.credit.grant({ tenant: 't', user: 'ana', amount: 5000, reason: 'top-up' });
      await ana.recordObservation('User lives in Berlin.', 'fact');
      await ana.memories.create({ type: 'fact', content: 'User lives in Berlin.' });
      await ana.consolidation.run();
      await ana.noteGiven([(await ana.memories.list()).items[0]!.id]);
      expect(await ana.consolidation.runs()).not.toEqual([]);
      const { certificate, memories, events } = await varve
        .for({ tenant: 't', user: 'ana' })
        .erase({ actor: 'privacy desk', reason: 'article 17' });
      expect(memories).toBeGreaterThan(0);
      expect(certificate).toMatchObject({ actor: 'privacy desk', reason: 'article 17', counts: { memories, events } });
      expect(certificate.removedHash).toMatch(/^[0-9a-f]{64}$/);
      expect(JSON.stringify(certificate)).not.toMatch(/ana|Berlin/);
      expect(await varve.for({ tenant: 't', user: null }).erasures()).toHaveLength(1);
      expect(await ana.consolidation.runs()).toEqual([]);
      expect(await varve.ledger.credit.balance({ tenant: 't', user: 'ana' })).toBe(0);
      expect(await varve.ledger.credit.balance({ tenant: 't', user: `erased ${certificate.id}` })).toBe(5000);
    });
  });
}
