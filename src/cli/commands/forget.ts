import { type Command, EXIT, oneWord } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';

/** Takes something out of recall. */
export const forget: Command = {
  usage: 'forget <id of a memory> | forget <key of a fact>',
  help: 'Takes a memory or a permanent fact out of recall. It is kept and can be seen with --as-of; `erase` removes for good.',
  examples: ['varve forget mem_01k…', 'varve forget home_city'],
  async run(input) {
    const what = oneWord(input, 'memory or fact');
    return withMemory(input, {}, async (varve) => {
      const handle = varve.for(scopeOf(input));
      const why = { reason: 'forgotten on request', actor: 'user' };
      const forgotten = what.startsWith('mem_')
        ? (await handle.memories.archive(what, 'forgotten', why)).archivedAt !== null
        : await handle.facts.forget(what, why);
      await input.output.answer({ forgotten }, () => (forgotten ? `Forgot ${what}.` : `There is no fact ${what}.`));
      return forgotten ? EXIT.ok : EXIT.nothing;
    });
  },
};
