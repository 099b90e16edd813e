import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { openMemory, placeOf } from '../open-memory.ts';

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
    const isNew = place.isPostgres || !existsSync(place.store);
    const varve = await openMemory(chosen);
    await varve.close();
    const where = place.isPostgres ? 'PostgreSQL' : place.store;
    await input.output.answer({ store: where, created: isNew }, () =>
      [
        isNew ? `Memory is kept in ${where}.` : `There is memory in ${where} already.`,
        '',
        'What to try next:',
        '  varve remember "I live in Oslo"',
        '  varve recall "where do I live?"',
        '  varve mcp --print-config      for your editor or chat client',
        '  varve serve                   for programs',
      ].join('\n'),
    );
  },
};
