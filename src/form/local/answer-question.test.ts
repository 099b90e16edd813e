import { describe, expect, it } from 'vitest';
import { contents, read, readDialogue } from '../../../test/read-conversation.ts';

const ANSWERS: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  ['What do you do for work?', "I'm a stunt double.", ['User is a stunt double.']],
  ['What do you do for a living?', 'A nurse.', ['User is a nurse.']],
  ['Do you have any pets?', 'Yes, two dogs.', ['User has two dogs.']],
  ['Do you have any pets?', 'Yeah, a cat named Spook!', ['User has a cat named Spook.']],
  ['Do you have any siblings?', 'No.', ['User does not have any siblings.']],
  ['Should I go with the executive template?', 'Yes', ['User chose the executive template.']],
  ['Shall we use the blue logo?', 'No.', ['User decided against the blue logo.']],
  ['Do you like sushi?', 'Yes!', ['User likes sushi.']],
  ['Do you like sushi?', 'Not really.', ['User does not like sushi.']],
  ['Are you married?', 'Yes, I am.', ['User is married.']],
  ['Have you ever been to Paris?', 'No, never.', ['User has never been to Paris.']],
  ['Where are you from?', 'Canada.', ['User is from Canada.']],
  ['Where do you live?', 'In a small town near Lyon', ['User lives in a small town near Lyon.']],
  ['How old are you?', '34', ['User is 34 years old.']],
  ["What's your favorite food?", 'Probably shawarma.', ["User's favorite food is shawarma."]],
  ["What's your favorite season?", "It's winter.", ["User's favorite season is winter."]],
  ["What's your name?", 'Ana', ["User's name is Ana."]],
  ['What do you like to do for fun?', 'Hiking and reading.', ['User likes hiking.', 'User likes reading.']],
  ['How many kids do you have?', 'Three.', ['User has three kids.']],
  ["What's your dog's name?", 'His name is Rex.', ["User's dog's name is Rex."]],
  ['Do you have any plans?', 'Yes.', []],
  ['Do you smoke?', 'No.', ['User does not smoke.']],
  ['Do you agree?', 'Yes', []],
  ['Do you understand the plan?', 'Yes', []],
  ['Do you like it?', 'Yes!', []],
  ['How are you?', 'Great, thanks.', []],
  ['What do you think?', 'Nice.', []],
  ['Is that your car?', 'Yes', []],
  ['Where do you live?', 'Why do you ask?', []],
  ['Do you want me to book it?', 'Yes please', []],
  ["What's your favorite food?", "I don't know.", []],
  ['What do you do for work?', 'Thanks for asking!', []],
];

describe('answers', () => {
  it.for(ANSWERS)('[L6] reads with their question: %s %s', ([question, answer, expected]) => {
    expect(contents(read([`A: ${question}`, answer]))).toEqual(expected);
  });

  it('count what was asked for when they are a number alone', () => {
    expect(contents(read(['A: How many siblings do you have?', 'Two']))).toEqual(['User has two siblings.']);
  });

  it('find their question in earlier turns, and a counter-question hands it on', () => {
    expect(
      contents(readDialogue(['Ann: Do you have any pets?', 'Bob: No. What about you?', 'Ann: Yes, three cats.'])),
    ).toEqual(['Bob does not have any pets.', 'Ann has three cats.']);
  });
});

describe('"me too"', () => {
  it.for([
    [
      ['Ann: I love dogs.', 'Bob: Me too!'],
      ['Ann loves dogs.', 'Bob loves dogs.'],
    ],
    [['Ann: I love my dog.', 'Bob: Me too!'], ['Ann loves their dog.']],
    [
      ["Ann: I don't like fish.", 'Bob: Me neither.'],
      ['Ann does not like fish.', 'Bob does not like fish.'],
    ],
  ] as const)('agrees with what a person likes: %s', ([lines, expected]) => {
    expect(contents(readDialogue(lines))).toEqual(expected);
  });

  it('agrees with no agent', () => {
    expect(contents(read(['A: I love dogs.', 'Me too!']))).toEqual([]);
  });
});
