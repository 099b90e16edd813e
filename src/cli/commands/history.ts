import { BLOCK_KINDS, type BlockKindName } from '../../record/block.ts';
import { type Command, EXIT, oneWord } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { oneLine, table } from '../output.ts';

/** How a record came to be what it is. */
export const history: Command = {
  usage: 'history <id of a memory> | history <kind of block>',
  help: 'All changes of a memory or a block, oldest first: when, by whom, why, and what it was before.',
  examples: ['varve history mem_01k…', 'varve history profile --json'],
  async run(input) {
    const id = oneWord(input, 'memory or kind of block');
    return withMemory(input, {}, async (varve) => {
      const handle = varve.for(scopeOf(input));
      const items = Object.hasOwn(BLOCK_KINDS, id)
        ? await handle.blocks.history(id as BlockKindName)
        : await handle.memories.history(id);
      await input.output.answer({ items }, () =>
        table(
          items.map(({ version, at, actor, reason, before }) => [
            `v${version}`,
            at.toISOString().slice(0, 19),
            actor,
            reason,
            before === null ? '' : `was: ${oneLine(String(before['content'] ?? ''), 60)}`,
          ]),
        ),
      );
      if (items.length > 0) return EXIT.ok;
      input.output.note(`There is no ${id} within this scope.`);
      return EXIT.nothing;
    });
  },
};
