import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeWhole } from './commands/data-commands.ts';

describe('writing a file atomically', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'varve-whole-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('creates the file when everything is written', async () => {
    const file = join(folder, 'backup.ndjson');
    await writeWhole(file, lines());
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['one\ntwo\n', ['backup.ndjson']]);
  });

  it('keeps the old file when the write fails, and leaves no temporary file', async () => {
    const file = join(folder, 'backup.ndjson');
    writeFileSync(file, 'the backup of yesterday');
    async function* broken(): AsyncGenerator<string> {
      yield* lines();
      throw new Error('The database went away.');
    }
    await expect(writeWhole(file, broken())).rejects.toThrow('went away');
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['the backup of yesterday', ['backup.ndjson']]);
  });

  it('writes directly to a path that is not a regular file', async () => {
    await writeWhole('/dev/null', lines());
  });
});

async function* lines(): AsyncGenerator<string> {
  yield 'one\n';
  yield 'two\n';
}
