import { BLOCK_KINDS, type BlockKindName } from '../../record/block.ts';
import { type Command, EXIT, oneWord, textOption } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';

/** Shows one record. */
export const show: Command = {
  usage: `show <id> | show <${Object.keys(BLOCK_KINDS).join(' | ')}>`,
  help: 'Shows a memory, an event or an entity by its id, or a block by its kind; as of a time with --as-of.',
  options: { 'as-of': { type: 'string', value: 'time', help: 'as it was then, such as 2026-11-01' } },
  examples: ['varve show mem_01k…', 'varve show profile', 'varve show working_memory --as-of 2026-11-01'],
  async run(input) {
    const id = oneWord(input, 'id or kind of block');
    const time = textOption(input, 'as-of');
    return withMemory(input, {}, async (varve) => {
      const handle = varve.for(scopeOf(input));
      const from = time === undefined ? handle : handle.asOf(time);
      const record = Object.hasOwn(BLOCK_KINDS, id)
        ? await from.blocks.read(id as BlockKindName)
        : id.startsWith('evt_')
          ? await from.events.get(id)
          : id.startsWith('ent_')
            ? await handle.entities.get(id)
            : await from.memories.get(id);
      if (record === null) {
        input.output.note(`There is no ${id} within this scope.`);
        return EXIT.nothing;
      }
      await input.output.answer(record, () => JSON.stringify(record, null, 2));
      return EXIT.ok;
    });
  },
};
