import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../test/read-conversation.ts';
import type { StatementType } from './extracted-statement.ts';

const TYPED: ReadonlyArray<readonly [StatementType, string, string]> = [
  ['goal', "I'm looking for a job preferably at a restaurant", 'User is looking for a job preferably at a restaurant.'],
  ['goal', 'I want to become a veterinarian.', 'User wants to become a veterinarian.'],
  ['goal', 'I hope to retire in Portugal.', 'User hopes to retire in Portugal.'],
  ['goal', "I've always wanted to learn the cello", 'User has always wanted to learn the cello.'],
  ['goal', "I'm saving for a house.", 'User is saving for a house.'],
  ['goal', 'My goal is to run a marathon.', "User's goal is to run a marathon."],
  ['intention', 'I should call the dentist', 'User should call the dentist.'],
  ['intention', 'I need to finish that report', 'User needs to finish that report.'],
  ['intention', 'I have to renew my passport before May 2027.', 'User has to renew their passport before May 2027.'],
  [
    'intention',
    "I'm going to paint the kitchen this weekend",
    'User is going to paint the kitchen on the weekend of 14 November 2026.',
  ],
  ['intention', "I've got to pay the rent by Friday", 'User has to pay the rent by 20 November 2026.'],
  [
    'intention',
    'Also, can you remind me to call the printer on Friday?',
    'User wants to be reminded to call the printer on 20 November 2026.',
  ],
  ['decision', "let's go with the executive template", 'User chose the executive template.'],
  ['decision', 'I chose the blue logo.', 'User chose the blue logo.'],
  ['decision', 'I decided to stay at Acme', 'User decided to stay at Acme.'],
  ['decision', "OK, I'll go with option B", 'User chose option B.'],
  ['decision', "We've decided on the annual plan", 'User has decided on the annual plan.'],
  ['decision', 'Option B it is.', 'User chose Option B.'],
  ['feedback', 'too formal', "User found the agent's last work too formal."],
  ['feedback', 'The last card draft was too formal.', 'User found the last card draft too formal.'],
  ['feedback', "That's way too long.", "User found the agent's last work too long."],
  ['feedback', 'Make it more conversational', "User asked to make the agent's last work more conversational."],
  ['feedback', 'Your answer was not helpful', "User found the agent's answer not helpful."],
  ['preference', 'Please always answer in German.', 'User wants the agent to always answer in German.'],
  ['preference', 'And please never use hashtags.', 'User wants the agent to never use hashtags.'],
  ['preference', 'Never use emojis', 'User wants the agent to never use emojis.'],
  ['preference', "Don't use corporate buzzwords.", 'User does not want the agent to use corporate buzzwords.'],
  ['preference', 'Stop using exclamation marks', 'User does not want the agent to use exclamation marks.'],
  [
    'preference',
    'From now on, send me summaries on Mondays.',
    'User wants the agent to send them summaries on Mondays.',
  ],
  ['preference', 'Keep your answers short and direct.', "User wants the agent's answers kept short and direct."],
  ['preference', 'No fluff please', 'User wants no fluff.'],
  ['preference', 'I love classical music', 'User loves classical music.'],
  ['preference', 'Horror movies are my favorite', 'User loves Horror movies.'],
  ['preference', "I'm a huge fan of the Rolling Stones", 'User is a huge fan of the Rolling Stones.'],
  ['preference', "I'm really into hip hop.", 'User is into hip hop.'],
  ['episode', 'My Diwali Sweet Recipes post got 340 views', "User's Diwali Sweet Recipes post got 340 views."],
  ['episode', 'The spring campaign brought in 1,200 signups!', 'The spring campaign brought in 1,200 signups.'],
  ['episode', 'I went to a support group yesterday', 'User went to a support group on 14 November 2026.'],
  ['episode', 'Last Saturday I ran a charity race.', 'User ran a charity race on 14 November 2026.'],
];

describe('the type of a statement', () => {
  it.for(TYPED)('[L6] is %s: %s', ([type, said, content]) => {
    expect(read(said).map((one) => [one.type, one.content])).toEqual([[type, content]]);
  });
});

describe('a goal', () => {
  it('takes its details from the fragment that follows', () => {
    const [goal, ...others] = read(
      "I'm looking for a CTO role at an early-stage fintech startup. Seed or Series A, ideally under 30 people.",
    );
    expect(goal?.type).toBe('goal');
    expect(goal?.importance).toBeGreaterThanOrEqual(0.8);
    for (const word of ['CTO', 'fintech', 'early-stage', 'Series A', 'under 30 people']) {
      expect(goal?.content).toContain(word);
    }
    expect(others).toEqual([]);
  });

  it.each([
    'I got the job!',
    'I finally finished the marathon',
    'I passed the exam',
    'We got the funding!',
    'I got promoted last week',
    "I've completed my degree",
  ])('that was reached is marked: %s', (said) => {
    expect(read(said)[0]?.achievesGoal).toBe(true);
  });

  it.each(['I got a dog', "I didn't get the job", 'I want the job', 'Did I get the job?'])(
    'that was not reached is not marked: %s',
    (said) => expect(read(said)[0]?.achievesGoal).toBeUndefined(),
  );
});

describe('a preference', () => {
  it("keeps its manner and the agent's agreed wording", () => {
    const found = read([
      "I really hate when my resume sounds like everyone else's. Keep it real, no fluff.",
      "A: Got it, I'll keep it authentic and direct.",
    ]);
    for (const { type, importance } of found) {
      expect(type).toBe('preference');
      expect(importance).toBeGreaterThanOrEqual(0.6);
    }
    const all = contents(found).join(' ');
    for (const words of ["hates when their resume sounds like everyone else's", 'no fluff', 'authentic and direct']) {
      expect(all).toContain(words);
    }
  });
});

describe('an intention', () => {
  it.each([
    ['I should call the dentist', 3],
    ['I need to finish that report', 7],
    ['I need to learn Spanish for work', 30],
  ])('is asked about again after some days: %s', (said, days) => {
    expect(read(said)[0]?.followUpDays).toBe(days);
  });

  it('is due when it says so', () => {
    expect(read('I need to submit my taxes by Friday')[0]?.dueDate).toBe('2026-11-20T23:00:00.000Z');
  });
});
