import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import { withoutEnd } from '../language/words.ts';
import type { Memory } from '../record/memory.ts';
import { parse } from '../record/parse.ts';
import { assertHasUser, type KeyedNote, keyedNotes, type KeyedNotes } from './keyed-notes.ts';

/** A command of Anthropic's memory tool (`memory_20250818`). */
export type MemoryCommand =
  | { command: 'view'; path: string; view_range?: number[] }
  | { command: 'create'; path: string; file_text: string }
  | { command: 'str_replace'; path: string; old_str: string; new_str?: string }
  | { command: 'insert'; path: string; insert_line: number; insert_text: string }
  | { command: 'delete'; path: string }
  | { command: 'rename'; old_path: string; new_path: string };

/** Keeps the files of Anthropic's memory tool in Varve. */
export interface AnthropicMemory {
  /** Returns the text for the model. Never throws: the text also describes errors. */
  execute(command: MemoryCommand): Promise<string>;
  /** One function per command, for Anthropic's SDK: `betaMemoryTool(anthropicMemory(handle).handlers)`. */
  handlers: MemoryHandlers;
}

/** The handlers that `betaMemoryTool` of `@anthropic-ai/sdk` expects. */
export type MemoryHandlers = {
  [Name in MemoryCommand['command']]: (command: Extract<MemoryCommand, { command: Name }>) => Promise<string>;
};

const path = z.string().max(1000);
const commandSchema = z.discriminatedUnion('command', [
  z.object({ command: z.literal('view'), path, view_range: z.tuple([z.int(), z.int()]).nullish() }),
  z.object({ command: z.literal('create'), path, file_text: z.string() }),
  z.object({ command: z.literal('str_replace'), path, old_str: z.string().min(1), new_str: z.string().default('') }),
  z.object({ command: z.literal('insert'), path, insert_line: z.int(), insert_text: z.string() }),
  z.object({ command: z.literal('delete'), path }),
  z.object({ command: z.literal('rename'), old_path: path, new_path: path }),
]);

/** A backend for the memory tool. Each file is a note of the handle's user, with a history. Throws if the handle has no user. */
export function anthropicMemory(handle: Pick<Handle, 'memories' | 'scope'>): AnthropicMemory {
  assertHasUser(handle, 'The memory tool');
  const files = keyedNotes(handle, 'memory_file');
  const execute = async (command: MemoryCommand): Promise<string> => {
    try {
      const parsed = parse(commandSchema, command, 'The command');
      return await files.inTurn(() => run(files, parsed));
    } catch (error) {
      if (error instanceof Refused) return error.message;
      return `Error: ${messageOf(error)}`;
    }
  };
  const changing = { create: execute, str_replace: execute, insert: execute, delete: execute, rename: execute };
  return { execute, handlers: { view: execute, ...changing } };
}

/** The message is the tool's answer for the model. */
class Refused extends Error {}

async function run(files: KeyedNotes, command: z.output<typeof commandSchema>): Promise<string> {
  switch (command.command) {
    case 'view':
      return view(files, command.path, command.view_range ?? null);
    case 'create': {
      const place = filePlace(command.path);
      if ((await files.get(place)) !== null) throw new Refused(`Error: File ${command.path} already exists`);
      await write(files, place, command.file_text);
      return `File created successfully at: ${command.path}`;
    }
    case 'str_replace':
      return replace(files, command);
    case 'insert':
      return insert(files, command);
    case 'delete':
      return remove(files, command.path);
    case 'rename':
      return rename(files, command.old_path, command.new_path);
  }
}

const ROOT = 'memories';

/** Refuses paths outside of /memories. */
function placeOf(given: string): string[] {
  let decoded: string;
  try {
    // Decoded before the check, because "%2e%2e" stands for "..".
    decoded = decodeURIComponent(given);
  } catch (error) {
    throw new Refused(`Error: The path ${given} is not valid: ${messageOf(error)}`);
  }
  const parts = withoutEnd(decoded, '/').split('/');
  const isInside = parts[0] === '' && parts[1] === ROOT;
  const inner = parts.slice(2);
  const isPlain = inner.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\p{C}]/u.test(part));
  if (!isInside || !isPlain) throw new Refused(`Error: The path ${given} is not allowed: it must lie within /memories`);
  return inner;
}

function filePlace(given: string): string[] {
  const place = placeOf(given);
  if (place.length === 0) throw new Refused(`Error: ${given} is the memory directory, not a file`);
  return place;
}

async function fileAt(files: KeyedNotes, given: string, otherwise: string): Promise<Memory> {
  const memory = await files.get(filePlace(given));
  if (memory === null) throw new Refused(otherwise);
  return memory;
}

// A note cannot be empty. Metadata marks this content as that of an empty file.
const EMPTY = '(empty)';

function textOf({ content, metadata }: Memory): string {
  return metadata['empty'] === true ? '' : content;
}

