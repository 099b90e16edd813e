import { describe, expect, it } from 'vitest';
import { packOf } from '../../../language/packs/packs.ts';
import { fillSlots } from './fill-slots.ts';

function fill(language: string, sentence: string): string[] {
  const pack = packOf(language);
  if (pack === null) throw new Error(`There is no pack ${language}.`);
  const at = { now: new Date('2026-03-10T10:00:00Z'), timeZone: 'UTC', prefer: 'future' as const };
  return fillSlots(sentence, pack, at).map(
    ({ subject, attribute, value, polarity }) =>
      `${subject === 'User' ? '' : `${subject} `}${polarity === 'denied' ? 'not ' : ''}${attribute}=${value ?? ''}`,
  );
}

describe('a value after a marker of correction takes the place of the value before it', () => {
  it.each([
    ['en', 'We live in Bristol, hang on, in Cardiff', ['home_city=Cardiff']],
    ['en', 'I work for Tesco - scratch that, for Waitrose', ['employer=Waitrose']],
    ['en', 'my birthday is 12 June, sorry, 21 June', ['birthday=21 June']],
    ['en', "I'm 41, no, 42, and I live in Hull", ['age=42', 'home_city=Hull']],
    ['en', 'My brother Sam lives in Porto, or rather Lisbon', ["User's brother Sam home_city=Lisbon"]],
    ['en', 'our cat is called Milo, I mean Otto', ['pet_name=Otto']],
    ['en', "I'm allergic to peanuts, correction: cashews", ['allergy=cashews']],
    ['en', 'My phone number is 020 555 0111, no wait, 020 555 0112', ['phone_number=020 555 0112']],
    ['en', 'I live in Derby, no, I live in Stoke', ['home_city=Stoke']],
    ['en', 'I live in Derby, no wait, I moved to Stoke', ['home_city=Stoke']],
    ['en', 'My dentist appointment is on 3 July, no, 4 July', ['appointment=4 July 2026']],
    ['de', 'Ich wohne in Mainz, nee warte, in Kassel', ['home_city=Kassel']],
    ['de', 'Ich arbeite bei der Telekom, Entschuldigung, bei Vodafone', ['employer=Vodafone']],
    ['de', 'Mein Geburtstag ist am 7. Juli, ich meine, am 8. Juli', ['birthday=8. Juli']],
    ['es', 'Vivo en Bilbao, perdón, en Vitoria', ['home_city=Vitoria']],
    ['es', 'Trabajo en Iberia, mejor dicho, en Vueling', ['employer=Vueling']],
    ['fr', "J'habite à Nantes, pardon, à Rennes", ['home_city=Rennes']],
    ['fr', 'Je travaille chez Danone, enfin plutôt chez Nestlé', ['employer=Nestlé']],
    ['it', 'Vivo a Torino, no, a Genova', ['home_city=Genova']],
    ['it', 'Lavoro alla Barilla, anzi, alla Ferrero', ['employer=Ferrero']],
    ['pt', 'Moro em Recife, ou melhor, em Natal', ['home_city=Natal']],
    ['pt', 'Trabalho na Vale, desculpa, na Embraer', ['employer=Embraer']],
    ['nl', 'Ik woon in Zwolle, ik bedoel in Deventer', ['home_city=Deventer']],
    ['nl', 'Ik werk bij Shell, nee wacht, bij Unilever', ['employer=Unilever']],
    ['zh', '我住在广州，哦不，深圳', ['home_city=深圳']],
    ['zh', '我的生日是8月1日，不对，8月2日', ['birthday=8月2日']],
    ['ja', '名古屋に住んでいます、いえ、横浜です', ['home_city=横浜']],
    ['ja', '誕生日は9月3日、じゃなくて、9月4日です', ['birthday=9月4日']],
  ] satisfies [string, string, string[]][])('%s: %s', (language, sentence, filled) => {
    expect(fill(language, sentence)).toEqual(filled);
  });

  it.each([
    ['en', 'I live in Bristol, no, the town next to it'],
    ['en', 'I work for Tesco, sorry, for the one across the road'],
    ['en', 'My birthday is 12 June, no wait, the week after'],
    ['de', 'Ich wohne in Mainz, nein, doch woanders'],
    ['es', 'Vivo en Bilbao, no, en otro sitio'],
    ['fr', "J'habite à Nantes, non, ailleurs"],
    ['it', 'Vivo a Torino, anzi, altrove'],
    ['pt', 'Moro em Recife, não, noutro lado'],
    ['nl', 'Ik woon in Zwolle, nee, ergens anders'],
  ])('and no value takes its place if the new one is not readable: %s: %s', (language, sentence) => {
    expect(fill(language, sentence)).toEqual([]);
  });

  it.each([
    ['en', 'I live in Bristol, not Cardiff', 'home_city=Bristol'],
    ['en', 'I live in Bristol, no kids', 'home_city=Bristol'],
    ['en', 'I live in Bristol, sorry, Cardiff is where I grew up', 'home_city=Bristol'],
    ['en', "I live in Bristol, no, Tom, I'm not moving", 'home_city=Bristol'],
    ['en', 'I live in Bristol, I mean it', 'home_city=Bristol'],
    ['en', 'I live in Bristol actually', 'home_city=Bristol'],
    ['en', 'I work for Tesco, sorry for the late reply', 'employer=Tesco'],
    ['en', "I work for Tesco, wait, I'll check the time", 'employer=Tesco'],
    ['en', "I'm allergic to peanuts, no, really", 'allergy=peanuts'],
    ['en', "I'm vegan, no exceptions", 'diet=vegan'],
    ['en', 'I speak French, actually I also speak Spanish', 'language=French'],
    ['en', "I'm allergic to peanuts, wait, cashews too", 'allergy=peanuts'],
    ['de', 'Ich wohne in Mainz, nicht in Kassel', 'home_city=Mainz'],
    ['de', 'Ich wohne in Mainz, sorry für die späte Antwort', 'home_city=Mainz'],
    ['es', 'Vivo en Bilbao, no en Vitoria', 'home_city=Bilbao'],
    ['fr', "J'habite à Nantes, désolée pour le retard", 'home_city=Nantes'],
    ['it', 'Vivo a Torino, non a Genova', 'home_city=Torino'],
    ['pt', 'Moro em Recife, não em Natal', 'home_city=Recife'],
    ['nl', 'Ik woon in Zwolle, niet in Deventer', 'home_city=Zwolle'],
    ['zh', '我住在广州，不在深圳', 'home_city=广州'],
    ['ja', '名古屋に住んでいます、いやな街ではないです', 'home_city=名古屋'],
  ])('other words after a value change nothing: %s: %s', (language, sentence, filled) => {
    expect(fill(language, sentence)).toEqual([filled]);
  });
});
