import { describe, expect, it } from 'vitest';
import type { Basis } from '../../record/block.ts';
import { contentHash } from '../../record/clock-and-ids.ts';
import { fitted, readBlockText, writeBlockText } from './document.ts';

describe('a document that is cut to its word limit', () => {
  it('[T1] drops the older line first, even if nothing that the newer line rests on is still stored', () => {
    const older = 'Waters the roses at dawn.';
    const newer = 'Keeps a rowing boat at the pier.';
    const text = `- 2026-02-03: ${older}\n- 2026-04-05: ${newer}`;
    const basis: Basis = { [contentHash(older)]: { rests: { mem_a: '' } }, [contentHash(newer)]: { rests: {} } };
    expect(writeBlockText(fitted(readBlockText(text, basis), 10)).text).toBe(`- 2026-04-05: ${newer}`);
  });
});
