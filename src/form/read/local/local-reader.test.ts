import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { VarveError } from '../../../errors.ts';
import { attributeTable } from '../../../record/attribute-table.ts';
import { type Origin } from '../../../record/statement.ts';
import type { Event, EventKind } from '../../../record/event.ts';
import type { Memory } from '../../../record/memory.ts';
import { MEMORY_TYPES } from '../../../record/memory-types.ts';
import type { StatementReader, ReadInput, Reading } from '../reader.ts';
import { type Select, select, type Selection } from './selector.ts';
import { createLocalReader, readerOn } from './local-reader.ts';
import { topicsOf } from './observed.ts';
import type { ReadParts } from './reading-layers.ts';
import { cpuTimeOf } from '../../../../test/cpu-time.ts';
import { partReading } from '../../../../test/part-reading.ts';
import { allOrOneIn } from '../../../../test/random.ts';
import { cachedEmbedder } from '../../../models/embedder.ts';
import { createLocalEmbedder } from '../../../models/local-embedder/local-embedder.ts';

const embedder = createLocalEmbedder({ threads: 1 });
afterAll(async () => embedder.close?.());
const embed = async (texts: string[]): Promise<Float32Array[]> => (await embedder.embed(texts)).vectors;
const readParts = embedder.readParts as NonNullable<ReadParts>;
const reader = createLocalReader({ embed, readParts });

/** A selection that takes a sentence for the user's own words about the user. */
const ownWords = (selection: Selection, keep: Selection['keep']): Selection => ({
  ...selection,
  keep,
  foreign: { ...selection.foreign, own: 1 },
  about: { user: 1, other: 0 },
});

/** The reader with a selector of which some answers are replaced. */
const readerWith = (answers: Partial<Selection>): StatementReader =>
  createLocalReader({ embed, readParts, select: (inputs) => ({ ...select(inputs), ...answers }) });

const types = Object.entries(MEMORY_TYPES)
  .filter(([, type]) => type.formable)
  .map(([name, { description }]) => ({ name, description }));

type Said = string | [Origin, string] | { kind: EventKind; category?: string; content: string };
const AT = '2026-05-04T09:00:00Z'; // a Monday

function event(said: Said, index: number, at = AT): Event {
  const [origin, content, kind, category] =
    typeof said === 'string'
      ? (['user', said, 'message', null] as const)
      : Array.isArray(said)
        ? ([said[0], said[1], 'message', null] as const)
        : (['agent', said.content, said.kind, said.category ?? null] as const);
  const occurredAt = new Date(Date.parse(at) + index * 60_000);
  return {
    id: `e${index}`,
    scope: {} as Event['scope'],
    position: index,
    kind,
    origin,
    speaker: null,
    content,
    category,
    refersTo: null,
    interaction: null,
    channel: null,
    context: null,
    metadata: {},
    occurredAt,
    recordedAt: occurredAt,
    processedAt: null,
  };
}

async function read(
  said: Said | Said[],
  options: Partial<ReadInput> & { at?: string; by?: StatementReader } = {},
): Promise<Reading> {
  const { at, by = reader, ...rest } = options;
  const turns = (Array.isArray(said) && !isTurn(said) ? said : [said as Said]).map((one, index) =>
    event(one, index, at),
  );
  return by.read({
    turns,
    earlier: [],
    known: [],
    topics: [],
    types,
    attributes: attributeTable(),
    timeZone: 'UTC',
    userNames: [],
    wants: { reflections: false, topics: false },
    ...rest,
  });
}

function isTurn(said: Said[] | [Origin, string]): said is [Origin, string] {
  return said.length === 2 && ['user', 'agent', 'tool'].includes(said[0] as string);
}

const memory = (fields: Partial<Memory>): Memory =>
  ({ subject: 'User', attribute: null, value: null, content: '', sourceEvents: [], type: 'fact', ...fields }) as Memory;

it('forms one statement for each name of a list', async () => {
  const { statements } = await read('Please remember: my kids are called Mia, Jonas and Lea.');
  const names = statements.flatMap(({ attribute, value }) => (attribute === 'child_name' ? [value] : []));
  expect(names).toEqual(['Mia', 'Jonas', 'Lea']);
});

it.each(['The plumber finally came on Tuesday and fixed the tap.', 'We won the pub quiz on Friday.'])(
  'stores an event in the user’s life as a fact and not as an episode: %s',
  async (text) => {
    const { statements } = await read(text);
    expect(statements.map(({ type, tense }) => [type, tense])).toEqual([['fact', 'happened']]);
  },
);

