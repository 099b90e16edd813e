import { describe, expect, it } from 'vitest';
import { isNameSaid, numberNotSaid, numbersSaid, tellApart } from './quotes.ts';

describe('numbers that are said', () => {
  it.each([
    ['52,000', 'about 52k a year'],
    ['52.000', '52 thousand, before tax'],
    ['12', 'a dozen eggs a week'],
    ['300000', 'three lakh for the roof'],
    ['240', 'il reste deux cent quarante euros'],
    ['300', 'trois cents'],
    ['93', 'elle a quatre-vingt-treize ans'],
    ['350', 'son trescientos cincuenta al mes'],
    ['48', 'tiene cuarenta y ocho años'],
    ['260', 'zweihundertsechzig im Monat'],
    ['37', 'siebenunddreißig Leute'],
    ['430', 'quattrocentotrenta euro'],
    ['6000', 'seimila'],
    ['720', 'setecentos e vinte reais'],
    ['85', 'vijfentachtig'],
    ['1200', 'duizend tweehonderd'],
    ['2500000', 'about 25 lakhs'],
    ['2', 'my twins, both of them'],
    ['42', 'forty-two in june'],
    ['300', 'three hundred guests'],
    ['3,840', 'three thousand eight hundred and forty pounds'],
    ['2,150', 'under three thousand, I think. Two thousand one hundred and fifty it was'],
    ['1650', 'sixteen fifty a month'],
    ['1,85 m', 'die Leiter ist 1,85'],
    ['2300 m', 'the pass is at 2300'],
    ['3.5', '3,5 Zimmer'],
    ['7', 'sieben Kinder'],
    ['3', '我有三个孩子'],
    ['1000', '1 000 francs'],
    ['740 a week', 'he brings home seven forty most weeks'],
    ['22:00 to 06:00', 'ten to six, every second night'],
    ['7:45', 'bus is at 7 45'],
    ['9000', 'paid 2000 of it, so I owe him 9'],
    ['7:45', 'the bus goes at seven forty-five'],
    ['6:30', 'お迎えは6時半です'],
    ['19:30', '晚上七点半开门'],
    ['8:30', 'der Bus fährt um halb neun'],
    ['16:30', 'de les begint om half vijf'],
    ['7:30', 'a las siete y media'],
    ['9:30', 'on ouvre à neuf heures et demie'],
    ['18:30', 'alle sei e mezza'],
    ['8:30', 'às oito e meia'],
    ['5:45', 'the ferry goes at a quarter to six'],
    ['8:45', 'um Viertel vor neun'],
    ['6:45', 'a las siete menos cuarto'],
    ['9:50', 'dix heures moins dix'],
    ['7:50', 'バスは8時10分前に出る'],
  ])('%s is in %j', (value, text) => expect(numberNotSaid(value, numbersSaid(text))).toBeNull());

  it.each([
    ['53,000', 'about 52k a year'],
    ['13', 'a dozen eggs a week'],
    ['4', 'two cats'],
    ['3m', 'three of them'],
    ['9000', 'he has 9 of them'],
    ['740', 'he brings home seven and a bit'],
  ])('%s is not in %j', (value, text) => expect(numberNotSaid(value, numbersSaid(text))).toBe(value));
});

describe('names that are said', () => {
  it.each([
    ['Munich', 'so i moved to München'],
    ['Los Angeles', 'off to LA on friday'],
    ['YouTube', 'chair yoga off the you tube'],
    ['UN', 'she works for the united nations'],
    ['Lisbon', 'Lisboa is lovely'],
    ['Ana', 'my sister ana called'],
    ['Marks and Spencer', 'job at marks & spencer'],
    ['vegetarian', 'nothing with a face'],
    ['幼儿园老师', '我在幼儿园工作'],
    ['Tuesday to Thursday, 18 hours', 'she is in tues to thurs, 18 hrs'],
    ['Montag bis Mittwoch', 'nur noch mo bis mi'],
  ])('%s comes from %j', (value, text) => expect(isNameSaid(value, [text])).toBe(true));

  it.each([
    ['Halden Foods', 'i like tea'],
    ['Oslo', 'we live in Bergen'],
    ['Greta', 'my sister called'],
    ['Thursday', 'she is in mon and weds'],
    ['Monique', 'she is in on mon'],
  ])('%s does not come from %j', (value, text) => expect(isNameSaid(value, [text])).toBe(false));

  it.each([
    ['8:30', 'お迎えは8時です'],
    ['7:30', 'um halb neun'],
    ['6:30', 'a las siete menos cuarto'],
    ['5:50', 'a quarter to six'],
  ])('%s is another time than %j', (value, text) => expect(numberNotSaid(value, numbersSaid(text))).not.toBeNull());
});

describe('an order and its opposite', () => {
  it.each([
    ['Never pay without asking', 'Always pay without asking'],
    ['Zahle nie, ohne zu fragen', 'Zahle immer, ohne zu fragen'],
    ['Nunca pagues sin preguntar', 'Siempre paga sin preguntar'],
    ['Ne paie jamais sans demander', 'Paie toujours sans demander'],
    ['Nunca pague sem perguntar', 'Pague sempre sem perguntar'],
    ['Non pagare mai senza chiedere', 'Paga sempre senza chiedere'],
    ['Betaal nooit zonder te vragen', 'Betaal altijd zonder te vragen'],
    ['没有我的同意不要付款', '没有我的同意也可以付款'],
  ])('are told apart: %s', (one, other) => {
    expect(tellApart(one, other)).toBe(true);
  });

  it('are distinguished from another wording of the same order', () => {
    expect(tellApart("Don't pay without asking", 'Never pay without asking me')).toBe(false);
  });
});
