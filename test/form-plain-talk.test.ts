import { describe, expect, it } from 'vitest';
import { HOUR, manualClock, MINUTE } from '../src/record/clock.ts';
import { createVarve } from '../src/varve.ts';
import { talkFrom } from './told.ts';

// Plain messages as people type them, read without a language model. No sentence is in the training data.

const talk = talkFrom(Date.parse('2026-11-14T10:00:00Z')); // a Saturday
const { clock, newSession, after } = talk;

describe('words without a subject', () => {
  it.each([
    'my sister came off her horse. broken ankle',
    'my grandad slipped, fractured hip',
    'my uncle had a fall. dodgy knee now',
    'Meine Oma ist gestürzt. Oberschenkelhalsbruch',
    'Mi abuelo se cayó. Cadera rota.',
  ])('are about the person of the words before them: %s', async (words) => {
    const live = await after(words);
    expect(live.filter(({ subject, attribute }) => subject === 'User' && attribute !== null)).toEqual([]);
  });

  it.each(['I came off my horse. broken ankle', 'fractured hip, eight weeks off work'])(
    'are about the user if nobody else is named: %s',
    async (words) => {
      expect((await after(words)).map(({ attribute }) => attribute)).toContain('medical_condition');
    },
  );
});

describe('health', () => {
  it.each([
    'Jonas hat eine Bienenallergie, wir haben immer ein Notfallset dabei',
    'my daughter Priya is epileptic and carries her rescue meds',
    'Mi marido es alérgico a la penicilina',
    'Ma fille est asthmatique et fait parfois des crises',
    'Mijn zoon heeft een notenallergie, best heftig',
    'Mio figlio è celiaco e allergico alle uova',
    'O meu pai tem diabetes e toma insulina',
    '我女儿对花生过敏',
    '息子は小麦アレルギーです',
  ])('is important: %s', async (words) => {
    const live = await after(words);
    expect(live.map(({ importance }) => importance)).toContain(0.9);
  });

  it.each([
    ["It turns out I'm allergic to pecans and mussels!", ['pecans', 'mussels']],
    ["I'm allergic to barley, rye and lentils.", ['barley', 'rye', 'lentils']],
    ['oysters and crab are off-limits for me', []],
    ["I cannot take ibuprofen, it's an allergy", ['ibuprofen']],
    ['Early meetings are a no-go for me', []],
    ['Are oysters a no-go for me?', []],
    ['Oysters are a no-go for my uncle', []],
  ])('makes an allergy of every food that the words call one: %s', async (words, values) => {
    const live = await after(words);
    expect(live.flatMap(({ attribute, value }) => (attribute === 'allergy' ? value : []))).toEqual(values);
  });

  it.each([
    "I'm not allowed to have any barley",
    "I can't take ibuprofen",
    'No puedo comer mariscos',
    'Ich darf keine Haselnüsse essen',
    'Je ne peux pas manger de noix',
    'Ik mag geen pinda eten',
    'Non posso mangiare arachidi',
    'Não posso comer camarão',
    '我不能吃花生',
    '私はそばが食べられません',
  ])('of something that the user may not eat is not called an allergy: %s', async (words) => {
    const live = await after(words);
    expect(live.map(({ attribute }) => attribute)).not.toContain('allergy');
    expect(live.length).toBeGreaterThan(0);
  });

  it('is rated higher than a taste', async () => {
    expect((await after('My daughter Priya loves drawing dragons')).map(({ importance }) => importance)).not.toContain(
      0.9,
    );
  });

  it('includes a broken part of the body, which is stored as a “problem” of that part', async () => {
    expect((await after('my left shoulder is busted')).map(({ content }) => content)).toContain(
      'Has left shoulder problem',
    );
  });
});

describe('an order for all cases', () => {
  it.each([
    'never merge a branch with red tests',
    'always squash before you merge',
    'Please never restart the staging server without asking me',
    'Never use semicolons in my code.',
    'always quote prices in kroner',
  ])('is kept as a preference, whatever the message before it: %s', async (words) => {
    const live = await after('How far is the moon?', words);
    expect(live.map(({ type, tense, content }) => [type, tense, content])).toEqual([['preference', 'habit', words]]);
  });

  it.each([
    'never been so tired',
    'Never seen that one. Is it any good?',
    'always a pleasure',
    'never again',
    'Always sleeps on the sofa, that dog',
    'Never mind the second question',
  ])('is not read from %s', async (words) => {
    const live = await after('How far is the moon?', words);
    expect(live.filter(({ type, tense }) => type === 'preference' && tense === 'habit')).toEqual([]);
  });
});

