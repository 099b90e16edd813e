import { isOrdinary, packOf } from '../../../language/packs/packs.ts';
import { fillSlots } from './fill-slots.ts';
import { peopleOf } from './known-names.ts';
import { isGuessed, smallOrganisation, smallPerson, smallPlace, smallTitle } from '../../../language/names.ts';
import { describe, expect, it } from 'vitest';
import { unitsOf } from './units.ts';

const english = packOf('en')!;

/** The input of the functions: the words in brackets are those that a pattern matched. */
function small(marked: string, pack = english) {
  const text = marked.replace(/[[\]]/g, '');
  const [, raw = ''] = /\[(.*)\]/.exec(marked) ?? [];
  const match = new RegExp(`^.*?(?<v>${raw})`, 'd').exec(text)!;
  return { raw, text, match, pack };
}

const person = (marked: string, { isOwn = false, isPet = false } = {}) => smallPerson(small(marked), { isOwn, isPet });

describe('a person whose name is typed without a capital', () => {
  it('is recognised by a known given name', () => {
    expect(person('my wife [maria is] away')).toBe('maria');
    expect(person('im [maria] btw', { isOwn: true })).toBe('maria');
  });

  it('is recognised by a word that is not ordinary after "called", between commas, or before a verb', () => {
    expect(person('my dog is called [zuzka]', { isPet: true })).toBe('zuzka');
    expect(person('my wife, [zuzka], is a nurse')).toBe('zuzka');
    expect(person('my wife [zuzka says] hi')).toBe('zuzka');
  });

  it('is not recognised if the word is only possibly a name', () => {
    expect(person('my wife [really says] hi')).toBeNull();
    expect(person('my wife [zuzka says] hi', { isOwn: true })).toBeNull();
    expect(person('my wife [zuzka says] hi', { isPet: true })).toBeNull();
    expect(person('my wife [zuzka zvolenko] and me')).toBeNull();
    expect(person('the nurse [zuzka says] hi')).toBeNull();
    expect(person('my wife, [zuzka]')).toBeNull();
    expect(person('my boy [maria]')).toBeNull();
  });

  it('is not recognised in a text with capitals other than "I"', () => {
    expect(person('My wife [maria] is away')).toBeNull();
    expect(person('i think I met my wife [maria] there')).toBe('maria');
    expect(person('I met my wife [maria] there')).toBeNull();
  });
});

describe('an introduction without capitals', () => {
  const at = { now: new Date('2026-03-10T10:00:00Z'), timeZone: 'UTC', prefer: 'future' as const };
  const asPeople = { asked: null, fallback: null, ...at };
  const slotsOf = (message: string): string[] =>
    unitsOf(message, asPeople).units.flatMap(({ filled }) =>
      filled.flatMap(({ attribute, value, isLikely }) =>
        attribute === 'name' && isLikely !== true ? [value ?? ''] : [],
      ),
    );

  it.each([
    ['hey im mari', 'mari'],
    ['Hi, im yuki', 'yuki'],
    ["hello so i'm lupita, just signed up", 'lupita'],
    ['hi this is orsolya', 'orsolya'],
    ["hi i'm zuzka and i live in hull", 'zuzka'],
    ['hallo ich bin zuzka', 'zuzka'],
    ['moin, bin der enno und wohne in ulm', 'enno'],
    ['hola soy zuzka', 'zuzka'],
    ["coucou moi c'est zuzka", 'zuzka'],
    ['ciao sono zuzka', 'zuzka'],
    ['hoi ik ben zuzka', 'zuzka'],
    ['oi, sou a zuzka', 'zuzka'],
  ])('gives the name: %s', (message, name) => {
    expect(slotsOf(message)).toEqual([name]);
  });

  it.each([
    'hey im tired',
    "hi, i'm late",
    'hey im back',
    'hi im new here',
    'hi im hangry',
    'hey im skint',
    'hi im dutch',
    'hi im lisbon based',
    "hi im dave's brother",
    'hey im urlaub',
    'this is mad',
    'hi this is great',
    "hi it's raining",
    'hallo ich bin müde',
    'hi ich bin lehrerin',
    'hola soy nueva',
    'hola soy celíaca',
    "salut c'est urgent",
    'bonjour je suis fatiguée',
    'ciao sono stanca',
    'hoi ik ben ziek',
    'oi sou nova aqui',
  ])('is not a word that describes somebody or something: %s', (message) => {
    expect(slotsOf(message)).toEqual([]);
  });
});

