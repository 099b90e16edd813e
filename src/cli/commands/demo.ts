import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXIT, type Command } from '../command.ts';

/** Shows what Varve does. */
export const demo: Command = {
  usage: 'demo',
  help: 'Plays a short conversation through a memory of its own, which is gone afterwards: what is observed, what is formed of it, what is recalled.',
  examples: ['varve demo', 'varve demo --json'],
  async run(input) {
    const file = new URL('../../../examples/demo.ts', import.meta.url);
    if (!input.output.json && existsSync(fileURLToPath(file)) && !import.meta.url.endsWith('.js')) {
      await import(file.href);
      return EXIT.ok;
    }
    const { playDemo } = await import('../play-demo.ts');
    const played = await playDemo();
    await input.output.answer(played, () =>
      played.map(({ step, result }) => `${input.output.style('bold', step)}\n${result}\n`).join('\n'),
    );
    return EXIT.ok;
  },
};
