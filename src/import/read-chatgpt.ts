import type { RecordLine } from '../operate/record-line.ts';
import { eventLine, type Imported, isObject, objectOf, type SourceFile, textOf, timeOf } from './import-source.ts';
import { elementsIn } from './json-elements.ts';
import type { Origin } from '../record/statement.ts';

const ORIGINS: Record<string, Origin> = { user: 'user', assistant: 'agent', tool: 'tool' };

/** Reads `conversations.json`. Of each conversation, only the branch that was shown last. */
export async function* readChatgpt(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for await (const { value } of elementsIn(files)) {
    if (isObject(value) && isObject(value['mapping'])) yield* turnsOf(value, value['mapping']);
    else yield 'not a conversation: it has no "mapping"';
  }
}

function* turnsOf(conversation: Imported, mapping: Imported): Generator<RecordLine> {
  const id = textOf(conversation, 'conversation_id', 'id') ?? textOf(conversation, 'create_time') ?? '';
  const title = textOf(conversation, 'title');
  const began = timeOf(conversation, 'create_time');
  for (const node of branchOf(conversation, mapping)) {
    const message = node['message'];
    if (!isObject(message)) continue;
    const origin = ORIGINS[textOf(objectOf(message, 'author'), 'role') ?? ''];
    const content = contentOf(message);
    if (origin === undefined || content === '' || isHidden(message) || isCall(message)) continue;
    const messageId = textOf(message, 'id') ?? textOf(node, 'id') ?? content;
    yield eventLine(['chatgpt', id, messageId], {
      scope: { session: `chatgpt-${id}`.slice(0, 200) },
      origin,
      content,
      channel: 'chatgpt',
      metadata: title === undefined ? {} : { title: title.slice(0, 500) },
      occurredAt: timeOf(message, 'create_time') ?? began,
      idempotencyKey: `chatgpt:${id}:${messageId}`.slice(0, 500),
    });
  }
}

/** Walks from the last node to the root. A cycle in the file ends the walk. */
function branchOf(conversation: Imported, mapping: Imported): Imported[] {
  const branch: Imported[] = [];
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

function contentOf(message: Imported): string {
  const { parts, text, result } = objectOf(message, 'content');
  const all: unknown[] = Array.isArray(parts) ? parts : [text ?? result];
  return all
    .map((part) => (isObject(part) ? (textOf(part, 'text') ?? '') : typeof part === 'string' ? part : ''))
    .filter((part) => part !== '')
    .join('\n')
    .replaceAll(MARKS, '')
    .trim();
}

// Citations and similar markup between ChatGPT's private-use characters: \uE200cite\uE202turn0search1\uE201.
const MARKS = /\uE200[^\uE200\uE201]*\uE201/g;

/** Whether the assistant calls a tool (a search, a program), which the user does not see. */
function isCall(message: Imported): boolean {
  return (textOf(message, 'recipient') ?? 'all') !== 'all';
}

function isHidden(message: Imported): boolean {
  return objectOf(message, 'metadata')['is_visually_hidden_from_conversation'] === true;
}
