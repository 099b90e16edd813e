import { describe, expect, it } from 'vitest';
import { defineLayout } from '../src/assemble/layout.ts';
import type { SectionName } from '../src/assemble/section.ts';
import { RECALL_SOURCES } from '../src/recall/recall-options.ts';
import { DAY } from '../src/record/clock.ts';
import type { PromptSection } from '../src/record/memory-types.ts';
import { wordEmbedder } from './assemble-users.ts';
import { consolidationSuite, START } from './consolidate-fixture.ts';
import { databases } from './databases.ts';

const LIFESPANS = ['permanent', 'long', 'medium', 'short', 'session'] as const;

/** The section of a context that shows the memories of a prompt section. */
const SHOWN_IN: Record<PromptSection, SectionName> = {
  memories: 'memories',
  notes: 'notes',
  saved_items: 'savedItems',
  summaries: 'summaries',
  reflections: 'userReflections',
  intentions: 'intentions',
  learnings: 'learnings',
};
const EVERYWHERE = defineLayout({
  name: 'everywhere',
  escape: 'markdown',
  history: 'messages',
  system: Object.values(SHOWN_IN).map((section) => ({ section })),
  user: [{ section: 'message', item: ({ text }) => text }],
});

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
      expect(system).toContain('- [brew_note] 2026-01-05: The stout came out too sweet.');
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

    it.each(Object.entries(SHOWN_IN))(
      '[X4] with the section %s are shown and recalled there',
      async (section, shown) => {
        const { varve, ana } = await open({
          embedder: wordEmbedder,
          memoryTypes: { brew: { description: 'A brew.', section: section as PromptSection, broughtUpForDays: 3 } },
        });
        const content = 'The stout with hops came out sweet.';
        const brew = { type: 'brew', title: 'Stout', content, tags: ['stout'], dueAt: new Date(START) };
        const { memory } = await ana.memories.create(brew);
        await varve.drain();
        const { report } = await ana.context({ message: content, layout: EVERYWHERE, lookup: 'always' });
        const sections = report.sections.filter(({ ids }) => ids.includes(memory.id)).map((each) => each.section);
        expect(sections).toContain(shown);
        expect(Object.values(SHOWN_IN).filter((each) => sections.includes(each))).toEqual([shown]);
        const source = RECALL_SOURCES.find((each) => each === section) ?? 'memories';
        for (const each of RECALL_SOURCES) {
          const { results } = await ana.recall(content, { sources: [each], abstain: false, track: false });
          expect(results.map(({ id }) => id)).toEqual(each === source ? [memory.id] : []);
        }
      },
    );

    it('[Q1] [Q9] fade as their lifespan says, unless they have a decay of their own', async () => {
      const { varve, ana, clock } = await open({
        memoryTypes: {
          ...Object.fromEntries(LIFESPANS.map((lifespan) => [lifespan, { description: 'A brew.', lifespan }])),
          own: { description: 'A brew.', lifespan: 'short', decayPerPass: 0 },
          decision: { description: 'A choice.', lifespan: 'short' },
        },
      });
      for (const type of [...LIFESPANS, 'own', 'decision'])
        await ana.memories.create({ type, content: `The ${type} stout.`, importance: 0.5 });
      clock.set(START + 8 * DAY);
      await varve.maintain({ tenant: 't' });
      const { items } = await ana.memories.list();
      const lost = items.map(({ type, importance }) => [type, Math.round((0.5 - importance) * 1e4) / 1e4]);
      expect(Object.fromEntries(lost)).toEqual({
        permanent: 0,
        long: 0.0002,
        medium: 0.0005,
        short: 0.002,
        session: 0,
        own: 0,
        decision: 0.002,
      });
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
