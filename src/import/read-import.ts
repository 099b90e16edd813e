import { invalidInput } from '../errors.ts';
import { isObject } from './fields.ts';
import type { SourceFile } from './import-source.ts';
import { elementsOf } from './json-elements.ts';
import { readChatgpt } from './read-chatgpt.ts';
import { readEden } from './read-eden.ts';
import { readLanggraph } from './read-langgraph.ts';
import { readMem0, scrolled } from './read-mem0.ts';
import { readTranscripts } from './read-transcripts.ts';

type Reader = (files: readonly SourceFile[]) => AsyncGenerator<unknown>;

/** The formats that can be imported. */
export type ImportFormat = 'varve' | 'mem0' | 'chatgpt' | 'langgraph' | 'transcripts' | 'eden';

const READERS: Readonly<Record<ImportFormat, Reader>> = {
  varve: readVarve,
  mem0: readMem0,
  chatgpt: readChatgpt,
  langgraph: readLanggraph,
  transcripts: readTranscripts,
  eden: readEden,
};

export const IMPORT_FORMATS: readonly ImportFormat[] = Object.keys(READERS) as ImportFormat[];

/** The lines of what is to be imported. What is no record comes as a text that says why, for the report. */
export function readImport(files: readonly SourceFile[], format: ImportFormat): AsyncGenerator<unknown> {
  return READERS[format](files);
}

/** The format of files, from their names and their first value. */
export async function detectFormat(files: readonly SourceFile[]): Promise<ImportFormat> {
  let isEmpty = true;
  for (const file of files) {
    if (/memory_(sessions|user|agent)/.test(file.name)) return 'eden';
    const first = await elementsOf(file).next();
    if (first.done === true) continue;
    isEmpty = false;
    const format = formatOf(first.value.list, first.value.value);
    if (format !== null) return format;
  }
  if (isEmpty) throw invalidInput(`There is nothing in ${files.map(({ name }) => name).join(', ')}.`);
  throw invalidInput(
    `What ${files.map(({ name }) => name).join(', ')} holds is of no format that is known. If it is one of these, name it with --format: ${IMPORT_FORMATS.join(', ')}.`,
  );
}

function formatOf(list: string | null, value: unknown): ImportFormat | null {
  if (!isObject(value)) return null;
  const points = scrolled(value);
  if (points !== null) return formatOf(list, points[0]);
  if (list?.startsWith('memory_') || 'memory_type' in value) return 'eden';
  if ('record' in value) return 'varve';
  if ('mapping' in value) return 'chatgpt';
  if (('namespace' in value || 'prefix' in value) && 'key' in value) return 'langgraph';
  if ('memory' in value || (isObject(value['payload']) && 'data' in value['payload'])) return 'mem0';
  if ('messages' in value || 'role' in value || 'content' in value || 'text' in value) return 'transcripts';
  return null;
}

/** Varve's own export: its lines as they are. */
export async function* readVarve(files: readonly SourceFile[]): AsyncGenerator<unknown> {
  for (const file of files) for await (const { value } of elementsOf(file)) yield value;
}
