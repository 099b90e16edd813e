import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ownerKey } from '../../record/scope.ts';
import { type Command, textOption } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';

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

/** Writes a file under another name first: half an export must not stand where a whole one stood, or look like one. */
export async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  // A device or a pipe is written to as it is.
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  const part = isFile ? `${file}.part` : file;
  try {
    await pipeline(Readable.from(lines), createWriteStream(part, { mode: 0o600 }));
    if (isFile) renameSync(part, file);
  } catch (error) {
    if (isFile) rmSync(part, { force: true });
    throw error;
  }
}
