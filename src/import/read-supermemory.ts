import type { MemoryLine, RecordLine } from '../operate/record-line.ts';
import { derivedId } from '../record/id.ts';
import { type Foreign, isObject, scopePart, type SourceFile, textOf, textsOf, timeOf } from './import-source.ts';
import { elementsOf } from './json-elements.ts';

/**
 * Supermemory, as its API lists documents and memories. The first container tag names the user, as its guides recommend; the others
 * become tags. A document with a URL becomes a saved item, a document with only a title a note, and anything else a fact.
 */
export async function* readSupermemory(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for (const file of files) {
    for await (const { value } of elementsOf(file)) {
      const line = isObject(value) ? lineOf(value) : null;
      yield line ?? 'not a record of Supermemory: it has neither content nor a memory';
    }
  }
}

/** Whether a value comes from Supermemory's API. */
export function isSupermemory(value: Foreign): boolean {
  return ['containerTags', 'containerTag', 'customId', 'spaceContainerTag'].some((field) => field in value);
}

function lineOf(record: Foreign): MemoryLine | null {
  const summary = textOf(record, 'summary');
  const statement = textOf(record, 'memory');
  const content = statement ?? textOf(record, 'content', 'raw') ?? summary;
  if (content === undefined) return null;
  const [owner, ...others] = [
    ...textsOf(record, 'containerTag'),
    ...textsOf(record, 'containerTags'),
    ...textsOf(record, 'spaceContainerTag'),
  ];
  const id = textOf(record, 'id', 'customId') ?? content;
  const createdAt = timeOf(record, 'createdAt', 'created_at');
  const updatedAt = timeOf(record, 'updatedAt', 'updated_at') ?? createdAt;
  const isOver = record['isForgotten'] === true || record['isLatest'] === false;
  return {
    record: 'memory',
    id: derivedId('mem', ['supermemory', owner ?? null, id]),
    scope: { user: scopePart(owner) },
    data: {
      ...kindOf(record, { statement, content }),
      tags: [...new Set(others)].map((tag) => tag.slice(0, 100)).slice(0, 50),
      sourceType: 'import',
      statedAt: updatedAt,
      metadata: { ...(isObject(record['metadata']) ? record['metadata'] : {}), supermemory: id },
    },
    createdAt,
    updatedAt,
    ...(isOver ? { archivedAt: updatedAt ?? new Date(0), archiveReason: 'superseded' as const } : {}),
  };
}

function kindOf(
  record: Foreign,
  { statement, content }: { statement: string | undefined; content: string },
): Pick<MemoryLine['data'], 'type' | 'content' | 'title' | 'url'> {
  const title = textOf(record, 'title')?.slice(0, 500);
  const url = textOf(record, 'url');
  const text = content.slice(0, 20_000).toWellFormed();
  if (statement !== undefined || (title === undefined && url === undefined)) return { type: 'fact', content: text };
  if (url !== undefined && /^https?:\/\//.test(url) && url.length <= 2000)
    return { type: 'saved_item', title: title ?? url.slice(0, 500), url, content: text };
  return { type: 'note', title: title ?? text.slice(0, 80), content: text };
}
