import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VarveError } from '../src/errors.ts';
import { passagesOf } from '../src/language/sentences.ts';
import { estimateTokens, words } from '../src/language/words.ts';
import { type Embedder, functionEmbedder } from '../src/models/embedder.ts';
import { DAY, manualClock } from '../src/record/clock.ts';
import { ownerKey } from '../src/record/scope.ts';
import { type Database, EVERY_TENANT, type VectorSearch } from '../src/store/database.ts';
import { openStore, type StoreOptions } from '../src/store/open-store.ts';
import { readMeta } from '../src/store/meta-store.ts';
import { createVectorMatrix } from '../src/store/sqlite/sqlite-indexes.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { randomOf } from './random.ts';

const DIMENSIONS = 24;

/** An embedder for which texts that share words have similar vectors. */
function wordEmbedder(id: string, embed?: () => void): Embedder {
  return functionEmbedder({
    id,
    dimensions: DIMENSIONS,
    // Retries would wait by the machine’s clock.
    retries: 0,
    embed: async (texts) => {
      embed?.();
      return texts.map((text) => wordVector(text));
    },
  });
}

function wordVector(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.01);
  for (const word of words(text)) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973;
    vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] ?? 0) + 1;
  }
  return vector;
}

const unit = (numbers: number[]): Float32Array => {
  const length = Math.hypot(...numbers);
  return Float32Array.from(numbers, (number) => number / length);
};

