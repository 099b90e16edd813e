import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invalidInput, notFound } from '../errors.ts';
import type { EventLine, MemoryLine } from '../operate/record-line.ts';
import type { NewEvent } from '../record/event.ts';
import { derivedId } from '../record/id.ts';
import type { NewMemory } from '../record/memory.ts';
import { jsonIn } from '../record/json.ts';
import { isObject } from '../record/parse.ts';
import type { ScopeInput } from '../record/scope.ts';

export { isObject };

export type Imported = Record<string, unknown>;

/** The first field that is not empty. Numbers and MongoDB ids become texts. */
export function textOf(record: Imported, ...fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = plain(record[field]);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

export function textsOf(record: Imported, field: string): string[] {
  const value = record[field];
  const values = Array.isArray(value) ? value : value == null ? [] : [value];
  return values.map(plain).flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
}

/** Accepts ISO 8601, Unix seconds or milliseconds, and MongoDB's `$date`. */
export function timeOf(record: Imported, ...fields: readonly string[]): Date | undefined {
  for (const field of fields) {
    const value = plain(record[field]);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const number = typeof value === 'number' ? value : /^\d{9,17}(\.\d+)?$/.test(value) ? Number(value) : null;
    // Unix seconds stay below this limit until the year 5138, and Unix milliseconds have been above it since 1973.
    const time = number === null ? new Date(value) : new Date(number < 1e11 ? number * 1000 : number);
    if (!Number.isNaN(time.getTime())) return time;
  }
  return undefined;
}

/** Returns undefined for plain text, even if it begins like JSON. */
export function objectInText(text: string): Imported | undefined {
  return text.startsWith('{') ? (jsonIn(text) as Imported | undefined) : undefined;
}

function plain(value: unknown): unknown {
  if (!isObject(value)) return value;
  if ('$oid' in value) return value['$oid'];
  if ('$numberLong' in value) return Number(value['$numberLong']);
  if ('$date' in value) return plain(value['$date']);
  return value;
}

export function scopePart(text: string | undefined): string | undefined {
  const part = text?.replaceAll(/\p{C}/gu, '').trim().slice(0, 200).trim();
  return part === '' ? undefined : part;
}

export function objectOf(record: Imported, field: string): Imported {
  const value = record[field];
  return isObject(value) ? value : {};
}

export function objectsOf(record: Imported, field: string): Imported[] {
  const value = record[field];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The id depends only on `identity`, so that importing twice changes nothing. */
export function eventLine(
  identity: readonly unknown[],
  { scope, ...data }: NewEvent & { scope: ScopeInput },
): EventLine {
  const id = derivedId('evt', identity);
  const kind = data.origin === 'tool' ? 'tool_result' : 'message';
  const content = data.content.slice(0, 500_000);
  return { record: 'event', id, scope, data: { kind, idempotencyKey: id, ...data, content } };
}

interface ImportedMemory extends NewMemory {
  scope: ScopeInput;
  createdAt?: Date;
  updatedAt?: Date;
}

/** The id depends only on `identity`. Default of `statedAt`: the time of the last update. */
export function memoryLine(
  identity: readonly unknown[],
  { scope, createdAt, updatedAt = createdAt, ...fields }: ImportedMemory,
): MemoryLine {
  const content = fields.content.slice(0, 20_000);
  const data = { sourceType: 'import', statedAt: updatedAt, ...fields, content } as const;
  return { record: 'memory', id: derivedId('mem', identity), scope, data, createdAt, updatedAt };
}

/** Can be opened more than once. */
export interface SourceFile {
  name: string;
  /** Bytes. */
  size: number;
  open(): AsyncIterable<Uint8Array>;
}

export function fileTitle(path: string): string {
  return basename(path).replace(/\.\w+$/, '');
}

export interface LeftFile {
  file: string;
  problem: string;
}

export function importSource(path: string): { files: SourceFile[]; others: LeftFile[] } {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw notFound(`There is no file or folder ${path}.`);
  if (!info.isDirectory()) return { files: [fileAt(path, basename(path))], others: [] };
  const { files = [], others = [] } = Object.groupBy(filesBelow(path, ''), ({ name, isLink }) =>
    !isLink && READABLE.test(basename(name)) ? 'files' : 'others',
  );
  if (files.length === 0) throw invalidInput(`There is no .json, .jsonl, .ndjson, .af, .md or .txt file in ${path}.`);
  const problemOf = (isLink: boolean): string =>
    isLink ? 'links are not followed.' : 'files of this kind are not read.';
  return {
    files: files.map(({ name }) => fileAt(join(path, name), name)),
    others: others.map(({ name, isLink }) => ({ file: name, problem: problemOf(isLink) })),
  };
}

const READABLE = /\.(json|jsonl|ndjson|af|md|markdown|txt)$|^[^.]*$/i;

/** Skips names that begin with a dot: programs keep settings, trash or versions there. */
function filesBelow(root: string, folder: string): { name: string; isLink: boolean }[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(root, name);
      const isLink = entry.isSymbolicLink();
      return entry.isFile() || isLink ? [{ name, isLink }] : [];
    });
}

function fileAt(path: string, name: string): SourceFile {
  return { name, size: statSync(path).size, open: () => refuseArchives(path) };
}

// Magic numbers. Exports are often compressed, so the error names the command that unpacks them.
const ARCHIVES: readonly { begin: readonly number[]; unpack: string }[] = [
  { begin: [0x1f, 0x8b], unpack: 'gunzip' },
  { begin: [0x50, 0x4b], unpack: 'unzip' },
];

async function* refuseArchives(path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    const archive = isFirst ? ARCHIVES.find(({ begin }) => begin.every((byte, at) => chunk[at] === byte)) : undefined;
    if (archive !== undefined) throw invalidInput(`The file is compressed. Unpack it first: ${archive.unpack} ${path}`);
    isFirst = false;
    yield chunk;
  }
}

export function counted(files: readonly SourceFile[], onRead: (bytes: number) => void): SourceFile[] {
  return files.map((file) => ({
    ...file,
    async *open() {
      for await (const chunk of file.open()) {
        onRead(chunk.length);
        yield chunk;
      }
    },
  }));
}
