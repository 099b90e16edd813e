import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../test/read-conversation.ts';

const said = (text: string, known: readonly string[] = []): string[] => contents(read(text, { known }));

describe('what everyday talk says in passing', () => {
  it.for([
    ["I'm giving a talk in Naples in May", 'User is giving a talk in Naples in May 2027.'],
    ["we're repainting the kitchen next weekend", 'User is repainting the kitchen on the weekend of 21 November 2026.'],
    ["I'm getting my wisdom teeth out on Friday", 'User is getting their wisdom teeth out on 20 November 2026.'],
    ["we're hosting my parents over Christmas", 'User is hosting their parents over Christmas.'],
    ["I'm doing a masters in public health at Utrecht", 'User is doing a masters in public health at Utrecht.'],
    ["I'm in the third year of a PhD in physics", 'User is in the third year of a PhD in physics.'],
    ["I'm in a trio called Marée Basse", 'User is in a trio called Marée Basse.'],
    ['I go back to work on February 2nd', 'User goes back to work on 2 February 2027.'],
    ['I live here in Utrecht', 'User lives in Utrecht.'],
    ['we agreed to split the rent three ways', 'User agreed to split the rent three ways.'],
    ["We're a family of five", 'User lives in a household of five people.'],
  ] as const)('[L6] keeps what has a place or a time: %s', ([text, expected]) => {
    expect(said(text)).toContain(expected);
  });

  it.for([
    ['heading to Oslo on Friday for a wedding', 'User is heading to Oslo on 20 November 2026 for a wedding.'],
    ['seeing the dentist tomorrow at 9', 'User is seeing the dentist on 16 November 2026 at 9.'],
    ['got a new bike yesterday', 'User got a new bike on 14 November 2026.'],
    ['failed my driving test again', 'User failed their driving test again.'],
    ['Ended up going with a Worcester Bosch', 'User ended up going with a Worcester Bosch.'],
    ['been with Vodafone for ten years', 'User has been with Vodafone for ten years.'],
    ['Need to renew my passport before August', 'User needs to renew their passport before August 2027.'],
    ['got a part time job at a bike shop', 'User got a part time job at a bike shop.'],
  ] as const)('[L6] puts back the speaker: %s', ([text, expected]) => {
    expect(said(text)).toContain(expected);
  });

  it.for([
    ['dentist appointment is on Friday at 3', 'Dentist appointment is on 20 November 2026 at 3.'],
    ['car insurance is 620 a year', 'Car insurance is 620 a year.'],
    ['the offer on the flat was accepted yesterday', 'The offer on the flat was accepted on 14 November 2026.'],
    ['the car failed its MOT on Tuesday', 'The car failed its MOT on 10 November 2026.'],
    ["my commute's 50 minutes each way by bus", "User's commute is 50 minutes each way by bus."],
    ["dad's had a stroke", "User's dad has had a stroke."],
    ['Velamar asked us to support SEPA direct debit', 'Velamar asked User to support SEPA direct debit.'],
    ['Velamar renewed, for two years even', 'Velamar renewed for two years.'],
  ] as const)('[L6] reads what is said of things and others: %s', ([text, expected]) => {
    expect(said(text)).toEqual([expected]);
  });

  it.for([
    [
      'thermo exam is on jan 22 and i failed it last year',
      ['Thermo exam is on 22 January 2027.', 'User failed the thermo exam in 2025.'],
    ],
    [
      "We've got three kids: Owen is 11, Maddie's 8 and the baby, Theo, is ten months",
      ['User has three kids.', "User's kid Owen is 11.", "User's kid Maddie is 8.", "User's baby Theo is ten months."],
    ],
    ['I weigh 82 kilos, want to get to 75', ['User weighs 82 kilos.', 'User wants to get to 75.']],
    [
      "I'm Minh, 2nd year mechanical engineering at TU Delft",
      ["User's name is Minh.", 'User is a 2nd year mechanical engineering student at TU Delft.'],
    ],
    [
      'Our biggest customer is Marina Velamar, they pay 4,200 a month and their renewal is due on the 12th of January',
      [
        "User's biggest customer is Marina Velamar.",
        'Marina Velamar pays 4,200 a month.',
        "Marina Velamar's renewal is due on 12 January 2027.",
      ],
    ],
  ] as const)('[Q3] says one thing in each statement: %s', ([text, expected]) => {
    expect(said(text)).toEqual(expected);
  });

  it.for([
    'Moving house is a pain.',
    'Left side is better.',
    'Fixed the typo in line 4.',
    'Got a TypeError when I run the script.',
    "I'm getting an error since Monday.",
    "I'm wondering what to cook on Friday.",
    'The company was founded in 1998.',
    'the shop opened in 1920',
    'Tesla stock price is 300 dollars.',
    'my flat has two bedrooms and no lift',
    'No wait, let me think.',
    "Here's a lyric: 'I was born in a burning house, I've no mother but the sea'. Too much?",
    'Forget the intro part.',
    'Only five bullet points this time.',
  ])('[L6] learns nothing from %s', (text) => {
    expect(said(text)).toEqual([]);
  });
});

describe('a new value of what is known', () => {
  it.for([
    ['Only eight pupils this term', 'User teaches eleven pupils.', 'User teaches eight pupils.'],
    ["we're down to two cats", 'User has three cats.', 'User has two cats.'],
    [
      'the studio dates slipped: 16 to 23 March instead',
      'User is recording an album from 2 March 2027 to 9 March 2027 at Studio Palmier.',
      'User is recording an album from 16 March 2027 to 23 March 2027 at Studio Palmier.',
    ],
    [
      'GP has put the ramipril up to 10mg',
      'User has been taking ramipril since March 2026, 5mg in the morning.',
      'User now takes 10mg of ramipril.',
    ],
    ['scrap the vegetarian thing', 'User is vegetarian.', 'User is no longer vegetarian.'],
    [
      'hockey got bumped to tuesdays',
      "User's kid Owen's hockey practice is on Mondays.",
      "User's kid Owen's hockey practice is now on tuesdays.",
    ],
    [
      "flight's been moved to 5 December",
      "User's flight is on 3 December 2026.",
      "User's flight is now on 5 December 2026.",
    ],
  ] as const)('[Q1] is read from %s', ([text, known, expected]) => {
    expect(said(text, [known])).toEqual([expected]);
  });

  it('[Q1] is none where nothing like it is known', () => {
    expect(said('Only eight pupils this term', ['User has two cats.'])).toEqual([]);
    expect(said('scrap the vegetarian thing')).toEqual([]);
  });

  it('[L6] stays fast on hostile text', () => {
    const start = performance.now();
    for (const part of ["'I am ", 'the a ', 'moved to ', 'only eight ', 'and i did it ', "Ann's 8 "])
      said(part.repeat(2_000).slice(0, 8_000), ['User teaches eleven pupils.']);
    expect(performance.now() - start).toBeLessThan(4_000);
  });
});
