import { describe, expect, it } from 'vitest';
import { packOf } from '../../../language/packs/packs.ts';
import { OF_USER } from './fill-slots.ts';
import { type FilledSlot, renderSlot, withListedNames } from './slot-values.ts';
import { attributeTable } from '../../../record/attribute-table.ts';

/** Sentences with the values that patterns and reading layers find, and the values that are expected. */
const SENTENCES: ReadonlyArray<readonly [string, string, readonly string[], readonly string[]]> = [
  ['en', 'My kids are called Mia, Jonas and Lea.', ['Mia', 'Lea'], ['Mia', 'Jonas', 'Lea']],
  ['en', 'my kids are called mia, jonas and lea', ['mia', 'lea'], ['mia', 'jonas', 'lea']],
  ['en', 'We have two kids, Mia and Jonas.', ['Mia and Jonas'], ['Mia', 'Jonas']],
  ['en', 'My sons Jonas, Tim and Paul love football.', ['Paul'], ['Jonas', 'Tim', 'Paul']],
  ['en', 'I have three kids: Mia (7), Jonas (5) & Lea (2).', ['Mia'], ['Mia', 'Jonas', 'Lea']],
  ['de', 'Meine Töchter heißen Anna, Berta und Clara.', ['Anna, Berta', 'Clara'], ['Anna', 'Berta', 'Clara']],
  ['es', 'Mis hijos se llaman Mia, Jonas y Lea.', ['Mia, Jonas', 'Lea'], ['Mia', 'Jonas', 'Lea']],
  ['fr', "J'ai trois enfants : Mia, Jonas et Léa.", ['Léa'], ['Mia', 'Jonas', 'Léa']],
  ['it', 'Ho tre figli: Marco, Giulia e Luca.', ['Luca'], ['Marco', 'Giulia', 'Luca']],
  ['nl', 'Ik heb drie kinderen: Daan, Sanne en Bram.', ['Sanne', 'Bram'], ['Daan', 'Sanne', 'Bram']],
  ['pt', 'Tenho três filhos: João, Maria e Pedro.', ['João, Maria', 'Pedro'], ['João', 'Maria', 'Pedro']],
  ['zh', '我的孩子叫小明、小红和小刚。', ['小明'], ['小明', '小红', '小刚']],
  ['ja', '子供は太郎と花子です。', ['太郎'], ['太郎', '花子']],
  // The other names of these sentences belong to other people.
  ['en', 'I live with my daughter Mia, Tom and Ann.', ['Mia'], ['Mia']],
  ['en', 'My son is called Jonas, Tom and Ann like him.', ['Jonas'], ['Jonas']],
  ['en', 'my son is called jonas, small and cute', ['jonas'], ['jonas']],
  ['en', 'My son Jonas, Tom and I went for a walk.', ['Jonas'], ['Jonas']],
  ['de', 'Mein Sohn heißt Jonas, Oslo liebt er.', ['Jonas'], ['Jonas']],
];

describe('withListedNames', () => {
  it.for(SENTENCES)('%s: fills one slot for each name of a list: %s', ([language, sentence, found, expected]) => {
    const filled = found.map((value): FilledSlot => {
      const start = sentence.indexOf(value);
      return { ...OF_USER, attribute: 'child_name', value, start, end: start + value.length };
    });
    const values = withListedNames(filled, sentence, packOf(language)).map(({ value }) => value ?? '');
    expect(values.toSorted()).toEqual(expected.toSorted());
  });

  it.for([
    ['en', 'I am allergic to kiwi, latex and codeine.', 'allergy', 'kiwi', ['kiwi', 'latex', 'codeine']],
    ['de', 'Ich spreche Polnisch, Deutsch und Englisch.', 'language', 'Polnisch', ['Polnisch', 'Deutsch', 'Englisch']],
    ['en', 'I have asthma and migraines', 'medical_condition', 'asthma', ['asthma', 'migraines']],
    // Only words that are values of the attribute count.
    ['en', 'I am allergic to cats and love dogs', 'allergy', 'cats', ['cats']],
    ['en', 'I speak Dutch and cook', 'language', 'Dutch', ['Dutch']],
  ] as const)(
    '%s: fills one slot for each known value of a list: %s',
    ([language, sentence, attribute, value, expected]) => {
      const start = sentence.indexOf(value);
      const slot: FilledSlot = { ...OF_USER, attribute, value, start, end: start + value.length };
      expect(withListedNames([slot], sentence, packOf(language)).map((each) => each.value)).toEqual(expected);
    },
  );

  it('does not change slots of single-valued attributes, or denied slots', () => {
    const sentence = 'I live in Oslo, Bergen and Rome.';
    const slot: FilledSlot = { ...OF_USER, attribute: 'home_city', value: 'Oslo', start: 10, end: 14 };
    const denied: FilledSlot = { ...slot, attribute: 'pet_name', polarity: 'denied' };
    expect(withListedNames([slot, denied], sentence, packOf('en'))).toEqual([slot, denied]);
  });
});

describe('renderSlot', () => {
  it.each([
    ['coeliac disease', 'Has coeliac disease'],
    ['coeliac', 'Is coeliac'],
    ['asthma', 'Has asthma'],
  ])('renders the condition %s as “%s”', (value, text) => {
    const slot = { ...OF_USER, attribute: 'medical_condition', value };
    expect(renderSlot(slot, packOf('en')!, attributeTable())).toBe(text);
  });

  it.each([
    ['en', "User's son Max", "User's son Max: Lives in Lyon"],
    ['de', "User's son Max", 'Sohn Max: Lebt in Lyon'],
    ['fr', "User's mother", 'Mère: Habite à Lyon'],
    ['es', "User's mother-in-law Rosa", 'Suegra Rosa: Vive en Lyon'],
    ['ja', "User's son", '息子: Lyon在住'],
    ['de', 'Anna', 'Anna: Lebt in Lyon'],
  ])('names the subject in the language of the pack: %s, %s', (language, subject, text) => {
    const slot = { subject, attribute: 'home_city', value: 'Lyon', polarity: 'affirmed' } as const;
    expect(renderSlot(slot, packOf(language)!, attributeTable())).toBe(text);
  });
});