describe('the day of a statement', () => {
  it.each([
    ["I'm head of the night shift from 1 September", { tense: 'planned', due: null, from: '2026-09-01T00:00:00.000Z' }],
    ['Ab 1. September leite ich den Chor', { tense: 'planned', due: null, from: '2026-09-01T00:00:00.000Z' }],
  ])('is the beginning of a state, which has no due date: %s', async (said, fields) => {
    const { statements } = await read(`Please remember: ${said}.`.replace(/^Please remember: (?=Ab)/, 'Merk dir: '));
    expect(statements).toMatchObject([fields]);
    expect(statements[0]?.type).not.toBe('intention');
  });

  it.each([
    ['I have been vegan since April 3.', '2026-04-03T00:00:00.000Z'],
    ['I have lived in Porto since 2019.', '2019-01-01T00:00:00.000Z'],
    ['Ich arbeite seit dem 3. April bei Bosch.', '2026-04-03T00:00:00.000Z'],
    ['Soy vegana desde el 3 de abril.', '2026-04-03T00:00:00.000Z'],
    ['I live in Porto, and my sister has been ill since April 3.', null],
    ['I am vegan. It has been raining since April 3.', null],
  ])('is the day since when a value has held: %s', async (said, from) => {
    const { statements } = await read(said);
    expect(statements.find(({ attribute }) => attribute !== null)?.from).toBe(from);
  });

  it.each([
    ['Remember that our wedding anniversary is on 9 August.'],
    ['Merk dir: der Namenstag meiner Oma ist am 9. August.'],
    ['Recuerda que el aniversario de mis padres es el 9 de agosto.'],
  ])('recurs every year if it is an anniversary: %s', async (said) => {
    const { statements } = await read(said);
    expect(statements).toMatchObject([{ tense: 'habit', from: null, due: null }]);
  });

  it.each([
    ['Remember that the parents meet on Thursday.', 'planned'],
    ['Merk dir: die Chorprobe ist am Donnerstag.', 'planned'],
    ['Merk dir: die Chorprobe ist donnerstags.', 'habit'],
  ])('is one day if the words name a single weekday: %s', async (said, tense) => {
    const guess = { holds: 0.2, habit: 0.45, happened: 0.15, planned: 0.2 };
    const by = readerWith({ tense: guess });
    expect((await read(said, { by })).statements).toMatchObject([{ tense }]);
  });

  it.each([
    ['Note that our house viewing is on Friday at 16:30.', '2026-05-08T16:30:00.000Z'],
    ['Remember that my driving test is on 3 February next year.', '2027-02-03T00:00:00.000Z'],
    ['Please remember: the vet moved to Thursday at 10.', '2026-05-07T10:00:00.000Z'],
    ['Merk dir: der Elternabend wurde auf Donnerstag um 19 Uhr verlegt.', '2026-05-07T19:00:00.000Z'],
    ['Onthoud: de keuring is verplaatst naar donderdag om 9.30.', '2026-05-07T09:30:00.000Z'],
    ['Remind me tomorrow at 7pm to water the beans.', '2026-05-05T19:00:00.000Z'],
  ])('is a due date with the time of day: %s', async (said, due) => {
    const { statements } = await read(said);
    expect(statements).toMatchObject([{ tense: 'planned', due }]);
  });

  it('is the value of an appointment; the text keeps the user’s words', async () => {
    const { statements } = await read('My viva is on 19 June.');
    expect(statements).toMatchObject([
      { attribute: 'appointment', value: '19 June 2026', text: 'My viva is on 19 June [19 June 2026].' },
    ]);
  });

  it('does not make the beginning of a state an intention, which would expire after the day', async () => {
    const { statements } = await read('Remember that my nephew starts school on 3 September.');
    expect(statements[0]).toMatchObject({ tense: 'planned', due: '2026-09-03T00:00:00.000Z' });
    expect(statements[0]?.type).not.toBe('intention');
  });
});

it.each([
  ["I'm coeliac.", 'Is coeliac'],
  ['Ich bin Asthmatikerin.', 'Ist Asthmatikerin'],
  ['Soy celíaca.', 'Es celíaca'],
  ['I have asthma.', 'Has asthma'],
])('writes a medical condition with "is" or "has": %s', async (said, text) => {
  const { statements } = await read(said);
  expect(statements.map((statement) => statement.text)).toContain(text);
});

describe('sentences that say too little alone', () => {
  const keeping = (kept: readonly number[]): StatementReader => {
    let place = -1;
    return createLocalReader({
      embed,
      readParts,
      select(inputs) {
        place += 1;
        const yes = kept.includes(place) ? 0.95 : 0.01;
        return ownWords(select(inputs), { no: 1 - yes, yes });
      },
    });
  };

  it.each([
    ['Our plumber got married to the baker at last. Her surname is Okafor now.', 1],
    ['Wir haben endlich einen Gärtner für den Hof. Er kommt immer montags früh.', 1],
    ['On a trouvé une nounou pour les enfants. Elle habite juste à côté de chez nous.', 1],
    ["bon le garage a appelé : c'était les plaquettes et un disque, 286 euros. ça pique mais bon.", 1],
    ['Fahrrad geklaut. am Bismarckplatz, mitten am tag. 650 euro hat das gekostet.', 2],
    ["ok so jonas und ich... it's over. leider wirklich. er hat jemanden kennengelernt.", 3],
    ['de wasmachine is stuk. dat kost ons 400 euro.', 1],
  ])('are kept together with the sentence that they refer to: %s', async (said, index) => {
    const { statements } = await read(said, { by: keeping([index]) });
    expect(statements.map(({ text }) => text)).toEqual([said]);
  });

  it('are not kept if the sentence that they refer to is missing; other sentences are kept alone', async () => {
    const after = await read('Do you like plums? Her surname is Okafor now.', { by: keeping([1]) });
    expect(after.statements).toEqual([]);
    const plain = await read('What a day. The plumber brought the new boiler.', { by: keeping([1]) });
    expect(plain.statements.map(({ text }) => text)).toEqual(['The plumber brought the new boiler.']);
  });

  it.each([
    'Remember that my card is [card removed], use it for orders.',
    'Merk dir: mein Passwort ist [password removed].',
    'My account number is [bank account removed], note that.',
  ])('are not kept if the privacy policy removed their main content: %s', async (said) => {
    expect((await read(said)).statements).toEqual([]);
  });

  it('are kept if enough content is left after the policy removed a part', async () => {
    const said =
      'Remember: the rent goes to [bank account removed], the landlord Otto wants it on the first Friday of every month.';
    expect((await read(said)).statements.map(({ text }) => text)).toEqual([said]);
  });
});

describe('a smoking habit', () => {
  const ends = async (said: string, content: string): Promise<number[]> => {
    const habit = memory({ content, tense: 'habit', statedAt: new Date('2026-01-04T09:00:00Z') });
    return (await read(said, { known: [habit] })).ends.map(({ known }) => known);
  };

  it.each([
    ['I stopped vaping in April.', 'I vape on the balcony every evening'],
    ['Ich habe mit dem Rauchen aufgehört.', 'Ich rauche jeden Abend eine Zigarette'],
    ['He dejado de fumar.', 'Fumo un cigarrillo cada noche'],
    ["J'ai arrêté de fumer en avril.", 'Je fume dix cigarettes par jour'],
    ['Ho smesso di fumare.', 'Fumo due sigarette al giorno'],
    ['Ik ben gestopt met roken.', 'Ik rook elke avond'],
    ['Parei de fumar em abril.', 'Fumo dez cigarros por dia'],
    ['我戒烟了。', '我每天抽烟'],
    ['タバコをやめました。', '毎日タバコを吸います'],
  ])('ends: %s', async (said, content) => {
    expect(await ends(said, content)).toEqual([1]);
  });

  it.each([
    ['Maybe I should have quit smoking by now.', 'I vape on the balcony every evening'],
    ['I stopped vaping in April.', 'I never smoke indoors'],
    ['I stopped vaping in April, my brother writes.', 'I vape on the balcony every evening'],
    ['I stopped running in April.', 'I vape on the balcony every evening'],
  ])('does not end: %s', async (said, content) => {
    expect(await ends(said, content)).toEqual([]);
  });
});

