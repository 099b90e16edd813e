import { describe, expect, it } from 'vitest';
import { cutWords, FEW_VALUES, FEW_WORDS, shrinks } from '../src/consolidate/check-text.ts';
import { consolidationSettings } from '../src/consolidate/consolidation-settings.ts';
import { checkProfile, fitProfile } from '../src/consolidate/nightly/profile.ts';
import { countWords } from '../src/record/block.ts';
import { DAY } from '../src/record/clock.ts';
import { PROFILE_SECTIONS } from '../src/record/memory-types.ts';
import { consolidationSuite, START } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { from, json, type ProtocolServer } from './protocol-server.ts';

/** So many words, in sentences of five and a last one of what is left. */
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
  ])('[T1] a narrative of %i words has %i after the limit of 500', (words, left) => {
    expect(countWords(textOf(words))).toBe(words);
    expect(countWords(cutWords(textOf(words), consolidationSettings().tiers.words))).toBe(left);
  });

  it.each([
    [549, 549],
    [550, 550],
    [551, 550],
  ])('[K10] a profile of %i words has %i after the limit of 550', (words, left) => {
    const { words: limit } = consolidationSettings().nightly;
    expect(countWords(fitProfile(textOf(words), limit))).toBe(left);
    const headings = PROFILE_SECTIONS.map((name) => `## ${name}`).join('\n\n');
    const sections = `${headings}\n${textOf(words - countWords(headings))}`;
    expect(countWords(sections)).toBe(words);
    const fitted = countWords(fitProfile(sections, limit));
    if (words <= limit) expect(fitted).toBe(words);
    else expect(fitted).toBeLessThanOrEqual(limit);
    expect(fitted).toBeGreaterThan(limit - 6);
  });

  it.each([
    [{ before: 100, after: 51 }, FEW_WORDS, false],
    [{ before: 100, after: 50 }, FEW_WORDS, false],
    [{ before: 100, after: 49 }, FEW_WORDS, true],
    [{ before: 39, after: 1 }, FEW_WORDS, false],
    [{ before: 40, after: 1 }, FEW_WORDS, true],
    [{ before: 2, after: 0 }, FEW_VALUES, true],
    [{ before: 2, after: 1 }, FEW_VALUES, false],
    [{ before: 3, after: 1 }, FEW_VALUES, true],
    [{ before: 0, after: 0 }, FEW_VALUES, false],
  ])('[T6] %o, with few being %i, shrinks by more than half: %s', (sizes, few, expected) => {
    expect(shrinks(sizes, { share: 0.5, few })).toBe(expected);
  });

  it.each([
    [51, null],
    [50, null],
    [49, 'the profile would shrink from 100 words to 49'],
  ])('[K10] a profile of 100 words that becomes one of %i: %s', (words, suspicion) => {
    const settings = consolidationSettings();
    expect(checkProfile(textOf(words), textOf(100), settings)).toMatchObject({ suspicion });
    // Headings do not count.
    const headed = (body: string) => PROFILE_SECTIONS.map((name) => `## ${name}\n`).join('\n') + body;
    expect(checkProfile(headed(textOf(words)), headed(textOf(100)), settings)).toMatchObject({ suspicion });
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

    it('[T1] the narrative that is stored has 499, 500 and again 500 words when the model writes 499, 500, 501', async () => {
      const { ana } = await open({ server });
      for (const [words, stored] of [
        [499, 499],
        [500, 500],
        [501, 500],
      ] as const) {
        await ana.recordObservation(`User has much to say about the number ${words}.`, 'fact');
        server.next(json({ updated_scaffold: {}, updated_working_memory: textOf(words), facts_to_embed: [] }));
        await ana.consolidation.run();
        expect(countWords(String((await ana.blocks.read('working_memory'))?.content))).toBe(stored);
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

    it('[T6] a poison event is tried 5 times, not 4 and not 6', async () => {
      const { ana } = await open({ server });
      server.otherwise(
        from((request) =>
          JSON.stringify(request.body.messages).includes('POISON')
            ? json({ nonsense: true })
            : json({ updated_scaffold: {}, updated_working_memory: 'Fine.', facts_to_embed: [] }),
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