describe('words that refer to the turn before', () => {
  it.each([
    ['my aunt has bought a narrowboat', "it's in Bristol harbour"],
    ['our new lodger is a trainee pilot', 'he is allergic to peanuts'],
    ['Mein Cousin hat eine Bäckerei eröffnet', 'Er wohnt jetzt in Husum und ist Vegetarier'],
    ['Mijn nicht heeft een bakkerij geopend', 'Ze woont nu in Assen en is vegetariër'],
  ])('are stored together with that turn: %s … %s', async (before, words) => {
    expect((await after(before, words)).map(({ content }) => content)).toEqual([`${before}. ${words}`]);
  });

  it.each([
    [['our new lodger is a trainee pilot.', 'he is allergic to peanuts and his desk is oak.']],
    [['Mein Cousin hat eine Bäckerei eröffnet.', 'Er wohnt jetzt in Husum und ist Vegetarier.']],
    [['My check-up is tomorrow at 4pm.', 'It got moved to Thursday at 9.']],
    [['The optician is on Monday at 9.', 'no, Thursday']],
  ])('are added once, however often the turns are read: %s', async (messages) => {
    const once = (await after(...messages)).map(({ content }) => content);
    for (const isFormedBetween of [false, true]) {
      const memory = newSession();
      clock.advance(MINUTE);
      for (const userMessage of messages) {
        await memory.logInteraction({ userMessage, agentResponse: 'Understood.' });
        await talk.varve.drain();
        if (isFormedBetween) await memory.form();
        clock.advance(MINUTE);
      }
      await memory.form();
      const { items } = await memory.memories.list({ order: 'oldest' });
      expect(items.filter(({ type }) => type !== 'summary').map(({ content }) => content)).toEqual(once);
    }
    expect(once).toHaveLength(1);
  });

  it('still change an attribute: “She has put me on …”', async () => {
    const said = [
      'I take losartan.',
      'Our new GP, Dr Okafor, is lovely.',
      'She has put me on valsartan instead of losartan.',
    ];
    const live = await after(...said);
    const isTaken = ({ attribute, polarity }: (typeof live)[number]): boolean =>
      attribute === 'medication' && polarity === 'affirmed';
    expect(live.filter(isTaken).map(({ value }) => value)).toEqual(['valsartan']);
  });

  it('do not end the statement that they are added to', async () => {
    const [appointment] = await after(
      'Mein Friseurtermin ist am Montag um 9 Uhr.',
      'Er wurde auf Mittwoch um 11 Uhr verschoben.',
    );
    expect(appointment?.content).toContain('Mittwoch');
  });

  it('are not stored if that turn is missing', async () => {
    expect(await after('she had a cataract done in spring and she is vegan')).toEqual([]);
  });
});

describe('words that lack what they are about', () => {
  it.each([
    [
      'Tilly is settling in. First week and she fixed the oven.',
      'Tilly is settling in. First week and she fixed the oven.',
    ],
    [
      'Ole lebt sich gut ein. Erste Woche und er hat den Ofen repariert.',
      'Ole lebt sich gut ein. Erste Woche und er hat den Ofen repariert.',
    ],
  ])('keep the sentence before them: %s', async (words, kept) => {
    const contents = (await after(words)).map(({ content }) => content);
    expect(contents.some((content) => content.includes(kept))).toBe(true);
  });

  it('are joined to the last statement: “wool ones”', async () => {
    const live = await after(
      'i wear hiking socks every day because of my blisters',
      'cant wear wool ones they scratch but i found cotton ones at aldi',
    );
    expect(live.map(({ content }) => content).filter((content) => content.startsWith('cant wear'))).toEqual([]);
  });

  it.each(['Our first date and the proposal were in Rome.', 'i collect old stamps, the blue ones are my favourites'])(
    'are none of these: %s',
    async (words) => {
      expect((await after(words)).length).toBeGreaterThan(0);
    },
  );

  it('are not kept if they only repeat a name: “Of course, Hadrian.”', async () => {
    expect(await after('Of course, Hadrian. I am getting old.')).toEqual([]);
  });
});