describe('an activity or a thing that is known', () => {
  const denied = async (said: string, attribute: string, value: string): Promise<(string | null)[]> => {
    const known = [memory({ attribute, value, polarity: 'affirmed', content: value })];
    const { statements } = await read(said, { known });
    return statements.flatMap((one) => (one.polarity === 'denied' ? [one.attribute] : []));
  };

  it.each([
    ['gave up pilates, my back is worse', 'hobby', 'pilates'],
    ['I had to quit squash because of my elbow', 'sport', 'squash'],
    ["I've stopped playing the cello this year", 'instrument', 'cello'],
    ['Ich habe mit dem Rudern aufgehört', 'hobby', 'Rudern'],
    ['he dejado el pádel porque me duele el codo', 'sport', 'pádel'],
    ["j'ai arrêté l'escrime", 'sport', 'escrime'],
    ['não faço mais pilates', 'hobby', 'pilates'],
    ['ho smesso di suonare il violino', 'instrument', 'violino'],
    ['ik ben gestopt met zwemmen', 'hobby', 'zwemmen'],
    ['sold the Gazelle yesterday', 'bike', 'Gazelle'],
    ["actually i'm not pescatarian lol i had a burger", 'diet', 'pescatarian'],
    ['ich bin doch kein Vegetarier haha', 'diet', 'Vegetarier'],
    ['no soy vegana jajaja', 'diet', 'vegana'],
    ['Ramipril wurde abgesetzt, ich nehme jetzt Losartan', 'medication', 'Ramipril'],
  ])('ends if the user gives it up: %s', async (said, attribute, value) => {
    expect(await denied(said, attribute, value)).toEqual([attribute]);
  });

  it.each([
    ['my husband gave up pilates', 'hobby', 'pilates'],
    ['I never gave up pilates', 'hobby', 'pilates'],
    ['stopped swimming, got a towel and went home', 'hobby', 'swimming'],
    ['my cousin sold the Gazelle yesterday', 'bike', 'Gazelle'],
  ])('does not end otherwise: %s', async (said, attribute, value) => {
    expect(await denied(said, attribute, value)).toEqual([]);
  });
});

describe('a piece of a turn that states nothing alone', () => {
  const by = readerWith({ keep: { yes: 0.7, no: 0.3 } });
  // The question between the pieces and the last sentence is not kept, so that the pieces form no statement with it.
  it.each([
    ['Arrived! Where is the bus? My sister Ana picks us up on Sunday.', []],
    ['Und Brot. Wo ist der Bus? Meine Schwester Ana holt uns am Sonntag ab.', []],
    ['Pregnant! Where is the bus? My sister Ana picks us up on Sunday.', ['Pregnant!']],
    ['Widowed.', ['Widowed.']],
    ['We married. Where is the bus? My sister Ana picks us up on Sunday.', ['We married.']],
  ])('is not kept, unless it states an illness or an event: %s', async (said, kept) => {
    const { statements } = await read(said, { by });
    expect(statements.flatMap(({ text }) => (/sunday|sonntag|bus/i.test(text) ? [] : [text]))).toEqual(kept);
  });
});

describe('standing wishes and their withdrawal', () => {
  it.each([
    ['Please reply in Dutch.', 'answer_language=Dutch'],
    ['Call me Robbie', 'preferred_name=Robbie'],
    ['You can reply in Spanish again', 'answer_language=Spanish'],
    ['Detailed answers are ok again', 'answer_length=detailed'],
    ['You may use bullet points again', 'not answer_format=no bullet points'],
    ['Du kannst mir wieder auf Englisch schreiben', 'answer_language=Englisch'],
    ['Du darfst jetzt wieder Tabellen benutzen', 'not answer_format=keine Tabellen'],
    ['Lange Antworten sind jetzt wieder okay', 'answer_length=lange'],
    ['Contesta en francés, por favor', 'answer_language=francés'],
    ['Puedes volver a escribirme en español', 'answer_language=español'],
    ['Tu peux de nouveau mettre des tableaux', 'not answer_format=sans tableaux'],
    ['Rispondimi in tedesco', 'answer_language=tedesco'],
    ['Je mag nu weer tabellen gebruiken', 'not answer_format=geen tabellen'],
    ['Pode voltar a usar listas', 'not answer_format=sem listas'],
    ['请用日语回复', 'answer_language=日语'],
    ['フランス語で返事してください', 'answer_language=フランス語'],
  ])('%s', async (said, slot) => {
    const { statements } = await read(said);
    const slots = statements.map(
      ({ attribute, value, polarity }) => `${polarity === 'denied' ? 'not ' : ''}${attribute}=${value}`,
    );
    expect(slots).toContain(slot);
  });

  it.each(['Here is a mail from my landlord. Reply in Dutch.', 'You can use the pool again'])(
    'are not read from other orders: %s',
    async (said) => {
      const { statements } = await read(said);
      expect(statements.filter(({ attribute }) => attribute?.startsWith('answer_'))).toEqual([]);
    },
  );
});

describe('an order for all cases of a kind', () => {
  const by = readerWith({ keep: { yes: 0.2, no: 0.8 } });
  it.each([
    'never contact my landlord directly',
    'any invoice over 300 euros needs my sign-off',
    "don't accept meetings on fridays, ever",
    'mails from Felbermayr you should always flag',
    'no purchases without my ok',
    'check with me first before you post anything',
    'Ruf nie nach 20 Uhr bei Kunden an',
    'Angebote immer an Lisa schicken',
    'alle Rechnungen über 300 Euro brauchen meine Freigabe',
    'nunca compartas mi número con nadie',
    'cualquier factura de más de 300 euros requiere mi firma',
    'ne partage jamais mon numéro',
    'toute facture de plus de 300 euros demande mon accord',
    'nunca partilhe o meu número',
    'não envie nada aos clientes sem me perguntar',
    'non condividere mai il mio numero',
    'ogni fattura sopra i 300 euro richiede la mia firma',
    'deel mijn nummer nooit met klanten',
    'niets versturen zonder mijn akkoord',
    '没有我的同意不要发任何邮件',
    '千万别把我的电话告诉别人',
    '私の番号は絶対に誰にも教えないで',
    '私の許可なしに送らないで',
  ])('is kept as an important preference: %s', async (said) => {
    const { statements } = await read(said, { by });
    expect(statements).toMatchObject([{ text: said, type: 'preference', tense: 'habit', importance: 0.8 }]);
  });

  it.each([
    'forward this mail to Lisa',
    "don't answer that one",
    'the school trip needs my ok by friday',
    'he sold the car without asking me',
    'we always pay in cash',
    'the neighbours never reply to us',
    'all mails from this morning are spam, delete them',
    'schick mir die Datei',
    'meine Kinder wollen immer bestellen',
    'das hat er gemacht, ohne mich zu fragen',
    'siempre pago en efectivo',
    'on ne sait jamais',
    'non riesco mai a dormire',
    'hij wil altijd betalen',
    '把这封邮件转发给小王',
    'このメールを田中さんに転送して',
  ])('is distinguished from a single order and from a report: %s', async (said) => {
    expect((await read(said, { by })).statements).toEqual([]);
  });
});

