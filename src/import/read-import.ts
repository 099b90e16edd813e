import { invalidInput, messageOf } from '../errors.ts';
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

/** How the files of a format are recognised and read. */
interface ImportFormat {
  /** Returns the lines to import. For a value that is not a record, returns an error text for the report. */
  read: (files: readonly SourceFile[]) => AsyncGenerator<unknown>;
  /** A file with such a name always has this format. */
  named?: RegExp;
  /** Checks a whole file. For formats that cannot be recognised by a file's values. */
  isFile?: (file: SourceFile) => Promise<boolean>;
  /** Checks whether a value in a file is a record of this format. */
  isOne?: (value: Imported, element: Element) => boolean;
  /** How often its files are read. Default 1. */
  passes?: number;
  /** Whether a record without a user belongs to nobody. If false, it belongs to the user named in the command. */
  isScoped?: boolean;
}

/**
 * The formats that can be imported. A file is compared with all of them in this order, first by name, then as a whole, then by its values.
 * The order is important because several formats have a field `memory` or `content`.
 */
const FORMATS: ReadonlyMap<string, ImportFormat> = new Map(
  Object.entries<ImportFormat>({
    varve: { read: readVarve, isOne: (value) => 'record' in value, isScoped: true },
    eden: {
      read: readEden,
      named: /memory_(sessions|user|agent)/,
      isOne: (value, { list }) => list?.startsWith('memory_') === true || 'memory_type' in value,
      // There are two passes, because the collections refer to each other.
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
  }),
);

/** The names of the formats that can be imported. */
export const IMPORT_FORMATS: readonly string[] = [...FORMATS.keys()];

/** Finds a format by name. Throws `invalid_input` if there is none. */
export function importFormat(name: string): ImportFormat {
  const format = FORMATS.get(name);
  if (format === undefined) throw invalidInput(`There is no format ${name}. Formats: ${IMPORT_FORMATS.join(', ')}.`);
  return format;
}

/** Files of one format. They are read together, because in some formats the files refer to each other. */
export interface ImportGroup {
  format: string;
  files: SourceFile[];
}

/** The files that will be imported, by format, and the files that will not. */
interface ImportPlan {
  groups: ImportGroup[];
  left: LeftFile[];
}

/** Detects each file's format from its name and content. Throws if no file has a known format. */
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

/** Returns the lines of Varve's own export unchanged. */
async function* readVarve(files: readonly SourceFile[]): AsyncGenerator<unknown> {
  for await (const { value } of elementsIn(files)) yield value;
}