describe('a wish for frank answers', () => {
  it.each([
    'do not be so nice to me, say it when i write rubbish',
    'Sei bitte nicht zu freundlich zu mir, ich vertrage Kritik.',
    "ne sois pas si gentil avec moi, j'aime la critique",
  ])('is kept: %s', async (words) => {
    expect((await after(words)).map(({ type }) => type)).toContain('preference');
  });

  it.each(['My boss said do not be so nice to me', 'my sister told the waiter not to be so polite'])(
    'is none of another person: %s',
    async (words) => {
      expect((await after(words)).filter(({ type, tense }) => type === 'preference' && tense === 'habit')).toEqual([]);
    },
  );
});

describe('the day of a statement', () => {
  const day = (date: Date | null | undefined): string => date?.toISOString().slice(0, 16) ?? '';

  it.each([
    ['the recital is 19 december', '2026-12-19T00:00'],
    ['haircut tmrw at 2', '2026-11-15T14:00'],
    ['coach to Bath friday the 20th 6:45', '2026-11-20T06:45'],
    ['next week school fair, thurs 19th 16:00', '2026-11-19T16:00'],
    ['nächste Woche Elternsprechtag, Donnerstag 19. um 18 Uhr', '2026-11-19T18:00'],
    ['Die Prüfung ist am 3. Dezember', '2026-12-03T00:00'],
  ])('is the due date of a plan: %s', async (words, due) => {
    expect((await after(words)).map(({ dueAt }) => day(dueAt))).toContain(due);
  });

  it.each([
    ['stopped drinking on wednesday, day 3 now', '2026-11-11T00:00'],
    ['sprained my ankle on thursday, still swollen', '2026-11-12T00:00'],
    ['passed my driving test on 12 october', '2026-10-12T00:00'],
  ])('is the date of a past event: %s', async (words, from) => {
    const live = await after(words);
    expect(live.map(({ tense, validFrom }) => (tense === 'happened' ? day(validFrom) : ''))).toContain(from);
    expect(live.map(({ tense }) => tense)).not.toContain('planned');
  });
});

describe('a forgotten statement that the reader has put into its own words', () => {
  it.each([
    ['I teach chemistry.', 'Please forget that I teach chemistry.'],
    ["I'm fructose intolerant.", "Forget that I'm fructose intolerant, please."],
    ['My husband died in March.', 'Please forget that my husband died.'],
    ['No como pescado.', 'Olvida que no como pescado, por favor.'],
    ['Sono vedova.', 'Dimentica che sono vedova, per favore.'],
  ])('is removed: %s', async (said, request) => {
    expect((await after(said)).map(({ attribute }) => attribute).filter(Boolean)).not.toEqual([]);
    expect(await after(said, request)).toEqual([]);
  });

  it('is removed without the rest of its sentence', async () => {
    const said = 'I live in Turku and I drive a bus.';
    const left = async (request: string): Promise<string[]> =>
      (await after(said, request)).flatMap(({ value }) => value ?? []);
    expect((await after(said)).flatMap(({ value }) => value ?? []).toSorted()).toEqual(['Turku', 'bus driver']);
    expect(await left('Please forget that I drive a bus.')).toEqual(['Turku']);
    expect(await left('Please forget that I live in Turku.')).toEqual(['bus driver']);
  });
});

describe('words that resemble a town or a wish', () => {
  it.each([
    'We moved to Acacia Avenue in June.',
    'I live in Friedrich-Ebert-Straße.',
    "J'habite rue des Lilas.",
    'Abito in Via Dante.',
  ])('a street is not a town: %s', async (words) => {
    expect((await after(words)).filter(({ attribute }) => attribute === 'home_city')).toEqual([]);
  });

  it.each([
    ['The garage has my bike. They will call me on Monday.', false],
    ['The vet took a sample and she said she would call me tonight.', false],
    ['Call me Gus from now on.', true],
  ])('a call is not a wish: %s', async (words, isWish) => {
    expect((await after(words)).some(({ type }) => type === 'preference')).toBe(isWish);
  });
});

