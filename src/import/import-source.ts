import { createReadStream, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { VarveError } from '../errors.ts';

/** A file to import: its name says something, and it can be opened more than once. */
export interface SourceFile {
  name: string;
  open(): AsyncIterable<Uint8Array>;
}

/** What to import: one file, or the files of a folder in the order of their names. */
export function importSource(path: string): SourceFile[] {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw new VarveError(`There is no ${path}.`, { code: 'not_found' });
  const paths = info.isDirectory()
    ? readdirSync(path)
        .sort()
        .map((name) => join(path, name))
    : [path];
  return paths
    .filter((file) => statSync(file).isFile() && /\.(json|jsonl|ndjson)$|^[^.]*$/i.test(basename(file)))
    .map((file) => ({ name: basename(file), open: () => createReadStream(file) }));
}

/** A text as a file, for tests and for what is at hand already. */
export function textSource(name: string, text: string): SourceFile {
  return {
    name,
    async *open() {
      yield new TextEncoder().encode(text);
    },
  };
}
