import { describe, expect, it } from 'vitest';
import { keySchema } from '../../record/memory.ts';
import { contents, read } from '../../../test/read-conversation.ts';

/** [said, statement, key=value of the keyed fact] */
const FACTS: ReadonlyArray<readonly [string, string, string?]> = [
  ['By the way, I moved to Berlin last month.', 'User moved to Berlin in October 2026.', 'home_city=Berlin'],
  ['I moved to Munich', 'User moved to Munich.', 'home_city=Munich'],
  ["I'm living in New York City now", 'User is living in New York City.', 'home_city=New York City'],
  ['I live in São Paulo with my two kids.', 'User lives in São Paulo with their two kids.', 'home_city=São Paulo'],
  ['fyi I work at Globex', 'User works at Globex.', 'employer=Globex'],
  ['I just joined Acme Corp as a designer', 'User joined Acme Corp as a designer.', 'employer=Acme Corp'],
  ["I've been working at Siemens since 2019.", 'User has been working at Siemens since 2019.', 'employer=Siemens'],
  ["I'm a software engineer.", 'User is a software engineer.', 'job_title=software engineer'],
  ['I work as a nurse.', 'User works as a nurse.', 'job_title=nurse'],
  ['My name is Priya Shah.', "User's name is Priya Shah.", 'name=Priya Shah'],
  ['My partner is Ana', "User's partner is Ana.", 'partner_name=Ana'],
  ["My wife's name is Ana.", "User's wife's name is Ana.", 'partner_name=Ana'],
  ['Ana is my partner.', "User's partner is Ana.", 'partner_name=Ana'],
  ['My dog is named Max.', "User's dog is named Max.", 'dog_name=Max'],
  ["I'm 34 years old", 'User is 34 years old.', 'age=34'],
  ["I'm allergic to peanuts.", 'User is allergic to peanuts.', 'allergy_peanuts=peanuts'],
  ['I am a vegetarian', 'User is a vegetarian.', 'diet=vegetarian'],
  ['I was born in Accra.', 'User was born in Accra.', 'birthplace=Accra'],
  ["I'm from Canada.", 'User is from Canada.', 'birthplace=Canada'],
  ['My favorite color is dark green', "User's favorite color is dark green.", 'favorite_color=dark green'],
  ['I prefer public transport.', 'User prefers public transport.', 'preferred_transport=public transport'],
  ['My birthday is on May 5th.', "User's birthday is on 5 May.", 'birthday=5 May'],
  [
    'Home address: 12 Main Street, Springfield',
    "User's home address is 12 Main Street, Springfield.",
    'home_address=12 Main Street, Springfield',
  ],
  ['I speak German and Spanish.', 'User speaks German and Spanish.', 'languages=German and Spanish'],
  ['Call me Sam.', 'User wants to be called Sam.', 'preferred_name=Sam'],
  ['I have two dogs and a cat.', 'User has two dogs and a cat.'],
  ["I've got three sisters", 'User has three sisters.'],
  ['I play the violin in an orchestra.', 'User plays the violin in an orchestra.'],
  ['My grandfather served in World War II.', "User's grandfather served in World War II."],
  ['I have been to Japan twice.', 'User has been to Japan twice.'],
  ['I usually get up at five.', 'User usually gets up at five.'],
  ['Since 2021 I have run a small farm.', 'User has run a small farm since 2021.'],
  ['We are a bakery in Mumbai.', "User's business is a bakery in Mumbai.", 'business_location=Mumbai'],
  ['We sell handmade sweets and cakes.', "User's business sells handmade sweets and cakes."],
  ['Our shop is located in Pune.', "User's shop is located in Pune."],
  ['I own a coffee shop.', 'User owns a coffee shop.'],
  [
    'I live at Carrer de Colón 12, 3rd floor.',
    'User lives at Carrer de Colón 12, 3rd floor.',
    'home_address=Carrer de Colón 12, 3rd floor',
  ],
  ['I live in the suburbs of Lyon', 'User lives in the suburbs of Lyon.', 'home_city=the suburbs of Lyon'],
  ['I live near Ghent', 'User lives near Ghent.', 'home_city=near Ghent'],
  ["I'm based out of Austin", 'User is based out of Austin.', 'home_city=Austin'],
  ['I moved from Rome to Milan', 'User moved from Rome to Milan.', 'home_city=Milan'],
  ['i live in cork', 'User lives in cork.', 'home_city=Cork'],
  [
    'I start at BASF as a lab manager on Monday.',
    'User starts at BASF as a lab manager on 16 November 2026.',
    'job_title=lab manager',
  ],
  [
    'I start at BASF as a lab manager on Monday.',
    'User starts at BASF as a lab manager on 16 November 2026.',
    'employer=BASF',
  ],
  ['I work at a fintech called Mollie.', 'User works at a fintech called Mollie.', 'employer=Mollie'],
  ['I got promoted to staff engineer!', 'User got promoted to staff engineer.', 'job_title=staff engineer'],
  [
    'I speak Spanish, Catalan and a bit of German.',
    'User speaks Spanish, Catalan and a bit of German.',
    'languages=Spanish, Catalan and a bit of German',
  ],
  [
    "I'm allergic to penicillin and bee stings.",
    'User is allergic to penicillin and bee stings.',
    'allergy_bee_stings=bee stings',
  ],
  [
    'I was diagnosed with coeliac disease in 2019.',
    'User was diagnosed with coeliac disease in 2019.',
    'health_condition_coeliac_disease=coeliac disease',
  ],
  [
    'My doctor says I have to take 50mg losartan every morning.',
    'User has to take 50mg losartan every morning.',
    'medication_losartan=50mg losartan every morning',
  ],
  [
    'I take warfarin and bisoprolol for my heart.',
    'User takes bisoprolol for their heart.',
    'medication_warfarin=warfarin',
  ],
  ['I have ADHD so long texts are hard for me', 'User has ADHD.', 'health_condition_adhd=ADHD'],
  ['I had a hip replaced in 2018.', 'User had a hip replaced in 2018.'],
  ['My blood group is O negative.', "User's blood group is O negative.", 'blood_type=O negative'],
  ['my exams start on the 12th of may', "User's exams start on 12 May 2027."],
  ["we're moving to Oslo in May", 'User is moving to Oslo in May 2027.'],
  ['me and aoife broke up', 'User broke up with aoife.'],
  ['Actually, my dog is called Maxi, not Max.', "User's dog is called Maxi.", 'dog_name=Maxi'],
  ['My phone number is +49 170 1234567.', "User's phone number is +49 170 1234567.", 'phone_number=+49 170 1234567'],
  ['My favourite color is blue these days.', "User's favourite color is blue these days.", 'favorite_color=blue'],
  [
    'My favourite colour is blue at the moment.',
    "User's favourite colour is blue at the moment.",
    'favorite_color=blue',
  ],
  ['My birthday is on 12 March.', "User's birthday is on 12 March.", 'birthday=12 March'],
  ['My birthday is tomorrow.', "User's birthday is on 16 November.", 'birthday=16 November'],
  ['My birthday is on 12 March 1990.', "User's birthday is on 12 March 1990.", 'birthday=12 March 1990'],
  ['Our anniversary is in June.', "User's anniversary is in June."],
  ['My birthday party is on 12 March.', "User's birthday party is on 12 March 2027."],
  [
    'I started a new job at TechCorp yesterday.',
    'User started a new job at TechCorp on 14 November 2026.',
    'employer=TechCorp',
  ],
  ["As I said, I'm allergic to peanuts.", 'User is allergic to peanuts.', 'allergy_peanuts=peanuts'],
  ['Like I told you, I live in Rome.', 'User lives in Rome.', 'home_city=Rome'],
  ['As you know, my wife is Ana.', "User's wife is Ana.", 'partner_name=Ana'],
  ['As mentioned, I work at Globex.', 'User works at Globex.', 'employer=Globex'],
  ["I'm vegan, as I said before.", 'User is vegan.', 'diet=vegan'],
  [
    "I'm 29 years old and I live with my girlfriend in Madrid",
    'User lives with their girlfriend in Madrid.',
    'home_city=Madrid',
  ],
  ['I live in a flat in Porto.', 'User lives in a flat in Porto.', 'home_city=Porto'],
  ["I'm in the CET timezone", 'User is in the CET timezone.', 'time_zone=CET'],
  ['my doctor told me to avoid salt', "User's doctor told them to avoid salt."],
  ['I know Python and TypeScript.', 'User knows Python and TypeScript.'],
  ['I know how to sail.', 'User knows how to sail.'],
  ['I read a lot of science fiction.', 'User reads a lot of science fiction.'],
  ['I usually have lunch at 1pm', 'User usually has lunch at 1pm.'],
  ["I'm flying to Tokyo next week.", 'User is flying to Tokyo in the week of 16 November 2026.'],
  ['I was in Rome last week.', 'User was in Rome in the week of 2 November 2026.'],
  ['I came back from the trip to Japan.', 'User came back from the trip to Japan.'],
  ['I have saved the 5000 euros!', 'User has saved the 5000 euros.'],
  ['My wrist is fine again.', "User's wrist is fine again."],
  ['My colleague Marco quit.', "User's colleague Marco quit."],
];

