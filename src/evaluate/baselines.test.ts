import { describe, expect, it } from 'vitest';
import { BASELINES, createBaselines } from './baselines.ts';

const document = (id: string, text: string, ...vector: number[]): Parameters<typeof createBaselines>[0][number] => ({
  id,
  text,
  vector: Float32Array.from(vector),
});

describe('baselines', () => {
  const { rank } = createBaselines([
    document('words', 'The harbour of Rotterdam', 0, 1, 0),
    document('meaning', 'Ships come in at the docks', 1, 0, 0),
    document('neither', 'She likes tea', 0.1, 0, 0.99),
    document('both', 'A ship in the harbour of Rotterdam', 0.8, 0.6, 0),
  ]);

  it('rank by words, by meaning and by both', () => {
    const ranked = rank({ text: 'Which harbour is in Rotterdam?', vector: Float32Array.of(1, 0, 0) });
    expect(Object.keys(ranked)).toEqual([...BASELINES]);
    expect(ranked.bm25).toEqual(['words', 'both']);
    expect(ranked.cosine.slice(0, 2)).toEqual(['meaning', 'both']);
    expect(ranked['z-sum'][0]).toBe('both');
    expect(ranked['reciprocal-rank'][0]).toBe('both');
  });

  it('return no more results than the limit', () => {
    expect(rank({ text: 'harbour', vector: Float32Array.of(0, 1, 0) }, 1)['z-sum']).toEqual(['words']);
  });
});
