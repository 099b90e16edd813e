import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

// The scorer of the benchmark is outside the repository and imports some files of src/ by their paths.
const root = join(import.meta.dirname, '..');
const lives = join(root, '../shared/bench/lives');
const scorer = join(lives, 'score.ts');

describe.skipIf(!existsSync(scorer))('the shared scorer of lives', () => {
  it('the scorer finds the files that it imports, and scores a life', { timeout: 120_000 }, () => {
    const report = execFileSync(process.execPath, [scorer, join(lives, 'dev/a01.json')], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(report).toMatch(/kept of what holds \d+\/\d+/u);
  });
});
