import { describe, expect, it } from 'vitest';
import type { Basis } from '../../record/block.ts';
import { contentHash } from '../../record/id.ts';
import { fitted, fittedSections, readBlockText, writeBlockText } from './document.ts';

describe('a document that is cut to its word limit', () => {
  it('[T1] drops the older line first, even if the newer line has no stored source left', () => {
    const older = 'Waters the roses at dawn.';
    const newer = 'Keeps a rowing boat at the pier.';
    const text = `- 2026-02-03: ${older}\n- 2026-04-05: ${newer}`;
    const basis: Basis = { [contentHash(older)]: { rests: { mem_a: '' } }, [contentHash(newer)]: { rests: {} } };
    expect(writeBlockText(fitted(readBlockText(text, basis), 10)).text).toBe(`- 2026-04-05: ${newer}`);
  });

  it('[K10] with sections, drops handwritten lines last', () => {
    const [own, formed, prose] = ['Never call before nine.', 'Rows on the lake on Sundays.', 'Grew up by the sea.'];
    const text = `## Personal\n\n- 2026-02-03: ${own}\n- 2026-04-05: ${formed}\n\n## Work\n\n${prose}`;
    const basis: Basis = { [contentHash(formed)]: { rests: { mem_a: '' } }, [contentHash(prose)]: { rests: {} } };
    const options = { sections: ['Personal', 'Work'], importance: new Map([['mem_a', 0.9]]) };
    const left = (limit: number): string[] =>
      fittedSections(readBlockText(text, basis), limit, options).sentences.map((sentence) => sentence.text);
    expect(left(16)).toEqual([own, prose]);
    expect(left(10)).toEqual([own]);
    expect(left(9)).toEqual([]);
  });
});
