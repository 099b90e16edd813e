import type { MemoryLine, RecordLine } from '../operate/record-line.ts';
import { type Imported, isObject, memoryLine, objectOf, scopePart, textOf, textsOf, timeOf } from './import-source.ts';
import type { SourceFile } from './import-source.ts';
import { elementsIn } from './json-elements.ts';

/** The first container tag is the user. A document with a URL becomes a saved item, with a title a note, any other a fact. */
export async function* readSupermemory(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for await (const { value } of elementsIn(files)) {
    const line = isObject(value) ? lineOf(value) : null;
    yield line ?? 'not a record of Supermemory: it has neither content nor a memory';
  }
}

export function isSupermemory(value: Imported): boolean {
  return ['containerTags', 'containerTag', 'customId', 'spaceContainerTag'].some((field) => field in value);
}

function lineOf(record: Imported): MemoryLine | null {
  const summary = textOf(record, 'summary');
  const statement = textOf(record, 'memory');
  const content = statement ?? textOf(record, 'content', 'raw') ?? summary;
  if (content === undefined) return null;
  const tags = ['containerTag', 'containerTags', 'spaceContainerTag'].flatMap((field) => textsOf(record, field));
  const [owner, ...others] = tags;
  const id = textOf(record, 'id', 'customId') ?? content;
  const isOver = record['isForgotten'] === true || record['isLatest'] === false;
  const line = memoryLine(['supermemory', owner ?? null, id], {
    ...kindOf(record, { statement, content }),
    scope: { user: scopePart(owner) },
    tags: [...new Set(others)].map((tag) => tag.slice(0, 100)).slice(0, 50),
    metadata: { ...objectOf(record, 'metadata'), supermemory: id },
    createdAt: timeOf(record, 'createdAt', 'created_at'),
    updatedAt: timeOf(record, 'updatedAt', 'updated_at'),
  });
  return isOver ? { ...line, archivedAt: line.updatedAt ?? new Date(0), archiveReason: 'superseded' } : line;
}

function kindOf(
  record: Imported,
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
