import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invalidInput, VarveError } from '../errors.ts';

/** A file to import: its name says something, and it can be opened more than once. */
export interface SourceFile {
  name: string;
  /** Bytes. */
  size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** What to import: one file, or the JSON files of a folder in the order of their names. */
export function importSource(path: string): SourceFile[] {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw new VarveError(`There is no ${path}.`, { code: 'not_found' });
  if (!info.isDirectory()) return [fileAt(path)];
  const files = readdirSync(path)
    .sort()
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile() && /\.(json|jsonl|ndjson)$|^[^.]*$/i.test(basename(file)));
  if (files.length === 0) throw invalidInput(`There is no .json, .jsonl or .ndjson file in ${path}.`);
  return files.map(fileAt);
}

function fileAt(path: string): SourceFile {
  return { name: basename(path), size: statSync(path).size, open: () => refuseArchives(path) };
}

// The first two bytes of gzip and of zip, in which exports come.
const ARCHIVES: readonly { begin: readonly number[]; unpack: string }[] = [
  { begin: [0x1f, 0x8b], unpack: 'gunzip' },
  { begin: [0x50, 0x4b], unpack: 'unzip' },
];

async function* refuseArchives(path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    const archive = isFirst ? ARCHIVES.find(({ begin }) => begin.every((byte, at) => chunk[at] === byte)) : undefined;
    if (archive !== undefined) throw invalidInput(`It is packed. Unpack it first: ${archive.unpack} ${path}`);
    isFirst = false;
    yield chunk;
  }
}

/** A text as a file, for tests and for what is at hand already. */
export function textSource(name: string, text: string): SourceFile {
  const bytes = new TextEncoder().encode(text);
  return {
    name,
    size: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

/** The same files, which say how many bytes were read of them. */
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
