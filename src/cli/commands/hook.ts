import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import type { Command, CommandInput } from '../command.ts';
import { openMemory, scopeOf } from '../open-memory.ts';
import { isObject, textOf, timeOf, type Foreign } from '../../import/fields.ts';
import { parseJson } from '../../operate/parse-json.ts';
import { chatText, type ChatMessage } from '../../record/chat-message.ts';
import type { Varve } from '../../varve.ts';

/** Answers the hooks of Claude Code, as `varve setup claude-code` installs them. */
export const hook: Command = {
  usage: 'hook',
  help: 'Answers a hook of Claude Code, which comes as JSON on standard input: at the start of a session it prints what is known, and after each answer and at the end it logs what was said since. It never fails a session: what goes wrong is said on standard error.',
  options: { tokens: { type: 'string', value: 'number', help: 'the most tokens of context (default: 1500)' } },
  examples: ['varve hook < hook.json'],
  async run(input) {
    try {
      await answerHook(input, parseJson(await readAll(process.stdin), 'The hook'));
    } catch (error) {
      // An exit code other than 0 would be shown in the session as an error of the user's.
      process.stderr.write(`varve: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  },
};

const LONGEST_MESSAGE = 100_000;

async function answerHook(input: CommandInput, given: unknown): Promise<void> {
  const event = isObject(given) ? given : {};
  const session = textOf(event, 'session_id');
  const isStart = textOf(event, 'hook_event_name') === 'SessionStart';
  // Words are enough to write down, and a context without a question looks nothing up: the model need not be loaded.
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

/** What the user and Claude have said in a transcript, each message under its own id, so that logging it again changes nothing. */
export async function spokenIn(transcript: string | undefined): Promise<ChatMessage[]> {
  if (transcript === undefined || !existsSync(transcript)) return [];
  const messages: ChatMessage[] = [];
  for await (const line of createInterface(createReadStream(transcript))) {
    const message = messageOf(line);
    if (message !== null) messages.push(message);
  }
  return messages;
}

function messageOf(line: string): ChatMessage | null {
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

/** Texts alone: what tools gave and what Claude thought is not said to the user. */
function textParts(content: unknown): ChatMessage['content'] {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : null;
  return (content as unknown[]).filter((part): part is Foreign => isObject(part) && part['type'] === 'text');
}

// Claude Code writes commands, their output and reminders of its own into the user's messages.
function isOfProgram(content: string): boolean {
  return /^<(?:command-|local-command-|system-reminder|bash-|user-memory-input)|^Caveat: The messages below|^\[Request interrupted/.test(
    content,
  );
}
