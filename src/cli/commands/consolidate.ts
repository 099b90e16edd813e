import type { Command } from '../command.ts';
import { withMemory } from '../open-memory.ts';
import { table } from '../output.ts';

/** Does the work that waits. */
export const consolidate: Command = {
  usage: 'consolidate',
  help: 'Does the background work that is due now: forms memories of quiet sessions, embeds, merges, maintains. A server or a worker does this by itself.',
  examples: ['varve consolidate', 'varve consolidate --json'],
  async run(input) {
    const counts = await withMemory(input, { embeds: 'all' }, (varve) => varve.drain());
    await input.output.answer(counts, () =>
      table(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    );
  },
};
