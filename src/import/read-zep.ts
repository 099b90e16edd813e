import type { EventLine, MemoryLine, RecordLine } from '../operate/record-line.ts';
import { ROLE_ORIGINS } from '../record/chat-message.ts';
import { eventLine, type Imported, isObject, memoryLine, scopePart, textOf, timeOf } from './import-source.ts';
import type { SourceFile } from './import-source.ts';
import { type Element, elementsIn } from './json-elements.ts';

/** Reads Zep's and Graphiti's threads, facts (edges) and nodes, whose summaries become notes. A fact with `expired_at` is superseded. */
export async function* readZep(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for await (const { value, fields } of elementsIn(files)) {
    if (isObject(value)) yield* linesOf(value, fields);
    else yield 'not a record of Zep: not an object';
  }
}

export function isZep({ value, fields }: Element): boolean {
  if (!isObject(value)) return false;
  const isThread = Array.isArray(value['messages']) && ('thread_id' in value || 'session_id' in value);
  return isFact(value) || isNode(value) || isMessage(value, fields) || (isThread && hasUuids(value['messages']));
}

function isFact(value: Imported): boolean {
  return 'fact' in value && 'uuid' in value;
}

function isNode(value: Imported): boolean {
  return 'uuid' in value && 'name' in value && 'summary' in value;
}

function isMessage(value: Imported, fields: Imported): boolean {
  return 'uuid' in value && 'role' in value && 'content' in value && ('role_type' in value || 'thread_id' in fields);
}

function hasUuids(messages: unknown): boolean {
  return Array.isArray(messages) && messages.some((message) => isObject(message) && 'uuid' in message);
}

function* linesOf(value: Imported, fields: Imported): Generator<RecordLine | string> {
  const { messages } = value;
  if (isFact(value)) yield factLine(value, fields);
  else if (isNode(value)) yield* nodeLine(value, fields);
  else if (Array.isArray(messages)) for (const message of messages) yield* messageLine(message, value);
  else if ('role' in value && 'content' in value) yield* messageLine(value, fields);
  else if (!('thread_id' in value || 'session_id' in value)) yield 'not a record of Zep: neither a message nor a fact';
}

function userOf(record: Imported, fields: Imported): string | undefined {
  return scopePart(textOf({ ...fields, ...record }, 'user_id', 'userId', 'group_id', 'graph_id'));
}

function factLine(edge: Imported, fields: Imported): MemoryLine {
  const createdAt = timeOf(edge, 'created_at');
  const validFrom = timeOf(edge, 'valid_at');
  // Zep sets this time when a new fact replaces the old one.
  const archivedAt = timeOf(edge, 'expired_at');
  const id = textOf(edge, 'uuid') ?? '';
  const relation = textOf(edge, 'name');
  const line = memoryLine(['zep', id], {
    scope: { user: userOf(edge, fields) },
    type: 'fact',
    content: textOf(edge, 'fact') ?? '',
    statedAt: validFrom ?? createdAt,
    validFrom: validFrom ?? null,
    validTo: timeOf(edge, 'invalid_at') ?? null,
    metadata: { zep: id, ...(relation === undefined ? {} : { relation }) },
    createdAt,
  });
  return archivedAt === undefined ? line : { ...line, archivedAt, archiveReason: 'superseded' };
}

function nodeLine(node: Imported, fields: Imported): MemoryLine[] {
  const summary = textOf(node, 'summary');
  const name = textOf(node, 'name') ?? '';
  const id = textOf(node, 'uuid');
  if (summary === undefined) return [];
  return [
    memoryLine(['zep', id ?? name], {
      scope: { user: userOf(node, fields) },
      type: 'note',
      title: name.slice(0, 500),
      content: summary,
      metadata: { zep: id ?? null },
      createdAt: timeOf(node, 'created_at'),
    }),
  ];
}

function messageLine(message: unknown, thread: Imported): EventLine[] {
  if (!isObject(message)) return [];
  const role = textOf(message, 'role_type') ?? textOf(message, 'role') ?? '';
  const origin = ROLE_ORIGINS[role.toLowerCase()];
  const content = textOf(message, 'content');
  if (content === undefined || origin === undefined || origin === 'system') return [];
  const session = scopePart(textOf({ ...message, ...thread }, 'thread_id', 'session_id', 'threadId')) ?? 'zep';
  const id = textOf(message, 'uuid') ?? content;
  // Before v3, `role` contained the speaker's name, and the role was in `role_type`.
  const speaker = textOf(message, 'name') ?? ('role_type' in message ? textOf(message, 'role') : undefined);
  return [
    eventLine(['zep', session, id], {
      scope: { session, user: userOf(message, thread) },
      origin,
      content,
      speaker: speaker?.slice(0, 200),
      channel: 'zep',
      occurredAt: timeOf(message, 'created_at'),
      idempotencyKey: `zep:${session}:${id}`.slice(0, 500),
    }),
  ];
}
