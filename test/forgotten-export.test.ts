import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { writeExport } from '../src/import/write-export.ts';
import type { RecordLine } from '../src/operate/record-line.ts';
import { DAY, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { openForming } from './form-model.ts';

interface Opened {
  varve: Varve;
  clock: ManualClock;
  kim: Handle;
  drop(): Promise<void>;
}

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`[X1] what was forgotten, exported and imported on ${database.name}`, () => {
    const opened: Opened[] = [];
    const open = async (): Promise<Opened> => {
      const { options, drop } = await database.create();
      const store = await openForming(options, { formation: { writes: 'immediate' } });
      const one = { ...store, kim: store.varve.for({ agent: 'a', user: 'kim', session: 's' }), drop };
      opened.push(one);
      return one;
    };
    afterEach(async () => {
      for (const { varve, drop } of opened.splice(0)) {
        await varve.close();
        await drop();
      }
    });
    const say = async ({ varve, clock, kim }: Opened, userMessage: string, agentResponse = 'Okay.'): Promise<void> => {
      await kim.logInteraction({ userMessage, agentResponse });
      await varve.drain();
      clock.advance(MINUTE);
    };
    const exported = async ({ varve }: Opened): Promise<RecordLine[]> => {
      const lines: RecordLine[] = [];
      for await (const line of varve.operator.export({ user: 'kim' })) lines.push(line);
      return JSON.parse(JSON.stringify(lines)) as RecordLine[];
    };
    const everything = async ({ kim, varve }: Opened, hasWords = false): Promise<string> => {
      await varve.drain();
      return JSON.stringify([
        (await kim.events.list()).items,
        (await kim.memories.list({ archived: hasWords ? 'exclude' : 'include' })).items,
        (await kim.recall('52k salary sailing', { mode: 'text' })).results,
        await kim.context({ message: 'What do I earn?' }),
        hasWords ? [] : await kim.forgotten.list(),
      ]);
    };
    const SECRET = /\b52k\b|sailing/i;

    let from: Opened;
    let older: RecordLine[];
    let newer: RecordLine[];
    beforeEach(async () => {
      from = await open();
      await say(from, 'My salary is 52k.', '52k, noted.');
      await say(from, 'I hurt my back while sailing at night. I live in Linz.');
      const made = (await from.kim.memories.list()).items.find(({ content }) => /sailing/.test(content));
      await from.kim.memories.revise(made?.id ?? '', { importance: 0.7 });
      await from.kim.blocks.replace('working_memory', '- Earns 52k.\n- Hurt the back while sailing.');
      older = await exported(from);
      await say(from, 'Forget my salary.');
      const back = (await from.kim.memories.list()).items.find(({ content }) => /sailing/.test(content));
      await from.kim.memories.archive(back?.id ?? '', 'forgotten');
      newer = await exported(from);
    });

    it('has a record with ids, positions, time and requester; no export format contains its words', async () => {
      expect(JSON.stringify(older)).toMatch(SECRET);
      expect(JSON.stringify(newer)).not.toMatch(SECRET);
      const lines = newer.filter((line) => line.record === 'forgotten');
      expect(lines.map(({ by }) => by).sort()).toEqual(['application', 'user']);
      const turn = newer.find((line) => line.record === 'event');
      const salary = lines.find(({ by }) => by === 'user');
      expect(salary).toMatchObject({ as: 'forgotten', memory: expect.stringMatching(/^mem_/) as string });
      expect(salary?.spans).toContainEqual({
        event: turn?.id,
        start: 0,
        end: 'My salary is 52k.'.length,
        field: 'content',
      });
      expect(JSON.stringify(salary)).not.toContain('salary');
      for (const format of ['mem0', 'markdown'] as const) {
        const text: string[] = [];
        const given = (async function* () {
          yield* newer;
        })();
        for await (const piece of writeExport(given, format)) text.push(piece);
        expect(text.join('')).toContain('Linz');
        expect(text.join('')).not.toMatch(/\b52k\b|sailing|forgotten|fgt_/i);
      }
    });

    it('has digests that cannot be compared across exports: a guess must be tried against each export', async () => {
      const digests = (lines: readonly RecordLine[]): string[] =>
        lines.flatMap((line) => (line.record === 'forgotten' ? (line.digests?.of ?? []) : []));
      const [first, second] = [digests(newer), digests(await exported(from))];
      expect(first.length).toBeGreaterThan(2);
      expect(second).toHaveLength(first.length);
      expect(first.filter((digest) => second.includes(digest))).toEqual([]);
      expect(new Set(first).size).toBe(first.length);
    });

    it('does not come back in a new store, in whatever order an older copy is imported', async () => {
      for (const copies of [[newer], [newer, older], [older, newer], [older, newer, older]]) {
        const store = await open();
        for (const lines of copies) expect(await store.varve.operator.import(lines, {})).toMatchObject({ rejected: 0 });
        // A store that had the words keeps them for its application alone, as after any request to forget.
        const hadWords = copies[0] === older;
        expect(await everything(store, hadWords)).not.toMatch(SECRET);
        const records = await store.kim.forgotten.list();
        expect((await store.kim.facts.get('home_city'))?.value).toBe('Linz');
        expect(await store.kim.facts.get('salary')).toBeNull();
        expect(records.length).toBe(2);
        expect(await store.varve.operator.import(newer, {})).toMatchObject({ imported: {} });
        const again = (await exported(store)).filter((line) => line.record === 'forgotten');
        const given = newer.filter((line) => line.record === 'forgotten');
        if (!hadWords) expect(again).toEqual(given);
      }
    });

    it('is known if the same store imports its export for another user', async () => {
      const count = newer.filter((line) => line.record === 'forgotten').length;
      for (const dryRun of [true, false]) {
        const report = await from.varve.operator.import(newer, { into: { user: 'lee' }, dryRun });
        expect(report).toMatchObject({ known: { forgotten: count }, rejected: 0 });
      }
      expect(await from.varve.for({ agent: 'a', user: 'lee' }).forgotten.list()).toEqual([]);
    });

    it('is recognised in the export of another product, and is stored again when the user states it again', async () => {
      const store = await open();
      await store.varve.operator.import(newer, {});
      const plain = (content: string, statedAt: string) => ({
        record: 'memory' as const,
        id: `mem_${content.length.toString().padStart(26, '0')}`,
        scope: { agent: 'a', user: 'kim' },
        data: { type: 'fact', content, statedAt, sourceType: 'import' as const },
      });
      const said = older.flatMap((line) =>
        line.record === 'memory' && /sailing/.test(line.data.content) ? line : [],
      )[0];
      await store.varve.operator.import(
        [plain('My salary is 52k.', '2025-01-01'), plain(said?.data.content ?? '', '2025-01-01')],
        {},
      );
      expect(await everything(store)).not.toMatch(SECRET);
      store.clock.advance(DAY);
      await say(store, 'My salary is 52k.');
      expect((await store.kim.facts.get('salary'))?.value).toBe('52k');
    });

    it('cannot be restored if only its record exists', async () => {
      const store = await open();
      await store.varve.operator.import(newer, {});
      const [record] = await store.kim.forgotten.list();
      expect(record).toMatchObject({ text: '', value: null, attribute: null });
      await expect(store.kim.forgotten.restore(record?.id ?? '')).rejects.toMatchObject({ code: 'conflict' });
    });
  });
}