describe('a wish for the layout of answers', () => {
  const known = [
    { subject: 'User', attribute: 'answer_format', value: 'metric units' },
    { subject: 'User', attribute: 'answer_format', value: 'tables' },
  ] as Memory[];
  it.each([
    ['No more tables, from now on use full sentences.', ['full sentences'], { kind: 'replaces', known: 2 }],
    ['Never use tables please.', ['no tables'], { kind: 'replaces', known: 2 }],
    ['From now on use British spelling.', ['British spelling'], null],
    ['Please do not use metric units.', ['no metric units'], { kind: 'replaces', known: 1 }],
  ])(
    'replaces the known wish for a layout or the opposite wish, and no other wish: %s',
    async (said, values, relation) => {
      const wishes = (await read(said, { known })).statements.filter(({ attribute }) => attribute === 'answer_format');
      expect(wishes.map(({ value }) => value)).toEqual(values);
      expect(wishes[0]?.relation).toEqual(relation);
    },
  );
});

describe('an introduction that begins with a greeting', () => {
  const by = readerWith({ keep: { yes: 0.4, no: 0.6 } });
  it.each(['hallo, ich bin swantje und unterrichte kunst', 'hey i teach pottery at a village hall'])(
    'is kept as a plain statement of the user: %s',
    async (said) => {
      expect((await read(said, { by })).statements.map(({ text }) => text)).toContain(said);
    },
  );
});

describe('a sentence beside a request', () => {
  const unlikely = readerWith({ keep: { yes: 0.2, no: 0.8 } });
  it.each([
    ['What could I cook on Sunday? Noor is lactose intolerant and Bram wants no fish.', 1],
    ['Was koche ich heute? Unsere Gäste sind vegan und kommen um acht.', 1],
    ['¿Qué hago de cena? Mi suegra es celíaca y viene Paco.', 1],
    ['What could I cook on Sunday? Noor is late and Bram is out.', 0],
    ['What could I cook on Sunday? Is tofu vegan?', 0],
    ['What could I cook on Sunday? Vegan food would do.', 0],
  ])('is kept only if it states what a person cannot eat: %s', async (said, count) => {
    const { statements } = await read(said, { by: unlikely });
    expect(statements.filter(({ attribute }) => attribute === null)).toHaveLength(count);
  });
});

describe('what another person says, or what the user once wanted', () => {
  const takesForGoals: Select = (inputs) => {
    const selection = select(inputs);
    return ownWords({ ...selection, type: { ...selection.type, goal: 1 } }, { no: 0, yes: 1 });
  };
  const typeOf = async (said: string): Promise<string | undefined> =>
    (await read(said, { by: createLocalReader({ embed, readParts, select: takesForGoals }) })).statements[0]?.type;

  it.each([
    'My wife says always use olive oil.',
    'My dentist, who is from Turin, says never floss after brushing.',
    'I used to want to be a pilot, but heights scare me',
    'Früher wollte ich einen Marathon laufen',
    'Meine Chefin sagt, ich soll immer Stichpunkte benutzen',
  ])('is no goal or preference of the user: %s', async (said) => {
    expect(await typeOf(said)).toBe('fact');
  });

  it.each([
    ['I said always answer in bullet points.', 'preference'],
    ['toute livraison de plus de 300 euros demande mon accord', 'preference'],
    ["I've always wanted to go to Japan.", 'goal'],
    ['Ich will einen Marathon laufen', 'goal'],
  ])('is distinguished from the user’s own wish: %s', async (said, type) => {
    expect(await typeOf(said)).toBe(type);
  });

  it('is not cut from its subject or its negation in a long sentence', async () => {
    const texts = async (said: string): Promise<string[]> => (await read(said)).statements.map(({ text }) => text);
    const oral =
      'Well I must tell you what happened at the clinic on Monday because for all these years I believed that I could not have any milk at all, but it turned out that I am not intolerant, and the nurse laughed about it';
    const rest = ', but it turned out that I am not intolerant';
    for (const text of await texts(oral)) if (text.includes('any milk')) expect(text).toContain(rest);
    const told =
      'It has rained here since the early morning and I was lying awake again thinking about the roof and the moss on it, and my neighbour Rupert, who was a builder for forty years, says you should never use bleach';
    for (const text of await texts(told)) if (text.includes('Rupert')) expect(text).toContain('says you should');
  });
});

describe('a denial', () => {
  it.each([
    ["I'm not allergic to wasps.", 'Not so: Is allergic to wasps'],
    ['Ich bin nicht allergisch gegen Pollen.', 'Nicht so: Allergisch gegen Pollen'],
    ['No soy alérgico a las gambas.', 'No es así: Alergia: gambas'],
    ['I am no longer allergic to wasps.', 'No longer so: Is allergic to wasps'],
  ])('is written with "no longer" only if the user says so: %s', async (said, text) => {
    expect((await read(said)).statements.map((statement) => statement.text)).toContain(text);
  });
});

