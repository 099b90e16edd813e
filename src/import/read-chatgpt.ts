import type { RecordLine } from '../operate/record-line.ts';
import { derivedId } from '../record/id.ts';
import { type Foreign, isObject, type SourceFile, textOf, timeOf } from './import-source.ts';
import { elementsOf } from './json-elements.ts';
import type { Origin } from '../record/statement.ts';

const ORIGINS: Record<string, Origin> = { user: 'user', assistant: 'agent', tool: 'tool' };

/**
 * ChatGPT's conversations.json: each conversation is a session, and its turns are those of the branch that was shown last.
 */
export async function* readChatgpt(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for (const file of files) {
    for await (const { value } of elementsOf(file)) {
      if (isObject(value) && isObject(value['mapping'])) yield* turnsOf(value, value['mapping']);
      else yield 'not a conversation: it has no "mapping"';
    }
  }
}

function* turnsOf(conversation: Foreign, mapping: Foreign): Generator<RecordLine> {
  const id = textOf(conversation, 'conversation_id', 'id') ?? textOf(conversation, 'create_time') ?? '';
  const title = textOf(conversation, 'title');
  const began = timeOf(conversation, 'create_time');
  for (const node of branchOf(conversation, mapping)) {
    const message = node['message'];
    if (!isObject(message)) continue;
    const author = isObject(message['author']) ? message['author'] : {};
    const origin = ORIGINS[textOf(author, 'role') ?? ''];
    const content = contentOf(message);
    if (origin === undefined || content === '' || isHidden(message) || isCall(message)) continue;
    const messageId = textOf(message, 'id') ?? textOf(node, 'id') ?? content;
    yield {
      record: 'event',
      id: derivedId('evt', ['chatgpt', id, messageId]),
      scope: { session: `chatgpt-${id}`.slice(0, 200) },
      data: {
        kind: origin === 'tool' ? 'tool_result' : 'message',
        origin,
        content: content.slice(0, 500_000),
        channel: 'chatgpt',
        metadata: title === undefined ? {} : { title: title.slice(0, 500) },
        occurredAt: timeOf(message, 'create_time') ?? began,
        idempotencyKey: `chatgpt:${id}:${messageId}`.slice(0, 500),
      },
    };
  }
}

/** Walks from the node that was shown last to the root, then reverses the path. A cycle in the file ends the walk. */
function branchOf(conversation: Foreign, mapping: Foreign): Foreign[] {
  const branch: Foreign[] = [];
  const seen = new Set<string>();
  let id = textOf(conversation, 'current_node') ?? Object.keys(mapping).at(-1);
  while (id !== undefined && !seen.has(id)) {
    seen.add(id);
    const node = mapping[id];
    if (!isObject(node)) break;
    branch.push(node);
    id = textOf(node, 'parent');
  }
  return branch.toReversed();
}

function contentOf(message: Foreign): string {
  const content = isObject(message['content']) ? message['content'] : {};
  const parts = Array.isArray(content['parts'])
    ? (content['parts'] as unknown[])
    : [content['text'] ?? content['result']];
  const texts = parts.map((part) =>
    isObject(part) ? (textOf(part, 'text') ?? '') : typeof part === 'string' ? part : '',
  );
  return texts
    .filter((text) => text !== '')
    .join('\n')
    .replaceAll(MARKS, '')
    .trim();
}

// Citations and similar markup between ChatGPT's private-use characters: \uE200cite\uE202turn0search1\uE201.
const MARKS = /\uE200[^\uE200\uE201]*\uE201/g;

/** The user does not see what the assistant sends to a tool (a search, a program). */
function isCall(message: Foreign): boolean {
  return (textOf(message, 'recipient') ?? 'all') !== 'all';
}

function isHidden(message: Foreign): boolean {
  const metadata = isObject(message['metadata']) ? message['metadata'] : {};
  return metadata['is_visually_hidden_from_conversation'] === true;
}
