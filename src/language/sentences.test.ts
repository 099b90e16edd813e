import { describe, expect, it } from 'vitest';
import { splitSentences, withoutBlanks, withoutEmptyHeadings } from './sentences.ts';

describe('headings', () => {
  it.each([
    ['## A\n\n## B\ntext\n\n## C', '## B\ntext'],
    ['# Title\n## A\ntext', '# Title\n## A\ntext'],
    ['# Title\n## A\n# Other\ntext', '# Other\ntext'],
    ['## A\n## B', ''],
    ['plain #text', 'plain #text'],
    ['## A\none\n\n## B\n\n\n## C\ntwo', '## A\none\n\n## C\ntwo'],
  ])('without text below them are left out: %j', (text, rest) => expect(withoutEmptyHeadings(text)).toBe(rest));
});

describe('splitSentences', () => {
  it.for([
    [
      'Dr. Smith works at Acme Inc. in the U.S. today. I agree!',
      ['Dr. Smith works at Acme Inc. in the U.S. today.', 'I agree!'],
    ],
    ['It costs 3.50 euros. Really? Yes...', ['It costs 3.50 euros.', 'Really?', 'Yes...']],
    [
      'Friseur verschoben auf 18.3. 8 Uhr weil ich am 11. das Auto brauch. Danke!',
      ['Friseur verschoben auf 18.3. 8 Uhr weil ich am 11. das Auto brauch.', 'Danke!'],
    ],
    ['Wir feiern am 22. im Bootshaus. Komm auch!', ['Wir feiern am 22. im Bootshaus.', 'Komm auch!']],
    ['nee Mainz, 5.-7. Mai. nur ein poster', ['nee Mainz, 5.-7. Mai.', 'nur ein poster']],
    ['die miete steigt ab 1.4. auf 520. toll', ['die miete steigt ab 1.4. auf 520.', 'toll']],
    ['Zahnarzt am 11.3. Danach frei.', ['Zahnarzt am 11.3.', 'Danach frei.']],
    ['I love it! 😀 You too? 👍', ['I love it!', '😀 You too?', '👍']],
    ['我住在北京。我喜欢披萨！好吗？', ['我住在北京。', '我喜欢披萨！', '好吗？']],
    ['One\n- two\n* three\n1. four\n\n5) five', ['One', 'two', 'three', 'four', 'five']],
    ['He said "Stop." Then he left.', ['He said "Stop."', 'Then he left.']],
    ['Ele vê a Dra. Sequeira. Gosta dela.', ['Ele vê a Dra. Sequeira.', 'Gosta dela.']],
    ["L'avv. Neri scrive a Mme. Petit. Basta.", ["L'avv. Neri scrive a Mme. Petit.", 'Basta.']],
    ['It was my sister and I. We left.', ['It was my sister and I.', 'We left.']],
    ['See e.g. this, i.e. that. J. R. Smith wrote it.', ['See e.g. this, i.e. that.', 'J. R. Smith wrote it.']],
  ] as const)('splits a text at the ends of its sentences: %j', ([text, expected]) => {
    expect(splitSentences(text).map((sentence) => sentence.text)).toEqual(expected);
  });

  it('returns the span of each sentence in the text', () => {
    const text = '  Hello.  - World here. ';
    const sentences = splitSentences(text);
    expect(sentences).toHaveLength(2);
    for (const sentence of sentences) expect(text.slice(sentence.span.start, sentence.span.end)).toBe(sentence.text);
  });
});

it.each([
  ['          and the rest.', '… and the rest.'],
  ['The start          and the rest.', 'The start … and the rest.'],
  ['if (a)\n          b();', 'if (a)\n          b();'],
  ['two  spaces', 'two  spaces'],
])('shows blanks in place of forgotten words as an ellipsis: %j', (text, shown) => {
  expect(withoutBlanks(text)).toBe(shown);
});