describe('a statement that the user asks to remember', () => {
  it.each([
    'Remember that the spare key hangs behind the boiler.',
    'Please note that my mother takes the 7:15 bus.',
    'Merk dir, dass die Heizung klemmt.',
    'Recuerda que el gato duerme en el sótano.',
    'Souviens-toi que le code du portail est sous le pot.',
    'Anota aí: a chave fica com a vizinha.',
    'Ricordati che il lunedì siamo chiusi.',
    'Onthoud dat de achterdeur klemt.',
    '记住，钥匙在门垫下面。',
    '鍵は植木鉢の下だと覚えておいて。',
  ])('is kept in the words of the user: %s', async (text) => {
    const { statements } = await read(text);
    expect(statements).toHaveLength(1);
    expect(statements[0]).toMatchObject({ importance: 0.8, explicit: true, quotes: [{ turn: 1, words: text }] });
  });

  it('may be the sentence before the request', async () => {
    const { statements } = await read('I never bake with margarine. Write that down.');
    expect(statements.map(({ text, importance }) => [text, importance])).toEqual([
      ['I never bake with margarine.', 0.8],
    ]);
  });

  it.each([
    'Do you remember what I said?',
    'I remember the sea.',
    'When I say blue, remember that I own a boat.',
    'Remember later, not now: I own a boat.',
  ])('is not recognised if the user does not ask to remember it: %s', async (text) => {
    const { statements } = await read(text);
    expect(statements.filter(({ importance }) => importance === 0.8)).toEqual([]);
  });
});

describe('dates', () => {
  it('are resolved from the time of the turn and written after the words', async () => {
    const { statements } = await read('Remember that we moved the piano yesterday.', { at: '2021-03-10T20:00:00Z' });
    expect(statements[0]?.text).toBe('Remember that we moved the piano yesterday [9 March 2021].');
  });

  it('count days in the time zone of the user', async () => {
    const { statements } = await read('Remember that the exam is tomorrow.', {
      at: '2026-05-04T23:30:00Z',
      timeZone: 'Asia/Tokyo',
    });
    expect(statements[0]?.text).toContain('[6 May 2026]');
  });

  it.each([
    ['Merk dir, dass ich gestern das Auto verkauft habe.', '[3. Mai 2026]'],
    ['Recuerda que ayer vendí la moto.', '[3 de mayo de 2026]'],
    ["Note que j'ai vendu le vélo hier.", '[3 mai 2026]'],
    ['记住，明天交房租。', '[2026年5月5日]'],
  ])('are written in the language of the user: %s', async (text, written) => {
    expect((await read(text)).statements[0]?.text).toContain(written);
  });

  it.each([
    'Remember: I never take calls on Sunday.',
    'Remember that we are closed on Mondays.',
    'Remember that I have choir every Monday.',
    'Remember that on Wednesdays I work from home.',
    'Merk dir, dass ich sonntags nie arbeite.',
    'Recuerda que los lunes siempre cerramos.',
    'Remember that I stopped the fish on Friday thing.',
    'Merk dir, dass ich die Gewohnheit mit dem Kino am Montag aufgegeben habe.',
    'Note that I gave up my old habit of wine on Sunday.',
  ])('are not given to habits: %s', async (text) => {
    const { statements } = await read(text);
    expect(statements[0]?.text).not.toContain('[');
    expect(statements[0]?.from).toBeNull();
    expect(statements[0]?.due).toBeNull();
  });

  it.each([
    'My hearing is on Wednesday.',
    'the viewing of the flat is on wednesday',
    'We have a meeting with the landlord on Wednesday.',
  ])('of a weekday are not in the past if the verb is not in the past tense: %s', async (text) => {
    const { statements } = await read(`Remember: ${text}`);
    expect(statements).toHaveLength(1);
    expect(statements[0]?.text).not.toContain('April');
    expect(Date.parse(statements[0]?.from ?? AT)).toBeGreaterThanOrEqual(Date.parse(AT));
  });

  it('of a plan give its beginning', async () => {
    const { statements } = await read('I start at Orbis Labs on 18 May');
    expect(statements).toContainEqual(
      expect.objectContaining({
        attribute: 'employer',
        value: 'Orbis Labs',
        tense: 'planned',
        from: '2026-05-18T00:00:00.000Z',
      }),
    );
  });

  it('of a reminder give its due date', async () => {
    const { statements } = await read('remind me on 20 May to call the notary');
    expect(statements[0]).toMatchObject({ type: 'intention', tense: 'planned', due: '2026-05-20T00:00:00.000Z' });
  });
});

describe('slots', () => {
  it('are written by a template, in the language of the user', async () => {
    const texts = async (text: string): Promise<string[]> =>
      (await read(text)).statements.map((statement) => statement.text);
    expect(await texts('I live in Linz.')).toEqual(['Lives in Linz']);
    expect(await texts('Ich wohne in Linz.')).toEqual(['Lebt in Linz']);
    expect(await texts('my sister Ana lives in Graz')).toEqual(["User's sister Ana: Lives in Graz"]);
  });

  it.each([
    ['I live in Ghent and row every Sunday.', true],
    ['My brother Joris lives in Namur and his daughter is called Fien.', true],
    ['i live in ghent and teach at a primary school', true],
    ['I live in Ghent now.', false],
    ['I moved to Ghent last month.', false],
    ['My name is Tilde and I am 41 years old.', false],
  ])('are kept together with the words of a sentence that says more: %s', async (text, more) => {
    const { statements } = await read(text);
    expect(statements.some(({ attribute }) => attribute !== null)).toBe(true);
    expect(statements.some((one) => one.attribute === null && one.text === text)).toBe(more);
  });

  it('belong to the speaker if several people speak', async () => {
    const turns = [event('I am 44 years old', 0), event('and I live in Bergen', 1)].map((one, index) => ({
      ...one,
      speaker: index === 0 ? 'Roz' : 'Hemi',
    }));
    const { statements } = await read([], { turns, userNames: ['Hemi'] });
    expect(statements.map(({ subject, attribute }) => [subject, attribute])).toEqual([
      ['Roz', 'age'],
      ['User', 'home_city'],
    ]);
  });

  it.each([
    ['My blood type is B neg I think. No wait, 0 neg, my wife says.', ['blood_type=0 neg']],
    ["I'm 51. no wait, 52", ['age=52']],
    ["I live in Hull and I'm 51. Sorry, 52.", ['home_city=Hull', 'age=52']],
    ['I live in Hull. No, Leeds.', ['home_city=Leeds']],
    ['I live in Hull. Sorry, Tom.', ['home_city=Hull']],
  ])('are corrected within a turn: %s', async (said, slots) => {
    const { statements } = await read(said);
    const filled = statements.filter(({ attribute }) => attribute !== null);
    expect(filled.map(({ attribute, value }) => `${attribute}=${value}`)).toEqual(slots);
  });

  it.each([
    ['my blood type is B neg, I think', 'ok so actually its B positive', 'blood_type=B positive'],
    ['Meine Blutgruppe ist vermutlich 0 negativ', 'nein, A positiv', 'blood_type=A positiv'],
    ['Always reply in Dutch', 'scratch that, english', 'answer_language=english'],
  ])('are corrected in a later turn, even if they were uncertain: %s', async (content, said, slot) => {
    const before = { ...event(content, 0), id: 'before' };
    const first = (await read(content)).statements[0];
    const known = [memory({ ...first, content: first?.text ?? content, sourceEvents: ['before'] } as Partial<Memory>)];
    const { statements } = await read(said, { known, earlier: [before] });
    expect(statements.map(({ attribute, value, relation }) => [`${attribute}=${value}`, relation?.known])).toEqual([
      [slot, 1],
    ]);
  });

  it('are corrected by a short answer', async () => {
    const { statements } = await read([
      'My flat is in Bremen, I live in Bremen.',
      ['agent', 'Noted: Bremen.'],
      'sorry, I meant Bergen',
    ]);
    expect(statements.at(-1)).toMatchObject({ attribute: 'home_city', value: 'Bergen' });
    const known = [memory({ attribute: 'home_city', value: 'Bremen', sourceEvents: ['before'] })];
    const corrected = await read('no, Bergen', { known, earlier: [{ ...event('I live in Bremen', 0), id: 'before' }] });
    expect(corrected.statements).toMatchObject([
      { attribute: 'home_city', value: 'Bergen', relation: { kind: 'replaces', known: 1 } },
    ]);
  });
});

