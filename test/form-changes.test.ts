import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import type { ManualClock } from '../src/record/clock.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { liveStatements, openForming, tell as tellAll } from './form-model.ts';

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`what changes in a life, by rules, on ${database.name}`, () => {
    let drop: () => Promise<void>;
    let varve: Varve;
    let clock: ManualClock;
    let user = 0;
    const fresh = (): Handle => varve.for({ tenant: 'changes', user: `user${(user += 1)}`, session: 's1' });
    const tell = (handle: Handle, ...lines: string[]): Promise<void> => tellAll({ varve, clock }, handle, lines);
    const live = async (handle: Handle): Promise<string[]> =>
      (await liveStatements(handle)).map(({ content }) => content);

    beforeAll(async () => {
      const created = await database.create();
      drop = created.drop;
      ({ varve, clock } = await openForming(created.options));
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it.for([
      [
        ['I teach chemistry at a high school.', 'I quit teaching; I start at BASF as a lab manager on Monday.'],
        'teaches chemistry',
        'User starts at BASF as a lab manager on 16 November 2026.',
      ],
      [['I work at Acme as a designer.', 'I got laid off yesterday.'], 'Acme', 'laid off'],
      [['i work weekends in a pub', 'i quit the pub job'], 'works weekends', 'User quit the pub job.'],
      [['I am a software engineer at Acme.', "I'm freelance now."], 'Acme', 'User is freelance.'],
      [['I work at Acme.', 'I retired last month.'], 'Acme', 'retired'],
      [['I work at Acme as a designer.', 'I gave up my job.'], 'Acme', 'User gave up their job.'],
      [["I've been a product manager at Zalando for four years.", 'I just joined Tado.'], 'Zalando', 'Employer: Tado'],
    ] as const)('[X3] a change of job ends the old one: %s', async ([lines, gone, stays]) => {
      const handle = fresh();
      await tell(handle, ...lines);
      const before = (await live(handle)).join('\n');
      expect(before).not.toContain(gone);
      expect(before).toContain(stays);
      // Reading the session again brings nothing back.
      await handle.session.close();
      await varve.drain();
      expect((await live(handle)).join('\n')).not.toContain(gone);
    });

    it.for([
      [['I work at Acme.', 'I left at 5 yesterday.'], 'Employer: Acme'],
      [['I work at Acme.', 'I gave up after an hour yesterday.'], 'Employer: Acme'],
      [['My favourite colour is teal.', 'My favourite colour used to be red.'], 'teal'],
      [['My name is Ana Novak.', 'My name was Schmidt before I married.'], 'Name: Ana Novak'],
      [['I want to learn Italian.', 'I gave up my job.'], 'User wants to learn Italian.'],
    ] as const)('[X3] what only sounds like it ends nothing: %s', async ([lines, stays]) => {
      const handle = fresh();
      await tell(handle, ...lines);
      expect((await live(handle)).join('\n')).toContain(stays);
    });

    it.for([
      [['I work at Acme.', 'I quit smoking.'], 'Employer: Acme'],
      [['I work at Acme.', 'I started Duolingo.'], 'Employer: Acme'],
      [['I work at Acme.', 'I have a second job at Globex as a waiter.'], 'Employer: Acme'],
      [['My wife Inés works at Ford.', 'I quit my job.'], 'Ford'],
    ] as const)('[X3] nothing else does: %s', async ([lines, stays]) => {
      const handle = fresh();
      await tell(handle, ...lines);
      expect((await live(handle)).join('\n')).toContain(stays);
    });

    it('[K5] [X3] what is denied is no longer a fact', async () => {
      const handle = fresh();
      await tell(handle, 'I am vegetarian.', 'I take warfarin and bisoprolol.');
      expect((await handle.facts.get('diet'))?.value).toBe('vegetarian');
      await tell(
        handle,
        "Oh wait, I'm not vegetarian any more since last year.",
        'The doctor has taken me off bisoprolol.',
      );
      expect(await handle.facts.get('diet')).toBeNull();
      expect(await handle.facts.get('medication_bisoprolol')).toBeNull();
      expect((await handle.facts.get('medication_warfarin'))?.value).toBe('warfarin');
    });

    it('[K5] several allergies stand side by side, under one label', async () => {
      const handle = fresh();
      await tell(handle, "I'm allergic to penicillin.", "I'm allergic to shellfish and bee stings.");
      const found = (await live(handle)).filter((content) => content.startsWith('Allergy'));
      expect(found).toEqual(['Allergy: penicillin', 'Allergy: shellfish', 'Allergy: bee stings']);
    });

    it('[Q5] a statement that a fact says whole is not kept beside it', async () => {
      const handle = fresh();
      await tell(handle, 'My phone number is +34 612 345 678.', 'I work at Globex.', 'I moved to Berlin last month.');
      expect(await live(handle)).toEqual([
        'Phone number: +34 612 345 678',
        'Employer: Globex',
        'User moved to Berlin in October 2026.',
        'Home city: Berlin',
      ]);
      // The words in which it was said stay with it, for those who ask in them.
      expect((await handle.facts.get('employer'))?.tags).toContain('works');
      // Observed in other words it is still one.
      await handle.recordObservation('User works at Globex.', 'fact');
      await handle.form();
      expect((await live(handle)).filter((content) => content.includes('Globex'))).toEqual(['Employer: Globex']);
    });

    it('[K5] "call me" is what one wants to be called, not one\'s name', async () => {
      const [kit, marta] = [fresh(), fresh()];
      await tell(kit, 'call me Kit');
      await tell(marta, 'My name is Marta.', 'You can call me Mia.');
      expect(await live(kit)).toEqual(['Preferred name: Kit']);
      expect((await marta.facts.get('name'))?.value).toBe('Marta');
      expect((await marta.facts.get('preferred_name'))?.value).toBe('Mia');
    });

    it.for([
      [['I want to write a book.', 'I no longer want to write a book.'], 'wants to write a book.'],
      [['I want to write a book.', 'I gave up on the idea of writing a book.'], 'wants to write a book.'],
      [['My wrist is broken.', 'My wrist is fine again.'], 'broken'],
      [['I have a sprained ankle.', 'my ankle has healed'], 'sprained'],
    ] as const)('[X3] what is given up or over ends what was said: %s', async ([lines, gone]) => {
      const handle = fresh();
      await tell(handle, lines[0]);
      expect((await live(handle)).join('\n')).toContain(gone);
      await tell(handle, lines[1]);
      const left = await handle.memories.list({ types: ['goal', 'fact', 'personal', 'context'], limit: 200 });
      expect(left.items.filter(({ content }) => content.includes(gone) && !content.includes('no longer'))).toEqual([]);
    });

    it('[Q9] what was saved reaches the goal', async () => {
      const handle = fresh();
      await tell(handle, 'I want to save 5000 euros.', 'I have saved the 5000 euros!');
      const { items } = await handle.memories.list({ types: ['goal'], limit: 10 });
      expect(items).toMatchObject([{ state: 'achieved' }]);
    });

    it('[Q1] a reflection loses the wish that a later session takes back', async () => {
      const handle = fresh();
      await tell(handle, 'Please always answer in Dutch.', 'Never use emojis.');
      await handle.session.close();
      await varve.drain();
      const guidance = async (): Promise<string[]> =>
        (await handle.memories.list({ types: ['reflection'], limit: 50 })).items
          .map(({ content }) => content)
          .filter((content) => content.startsWith('With User:'));
      expect((await guidance()).join(' ')).toContain('Dutch');
      const later = varve.for({ ...handle.scope, tenant: 'changes', session: 's2' });
      await tell(later, 'From now on, always answer in English.');
      expect((await guidance()).join(' ')).not.toContain('Dutch');
      expect((await guidance()).join(' ')).toContain('emojis');
    });

    it('[Q1] a wish is replaced when it is taken back or changed, across sessions', async () => {
      const handle = fresh();
      await tell(handle, "Please keep answers short, and don't use bullet points.", 'no emojis please');
      await handle.session.close();
      await varve.drain();
      const later = varve.for({ ...handle.scope, tenant: 'changes', session: 's2' });
      await tell(later, 'longer answers please from now on', 'you can use emojis again');
      expect(await live(later)).toEqual([
        'User does not want the agent to use bullet points.',
        'User wants longer answers.',
        'User is fine with the agent using emojis again.',
      ]);
    });

    it.for([
      [
        ['Our MRR is 42k and churn is about 3% a month.', 'Our MRR is 51k.'],
        ["User's churn is about 3% a month.", "User's MRR is 51k."],
      ],
      [
        ['Our MRR is 42k and churn is about 3% a month.', 'MRR is up to 48k.'],
        ["User's churn is about 3% a month.", "User's MRR is up to 48k."],
      ],
      [
        ['I prefer bullet points.', "Scrap the bullet points, I'd rather have short paragraphs."],
        ['User wants no bullet points.', 'User prefers short paragraphs.'],
      ],
      [['Use tables for comparisons.', 'Lose the tables please.'], ['User wants no tables.']],
      [
        ["We're a 14-person startup.", "We hired two more engineers so we're 16 now.", "We're down to 9."],
        ["User's business is a startup.", 'User hired two more engineers.', 'User has a team of 9 people.'],
      ],
      [["I'm 34.", 'I turned 35 yesterday.'], ['User turned 35 on 14 November 2026.']],
      [['My daughter is 5.', 'My daughter is 6 now.'], ["User's daughter is 6."]],
      [
        ['Our biggest client is Acme. They pay us 12k a year.', 'Acme cancelled yesterday, by the way.'],
        ["User's biggest client is Acme.", 'Acme cancelled on 14 November 2026.'],
      ],
      [
        ['I want to run a marathon because my dad did.', 'I gave up on the marathon because of my knee.'],
        ['User gave up on the marathon because of their knee.'],
      ],
      [
        ["We're going to Japan in April.", 'We cancelled the Japan trip because of the earthquake.'],
        ['User cancelled the Japan trip because of the earthquake.'],
      ],
    ] as const)('[X3] a change ends what it changes and nothing beside it: %s', async ([lines, known]) => {
      const handle = fresh();
      await tell(handle, ...lines);
      expect(await live(handle)).toEqual(known);
    });

    it('[X3] a goal with its reason is not reached by another with the same reason', async () => {
      const handle = fresh();
      await tell(
        handle,
        'I want to travel to Japan because I love ramen.',
        'I quit my job because I want to travel to Japan.',
      );
      const { items } = await handle.memories.list({ types: ['goal'] });
      expect(items.map(({ state }) => state)).toEqual(['open']);
    });

    it.for([
      [['I pay 40 a month for the gym.', 'I pay 45 a month for the gym now.'], 'pays 40', 'pays 45'],
      [['I go to the gym three times a week.', 'I go to the gym twice a week now.'], 'three times', 'twice a week'],
      [['We have two cats.', 'we have three cats now'], 'two cats', 'three cats'],
      [['We meet on Mondays.', 'We meet on Tuesdays instead.'], 'Mondays', 'Tuesdays'],
      [
        ['I teach eleven pupils at the conservatoire.', 'Only eight pupils this term.'],
        'eleven',
        'teaches eight pupils',
      ],
      [['My rent is 900.', 'rent went up to 950'], '900', 'rent is now 950'],
      [['I work mostly nights.', "I've moved to days as of this week."], 'nights', 'moved to days'],
      [['I take ramipril, 5mg in the morning.', 'GP has put the ramipril up to 10mg'], '5mg', '10mg of ramipril'],
      [["I'm taking sertraline.", 'I stopped taking sertraline.'], 'Medication: sertraline', 'stopped taking'],
      [["I'm vegetarian.", "I'm eating chicken again"], 'egetarian', 'eating chicken again'],
      [["I'm vegetarian since September.", 'ok scrap the vegetarian thing'], 'is vegetarian', 'no longer vegetarian'],
      [["I'm learning the guitar.", 'not learning the guitar any more'], 'is learning', 'is not learning the guitar'],
      [['I take the bus to work.', 'I cycle to work now instead of the bus.'], 'takes the bus', 'cycles to work'],
      [['My landlord is Mr Patel.', 'landlord is now Mrs Gray'], 'Patel', 'Mrs Gray'],
      [['I have a dentist appointment on 3 December.', 'dentist appointment is cancelled'], '3 December', 'cancelled'],
      [["I'm vegetarian.", 'I eat meat again.'], 'vegetarian', 'eats meat again'],
      [['I smoke.', 'I quit smoking last month.'], 'User smokes', 'quit smoking'],
      [['I run 5k every morning.', "I don't run any more."], '5k', 'does not run any more'],
      [["I'm learning Spanish.", 'I gave up Spanish.'], 'is learning', 'gave up Spanish'],
      [['I use Notion for notes.', 'I use Obsidian instead of Notion now.'], 'uses Notion', 'uses Obsidian'],
      [['My car is a Fiesta.', 'sold the Fiesta'], 'car is', 'sold the Fiesta'],
      [
        ['I have an interview at Google on Friday.', 'the interview at Google is on Monday now'],
        '20 November',
        '16 November',
      ],
      [["don't give me python code please", 'python answers are fine now'], 'does not want', 'is fine with'],
      [['Keep replies under five lines.', 'You can go back to longer answers.'], 'five lines', 'longer answers'],
      [['got a part time job at a bike shop', 'quit the bike shop'], 'part time job', 'quit the bike shop'],
    ] as const)('[X3] what is so no longer does not stay: %s', async ([lines, gone, stays]) => {
      const handle = fresh();
      await tell(handle, ...lines);
      const known = (await live(handle)).join('\n');
      expect(known).not.toContain(gone);
      expect(known).toContain(stays);
    });

    it.for([
      ['I have two cats.', 'I have three dogs.'],
      ['I own two restaurants, Cedar and Zaatar.', 'I sold Zaatar.'],
      ['I smoke cigars.', 'I quit the smoking area committee.'],
      ['I have a call on 3 December.', 'I have a call on 5 December.'],
      ['I go to the gym three times a week.', 'I go to the pool twice a week.'],
      ['I play the piano.', 'I stopped playing football.'],
    ] as const)('[X3] what still holds stays: %s', async ([first, second]) => {
      const handle = fresh();
      await tell(handle, first);
      const before = await live(handle);
      expect(before).not.toEqual([]);
      await tell(handle, second);
      expect(await live(handle)).toEqual(expect.arrayContaining(before));
    });

    it('[X3] what a known name stands for is remembered in the next session', async () => {
      const handle = fresh();
      await tell(handle, 'My wife Inés is expecting our second child in March.');
      await handle.session.close();
      await varve.drain();
      const later = varve.for({ ...handle.scope, tenant: 'changes', session: 's2' });
      await tell(later, 'Inés got a job at Ford.', "Actually, Inés's due date is in April, not March.");
      const known = await live(later);
      expect(known).toContain("User's wife Inés got a job at Ford.");
      expect(known).toContain("User's wife Inés is expecting their second child in April 2027.");
      expect(known.join('\n')).not.toContain('March');
    });

    it('[E2] [E14] [Q5] the same words of the same event are one, whoever forms them first', async () => {
      const handle = fresh();
      await handle.logInteraction({ userMessage: 'I baked a cake with Ana yesterday!!', agentResponse: 'Nice.' });
      await Promise.all([handle.form(), varve.drain(), handle.form()]);
      await tell(handle, 'I baked a cake with Ana on 14 November 2026');
      const { items } = await handle.memories.list({ types: ['episode'] });
      expect(items.map(({ content }) => content)).toEqual(['User baked a cake with Ana on 14 November 2026.']);
    });

    it('[Q9] a goal that is reached in other words is achieved, also within one formation', async () => {
      const handle = fresh();
      const goal = "I'm training for the Valencia half marathon in October.";
      await tell(handle, goal, 'I finished the half marathon in 1:38:20!!');
      const states = async (of: Handle): Promise<(string | null)[]> =>
        (await of.memories.list({ types: ['goal'] })).items.map(({ state }) => state);
      expect(await states(handle)).toEqual(['achieved']);
      const other = fresh();
      await tell(other, goal, 'I finished the Paris half marathon!');
      expect(await states(other)).toEqual(['open']);
    });
  });
}