it('entities are names, and each is one entity: no verb of a rendering, no adjective, no second entity of unknown type', async () => {
  const [memory] = await after(
    'Mi hermana Nuria vive en Gijón.',
    'My uncle Seb works for a Rolex-like firm.',
    'im Ulrik, 34, live in Odense w my mum',
    'I live in Odense.',
    'our rent is 980',
  );
  const entities = await talk.varve.for({ user: memory!.scope.user }).entities.list();
  expect(entities.map(({ name }) => name).toSorted()).toEqual(['Gijón', 'Nuria', 'Odense', 'Rolex', 'Seb', 'Ulrik']);
});

it('a summary whose first words are forgotten gets its title from the remaining words, without quotation marks', async () => {
  const { varve } = talk;
  const memory = newSession();
  for (const userMessage of [
    'My salary is 61k.',
    'My cousin Wanda lives in Gdynia and repairs old church organs.',
    'I play the bassoon on Tuesdays.',
  ])
    await memory.logInteraction({ userMessage, agentResponse: 'Understood.' });
  await memory.session.close();
  await varve.drain();
  clock.advance(2 * HOUR);
  await varve.drain();
  await memory.logInteraction({ userMessage: 'Please forget my salary.', agentResponse: 'Of course.' });
  await varve.drain();
  const { items } = await memory.memories.list({ types: ['summary'] });
  expect(items.map(({ title }) => title)).toContain('Summary: My cousin Wanda lives in Gdynia …');
});

describe('a message after a pause', () => {
  it.each([
    ['I am allergic to walnuts, like hospital allergic.', 'Remind me to ring Avó on Sunday, its her birthday.'],
    ['My cousin Ruth lives in Hull.', 'Remind me to call her on Sunday.'],
    ['Soy alérgica a las nueces, mucho.', 'Recuérdame enviarle la factura el domingo.'],
  ])('is not joined to the statement of the message before it: %s … %s', async (first, reminder) => {
    const clock = manualClock(Date.parse('2026-10-20T09:00:00Z'));
    const varve = await createVarve({ store: ':memory:', background: false, clock });
    const handle = varve.for({ user: 'ana', session: 's' });
    for (const userMessage of [first, reminder]) {
      await handle.logInteraction({ userMessage, agentResponse: 'Ok.' });
      await varve.drain();
      clock.advance(11 * HOUR);
    }
    const { items } = await handle.memories.list({});
    const [due, ...others] = items.filter(({ dueAt }) => dueAt !== null);
    expect(due?.content.startsWith(reminder.slice(0, 15))).toBe(true);
    expect(others).toEqual([]);
    expect(
      items.filter(({ dueAt, type }) => dueAt === null && type !== 'summary').map(({ content }) => content),
    ).not.toEqual([]);
    await varve.close();
  });
});

describe('an order that is not about answers', () => {
  it.each([
    'Always use vitest rather than jest',
    'Always use my work email',
    'From now on use four spaces for indentation',
    'Every time mark the invoice as paid',
    'Schreib immer Tests zuerst',
    'Verwende immer die Testdatenbank',
  ])('is kept in the words of the user: %s', async (words) => {
    expect((await after(words)).map(({ attribute, content }) => [attribute, content])).toEqual([[null, words]]);
  });

  it.each([
    ['Always use three decimal places', 'three decimal places'],
    ['From now on write dates with the month in words', 'dates with the month in words'],
    ['Always include a source link', 'a source link'],
    ['From now on, give me the long version', 'the long version'],
    ['Antworte immer mit Quellen', 'mit Quellen'],
  ])('differs from one about answers: %s', async (words, value) => {
    const live = await after(words);
    expect(live.map(({ attribute, value }) => [attribute, value])).toEqual([['answer_format', value]]);
  });
});

describe('words that something does not matter', () => {
  it.each([
    'Never mind the wedding plans',
    'Ok, never mind about my allergy to nuts.',
    'Vergiss es mit dem Umzug nach Kiel',
    'No importa mi boda en mayo',
    'Laisse tomber ma consultation chez le dentiste demain',
    'Lascia perdere la mia visita dal dentista domani',
    'Deixa pra lá a minha consulta no dentista amanhã',
    '誕生日のことは気にしないで',
  ])('are not kept: %s', async (words) => {
    expect(await after(words)).toEqual([]);
  });

  it.each([
    'Never mind my birthday, I moved to Bonn.',
    'No importa el precio, soy alérgica al gluten.',
    "Don't worry about nuts, my allergy is to eggs.",
    'Never book a flight before nine',
  ])('may begin a sentence that is kept: %s', async (words) => {
    expect((await after(words)).map(({ content }) => content)).toContain(words);
  });
});