describe('facts', () => {
  it.for(FACTS)('[L6] are read by rules: %s → %s', ([said, statement, keyed]) => {
    const found = read(said);
    expect(contents(found)).toContain(statement);
    const pairs = found.flatMap(({ keyedFacts }) => keyedFacts ?? []).map(({ key, value }) => `${key}=${value}`);
    if (keyed !== undefined) expect(pairs).toContain(keyed);
  });

  it('[K20] all come out of one message', () => {
    const found = read(
      'Remember these facts about me:\n- My home address is 12 Main Street, Springfield\n- I work at Globex\n- My partner is Ana\n- I prefer public transport',
    );
    expect(
      found.flatMap(({ keyedFacts }) => keyedFacts ?? []).map(({ key, value, category }) => [key, value, category]),
    ).toEqual([
      ['home_address', '12 Main Street, Springfield', 'location'],
      ['employer', 'Globex', 'work'],
      ['partner_name', 'Ana', 'personal'],
      ['preferred_transport', 'public transport', 'preference'],
    ]);
  });

  it.each(['60 years old', 'librarian', 'loves to travel'])('[K20] all come out of one sentence: %s', (part) => {
    const found = contents(read("I'm Maria, I'm 60 years old, I work as a librarian in Boston and I love to travel."));
    expect(found.join(' ')).toContain(part);
  });

  it.for([
    [
      'I like to read, watch movies, and go to the gym.',
      ['User likes to read.', 'User likes to watch movies.', 'User likes to go to the gym.'],
    ],
    ['I love hiking and playing chess', ['User loves hiking.', 'User loves playing chess.']],
    [
      'I like to read fantasy, thrillers, and poetry.',
      ['User likes to read fantasy.', 'User likes to read thrillers.', 'User likes to read poetry.'],
    ],
  ] as const)('of a list of likes become one memory each: %s', ([said, expected]) => {
    expect(contents(read(said))).toEqual(expected);
  });

  it.each([
    ['I live in Berlin.', 'I moved to Munich.'],
    ['I work at Acme', 'My employer is TechCorp'],
    ['I love pizza', 'I hate pizza'],
    ['My favorite food is ramen.', 'My favorite food is pizza.'],
    ['I am a vegan', "I'm no longer vegan"],
  ])('share subject and attribute with what they replace: %s %s', (first, second) => {
    const [older] = read(first);
    const [newer] = read(second);
    expect(older?.attribute).toBeDefined();
    expect([newer?.subject, newer?.attribute]).toEqual([older?.subject, older?.attribute]);
  });

  it('of a job history carry their years and do not fill the present slot', () => {
    const [statement] = read('I was Director of Engineering at Stripe from 2019 to 2023');
    expect(statement).toMatchObject({
      type: 'fact',
      content: 'User was Director of Engineering at Stripe from 2019 to 2023.',
      validFrom: '2018-12-31T23:00:00.000Z',
      validTo: '2023-12-31T23:00:00.000Z',
    });
    expect(statement?.attribute).not.toBe('employer');
    expect(statement?.keyedFacts).toBeUndefined();
  });

  it('[E2] have at most 30 words, and spans that point into the turn', () => {
    const text = `Hello! I love ${'very '.repeat(3)}long walks in the park with my dog and my friends and everyone whom I have ever met in the whole wide world of walking people who walk and walk and walk.`;
    const found = read(text);
    expect(found.length).toBeGreaterThan(0);
    for (const { content, span } of found) {
      expect(content.split(' ').length).toBeLessThanOrEqual(30);
      expect(text.slice(span.start, span.end)).toMatch(/^I love/);
    }
  });

  it.each([
    ['I live at Carrer de Colón 12, 3rd floor.', 'home_city'],
    ['I live in a small flat', 'home_city'],
    ["we're moving to Oslo in May", 'home_city'],
    ['I am a vegetarian', 'job_title'],
    ["I'm a hard worker", 'job_title'],
    ['I prefer short answers without emojis', 'preferred_emoji'],
    ['My son Max is 7.', 'son_name'],
    ['I started Duolingo last week', 'employer'],
    ['My phone is a Pixel 8.', 'phone_number'],
    ['My email is broken.', 'email'],
    ['My age is a secret.', 'age'],
    ['My birthday is coming up soon.', 'birthday'],
    ['My birthday is in two weeks.', 'birthday'],
    ['My website is down.', 'website'],
    ['My weight is stable.', 'weight'],
    ['My time zone is confusing.', 'time_zone'],
    ['My budget is tight.', 'budget'],
    ['My job is stressful.', 'job_title'],
    ['My name is hard to pronounce.', 'name'],
    ['I was born in 1988.', 'birthplace'],
    ['I was born in March.', 'birthplace'],
    ['I moved with my girlfriend in March', 'home_city'],
  ])('have no odd keys: %s no %s', (said, key) => {
    expect(
      read(said)
        .flatMap(({ keyedFacts }) => keyedFacts ?? [])
        .map((fact) => fact.key),
    ).not.toContain(key);
  });

  it.each([
    'I know John.',
    'as a teacher I know how hard it is',
    'I know that feeling.',
    "I'm heading to bed.",
    'I was in a meeting yesterday.',
    "I'm having lunch.",
    'my doctor told me to call back later',
    'My back is killing me again',
  ])('[L6] are not read from talk: %s', (said) => {
    expect(read(said)).toEqual([]);
  });

  it('name nobody after the word that opens a sentence', () => {
    expect(contents(read('Actually, my dog is called Maxi, not Max.'))).toEqual(["User's dog is called Maxi."]);
  });

  it.each([
    'I no longer want to write a book.',
    "I don't want to write a book anymore.",
    'I gave up on the idea of writing a book.',
    'I dropped my plan to write a book.',
  ])('[Q9] what is given up is no goal: %s', (said) => {
    expect(read(said)).toMatchObject([{ type: 'fact', polarity: 'negative' }]);
  });

  it('have keys that a keyed fact may have', () => {
    const keys = [
      'My favorite café is Louvre.',
      'My 2nd cat is Tom.',
      'My Katze is Mia.',
      'My favorite 寿司 is maguro.',
    ]
      .flatMap((said) => read(said))
      .flatMap(({ keyedFacts }) => keyedFacts ?? [])
      .map(({ key }) => key);
    expect(keys).toContain('favorite_cafe');
    expect(keys.filter((key) => !keySchema.safeParse(key).success)).toEqual([]);
  });
});
