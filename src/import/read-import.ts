import { invalidInput } from '../errors.ts';
import { isObject } from './fields.ts';
import { jsonElements } from './json-elements.ts';
import type { SourceFile } from './import-source.ts';
import { readChatgpt } from './read-chatgpt.ts';
import { readEden } from './read-eden.ts';
import { readLanggraph } from './read-langgraph.ts';
import { readMem0 } from './read-mem0.ts';
import { readTranscripts } from './read-transcripts.ts';
import { readVarve } from './read-varve.ts';

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
  for (const file of files) {
    if (/memory_(sessions|user|agent)/.test(file.name)) return 'eden';
    const { value: first } = await jsonElements(file.open()).next();
    const format =
      first === undefined
        ? null
        : formatOf((first as { list: string | null }).list, (first as { value: unknown }).value);
    if (format !== null) return format;
  }
  throw invalidInput(`The format cannot be told. Name it: ${IMPORT_FORMATS.join(', ')}.`);
}

function formatOf(list: string | null, value: unknown): ImportFormat | null {
  if (!isObject(value)) return null;
  if (list?.startsWith('memory_') || 'memory_type' in value) return 'eden';
  if ('record' in value) return 'varve';
  if ('mapping' in value) return 'chatgpt';
  if (('namespace' in value || 'prefix' in value) && 'key' in value) return 'langgraph';
  if ('memory' in value || (isObject(value['payload']) && 'data' in value['payload'])) return 'mem0';
  if ('messages' in value || 'role' in value || 'content' in value || 'text' in value) return 'transcripts';
  return null;
}
