import { type Command, untilStopped, wholeOption } from '../command.ts';
import { openMemory, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';

/** Does background work. */
export const worker: Command = {
  usage: 'worker [--once] [--concurrency 4]',
  help: 'Does background work (forming memories, embedding, consolidation, maintenance) until it is stopped. Any number of workers may share a store. With --once it does what is due and ends.',
  options: {
    once: { type: 'boolean', help: 'do what is due now, and end' },
    concurrency: { type: 'string', value: 'number', help: 'jobs at the same time (default 4)' },
  },
  examples: ['varve worker', 'varve worker --once', 'DATABASE_URL=postgres://… varve worker --concurrency 8'],
  async run(input) {
    const concurrency = wholeOption(input, 'concurrency', 1, 1000);
    if (input.options['once'] === true) {
      const counts = await withMemory(input, { embeds: 'all' }, (varve) => varve.drain());
      await input.output.answer(counts, () =>
        table(Object.entries(counts).map(([name, count]) => [name, String(count)])),
      );
      return;
    }
    const stopped = untilStopped();
    const varve = await openMemory(input, { embeds: 'all', background: { concurrency } });
    input.output.note('Working. Stop with Ctrl-C.');
    await stopped;
    await varve.close();
  },
};
