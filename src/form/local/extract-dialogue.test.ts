import { describe, expect, it } from 'vitest';
import { contents, read, readDialogue } from '../../../test/read-conversation.ts';

describe('a dialogue of people', () => {
  it('[L6] keeps its speakers apart', () => {
    const found = readDialogue([
      'Caroline: I went to a support group yesterday.',
      'Melanie: Wow! I painted a sunrise last year. My kids love swimming.',
      'Caroline: You love painting! I want to be a counselor.',
    ]);
    expect(found.map(({ subject, content }) => [subject, content])).toEqual([
      ['Caroline', 'Caroline went to a support group on 14 November 2026.'],
      ['Melanie', 'Melanie painted a sunrise in 2025.'],
      ["Melanie's kids", "Melanie's kids love swimming."],
      ['Caroline', 'Caroline wants to be a counselor.'],
    ]);
  });

  it('gives no orders to an agent', () => {
    expect(
      contents(readDialogue(["Ann: Never use emojis! Keep it up! Don't worry.", 'Bob: Too formal. Make it shorter.'])),
    ).toEqual([]);
  });
});

describe('a pronoun', () => {
  it('is resolved when one relative or pet fits', () => {
    expect(contents(read('I have a dog. He is a golden retriever named Buddy.'))).toEqual([
      'User has a dog.',
      "User's dog is a golden retriever named Buddy.",
    ]);
    expect(contents(read('My sister moved out. She lives in Oslo.')).at(-1)).toBe("User's sister lives in Oslo.");
  });

  it.each(['My brother and my uncle came. He works at IBM.', 'I met John. He works at IBM.'])(
    'is left alone when unsure: %s',
    (said) => expect(contents(read(said)).join(' ')).not.toContain('works at IBM'),
  );
});

describe('a subject that was left out', () => {
  it.each([
    ['Went to Rome last week.', 'User went to Rome in the week of 2 November 2026.'],
    ['Been working at Acme since 2019.', 'User has been working at Acme since 2019.'],
    ['Looking for a flat in Berlin', 'User is looking for a flat in Berlin.'],
    ['Hate olives.', 'User hates olives.'],
    ['Just bought a house', 'User bought a house.'],
  ])('is put back, with less confidence: %s', (said, content) => {
    expect(read(said)[0]).toMatchObject({ content, confidence: 'medium' });
  });

  it.each([
    'Love it!',
    'Love that painting',
    'Went well.',
    'Looking good!',
    'Read the file',
    'Got it',
    'Going to sleep',
    'Play some music',
    'Saw that.',
    'Working on it',
  ])('is not put into talk: %s', (said) => {
    expect(contents(read(said))).toEqual([]);
  });
});
