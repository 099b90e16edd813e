import { describe, expect, it } from 'vitest';
import { createVarve } from '../src/varve.ts';
import { databases } from './databases.ts';

const FOODS = ['pizza', 'sushi', 'ramen from Tokyo', 'tacos', 'pierogi', 'kimchi'];

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`what was merged on ${database.name}`, () => {
    it('[Q8] [Q9] [X1] loses what is contradicted and nothing else, and is not said twice', async () => {
      const { options, drop } = await database.create();
      const varve = await createVarve({ store: options, embedder: null, background: false });
      const ana = varve.for({ tenant: 'merged', user: 'ana', session: 's1' });
      const live = async (): Promise<string[]> =>
        (await ana.memories.list({ types: ['preference'], limit: 100 })).items.map(({ content }) => content).sort();
      const say = async (userMessage: string): Promise<void> => {
        await ana.logInteraction({ userMessage, agentResponse: 'I see.' });
        await varve.drain();
      };
      for (const food of FOODS)
        await ana.memories.create({
          type: 'preference',
          content: `User loves ${food}.`,
          level: 'user',
          tags: ['food'],
        });
      const [merged] = (await ana.consolidation.run()).tags;
      expect(await live()).toEqual([FOODS.map((food) => `User loves ${food}.`).join(' ')]);

      await say('I love tacos.');
      expect(await live()).toHaveLength(1);
      await say('I hate ramen now.');
      await say('I hate pizza.');
      expect(await live()).toEqual([
        'User hates pizza.',
        'User hates ramen.',
        'User loves sushi. User loves tacos. User loves pierogi. User loves kimchi.',
      ]);
      const history = await ana.memories.history(merged?.into ?? '');
      expect(JSON.stringify(history)).toContain('ramen from Tokyo');
      await varve.close();
      await drop();
    });
  });
}
