import { describe, expect, it } from 'vitest';
import { MINUTE } from '../src/record/clock.ts';
import { formingWithoutModel } from './form-model.ts';

const forming = formingWithoutModel();
let users = 0;

const bare = (text: string): string => text.replace(/\s+/gu, ' ').trim();

async function tell(turns: readonly string[]) {
  const { varve, clock } = forming();
  users += 1;
  const handle = varve.for({ agent: 'a', user: `u${users}`, session: 's' });
  for (const userMessage of turns) {
    await handle.logInteraction({ userMessage, agentResponse: 'Okay.' });
    await varve.drain();
    clock.advance(MINUTE);
  }
  const { items } = await handle.events.list({ order: 'oldest', limit: 100 });
  const said = items.filter(({ origin }) => origin === 'user').map(({ content }) => bare(content));
  const memories = (await handle.memories.list()).items.map(({ content }) => content);
  return { handle, log: said.slice(0, turns.length - 1), said, memories };
}

/** Words in `{}` must be gone from the log after the last turn, which is the request. */
async function logsOf(turns: readonly string[]): Promise<{ log: string[]; expected: string[] }> {
  const { log } = await tell(turns.map((turn) => turn.replace(/[{}]/gu, '')));
  return { log, expected: turns.slice(0, -1).map((turn) => bare(turn.replace(/\{[^}]*\}/gu, ' '))) };
}

describe('[X1] a request about one thing of a person', () => {
  it.each<[string[]]>([
    [
      [
        '{My friend Julia is getting married in May in Lisbon.}',
        'Julia is allergic to nuts.',
        "Please forget about Julia's wedding.",
      ],
    ],
    [
      [
        '{Meine Freundin Jule heiratet im Mai in Lissabon.}',
        'Jule ist gegen Nüsse allergisch.',
        'Lösch das mit Jules Hochzeit.',
      ],
    ],
    [
      [
        '{Mi amiga Lucía se casa en mayo en Lisboa.}',
        'Lucía es alérgica a los frutos secos.',
        'Olvida lo de la boda de Lucía.',
      ],
    ],
    [
      [
        'My brother Paul has a dog.',
        '{Paul works at Siemens.}',
        'Paul is allergic to bees.',
        'Paul is visiting on Sunday.',
        'Please forget where Paul works.',
      ],
    ],
    [
      [
        'Mio fratello Paolo ha un cane.',
        '{Paolo lavora alla Siemens.}',
        'Paolo è allergico alle api.',
        'Dimentica dove lavora Paolo.',
      ],
    ],
    [
      [
        'My mum is called Ingrid and she is 70.',
        '{she lives in görlitz.} my dad died when i was 12',
        'mums knee op got pushed to the 28th',
        'mum is coming to me instead',
        'please dont remember where my mum lives',
      ],
    ],
    [
      [
        'i live in leipzig w my bf tom and our two cats, pixel and waffle',
        '{me and tom are over. he moved out on saturday.}',
        '{he took waffle.} so its just me and pixel now',
        'need a flat in hamburg, pixel must be allowed',
        'can you delete the thing about tom and me breaking up? thx',
      ],
    ],
  ])('keeps everything else that is said of the person: %j', async (turns) => {
    const { log, expected } = await logsOf(turns);
    expect(log).toEqual(expected);
  });

  it.each<[string[]]>([
    [['{My sister has a dog.}', '{My sister lives in Bonn.}', 'I like tea.', 'forget my sister please']],
    [
      [
        '{My sister has a dog.}',
        '{My sister is allergic to bees.}',
        'I like tea.',
        'forget what i told you about my sister',
      ],
    ],
    [
      [
        '{mi vedo con un collega, Stefano, ma lui è sposato}',
        'il martedì ho pilates',
        '{stefano vuole portarmi a Ischia}',
        'ti prego elimina tutto quello che riguarda Stefano',
      ],
    ],
  ])('means everything about the person without such words: %j', async (turns) => {
    const { log, expected } = await logsOf(turns);
    expect(log).toEqual(expected);
  });
});

describe('[X1] a statement of which a part may stay', () => {
  it.each([
    [
      'My brother Nico is a paramedic in Berlin. His birthday is on 30 November.',
      'Forget everything about Nico, but keep his birthday.',
      '30 November',
    ],
    [
      'My brother Nico is a paramedic in Berlin. His birthday is on 30 November.',
      'Please forget that Nico is a paramedic.',
      '30 November',
    ],
  ])('is a memory with the rest of its words: %s %s', async (turn, request, rest) => {
    const { handle, memories } = await tell([turn, request]);
    expect(memories.join()).toContain(rest);
    expect(memories.join()).not.toContain('paramedic');
    for (const { id } of await handle.forgotten.list()) await handle.forgotten.restore(id);
    const restored = (await handle.memories.list()).items.map(({ content }) => content);
    expect(restored.filter((content) => content.includes(rest))).toEqual([turn]);
  });

  it('leaves no memory of words that were hidden along with the forgotten ones', async () => {
    const { memories } = await tell(['My salary is 90k and I love it.', 'Please forget my salary.']);
    expect(memories.join()).not.toContain('90k');
  });

  const filling = ['i run on mondays', 'what shall i cook', 'i hate bananas', 'my couch does not fit', 'tea is better'];

  it('stays with the turn that corrects it, without what else the turn says', async () => {
    const { log } = await tell([
      ...filling,
      'my brother nico is a paramedic in berlin. his birthday is the 30th of november',
      'no wait the 29th. nico will kill me',
      'i walked to work today',
      'no wait, i meant green tea',
      'you can drop everything about nico but keep his birthday',
    ]);
    expect(log.slice(filling.length)).toEqual([
      'his birthday is the 30th of november',
      'no wait the 29th.',
      'i walked to work today',
      'no wait, i meant green tea',
    ]);
  });

  it('means the whole message of a person whom the request names, and no other message', async () => {
    const { log } = await tell([
      ...filling,
      'my brother nico is a paramedic',
      'forward from nico: "hey sis, i moved to potsdam, new adress is lindenstrasse, i hate hamburg btw"',
      'forward from tom: "hey, i moved to bremen, my new number is 123"',
      'forget everything about nico',
    ]);
    expect(log.slice(filling.length)).toEqual([
      '',
      '',
      'forward from tom: "hey, i moved to bremen, my new number is 123"',
    ]);
  });
});

