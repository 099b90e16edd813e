import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../test/read-conversation.ts';

const keys = (lines: string | readonly string[]): string[] =>
  read(lines)
    .flatMap(({ keyedFacts }) => keyedFacts ?? [])
    .map(({ key, value }) => `${key}=${value}`);

describe('who somebody is', () => {
  it.for([
    ["Hey! I'm Tomás, 34, and I teach chemistry at a high school in Valencia.", ['name=Tomás', 'age=34']],
    ["I'm Ana Pérez from Acme", ['name=Ana Pérez']],
    ['this is Joe', ['name=Joe']],
    ["name's Sam", ['name=Sam']],
    ['Grace here, night shift again', ['name=Grace']],
    ['yo im liam im 20', ['name=Liam', 'age=20']],
    ["My name's Marta, mum of two.", ['name=Marta']],
  ] as const)('[K8] [K20] is read from an introduction: %s', ([said, expected]) => {
    expect(keys(said)).toEqual(expect.arrayContaining([...expected]));
  });

  it.each([
    "I'm Dutch",
    "I'm Catholic",
    "I'm Team Edward",
    "I'm Good",
    'This is Spotify',
    "I'm Grace's sister",
    "It's Berlin",
    'im tired',
    'I am Sick of this',
  ])('is no name: %s', (said) => {
    expect(keys(said).filter((each) => each.startsWith('name='))).toEqual([]);
  });

  it('goes on after the introduction', () => {
    expect(contents(read("Hey! I'm Tomás, 34, and I teach chemistry at a high school in Valencia."))).toContain(
      'User teaches chemistry at a high school in Valencia.',
    );
  });
});

describe('the people of the user', () => {
  it.for([
    [
      'My wife Inés is expecting our second child in March.',
      "User's wife Inés is expecting their second child in March 2027.",
    ],
    ['Our daughter Alba just turned four.', "User's daughter Alba turned four."],
    [
      "Our daughter Alba just turned four, she's obsessed with dinosaurs.",
      "User's daughter Alba is obsessed with dinosaurs.",
    ],
    ['our daughter Alba (4) loves trains', "User's daughter Alba (4) loves trains."],
    ['Inés, my wife, got a job at Ford.', "User's wife Inés got a job at Ford."],
    ['My brother Luis, who lives in Toronto, plays chess.', "User's brother Luis lives in Toronto, plays chess."],
    [
      'My mother-in-law Graça picks the kids up on Wednesdays.',
      "User's mother-in-law Graça picks the kids up on Wednesdays.",
    ],
    ['my gf aoife is doing medicine in cork', "User's gf aoife is doing medicine in cork."],
    ["The baby is born! It's a boy, his name is Bruno.", "User's baby's name is Bruno."],
    ['My manager Sabine does not know.', "User's manager is named Sabine."],
  ] as const)('[Q1] are spoken of by name: %s', ([said, expected]) => {
    expect(contents(read(said))).toContain(expected);
  });

  it('[K5] a partner has one name, children have one each', () => {
    expect(keys('My wife Inés is a nurse.')).toEqual(['partner_name=Inés']);
    expect(keys('My son Max is 7 and my son Leo is 4.')).toEqual([]);
    expect(contents(read('My son Max is 7 and my son Leo is 4.'))).toEqual([
      "User's son Max is 7.",
      "User's son Leo is 4.",
    ]);
  });

  it.for([
    [['My wife Inés is nice.', 'Inés got a job at Ford.'], "User's wife Inés got a job at Ford."],
    [
      ['Our daughter Alba is four.', 'Alba starts school in September.'],
      "User's daughter Alba starts school in September 2027.",
    ],
    [['My son Tiago is 7.', "Tiago's birthday is on 14 June."], "User's son Tiago's birthday is on 14 June."],
    [
      ['My son Tiago is 7.', 'A: How nice.', 'He broke his arm yesterday.'],
      "User's son Tiago broke his arm on 14 November 2026.",
    ],
  ] as const)('are known by a name that was told before: %s', ([lines, expected]) => {
    expect(contents(read(lines))).toContain(expected);
  });

  it('are known from what is remembered, and nobody else is', () => {
    const known = ["User's wife Inés is a nurse."];
    expect(contents(read('Inés got a job at Ford.', { known }))).toEqual(["User's wife Inés got a job at Ford."]);
    expect(contents(read('Inés got a job at Ford.'))).toEqual([]);
    expect(
      contents(read(['My son Max is 7 and my son Leo is 4.', 'He broke his arm yesterday.'])).join(),
    ).not.toContain('arm');
  });

  it.for([
    [
      ['My wife Inés is expecting our second child in March.', "Actually, Inés's due date is in April, not March."],
      "User's wife Inés is expecting their second child in April 2027.",
    ],
    [
      [
        "We're launching a men's line on 1 October.",
        "Correction: the men's line launches on 8 October, not 1 October.",
      ],
      "User is launching a men's line on 8 October 2027.",
    ],
  ] as const)('[X3] a correction says what it is about: %s', ([lines, expected]) => {
    const corrected = read(lines).find(({ correction }) => correction !== undefined);
    expect(corrected?.content).toBe(expected);
  });

  it('[X3] a correction finds what is remembered', () => {
    const known = ['User is launching a new shop on 1 October 2027.'];
    const [corrected] = read('Correction: the shop launches on 8 October, not 1 October.', { known });
    expect(corrected).toMatchObject({ content: 'User is launching a new shop on 8 October 2027.', correction: {} });
  });

  it.for([
    ['Ecosia rejected me :(', 'User was rejected by Ecosia.'],
    ['The doctor has taken me off bisoprolol.', 'User was taken off bisoprolol by the doctor.'],
    ['They laid me off', 'User was laid off.'],
  ] as const)('what others did to the user: %s', ([said, expected]) => {
    expect(contents(read(said))).toEqual([expected]);
  });
});
