import { describe, expect, it } from 'vitest';
import { contents, read } from '../../../test/read-conversation.ts';

const said = (lines: string | readonly string[]): string[] => contents(read(lines));

describe('everyday talk', () => {
  it.for([
    ['Our MRR is 42k and churn is about 3% a month.', ["User's MRR is 42k.", "User's churn is about 3% a month."]],
    [
      'Revenue is 1.2m, headcount is 14 and runway is 9 months.',
      ['Revenue is 1.2m.', 'Headcount is 14.', 'Runway is 9 months.'],
    ],
    ['My mum is 71 and dad is 74.', ["User's mum is 71.", "User's dad is 74."]],
    ['My rent is 900 and my gym costs 40 a month.', ["User's rent is 900.", "User's gym costs 40 a month."]],
    [
      'Our office is in Leeds and the warehouse is in Hull.',
      ["User's office is in Leeds.", 'The warehouse is in Hull.'],
    ],
    ["My wife is a nurse and works at St Mary's.", ["User's wife is a nurse.", "User's wife works at St Mary's."]],
    ['I hate mushrooms but love truffles.', ['User hates mushrooms.', 'User loves truffles.']],
    ['My dad, who is 70, is retiring.', ["User's dad is 70.", "User's dad is retiring."]],
    ["We're vegetarian, by the way, and my son is deaf.", ['User is vegetarian.', "User's son is deaf."]],
    ['My wife loves hiking and the kids love swimming.', ["User's wife loves hiking.", "User's kids love swimming."]],
    ['My mortgage is fixed at 2.1%.', ["User's mortgage is fixed at 2.1%."]],
  ] as const)('[Q3] [L6] says one thing in each statement: %s', ([text, expected]) => {
    expect(said(text)).toEqual(expected);
  });

  it.for([
    'The article says churn is 3% and MRR is 42k.',
    'She said the meeting is on Monday and the budget is 5k.',
    'The average salary is 50k and rent is 2k in London.',
    'The sky is blue and grass is green.',
    'The recipe says the oven is 180 and the time is 20 minutes.',
    "It's cold and the heating is off.",
    "I'm 5 minutes away.",
    "I'm so dead haha",
    "I'm 99% sure.",
  ])('[L6] learns nothing from %s', (text) => {
    expect(said(text)).toEqual([]);
  });

  it.for([
    ['BrightSmile cancelled yesterday, by the way.', 'BrightSmile cancelled on 14 November 2026.'],
    ['I hate mornings, to be honest.', 'User hates mornings.'],
    ["I don't eat pork, fyi.", 'User does not eat pork.'],
    ['My dog died last week, sadly.', "User's dog died in the week of 2 November 2026."],
    ['my sister just had a baby omg', "User's sister had a baby."],
    ['My son starts school in September, can you believe it?', "User's son starts school in September 2027."],
    ['Oh and I switched to decaf, by the way 😀', 'User switched to decaf.'],
  ] as const)('[L6] leaves out what hangs on a sentence: %s', ([text, expected]) => {
    expect(said(text)).toEqual([expected]);
  });

  it('[Q1] is less sure of what ends in "I think"', () => {
    expect(read("I'm moving to Berlin in March, I think.")).toMatchObject([{ confidence: 'medium' }]);
  });

  it.for([
    ['Scrap the bullet points.', 'User wants no bullet points.', 'instruction:bullet'],
    ['Enough with the emojis, just answer.', 'User wants no emojis.', 'instruction:emoji'],
    ["Let's drop the formal tone.", 'User wants no formal tone.', 'instruction:formal-ton'],
    ['Ditch the jargon.', 'User wants no jargon.', 'instruction:jargon'],
    ['Can you lose the exclamation marks?', 'User wants no exclamation marks.', 'instruction:exclamation-mark'],
    ["I don't need the summaries anymore.", 'User wants no summaries.', 'instruction:summari'],
    ["I'd rather have short paragraphs.", 'User prefers short paragraphs.', 'instruction:sentence'],
    ["I'd prefer shorter answers.", 'User prefers shorter answers.', 'instruction:length'],
    ['Bullet points would be better.', 'User prefers bullet points.', 'instruction:bullet'],
    ['Plain text instead, please.', 'User prefers plain text.', 'instruction:plain-text'],
    ['Cancel my weekly summary.', 'User wants no weekly summary.', 'instruction:week-summari'],
    ['Less fluff please.', 'User prefers less fluff.', 'instruction:less-fluff'],
    ['Go back to bullet points.', 'User prefers bullet points.', 'instruction:bullet'],
  ] as const)('[Q1] hears the end of a wish: %s', ([text, content, attribute]) => {
    expect(read(text)).toMatchObject([{ content, attribute }]);
  });

  it.for([
    'Skip the first row, it has the header.',
    'Lose the last paragraph and add a call to action.',
    'Drop the tables users and orders from the database.',
    'Lose the comments in the code please.',
    'Forget the answer, I found it.',
    'Cut the text to 100 words.',
    'Can you give me examples?',
    'More examples please.',
    'Short paragraphs are fine.',
    "I'd prefer the blue one.",
    'Enough with the rain already!',
  ])('[L6] takes a task for no wish: %s', (text) => {
    expect(said(text)).toEqual([]);
  });

  it.for([
    [
      'I prefer bullet points, and always show numbers in euros.',
      ['User prefers bullet points.', 'User wants the agent to always show numbers in euros.'],
    ],
    [
      'I like detailed answers but keep emails short.',
      ['User likes detailed answers.', 'User wants emails kept short.'],
    ],
    ['I prefer tea, and remind me to buy some.', ['User prefers tea.', 'User wants to be reminded to buy some.']],
    [
      "I'm coeliac and lactose intolerant, so no bread.",
      ['User is coeliac and lactose intolerant.', 'User wants no bread.'],
    ],
  ] as const)('[Q1] parts what is said from what is asked: %s', ([text, expected]) => {
    expect(said(text)).toEqual(expected);
  });

  it.for([
    [
      'We decided to drop the free tier in January because support costs were killing us.',
      'User decided to drop the free tier in January 2026 because support costs were killing them.',
    ],
    ['I quit my job because my boss was awful.', 'User quit their job because their boss was awful.'],
    ['We chose Stripe since it supports SEPA.', 'User chose Stripe since it supports SEPA.'],
    ['I gave up running because of my knee.', 'User gave up running because of their knee.'],
    [
      "I'm learning Spanish so that I can talk to my in-laws.",
      'User is learning Spanish so that they can talk to their in-laws.',
    ],
    ['We moved the launch to March because QA is behind.', 'The launch is now in March 2027 because QA is behind.'],
    ['My boss is leaving because the company was sold.', "User's boss is leaving because the company was sold."],
    ["I'm terrified of clowns due to childhood trauma.", 'User is terrified of clowns due to childhood trauma.'],
    ['I hate open offices because they are loud.', 'User hates open offices because they are loud.'],
    [
      'My GP put me on statins because my cholesterol is high.',
      'User was put on statins by their GP because their cholesterol is high.',
    ],
  ] as const)('[Q3] keeps the reason that was given: %s', ([text, expected]) => {
    expect(said(text)).toEqual([expected]);
  });

  it.for([
    ['I quit sugar because why not.', 'User quit sugar.'],
    ['I used to play for a team, but I had to quit because I had no time.', 'User used to play for a team.'],
    ['We broke up because he moved to Peru.', 'User broke up.'],
    ['I moved to Leeds because you told me to.', 'User moved to Leeds.'],
  ] as const)('[Q3] keeps no reason that does not stand alone: %s', ([text, expected]) => {
    expect(said(text)).toEqual([expected]);
  });

  it('[Q3] a reason is no part of the slot', () => {
    expect(read('I prefer the train because I get sick in cars.')).toMatchObject([{ attribute: 'likes:train' }]);
  });

  it.for([
    ['There are five of us.', 'User has a team of five people.'],
    ['We are down to nine people after the layoffs.', 'User has a team of nine people.'],
    ['My team grew to 11.', 'User has a team of 11 people.'],
    ["We're 5 in the family.", 'User lives in a household of 5 people.'],
  ] as const)('[X3] counts heads: %s', ([text, expected]) => {
    expect(said(text)).toEqual([expected]);
  });

  it.for(['There are three of us going to the party.', "We're 2 weeks behind.", 'we are 2 now', "We're up 3-0."])(
    '[L6] counts no heads in %s',
    (text) => {
      expect(said(text)).toEqual([]);
    },
  );

  it('[X3] a bare number counts heads where a team was spoken of', () => {
    expect(said(["We're a 14-person startup.", "We hired two more engineers so we're 16 now."])).toContain(
      'User has a team of 16 people.',
    );
  });

  it.for([
    [
      'Our biggest customer is BrightSmile, they pay 5k a month. Contact there is Elena Ruiz.',
      [
        "User's biggest customer is BrightSmile.",
        'BrightSmile pays 5k a month.',
        'Contact at BrightSmile is Elena Ruiz.',
      ],
    ],
    ['Klarna is our biggest customer. They pay us 8k.', ["User's biggest customer is Klarna.", 'Klarna pays them 8k.']],
    ['My gym is FitX and it costs 25 a month.', ["User's gym is FitX.", 'FitX costs 25 a month.']],
  ] as const)('[L6] knows whom "they" means: %s', ([text, expected]) => {
    expect(said(text)).toEqual(expected);
  });

  it.for(['They pay 5k a month.', 'It costs 30 a month.', 'They pay well there.'])('[L6] and when not: %s', (text) => {
    expect(said(text)).toEqual([]);
  });

  it.for([
    ['Grandma moved into a care home.', "User's grandma moved into a care home."],
    ["I can't have gluten or dairy.", 'User cannot have gluten or dairy.'],
    ["We're getting a puppy next month.", 'User is getting a puppy in December 2026.'],
    ['I changed my major from biology to chemistry.', "User's major is now chemistry."],
    ['My probation ends in May.', "User's probation ends in May 2027."],
    ['Acme renewed for two years.', 'Acme renewed for two years.'],
    ['Both my parents are teachers.', "User's parents are teachers."],
  ] as const)('[L6] remembers %s', ([text, expected]) => {
    expect(said(text)).toEqual([expected]);
  });

  it('[L6] reads hostile sentences in time', () => {
    const hostile = [
      `Our x is 1${' and y is 2'.repeat(90)}.`,
      `I ${'and please '.repeat(80)}x`,
      `I like it ${'because of '.repeat(85)}x`,
      `a${', lol'.repeat(190)} x`,
      `${'😀 '.repeat(450)}x`,
      `my ${'a'.repeat(980)} is B, they pay 5k`,
      `${'A'.repeat(980)} is our`,
    ];
    const start = performance.now();
    for (const text of hostile) read([text, text]);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});
