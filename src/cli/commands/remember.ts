import type { FactCategory } from '../../record/memory.ts';
import { type Command, listOption, numberOption, readWords, textOption } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';

/** Stores a memory or a fact. */
export const remember: Command = {
  usage: 'remember <text> [--type fact] [--key home_city]',
  help: 'Stores one statement. With --key it is a permanent fact: one value for each key, and another value replaces it.',
  options: {
    type: {
      type: 'string',
      short: 't',
      value: 'type',
      help: 'fact, preference, goal, decision, note, … (default fact)',
    },
    key: { type: 'string', value: 'snake_case', help: 'a permanent fact under this key' },
    category: {
      type: 'string',
      value: 'name',
      help: 'of a permanent fact: location, personal, preference, work, health, general',
    },
    title: { type: 'string', value: 'text', help: 'of a note' },
    tag: { type: 'string', multiple: true, value: 'tag', help: 'can be given more than once' },
    importance: { type: 'string', value: '0–1', help: 'how much it matters' },
  },
  examples: [
    'varve remember "I live in Oslo"',
    'varve remember Oslo --key home_city --category location',
    'varve remember - --type note --title "Trip" < trip.txt',
  ],
  async run(input) {
    const content = await readWords(input);
    const key = textOption(input, 'key');
    await withMemory(input, {}, async (varve) => {
      const handle = varve.for(scopeOf(input));
      const written =
        key === undefined
          ? await handle.memories.create({
              type: textOption(input, 'type') ?? 'fact',
              content,
              title: textOption(input, 'title'),
              tags: listOption(input, 'tag'),
              importance: numberOption(input, 'importance'),
            })
          : await handle.facts.set({
              key,
              value: content,
              category: textOption(input, 'category') as FactCategory | undefined,
            });
      await input.output.answer(written, () => `${written.memory.id}  ${written.outcome}`);
    });
  },
};
