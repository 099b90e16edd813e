import type { ContextOptions } from '../../assemble/context-options.ts';
import { type Command, numberOption, textOption } from '../command.ts';
import { embedFew, scopeOf, withMemory } from '../open-memory.ts';

/** Assembles the prompt of a turn. */
export const context: Command = {
  usage: 'context [message]',
  help: 'Shows what an agent would get for this turn: the system prompt, the user’s turn with what was looked up, and what each part cost.',
  options: {
    layout: { type: 'string', value: 'name', help: 'how it is written' },
    budget: { type: 'string', value: 'tokens', help: 'the most tokens in all' },
    report: { type: 'boolean', help: 'only say what went where' },
  },
  examples: ['varve context "what should I cook?"', 'varve context "hello" --report --json'],
  async run(input) {
    const options = {
      message: input.words.length === 0 ? undefined : input.words.join(' '),
      layout: textOption(input, 'layout'),
      budget: numberOption(input, 'budget'),
      unlogged: true,
    } as ContextOptions;
    await withMemory(input, { embeds: 'query' }, async (varve) => {
      await embedFew(varve, input.output);
      const assembled = await varve.for(scopeOf(input)).context(options);
      const isReport = input.options['report'] === true;
      const { style } = input.output;
      await input.output.answer(isReport ? assembled.report : assembled, () =>
        isReport
          ? JSON.stringify(assembled.report, null, 2)
          : `${style('bold', '── system')}\n${assembled.system}\n\n${style('bold', '── user')}\n${assembled.user}`,
      );
    });
  },
};
