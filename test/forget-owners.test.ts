import { describe, expect, it } from 'vitest';
import { MINUTE } from '../src/record/clock.ts';
import { formingWithoutModel } from './form-model.ts';

// A turn of the user, with the answer of the assistant if it is not "Okay.".
type Said = string | [user: string, answer: string];

describe('[X1] a request to forget a matter of one person leaves the matters of others, without a model', () => {
  const forming = formingWithoutModel();
  let users = 0;

  /** Sends the turns, and returns what the log before the last turn, and the memories, still say. */
  async function after(turns: readonly Said[]): Promise<{ left: string; forgotten: number }> {
    users += 1;
    const handle = forming().varve.for({ agent: 'a', user: `u${users}`, session: `s${users}` });
    for (const turn of turns) {
      const [userMessage, agentResponse] = typeof turn === 'string' ? [turn, 'Okay.'] : turn;
      await handle.logInteraction({ userMessage, agentResponse });
      await forming().varve.drain();
      forming().clock.advance(MINUTE);
    }
    const events = (await handle.events.list({ order: 'oldest', limit: 100 })).items.slice(0, -2);
    const memories = (await handle.memories.list()).items;
    const left = [...events, ...memories].map(({ content }) => content).join('\n');
    return { left, forgotten: (await handle.forgotten.list()).length };
  }

  it.each([
    ["I'm vegan.", "Please forget Priya's diet."],
    ['I was born on 9 June 1990.', "delete my dad's date of birth please"],
    ['i live at 4 Mill Lane, Leeds', 'remove liams address from your memory'],
    ['My boss is called Priya.', "Please forget my landlord's name."],
    ['My sister works at Boots. Her shop is in Hull.', 'forget where my brother works'],
    ['My brother lives in Hull.', 'forget where I live'],
    ['Ich verdiene 3200 Euro im Monat.', 'Vergiss bitte, was Anja verdient.'],
    ['Ich nehme Metformin.', 'Vergiss Omas Medikamente.'],
    ['Vivo en Sevilla.', 'Olvida dónde vive Carmen.'],
    ["J'habite à Lyon.", 'Oublie où habite Camille.'],
    ['Sono allergico alle noci.', "Dimentica l'allergia di mia sorella."],
    ['Moro em Braga.', 'Esquece onde a Joana mora.'],
    ['Ik ben allergisch voor noten.', 'Vergeet de allergie van mijn broer.'],
    ['i take metformin 500 for my diabetes', 'ok forget the diet were having pizza tonight'],
    ["I'm seeing someone called Ruth, it's new.", "Ruth wants to move in. 'all or nothing' she said, word for word"],
  ])('and forgets nothing if it means nothing that was said: %s %s', async (said, request) => {
    const { left, forgotten } = await after([said, request]);
    expect(forgotten).toBe(0);
    expect(left).toContain(said);
  });

  it.each([
    [["I'm vegan.", 'Priya is vegetarian.'], "Please forget Priya's diet.", /vegetarian/, 'vegan'],
    [
      ['my dad was born on 9 June 1960', 'I was born on 2 May 1990.'],
      "delete my dad's date of birth please",
      /1960/,
      '1990',
    ],
    [['my brother tom is staying here', 'he is allergic to nuts'], 'forget toms allergy', /nuts/, 'staying'],
    [['The wedding is on 4 May.', 'I live in Leeds.'], "forget my sister's wedding", /4 May/, 'Leeds'],
    [
      ['I have an appointment at the clinic on Friday.', 'I live in Leeds.'],
      "forget the doctor's appointment",
      /clinic/,
      'Leeds',
    ],
    [['I borrowed 500 from my brother.', 'I live in Leeds.'], 'forget the loan from my brother', /500/, 'Leeds'],
    [
      ['Meine Frau verdient 4000 Euro.', 'Ich verdiene 3000 Euro.'],
      'Vergiss, was meine Frau verdient.',
      /4000/,
      '3000',
    ],
    [['Carmen vive en Granada.', 'Vivo en Sevilla.'], 'Olvida dónde vive Carmen.', /Granada/, 'Sevilla'],
    [['Mia sorella Giulia è incinta.', 'Vivo a Torino.'], 'dimentica la gravidanza di Giulia', /incinta/, 'Torino'],
  ])('and forgets what was said of the person: %s %s', async (said, request, gone, stays) => {
    const { left } = await after([...said, request]);
    expect(left).not.toMatch(gone);
    expect(left).toContain(stays);
  });

  it.each<[Said, string]>([
    [['her birthday is 9th june', "Noted, her birthday's the 9th of June."], "please forget nina's birthday"],
    [
      ['nina new number is 07700 900455 btw. her bdays 9th june', "Saved, and her birthday's the 9th of June."],
      "pls delete nina's number and her birthday, dont need em now",
    ],
  ])(
    'and removes the words from a statement to which they were joined, and from the answer: %s',
    async (said, request) => {
      const { left } = await after(['my girlfriend nina is a vet', said, request]);
      expect(left).not.toMatch(/9th|900455/);
      expect(left).toContain('my girlfriend nina is a vet');
    },
  );

  it.each([
    ['i owe dana 300 quid', 'forget the debt to dana', 'hmm actually no keep the debt thing', /300/],
    ['i owe dana 300 quid', 'forget the debt to dana', 'no wait keep that', /300/],
    ['devo 900 euro a Nadia', 'dimentica il debito con Nadia', 'anzi no, il debito con Nadia tienilo', /900/],
    [
      'Ich schulde Dana 900 Euro.',
      'Vergiss die Schulden bei Dana.',
      'ach nee, die schulden bei dana kannst du behalten',
      /900/,
    ],
  ])('and a turn that keeps it after all restores it: %s %s', async (said, request, kept, stays) => {
    const { left, forgotten } = await after([said, 'ruth lives in Bramley', request, kept]);
    expect(left).toMatch(stays);
    expect(left).toContain('Bramley');
    expect(forgotten).toBe(0);
  });

  it.each([
    ['Please keep the receipts for the dog food.'],
    ['no wait, remember to remind me about milk tomorrow'],
    ['Actually, keep it short when you answer.'],
  ])('and a turn that keeps something else restores nothing: %s', async (kept) => {
    const { left } = await after(['My rent is 1200 a month.', 'Please delete my rent.', kept]);
    expect(left).not.toContain('1200');
  });
});
