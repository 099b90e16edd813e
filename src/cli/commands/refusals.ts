import { numberOption, textOption, type Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { oneLine, table } from '../output.ts';

/** What was read and not stored. */
export const refusals: Command = {
  usage: 'refusals',
  help: 'What was read from events and not stored, with the reasons, newest first.',
  options: {
    limit: { type: 'string', short: 'n', value: 'number', help: 'default 20' },
    cursor: { type: 'string', value: 'cursor', help: 'of the page before, from --json' },
  },
  examples: ['varve refusals', 'varve refusals --session chat-1', 'varve refusals --json -n 100'],
  async run(input) {
    await withMemory(input, {}, async (varve) => {
      const page = await varve
        .for(scopeOf(input))
        .refusals.list({ limit: numberOption(input, 'limit') ?? 20, cursor: textOption(input, 'cursor') });
      await input.output.answer(page, () =>
        table(
          page.items.map(({ id, at, what, reason, text }) => [
            input.output.style('dim', id),
            at.toISOString().slice(0, 16),
            what,
            reason,
            oneLine(text ?? '', 100),
          ]),
        ),
      );
      if (page.items.length === 0) input.output.note('Nothing was refused within this scope.');
    });
  },
};
