import { invalidInput, messageOf } from '../errors.ts';
import type { FormatName } from './import-formats.ts';
import { type Imported, isObject, type LeftFile, type SourceFile } from './import-source.ts';
import { type Element, elementsIn, elementsOf } from './json-elements.ts';
import { readChatgpt } from './read-chatgpt.ts';
import { isClaude, readClaude } from './read-claude.ts';
import { readEden } from './read-eden.ts';
import { readLanggraph } from './read-langgraph.ts';
import { isLetta, readLetta } from './read-letta.ts';
import { readMarkdown } from './read-markdown.ts';
import { readMem0, scrolled } from './read-mem0.ts';
import { isSupermemory, readSupermemory } from './read-supermemory.ts';
import { isPlainTranscript, readTranscripts } from './read-transcripts.ts';
import { isZep, readZep } from './read-zep.ts';

interface ImportFormat {
  /** Returns the lines to import. A text in place of a line is an error for the report. */
  read: (files: readonly SourceFile[]) => AsyncGenerator<unknown>;
  /** A file with such a name always has this format. */
  named?: RegExp;
  /** For formats that only the whole file shows. */
  isFile?: (file: SourceFile) => Promise<boolean>;
  /** Whether a value in a file is a record of this format. */
  isOne?: (value: Imported, element: Element) => boolean;
  /** How often its files are read. Default 1. */
  passes?: number;
  /** Whether a record without a user belongs to nobody. If false, it belongs to the command's user. */
  isScoped?: boolean;
}

// A file is compared in this order, first by name, then as a whole, then by its values. Several formats have a field `memory` or `content`.
const READERS: Readonly<Record<FormatName, ImportFormat>> = {
  varve: { read: readVarve, isOne: (value) => 'record' in value, isScoped: true },
  eden: {
    read: readEden,
    named: /memory_(sessions|user|agent)/,
    isOne: (value, { list }) => list?.startsWith('memory_') === true || 'memory_type' in value,
    passes: 2,
  },
  chatgpt: { read: readChatgpt, isOne: (value) => 'mapping' in value },
  claude: { read: readClaude, isOne: (value) => isClaude(value) },
  letta: { read: readLetta, named: /\.af$/i, isOne: (_, element) => isLetta(element) },
  zep: { read: readZep, isOne: (_, element) => isZep(element) },
  supermemory: { read: readSupermemory, isOne: (value) => isSupermemory(value) },
  langgraph: {
    read: readLanggraph,
    isOne: (value) => ('namespace' in value || 'prefix' in value) && 'key' in value,
  },
  mem0: {
    read: readMem0,
    isOne: (value) => 'memory' in value || (isObject(value['payload']) && 'data' in value['payload']),
  },
  markdown: { read: readMarkdown, named: /\.(md|markdown)$/i },
  transcripts: {
    read: readTranscripts,
    isFile: isPlainTranscript,
    isOne: (value) => ['messages', 'role', 'content', 'text'].some((name) => name in value),
  },
};
const FORMATS: ReadonlyMap<string, ImportFormat> = new Map(Object.entries(READERS));

export const IMPORT_FORMATS: readonly string[] = [...FORMATS.keys()];

export function importFormat(name: string): ImportFormat {
  const format = FORMATS.get(name);
  if (format === undefined) throw invalidInput(`There is no format ${name}. Formats: ${IMPORT_FORMATS.join(', ')}.`);
  return format;
}

/** Read together, because in some formats the files refer to each other. */
export interface ImportGroup {
  format: string;
  files: SourceFile[];
}

interface ImportPlan {
  groups: ImportGroup[];
  left: LeftFile[];
}

/** Throws if no file has a known format. */
export async function planImport(files: readonly SourceFile[]): Promise<ImportPlan> {
  const found = new Map<string, SourceFile[]>();
  const left: LeftFile[] = [];
  for (const file of files) {
    const format = await formatOf(file).catch((error: unknown) => ({ problem: messageOf(error) }));
    if (typeof format === 'object') left.push({ file: file.name, ...format });
    else found.set(format, [...(found.get(format) ?? []), file]);
  }
  const groups = [...found].map(([format, own]) => ({ format, files: own }));
  if (groups.length > 0) return { groups, left };
  const problems = left.slice(0, 5).map(({ file, problem }) => `${file}: ${problem}`);
  throw invalidInput(
    `No file has a known format. If you know the format, name it with --format: ${IMPORT_FORMATS.join(', ')}. ${problems.join(' ')}`,
  );
}

const UNKNOWN = { problem: 'its content has no known format.' };

async function formatOf(file: SourceFile): Promise<string | { problem: string }> {
  for (const [name, { named }] of FORMATS) if (named?.test(file.name) === true) return name;
  for (const [name, { isFile }] of FORMATS) if ((await isFile?.(file)) === true) return name;
  const first = await elementsOf(file).next();
  if (first.done === true) return { problem: 'it is empty.' };
  return formatOfElement(first.value) ?? UNKNOWN;
}

function formatOfElement(element: Element): string | null {
  const { value } = element;
  if (!isObject(value)) return null;
  const points = scrolled(value);
  if (points !== null) return formatOfElement({ ...element, value: points[0] });
  for (const [name, { isOne }] of FORMATS) if (isOne?.(value, element) === true) return name;
  return null;
}

async function* readVarve(files: readonly SourceFile[]): AsyncGenerator<unknown> {
  for await (const { value } of elementsIn(files)) yield value;
}
