import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invalidInput, VarveError } from '../errors.ts';
import { isObject } from '../record/parse.ts';

export { isObject };

/** An unvalidated record of a foreign format. */
export type Foreign = Record<string, unknown>;

/** The first of the fields with a non-empty text. Numbers and MongoDB's ids count as texts. */
export function textOf(record: Foreign, ...fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = plain(record[field]);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The texts of a list; a single text counts as a list of one. */
export function textsOf(record: Foreign, field: string): string[] {
  const value = record[field];
  const values = Array.isArray(value) ? value : value == null ? [] : [value];
  return values.map(plain).flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
}

/** Parses a time in any of the formats of exports: ISO 8601, Unix seconds or milliseconds, MongoDB's `$date`. */
export function timeOf(record: Foreign, ...fields: readonly string[]): Date | undefined {
  for (const field of fields) {
    const value = plain(record[field]);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const number = typeof value === 'number' ? value : /^\d{9,17}(\.\d+)?$/.test(value) ? Number(value) : null;
    // Unix seconds stay below this number until the year 5138; Unix milliseconds are above it since 1973.
    const time = number === null ? new Date(value) : new Date(number < 1e11 ? number * 1000 : number);
    if (!Number.isNaN(time.getTime())) return time;
  }
  return undefined;
}

/** MongoDB's extended JSON as plain JSON. */
function plain(value: unknown): unknown {
  if (!isObject(value)) return value;
  if ('$oid' in value) return value['$oid'];
  if ('$numberLong' in value) return Number(value['$numberLong']);
  if ('$date' in value) return plain(value['$date']);
  return value;
}

/** A text as a part of a scope; undefined when it is not valid as one. */
export function scopePart(text: string | undefined): string | undefined {
  const part = text?.replaceAll(/\p{C}/gu, '').trim().slice(0, 200).trim();
  return part === '' ? undefined : part;
}

/** A file to import. Its name helps to detect the format, and it can be opened more than once. */
export interface SourceFile {
  name: string;
  /** Bytes. */
  size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** A file that is not read, and why. */
export interface LeftFile {
  file: string;
  problem: string;
}

/** The files to import: one file, or all files below a folder, sorted by name. */
export function importSource(path: string): { files: SourceFile[]; others: LeftFile[] } {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw new VarveError(`There is no file or folder ${path}.`, { code: 'not_found' });
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

/** The files below a folder. Names that begin with a dot are skipped: they hold a program's settings, trash or versions. */
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

// The magic numbers of gzip and zip: exports are often compressed.
const ARCHIVES: readonly { begin: readonly number[]; unpack: string }[] = [
  { begin: [0x1f, 0x8b], unpack: 'gunzip' },
  { begin: [0x50, 0x4b], unpack: 'unzip' },
];

async function* refuseArchives(path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    const archive = isFirst ? ARCHIVES.find(({ begin }) => begin.every((byte, at) => chunk[at] === byte)) : undefined;
    if (archive !== undefined) throw invalidInput(`It is compressed. Unpack it first: ${archive.unpack} ${path}`);
    isFirst = false;
    yield chunk;
  }
}

/** The same files, with a callback for the number of bytes read. */
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
