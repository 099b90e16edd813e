import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../src/record/clock.ts';
import { EVERY_TENANT } from '../src/store/database.ts';
import { recordDerivation } from '../src/store/derivation-store.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import type { Handle } from '../src/handle/handle.ts';
import type { VarveOptions } from '../src/varve.ts';
import { changesAnswer, consolidationSuite, START, type Opened } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { from, json, type ProtocolServer, text } from './protocol-server.ts';

const OBSERVED = [
  'User lives in Berlin.',
  'User has a dog called Max.',
  'User ran the Berlin marathon in four hours.',
  'User prefers trains over planes.',
  'User is learning Portuguese.',
];
const REFLECTIONS = ['Prefers tables.', 'Dislikes small talk.', 'Works late at night.', 'Asks for sources.'];
const STYLE = ['buzzwords', 'passive voice', 'long titles', 'emoji', 'footnotes', 'exclamation marks'];
const FOOD = ['olives', 'rye bread', 'green tea', 'lentils', 'blue cheese', 'rhubarb'];
const VIEWS = [340, 290, 280, 95, 110, 104];

/** Answers of a model, which move the given content to other places. */
const obligingModel = from((request) => {
  const prompt = JSON.stringify(request.body.messages?.at(-1)?.content);
  const said = [...prompt.matchAll(/(?:User|Prefers|Dislikes|Works|Asks)\b[^.\\]*\./g)].map(([sentence]) => sentence);
  if (prompt.includes('→')) return text('Recipe posts do better than news posts');
  if (!prompt.includes('<observations')) return text(said.join(' '));
  const facts = said.filter((sentence) => OBSERVED.includes(sentence));
  return changesAnswer({ set: { City: 'Berlin' }, facts });
});

