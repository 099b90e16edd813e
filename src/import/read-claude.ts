import type { EventLine, MemoryLine, RecordLine } from '../operate/record-line.ts';
import { chatText, ROLE_ORIGINS } from '../record/chat-message.ts';
import { eventLine, type Imported, isObject, objectOf, objectsOf } from './import-source.ts';
import { type SourceFile, textOf, timeOf } from './import-source.ts';
import { elementsIn } from './json-elements.ts';
import { noteLines } from './read-markdown.ts';

/** Reads `conversations.json`, `memories.json` (Claude's memory of the user and of each project) and `projects.json`. */
export async function* readClaude(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for await (const { value } of elementsIn(files)) {
    if (!isObject(value)) yield 'not a record of a Claude export: not an object';
    else if (Array.isArray(value['chat_messages'])) yield* turnsOf(value);
    else if (isMemories(value)) yield* memoriesOf(value);
    else if (Array.isArray(value['docs'])) yield* projectOf(value);
    else yield 'not a record of a Claude export: neither a conversation nor memories nor a project';
  }
}

export function isClaude(value: Imported): boolean {
  return 'chat_messages' in value || isMemories(value) || ('docs' in value && 'prompt_template' in value);
}

function isMemories(value: Imported): boolean {
  return 'conversations_memory' in value || 'project_memories' in value;
}

function* turnsOf(conversation: Imported): Generator<EventLine> {
  const id = textOf(conversation, 'uuid') ?? textOf(conversation, 'created_at') ?? '';
  const title = textOf(conversation, 'name');
  for (const message of objectsOf(conversation, 'chat_messages')) {
    const content = textOf(message, 'text') ?? chatText(message['content'] as unknown[]);
    const origin = ROLE_ORIGINS[textOf(message, 'sender') ?? ''];
    if (content === '' || origin === undefined) continue;
    const messageId = textOf(message, 'uuid') ?? content;
    yield eventLine(['claude', id, messageId], {
      scope: { session: `claude-${id}`.slice(0, 200) },
      kind: 'message',
      origin,
      content,
      channel: 'claude',
      metadata: title === undefined ? {} : { title: title.slice(0, 500) },
      occurredAt: timeOf(message, 'created_at') ?? timeOf(conversation, 'created_at'),
      idempotencyKey: `claude:${id}:${messageId}`.slice(0, 500),
    });
  }
}

function memoriesOf(value: Imported): MemoryLine[] {
  const projects = objectOf(value, 'project_memories');
  const texts = [
    { path: 'Claude memory', text: textOf(value, 'conversations_memory') ?? '' },
    ...Object.keys(projects).map((id) => ({ path: `Claude project ${id}`, text: textOf(projects, id) ?? '' })),
  ];
  return texts.flatMap(({ path, text }) => noteLines({ source: 'claude', path, text, tags: ['claude'] }));
}

function projectOf(project: Imported): MemoryLine[] {
  const name = textOf(project, 'name') ?? textOf(project, 'uuid') ?? 'project';
  const notes = [
    { path: `${name}/instructions`, text: textOf(project, 'prompt_template') ?? '' },
    ...objectsOf(project, 'docs').map((doc) => {
      return { path: `${name}/${textOf(doc, 'filename') ?? ''}`, text: textOf(doc, 'content') ?? '' };
    }),
  ];
  return notes.flatMap((note) => noteLines({ source: 'claude', ...note, tags: ['claude', 'project'] }));
}
