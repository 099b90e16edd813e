import { counted, importSource } from '../../import/import-source.ts';
import {
  IMPORT_FORMATS,
  type ImportFormat,
  type ImportGroup,
  type LeftFile,
  planImport,
  readImport,
} from '../../import/read-import.ts';
import type { ImportReport } from '../../operate/import-records.ts';
import { ownerKey } from '../../record/scope.ts';
import { type Command, EXIT, oneWord, textOption, UsageError } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';

/** Takes in memories from elsewhere. */
export const importCommand: Command = {
  usage: 'import <file or folder> [--format name] [--dry-run]',
  help: `Takes in Varve’s own export, mem0 (API and OSS dumps), Zep and Graphiti, Letta (agent files and passages), Supermemory, a LangGraph store, the exports of ChatGPT and Claude, notes in Markdown (CLAUDE.md, folders, Obsidian vaults), JSONL transcripts, or Eden’s older layout. A folder may have files of several formats; what is not read is listed. Doing it again changes nothing. --user, --agent and --session replace what the file says; without them the file’s own stand, and what names nobody goes to the user.`,
  options: {
    format: { type: 'string', value: 'name', help: `${IMPORT_FORMATS.join(', ')} (default: told from the file)` },
    'dry-run': { type: 'boolean', help: 'say what would be done, do nothing' },
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
    if (named !== undefined && !IMPORT_FORMATS.includes(named as ImportFormat))
      throw new UsageError(`There is no format ${named}: ${IMPORT_FORMATS.join(', ')}.`);
    const plan =
      named === undefined ? await planImport(files) : { groups: [{ format: named as ImportFormat, files }], left: [] };
    const left = [...plan.left, ...others.map((file) => ({ file, problem: 'files of this kind are not read.' }))];
    const formats = plan.groups.map(({ format }) => format);
    const { tenant = 'default', user } = scopeOf(input);
    // Said on the command line it replaces; else it fills in for those that name nobody.
    const into = {
      tenant,
      agent: textOption(input, 'agent'),
      user: textOption(input, 'user') || undefined,
      session: textOption(input, 'session'),
    };
    return withMemory(input, {}, async (varve) => {
      const progress = input.output.progress('importing');
      let bytes = 0;
      const lines = linesOf(plan.groups, { user, onRead: (read) => (bytes += read) });
      const all = plan.groups.reduce((sum, group) => sum + bytesToRead(group), 0);
      const dryRun = input.options['dry-run'] === true;
      const report = await varve.operator
        .import(lines, { into, dryRun, onProgress: ({ read }) => progress.to(read, bytes / all) })
        .finally(() => progress.end());
      if (!report.dryRun)
        await varve.operator.acts.record({
          tenant,
          actor: 'cli',
          act: 'import',
          subject: ownerKey(varve.for(scopeOf(input)).scope),
          details: { format: formats.join(', ') },
        });
      await input.output.answer({ format: formats.join(', '), ...report, left }, () =>
        [reportText(formats.join(', '), report), ...leftText(left)].join('\n'),
      );
      return report.rejected > 0 && Object.keys(report.imported).length === 0 && Object.keys(report.known).length === 0
        ? EXIT.failed
        : EXIT.ok;
    });
  },
};

/** All records of all formats, one after the other. */
async function* linesOf(
  groups: readonly ImportGroup[],
  { user, onRead }: { user: string | null | undefined; onRead: (bytes: number) => void },
): AsyncGenerator<unknown> {
  for (const { format, files } of groups) {
    const records = readImport(counted(files, onRead), format);
    yield* format === 'varve' ? records : withUser(records, user);
  }
}

/** Eden's collections refer to each other: they are read twice. */
function bytesToRead({ format, files }: ImportGroup): number {
  return files.reduce((sum, { size }) => sum + size, 0) * (format === 'eden' ? 2 : 1);
}

const MOST_LEFT = 20;

function leftText(left: readonly LeftFile[]): string[] {
  if (left.length === 0) return [];
  const shown = left.slice(0, MOST_LEFT).map(({ file, problem }) => `  ${file}: ${problem}`);
  const more = left.length > MOST_LEFT ? [`  and ${left.length - MOST_LEFT} more`] : [];
  return [`Not read: ${left.length} ${left.length === 1 ? 'file' : 'files'}`, ...shown, ...more];
}

/** Records that belong to nobody in particular go to the user at hand; those of an agent stay the agent's. */
async function* withUser(lines: AsyncGenerator<unknown>, user: string | null | undefined): AsyncGenerator<unknown> {
  for await (const line of lines) {
    const place = (line as { scope?: { user?: string; agent?: string } }).scope;
    if (place !== undefined && place.user === undefined && place.agent === undefined) place.user = user ?? undefined;
    yield line;
  }
}

function reportText(format: string, { read, imported, known, rejected, problems, dryRun }: ImportReport): string {
  const kinds = [...new Set([...Object.keys(imported), ...Object.keys(known)])];
  return [
    `${dryRun ? 'Would import' : 'Imported'} from ${format}: ${read.toLocaleString('en')} records read, ${rejected} rejected`,
    table([
      ['', dryRun ? 'new' : 'imported', 'there already'],
      ...kinds.map((kind) => [`  ${kind}`, String(imported[kind] ?? 0), String(known[kind] ?? 0)]),
    ]),
    ...problems.slice(0, 10).map(({ line, problem }) => `  ${line}: ${problem}`),
  ].join('\n');
}
