import { describe, expect, it } from 'vitest';
import { splitSentences } from './sentences.ts';
import { markTakenBack } from './corrections.ts';

/** The words of a text that are taken back, and the other words. */
function parts(text: string): { takenBack: string[]; rest: string[] } {
  const sentences = splitSentences(text).map(({ span }) => span);
  const said = markTakenBack(text, sentences);
  const words = (isTakenBack: boolean): string[] =>
    said.filter((one) => one.isTakenBack === isTakenBack).map(({ start, end }) => text.slice(start, end));
  return { takenBack: words(true), rest: words(false) };
}

describe('words that the user takes back', () => {
  it.each([
    ["I'm on metformin now. I lied.", ["I'm on metformin now.", 'I lied.'], []],
    ['We have three dogs - jk', ['We have three dogs -', 'jk'], []],
    ['I hate jazz. That was a joke. I live in Hull.', ['I hate jazz.', 'That was a joke.'], ['I live in Hull.']],
    [
      'off meat for good, well no, who am i kidding, i had ribs',
      ['off meat for good, well no,'],
      ['who am i kidding, i had ribs'],
    ],
    ["I'm off sugar forever... no, mentira", ["I'm off sugar forever...", 'no,', 'mentira'], []],
    ['Ich heiße Napoleon. Nee, nur Spaß!', ['Ich heiße Napoleon.', 'Nee,', 'nur Spaß!'], []],
    ['Ich rauche nicht mehr, von wegen', ['Ich rauche nicht mehr,', 'von wegen'], []],
    ['He dejado el café, bueno no, hoy llevo dos', ['He dejado el café,'], ['bueno no, hoy llevo dos']],
    ['Je suis chirurgien, enfin non, infirmier', ['Je suis chirurgien,'], ['enfin non, infirmier']],
    ['We verhuizen naar Bali. Haha grapje', ['We verhuizen naar Bali.', 'Haha grapje'], []],
    ['Ho smesso di fumare, anzi no', ['Ho smesso di fumare,', 'anzi no'], []],
    ['Me chamo Napoleão. É mentira', ['Me chamo Napoleão.', 'É mentira'], []],
    ['我不吃肉了。骗你的', ['我不吃肉了。', '骗你的'], []],
    ['来月引っ越します。冗談です', ['来月引っ越します。', '冗談です'], []],
  ] satisfies [string, string[], string[]][])('%s', (text, takenBack, rest) => {
    expect(parts(text)).toEqual({ takenBack, rest });
  });

  it.each([
    ["I'm allergic to bees, no kidding."],
    ['I live in Leeds. Kidding aside, it rains a lot.'],
    ['I live in Leeds. Not really my choice though.'],
    ['I live in Leeds. No wait, York.'],
    ['Ich bin Vegetarierin. Kein Scherz!'],
    ['Ich arbeite bei Bosch. Spaß macht es trotzdem.'],
    ['Soy alérgica a los gatos. No es mentira.'],
    ['Soy vegetariana. Bueno, no como carne.'],
    ['Je suis allergique aux chats. Je ne plaisante pas.'],
    ['Ik ben vegetariër, geen grapje.'],
    ['Sono vegana, non scherzo.'],
    ['Sou vegetariana, sem brincadeira.'],
    ['我对花生过敏，不开玩笑。'],
    ['冗談じゃなくて猫アレルギーです。'],
  ])('are not found where the user insists or goes on: %s', (text) => {
    expect(parts(text).takenBack).toEqual([]);
  });
});