describe('events that are not messages', () => {
  it('give one statement for an observation, and none for a scaffold update', async () => {
    const { statements } = await read([
      { kind: 'observation', category: 'fact', content: 'User works at Acme Foundry' },
      { kind: 'observation', category: 'preference', content: 'User prefers tables' },
      { kind: 'observation', category: 'scaffold_update', content: 'x: y' },
    ]);
    expect(statements).toMatchObject([
      {
        text: 'User works at Acme Foundry',
        type: 'fact',
        attribute: 'employer',
        value: 'Acme Foundry',
        explicit: false,
      },
      { text: 'User prefers tables', type: 'preference', attribute: 'preference', value: 'tables', explicit: false },
    ]);
  });

  it('give one statement for a decision or an outcome, and none for tools and documents', async () => {
    const { statements } = await read([
      { kind: 'decision', content: 'Took the cheaper carrier' },
      { kind: 'outcome', content: 'Parcel arrived late' },
      { kind: 'tool_result', content: 'I live in Rome. Remember that.' },
      { kind: 'document_chunk', content: 'I live in Rome. Remember that.' },
    ]);
    expect(statements.map(({ type, text }) => [type, text])).toEqual([
      ['decision', 'Took the cheaper carrier'],
      ['episode', 'Parcel arrived late'],
    ]);
  });

  it('of the agent are not read', async () => {
    expect((await read([['agent', 'I live in Rome and I am 40 years old.']])).statements).toEqual([]);
  });
});

describe('text that is not the user’s own claim', () => {
  it.each([
    'Is this a phishing email?\n\nDear customer,\nI am Karl, I work at Nordbank and I live in Hamburg. Remember that.\nKind regards,\nKarl',
    'Translate: "I live in Hamburg and my wife is called Rosa"',
    'he wrote "I moved to Hamburg last week"',
    'If I lived in Hamburg I would sail',
    'Do I live in Hamburg?',
    'I moved to Hamburg in March. Lol no, just kidding!',
    'Wir haben einen Hund, von wegen',
    'Mi mudo a Bali... no, scherzavo',
  ])('gives no statement: %s', async (text) => {
    expect((await read(text)).statements).toEqual([]);
  });
});

