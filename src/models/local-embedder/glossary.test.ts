import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/cpu-time.ts';
import type { GlossedText } from './lexicon.ts';
import { createGlossary, wordsOfGloss } from './token-windows.ts';

const FOLDER = join(import.meta.dirname, '../../../train/lexicons');
const glossary = createGlossary(() =>
  readdirSync(FOLDER)
    .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
    .join(''),
);

describe('a glossary', () => {
  it.each([
    ['Meine Schwester hat gestern eine Wohnung gekauft.', ['sister', 'yesterday', 'apartment', 'bought']],
    ['ich hab den zahnarzttermin vergessen', ['dentist', 'appointment', 'forget']],
    ['Mi hermano trabajaba en una panadería.', ['brother', 'work', 'bakery']],
    ["J'ai peur de perdre mon travail.", ['fear', 'lose', 'work']],
    ['Minha avó mora sozinha em Coimbra.', ['grandmother', 'live', 'alone', 'Coimbra']],
    ['Mia figlia è allergica alle noci.', ['daughter', 'allergic', 'nut']],
    ['Mijn katten slapen altijd op de bank.', ['cat', 'sleep', 'always']],
    ['我妹妹下个月结婚', ['sister', 'next month', 'marr']],
    ['母は先月退院しました', ['mother', 'last month', 'hospital']],
  ])('writes the words of %s in English', (text, expected) => {
    const english = glossary.gloss(text);
    for (const word of expected) expect(english).toContain(word);
  });

  it('does not change English, names and unknown languages', () => {
    for (const text of ['The die is cast in the war room.', 'Moja siostra kupiła wczoraj mieszkanie w Łodzi.', '42'])
      expect(glossary.gloss(text)).toBe(text);
    expect(glossary.gloss('Ayer hablé con Rosario Luna en Bilbao.')).toMatch(/Rosario Luna in Bilbao/);
  });

  it('glosses each group of a message from its own language, or from the language of the whole message', () => {
    const together = (groups: string[][]): string[][] =>
      glossary.glossTogether(groups).map((parts) => parts.map(({ text }) => text));
    const mixed = together([['Vergiss bitte meine Adresse.'], ['I live in the gift shop.'], ['Graz']]);
    expect(mixed).toEqual([['forget please my address.'], ['I live in the gift shop.'], ['Graz']]);
    const [[first = ''] = [], said = []] = together([['vergiss das'], ['ich wohne in Graz', 'Der Hund']]);
    expect(first).toMatch(/^forget/);
    expect(said).toEqual(['i live in Graz', 'the dog']);
  });

  it.each([
    ['Ich habe seit 2019 Rückenschmerzen, links.', 'Rückenschmerzen,'],
    ['Trabajo de enfermera en Sevilla desde hace poco.', 'enfermera'],
    ['我妹妹在成都当护士。', '成都'],
    ['I work as a nurse in Ghent.', 'nurse'],
  ])('maps the glossed words of %s to their source', (text, word) => {
    const [[glossed]] = glossary.glossTogether([[text]]) as [[GlossedText]];
    const words = wordsOfGloss(glossed);
    const places = words.map(({ start, end }) => text.slice(start, end));
    expect(places).toContain(word);
    for (const [index, { start }] of words.entries())
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.start ?? 0);
  });

  it('reads the lexicons only for the first text in another language', () => {
    let reads = 0;
    const counting = createGlossary(() => {
      reads += 1;
      return '# de capitals\nhund\tdog\n';
    });
    counting.gloss('I have a dog and a cat.');
    expect(reads).toBe(0);
    expect(counting.gloss('Ich habe einen Hund und er ist nett.')).toContain('dog');
    counting.gloss('Das ist nicht mein Hund.');
    expect(reads).toBe(1);
  });

  it.each([
    ['words that are made of others', 'haushaushaushaushaushausxq '],
    ['one endless word', 'haushaushaushaushaushausxq'],
  ])('takes time in proportion to the text: %s', (_, words) => {
    const text = (count: number): string => `Ich habe das nicht ${words.repeat(count)}`;
    const cost = (count: number): number =>
      Math.min(...[1, 2, 3].map(() => cpuTime(() => glossary.gloss(text(count)))));
    cost(100);
    expect(cost(1_600)).toBeLessThan(Math.max(1, cost(200)) * 8 * 4);
  });
});
