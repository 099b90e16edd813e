import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import { textOption, type Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
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
      const out = file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600 });
      let count = 0;
      for await (const line of varve.operator.export(scope)) {
        if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain');
        progress.to((count += 1));
      }
      if (file !== undefined) await finished(out.end());
      progress.end();
      await varve.operator.acts.record({ tenant: scope.tenant, actor: 'cli', act: 'export', subject: ownerKey(scope) });
      if (file !== undefined)
        await input.output.answer({ lines: count, file }, () => `${count.toLocaleString('en')} lines in ${file}`);
    });
  },
};
