import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { counted, importSource, type LeftFile } from '../../import/import-source.ts';
import { FORMAT_TITLES } from '../../import/import-formats.ts';
import { IMPORT_FORMATS, importFormat, type ImportGroup, planImport } from '../../import/read-import.ts';
import { EXPORT_FORMATS, isWritten, writeExport } from '../../import/write-export.ts';
import type { Handle } from '../../handle/handle.ts';
import type { ImportReport } from '../../operate/import-records.ts';
import type { RecordLine } from '../../operate/record-line.ts';
import { ownerKey } from '../../record/scope.ts';
import type { Varve } from '../../varve.ts';
import { type Command, EXIT, flag, oneOf, oneWord, textOption, UsageError, valued } from '../command.ts';
import { scopeOf, withHandle } from '../open-memory.ts';
import { countTable, table } from '../output.ts';

export const erase: Command = {
  usage: 'erase --user <name> [--session <name>] [--yes]',
  help: 'Removes everything within the scope for good: events, memories, versions, blocks, vectors, queued work. Asks for the name again, unless --yes is given.',
  options: { yes: flag('do not ask') },
  examples: ['varve erase --user ana', 'varve erase --user ana --session today --yes'],
  async run(input) {
    const scope = scopeOf(input);
    const name = scope.session ?? scope.user ?? scope.agent ?? scope.tenant ?? '';
    if (input.options['yes'] !== true) {
      if (!process.stdin.isTTY)
        throw new UsageError(
          'Erasing asks for confirmation, and standard input is not a terminal. Give --yes to erase without being asked.',
        );
      if ((await asked(name)) !== name) {
        input.output.note('Nothing was erased.');
        return EXIT.failed;
      }
    }
    await withHandle(input, {}, async (handle, varve) => {
      const answer = await handle.erase({ actor: 'cli' });
      await recordAct(varve, handle, 'erase');
      const { certificate: _certificate, scope: _scope, remaining, ...erased } = answer;
      const left = { 'memories that remain': remaining.memories, 'events that remain': remaining.events };
      await input.output.answer(answer, () => countTable({ ...erased, ...left }));
    });
    return EXIT.ok;
  },
};

function recordAct({ operator }: Varve, { scope }: Handle, act: string, details?: { format: string }): Promise<void> {
  return operator.acts.record({ tenant: scope.tenant, actor: 'cli', act, subject: ownerKey(scope), details });
}

async function asked(name: string): Promise<string | null> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await asking.question(
      `All records of ${JSON.stringify(name)} will be erased for good. Type the name to confirm: `,
    );
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    process.stderr.write('\n');
    return null;
  } finally {
    asking.close();
  }
}

export const exportCommand: Command = {
  usage: 'export [--output file] [--format name]',
  help: 'Writes everything within the scope as NDJSON, one record a line, to a file or to standard output. `varve import` reads this file. --user "" exports the whole tenant. --format mem0 and --format markdown write the live memories, for other programs and for people.',
  options: {
    output: valued('file', 'default: standard output', { short: 'o' }),
    format: valued('name', `${EXPORT_FORMATS.join(', ')} (default: varve)`),
  },
  examples: [
    'varve export -o memory.ndjson',
    'varve export --format markdown -o memory.md',
    'varve export --user "" | gzip > tenant.ndjson.gz',
  ],
  async run(input) {
    const file = textOption(input, 'output');
    const format = oneOf('format', EXPORT_FORMATS, textOption(input, 'format') ?? 'varve');
    await withHandle(input, {}, async (handle, varve) => {
      const progress = input.output.progress('exporting');
      let count = 0;
      const records = async function* (): AsyncGenerator<RecordLine> {
        for await (const line of varve.operator.export(handle.scope)) {
          if (isWritten(line, format)) progress.to((count += 1));
          yield line;
        }
      };
      const text = writeExport(records(), format);
      try {
        if (file === undefined) await pipeline(Readable.from(text), process.stdout, { end: false });
        else await writeWhole(file, text);
      } finally {
        progress.end();
      }
      await recordAct(varve, handle, 'export');
      if (file !== undefined)
        await input.output.answer(
          { lines: count, file, format },
          () => `${count.toLocaleString('en')} records in ${file}`,
        );
    });
  },
};

/** Writes to a temporary file first, so that a failed export neither overwrites a complete one nor looks complete. */
export async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  // A rename cannot replace a device or a pipe.
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

