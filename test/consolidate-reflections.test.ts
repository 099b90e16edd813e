import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../src/record/clock.ts';
import type { Handle } from '../src/handle/handle.ts';
import { openConsolidation, START, type Opened } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { startProtocolServer, status, text, type ProtocolServer } from './protocol-server.ts';
import { countWords } from '../src/record/parse.ts';

const LINES = [
  'Prefers tables over prose.',
  'Dislikes small talk.',
  'Works late at night.',
  'Asks for sources.',
  'Writes in German.',
  'Likes dry humour.',
  'Thinks in diagrams.',
  'Wants options first.',
];

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`merging reflections on ${database.name}`, () => {
    let server: ProtocolServer;
    const opened: Opened[] = [];
    const open = async (given: Parameters<typeof openConsolidation>[1] = {}): Promise<Opened> => {
      const one = await openConsolidation(database, given);
      opened.push(one);
      return one;
    };
    const reflect = async (
      handle: Handle,
      level: 'agent' | 'user' | 'session',
      count: number,
      from = 0,
    ): Promise<void> => {
      for (const content of LINES.slice(from, from + count))
        await handle.memories.create({ type: 'reflection', level, content });
    };
    beforeAll(async () => {
      server = await startProtocolServer();
    });
    afterAll(async () => {
      for (const one of opened) await one.close();
      await server.close();
    });

    it.each([
      ['agent', 8],
      ['user', 4],
      ['session', 4],
    ] as const)('[E6] merges %s reflections if there are %i, not if one is missing', async (level, threshold) => {
      const { of } = await open();
      const handle = of('s1');
      await handle.observe({ content: 'Hello.' });
      await reflect(handle, level, threshold - 1);
      expect((await handle.consolidation.run()).absorbed).toBe(0);
      expect(await handle.blocks.read('reflections', { level })).toBeNull();
      await reflect(handle, level, 1, threshold - 1);
      expect((await handle.consolidation.run()).absorbed).toBe(threshold);
      const block = await handle.blocks.read('reflections', { level });
      for (const line of LINES.slice(0, threshold)) expect(block?.content).toContain(line);
      expect((await handle.memories.list({ types: ['reflection'] })).items).toEqual([]);
      const archived = await handle.memories.list({ types: ['reflection'], archiveReasons: ['absorbed'] });
      expect(archived.items).toHaveLength(threshold);
      // The count of waiting reflections starts from 0 again.
      expect((await handle.consolidation.run()).absorbed).toBe(0);
    });

    it('[X4] thresholds and word limits are settings', async () => {
      const { ana } = await open({ consolidation: { reflections: { user: { threshold: 2, words: 10 } } } });
      await reflect(ana, 'user', 2);
      await reflect(ana, 'user', 2, 2);
      expect((await ana.consolidation.run()).absorbed).toBe(4);
      expect(countWords(String((await ana.blocks.read('reflections'))?.content))).toBeLessThanOrEqual(10);
    });

    it('[E6] a merge that fails, is empty or drops most of the text loses no reflection', async () => {
      const { ana, clock } = await open({ server });
      const before =
        `${'Ana has a long history with this agent and expects precision in every answer. '.repeat(5)}`.trim();
      await ana.blocks.replace('reflections', before, { level: 'user' });
      await reflect(ana, 'user', 4);
      for (const reply of [text(''), text('Shorter.'), text('word '.repeat(2000))]) {
        server.reset();
        server.otherwise(reply);
        const { failures, absorbed } = await ana.consolidation.run();
        expect(failures.map(({ step }) => step)).toEqual(['merge-reflections']);
        expect(absorbed).toBe(0);
        expect((await ana.blocks.read('reflections'))?.content).toBe(before);
        expect((await ana.memories.list({ types: ['reflection'] })).items).toHaveLength(4);
        clock.advance(DAY);
      }
      server.reset();
      server.otherwise(text(`${before} ${LINES.slice(0, 4).join(' ')}`));
      expect((await ana.consolidation.run()).absorbed).toBe(4);
      const prompt = JSON.stringify(server.requests[0]?.body.messages);
      expect(prompt).toContain('At most 400 words');
    });

    it('[E6] a sentence that is worked into the next merge stays in the prompt, until one of its reflections is forgotten or ends', async () => {
      const { ana, clock } = await open({ server });
      const merge = async (contents: readonly string[], changes: object[], validTo?: string): Promise<string> => {
        for (const content of contents)
          await ana.memories.create({ type: 'reflection', level: 'user', content, ...(validTo ? { validTo } : {}) });
        server.reset();
        server.otherwise(text(JSON.stringify(changes)));
        expect(await ana.consolidation.run()).toMatchObject({ absorbed: 4, failures: [] });
        return (await ana.context({})).system;
      };
      await merge(
        ['Reads on the train.', 'Skips long introductions.', 'Counts in metric units.', 'Knows some Rust.'],
        [
          { text: 'Reads on the train and skips long introductions.', from: [1, 2] },
          { text: 'Counts in metric units and knows some Rust.', from: [3, 4] },
        ],
      );
      const system = await merge(
        ['Answers in the morning.', 'Quotes poets.', 'Distrusts averages.', 'Draws maps.'],
        [
          { text: 'Reads on the train, skips long introductions and answers in the morning.', from: [1, 3] },
          { text: 'Quotes poets, distrusts averages and draws maps.', from: [4, 5, 6] },
        ],
        '2026-02-01T00:00:00Z',
      );
      for (const words of ['answers in the morning', 'metric units', 'distrusts averages'])
        expect(system).toContain(words);
      const third = await merge(
        ['Sails.', 'Sings.', 'Sews.', 'Skates.'],
        [
          { text: 'Counts in metric units, knows some Rust and sails.', from: [2, 4] },
          { text: 'Quotes poets, distrusts averages, draws maps and sings.', from: [3, 5, 6, 7] },
        ],
      );
      expect(third).toContain('draws maps and sings');
      clock.set(Date.UTC(2026, 1, 1));
      const after = (await ana.context({})).system;
      expect(after).toContain('knows some Rust and sails');
      for (const words of ['draws maps', 'answers in the morning']) expect(after).not.toContain(words);
      const absorbed = await ana.memories.list({ types: ['reflection'], archiveReasons: ['absorbed'] });
      const rust = absorbed.items.find(({ content }) => content.includes('Rust'));
      await ana.memories.forget(rust?.id ?? '');
      expect((await ana.context({})).system).not.toContain('Rust');
    });

    it('[E6] a list after a preface is read as a list, and a truncated list loses no reflection', async () => {
      const { ana, clock } = await open({ server });
      await ana.blocks.replace('reflections', 'Keeps appointments.', { level: 'user' });
      await reflect(ana, 'user', 4);
      const list = '[{"text": "Prefers tables over prose and dislikes small talk.", "from": [2, 3]}]';
      for (const reply of [list.slice(0, 40), `My list:\n${list.slice(0, 40)}`, '["Prefers tables over prose."]']) {
        server.reset();
        server.otherwise(text(reply));
        expect((await ana.consolidation.run()).failures.map(({ step }) => step)).toEqual(['merge-reflections']);
        expect((await ana.memories.list({ types: ['reflection'] })).items).toHaveLength(4);
        clock.advance(DAY);
      }
      server.reset();
      server.otherwise(text(`I merged the reflections as follows: ${list}\nTell me if it should be shorter.`));
      expect((await ana.consolidation.run()).absorbed).toBe(4);
      expect((await ana.blocks.read('reflections'))?.content).toBe(
        'Keeps appointments. Prefers tables over prose and dislikes small talk.',
      );
    });

    it('[E6] after an unusable answer, a model is asked about the same reflections once a day, and immediately when there is a new reflection', async () => {
      const { varve, ana, clock } = await open({ server });
      server.reset();
      server.otherwise(text('[{"rule": "none of this is a change"}]'));
      await reflect(ana, 'user', 4);
      const work = async (hours: number): Promise<number> => {
        const before = server.requests.length;
        for (let minutes = 0; minutes < hours * 60; minutes += 20) {
          clock.advance(20 * MINUTE);
          await varve.drain();
          await ana.consolidation.run();
        }
        return server.requests.length - before;
      };
      expect(await work(12)).toBe(1);
      expect(await work(12)).toBe(0);
      expect(await work(12)).toBe(1);
      await reflect(ana, 'user', 1, 4);
      expect(await work(12)).toBe(1);
      expect((await ana.memories.list({ types: ['reflection'] })).items).toHaveLength(5);
      // A model that cannot be reached has not answered, so the daily limit does not apply.
      await reflect(ana, 'user', 1, 5);
      server.otherwise(status(400));
      expect(await work(1)).toBeGreaterThan(1);
    });

    it('[E6] an answer over the limit is cut at the end of a sentence', async () => {
      const { ana } = await open({ server });
      await reflect(ana, 'user', 4);
      server.reset();
      server.otherwise(
        text(
          Array.from(
            { length: 55 },
            (_, index) =>
              `Prefers tables ${'very '.repeat(index % 7)}much in${' '.repeat(1)}case ${'and '.repeat(Math.floor(index / 7))}so.`,
          ).join(' '),
        ),
      );
      await ana.consolidation.run();
      const words = countWords(String((await ana.blocks.read('reflections'))?.content));
      expect(words).toBeLessThanOrEqual(400);
      expect(words).toBeGreaterThan(370);
    });

    it('[E1] with reflections switched off nothing is merged, and facts are still formed', async () => {
      const { ana } = await open({ consolidation: { reflections: { enabled: false } } });
      await reflect(ana, 'user', 6);
      await ana.recordObservation('User lives in Berlin.', 'fact');
      const report = await ana.consolidation.run();
      expect(report).toMatchObject({ absorbed: 0, synthesis: { taken: 1 } });
      expect(await ana.blocks.read('reflections')).toBeNull();
    });

    it('[E6] the merged reflections of a session end with the session, and stay in the history', async () => {
      const { varve, of, clock } = await open();
      const [closed, quiet] = [of('closed'), of('quiet')];
      for (const handle of [closed, quiet]) {
        await handle.observe({ content: 'Hello.' });
        await reflect(handle, 'session', 5);
        await handle.consolidation.run();
        expect((await handle.blocks.read('reflections', { level: 'session' }))?.content).toContain('tables');
      }
      clock.advance(60_000);
      await closed.session.close();
      await closed.consolidation.run();
      expect((await closed.blocks.read('reflections', { level: 'session' }))?.content).toBe('');
      expect((await quiet.blocks.read('reflections', { level: 'session' }))?.content).not.toBe('');
      clock.set(START + DAY - 1);
      expect((await varve.maintain({ tenant: 't' })).sessionsEnded).toBe(0);
      clock.set(START + DAY);
      const report = await varve.maintain({ tenant: 't' });
      expect(report.sessionsEnded).toBe(1);
      expect((await quiet.blocks.read('reflections', { level: 'session' }))?.content).toBe('');
      expect((await quiet.asOf(START + 1000).blocks.read('reflections', { level: 'session' }))?.content).toContain(
        'tables',
      );
    });
  });
}
