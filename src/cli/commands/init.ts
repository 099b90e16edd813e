import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { calledAs, type Command } from '../command.ts';
import { placeOf, withMemory } from '../open-memory.ts';
import { trust } from '../trust.ts';

/** Makes the folder and the store, and a first key. */
export const init: Command = {
  usage: 'init [--here]',
  help: 'Makes a place for memory: ~/.varve for the person, or with --here ./.varve for this project, which is then taken by every command that runs in this folder.',
  options: { here: { type: 'boolean', help: 'in this folder' } },
  examples: ['varve init', 'varve init --here', 'varve init --database postgres://localhost/varve'],
  async run(input) {
    const chosen =
      input.options['here'] === true ? { ...input, options: { ...input.options, data: resolve('.varve') } } : input;
    const place = placeOf(chosen);
    const isMade = !existsSync(place.folder);
    const isNew = place.isPostgres || !existsSync(place.store);
    await withMemory(chosen, {}, async () => {});
    // A folder that was made just now is nobody else's.
    if (!place.isPostgres && isMade) trust(place.folder);
    const where = place.isPostgres ? 'PostgreSQL' : place.store;
    await input.output.answer({ store: where, created: isNew }, () =>
      [
        isNew ? `Memory is kept in ${where}.` : `There is memory in ${where} already.`,
        '',
        'What to try next:',
        `  ${calledAs()} remember "I live in Oslo"`,
        `  ${calledAs()} recall "where do I live?"`,
        `  ${calledAs()} setup claude-code       for your editor or chat client`,
        `  ${calledAs()} serve                   for programs`,
      ].join('\n'),
    );
  },
};
