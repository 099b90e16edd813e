import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { messageOf } from '../../errors.ts';
import { type Imported, isObject, textOf, timeOf } from '../../import/import-source.ts';
import { parseJson } from '../../record/json.ts';
import { type ChatMessage, chatText } from '../../record/chat-message.ts';
import type { Varve } from '../../varve.ts';
import { type Command, type CommandInput, flag, textOption, UsageError, valued, version } from '../command.ts';
import { openMemory, scopeOf } from '../open-memory.ts';
import { type Client, CLIENTS, thisMachine } from '../setup/clients.ts';
import { applyEdit, type ConfigEdit, editText, planEdits } from '../setup/edit-config.ts';
import { serverCommand } from '../setup/server-command.ts';

export const setup: Command = {
  usage: `setup <${Object.keys(CLIENTS).join('|')}> [--dry-run] [--remove]`,
  help: 'Adds Varve’s MCP server to the configuration of an editor or a chat client. Claude Code also gets hooks that log the conversation and add context at the start of a session. Comments and other servers in the file stay, and a backup of the file is kept beside it.',
  options: {
    'dry-run': flag('print what would be changed, change nothing'),
    remove: flag('remove Varve from the configuration'),
    tools: valued('set', 'everyday (default) or all: which tools the client offers'),
  },
  examples: ['varve setup claude-code --dry-run', 'varve setup cursor --user ana', 'varve setup zed --remove'],
  async run(input) {
    const [name, ...more] = input.words;
    const client = name === undefined ? undefined : clientOf(name);
    if (client === undefined || more.length > 0)
      throw new UsageError(`The client is missing or unknown. Give one of: ${Object.keys(CLIENTS).join(', ')}.`);
    const entries = client.entries(thisMachine(), {
      server: serverCommand(input, ['mcp']),
      hook: serverCommand(input, ['hook']),
    });
    const edits = planEdits(entries, { remove: input.options['remove'] === true });
    const isDry = input.options['dry-run'] === true;
    const done = edits.map((edit) => ({ ...edit, backup: isDry ? null : applyEdit(edit) }));
    const files = done.map(({ file, backup }) => ({ file, backup }));
    await input.output.answer({ client: name, dryRun: isDry, files }, () => {
      if (done.length === 0) return 'Nothing has to be changed.';
      return [...done.map((edit) => saidOf(edit, isDry)), isDry ? '' : nextOf(input, client)].join('\n').trimEnd();
    });
  },
};

function clientOf(name: string): Client | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
  return Object.entries(CLIENTS).find(([known]) => plain(known) === plain(name))?.[1];
}

function saidOf({ backup, ...edit }: ConfigEdit & { backup: string | null }, isDry: boolean): string {
  const kept = backup === null ? '' : ` (backup: ${backup})`;
  const [would, did] = edit.before === null ? ['create', 'Created'] : ['change', 'Changed'];
  return `${isDry ? `Would ${would}` : did} ${edit.file}${kept}\n${editText(edit)}\n`;
}

function nextOf({ options }: CommandInput, { title, next }: Client): string {
  return options['remove'] === true ? `${title} no longer uses Varve. Its memories are kept.` : next;
}

export const mcp: Command = {
  usage: 'mcp [--read-only] [--tools set] | mcp --print-config',
  help: 'Serves MCP on standard input and output: the agent’s tools, memories and blocks as resources, prompts for recall and remember. Editors and chat clients start it themselves; `varve setup` writes their settings, and --print-config prints them.',
  options: {
    'print-config': flag('print the settings of common clients'),
    'read-only': flag('offer only tools that change nothing'),
    tools: valued('names', 'everyday (default), all, or the names of tools, separated by commas'),
  },
  examples: ['varve mcp --print-config', 'varve mcp --user ana', 'varve mcp --read-only'],
  async run(input) {
    if (input.options['print-config'] === true) {
      const { clientConfigs, configText } = await import('../setup/server-command.ts');
      const configs = clientConfigs(input);
      await input.output.answer(configs, () => configText(configs));
      return;
    }
    const [{ mcpOverStdio }, { toolsNamed }] = await Promise.all([
      import('../../mcp/transports.ts'),
      import('../../tools/agent-tools.ts'),
    ]);
    const tools = toolsNamed(textOption(input, 'tools'));
    const varve = await openMemory(input, { embeds: 'all', background: true });
    await mcpOverStdio(varve, {
      scope: scopeOf(input),
      version: version(),
      readOnly: input.options['read-only'] === true,
      tools,
    });
    await varve.close();
  },
};

