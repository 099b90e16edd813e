import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const TYPE_CHECK = [
  '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --types node',
  '--target es2024 --module nodenext --moduleResolution nodenext',
].flatMap((flags) => flags.split(' '));

describe('docs/guide.md', () => {
  it('does what it says', { timeout: 60_000 }, () => {
    const guide = readFileSync('docs/guide.md', 'utf8');
    const program = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]).join('');
    const promised = [...program.matchAll(/^console\.log\(.*\/\/ → (.*)$/gm)].map((match) => match[1]);
    const folder = mkdtempSync(join('test', '.guide-'));
    try {
      const file = join(folder, 'guide.ts');
      writeFileSync(file, program.replaceAll("from 'varve'", "from '../../src/index.ts'"));
      execFileSync('node_modules/.bin/tsc', [...TYPE_CHECK, file], { encoding: 'utf8' });
      const printed = execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim().split('\n');
      expect(printed).toEqual(promised);
      expect(promised.length).toBeGreaterThan(15);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