describe('[X1] a request to put back what was forgotten', () => {
  const dora: Record<string, [string, string]> = {
    en: ['I am seeing Doreen.', 'Please forget that I am seeing Doreen.'],
    de: ['Ich bin mit Dora zusammen.', 'Vergiss bitte, dass ich mit Dora zusammen bin.'],
    es: ['Salgo con Dora.', 'Olvida que salgo con Dora.'],
    fr: ['Je sors avec Dora.', 'Oublie que je sors avec Dora.'],
    it: ['Esco con Dora.', 'Dimentica che esco con Dora.'],
    nl: ['Ik heb iets met Dora.', 'Vergeet dat ik iets met Dora heb.'],
    pt: ['Estou a namorar a Dora.', 'Esquece que estou a namorar a Dora.'],
    zh: ['我在和小梅交往。', '请忘掉我和小梅交往的事。'],
    ja: ['ドラさんと付き合っています。', 'ドラさんと付き合っていることは忘れてください。'],
  };

  it.each([
    ['en', 'so you can put back what i told you to strike out we told everybody at the hall monday'],
    ['en', 'Undo the deletion about Doreen please.'],
    ['en', 'Restore what I asked you to forget.'],
    ['de', 'Du kannst wieder aufnehmen, was ich dich zu vergessen bat.'],
    ['de', 'Mach das Löschen bitte rückgängig.'],
    ['es', 'Puedes volver a guardar lo que te pedí que borraras.'],
    ['fr', "Tu peux remettre ce que je t'ai demandé d'effacer."],
    ['it', 'Puoi rimettere quello che ti ho chiesto di cancellare.'],
    ['nl', 'Je mag terugzetten wat ik je vroeg te wissen.'],
    ['pt', 'Podes repor o que te pedi para apagar.'],
    ['zh', '你可以把我让你删掉的恢复回来。'],
    ['ja', '消してと言ったことを元に戻してください。'],
  ])('withdraws the request, in %s: %s', async (language, text) => {
    const turns = [...(dora[language] ?? []), text];
    const { handle, said } = await tell(turns);
    expect(said).toEqual(turns);
    expect(await handle.forgotten.list()).toEqual([]);
  });

  it.each([
    ['en', 'Can you put the couch back where it was?'],
    ['en', 'How do I restore the files I deleted?'],
    ['de', 'Stell die Datei wieder her, die ich gelöscht habe.'],
    ['de', 'Ich muss das Auto zurückbringen, bevor ich es vergesse.'],
    ['es', 'Quiero recuperar el peso que perdí.'],
    ['fr', "Je dois reprendre le train, j'ai oublié mon sac."],
  ])('is not an ordinary sentence, in %s: %s', async (language, text) => {
    const { handle, log } = await tell([...(dora[language] ?? []), text]);
    expect(log.join('')).toBe('');
    expect((await handle.forgotten.list()).length).toBeGreaterThan(0);
  });
});

describe('[X1] the words of a forgotten memory', () => {
  it('are shown by no reader of memories, and come back when it is restored', async () => {
    const { handle } = await tell(['My salary is 90k.']);
    const before = new Date(forming().clock.now());
    const id = (await handle.memories.list()).items.find(({ attribute }) => attribute === 'salary')?.id ?? '';
    forming().clock.advance(MINUTE);
    await handle.logInteraction({ userMessage: 'Please forget my salary.', agentResponse: 'Okay.' });
    await forming().varve.drain();
    const { inspect } = forming().varve.operator;
    const doors = {
      list: await handle.memories.list({ archived: 'only' }),
      get: await handle.memories.get(id),
      history: await handle.memories.history(id),
      past: await handle.asOf(before).memories.get(id),
      pastList: await handle.asOf(before).memories.list({ archived: 'include' }),
      rows: await inspect.rows(handle.scope, { offset: 0, limit: 10, order: 'newest', archived: 'include' }),
      found: await inspect.rows(handle.scope, {
        offset: 0,
        limit: 10,
        order: 'newest',
        archived: 'include',
        text: '90k',
      }),
      revised: await handle.memories.revise(id, { importance: 0.4 }),
      archived: await handle.memories.archive(id),
      again: await handle.memories.forget(id),
    };
    for (const [door, answer] of Object.entries(doors))
      expect(`${door} ${JSON.stringify(answer)}`).not.toContain('90k');
    expect(doors.list.items).toHaveLength(1);
    expect((await handle.forgotten.list()).map(({ value }) => value)).toEqual(['90k']);
    await handle.memories.restore(id);
    expect((await handle.memories.get(id))?.value).toBe('90k');
    expect(JSON.stringify(await handle.memories.history(id))).toContain('90k');
  });
});