describe('the scan of vectors', () => {
  const draw = randomOf('vectors');
  it('returns the same products as plain arithmetic, for any width and any number of vectors', () => {
    for (const dimensions of [1, 3, 16, 24, 100, 384]) {
      const random = (): Float32Array => unit(Array.from({ length: dimensions }, () => draw() - 0.5));
      const matrix = createVectorMatrix(dimensions, 2);
      const vectors = Array.from({ length: 333 }, random);
      for (const [index, vector] of vectors.entries()) matrix.set(1000 + (index >> 1), index & 1, vector);
      const replaced = random();
      matrix.set(1003, 1, replaced);
      vectors[7] = replaced;
      const query = random();
      const scores = matrix.scan(query);
      expect(matrix.count).toBe(333);
      for (const [index, vector] of vectors.entries()) {
        expect([matrix.rows[index], matrix.passages[index]]).toEqual([1000 + (index >> 1), index & 1]);
        const expected = vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
        expect(scores[index]).toBeCloseTo(expected, 4);
      }
    }
  });
});

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`vectors on ${database.name}`, () => {
    let options: StoreOptions;
    let drop: () => Promise<void>;
    let store: Database;
    let varve: Varve;
    const scope = { tenant: 'vectors', agent: null, user: 'ana', session: null, connection: null };
    const model = { id: 'words@1', dimensions: DIMENSIONS };

    beforeAll(async () => {
      ({ options, drop } = await database.create());
      varve = await createVarve({ store: options, embedder: wordEmbedder('words@1'), background: false });
      store = await openStore(options);
      await store.vectors.prepare(model);
    });
    afterAll(async () => {
      await Promise.all([varve.close(), store.close()]);
      await drop();
    });

    const nearest = (query: string, search: Partial<VectorSearch> = {}): Promise<string[]> =>
      store.read('vectors', async (reader) => {
        const hits = await store.vectors.nearest(reader, {
          tenant: 'vectors',
          owners: [ownerKey(scope)],
          model,
          kind: 'memory',
          query: unit(wordVector(query)),
          limit: 3,
          ...search,
        });
        const rows = await reader
          .selectFrom(search.kind === 'event' ? 'events' : 'memories')
          .select(['row_id', 'content'])
          .execute();
        return hits.map((hit) => rows.find((row) => row.row_id === hit.rowId)?.content ?? '');
      });

    it('finds the owner’s nearest live vectors, with further conditions', async () => {
      const handle = varve.for(scope);
      await handle.memories.create({ type: 'fact', content: 'red apple tree' });
      await handle.memories.create({ type: 'preference', content: 'red apple pie' });
      const { memory } = await handle.memories.create({ type: 'fact', content: 'blue ocean wave' });
      await varve.for({ ...scope, user: 'bob' }).memories.create({ type: 'fact', content: 'red apple tree of bob' });
      await varve.drain();
      expect((await nearest('red apple tree'))[0]).toBe('red apple tree');
      expect(await nearest('red apple tree')).not.toContain('red apple tree of bob');
      expect(await nearest('red apple tree', { condition: sql`record.type = 'preference'` })).toEqual([
        'red apple pie',
      ]);
      expect((await nearest('ocean wave'))[0]).toBe('blue ocean wave');
      await handle.memories.forget(memory.id);
      expect(await nearest('ocean wave')).not.toContain('blue ocean wave');
      expect((await nearest('ocean wave', { archived: true }))[0]).toBe('blue ocean wave');
    });

    it('a vector is updated when its text is revised, and new text is found even if another handle wrote it', async () => {
      const handle = varve.for(scope);
      const { memory } = await handle.memories.create({ type: 'fact', content: 'violin concert' });
      await varve.drain();
      expect((await nearest('violin concert'))[0]).toBe('violin concert');
      await handle.memories.revise(memory.id, { content: 'chess tournament' });
      await varve.drain();
      expect((await nearest('chess tournament'))[0]).toBe('chess tournament');
      expect((await nearest('violin concert'))[0]).not.toBe('chess tournament');
      await handle.observe({ content: 'guitar lesson tonight' });
      await varve.drain();
      expect((await nearest('guitar lesson tonight', { kind: 'event' }))[0]).toBe('guitar lesson tonight');
    });

    it('a long event has a vector for each passage, and its similarity is that of the nearest passage', async () => {
      const filler = 'The committee talked about the swimming pool and the car park for an hour again.';
      const long = [
        ...Array<string>(9).fill(filler),
        'Violins are kept in oak cupboards.',
        ...Array<string>(9).fill(filler),
      ];
      const content = long.join(' ');
      const passages = passagesOf(content);
      expect(passages.length).toBeGreaterThan(2);
      const other = { ...scope, user: 'dora' };
      await varve.for(other).observe([{ content: 'A short remark about violins.' }, { content }]);
      await varve.drain();
      const hits = await store.read('vectors', (reader) =>
        store.vectors.nearest(reader, {
          tenant: 'vectors',
          owners: [ownerKey(other)],
          model,
          kind: 'event',
          query: unit(wordVector('Violins are kept in oak cupboards.')),
          limit: 50,
        }),
      );
      expect(hits).toHaveLength(passages.length + 1);
      expect(new Set(hits.map(({ rowId, passage }) => `${rowId} ${passage}`)).size).toBe(hits.length);
      const { results } = await varve
        .for(other)
        .recall('Where are violins kept, in oak cupboards?', { abstain: false, sources: ['events'] });
      // The passage is shown, and its turn is available.
      const found = results.find(({ event }) => event?.content === content);
      expect(found?.text).toContain('Violins are kept in oak cupboards.');
      expect(estimateTokens(found?.text ?? '')).toBeLessThanOrEqual(120);
      expect(found?.kind === 'event' && content.slice(found.passage?.start, found.passage?.end)).toBe(found?.text);
      const byWords = await varve.for(other).recall('oak cupboards', { mode: 'text', sources: ['events'] });
      expect(byWords.results.find(({ event }) => event?.content === content)?.text).toContain('oak cupboards');
      const named = passages.map(({ start, end }) => content.slice(start, end).includes('oak'));
      const best = hits.find(({ passage }) => passage > 0);
      expect(named[best?.passage ?? 0]).toBe(true);
      // Erasing removes the vectors of all passages.
      await varve.for(other).erase();
      const left = await store.read('vectors', (reader) =>
        reader.selectFrom('embeddings').select('passage').where('owner_key', '=', ownerKey(other)).execute(),
      );
      expect(left).toEqual([]);
    });

    it('erased records are also removed from the cache of another process', async () => {
      const other = { ...scope, user: 'carl' };
      await varve.for(other).memories.create({ type: 'fact', content: 'secret garden' });
      await varve.drain();
      const owners = [ownerKey(other)];
      expect(await nearest('secret garden', { owners })).toEqual(['secret garden']);
      await varve.for(other).erase();
      expect(await nearest('secret garden', { owners })).toEqual([]);
      await varve.for(other).memories.create({ type: 'fact', content: 'plain lawn' });
      await varve.drain();
      expect(await nearest('secret garden', { owners })).toEqual(['plain lawn']);
    });
  });

  describe.skipIf(database.skip !== null)(`embedding on ${database.name}`, () => {
    const open = (options: StoreOptions, embedder: Embedder | null, previousEmbedder?: Embedder): Promise<Varve> =>
      createVarve({
        store: options,
        embedder,
        previousEmbedder,
        background: false,
        clock: manualClock(new Date('2026-05-01')),
      });

    const countVectors = async (options: StoreOptions): Promise<Record<string, number>> => {
      const store = await openStore(options);
      const rows = await store.read(EVERY_TENANT, (reader) =>
        reader
          .selectFrom('embeddings')
          .select(['model_id', (eb) => eb.fn.countAll().as('n')])
          .groupBy('model_id')
          .execute(),
      );
      await store.close();
      return Object.fromEntries(rows.map((row) => [row.model_id, Number(row.n)]));
    };

    it('[K15] [T16] without an embedder, or with one that is down, everything is saved; a backfill embeds and counts the missing vectors', async () => {
      const { options, drop } = await database.create();
      const without = await open(options, null);
      await without.for({ user: 'ana' }).notes.add({ title: 'Rome', content: 'Ask about the hotel.' });
      await without
        .for({ user: 'ana' })
        .savedItems.add({ title: 'AI', url: 'https://example.org', summary: 'The act.' });
      await without.drain();
      await without.close();

      const down = wordEmbedder('words@1', () => {
        throw new Error('connection refused');
      });
      const broken = await open(options, down);
      await broken.for({ user: 'ana' }).logInteraction({ userMessage: 'Hello', agentResponse: 'Hi' });
      expect((await broken.drain()).retried).toBe(1);
      expect(await countVectors(options)).toEqual({});
      await expect(broken.backfill()).rejects.toMatchObject({ code: 'embedder_unavailable' });
      await broken.close();

      const varve = await open(options, wordEmbedder('words@1'));
      expect(await varve.backfill({ rate: 10_000 })).toEqual({ note: 1, saved_item: 1, message: 2 });
      expect(await varve.backfill()).toEqual({});
      expect(await countVectors(options)).toEqual({ 'words@1': 4 });
      await varve.close();
      await drop();
    });

    it('a backfill of one tenant queues and embeds no records of others', async () => {
      const { options, drop } = await database.create();
      const first = await open(options, wordEmbedder('words@1'));
      for (const tenant of ['one', 'two']) await first.for({ tenant, user: 'ana' }).observe({ content: 'Hello' });
      await first.drain();
      await first.close();
      const varve = await open(options, wordEmbedder('words@2'));
      const store = await openStore(options);
      const queued = (): Promise<unknown[]> =>
        store.read(EVERY_TENANT, (reader) => reader.selectFrom('embedding_queue').select('tenant_id').execute());
      expect(await varve.backfill({ tenant: 'two', rate: 10_000 })).toEqual({ message: 1 });
      expect(await queued()).toEqual([]);
      expect(await countVectors(options)).toEqual({ 'words@1': 2, 'words@2': 1 });
      expect(await varve.backfill({ rate: 10_000 })).toEqual({ message: 1 });
      expect(await countVectors(options)).toEqual({ 'words@1': 2, 'words@2': 2 });
      await Promise.all([varve.close(), store.close()]);
      await drop();
    });

    // 2,000 is the most that pgvector can index; 3,072 is the size of text-embedding-3-large.
    it.each([
      [2000, false],
      [2048, true],
      [3072, true],
    ])('vectors of %i dimensions are stored and found; moved out of their rows: %s', async (dimensions, isMoved) => {
      const { options, drop } = await database.create({ isBare: true });
      const embedder = functionEmbedder({
        id: `wide@${dimensions}`,
        dimensions,
        retries: 0,
        // For this embedder, texts of the same length are similar.
        embed: async (texts) =>
          texts.map(({ length }) =>
            Array.from({ length: dimensions }, (_, place) => (place === length ? 1 : 0.001 * Math.sin(place))),
          ),
      });
      const varve = await open(options, embedder);
      const ana = varve.for({ user: 'ana' });
      const { memory } = await ana.memories.create({ type: 'fact', content: 'Lives in Linz.' });
      await ana.memories.create({ type: 'fact', content: 'Has a grey parrot that can say eleven words.' });
      expect(await varve.drain()).toMatchObject({ retried: 0, dead: 0 });
      const { results } = await ana.recall('x'.repeat(memory.content.length), { mode: 'semantic', abstain: false });
      expect(results[0]?.memory?.id).toBe(memory.id);
      expect(await countVectors(options)).toEqual({ [embedder.id]: 2 });
      await varve.close();
      const store = await openStore(options);
      if (store.dialect === 'postgres') {
        const { rows } = await store.read(EVERY_TENANT, (reader) =>
          sql<{ bytes: number }>`select pg_relation_size(reltoastrelid) as bytes from pg_class
            where oid = 'embeddings'::regclass`.execute(reader),
        );
        expect(Number(rows[0]?.bytes) > 0).toBe(isMoved);
      }
      await store.close();
      await drop();
    });

    it('a turn is embedded with its speaker; a text without a speaker is embedded unchanged', async () => {
      const { options, drop } = await database.create();
      const seen: string[] = [];
      const varve = await open(options, {
        ...wordEmbedder('words@1'),
        embed: (texts, settings) => {
          seen.push(...texts);
          return wordEmbedder('words@1').embed(texts, settings);
        },
      });
      const ana = varve.for({ user: 'ana' });
      await ana.observe([
        { content: 'I moved to Linz.' },
        { content: 'How is it there?', origin: 'agent' },
        { content: 'I stayed in Graz.', speaker: 'Pavel' },
        { content: 'Linz: 206,000 people', kind: 'tool_result', origin: 'tool' },
      ]);
      await ana.memories.create({ type: 'fact', content: 'Lives in Linz.' });
      await varve.drain();
      expect(seen).toEqual(
        expect.arrayContaining([
          'User: I moved to Linz.',
          'Assistant: How is it there?',
          'Pavel: I stayed in Graz.',
          'Linz: 206,000 people',
          'Lives in Linz.',
        ]),
      );
      expect(seen).not.toContain('How is it there?');
      await varve.close();
      await drop();
    });

    it('[K15] the rate limit is respected', async () => {
      const { options, drop } = await database.create();
      const without = await open(options, null);
      await without
        .for({ user: 'ana' })
        .observe(Array.from({ length: 12 }, (_, index) => ({ content: `message ${index}` })));
      await without.close();
      const varve = await createVarve({ store: options, embedder: wordEmbedder('words@1'), background: false });
      const started = performance.now();
      await varve.backfill({ rate: 20 });
      // Only the lower bound is checked: a slow machine may take longer, but the rate must not be exceeded.
      expect(performance.now() - started).toBeGreaterThan(500);
      await varve.close();
      await drop();
    });

    it('embedding finishes even if the clock is set back meanwhile', async () => {
      const { options: own, drop: dropOwn } = await database.create();
      const clock = manualClock(new Date('2026-05-01T12:00:00Z'));
      // The clock is set back by a day while the embedder works.
      const embedder = wordEmbedder('back@1', () => clock.advance(-DAY));
      const other = await createVarve({ store: own, embedder, background: false, clock });
      await other.for({ user: 'ana' }).memories.create({ type: 'fact', content: 'red apple tree' });
      const drained = other.drain().then(() => 'drained');
      const pause = new Promise((resolve) => setTimeout(resolve, 10_000, 'still waiting').unref());
      expect(await Promise.race([drained, pause])).toBe('drained');
      await other.close();
      await dropOwn();
    }, 30_000);

    it('a change of model computes all vectors again while the old ones answer, continues after a restart, then switches', async () => {
      const { options, drop } = await database.create();
      const first = await open(options, wordEmbedder('words@1'));
      await first
        .for({ user: 'ana' })
        .observe(Array.from({ length: 60 }, (_, index) => ({ content: `message ${index}` })));
      await first.for({ user: 'bob' }).memories.create({ type: 'fact', content: 'Bob knows.' });
      await first.drain();
      await first.close();
      expect(await countVectors(options)).toEqual({ 'words@1': 61 });

      let calls = 0;
      const dying = wordEmbedder('words@2', () => {
        calls += 1;
        if (calls > 1) throw new Error('power cut');
      });
      const interrupted = await open(options, dying, wordEmbedder('words@1'));
      await interrupted.drain();
      await interrupted.drain();
      await interrupted.for({ user: 'ana' }).observe({ content: 'in between' });
      await interrupted.close();
      const half = await countVectors(options);
      expect(half['words@1']).toBeGreaterThanOrEqual(61);
      expect(half['words@2'] ?? 0).toBeLessThan(62);
      const store = await openStore(options);
      expect(await readMeta(store, 'embedding_model')).toBe('words@1');

      const resumed = await createVarve({
        store: options,
        embedder: wordEmbedder('words@2'),
        previousEmbedder: wordEmbedder('words@1'),
        background: false,
        clock: manualClock(new Date('2026-05-02')),
      });
      await resumed.drain();
      expect(await readMeta(store, 'embedding_model')).toBe('words@2');
      expect(await countVectors(options)).toEqual({ 'words@2': 62 });
      await resumed.close();
      await store.close();
      await drop();
    });
  });
}

it(
  'an embedder that refuses every call is tried again later, and does not fill the queue',
  { timeout: 20_000 },
  async () => {
    let calls = 0;
    const refusing = wordEmbedder('refusing@1', () => {
      calls += 1;
      throw new VarveError('The key was refused.', { code: 'embedder_unavailable', retryable: false });
    });
    const varve = await createVarve({ store: ':memory:', embedder: refusing });
    await varve.for({ user: 'ana' }).memories.create({ type: 'fact', content: 'Likes plums.' });
    await varve.drain();
    const before = calls;
    await varve.for({ user: 'ana' }).memories.create({ type: 'fact', content: 'Likes pears.' });
    await varve.drain();
    expect(before).toBeGreaterThan(0);
    expect(calls - before).toBeLessThan(5);
    expect((await varve.operator.jobs.list({ state: 'dead' })).items).toEqual([]);
    await varve.close();
  },
);
