import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ownerKey } from '../../record/scope.ts';
import { EXPORT_FORMATS, type ExportFormat, writeExport } from '../../import/write-export.ts';
import type { RecordLine } from '../../operate/record-line.ts';
import { type Command, textOption, UsageError } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';

/** Writes everything of a scope. */
export const exportCommand: Command = {
  usage: 'export [--output file] [--format name]',
  help: 'Writes everything within the scope as NDJSON, one record a line, to a file or to standard output. `varve import` takes it in again. --user "" for the whole tenant. --format mem0 and --format markdown write the memories that hold now, for other programs and for people.',
  options: {
    output: { type: 'string', short: 'o', value: 'file', help: 'default: standard output' },
    format: { type: 'string', value: 'name', help: `${EXPORT_FORMATS.join(', ')} (default: varve)` },
  },
  examples: [
    'varve export -o memory.ndjson',
    'varve export --format markdown -o memory.md',
    'varve export --user "" | gzip > tenant.ndjson.gz',
  ],
  async run(input) {
    const file = textOption(input, 'output');
    const format = textOption(input, 'format') ?? 'varve';
    if (!isExportFormat(format)) throw new UsageError(`There is no format ${format}: ${EXPORT_FORMATS.join(', ')}.`);
    await withMemory(input, {}, async (varve) => {
      const scope = varve.for(scopeOf(input)).scope;
      const progress = input.output.progress('exporting');
      let count = 0;
      async function* records(): AsyncGenerator<RecordLine> {
        for await (const line of varve.operator.export(scope)) {
          progress.to((count += 1));
          yield line;
        }
      }
      const text = writeExport(records(), format);
      try {
        if (file === undefined) await pipeline(Readable.from(text), process.stdout, { end: false });
        else await writeWhole(file, text);
      } finally {
        progress.end();
      }
      await varve.operator.acts.record({ tenant: scope.tenant, actor: 'cli', act: 'export', subject: ownerKey(scope) });
      if (file !== undefined)
        await input.output.answer(
          { lines: count, file, format },
          () => `${count.toLocaleString('en')} records in ${file}`,
        );
    });
  },
};

function isExportFormat(name: string): name is ExportFormat {
  return EXPORT_FORMATS.some((format) => format === name);
}

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
