import type { RecordLine } from '../operate/record-line.ts';
import { derivedId } from '../record/id.ts';
import { type Foreign, isObject, scopePart, type SourceFile, textOf, timeOf } from './import-source.ts';
import { elementsOf } from './json-elements.ts';

/**
 * LangGraph's store: items `{ namespace: ['memories', 'ana'], key, value, created_at }`, or rows of its table, whose `prefix` is the
 * namespace joined with dots. The first part of a namespace that is not a common word is read as the user.
 */
export async function* readLanggraph(files: readonly SourceFile[]): AsyncGenerator<RecordLine | string> {
  for (const file of files) {
    for await (const { value } of elementsOf(file)) {
      const line = isObject(value) ? lineOf(value) : null;
      yield line ?? 'not an item of a LangGraph store: it needs a namespace, a key and a value';
    }
  }
}

const COMMON = new Set(
  (
    'memories memory facts fact profile profiles users user store semantic episodic procedural ' +
    'preferences notes collection agent default threads instructions'
  ).split(' '),
);

function lineOf(item: Foreign): RecordLine | null {
  const namespace = namespaceOf(item);
  const key = textOf(item, 'key');
  if (namespace === null || key === undefined || item['value'] === undefined) return null;
  const value = typeof item['value'] === 'string' ? valueOf(item['value']) : item['value'];
  const user = scopePart(namespace.find((part) => !COMMON.has(part.toLowerCase())));
  const createdAt = timeOf(item, 'created_at', 'createdAt');
  const updatedAt = timeOf(item, 'updated_at', 'updatedAt') ?? createdAt;
  const found = isObject(value) ? contentOf(value) : undefined;
  const metadata = { langgraph: { namespace, key } };
  return {
    record: 'memory',
    id: derivedId('mem', ['langgraph', namespace, key]),
    scope: { user },
    data: {
      // A value without a text field is kept whole, as a note.
      ...(found === undefined
        ? { type: 'note', title: key.slice(0, 500), content: JSON.stringify(value).slice(0, 20_000) }
        : { type: 'fact', content: found.slice(0, 20_000) }),
      sourceType: 'import',
      statedAt: updatedAt,
      tags: namespace.filter((part) => part !== user).map((part) => part.slice(0, 100)),
      metadata: isObject(value) && found !== undefined ? { ...withoutContent(value), ...metadata } : metadata,
    },
    createdAt,
    updatedAt,
  };
}

/** In a row that was exported as text the value is a JSON string. */
function valueOf(text: string): unknown {
  if (!text.startsWith('{')) return { content: text };
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A text that begins like JSON but is not valid JSON stays a text.
    return { content: text };
  }
}

function namespaceOf(item: Foreign): string[] | null {
  const { namespace, prefix } = item;
  if (Array.isArray(namespace)) return namespace.map(String).filter((part) => part !== '');
  const text = typeof namespace === 'string' ? namespace : prefix;
  return typeof text === 'string' ? text.split('.').filter((part) => part !== '') : null;
}

const CONTENT = ['content', 'memory', 'data', 'text', 'fact', 'value'] as const;

/** The text of a value. LangMem wraps it: `{ kind: 'Memory', content: { content: '…' } }`. */
function contentOf(value: Foreign): string | undefined {
  const inner = value['content'];
  return isObject(inner) ? contentOf(inner) : textOf(value, ...CONTENT);
}

function withoutContent(value: Foreign): Foreign {
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !CONTENT.includes(name as (typeof CONTENT)[number])),
  );
}
