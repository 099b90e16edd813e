import type { RecordLine } from '../operate/record-line.ts';
import { ROLE_ORIGINS } from '../record/chat-message.ts';
import { eventLine, type Imported, isObject, scopePart, type SourceFile, textOf, timeOf } from './import-source.ts';
import { elementsOf } from './json-elements.ts';
import { wholeText } from './read-markdown.ts';

/**
 * Reads turns (`{ role, content, session, timestamp }`, or `user: I live in Rome`) or conversations (`{ messages: [{ role, content }] }`),
 * one per line. A turn without an id is identified by its text and position.
 */
export async function* readTranscripts(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for (const file of files) {
    const fileSession = file.name.replace(/\.\w+$/, '');
    const places = new Map<string, number>();
    const threaded: Imported[] = [];
    let number = 0;
    if (await isPlainTranscript(file)) {
      const text = await wholeText(file);
      if (text === null) yield `${file.name} is longer than 16 MiB`;
      for (const turn of plainTurns(text ?? '')) yield turnOf(turn, fileSession, places);
      continue;
    }
    for await (const { value } of elementsOf(file)) {
      number += 1;
      if (!isObject(value)) yield 'not a turn: not an object';
      else if (value['object'] === 'thread.message') threaded.push(value);
      else if (Array.isArray(value['messages'])) {
        const session = sessionOf(value) ?? `${fileSession}-${number}`;
        for (const turn of value['messages'])
          if (!isCall(turn)) yield turnOf(isObject(turn) ? { ...shared(value), ...turn } : {}, session, places);
      } else if (!isCall(value)) yield turnOf(value, sessionOf(value) ?? fileSession, places);
    }
    for (const turn of oldestFirst(threaded)) yield turnOf(turn, sessionOf(turn) ?? fileSession, places);
  }
}

const TURN = new RegExp(`^(${Object.keys(ROLE_ORIGINS).join('|')}):[ \\t]*`, 'i');

export async function isPlainTranscript(file: SourceFile): Promise<boolean> {
  for await (const chunk of file.open()) return TURN.test(new TextDecoder().decode(chunk).trimStart());
  return false;
}

/** A line that begins with a role starts a turn; any other line continues it. */
function plainTurns(text: string): Imported[] {
  const turns: { role: string; content: string }[] = [];
  for (const line of text.trimStart().split(/\r?\n/)) {
    const [label = '', role] = TURN.exec(line) ?? [];
    if (role !== undefined) turns.push({ role, content: line.slice(label.length) });
    else turns[turns.length - 1]!.content += `\n${line}`;
  }
  return turns.map(({ role, content }) => ({ role, content: content.trim() }));
}

/** OpenAI's API lists the newest message of a thread first. */
function oldestFirst(turns: readonly Imported[]): Imported[] {
  const timed = turns.map((turn) => ({ turn, at: timeOf(turn, 'created_at')?.getTime() ?? 0 }));
  return timed.sort((one, other) => one.at - other.at).map(({ turn }) => turn);
}

/** Whether a message only calls tools. The results are in the tools' own messages. */
function isCall(turn: unknown): boolean {
  return isObject(turn) && Array.isArray(turn['tool_calls']) && contentOf(turn) === undefined;
}

function turnOf(turn: Imported, session: string, places: Map<string, number>): RecordLine | string {
  const content = contentOf(turn);
  if (content === undefined) return 'not a turn: it has no content';
  const role = textOf(turn, 'role', 'origin', 'author', 'from') ?? 'user';
  const known = ROLE_ORIGINS[role.toLowerCase()];
  const place = places.get(session) ?? 0;
  places.set(session, place + 1);
  const user = scopePart(textOf(turn, 'user', 'user_id', 'userId'));
  const agent = scopePart(textOf(turn, 'agent', 'agent_id', 'agentId'));
  const id = textOf(turn, 'id', 'message_id') ?? [place, role, content];
  const speaker = textOf(turn, 'speaker', 'name') ?? (known === undefined ? role : undefined);
  return eventLine(['transcript', user ?? null, agent ?? null, session, id], {
    scope: { session: session.slice(0, 200), user, agent },
    origin: known ?? 'user',
    content,
    speaker: speaker?.slice(0, 200),
    channel: textOf(turn, 'channel')?.slice(0, 50),
    occurredAt: timeOf(turn, 'timestamp', 'time', 'created_at', 'createdAt', 'date', 'occurredAt'),
  });
}

function sessionOf(record: Imported): string | undefined {
  return scopePart(
    textOf(record, 'session', 'session_id', 'sessionId', 'conversation_id', 'conversationId', 'thread_id', 'thread'),
  );
}

function shared(record: Imported): Imported {
  const { user, user_id, userId, agent, agent_id, channel } = record;
  return Object.fromEntries(
    Object.entries({ user, user_id, userId, agent, agent_id, channel }).filter(([, value]) => value !== undefined),
  );
}

function contentOf(turn: Imported): string | undefined {
  const { content } = turn;
  if (!Array.isArray(content)) return textOf(turn, 'content', 'text', 'message', 'value');
  // OpenAI's threads nest a part's text: { "text": { "value": "…" } }.
  const texts = content.map((part) => {
    if (!isObject(part)) return String(part);
    return textOf(isObject(part['text']) ? part['text'] : part, 'text', 'value') ?? '';
  });
  return texts.join('\n').trim() || undefined;
}
