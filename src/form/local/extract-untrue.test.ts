import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../test/read-conversation.ts';

const keysOf = (said: string): string[] =>
  read(said).flatMap(({ keyedFacts }) => (keyedFacts ?? []).map(({ key }) => key));

describe('[L6] what is said and not so', () => {
  it.each([
    'The landlord wrote: I have two dogs',
    'My colleague said: "we live in Ghent"',
    'According to the brochure I am a gold member',
    "In the story I'm a detective from Chicago",
    'In our campaign, my brother is a necromancer',
    'In my novel the hero has a daughter named Io',
    "I'm not saying I'm a vegan",
    "They keep telling me I'm a genius",
    "I'm literally dead",
    "I'm basically Batman",
    'I have a million things to do',
    'Just for testing: my name is Foo Bar',
    'Draft a message: I am moving to Canada',
    'Respond: my budget is 5k',
    "Don't remember this: my code is 9911",
    'My code is 9911. Please do not save that.',
    'Off the record, I hate my job',
  ])('is not remembered: %s', (said) => {
    expect(contents(read(said))).toEqual([]);
  });

  it.each([
    ['I said: I have two dogs', 'User has two dogs.'],
    ['In my free time I play chess', 'User plays chess.'],
    ["Don't forget that I hate olives", 'User hates olives.'],
    ['Write this down: my locker is 12', "User's locker is 12."],
    ['My doctor says I have asthma', 'User has asthma.'],
    ['I have a thousand followers', 'User has a thousand followers.'],
    ["Guess what, I'm left-handed!", 'User is left-handed.'],
  ])('is not mistaken for it: %s', (said, content) => {
    expect(contents(read(said))).toEqual([content]);
  });

  it.each([
    ["I'm married to my job", 'marital_status'],
    ["I'm a student at Leiden University", 'employer'],
    ["I'm allergic to Mondays", 'allergy_mondays'],
    ['I work with Hana', 'employer'],
    ['My exam is Friday', 'exam_name'],
    ['Our busiest day is Saturday', 'busiest_day_name'],
    ['My name was Schmidt before I married', 'name'],
    ['My budget was 5k last year', 'budget'],
    ['My email used to be old@example.com', 'email'],
  ])('has no key: %s', (said, key) => {
    expect(keysOf(said)).not.toContain(key);
  });

  it.each([
    ["I'm married to a doctor", 'marital_status'],
    ["I'm a nurse at Mercy Hospital", 'employer'],
    ["I'm allergic to peanuts", 'allergy_peanuts'],
    ['My budget is 5k', 'budget'],
  ])('has one where it is meant: %s', (said, key) => {
    expect(keysOf(said)).toContain(key);
  });

  it('is less sure when a doctor only thinks so', () => {
    expect(read('My doctor thinks I have asthma')[0]?.confidence).toBe('medium');
  });

  it('has not ended because it was found in the past', () => {
    const [diagnosed] = read('I was diagnosed with ADHD last year');
    expect(diagnosed?.validFrom).toBeDefined();
    expect(diagnosed?.validTo).toBeUndefined();
  });

  it('ends before the comma: "I used to …, now I …"', () => {
    const [before, now] = read('I used to work at Nokia, now I work at Wise');
    expect(before?.content).toBe('User used to work at Nokia.');
    expect(now?.content).toBe('User works at Wise.');
    expect(now?.validTo).toBeUndefined();
  });
});

describe('[L6] what is said plainly', () => {
  it.each([
    ['I know German and a bit of French', ['User knows German and a bit of French.']],
    ['I know Anna and Ben', []],
    ['Klarna signed, the contract is worth 200k', ['Klarna signed.', 'The contract is worth 200k.']],
    ['Rent is 900', ['Rent is 900.']],
    ['My deadline is Friday', ["User's deadline is on 20 November 2026."]],
    ['Bin day is Wednesday', ['Bin day is Wednesday.']],
    ['Acme declined our offer', ["Acme declined User's offer."]],
    ['Everyone agreed', []],
    ['I moved my dentist appointment to Friday', ["User's dentist appointment is now on 20 November 2026."]],
    ['We raised the price to 49 euros', ['The price is now 49 euros.']],
    ['He broke his arm, so no football for six weeks', []],
  ])('%s', (said, expected) => {
    expect(contents(read(said))).toEqual(expected);
  });

  it('an amount stays one when a date follows', () => {
    expect(read('The rent is 2,400 from June')[0]?.attribute).toBe('amount');
  });

  it('what is no longer wanted of the agent is of the topic of the wish', () => {
    const [wish] = read('I no longer want emojis');
    expect([wish?.attribute, wish?.polarity]).toEqual(['instruction:emoji', 'negative']);
  });

  it('neither of two is liked', () => {
    expect(read('I like neither tea nor coffee')[0]?.polarity).toBe('negative');
  });
});

describe('[L6] what a phone writes', () => {
  it.each([
    "I'm a vegan. I'm kidding!",
    "Don't use emojis",
    "It's Anna here, I don't eat meat",
    "My doctor's name is Ng",
    "J'habite à Lyon",
    "Remember that the cat's vet is Dr. Okafor",
    "Isn't it great that I'm from Leeds?",
  ])('is read as what a keyboard writes: %s', (said) => {
    expect(contents(read(said.replaceAll("'", '’')))).toEqual(contents(read(said)));
  });
});