describe('the day of what happened', () => {
  it.each(['I moved in with Sven yesterday', 'We got a puppy called Fudge on Monday'])(
    'is kept in the words of the user if no slot has it: %s',
    async (words) => {
      const own = (await after(words)).filter(({ attribute }) => attribute === null);
      expect(own.map(({ content }) => content.startsWith(words))).toEqual([true]);
    },
  );

  it.each(['I broke my elbow.', 'I moved in with Sven.', 'I live in Ghent now.'])(
    'is absent, or in the slot: %s',
    async (words) => {
      expect((await after(words)).filter(({ attribute }) => attribute === null)).toEqual([]);
    },
  );
});

describe('a plain sentence about the life of the user', () => {
  it.each([
    'I gave up coffee.',
    "J'ai raté mon permis.",
    "J'ai arrêté de boire.",
    'Ho adottato un coniglio.',
    'Mi sono rotto il gomito.',
    'Me apunté a un coro.',
    'Tengo una barca.',
    'Dejé el ajedrez.',
    'He dejado de fumar.',
    'Fiz uma tatuagem.',
  ])('is kept: %s', async (words) => {
    expect((await after(words)).map(({ content }) => content)).toEqual([words]);
  });

  it.each([
    'I ran the tests.',
    'I broke the build again.',
    'I prefer the shorter title.',
    'I deleted the branch.',
    'My query returns nothing.',
    'I gave up on that approach.',
    'I quit the app.',
    'I dropped it.',
    "J'ai choisi la deuxième option.",
    "J'ai redémarré le serveur.",
    "J'ai abandonné cette idée.",
    'Voglio un titolo più corto.',
    'Ho cancellato la riga.',
    'He borrado la línea.',
    'Rompí el build.',
    'Tenho outra pergunta.',
  ])('differs from one that matters only for the task at hand: %s', async (words) => {
    expect(await after(words)).toEqual([]);
  });
});

describe('a sentence that names somebody and says something about the person', () => {
  it.each([
    ['My husband Gavin snores.', 'Gavin'],
    ['My horse Duchess is lame.', 'Duchess'],
    ['Mi novia Sara ronca.', 'Sara'],
    ['Mon mari Bruno est retraité.', 'Bruno'],
    ['Mia figlia Chiara balbetta.', 'Chiara'],
    ['Mijn man Joris snurkt.', 'Joris'],
    ['Minha filha Bia é canhota.', 'Bia'],
  ])('is kept in the words of the user beside the name: %s', async (words, name) => {
    const live = await after(words);
    expect(live.map(({ content }) => content)).toContain(words);
    expect(live.flatMap(({ value }) => value ?? [])).toEqual([name]);
  });

  it.each([
    'My wife is called Bridget btw',
    "My cat's name is Mango now.",
    'My son is Callum, by the way.',
    'My boyfriend Ravi is vegetarian.',
    'Mi gata se llama Nube, por cierto',
    'Mijn hond heet Boris hoor',
  ])('is not kept a second time if the slots say all of it: %s', async (words) => {
    expect((await after(words)).filter(({ attribute }) => attribute === null)).toEqual([]);
  });
});

describe('the language in which a value is rendered', () => {
  const rendered = async (...messages: readonly string[]): Promise<string[]> =>
    (await talk.after(...messages)).flatMap(({ attribute, content }) => (attribute === 'home_city' ? content : []));
  const english = ['I live in Leeds.', 'I work at Tesco as a cashier.', 'My cat is called Milo.'];

  it('is that of most of the recent turns if the value is a name', async () => {
    expect(await rendered(...english, 'ich wohne jetzt in hamburg')).toEqual(['Lives in Hamburg']);
  });

  it('is that of the turn if the user has said little before', async () => {
    expect(await rendered('I live in Leeds.', 'ich wohne jetzt in hamburg')).toEqual(['Lebt in Hamburg']);
  });

  it('changes with the turns', async () => {
    const german = [
      'Ich mag den Hafen sehr.',
      'Heute war es ziemlich kalt hier.',
      'Ich arbeite bei Rewe in der Küche.',
    ];
    expect(await rendered(...german, 'Ich wohne jetzt in Hamburg.')).toEqual(['Lebt in Hamburg']);
  });
});
