import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { textOption, type Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { writeWhole } from '../write-whole.ts';
import { ownerKey } from '../../record/scope.ts';

/** Writes everything of a scope. */
export const exportCommand: Command = {
  usage: 'export [--output file]',
  help: 'Writes everything within the scope as NDJSON, one record a line, to a file or to standard output. `varve import` takes it in again. --user "" for the whole tenant.',
  options: { output: { type: 'string', short: 'o', value: 'file', help: 'default: standard output' } },
  examples: ['varve export -o memory.ndjson', 'varve export --user "" | gzip > tenant.ndjson.gz'],
  async run(input) {
    const file = textOption(input, 'output');
    await withMemory(input, {}, async (varve) => {
      const scope = varve.for(scopeOf(input)).scope;
      const progress = input.output.progress('exporting');
      let count = 0;
      async function* lines(): AsyncGenerator<string> {
        for await (const line of varve.operator.export(scope)) {
          yield `${JSON.stringify(line)}\n`;
          progress.to((count += 1));
        }
      }
      try {
        if (file === undefined) await pipeline(Readable.from(lines()), process.stdout, { end: false });
        else await writeWhole(file, lines());
      } finally {
        progress.end();
      }
      await varve.operator.acts.record({ tenant: scope.tenant, actor: 'cli', act: 'export', subject: ownerKey(scope) });
      if (file !== undefined)
        await input.output.answer({ lines: count, file }, () => `${count.toLocaleString('en')} lines in ${file}`);
    });
  },
};