function noteOf(place: readonly string[], text: string): KeyedNote {
  const empty = text.trim() === '';
  return { title: place.join('/'), content: empty ? EMPTY : text, metadata: { place, ...(empty ? { empty } : {}) } };
}

async function write(files: KeyedNotes, place: readonly string[], text: string): Promise<void> {
  await files.put(place, noteOf(place, text));
}

async function view(files: KeyedNotes, given: string, range: readonly number[] | null): Promise<string> {
  const place = placeOf(given);
  const file = place.length === 0 ? null : await files.get(place);
  if (file !== null) return `Here's the content of ${given} with line numbers:\n${numbered(textOf(file), range)}`;
  const below = await files.list(place);
  if (below.length === 0 && place.length > 0) {
    throw new Refused(`The path ${given} does not exist. Please provide a valid path.`);
  }
  return listing(['', ROOT, ...place].join('/'), place, below);
}

function numbered(text: string, range: readonly number[] | null): string {
  const lines = text.split('\n');
  const [first = 1, last = -1] = range ?? [];
  const end = last === -1 ? lines.length : last;
  return lines
    .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
    .slice(Math.max(first, 1) - 1, end)
    .join('\n');
}

function listing(directory: string, place: readonly string[], below: readonly Memory[]): string {
  const sizes = new Map<string, number>([[directory, 0]]);
  for (const memory of below) {
    const parts = (memory.metadata['place'] as string[]).slice(place.length);
    if (parts.some((part) => part.startsWith('.'))) continue;
    const bytes = Buffer.byteLength(textOf(memory));
    for (let depth = 0; depth <= Math.min(parts.length, 2); depth += 1) {
      const name = [directory, ...parts.slice(0, depth)].join('/');
      sizes.set(name, (sizes.get(name) ?? 0) + bytes);
    }
  }
  const rows = [...sizes]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, bytes]) => `${sizeOf(bytes)}\t${name}`);
  return `Here're the files and directories up to 2 levels deep in ${directory}, excluding hidden items and node_modules:\n${rows.join('\n')}`;
}

function sizeOf(bytes: number): string {
  return bytes < 1024 ? `${bytes}B` : `${(bytes / 1024).toFixed(1)}K`;
}

async function replace(
  files: KeyedNotes,
  { path: given, old_str, new_str }: { path: string; old_str: string; new_str: string },
): Promise<string> {
  const memory = await fileAt(files, given, `Error: The path ${given} does not exist. Please provide a valid path.`);
  const text = textOf(memory);
  const places = occurrences(text, old_str);
  if (places.length === 0) {
    throw new Refused(`No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${given}.`);
  }
  if (places.length > 1) {
    const lines = places.map((index) => text.slice(0, index).split('\n').length).join(', ');
    throw new Refused(
      `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines: ${lines}. Please ensure it is unique`,
    );
  }
  const [start = 0] = places;
  const next = text.slice(0, start) + new_str + text.slice(start + old_str.length);
  await write(files, filePlace(given), next);
  const line = text.slice(0, start).split('\n').length;
  return `The memory file has been edited.\n${numbered(next, [line - 2, line + new_str.split('\n').length + 1])}`;
}

function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let index = text.indexOf(part); index !== -1; index = text.indexOf(part, index + 1)) found.push(index);
  return found;
}

async function insert(
  files: KeyedNotes,
  { path: given, insert_line, insert_text }: { path: string; insert_line: number; insert_text: string },
): Promise<string> {
  const memory = await fileAt(files, given, `Error: The path ${given} does not exist`);
  const text = textOf(memory);
  const lines = text === '' ? [] : text.split('\n');
  if (insert_line < 0 || insert_line > lines.length) {
    throw new Refused(
      `Error: Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  lines.splice(insert_line, 0, ...insert_text.replace(/\n$/, '').split('\n'));
  await write(files, filePlace(given), lines.join('\n'));
  return `The file ${given} has been edited.`;
}

async function remove(files: KeyedNotes, given: string): Promise<string> {
  const place = filePlace(given);
  const file = await files.get(place);
  const gone = file === null ? await files.list(place) : [file];
  if (gone.length === 0) throw new Refused(`Error: The path ${given} does not exist`);
  for (const memory of gone) await files.remove(memory);
  return `Successfully deleted ${given}`;
}

async function rename(files: KeyedNotes, from: string, to: string): Promise<string> {
  const [source, target] = [filePlace(from), filePlace(to)];
  const file = await files.get(source);
  const moved = file === null ? await files.list(source) : [file];
  if (moved.length === 0) throw new Refused(`Error: The path ${from} does not exist`);
  const taken = (await files.get(target)) !== null || (await files.list(target)).length > 0;
  if (taken) throw new Refused(`Error: The destination ${to} already exists`);
  for (const memory of moved) {
    const place = [...target, ...(memory.metadata['place'] as string[]).slice(source.length)];
    await files.move(memory, place, noteOf(place, textOf(memory)));
  }
  return `Successfully renamed ${from} to ${to}`;
}