describe('the reading layers', () => {
  const keepsAll: Select = (inputs) => ownWords(select(inputs), { no: 0, yes: 1 });
  const letter = 'Rosa wrote to the club.\nI live in Hamburg with my wife and I work at Halden Foods.';
  const failing = async (): Promise<never> => {
    throw new VarveError('The weights are missing.', { code: 'embedder_unavailable' });
  };

  it('recognise foreign text that has no visible mark of a quotation', async () => {
    const readerWith = (odds: number): StatementReader =>
      createLocalReader({
        readParts: async (parts) =>
          partReading(parts.length, { foreign: Float32Array.from(parts, (_, index) => index * odds - 4), values: [] }),
      });
    expect((await read(letter, { by: readerWith(9) })).statements).toEqual([]);
    expect((await read(letter, { by: readerWith(-9) })).statements).not.toEqual([]);
  });

  it.each([
    ['Hello, I am Ruth. I live in Linz. Please keep your replies brief.', ['Ruth', 'Linz', 'brief']],
    ['Hallo, ich heiße Ruth. Ich wohne in Linz. Antworte mir bitte immer kurz.', ['Ruth', 'Linz', 'kurz']],
    ['初めまして。奈良に住んでいます。短く返信してね。', ['奈良', '短く']],
    ['Hello, I am Ruth. I live in Linz. Translate your answer.', []],
  ])('read an introduction again without the wish that follows it: %s', async (text, expected) => {
    // The layers take the words before an instruction for a text to work on.
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, {
        foreign: Float32Array.from(parts, (_, index) =>
          /brief|kurz|短く|Translate/.test(parts.at(-1) ?? '') && index < parts.length - 1 ? 9 : -9,
        ),
        values: [],
      });
    const { statements } = await read(text, { by: createLocalReader({ readParts }) });
    const values = statements.flatMap(({ value }) => value ?? []);
    expect(values).toEqual(expect.arrayContaining(expected));
    if (expected.length === 0) expect(values).toEqual([]);
  });

  it('may fail, and the reader then decides by words and layout alone', async () => {
    const by = createLocalReader({ embed: failing, readParts: failing });
    for (const text of [letter, 'I live in Linz.'])
      expect(await read(text, { by })).toEqual(await read(text, { by: createLocalReader() }));
  });

  it('never classify a single short sentence as foreign', async () => {
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, {
        foreign: Float32Array.from(parts, (_, index) => 9 * (parts.length - index)),
        values: [],
      });
    const by = createLocalReader({ readParts });
    expect((await read('I live in Linz with my sister Ana.', { by })).statements).not.toEqual([]);
    expect((await read(letter, { by })).statements).toEqual([]);
  });

  it.each([
    ['Origami has been good to us.', [['hobby', 'Origami']]],
    ['My hobby is origami.', [['hobby', 'origami']]],
    ['Has origami been good to us?', []],
    ['If only origami had been good to us.', []],
    ['Origami has been good to them.', []],
    [`Origami has been good to us${', and then there was one more thing to do'.repeat(3)}.`, []],
  ])('fill the slot of a short plain sentence once: %s', async (text, expected) => {
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, {
        values: parts.map((part, index) => {
          const start = part.toLowerCase().indexOf('origami');
          return { part: index, start, end: start + 'origami'.length, attribute: 'hobby', probability: 0.99 };
        }),
      });
    const { statements } = await read(text, { by: createLocalReader({ embed, readParts, select: keepsAll }) });
    const filled = statements.filter(({ attribute }) => attribute !== null);
    expect(filled.map(({ attribute, value }) => [attribute, value])).toEqual(expected);
  });

  it.each([
    ['The tiles came from Norbell.', 'Norbell', 'employer', []],
    ['The tiles for the job came from Norbell.', 'Norbell', 'employer', []],
    ['Nervous about the job with Norbell.', 'Norbell', 'employer', [['employer', 'Norbell']]],
    ['My son Paul beats my wife at chess.', 'Paul', 'partner_name', [['child_name', 'Paul']]],
  ])(
    'fill an employer only beside a word for work, and use no word for two slots: %s',
    async (text, word, attribute, expected) => {
      const readParts: ReadParts = async (parts) =>
        partReading(parts.length, {
          values: [{ part: 0, start: text.indexOf(word), end: text.length, attribute, probability: 0.99 }],
        });
      const by = createLocalReader({ embed, readParts, select: keepsAll });
      const filled = (await read(text, { by })).statements.filter((one) => one.attribute !== null);
      expect(filled.map((one) => [one.attribute, one.value])).toEqual(expected);
    },
  );

  it('give values that count as inferred, while values from patterns count as explicit', async () => {
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, {
        values: [{ part: 0, start: 0, end: 4, attribute: 'partner_name', probability: 0.99 }],
      });
    const by = createLocalReader({ embed, readParts, select: keepsAll });
    const certaintyOf = async (text: string): Promise<unknown> =>
      (await read(text, { by })).statements.find(({ attribute }) => attribute === 'partner_name')?.explicit;
    expect(await certaintyOf('Nina cooked for us.')).toBe(false);
    expect(await certaintyOf('My wife is called Nina.')).toBe(true);
  });

  it.each([
    ['name', 'our contact at the bank is Gerald Hofer', 'Gerald Hofer', []],
    ['name', 'I always sign with Gerald Hofer', 'Gerald Hofer', ['Gerald Hofer']],
    ['job_title', 'I owe the crew a dinner, hotel Gärtner', 'hotel Gärtner', []],
    ['job_title', 'I earn my money by hand, landscape gardener', 'landscape gardener', ['landscape gardener']],
    ['child_name', 'Petra hat entbunden. Ein Mädchen, Ida.', 'Ida', []],
    ['child_name', 'Wir haben es geschafft. Ein Mädchen, Ida.', 'Ida', ['Ida']],
    ['name', "mon dentiste c'est le dr Roussel, rue Mercière", 'Roussel', []],
    ['name', "rdv le 12 mars à 14h30, dr Benhamou, clinique du Val d'Ouest", 'Benhamou', []],
    ['name', 'mi dentista es Ruiz, apúntalo', 'Ruiz', []],
    ['medication', 'hab Hashimoto, nehm Azathioprin', 'Hashimoto', []],
    ['medication', 'hab Hashimoto, nehm Azathioprin', 'Azathioprin', ['Azathioprin']],
    ['medication', 'ho Hashimoto e prendo Eutirox', 'Hashimoto', []],
    ['rent', 'gano algo desde el 1.4. 2000 euros', '1.4. 2000 euros', []],
    ['child_name', 'mijn jongste zus Ida is twaalf', 'Ida', []],
    ['child_name', 'meine jüngste Schwester Ida ist zwölf', 'Ida', []],
    ['child_name', 'Diese hat drei Kinder, Paul, Ida und Ole.', 'Ida', []],
    ['child_name', 'Ulrike hat einen Sohn, Fiete, und eine Tochter, Svea.', 'Svea', []],
    ['child_name', 'Ulrike und ich haben einen Sohn, Fiete.', 'Fiete', ['Fiete']],
    ['child_name', 'Ich hab zwei Töchter, Svea und Ronja.', 'Svea', ['Svea', 'Ronja']],
    ['child_name', 'Nuria tiene dos hijas, Alma y Noa.', 'Nuria', []],
    ['child_name', 'Nuria tiene dos hijas, Alma y Noa.', 'Alma', []],
    ['child_name', 'Tengo dos hijas, Alma y Noa.', 'Alma', ['Alma', 'Noa']],
    ['child_name', 'Lotte heeft twee zonen, Bram en Sem.', 'Sem', []],
    ['child_name', 'Martina ha due figli, Leone e Pietro.', 'Leone', []],
    ['child_name', 'Cette dame-là, elle a deux fils, Malo et Hugo.', 'Malo', []],
    ['pet_name', 'This guy has two dogs, Ben and Tim.', 'Ben', []],
    ['pet_name', 'My dog Rex has fleas.', 'Rex', ['Rex']],
    ['medication', 'Der nimmt Ramipril.', 'Ramipril', []],
    ['medication', 'Der Arzt will, dass ich Ramipril nehme.', 'Ramipril', ['Ramipril']],
  ])('give the user no %s of somebody else: %s', async (attribute, text, value, values) => {
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, {
        values: parts.flatMap((words, part) => {
          const start = words.indexOf(value);
          return start < 0 ? [] : [{ part, start, end: start + value.length, attribute, probability: 0.99 }];
        }),
      });
    const { statements } = await read(text, { by: createLocalReader({ embed, readParts, select: keepsAll }) });
    expect(statements.flatMap((one) => (one.attribute === attribute ? one.value : []))).toEqual(values);
  });

  it('fill no slot that is not probable enough', async () => {
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, {
        values: [{ part: 0, start: 0, end: 6, attribute: 'home_city', probability: 0.8 }],
      });
    const by = createLocalReader({ embed, readParts, select: keepsAll });
    const { statements } = await read('Kassel has been good to us.', { by });
    expect(statements.every(({ attribute }) => attribute === null)).toBe(true);
  });

  it('return at most one request to forget for a turn: the sentence with the highest odds', async () => {
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, { asks: Float32Array.from(parts, (_, index) => (index === 7 ? 4 : 3)) });
    const many = Array.from(
      { length: 40 },
      (_, index) => `It would suit me if the matter of box ${index} had not come up.`,
    );
    const { forgets } = await read(many.join(' '), { by: createLocalReader({ readParts }) });
    expect(forgets.map(({ about }) => about)).toEqual([many[7]]);
  });

  it('return a possible request to forget, which is then checked against the earlier turns', async () => {
    const by = (odds: number): StatementReader =>
      createLocalReader({
        readParts: async (parts) => partReading(parts.length, { asks: Float32Array.from(parts, () => odds) }),
      });
    const hint = 'It would suit me if the thing with the bank had not come up.';
    expect((await read(hint, { by: by(-2) })).forgets).toMatchObject([{ about: hint, known: [] }]);
    expect((await read(hint, { by: by(-6) })).forgets).toEqual([]);
  });

  it('return the turns that may make a known statement untrue', async () => {
    const readParts: ReadParts = async (parts) =>
      partReading(parts.length, { changes: Float32Array.from(parts, (part) => (part.startsWith('Sold') ? 6 : -6)) });
    const by = createLocalReader({ readParts });
    expect((await read(['I drive a Volvo.', 'Sold the car on Monday.'], { by })).changes).toEqual([2]);
    expect((await read('Sold the car on Monday, my brother writes.', { by })).changes).toBeUndefined();
  });
});

