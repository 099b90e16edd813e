import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryWords, words } from '../src/language/words.ts';
import { ownerKey, visibleOwners } from '../src/record/scope.ts';
import type { Database } from '../src/store/database.ts';
import { openStore } from '../src/store/open-store.ts';
import { createVarve, type Varve } from '../src/varve.ts';
import { databases } from './databases.ts';

const TEXTS: Record<string, string> = {
  english: 'She has been running the bakery since the cities were rebuilt.',
  german: 'Über die Straße in München zog eine große Prozession.',
  chinese: '我在北京大学学习计算机科学，养了一只猫。',
  japanese: '来週は東京で友達と寿司を食べます。',
  korean: '저는 서울에서 강아지와 함께 살고 있습니다.',
  arabic: 'أعيش في مدينة القاهرة مع عائلتي',
  greek: 'Μου αρέσει η θάλασσα στην Ελλάδα',
  emoji: 'Happy birthday 🎂 to the team',
  thai: 'ฉันชอบกินข้าวผัดที่กรุงเทพ',
};

const QUERIES: [string, keyof typeof TEXTS][] = [
  ['runs bakeries', 'english'],
  ['city', 'english'],
  ['MUNCHEN', 'german'],
  ['straße', 'german'],
  ['北京', 'chinese'],
  ['猫', 'chinese'],
  ['计算机', 'chinese'],
  ['寿司', 'japanese'],
  ['東京', 'japanese'],
  ['서울', 'korean'],
  ['강아지', 'korean'],
  ['القاهرة', 'arabic'],
  ['θαλασσα', 'greek'],
  ['🎂', 'emoji'],
  ['กรุงเทพ', 'thai'],
];

for (const database of databases('sql')) {
  describe.skipIf(database.skip !== null)(`full text on ${database.name}`, () => {
    let varve: Varve;
    let store: Database;
    let drop: () => Promise<void>;
    const scope = { tenant: 'words', agent: null, user: 'ana', session: null, connection: null };

    beforeAll(async () => {
      const created = await database.create();
      drop = created.drop;
      varve = await createVarve({ store: created.options, embedder: null, background: false });
      store = await openStore(created.options);
      for (const content of Object.values(TEXTS)) await varve.for(scope).observe({ content });
      await varve.for({ ...scope, user: 'bob' }).observe({ content: 'Bob also has a bakery, 北京.' });
    });
    afterAll(async () => {
      await Promise.all([varve.close(), store.close()]);
      await drop();
    });

    const search = async (query: string, owners = [ownerKey(scope)]): Promise<string[]> => {
      const hits = await store.read('words', (reader) =>
        store.text.search(reader, { tenant: 'words', kind: 'event', owners, words: queryWords(query), limit: 10 }),
      );
      return store.read('words', async (reader) => {
        const rows = await reader.selectFrom('events').select(['row_id', 'content']).execute();
        return hits.map((hit) => rows.find((row) => row.row_id === hit.rowId)?.content ?? '');
      });
    };

    for (const [query, language] of QUERIES) {
      it(`finds ${language} text by "${query}", of its owner only`, async () => {
        expect(await search(query)).toEqual([TEXTS[language]]);
      });
    }

    it('query syntax is treated as plain words', async () => {
      for (const query of ['" OR 1=1 --', "') | (", 'bakery* NOT x', 'a:b & !c', 'NEAR(a b)', '\\'])
        await search(query);
    });

    it('counts words for each owner', async () => {
      const asked = queryWords('bakery 北京 nothing');
      const counts = await store.read('words', (reader) =>
        store.text.frequencies(reader, { tenant: 'words', kind: 'event', owners: [ownerKey(scope)], words: asked }),
      );
      expect(asked.map((word) => counts.get(word) ?? 0)).toEqual([1, 1, 0]);
      const both = await store.read('words', (reader) =>
        store.text.frequencies(reader, {
          tenant: 'words',
          kind: 'event',
          owners: [...visibleOwners(scope), ownerKey({ ...scope, user: 'bob' })],
          words: words('bakery'),
        }),
      );
      expect([...both.values()]).toEqual([2]);
    });

    it('searches for the rare words of a query, and not for a word that occurs in every row', async () => {
      const crowd = varve.for({ ...scope, user: 'crowd' });
      await crowd.observe(
        Array.from({ length: 1200 }, (_, place) => ({ content: `User counts sheep number ${place}.` })),
      );
      const owners = [ownerKey(crowd.scope)];
      expect(await search('user counts sheep 1077', owners)).toEqual(['User counts sheep number 1077.']);
      // A query with no other word is still searched by a word that occurs in every row.
      expect(await search('sheep', owners)).toHaveLength(10);
    });

    it('follows a memory through revisions, and leaves out archived memories', async () => {
      const handle = varve.for(scope);
      const { memory } = await handle.memories.create({ type: 'fact', content: 'Plays the bassoon.' });
      const find = (word: string, archived = false): Promise<unknown[]> =>
        store.read('words', (reader) =>
          store.text.search(reader, {
            tenant: 'words',
            kind: 'memory',
            owners: [ownerKey(scope)],
            words: words(word),
            limit: 5,
            archived,
          }),
        );
      expect(await find('bassoon')).toHaveLength(1);
      await handle.memories.revise(memory.id, { content: 'Plays the oboe.' });
      expect(await find('bassoon')).toHaveLength(0);
      expect(await find('oboe')).toHaveLength(1);
      await handle.memories.forget(memory.id);
      expect(await find('oboe')).toHaveLength(0);
      expect(await find('oboe', true)).toHaveLength(1);
    });
  });
}
