import { describe, expect, it } from 'vitest';
import { DAY } from '../src/record/clock.ts';
import { consolidationSuite, START } from './consolidate-fixture.ts';
import { databases } from './databases.ts';

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`an application's own types on ${database.name}`, () => {
    const open = consolidationSuite(database, () => {});

    it('[X4] are shown, listed, profiled, queried, decayed and archived like the built-in ones', async () => {
      const { varve, ana, clock } = await open({
        formation: { writes: 'deferred' },
        memoryTypes: {
          brew_note: { description: 'How a brew came out.', decayPerPass: 0.01, profileSection: 'Patterns & Rhythms' },
          shelf: {
            description: 'Where something stands.',
            section: 'notes',
            inWorkingMemory: false,
            profileSection: null,
          },
        },
      });
      const make = async (type: string, content: string, importance = 0.5) =>
        (await ana.memories.create({ type, content, importance })).memory.id;
      const stout = await make('brew_note', 'The stout came out too sweet.');
      const ale = await make('brew_note', 'The ale was flat.', 0.05);
      await make('shelf', 'The hops stand in the cellar.');
      const { system } = await ana.context({ message: 'hello' });
      expect(system).toContain('- [brew_note] The stout came out too sweet.');
      expect(system).not.toContain('hops');
      await ana.logInteraction({ userMessage: 'Hello.', agentResponse: 'Hi.' });
      await ana.consolidation.run();
      expect((await ana.blocks.read('working_memory'))?.content).toBe(
        '- 2026-01-05: The stout came out too sweet.\n- 2026-01-05: The ale was flat.',
      );
      await ana.reflect();
      expect((await ana.blocks.read('profile'))?.content).toMatch(
        /## Patterns & Rhythms\n- 2026-01-05: The stout came out too sweet.\n- 2026-01-05: The ale was flat./,
      );
      const asked = await ana.recall('brew notes', { abstain: false, track: false });
      expect(asked.results.filter(({ arms }) => arms.includes('keyed'))).toHaveLength(2);
      clock.set(START + 31 * DAY);
      const report = await varve.maintain({ tenant: 't' });
      expect(report).toMatchObject({ archived: { pruned: 1 } });
      expect(await ana.memories.get(ale)).toMatchObject({ archiveReason: 'pruned' });
      expect((await ana.memories.get(stout))?.importance).toBeLessThan(0.5);
    });

    it('[Q8] [L7] are merged like the built-in ones, unless their policy forbids it', async () => {
      const { ana } = await open({
        formation: { writes: 'deferred' },
        memoryTypes: {
          brew_note: { description: 'How a brew came out.' },
          ledger_line: { description: 'Kept as it is.', mergesDoubles: false },
        },
      });
      for (const type of ['brew_note', 'ledger_line'])
        for (const what of ['stout', 'ale', 'lager', 'porter', 'cider', 'mead'])
          await ana.memories.create({ type, content: `The ${what} came out well.`, tags: [type] });
      const { tags } = await ana.consolidation.run();
      expect(tags.map(({ tag, originals }) => [tag, originals.length])).toEqual([['brew_note', 6]]);
    });
  });
}