export const hook: Command = {
  usage: 'hook',
  help: 'Handles a hook of Claude Code, which arrives as JSON on standard input. At the start of a session it prints the context; after each answer and at the end of the session it logs the new messages. It never fails a session: errors go to standard error.',
  options: { tokens: valued('number', 'the most tokens of context (default: 1500)') },
  examples: ['varve hook < hook.json'],
  async run(input) {
    try {
      await answerHook(input, parseJson(await readAll(process.stdin), 'The hook'));
    } catch (error) {
      // Claude Code shows any exit code except 0 to the user as an error.
      process.stderr.write(`varve: ${messageOf(error)}\n`);
    }
  },
};

const LONGEST_MESSAGE = 100_000;

async function answerHook(input: CommandInput, given: unknown): Promise<void> {
  const event = isObject(given) ? given : {};
  const session = textOf(event, 'session_id');
  const isStart = textOf(event, 'hook_event_name') === 'SessionStart';
  // Without the embedding model: logging needs no vectors, and a context without a question needs no recall.
  const varve = await openMemory(input, { embeds: 'nothing', background: false });
  try {
    const scope = { ...scopeOf(input), session: `claude-code-${session ?? 'unknown'}`.slice(0, 200) };
    if (isStart) return await giveContext(varve, scope, Number(input.options['tokens'] ?? 1500));
    const messages = await spokenIn(textOf(event, 'transcript_path'));
    if (messages.length > 0) await varve.for(scope).observe({ messages });
    if (textOf(event, 'hook_event_name') === 'SessionEnd' && messages.length > 0)
      await varve.for(scope).session.close();
  } finally {
    await varve.close();
  }
}

async function giveContext(varve: Varve, scope: Parameters<Varve['for']>[0], budget: number): Promise<void> {
  const { system } = await varve.for(scope).context({ budget, history: false });
  if (system.trim() === '') return;
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: system };
  process.stdout.write(`${JSON.stringify({ hookSpecificOutput })}\n`);
}

/** Each message keeps its id, so that logging the transcript again changes nothing. */
async function spokenIn(transcript: string | undefined): Promise<ChatMessage[]> {
  if (transcript === undefined || !existsSync(transcript)) return [];
  const messages: ChatMessage[] = [];
  for await (const line of createInterface(createReadStream(transcript))) {
    const message = messageIn(line);
    if (message !== null) messages.push(message);
  }
  return messages;
}

function messageIn(line: string): ChatMessage | null {
  const entry: unknown = line.startsWith('{') ? parseJson(line, 'A line of the transcript') : null;
  if (!isObject(entry) || entry['isMeta'] === true || entry['isSidechain'] === true) return null;
  const role = textOf(entry, 'type') ?? '';
  const message = isObject(entry['message']) ? entry['message'] : {};
  if (role !== 'user' && role !== 'assistant') return null;
  const content = chatText(textParts(message['content'])).slice(0, LONGEST_MESSAGE).toWellFormed();
  if (content === '' || isOfProgram(content)) return null;
  const id = textOf(entry, 'uuid');
  return {
    role,
    content,
    id: id === undefined ? undefined : `claude-code:${id}`,
    timestamp: timeOf(entry, 'timestamp'),
  };
}

/** Only text parts, because the user did not see tool results or Claude's thinking. */
function textParts(content: unknown): ChatMessage['content'] {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : null;
  return (content as unknown[]).filter((part): part is Imported => isObject(part) && part['type'] === 'text');
}

// Claude Code adds such texts to the user's messages: a command, its output or a reminder.
function isOfProgram(content: string): boolean {
  return /^<(?:command-|local-command-|system-reminder|bash-|user-memory-input)|^Caveat: The messages below|^\[Request interrupted/.test(
    content,
  );
}
