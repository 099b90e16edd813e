import type { MemoryLine, RecordLine } from '../operate/record-line.ts';
import { derivedId } from '../record/id.ts';
import type { ScopeInput, ScopeLevel } from '../record/scope.ts';
import type { NewMemory } from '../record/memory.ts';
import { type Imported, isObject, memoryLine, scopePart, textOf, textsOf, timeOf } from './import-source.ts';
import type { SourceFile } from './import-source.ts';
import { elementsOf } from './json-elements.ts';
import { countWords } from '../record/parse.ts';

/**
 * Reads Eden's older layout: `memory_sessions` (episodes, directives, suggestions, facts), `memory_user` (one merged text per agent and
 * user) and `memory_agent` (one per shard of an agent), in separate files or in one object.
 */
export async function* readEden(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  const users: Imported[] = [];
  const agents: Imported[] = [];
  for await (const { collection, record } of records(files)) {
    if (collection === 'memory_user') users.push(record);
    if (collection === 'memory_agent') agents.push(record);
  }
  yield* users.flatMap(userLines);
  yield* [...Map.groupBy(agents, (shard) => textOf(shard, 'agent_id') ?? '').values()].flatMap(agentLines);
  const waiting = new Set([...users, ...agents].flatMap((record) => textsOf(record, 'unabsorbed_memory_ids')));
  const merged = new Set([...users.map(placeOf), ...agents.map(placeOf)]);
  for await (const { collection, record } of records(files)) {
    if (collection === 'memory_sessions') yield* sessionLines(record, { waiting, merged });
  }
}

async function* records(files: readonly SourceFile[]): AsyncGenerator<{ collection: string; record: Imported }> {
  for (const file of files) {
    const fromName = /memory_(sessions|user|agent)/.exec(file.name)?.[0];
    for await (const { list, value } of elementsOf(file)) {
      const collection = list ?? fromName ?? 'memory_sessions';
      if (isObject(value)) yield { collection, record: value };
    }
  }
}

function placeOf(record: Imported): string {
  return JSON.stringify([textOf(record, 'agent_id'), textOf(record, 'user_id') ?? null]);
}

const USER_WORDS = 400;
const AGENT_WORDS = 1000;

function userLines(record: Imported): RecordLine[] {
  const scope = { agent: scopePart(textOf(record, 'agent_id')), user: scopePart(textOf(record, 'user_id')) };
  const text = textOf(record, 'content');
  return text === undefined || scope.user === undefined ? [] : mergedLines(scope, { text, limit: USER_WORDS, record });
}

function agentLines(shards: Imported[]): RecordLine[] {
  const [first = {}] = shards;
  const scope = { agent: scopePart(textOf(first, 'agent_id')) };
  const isActive = (shard: Imported): boolean => shard['is_active'] !== false && textOf(shard, 'content') !== undefined;
  const active = shards.filter(isActive);
  const titled = (shard: Imported): string =>
    `${textOf(shard, 'shard_name') ?? 'Memory'}: ${textOf(shard, 'content') ?? ''}`;
  const text = active.length === 1 ? (textOf(active[0] ?? {}, 'content') ?? '') : active.map(titled).join('\n\n');
  const block = active.length === 0 ? [] : mergedLines(scope, { text, limit: AGENT_WORDS, record: first });
  const inactive = shards.filter((shard) => shard['is_active'] === false && textOf(shard, 'content') !== undefined);
  return [...block, ...inactive.map((shard) => noteLine(scope, titled(shard), shard))];
}

/** If the text is too long for a block, the whole text is also kept as a note. */
function mergedLines(
  scope: ScopeInput,
  { text, limit, record }: { text: string; limit: number; record: Imported },
): RecordLine[] {
  const at = timeOf(record, 'last_updated_at', 'updatedAt', 'createdAt');
  const words = text.split(/(?<=\s)(?=\S)/u);
  const content = countWords(text) <= limit ? text : words.slice(0, limit).join('').trim();
  const block: RecordLine = {
    record: 'block',
    id: derivedId('blk', ['eden', scope.agent ?? null, scope.user ?? null]),
    scope,
    kind: 'reflections',
    content,
    createdAt: at,
    updatedAt: at,
  };
  return content.length === text.length ? [block] : [block, noteLine(scope, text, record)];
}

function noteLine(scope: ScopeInput, text: string, record: Imported): RecordLine {
  const level = scope.user == null ? 'agent' : 'user';
  const note = { scope, type: 'note', title: 'Imported memory', content: text, level } as const;
  return edenLine(['note', textOf(record, '_id') ?? text], record, note);
}

const TYPES: Record<string, { type: 'reflection' | 'fact'; level: ScopeLevel }> = {
  episode: { type: 'reflection', level: 'session' },
  directive: { type: 'reflection', level: 'user' },
  suggestion: { type: 'reflection', level: 'agent' },
  fact: { type: 'fact', level: 'agent' },
};

function* sessionLines(
  record: Imported,
  { waiting, merged }: { waiting: ReadonlySet<string>; merged: ReadonlySet<string> },
): Generator<RecordLine | string> {
  const memoryType = textOf(record, 'memory_type') ?? '';
  const mapped = TYPES[memoryType];
  const content = textOf(record, 'content');
  if (mapped === undefined || content === undefined) {
    yield `not a memory of Eden: its type is ${JSON.stringify(memoryType)}`;
    return;
  }
  const agent = scopePart(textOf(record, 'agent_id'));
  const session = scopePart(textOf(record, 'source_session_id', 'session_id'));
  const users = textsOf(record, 'related_users').flatMap((user) => scopePart(user) ?? []);
  const id = textOf(record, '_id', 'id') ?? content;
  const places = placesOf(record, { ...mapped, memoryType, users, session });
  if (places.length === 0) yield `no user is related to the ${memoryType}`;
  for (const { user, level } of places) {
    const place = placeOf({ agent_id: agent, user_id: user });
    // The merged text of the scope already contains a directive or a suggestion, unless `unabsorbed_memory_ids` lists it.
    const isAbsorbed =
      (memoryType === 'directive' || memoryType === 'suggestion') && merged.has(place) && !waiting.has(id);
    const scope = { agent, user, session: level === 'session' ? session : undefined };
    const memory = { scope, type: mapped.type, content, level, sourceSession: session };
    const line = edenLine([id, user ?? null], record, memory);
    yield isAbsorbed ? { ...line, archivedAt: line.updatedAt ?? new Date(0), archiveReason: 'absorbed' } : line;
  }
}

/** One scope for each user that the record is about, or else the scope of its session or agent. */
function placesOf(
  record: Imported,
  { level, memoryType, users, session }: { level: ScopeLevel; memoryType: string; users: string[]; session?: string },
): { user?: string; level: ScopeLevel }[] {
  // A fact without a shard is about the users related to it.
  const isUsersFact = memoryType === 'fact' && textOf(record, 'shard_id') === undefined && users.length > 0;
  if (level === 'user' || isUsersFact) return users.map((user) => ({ user, level: 'user' }));
  if (level !== 'session') return [{ level }];
  return [{ user: users.length === 1 ? users[0] : undefined, level: session === undefined ? 'agent' : 'session' }];
}

function edenLine(identity: unknown[], record: Imported, memory: NewMemory & { scope: ScopeInput }): MemoryLine {
  return memoryLine(['eden', memory.scope.agent ?? null, ...identity], {
    ...memory,
    metadata: { eden: textOf(record, '_id') ?? null },
    createdAt: timeOf(record, 'createdAt', 'created_at', 'last_updated_at'),
    updatedAt: timeOf(record, 'updatedAt', 'updated_at'),
  });
}