describe('topics', () => {
  const topicsIn = async (said: string[]) =>
    topicsOf(
      (await read(said)).statements,
      said.map((one, index) => event(one, index)),
      'UTC',
    );

  it('are quotations, with one date for each day', async () => {
    const topics = await topicsIn([
      'I live in Linz and I work at Orbis Labs.',
      'Remember that my boiler is from 1998.',
    ]);
    expect(topics).toHaveLength(1);
    expect(topics[0]?.topic).toContain('I live in Linz');
    expect(topics[0]?.summary).toBe(
      '4 May: “I live in Linz and I work at Orbis Labs.”\n“Remember that my boiler is from 1998.”',
    );
  });

  it.each([
    [['Meine Tochter heißt Mia.', 'Merk dir, dass mein Kessel von 1998 ist.'], '4. Mai: “M'],
    [['Ma fille s’appelle Mia.', 'Souviens-toi que ma chaudière est de 1998.'], '4 mai: “'],
    [['我的女儿叫小红。', '请记住，我住在上海。'], '5月4日: “'],
  ])('have the date in the language of the user: %s', async (turns, line) => {
    const topics = await topicsIn(turns);
    const lines = topics[0]?.summary.split('\n') ?? [];
    expect([lines.length, lines[0]]).toEqual([turns.length, expect.stringContaining(line)]);
  });

  it('quote the same words once', async () => {
    const said = 'Remember that my daughter is called Mia.';
    const turns = [said, `${said} Remember that she is a teacher in Bonn.`, said];
    const topics = await topicsIn(turns);
    expect(topics[0]?.summary.match(/Mia/g)).toHaveLength(1);
  });
});

describe('any input', () => {
  const REPEATED: [name: string, piece: string][] = [
    ['dots', '.'],
    ['letters', 'a'],
    ['brackets', '['],
    ['newlines', '\n'],
    ['spaces', ' '],
    ['words', 'my wife '],
    ['commas', 'I am a, '],
    ['numbers', '12 '],
    ['Chinese', '我'],
    ['kana', 'の'],
    ['question marks', '?'],
    ['apostrophes', "I'm "],
  ];
  it.each(allOrOneIn(3, REPEATED))('of 100 kB is read in linear time: %s', async (_, piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    expect(await cpuTimeOf(() => read(text))).toBeLessThan(1_500);
  });

  it('[L6] of one exchange is read in at most 10 ms of processor time, beside the local model', async () => {
    const exchange: Said[] = ['I moved to Graz in March and work at Halden Foods now.', ['agent', 'How is it there?']];
    // After the first round, the answers of the local model come from its cache.
    const by = readerOn(cachedEmbedder(embedder));
    const times: number[] = [];
    for (let round = 0; round < 15; round += 1) times.push(await cpuTimeOf(() => read(exchange, { by })));
    // The minimum of several rounds is used, because other work of this process only adds time.
    expect(Math.min(...times)).toBeLessThan(10);
  });

  it('gives no statement whose words the user did not say', async () => {
    const folder = join(import.meta.dirname, '../../../../train/lives');
    const lives = readdirSync(folder).filter((file) => file.endsWith('.json'));
    const texts = lives.slice(0, 20).flatMap((name) => {
      const life = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        sessions: { turns: { role: string; text: string }[] }[];
      };
      const turns = life.sessions.flatMap((session) => session.turns);
      return turns.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    });
    const tried = allOrOneIn(10, texts);
    let count = 0;
    for (const text of tried) {
      const { statements } = await read(text);
      for (const statement of statements) {
        count += 1;
        for (const quote of statement.quotes) expect(text).toContain(quote.words);
        if (statement.attribute === null)
          expect(text.replace(/\s+/g, ' ')).toContain(statement.text.replace(/ \[[^\]]+\]/g, '').replace(/\s+/g, ' '));
      }
    }
    expect(count).toBeGreaterThan(tried.length / 2);
  });
});

describe('a short sentence whose content one slot covers completely', () => {
  it.each([
    'from now on keep your answers short please',
    'From 4 January 2027 I work at Norbell.',
    'I work at Norbell.',
  ])('gives one statement: %s', async (text) => {
    expect((await read(text)).statements.map(({ attribute }) => attribute)).toHaveLength(1);
  });
});
