import type { Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';

/** How much there is. */
export const stats: Command = {
  usage: 'stats',
  help: 'How much is remembered within the scope. --user "" for the whole tenant.',
  examples: ['varve stats', 'varve stats --user "" --json'],
  async run(input) {
    await withMemory(input, {}, async (varve) => {
      const { byType, ...counts } = await varve.operator.count(scopeOf(input));
      const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
      const types = Object.entries(byType).map(([name, count]) => [`  ${name}`, String(count)]);
      await input.output.answer({ ...counts, byType }, () => table([...rows, ['memories by type', ''], ...types]));
    });
  },
};
