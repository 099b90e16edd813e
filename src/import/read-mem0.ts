import type { RecordLine } from '../operate/record-line.ts';
import { type Imported, isObject, memoryLine, objectOf, scopePart, textOf, textsOf, timeOf } from './import-source.ts';
import type { SourceFile } from './import-source.ts';
import { elementsIn } from './json-elements.ts';

/**
 * Reads `{ results: [{ id, memory, … }] }` and dumps of the vector store (`{ id, payload: { data, … } }`, also in pages of a Qdrant
 * scroll). Skips the graph's relations, because they repeat the memories.
 */
export async function* readMem0(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for await (const { list, value } of elementsIn(files)) {
    if (list === 'relations') continue;
    for (const record of scrolled(value) ?? [value]) {
      const line = isObject(record) ? lineOf(record) : null;
      yield line ?? 'not a memory of mem0: it has neither "memory" nor a payload with "data"';
    }
  }
}

export function scrolled(value: unknown): unknown[] | null {
  const result = isObject(value) ? value['result'] : null;
  return isObject(result) && Array.isArray(result['points']) ? result['points'] : null;
}

// Payload fields that mem0 itself writes. All others are the application's metadata.
const OWN = new Set(
  (
    'data memory hash user_id agent_id run_id app_id actor_id role created_at updated_at text_lemmatized ' +
    'attributed_to expiration_date categories metadata'
  ).split(' '),
);

function lineOf(record: Imported): RecordLine | null {
  const payload = objectOf(record, 'payload');
  const all = { ...payload, ...record };
  const content = textOf(all, 'memory', 'data', 'text');
  if (content === undefined) return null;
  const mem0Id = textOf(record, 'id', 'memory_id') ?? content;
  const user = scopePart(textOf(all, 'user_id', 'userId'));
  const agent = scopePart(textOf(all, 'agent_id', 'agentId', 'app_id'));
  const extra = Object.fromEntries(Object.entries(payload).filter(([name]) => !OWN.has(name)));
  return memoryLine(['mem0', user ?? null, agent ?? null, mem0Id], {
    scope: { user, agent },
    type: 'fact',
    content,
    tags: textsOf(all, 'categories').slice(0, 50),
    sourceSession: textOf(all, 'run_id', 'runId'),
    expiresAt: timeOf(all, 'expiration_date') ?? null,
    metadata: { ...extra, ...objectOf(all, 'metadata'), mem0: mem0Id },
    createdAt: timeOf(all, 'created_at', 'createdAt'),
    updatedAt: timeOf(all, 'updated_at', 'updatedAt'),
  });
}
