import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countEvidence, writeCount } from '../src/consolidate/patterns/count-evidence.ts';
import { type Evidence, fromEpisode } from '../src/consolidate/patterns/evidence.ts';
import { clusterEvidence } from '../src/consolidate/patterns/find-patterns.ts';
import { bundledCalibration, type Embedder } from '../src/models/embedder.ts';
import { sharedLocalEmbedder } from '../src/models/shared-embedder.ts';
import type { Memory } from '../src/record/memory.ts';
import { openConsolidation, type Opened } from './consolidate-fixture.ts';
import { databases } from './databases.ts';

/** Texts that share few words and contain no names. */
const POSTS = [
  'Blogged a recipe for lentil soup → 340 views',
  'Published a curry recipe on the website → 290 views',
  'Wrote a post with a bread recipe → 280 views',
  'Blogged the news of the week → 95 views',
  'Published news about the town on the website → 110 views',
];
const OTHERS = [
  'Rebooted the mail server → 3 errors',
  'Renewed the passport at the town hall',
  'Repainted the town hall door → 120 views',
];
const COUNTED = '303 views on average in 3 cases with recipe and 103 in 2 cases with news';
const SAID =
  'worked best with recipe: 303 views on average in 3 cases, against 103 in 2 cases with news (2.9 times as many).';

let embedder: Embedder;
beforeAll(() => {
  embedder = sharedLocalEmbedder();
});
afterAll(async () => {
  await embedder.close?.();
});

describe('the themes of episodes', { timeout: 30_000 }, () => {
  const evidenceOf = (content: string, given: Partial<Evidence> = {}): Evidence => ({
    ...fromEpisode({
      id: content,
      content,
      tags: [],
      entities: [],
      metadata: {},
      internal: {},
      sourceEvents: [],
    } as unknown as Memory),
    ...given,
  });
  const largest = (clusters: Evidence[][]): Evidence[] =>
    clusters.toSorted((one, other) => other.length - one.length)[0] ?? [];

  it('[L8] are found by meaning if the words differ, and unrelated episodes do not join', async () => {
    const { vectors } = await embedder.embed([...POSTS, ...OTHERS]);
    const evidence = [...POSTS, ...OTHERS].map((content, index) =>
      evidenceOf(content, { vector: vectors[index] ?? null }),
    );
    const calibration = bundledCalibration(embedder.id);
    const theme = largest(clusterEvidence(evidence, { similarity: 0.7, calibration }));
    expect(theme.map(({ id }) => id)).toEqual(POSTS);
    expect(writeCount(countEvidence(theme))).toBe(COUNTED);
    // By their words alone they are unrelated.
    const blind = evidence.map((each) => ({ ...each, vector: null }));
    expect(largest(clusterEvidence(blind, { similarity: 0.7, calibration })).length).toBeLessThan(3);
  });

  it('[L8] are found by entities and words if there are no vectors', () => {
    const said = ['Suggested a recipe post → 5 views', 'Suggested an old news post → 5 views'];
    const cluster = (given: Partial<Evidence>, similarity: number): number =>
      largest(
        clusterEvidence(
          said.map((content) => evidenceOf(content, given)),
          { similarity, calibration: null },
        ),
      ).length;
    // Two of five words give 0.65, and a little more if the subject is the same.
    expect([cluster({}, 0.64), cluster({}, 0.68), cluster({ entities: ['Ana'] }, 0.68)]).toEqual([2, 1, 2]);
    expect(cluster({ entities: ['Ana'] }, 0.71)).toBe(1);
  });

  it('[L8] need a word or an entity in common, however similar their meaning is', async () => {
    const strangers = ['Purchased an automobile', 'Bought a car'];
    const { vectors } = await embedder.embed(strangers);
    const evidence = strangers.map((content, index) => evidenceOf(content, { vector: vectors[index] ?? null }));
    const calibration = bundledCalibration(embedder.id);
    expect(largest(clusterEvidence(evidence, { similarity: 0.7, calibration }))).toHaveLength(1);
    const named = evidence.map((each) => ({ ...each, entities: ['Ana'] }));
    expect(largest(clusterEvidence(named, { similarity: 0.7, calibration }))).toHaveLength(2);
  });
});

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`themes on ${database.name}`, { timeout: 30_000 }, () => {
    const opened: Opened[] = [];
    afterAll(async () => {
      for (const one of opened) await one.close();
    });

    it('[L14] decisions counted in the same unit are one pattern with variants', async () => {
      const one = await openConsolidation(database, { embedder: sharedLocalEmbedder() });
      opened.push(one);
      for (const [content, views] of [
        ['Posted a recipe for mango lassi', 340],
        ['Published the news about our new store', 120],
        ['Posted a recipe for masala dosa', 290],
        ["Shared a recipe of grandma's paneer", 280],
        ['Posted news on the festival discount', 86],
      ] as const) {
        const { id } = await one.ana.decisions.record({ content });
        const effect = views > 200 ? 'positive' : 'negative';
        const measure = { name: 'views', value: views };
        await one.ana.decisions.recordOutcome(id, { content: `${views} views`, effect, measure });
      }
      await one.varve.drain();
      await one.varve.backfill({ tenant: 't' });
      await one.ana.consolidation.run();
      const [pattern] = (await one.ana.memories.list({ types: ['pattern'] })).items;
      expect(pattern?.content).toBe(`“Posted ___” ${SAID}`);
      // A store of eleven records has too little evidence to abstain, so only the order is tested here.
      const best = await one.ana.recall('What kind of posts work best?', { abstain: false });
      expect(best.results[0]?.text).toBe(pattern?.content);
      // The pattern describes all of them and none in particular, so the single episodes are found as well.
      const lassi = await one.ana.recall('How did the mango lassi recipe do?');
      expect(lassi.results.map(({ text }) => text)).toContain('Posted a recipe for mango lassi');
    });

    it.each(['local', null])(
      '[L8] [T17] posts in different words are one pattern with the embedder %s',
      async (name) => {
        const one = await openConsolidation(database, { embedder: name === null ? null : sharedLocalEmbedder() });
        opened.push(one);
        for (const content of [...POSTS, ...OTHERS]) await one.ana.memories.create({ type: 'episode', content });
        await one.varve.backfill({ tenant: 't' });
        const { patterns } = await one.ana.consolidation.run();
        expect(patterns).toHaveLength(name === null ? 0 : 1);
        if (name === null) return;
        const [pattern] = (await one.ana.memories.list({ types: ['pattern'] })).items;
        expect(pattern?.content).toContain(SAID);
        const left = (await one.ana.memories.list({ types: ['episode'] })).items.map(({ content }) => content);
        expect(left.toSorted()).toEqual(OTHERS.toSorted());
      },
    );

    it('[L8] without vectors, words and entities make the pattern', async () => {
      const one = await openConsolidation(database, { embedder: null });
      opened.push(one);
      for (const [index, views] of [340, 290, 280, 95, 110].entries()) {
        const content = `Suggested ${index < 3 ? 'recipe' : 'news'} post → ${views} views`;
        await one.ana.memories.create({ type: 'episode', content });
      }
      for (const content of OTHERS) await one.ana.memories.create({ type: 'episode', content });
      expect((await one.ana.consolidation.run()).patterns).toHaveLength(1);
      const [pattern] = (await one.ana.memories.list({ types: ['pattern'] })).items;
      expect(pattern?.content).toBe(`“Suggested ___ post” ${SAID}`);
    });
  });
}
