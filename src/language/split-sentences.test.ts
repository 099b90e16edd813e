import { describe, expect, it } from 'vitest';
import { splitSentences } from './sentences.ts';

describe('splitSentences', () => {
  it.for([
    [
      'Dr. Smith works at Acme Inc. in the U.S. today. I agree!',
      ['Dr. Smith works at Acme Inc. in the U.S. today.', 'I agree!'],
    ],
    ['It costs 3.50 euros. Really? Yes...', ['It costs 3.50 euros.', 'Really?', 'Yes...']],
    ['I love it! 😀 You too? 👍', ['I love it!', '😀 You too?', '👍']],
    ['我住在北京。我喜欢披萨！好吗？', ['我住在北京。', '我喜欢披萨！', '好吗？']],
    ['One\n- two\n* three\n1. four\n\n5) five', ['One', 'two', 'three', 'four', 'five']],
    ['He said "Stop." Then he left.', ['He said "Stop."', 'Then he left.']],
    ['Ele vê a Dra. Sequeira. Gosta dela.', ['Ele vê a Dra. Sequeira.', 'Gosta dela.']],
    ["L'avv. Neri scrive a Mme. Petit. Basta.", ["L'avv. Neri scrive a Mme. Petit.", 'Basta.']],
    ['It was my sister and I. We left.', ['It was my sister and I.', 'We left.']],
    ['See e.g. this, i.e. that. J. R. Smith wrote it.', ['See e.g. this, i.e. that.', 'J. R. Smith wrote it.']],
  ] as const)('ends sentences where readers end them: %j', ([text, expected]) => {
    expect(splitSentences(text).map((sentence) => sentence.text)).toEqual(expected);
  });

  it('gives spans that cut the sentence out of the text', () => {
    const text = '  Hello.  - World here. ';
    const sentences = splitSentences(text);
    expect(sentences).toHaveLength(2);
    for (const sentence of sentences) expect(text.slice(sentence.span.start, sentence.span.end)).toBe(sentence.text);
  });
});