describe('a place that is typed without a capital', () => {
  it('is known, or follows words that only a place follows', () => {
    expect(smallPlace(small('the [lisbon trip] was fun'))).toBe('lisbon');
    expect(smallPlace(small('i live in [zvolenko] now'))).toBe('zvolenko');
    expect(smallPlace(small('i saw [zvolenko] now'))).toBeNull();
    expect(smallPlace(small('i live in [the] woods'))).toBeNull();
  });

  it('may begin with an ordinary word such as "san" or "new"', () => {
    expect(smallPlace(small('i live in [san zvolenko these days]'))).toBe('san zvolenko');
    expect(smallPlace(small('I live in [new socks]'))).toBeNull();
    expect(smallPlace(small('i live in [grimsby w my] partner'))).toBe('grimsby');
  });
});

describe('a firm that is typed without a capital', () => {
  it('ends with a word for a kind of firm, or follows "work at"', () => {
    expect(smallOrganisation(small('i work at [balgillo care home] now'))).toBe('balgillo care home');
    expect(smallOrganisation(small('i work at [zvolenko]'))).toBe('zvolenko');
    expect(smallOrganisation(small('i work at [the zvolenko]'))).toBeNull();
    expect(smallOrganisation(small('i left [zvolenko]'))).toBeNull();
  });
});

describe('a change of home or job that is typed without capitals', () => {
  const at = { now: new Date('2026-03-10T10:00:00Z'), timeZone: 'UTC', prefer: 'future' as const };
  const fill = (language: string, sentence: string, values: string[] = []): string[] =>
    fillSlots(sentence, packOf(language)!, { ...at, values }).map(
      ({ attribute, value, polarity, isLikely }) =>
        `${isLikely === true ? 'likely ' : ''}${polarity === 'denied' ? 'not ' : ''}${attribute}=${value}`,
    );

  it.each([
    ['en', 'we moved to grimsby in january', ['home_city=grimsby']],
    ['en', 'i moved to decaf last week', []],
    ['en', 'i moved to spotify last week', []],
    ['en', 'i just started at matalan', ['likely employer=matalan']],
    ['en', 'i started at nine', []],
    ['de', 'wir sind im mai nach wismar gezogen', ['home_city=wismar']],
    ['es', 'me mudé a gandía hace poco', ['home_city=gandía']],
    ['fr', 'on a déménagé à quimper', ['home_city=quimper']],
    ['pt', 'me mudei para santos ontem', ['home_city=santos']],
    ['it', 'ci siamo trasferiti a pescara', ['home_city=pescara']],
    ['nl', 'we zijn naar zwolle verhuisd', ['home_city=zwolle']],
  ])('is recognised by a place or a firm after its verb (%s: %s)', (language, sentence, slots) => {
    expect(fill(language, sentence)).toEqual(slots);
  });

  it.each([
    ['es', 'ya no trabajo en mercadona', 'mercadona'],
    ['pt', 'não trabalho mais na natura', 'natura'],
    ['it', 'non lavoro più alla barilla', 'barilla'],
    ['en', "i don't work for the co-op any more", 'the co-op'],
  ])('ends a known value (%s: %s)', (language, sentence, value) => {
    expect(fill(language, sentence, [value])).toEqual([`not employer=${value}`]);
  });
});

describe('a title that is typed without a capital', () => {
  it('has up to four words, and ends before a particle or an ordinary word', () => {
    const title = (marked: string) => smallTitle(small(marked));
    expect(title('its called [orla bran kestrel fenn wick]')).toBe('orla bran kestrel fenn');
    expect(title('its called [orla della bran]')).toBe('orla');
    expect(title('its called [orla and bran]')).toBe('orla');
    expect(title('its called [ab]')).toBeNull();
  });
});

describe('lower-case words and names', () => {
  it('are distinguished as ordinary words, guesses and known names', () => {
    expect([isOrdinary('because', english), isOrdinary('x', english), isOrdinary('zuzka', english)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isGuessed('zuzka'), isGuessed('maria'), isGuessed('lisbon'), isGuessed('Zuzka')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('of people whom the user knows come from subjects, from values of name attributes, and from turns that name a relation', () => {
    const known = [
      { subject: "User's sister Ana", attribute: 'city', value: 'Graz' },
      { subject: 'User', attribute: 'pet_name', value: 'Zuzka' },
      { subject: 'User', attribute: 'city', value: 'Linz' },
    ];
    expect(peopleOf(known, ['my brother olly rang', 'my brother the fool'], english)).toEqual(['ana', 'zuzka', 'olly']);
    expect(peopleOf(known, ['my brother olly rang'], null)).toEqual(['ana', 'zuzka']);
  });
});
