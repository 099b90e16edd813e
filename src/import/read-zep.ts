import type { EventLine, MemoryLine, RecordLine } from '../operate/record-line.ts';
import { ROLE_ORIGINS } from '../record/chat-message.ts';
import { derivedId } from '../record/id.ts';
import { type Foreign, isObject, scopePart, type SourceFile, textOf, timeOf } from './import-source.ts';
import { type Element, elementsOf } from './json-elements.ts';

/**
 * Zep and Graphiti, as their APIs respond: threads or sessions with messages, facts (the edges of the graph, with the time in which they
 * are true) and nodes, whose summaries become notes. A fact with `expired_at` is imported as a superseded memory.
 */
export async function* readZep(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for (const file of files) {
    for await (const { value, fields } of elementsOf(file)) {
      if (isObject(value)) yield* linesOf(value, fields);
      else yield 'not a record of Zep: not an object';
    }
  }
}

/** Whether a value comes from Zep's API. */
export function isZep({ value, fields }: Element): boolean {
  if (!isObject(value)) return false;
  const isThread = Array.isArray(value['messages']) && ('thread_id' in value || 'session_id' in value);
  return isFact(value) || isNode(value) || isMessage(value, fields) || (isThread && hasUuids(value['messages']));
}

function isFact(value: Foreign): boolean {
  return 'fact' in value && 'uuid' in value;
}

function isNode(value: Foreign): boolean {
  return 'uuid' in value && 'name' in value && 'summary' in value;
}

function isMessage(value: Foreign, fields: Foreign): boolean {
  return 'uuid' in value && 'role' in value && 'content' in value && ('role_type' in value || 'thread_id' in fields);
}

function hasUuids(messages: unknown): boolean {
  return Array.isArray(messages) && messages.some((message) => isObject(message) && 'uuid' in message);
}

function* linesOf(value: Foreign, fields: Foreign): Generator<RecordLine | string> {
  const { messages } = value;
  if (isFact(value)) yield factLine(value, fields);
  else if (isNode(value)) yield* nodeLine(value, fields);
  else if (Array.isArray(messages)) for (const message of messages) yield* messageLine(message, value);
  else if ('role' in value && 'content' in value) yield* messageLine(value, fields);
  else if (!('thread_id' in value || 'session_id' in value)) yield 'not a record of Zep: neither a message nor a fact';
}

function userOf(record: Foreign, fields: Foreign): string | undefined {
  return scopePart(textOf({ ...fields, ...record }, 'user_id', 'userId', 'group_id', 'graph_id'));
}

function factLine(edge: Foreign, fields: Foreign): MemoryLine {
  const createdAt = timeOf(edge, 'created_at');
  const validTo = timeOf(edge, 'invalid_at');
  // Zep sets this time when another fact replaces this one.
  const expiredAt = timeOf(edge, 'expired_at');
  const id = textOf(edge, 'uuid') ?? '';
  return {
    record: 'memory',
    id: derivedId('mem', ['zep', id]),
    scope: { user: userOf(edge, fields) },
    data: {
      type: 'fact',
      content: (textOf(edge, 'fact') ?? '').slice(0, 20_000),
      sourceType: 'import',
      statedAt: timeOf(edge, 'valid_at') ?? createdAt,
      validFrom: timeOf(edge, 'valid_at') ?? null,
      validTo: validTo ?? null,
      metadata: { zep: id, ...(textOf(edge, 'name') === undefined ? {} : { relation: textOf(edge, 'name') }) },
    },
    createdAt,
    updatedAt: createdAt,
    ...(expiredAt === undefined ? {} : { archivedAt: expiredAt, archiveReason: 'superseded' as const }),
  };
}

function nodeLine(node: Foreign, fields: Foreign): MemoryLine[] {
  const summary = textOf(node, 'summary');
  const name = textOf(node, 'name') ?? '';
  const at = timeOf(node, 'created_at');
  if (summary === undefined) return [];
  return [
    {
      record: 'memory',
      id: derivedId('mem', ['zep', textOf(node, 'uuid') ?? name]),
      scope: { user: userOf(node, fields) },
      data: {
        type: 'note',
        title: name.slice(0, 500),
        content: summary.slice(0, 20_000),
        sourceType: 'import',
        statedAt: at,
        metadata: { zep: textOf(node, 'uuid') ?? null },
      },
      createdAt: at,
      updatedAt: at,
    },
  ];
}

function messageLine(message: unknown, thread: Foreign): EventLine[] {
  if (!isObject(message)) return [];
  const role = textOf(message, 'role_type') ?? textOf(message, 'role') ?? '';
  const origin = ROLE_ORIGINS[role.toLowerCase()];
  const content = textOf(message, 'content');
  if (content === undefined || origin === undefined || origin === 'system') return [];
  const session = scopePart(textOf({ ...message, ...thread }, 'thread_id', 'session_id', 'threadId')) ?? 'zep';
  const id = textOf(message, 'uuid') ?? content;
  // Before v3, `role` was the speaker's name and `role_type` was the role.
  const speaker = textOf(message, 'name') ?? ('role_type' in message ? textOf(message, 'role') : undefined);
  return [
    {
      record: 'event',
      id: derivedId('evt', ['zep', session, id]),
      scope: { session, user: userOf(message, thread) },
      data: {
        kind: origin === 'tool' ? 'tool_result' : 'message',
        origin,
        content: content.slice(0, 500_000),
        speaker: speaker?.slice(0, 200),
        channel: 'zep',
        occurredAt: timeOf(message, 'created_at'),
        idempotencyKey: `zep:${session}:${id}`.slice(0, 500),
      },
    },
  ];
}
