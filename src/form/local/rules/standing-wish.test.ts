import { describe, expect, it } from 'vitest';
import { read } from '../../../../test/read-conversation.ts';

const wishes = (said: string): string[] =>
  read(said)
    .filter(({ attribute }) => attribute?.startsWith('instruction:') === true)
    .map(({ content, attribute }) => `${content} ${attribute ?? ''}`);

describe('standing wishes', () => {
  it.for([
    [
      "Please keep answers short, and don't use bullet points.",
      [
        'User wants answers kept short. instruction:length',
        'User does not want the agent to use bullet points. instruction:bullet',
      ],
    ],
    [
      'im dyslexic so pls keep it simple and use short sentences',
      [
        "User wants the agent's work kept simple. instruction:keep-simpl",
        'User wants the agent to use short sentences. instruction:sentence',
      ],
    ],
    ['Please be blunt with me.', ['User wants the agent to be blunt with them. instruction:tone']],
    ['No emojis please', ['User wants no emojis. instruction:emoji']],
    ['longer answers please from now on', ['User wants longer answers. instruction:length']],
    ['Answer in German from now on', ['User wants the agent to answer in German. instruction:language']],
    ['English please', ['User wants the agent to answer in English. instruction:language']],
    ['use metric units', ['User wants the agent to use metric units. instruction:unit']],
    [
      "I'd rather you didn't use abbreviations, I never know what they mean.",
      ['User does not want the agent to use abbreviations. instruction:use-abbreviation'],
    ],
    ['could you please not use jargon', ['User does not want the agent to use jargon. instruction:use-jargon']],
    ['Stop apologising.', ['User does not want the agent to apologise. instruction:apologis']],
    ['no more small talk please', ['User wants no small talk. instruction:small-talk']],
    ['emojis are fine again', ['User is fine with the agent using emojis again. instruction:emoji']],
    ['You can use bullet points again.', ['User is fine with the agent using bullet points again. instruction:bullet']],
    [
      'Never post on Sundays, I go to church then.',
      ['User wants the agent to never post on Sundays. instruction:post-sundai'],
    ],
    ['Replies should be formal.', ['User wants replies to be formal. instruction:tone']],
    [
      'From now on send me a summary every evening at 8.',
      ['User wants the agent to send them a summary every evening at 8. instruction:send-summari-even-8'],
    ],
    ['I prefer shorter answers', ['User prefers shorter answers. instruction:length']],
  ] as const)('[Q1] are preferences with a slot: %s', ([said, expected]) => {
    expect(wishes(said)).toEqual(expected);
  });

  it.each([
    'make this one shorter',
    'translate this',
    'keep it short this time',
    'Keep this one short: how do I say thank you?',
    'Shorter please.',
    "please don't do that",
    "don't worry about it",
    "don't send it yet",
    'no worries',
    'be careful with that',
    'write me an email to my boss',
    'Could you explain it again?',
    'Can you give me five dinner ideas without nuts?',
    "Don't forget to add milk to the list",
    'call me when it is done',
  ])('are no one-off requests: %s', (said) => {
    expect(wishes(said)).toEqual([]);
  });
});
