import { EXIT, type Command } from '../command.ts';
import { table } from '../output.ts';

/** Finds and explains what is wrong. */
export const doctor: Command = {
  usage: 'doctor',
  help: 'Looks at Node, the folder, the store, the embedder, the queue and the keys, and says what is wrong and what to do. Exit code 1 when something is.',
  examples: ['varve doctor', 'varve doctor --json'],
  async run(input) {
    const { examine } = await import('../examine.ts');
    const findings = await examine(input);
    const { style } = input.output;
    const mark = { good: style('green', 'ok'), note: style('yellow', 'note'), bad: style('red', 'wrong') };
    await input.output.answer({ findings }, () =>
      table(
        findings.map(({ state, what, found, remedy }) => [
          mark[state],
          what,
          remedy === null ? found : `${found} → ${remedy}`,
        ]),
      ),
    );
    return findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.ok;
  },
};
