import { listOption, numberOption, textOption, UsageError, type Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { oneLine, table } from '../output.ts';
import type { Memory } from '../../record/memory.ts';
import type { MemoryFilter } from '../../store/read-memories.ts';

const KINDS = ['memories', 'facts', 'notes', 'saved-items', 'events', 'entities'] as const;

/** Lists records. */
export const list: Command = {
  usage: `list [${KINDS.join(' | ')}]`,
  help: 'Lists memories (default) or other records, newest first.',
  options: {
    limit: { type: 'string', short: 'n', value: 'number', help: 'default 20' },
    type: { type: 'string', multiple: true, value: 'type', help: 'of memories' },
    tag: { type: 'string', multiple: true, value: 'tag', help: 'has all of these' },
    subject: { type: 'string', multiple: true, value: 'subject', help: 'whom or what memories are about' },
    attribute: { type: 'string', multiple: true, value: 'name', help: 'such as home_city' },
    archived: { type: 'boolean', help: 'only those out of recall' },
    all: { type: 'boolean', help: 'of all users and agents within the scope' },
  },
  examples: [
    'varve list',
    'varve list facts',
    'varve list --attribute home_city --archived',
    'varve list --type preference --json',
    'varve list --user "" --all',
  ],
  async run(input) {
    const [kind = 'memories'] = input.words;
    if (!KINDS.includes(kind as (typeof KINDS)[number]))
      throw new UsageError(`There is no list of ${kind}: ${KINDS.join(', ')}.`);
    const limit = numberOption(input, 'limit') ?? 20;
    const filter: MemoryFilter = {
      limit,
      types: listOption(input, 'type'),
      tags: listOption(input, 'tag'),
      subjects: listOption(input, 'subject'),
      attributes: listOption(input, 'attribute'),
      archived: input.options['archived'] === true ? 'only' : undefined,
      reach: input.options['all'] === true ? 'within' : undefined,
    };
    await withMemory(input, {}, async (varve) => {
      const handle = varve.for(scopeOf(input));
      const { style } = input.output;
      const noteIfNone = (count: number): void => {
        if (count === 0) input.output.note(`There are no ${kind} within this scope.`);
      };
      const memoryRows = (
        items: readonly Pick<Memory, 'id' | 'type' | 'attribute' | 'importance' | 'content'>[],
      ): string =>
        table(
          items.map(({ id, type, attribute, importance, content }) => [
            style('dim', id),
            type,
            attribute ?? '',
            importance.toFixed(2),
            oneLine(content, 120),
          ]),
        );
      if (kind === 'events') {
        const page = await handle.events.list({ limit, session: textOption(input, 'session') });
        await input.output.answer(page, () =>
          table(
            page.items.map(({ id, origin, occurredAt, content }) => [
              style('dim', id),
              occurredAt.toISOString().slice(0, 16),
              origin,
              oneLine(content, 110),
            ]),
          ),
        );
        noteIfNone(page.items.length);
      } else if (kind === 'entities') {
        const items = await handle.entities.list({ limit });
        await input.output.answer({ items }, () =>
          table(items.map(({ id, type, name }) => [style('dim', id), type, name])),
        );
        noteIfNone(items.length);
      } else if (kind === 'facts') {
        const items = await handle.facts.list();
        await input.output.answer({ items }, () =>
          table(items.map(({ category, key, value }) => [category ?? '', key, oneLine(value ?? '', 120)])),
        );
        noteIfNone(items.length);
      } else {
        const types = kind === 'notes' ? ['note'] : kind === 'saved-items' ? ['saved_item'] : filter.types;
        const page = await handle.memories.list({ ...filter, types });
        await input.output.answer(page, () => memoryRows(page.items));
        noteIfNone(page.items.length);
      }
    });
  },
};
