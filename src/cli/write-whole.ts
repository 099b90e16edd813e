import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a file under another name first: half an export must not stand where a whole one stood, or look like one. */
export async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  // A device or a pipe is written to as it is.
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  const part = isFile ? `${file}.part` : file;
  try {
    await pipeline(Readable.from(lines), createWriteStream(part, { mode: 0o600 }));
    if (isFile) renameSync(part, file);
  } catch (error) {
    if (isFile) rmSync(part, { force: true });
    throw error;
  }
}