/** Every row of every table as text, without the costs of model calls. */
async function dump(options: StoreOptions): Promise<Record<string, string>> {
  const store = await openStore(options);
  const names =
    store.dialect === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and sql not like 'CREATE VIRTUAL%'`
      : sql<{
          name: string;
        }>`select table_name as name from information_schema.tables where table_schema = current_schema()`;
  const tables = await store.read(EVERY_TENANT, async (reader) => {
    const rows: Record<string, string> = {};
    for (const { name } of (await names.execute(reader)).rows) {
      if (['usage', 'credit_accounts', 'credit_entries'].includes(name)) continue;
      const all = await sql.raw<object>(`select * from ${name}`).execute(reader);
      rows[name] = all.rows
        .map((row) => JSON.stringify(row))
        .toSorted()
        .join('\n');
    }
    return rows;
  });
  if (!('pool' in options)) await store.close();
  return tables;
}

/** A report without its run and without ids that differ in each run. */
function comparable(report: object, before: Record<string, string>): unknown {
  const known = Object.values(before).join('\n');
  const plain = JSON.stringify(report).replace(/\b[a-z]{3}_\w+/g, (id) => (known.includes(id) ? id : 'new'));
  return JSON.parse(plain) as unknown;
}

async function reflect(handle: Handle, level: 'user' | 'session'): Promise<void> {
  for (const content of REFLECTIONS) await handle.memories.create({ type: 'reflection', level, content });
}

/** A user with work for every step of consolidation. */
async function liveRichly({ ana, of, clock }: Opened): Promise<void> {
  const { memory } = await ana.memories.create({ type: 'fact', content: 'User is allergic to peanuts.' });
  clock.advance(MINUTE);
  const over = of('over');
  await over.observe({ content: 'What should I cook?' });
  await over.noteGiven([memory.id]);
  await over.observe({ content: 'You are allergic to peanuts, so a lentil curry.', origin: 'agent' });
  await over.observe({ content: 'Yes, exactly!' });
  await over.blocks.replace('reflections', 'The task is nearly done.', { level: 'session' });
  await over.session.close();
  for (const content of OBSERVED) await ana.recordObservation(content, 'fact');
  await reflect(ana, 'user');
  for (const thing of STYLE)
    await ana.memories.create({ type: 'preference', content: `User avoids ${thing} in letters.`, tags: ['style'] });
  for (const thing of FOOD)
    await ana.memories.create({ type: 'preference', content: `User eats ${thing} for breakfast.`, tags: ['food'] });
  for (const [index, views] of VIEWS.entries()) {
    const content = `Suggested ${index < 3 ? 'recipe' : 'news'} post → ${views} views`;
    await ana.memories.create({ type: 'episode', content });
  }
  clock.advance(2 * HOUR);
}

/** Settings: two observations at a time, and a retention of 30 days. */
const RICH: Partial<VarveOptions> = {
  formation: { writes: 'deferred' },
  consolidation: { tiers: { batch: 2 }, retention: { saved_item: 30 }, eventRetention: { message: 30 } },
};

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`a dry run on ${database.name}`, () => {
    let server: ProtocolServer;
    const open = consolidationSuite(database, (started) => (server = started));
    const openRich = (model?: ProtocolServer): Promise<Opened> => open({ ...RICH, server: model });

    it.each(['without', 'with'])(
      '[T21] [T15] of consolidation %s a model reports what the real run does, and changes nothing',
      // Every answer of the model restarts the dry run, which takes half a minute on a busy machine.
      { timeout: 120_000 },
      async (model) => {
        server.otherwise(obligingModel);
        const one = await openRich(model === 'with' ? server : undefined);
        await liveRichly(one);
        const before = await dump(one.store);
        const dry = await one.ana.consolidation.run({ dryRun: true });
        expect(await dump(one.store)).toEqual(before);
        expect(dry).toMatchObject({
          synthesis: { taken: expect.any(Number), held: 0, failed: 0 },
          sessionsEnded: 1,
          absorbed: 4,
          tags: [{ tag: 'food' }, { tag: 'style' }],
          patterns: [expect.any(String)],
          judged: 1,
          moved: 1,
          failures: [],
        });
        // There are more observations than one batch of two.
        expect(dry.synthesis.taken).toBeGreaterThanOrEqual(OBSERVED.length);

        const usage = async () => (await one.varve.ledger.report({ tenant: 't', by: ['operation'] }))[0];
        const spent = await usage();
        const asked = server.requests.length;
        const real = await one.ana.consolidation.run();
        expect(comparable(real, before)).toEqual(comparable(dry, before));
        if (model === 'without') return;
        // The calls were charged, although their answers were rolled back.
        expect(asked).toBeGreaterThan(5);
        expect(spent).toMatchObject({ count: asked, tokensIn: asked * 100, tokensOut: asked * 20 });
      },
    );

    it('[T21] of the nightly reflection reports what the real one does, and changes nothing', async () => {
      server.otherwise(text('---PROFILE---\nLives in Berlin.\n---FACTS---\n[{"key":"home_city","value":"Berlin"}]'));
      const one = await openRich(server);
      await one.ana.logInteraction({ userMessage: 'I live in Berlin now.', agentResponse: 'Nice.' });
      const before = await dump(one.store);
      const dry = await one.ana.reflect({ dryRun: true });
      expect(await dump(one.store)).toEqual(before);
      expect(dry).toMatchObject({ facts_added: 1, skipped: false });
      expect(await one.ana.reflect()).toEqual(dry);
    });

    it('[T21] [Q9] [X1] of maintenance reports what the real pass does, and changes nothing', async () => {
      const one = await openRich();
      const { varve, ana, of, clock } = one;
      await ana.recordObservation('User is preparing the Lisbon conference.', 'fact');
      await ana.consolidation.run();
      for (const [content, importance, type] of [
        ['Low.', 0.29, 'feedback'],
        ['Lowest.', 0.05, 'feedback'],
        ['Fine.', 0.9, 'feedback'],
        ['In the middle of a move.', 0.9, 'context'],
      ] as const)
        await ana.memories.create({ type, content, importance });
      await ana.memories.create({
        type: 'saved_item',
        title: 'A page',
        content: 'To read.',
        url: 'https://a.example/',
      });
      const quiet = of('quiet');
      await quiet.observe({ content: 'Hello.' });
      await quiet.form();
      await reflect(quiet, 'session');
      clock.set(START + 91 * DAY);
      const before = await dump(one.store);
      const dry = await varve.maintain({ tenant: 't', dryRun: true });
      expect(await dump(one.store)).toEqual(before);
      expect(dry).toMatchObject({
        archived: { decayed: 1, pruned: 1, expired: 1 },
        sessionsEnded: 1,
        aged: 1,
        retired: { saved_item: 1 },
        retiredEvents: { message: 1 },
      });
      expect(dry.faded).toBeGreaterThan(0);
      expect(dry.archivedMemories).toHaveLength(3);
      const real = await varve.maintain({ tenant: 't' });
      expect(comparable(real, before)).toEqual(comparable(dry, before));
    });

    it('[T21] [X1] of retention counts a record once if it is both due itself and derived from a due record, as the real pass does', async () => {
      const one = await open({ ...RICH, consolidation: { retention: { note: 30, saved_item: 30 } } });
      const { varve, ana, clock } = one;
      const { memory: made } = await ana.memories.create({ type: 'note', title: 'One', content: 'Buy rye bread.' });
      const { memory } = await ana.memories.create({
        type: 'saved_item',
        title: 'Two',
        content: 'Bread.',
        url: 'https://a.example/',
      });
      const store = await openStore(one.store);
      await store.write(EVERY_TENANT, (writer) => recordDerivation(writer, 't', memory.id, [made.id]));
      if (!('pool' in one.store)) await store.close();
      clock.advance(31 * DAY);
      const dry = await varve.maintain({ tenant: 't', dryRun: true });
      expect(dry.retired).toEqual({ note: 1, saved_item: 0 });
      expect(await ana.memories.get(memory.id)).not.toBeNull();
      expect((await varve.maintain({ tenant: 't' })).retired).toEqual(dry.retired);
      expect(await ana.memories.get(memory.id)).toBeNull();
    });

    it('[T21] a failing model fails a dry run like a real run, its usage is charged, and the rest is unchanged', async () => {
      server.otherwise(json({ nonsense: true }));
      const one = await openRich(server);
      await one.ana.recordObservation('User lives in Berlin.', 'fact');
      const before = await dump(one.store);
      expect(before['events']).toContain('User lives in Berlin.');
      const dry = await one.ana.consolidation.run({ dryRun: true });
      expect(await dump(one.store)).toEqual(before);
      const [line] = await one.varve.ledger.report({ tenant: 't', by: ['operation'] });
      expect(line).toMatchObject({ failed: line?.count, tokensIn: server.requests.length * 100 });
      expect(comparable(await one.ana.consolidation.run(), before)).toEqual(comparable(dry, before));
    });

    it('[T21] a dry run gives up after a few calls when the records keep changing', async () => {
      const one = await open({ server });
      server.otherwise(async (request, response) => {
        await one.ana.recordObservation(`User likes the number ${server.requests.length}.`, 'fact');
        await obligingModel(request, response);
      });
      await one.ana.recordObservation('User lives in Berlin.', 'fact');
      await expect(one.ana.consolidation.run({ dryRun: true })).rejects.toMatchObject({
        code: 'conflict',
        retryable: true,
      });
      expect(server.requests).toHaveLength(4);
      expect((await one.ana.events.list({ waiting: true })).items).toHaveLength(5);
    });
  });
}