export const importCommand: Command = {
  usage: 'import <file or folder> [--format name] [--dry-run]',
  help: `Imports ${FORMAT_TITLES.join(', ')}. A folder may have files of several formats; files that were not read are listed. Importing is idempotent. --user, --agent and --session override the scope of the records; without them the records keep their own scope, and a record without a user goes to the default user. A record that this store has already, in whatever scope, stays where it is.`,
  options: {
    format: valued('name', `${IMPORT_FORMATS.join(', ')} (default: detected from the file)`),
    'dry-run': flag('report what would be imported, and change nothing'),
  },
  examples: [
    'varve import memory.ndjson',
    'varve import conversations.json --user ana --dry-run',
    'varve import ~/notes --dry-run',
    'varve import ./eden-dump --format eden --json',
  ],
  async run(input) {
    const { files, others } = importSource(oneWord(input, 'file or folder'));
    const named = textOption(input, 'format');
    const plan =
      named === undefined
        ? await planImport(files)
        : { groups: [{ format: oneOf('format', IMPORT_FORMATS, named), files }], left: [] };
    const left = [...plan.left, ...others];
    const format = plan.groups.map((group) => group.format).join(', ');
    const { tenant, user } = scopeOf(input);
    // A scope on the command line replaces that of the records. The default scope applies only to records without a user.
    const into = {
      tenant,
      agent: textOption(input, 'agent'),
      user: textOption(input, 'user') || undefined,
      session: textOption(input, 'session'),
    };
    return withHandle(input, { creates: true }, async (handle, varve) => {
      const progress = input.output.progress('importing');
      let bytes = 0;
      const lines = linesOf(plan.groups, { user, onRead: (read) => (bytes += read) });
      const all = plan.groups.reduce((sum, group) => sum + bytesToRead(group), 0);
      const dryRun = input.options['dry-run'] === true;
      const report = await varve.operator
        .import(lines, { into, dryRun, onProgress: ({ read }) => progress.to(read, bytes / all) })
        .finally(() => progress.end());
      if (!report.dryRun) await recordAct(varve, handle, 'import', { format });
      await input.output.answer({ format, ...report, left }, () =>
        [reportText(format, report), ...leftText(left)].join('\n'),
      );
      const isNew = Object.keys(report.imported).some((kind) => kind !== 'entity');
      if (into.user !== undefined && !isNew && Object.keys(report.known).length > 0)
        input.output.note(
          'These records are in this store already and stay in their own scope. To copy them, import them into another store.',
        );
      const isNothingRead = Object.keys({ ...report.imported, ...report.known }).length === 0;
      return report.rejected > 0 && isNothingRead ? EXIT.failed : EXIT.ok;
    });
  },
};

async function* linesOf(
  groups: readonly ImportGroup[],
  { user, onRead }: { user: string | null | undefined; onRead: (bytes: number) => void },
): AsyncGenerator<unknown> {
  for (const { format, files } of groups) {
    const { read, isScoped } = importFormat(format);
    const records = read(counted(files, onRead));
    yield* isScoped === true ? records : withUser(records, user);
  }
}

function bytesToRead({ format, files }: ImportGroup): number {
  return files.reduce((sum, { size }) => sum + size, 0) * (importFormat(format).passes ?? 1);
}

const MOST_LEFT = 20;

function leftText(left: readonly LeftFile[]): string[] {
  if (left.length === 0) return [];
  const shown = left.slice(0, MOST_LEFT).map(({ file, problem }) => `  ${file}: ${problem}`);
  const more = left.length > MOST_LEFT ? [`  and ${left.length - MOST_LEFT} more`] : [];
  return [`Not read: ${left.length} ${left.length === 1 ? 'file' : 'files'}`, ...shown, ...more];
}

/** Assigns records without a user to the command's user. An agent's records stay with the agent. */
async function* withUser(lines: AsyncGenerator<unknown>, user: string | null | undefined): AsyncGenerator<unknown> {
  for await (const line of lines) {
    const place = (line as { scope?: { user?: string; agent?: string } }).scope;
    if (place !== undefined && place.user === undefined && place.agent === undefined) place.user = user ?? undefined;
    yield line;
  }
}

function reportText(
  format: string,
  { read, imported, known, rejected, problems, forming, dryRun }: ImportReport,
): string {
  const kinds = [...new Set([...Object.keys(imported), ...Object.keys(known)])];
  return [
    `${dryRun ? 'Would import' : 'Imported'} from ${format}: ${read.toLocaleString('en')} records read, ${rejected} rejected`,
    table([
      ['', dryRun ? 'new' : 'imported', 'already stored'],
      ...kinds.map((kind) => [`  ${kind}`, String(imported[kind] ?? 0), String(known[kind] ?? 0)]),
    ]),
    ...problems.slice(0, 10).map(({ line, problem }) => `  record ${line}: ${problem}`),
    ...(forming === 0 || dryRun ? [] : [formingText(forming)]),
  ].join('\n');
}

function formingText(forming: number): string {
  const conversations = forming === 1 ? '1 conversation waits' : `${forming.toLocaleString('en')} conversations wait`;
  return `${conversations} to be formed into memories: a running server does it now, and \`varve consolidate\` does it without one.`;
}
