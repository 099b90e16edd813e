import { describe, expect, it } from 'vitest';
import { cutWords } from '../src/consolidate/check-text.ts';
import { consolidationSettings } from '../src/consolidate/consolidation-settings.ts';
import { losesTooMuch, lossOf } from '../src/consolidate/documents/changes.ts';
import { fittedSections, readBlockText, writeBlockText } from '../src/consolidate/documents/document.ts';
import { DAY } from '../src/record/clock.ts';
import { PROFILE_SECTIONS } from '../src/record/memory-types.ts';
import { changesAnswer, consolidationSuite, START } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { from, json, type ProtocolServer } from './protocol-server.ts';
import { countWords } from '../src/record/parse.ts';

/** A text of this many words, in sentences of five words and a shorter last one. */
function textOf(words: number): string {
  const five = 'User has much to say.';
  const rest = words % 5 === 0 ? 0 : words % 5;
  return [...Array.from({ length: Math.floor(words / 5) }, () => five), `${'word '.repeat(rest).trim()}.`]
    .slice(0, Math.ceil(words / 5))
    .join(' ');
}

describe('the boundaries of rules', () => {
  it.each([
    [499, 499],
    [500, 500],
    [501, 500],
  ])('[T1] a narrative of %i words is cut to %i words by the limit of 500', (words, left) => {
    expect(countWords(textOf(words))).toBe(words);
    expect(countWords(cutWords(textOf(words), consolidationSettings().tiers.words))).toBe(left);
  });

  it.each([
    [549, 549],
    [550, 550],
    [551, 550],
  ])('[K10] a profile of %i words is cut to at most %i words by the limit of 550', (words, left) => {
    const { words: limit } = consolidationSettings().nightly;
    const headings = PROFILE_SECTIONS.map((name) => `## ${name}`).join('\n\n');
    const sections = `${headings}\n${textOf(words - countWords(headings))}`;
    expect(countWords(sections)).toBe(words);
    const options = { sections: PROFILE_SECTIONS, importance: new Map() };
    const document = fittedSections(readBlockText(sections, {}), limit, options);
    const fitted = countWords(writeBlockText(document, PROFILE_SECTIONS).text);
    if (words <= limit) expect(fitted).toBe(left);
    else expect(fitted).toBeLessThanOrEqual(limit);
    expect(fitted).toBeGreaterThan(limit - 6);
  });

  it.each([
    [{ held: 2, lost: 2 }, true],
    [{ held: 2, lost: 1 }, false],
    [{ held: 3, lost: 2 }, true],
    [{ held: 0, lost: 0 }, false],
  ])('[T6] a change with the counts %o loses too many statements: %s', (loss, expected) => {
    expect(losesTooMuch(loss, 0.5)).toBe(expected);
  });

  it.each([
    [{ held: 10, lost: 5 }, null],
    [{ held: 10, lost: 6 }, 'the profile would lose 6 of 10 statements that still hold'],
    [{ held: 2, lost: 1 }, null],
    [{ held: 2, lost: 2 }, 'the profile would lose 2 of 2 statements that still hold'],
    [{ held: 0, lost: 0 }, null],
  ])('[K10] a change of the profile with the counts %o is held for the reason: %s', (loss, suspicion) => {
    expect(lossOf(loss, consolidationSettings().tiers.shrinkShare, 'the profile')).toBe(suspicion);
  });

  it('[X1] settings for kinds of events that do not exist are refused', () => {
    expect(() => consolidationSettings({ eventRetention: { messages: 3 } as never })).toThrow(/eventRetention/);
    expect(consolidationSettings({ eventRetention: { message: 0.5 } }).eventRetention).toEqual({ message: 0.5 });
  });
});

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`the boundaries of rules on ${database.name}`, () => {
    let server: ProtocolServer;
    const open = consolidationSuite(database, (started) => (server = started));

    it('[T1] the narrative that is stored has at most 500 words, and loses whole sentences', async () => {
      const { ana } = await open({ server });
      for (const count of [99, 100, 101]) {
        await ana.recordObservation(`User has much to say about the number ${count}.`, 'fact');
        const sentences = Array.from({ length: count }, (_, index) => ({
          text: `User has ${'very '.repeat(index % 3)}much to say ${'and '.repeat(index)}.`.replace(/ \.$/, '.'),
          from: [1],
        }));
        server.next(changesAnswer({ working: sentences }));
        await ana.consolidation.run();
        const text = String((await ana.blocks.read('working_memory'))?.content);
        expect(countWords(text)).toBeLessThanOrEqual(500);
        expect(text).toMatch(/\.$/);
      }
    });

    it.each([
      [4, 0],
      [5, 1],
      [6, 1],
    ])('[L8] %i episodes on a theme make %i pattern', async (count, patterns) => {
      const { ana } = await open();
      for (let index = 0; index < count; index += 1)
        await ana.memories.create({ type: 'episode', content: `Suggested recipe post → ${100 + index} views` });
      expect((await ana.consolidation.run()).patterns).toHaveLength(patterns);
      const { items } = await ana.memories.list({ types: ['episode'], archiveReasons: ['absorbed'] });
      expect(items).toHaveLength(patterns * count);
    });

    it('[T6] an event that always fails is tried exactly 5 times', async () => {
      const { ana } = await open({ server });
      server.otherwise(
        from((request) =>
          JSON.stringify(request.body.messages).includes('POISON') ? json({ nonsense: true }) : changesAnswer({}),
        ),
      );
      await ana.recordObservation('POISON', 'fact');
      for (let tries = 1; tries <= 5; tries += 1) {
        expect((await ana.consolidation.run()).synthesis).toMatchObject({ failed: 1, setAside: Number(tries === 5) });
        expect(await ana.consolidation.setAside()).toHaveLength(Number(tries === 5));
      }
      const asked = server.requests.length;
      expect((await ana.consolidation.run()).synthesis).toMatchObject({ failed: 0, setAside: 0 });
      expect(server.requests).toHaveLength(asked);
    });

    it('[T15] a run is in the audit log for 365 days, and no longer', async () => {
      const { varve, ana, clock } = await open();
      await ana.recordObservation('User lives in Berlin.', 'fact');
      await ana.consolidation.run();
      const runs = async (): Promise<number> => (await ana.consolidation.runs({ kinds: ['synthesise'] })).length;
      clock.set(START + 365 * DAY);
      await varve.maintain({ tenant: 't' });
      expect(await runs()).toBe(1);
      clock.advance(1);
      await varve.maintain({ tenant: 't' });
      expect(await runs()).toBe(0);
    });
  });
}
