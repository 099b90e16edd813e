import { invalidInput, messageOf } from '../errors.ts';
import { type Foreign, isObject, type LeftFile, type SourceFile } from './import-source.ts';
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

type Reader = (files: readonly SourceFile[]) => AsyncGenerator<unknown>;

/** The formats that can be imported. */
export const IMPORT_FORMATS = [
  'varve',
  'mem0',
  'zep',
  'letta',
  'supermemory',
  'langgraph',
  'chatgpt',
  'claude',
  'markdown',
  'transcripts',
  'eden',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

const READERS: Readonly<Record<ImportFormat, Reader>> = {
  varve: readVarve,
  mem0: readMem0,
  zep: readZep,
  letta: readLetta,
  supermemory: readSupermemory,
  langgraph: readLanggraph,
  chatgpt: readChatgpt,
  claude: readClaude,
  markdown: readMarkdown,
  transcripts: readTranscripts,
  eden: readEden,
};

/** Files of one format, which are read together: the files of some formats refer to each other. */
export interface ImportGroup {
  format: ImportFormat;
  files: SourceFile[];
}

/** The files that will be read, by format, and the files that will not. */
interface ImportPlan {
  groups: ImportGroup[];
  left: LeftFile[];
}

/** The lines to import. A value that is not a record is returned as an error text for the report. */
export function readImport(files: readonly SourceFile[], format: ImportFormat): AsyncGenerator<unknown> {
  return READERS[format](files);
}

/** Detects the format of each file from its name and its first value. Throws when no file has a known format. */
export async function planImport(files: readonly SourceFile[]): Promise<ImportPlan> {
  const found = new Map<ImportFormat, SourceFile[]>();
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

async function formatOf(file: SourceFile): Promise<ImportFormat | { problem: string }> {
  if (/memory_(sessions|user|agent)/.test(file.name)) return 'eden';
  if (/\.(md|markdown)$/i.test(file.name)) return 'markdown';
  if (/\.af$/i.test(file.name)) return 'letta';
  if (await isPlainTranscript(file)) return 'transcripts';
  const first = await elementsOf(file).next();
  if (first.done === true) return { problem: 'it is empty.' };
  return formatOfElement(first.value) ?? UNKNOWN;
}

/** How the records of a format are recognised. The order matters: several formats call a field `memory` or `content`. */
const SIGNS: readonly (readonly [ImportFormat, (value: Foreign, element: Element) => boolean])[] = [
  ['eden', (value, { list }) => list?.startsWith('memory_') === true || 'memory_type' in value],
  ['varve', (value) => 'record' in value],
  ['chatgpt', (value) => 'mapping' in value],
  ['claude', (value) => isClaude(value)],
  ['letta', (_, element) => isLetta(element)],
  ['zep', (_, element) => isZep(element)],
  ['supermemory', (value) => isSupermemory(value)],
  ['langgraph', (value) => ('namespace' in value || 'prefix' in value) && 'key' in value],
  ['mem0', (value) => 'memory' in value || (isObject(value['payload']) && 'data' in value['payload'])],
  ['transcripts', (value) => ['messages', 'role', 'content', 'text'].some((name) => name in value)],
];

function formatOfElement(element: Element): ImportFormat | null {
  const { value } = element;
  if (!isObject(value)) return null;
  const points = scrolled(value);
  if (points !== null) return formatOfElement({ ...element, value: points[0] });
  return SIGNS.find(([, isOne]) => isOne(value, element))?.[0] ?? null;
}

/** The lines of Varve's own export, unchanged. */
async function* readVarve(files: readonly SourceFile[]): AsyncGenerator<unknown> {
  for await (const { value } of elementsIn(files)) yield value;
}
