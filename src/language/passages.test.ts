import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passagesOf } from './sentences.ts';
import { estimateTokens } from './words.ts';

const cut = (text: string): string[] => passagesOf(text).map(({ start, end }) => text.slice(start, end));

const LETTER = [
  'The lease for the workshop on Quay Street ends in March, and the landlord wants four hundred more a month.',
  'I have looked at two other places, one behind the bakery and one out by the ring road.',
  'The one behind the bakery is dry but has no door that is wide enough for the van.',
  'Out by the ring road there is space for three benches and the paint booth.',
  'It floods, though.',
  'My brother-in-law Tobias says the council will raise the road next year, and he usually knows.',
  'He sat on the planning committee until he fell out with the chairwoman over the swimming pool.',
  'If we move we need to tell the insurer sixty days before, and the fire brigade has to inspect the booth.',
  'Bettina would rather stay, because the customers find us here and the school is around the corner.',
  'Could you set the costs of all three against each other before the meeting on the ninth?',
].join(' ');

describe('passagesOf', () => {
  it('leaves a short text whole, white space included', () => {
    for (const text of ['', ' ', 'Hello.', `  ${'A short remark about the weather. '.repeat(5)}`]) {
      expect(passagesOf(text)).toEqual([{ start: 0, end: text.length }]);
    }
  });

  it('cuts a long text at the ends of sentences, into passages of 50 to 120 tokens', () => {
    const passages = cut(LETTER);
    expect(passages.length).toBeGreaterThan(1);
    for (const passage of passages) {
      expect(estimateTokens(passage)).toBeGreaterThanOrEqual(50);
      expect(estimateTokens(passage)).toBeLessThanOrEqual(120);
      expect(passage).toMatch(/^[A-Z].*[.?]$/s);
    }
  });

  it('repeats only a short last sentence at the start of the next passage', () => {
    const text = `${'The committee met again and talked about the pool for an hour. '.repeat(30)}`.trim();
    const spans = passagesOf(text);
    for (const [index, span] of spans.entries()) {
      const previous = spans[index - 1];
      if (previous === undefined) continue;
      expect(text.slice(span.start, previous.end)).toBe(
        'The committee met again and talked about the pool for an hour.',
      );
    }
  });

  it('repeats less than 34 % of the tokens of a text', () => {
    const text = `${LETTER} `.repeat(20);
    const sum = cut(text).reduce((total, passage) => total + estimateTokens(passage), 0);
    expect(sum).toBeLessThan(estimateTokens(text) * 1.34);
  });

  it('cuts a text without sentences between words, and a text without words between characters', () => {
    for (const passage of cut('workbench '.repeat(800))) expect(passage).toMatch(/^(?:workbench ?)+$/);
    expect(Math.max(...cut('1.\n'.repeat(5000)).map((passage) => passage.length))).toBeLessThan(500);
    for (const passage of cut('𠮷'.repeat(900))) expect(passage.isWellFormed()).toBe(true);
  });

  it('covers every text in order, with gaps only at white space and list markers', () => {
    const piece = fc.oneof(
      fc.constantFrom('I moved to Linz. ', '\n- milk\n', '3. eggs\n', '今日は雨です。', 'a'.repeat(700), '\n\n', '😀 '),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        const spans = passagesOf(text);
        let end = 0;
        for (const span of spans) {
          expect(span.end).toBeGreaterThan(span.start - 1);
          expect(text.slice(end, Math.max(end, span.start))).toMatch(/^(?:\s|[-*•–—]|\d{1,2}[.)])*$/u);
          expect(span.end).toBeGreaterThanOrEqual(end);
          end = span.end;
        }
        expect(text.slice(end)).toMatch(/^(?:\s|[-*•–—]|\d{1,2}[.)])*$/u);
        expect(passagesOf(text)).toEqual(spans);
      }),
      { numRuns: 200 },
    );
  });
});
