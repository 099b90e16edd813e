import { describe, expect, it } from 'vitest';
import { flat, quotedShare } from './says.ts';

describe('quotedShare', () => {
  const turn = 'Do. Badagry is out, the road is terrible. I will use Makoko instead from Monday on';

  it('finds a turn that is quoted sentence by sentence, with dates in brackets, in any order', () => {
    const prompt =
      '- 2025-10-24: I will use Makoko instead from Monday [27 October 2025] on\n- Badagry is out, the road is terrible.';
    expect(quotedShare(turn, flat(prompt))).toBe(1);
  });

  it('is the quoted share of the characters of the turn if a sentence is missing', () => {
    expect(quotedShare(turn, flat('Badagry is out, the road is terrible.'))).toBeCloseTo(36 / (36 + 41), 2);
    expect(quotedShare(turn, flat('Do the dishes.'))).toBe(0);
  });

  it('does not count short sentences, which occur anywhere, as quotations', () => {
    expect(quotedShare('Do. No, thanks.', flat('Do you want tea? No, thanks.'))).toBe(0);
  });

  it('detects the ends of sentences in scripts without spaces', () => {
    const said = '我住在里斯本的一间小公寓里。我在医院做夜班护士已经三年了。';
    expect(quotedShare(said, flat('「我在医院做夜班护士已经三年了」'))).toBeGreaterThan(0.4);
  });
});
