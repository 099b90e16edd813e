import type { RecordLine } from '../operate/record-line.ts';
import { type Imported, isObject, memoryLine, objectInText, scopePart } from './import-source.ts';
import { type SourceFile, textOf, timeOf } from './import-source.ts';
import { elementsIn } from './json-elements.ts';

/**
 * Reads items or rows of the store's table, whose `prefix` is the namespace joined with dots. The user is the first part of a namespace
 * that is not a common word.
 */
export async function* readLanggraph(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for await (const { value } of elementsIn(files)) {
    const line = isObject(value) ? lineOf(value) : null;
    yield line ?? 'not an item of a LangGraph store: it needs a namespace, a key and a value';
  }
}

const COMMON = new Set(
  (
    'memories memory facts fact profile profiles users user store semantic episodic procedural ' +
    'preferences notes collection agent default threads instructions'
  ).split(' '),
);

function lineOf(item: Imported): RecordLine | null {
  const namespace = namespaceOf(item);
  const key = textOf(item, 'key');
  if (namespace === null || key === undefined || item['value'] === undefined) return null;
  // If a row was exported as text, its value is a JSON text.
  const given = item['value'];
  const value = typeof given === 'string' ? (objectInText(given) ?? { content: given }) : given;
  const user = scopePart(namespace.find((part) => !COMMON.has(part.toLowerCase())));
  const found = isObject(value) ? contentOf(value) : undefined;
  const metadata = { langgraph: { namespace, key } };
  return memoryLine(['langgraph', namespace, key], {
    scope: { user },
    ...(found === undefined
      ? { type: 'note', title: key.slice(0, 500), content: JSON.stringify(value) }
      : { type: 'fact', content: found }),
    tags: namespace.filter((part) => part !== user).map((part) => part.slice(0, 100)),
    metadata: isObject(value) && found !== undefined ? { ...withoutContent(value), ...metadata } : metadata,
    createdAt: timeOf(item, 'created_at', 'createdAt'),
    updatedAt: timeOf(item, 'updated_at', 'updatedAt'),
  });
}

function namespaceOf(item: Imported): string[] | null {
  const { namespace, prefix } = item;
  if (Array.isArray(namespace)) return namespace.map(String).filter((part) => part !== '');
  const text = typeof namespace === 'string' ? namespace : prefix;
  return typeof text === 'string' ? text.split('.').filter((part) => part !== '') : null;
}

const CONTENT: readonly string[] = ['content', 'memory', 'data', 'text', 'fact', 'value'];

/** LangMem nests the text: `{ kind: 'Memory', content: { content: '…' } }`. */
function contentOf(value: Imported): string | undefined {
  const inner = value['content'];
  return isObject(inner) ? contentOf(inner) : textOf(value, ...CONTENT);
}

function withoutContent(value: Imported): Imported {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !CONTENT.includes(name)));
}
