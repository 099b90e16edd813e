import type { Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';

/** Reflects now. */
export const reflect: Command = {
  usage: 'reflect',
  help: 'Reflects now, instead of tonight, on what the user has said since the last reflection: profile, facts, intentions, learnings. Says how many of each were added. Without a user it reflects for everybody who has news.',
  examples: ['varve reflect', 'varve reflect --user ana --json'],
  async run(input) {
    await withMemory(input, { embeds: 'all' }, async (varve) => {
      const counts = await varve.for(scopeOf(input)).reflect();
      const { warnings, ...numbers } = counts;
      await input.output.answer(counts, () =>
        [table(Object.entries(numbers).map(([name, count]) => [name, String(count)])), ...warnings].join('\n'),
      );
    });
  },
};
