import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, manualClock, MINUTE } from '../src/record/clock.ts';
import { createVarve, type Varve } from '../src/varve.ts';

// Changes in plain words, read without a language model. No sentence is in the training data.

const clock = manualClock(Date.parse('2026-03-02T09:00:00Z'));
let varve: Varve;
let users = 0;

beforeAll(async () => {
  varve = await createVarve({ store: ':memory:', background: false, clock });
});
afterAll(() => varve.close());

/** What is live after messages, one a day: attributes with their values, and own words. `+n` lets n days pass. */
async function after(...messages: readonly string[]): Promise<string[]> {
  const user = `u${(users += 1)}`;
  clock.set(Date.parse('2026-03-02T09:00:00Z'));
  for (const [index, message] of messages.entries()) {
    clock.advance(message.startsWith('+') ? Number(message) * DAY : MINUTE);
    if (!message.startsWith('+'))
      await varve
        .for({ user, session: `s${index}` })
        .logInteraction({ userMessage: message, agentResponse: 'Understood.' });
    await varve.drain();
  }
  const { items } = await varve.for({ user }).memories.list({ order: 'oldest' });
  return items.map(
    ({ subject, attribute, value, polarity, content }) =>
      `${subject === 'User' ? '' : `${subject} `}${attribute === null ? content : `${polarity === 'denied' ? 'not ' : ''}${attribute}=${value}`}`,
  );
}

describe('a plan that is called off', () => {
  it.each([
    ['I live in Cork', "We're moving to Galway on 1 April", 'The move to Galway is off.', 'home_city=Cork'],
    ['I live in Cork', "We're moving to Galway on 1 April", "We're staying in Cork after all", 'home_city=Cork'],
    ['I work at Tesco', 'I start at Aldi on 30 March', 'The job at Aldi fell through', 'employer=Tesco'],
    ['Ich wohne in Ulm', 'Ich ziehe am 1. April nach Hagen', 'Der Umzug nach Hagen ist abgesagt.', 'home_city=Ulm'],
    ['Vivo en Cádiz', 'Me mudo a Lugo el 1 de abril', 'Al final no nos mudamos a Lugo', 'home_city=Cádiz'],
    [
      "J'habite à Lille",
      'Je déménage à Brest le 1er avril',
      "Le déménagement à Brest est tombé à l'eau",
      'home_city=Lille',
    ],
    ['Abito a Lecce', 'Mi trasferisco a Trento il 1 aprile', 'Il trasloco a Trento è saltato', 'home_city=Lecce'],
    [
      'Ik woon in Delft',
      'Ik verhuis op 1 april naar Assen',
      'De verhuizing naar Assen gaat niet door',
      'home_city=Delft',
    ],
    ['Moro em Faro', 'Vou me mudar para Évora em 1 de abril', 'A mudança para Évora foi cancelada', 'home_city=Faro'],
  ])('does not take effect: %s … %s … %s', async (before, plan, end, holds) => {
    const live = await after(before, plan, '+5', end, '+40');
    expect(live).toContain(holds);
    expect(live.filter((one) => one.startsWith(holds.split('=')[0] as string))).toEqual([holds]);
  });

  it.each([
    'I still live in Cork and hate packing',
    'The picnic is off because of the rain',
    'Is the move to Galway off?',
  ])('is not called off by other words: %s', async (words) => {
    const live = await after('I live in Cork', "We're moving to Galway on 1 April", '+5', words, '+40');
    expect(live).toContain('home_city=Galway');
  });
});

describe('people and animals whose names are known', () => {
  it.each([
    ['My brother Olaf lives in Bergen', 'Olaf moved to Stavanger', "User's brother Olaf home_city=Stavanger"],
    ['Meine Tante Rosa wohnt in Ulm', 'Rosa wohnt jetzt in Hagen', "User's aunt Rosa home_city=Hagen"],
    ['Ma sœur Inès habite à Lille', 'Inès habite à Brest maintenant', "User's sister Inès home_city=Brest"],
    ['Our cat is called Pickle', 'Pickle passed away last night', 'not pet_name=Pickle'],
    ['Unsere Katze heißt Mimi', 'Mimi ist heute früh gestorben', 'not pet_name=Mimi'],
    ['Mi gata se llama Luna', 'Luna murió anoche', 'not pet_name=Luna'],
  ])('%s … %s', async (before, change, holds) => {
    const live = await after(before, '+9', change);
    expect(live).toContain(holds);
    expect(live.filter((one) => one.includes(holds.replace(/^not /, '').split('=')[0] as string))).toEqual([holds]);
  });
});

describe('a value that takes the place of a known one', () => {
  it.each([
    ['My flat is in Leeds', 'Small correction: it is in Otley, not Leeds', 'home_city=Otley'],
    ['I work at Barclays', 'I got that wrong, it is Lloyds, not Barclays.', 'employer=Lloyds'],
    ['Ich wohne in Ulm', 'Kleine Korrektur: nicht in Ulm, sondern in Neu-Ulm', 'home_city=Neu-Ulm'],
    ['Vivo en Cádiz', 'Perdona, es Jerez, no Cádiz', 'home_city=Jerez'],
    ['Ik woon in Delft', 'Foutje: het is Rijswijk, niet Delft', 'home_city=Rijswijk'],
  ])('%s … %s', async (before, correction, holds) => {
    const live = await after(before, correction);
    expect(live.filter((one) => one.includes(holds.split('=')[0] as string))).toEqual([holds]);
  });
});

it.each(['The party is in Otley, not Leeds', 'I prefer Otley, not Leeds', 'Sorry, is it Otley, not Leeds?'])(
  'a name in words about something else replaces nothing: %s',
  async (words) => {
    expect(await after('My flat is in Leeds', words)).toContain('home_city=Leeds');
  },
);

describe('a new job', () => {
  it('that is told without "I" begins on its day', async () => {
    const live = await after('I work at Tesco', 'Handed in my notice at Tesco, starting at Aldi on 30 March', '+60');
    expect(live).toContain('employer=Aldi');
    expect(live).not.toContain('employer=Tesco');
  });
});
