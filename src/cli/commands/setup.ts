import { UsageError, type Command, type CommandInput } from '../command.ts';
import { serverCommand } from '../setup/server-command.ts';
import { type Client, CLIENTS, thisMachine } from '../setup/clients.ts';
import { applyEdit, editText, planEdits, type ConfigEdit } from '../setup/edit-config.ts';

/** Writes the configuration of an editor or a chat client. */
export const setup: Command = {
  usage: `setup <${Object.keys(CLIENTS).join('|')}> [--dry-run] [--remove]`,
  help: 'Gives an editor or a chat client this memory: adds Varve’s MCP server to its configuration, and to Claude Code also hooks that log the conversation and give context at the start of a session. Comments and other servers in the file stay, and the file as it was is kept beside it.',
  options: {
    'dry-run': { type: 'boolean', help: 'print what would be changed, change nothing' },
    remove: { type: 'boolean', help: 'take Varve out of the configuration again' },
    tools: { type: 'string', value: 'set', help: 'everyday (default) or all: which tools the client offers' },
  },
  examples: ['varve setup claude-code --dry-run', 'varve setup cursor --user ana', 'varve setup zed --remove'],
  async run(input) {
    const [name, ...more] = input.words;
    const client = name === undefined ? undefined : clientOf(name);
    if (client === undefined || more.length > 0)
      throw new UsageError(`Name one client: ${Object.keys(CLIENTS).join(', ')}.`);
    const entries = client.entries(thisMachine(), {
      server: serverCommand(input, ['mcp']),
      hook: serverCommand(input, ['hook']),
    });
    const edits = planEdits(entries, { remove: input.options['remove'] === true });
    const isDry = input.options['dry-run'] === true;
    const backups = isDry ? [] : edits.map(applyEdit);
    const files = edits.map(({ file }, index) => ({ file, backup: backups[index] ?? null }));
    await input.output.answer({ client: name, dryRun: isDry, files }, () =>
      [...saidOf(edits, { isDry, backups }), isDry || edits.length === 0 ? '' : nextOf(input, client)]
        .join('\n')
        .trimEnd(),
    );
  },
};

/** Spelled as people do: "Claude Code", "vscode". */
function clientOf(name: string): Client | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  return Object.entries(CLIENTS).find(([known]) => plain(known) === plain(name))?.[1];
}

function saidOf(
  edits: readonly ConfigEdit[],
  { isDry, backups }: { isDry: boolean; backups: readonly (string | null)[] },
): string[] {
  if (edits.length === 0) return ['Nothing has to be changed.'];
  return edits.flatMap((edit, index) => {
    const backup = backups[index] ?? null;
    const kept = backup === null ? '' : ` (as it was: ${backup})`;
    const what = edit.before === null ? 'make' : 'change';
    return [
      `${isDry ? `Would ${what}` : edit.before === null ? 'Made' : 'Changed'} ${edit.file}${kept}`,
      editText(edit),
      '',
    ];
  });
}

function nextOf({ options }: CommandInput, { title, next }: Client): string {
  return options['remove'] === true ? `${title} has no memory any more. What was remembered is kept.` : next;
}
