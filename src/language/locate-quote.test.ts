import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateQuote } from './quotes.ts';
import { cpuTime } from '../../test/cpu-time.ts';

const TURN =
  'Well, since we talked: I’ve moved to München (finally!), and the new flat is 1,250 a month. Grand, isn’t it?';
const found = (quote: string, text = TURN): string | null => {
  const span = locateQuote(text, quote);
  return span === null ? null : text.slice(span.start, span.end);
};

describe('locateQuote', () => {
  it('finds words, whatever their case, accents, punctuation and grouping of digits', () => {
    expect(found("I've moved to München (finally!)")).toBe('I’ve moved to München (finally');
    expect(found('the NEW flat is 1250 a month')).toBe('the new flat is 1,250 a month');
    expect(found('moved to Munchen')).toBe('moved to München');
    expect(found('昨日引っ越しました', '先週は忙しくて、昨日引っ越しました。')).toBe('昨日引っ越しました');
  });

  it('tolerates one wrong word in ten, and omitted parts', () => {
    expect(
      found('since we talked: Ive moved to Munchen (eventually!), and the new flat is 1250 a month'),
    ).not.toBeNull();
    expect(found('moved to München … 1,250 a month')).toBe(
      'moved to München (finally!), and the new flat is 1,250 a month',
    );
  });

  it('finds nothing where the words are missing or in another order', () => {
    expect(found('I moved to Hamburg')).toBeNull();
    expect(found('the flat new is a month 1250')).toBeNull();
    expect(found('a month … moved to München')).toBeNull();
    expect(found('')).toBeNull();
    expect(found('…!?')).toBeNull();
    expect(found('flat in München for 1,250 with a view of the park and two balconies')).toBeNull();
  });

  it('finds every run of words of a text', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (all, from, length) => {
        const start = from % all.length;
        const quote = all.slice(start, start + 1 + (length % (all.length - start))).join(' ');
        const text = all.join(', ');
        const span = locateQuote(text, quote);
        expect(span).not.toBeNull();
        expect(text.slice(span?.start, span?.end).replaceAll(',', '')).toBe(quote);
      }),
    );
  });

  it('takes time that grows with the text and not with its square', () => {
    for (const unit of ['a ', '. ', '[', '我', 'word word ']) {
      const text = unit.repeat(100_000);
      // Quadratic time would take many seconds; the bound allows for a slow machine.
      expect(cpuTime(() => locateQuote(text, 'a word that is not there '.repeat(20)))).toBeLessThan(2000);
    }
  });
});
