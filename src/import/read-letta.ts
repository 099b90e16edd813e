import type { EventLine, MemoryLine, RecordLine } from '../operate/record-line.ts';
import { chatText, ROLE_ORIGINS } from '../record/chat-message.ts';
import { eventLine, fileTitle, type Imported, isObject, memoryLine, objectInText } from './import-source.ts';
import { objectOf, objectsOf, scopePart, type SourceFile, textOf, textsOf, timeOf } from './import-source.ts';
import { type Element, elementsOf } from './json-elements.ts';

/** Reads `.af` files (both versions) and archival passages. The block `human` is about the user; other blocks become notes of the agent. */
export async function* readLetta(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for (const file of files) for await (const element of elementsOf(file)) yield* linesOf(element, fileTitle(file.name));
}

export function isLetta({ list, value, fields }: Element): boolean {
  if (!isObject(value)) return false;
  const isPassage =
    'text' in value &&
    !('role' in value) &&
    ('archive_id' in value || 'agent_id' in value || 'embedding_config' in value);
  const isBlock = 'label' in value && 'value' in value;
  return isPassage || isBlock || list === 'core_memory' || 'agent_type' in value || 'agent_type' in fields;
}

function* linesOf({ list, value, fields }: Element, file: string): Generator<RecordLine | string> {
  if (!isObject(value)) return;
  const agent = scopePart(textOf(fields, 'name')) ?? file;
  if ('label' in value && 'value' in value) yield* blockLines(value, agent);
  else if (list === 'messages') yield* messageLine(value, agent);
  else if (list === 'agents') yield* agentLines(value);
  else if (list === null || list === 'passages') yield* passageLines(value);
  // An agent's tools, files and settings are no memories.
}

function* agentLines(agent: Imported): Generator<RecordLine | string> {
  const name = scopePart(textOf(agent, 'name')) ?? 'letta';
  for (const field of ['core_memory', 'memory_blocks']) {
    for (const block of objectsOf(agent, field)) yield* blockLines(block, name);
  }
  for (const message of objectsOf(agent, 'messages')) yield* messageLine(message, name);
}

function blockLines(block: Imported, agent: string): MemoryLine[] {
  const label = textOf(block, 'label') ?? 'memory';
  const text = textOf(block, 'value') ?? '';
  const isAboutUser = /^(?:human|user)/i.test(label);
  const statements = isAboutUser ? text.split(/\n+/).map((line) => line.replace(/^\s*[-*•]\s+/, '').trim()) : [text];
  const about = isAboutUser
    ? { scope: {}, type: 'fact' }
    : { scope: { agent }, type: 'note', title: `Letta block ${label}`, level: 'agent' as const };
  const createdAt = timeOf(block, 'updated_at', 'created_at');
  return statements
    .filter((statement) => /\p{L}/u.test(statement))
    .map((content) =>
      memoryLine(['letta', agent, label, content], { ...about, content, metadata: { letta: label }, createdAt }),
    );
}

function messageLine(message: Imported, agent: string): EventLine[] {
  const origin = ROLE_ORIGINS[textOf(message, 'role') ?? ''];
  const content = origin === 'agent' ? replyOf(message) : origin === 'user' ? saidIn(contentOf(message)) : '';
  if (origin === undefined || content === '') return [];
  const id = textOf(message, 'id') ?? JSON.stringify([textOf(message, 'created_at') ?? null, content]);
  const scope = { session: `letta-${agent}`.slice(0, 200) };
  const occurredAt = timeOf(message, 'created_at', 'date');
  return [eventLine(['letta', agent, id], { scope, origin, content, channel: 'letta', occurredAt })];
}

function contentOf(message: Imported): string {
  const { content, text } = message;
  return chatText((content ?? text) as string | unknown[] | null);
}

/** Letta wraps the user's messages in JSON. Its own login and heartbeat messages have the same format and are skipped. */
function saidIn(content: string): string {
  const wrapped = objectInText(content);
  if (wrapped === undefined || !('type' in wrapped)) return content;
  return textOf(wrapped, 'type') === 'user_message' ? (textOf(wrapped, 'message') ?? '') : '';
}

/** In the older version, the agent answers by calling `send_message`, and the text of its message is only its thinking. */
function replyOf(message: Imported): string {
  const sent = objectsOf(message, 'tool_calls').map((call) => objectOf(call, 'function'));
  if (sent.length === 0) return contentOf(message);
  const reply = sent.find((called) => textOf(called, 'name') === 'send_message');
  const given = objectInText(textOf(reply ?? {}, 'arguments') ?? '');
  return textOf(given ?? {}, 'message') ?? '';
}

function* passageLines(passage: Imported): Generator<MemoryLine | string> {
  const text = textOf(passage, 'text', 'content');
  if (text === undefined) {
    yield 'not a passage of Letta: it has no text';
    return;
  }
  const id = textOf(passage, 'id');
  yield memoryLine(['letta', id ?? text], {
    scope: {},
    type: 'fact',
    content: text,
    tags: textsOf(passage, 'tags').slice(0, 50),
    metadata: { letta: id ?? null },
    createdAt: timeOf(passage, 'created_at', 'updated_at'),
  });
}
