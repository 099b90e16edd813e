import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import { sharedLocalEmbedder } from '../src/models/shared-embedder.ts';
import { DAY, type ManualClock, MINUTE } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { answering, item, ONLY_FORMATION, openForming, promptsOf, reading } from './form-model.ts';
import { startProtocolServer, type ProtocolServer } from './protocol-server.ts';

// How formation handles the relations and ends that a model names, depending on whose words they rest on. The tests begin on 15 November
// 2026.

interface Said {
  content: string;
  speaker?: string;
}

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`what a model says of known statements on ${database.name}`, () => {
    let varve: Varve;
    let clock: ManualClock;
    let server: ProtocolServer;
    let handle: Handle;
    let drop: () => Promise<void>;

    beforeEach(async () => {
      server = await startProtocolServer();
      const created = await database.create();
      ({ drop } = created);
      ({ varve, clock } = await openForming(created.options, {
        server,
        formation: { reflections: false, summaries: false },
        consolidation: ONLY_FORMATION,
      }));
      handle = varve.for({ user: 'ana', session: 's' });
    });
    afterEach(async () => {
      await varve.close();
      await server.close();
      await drop();
    });

    /** Sends a message, which the local reader reads immediately and then a model reads as these statements and ends. */
    const say = async (
      turns: string | Said[],
      statements: Partial<Parameters<typeof item>[0]>[],
      ends: object[] = [],
    ): Promise<{ memories: Memory[]; refused: string[] }> => {
      clock.advance(MINUTE);
      const said = typeof turns === 'string' ? [{ content: turns }] : turns;
      server.otherwise({ chat: answering({}) });
      await handle.observe(said);
      await varve.drain();
      const [{ content }] = said as [Said];
      const items = statements.map((fields) => item({ text: content, turn: 1, quote: content, ...fields }));
      server.otherwise({ chat: answering({ read: reading({ statements: items, ends }) }) });
      const { added, refused } = await handle.form();
      const memories = await Promise.all(added.map((id) => handle.memories.get(id)));
      return {
        memories: memories.filter((memory) => memory !== null),
        refused: refused.map(({ what, reason, detail }) => `${what} ${reason}${detail === null ? '' : ` ${detail}`}`),
      };
    };
    const live = async (): Promise<string[]> =>
      (await handle.memories.list({ order: 'oldest', limit: 100 })).items.map(({ content }) => content);
    const now = async ([memory]: readonly Memory[]): Promise<Memory | null> => handle.memories.get(memory?.id ?? '');

    it.each(['replaces', 'extends'] as const)(
      '[X3] a statement that %s a known one with the same value also replaces the text of the known one, even if a draft has confirmed that text',
      async (relation) => {
        const fields = { attribute: 'medication', value: 'levothyroxine 75', type: 'personal' };
        await say('I take levothyroxine 75 in the evening.', [
          { ...fields, text: 'User takes levothyroxine 75 in the evening.' },
        ]);
        await say('I take levothyroxine 75 before breakfast now.', [
          { ...fields, text: 'User takes levothyroxine 75 before breakfast.', relation, known: [1] },
        ]);
        expect(await live()).toEqual(['User takes levothyroxine 75 before breakfast.']);
      },
    );

    it('[X3] a longer form that is stated about the user replaces a known statement about one of the user’s people', async () => {
      const { memories } = await say('My nephew set up the printer for me.', [
        {
          about: "User's nephew",
          attribute: 'set_up',
          value: 'printer',
          tense: 'happened',
          text: "User's nephew set up the printer.",
        },
      ]);
      await say('Bodo is twelve, the one who set up the printer.', [
        {
          attribute: 'nephew_name',
          value: 'Bodo',
          text: 'User has a nephew of twelve, Bodo, who set up the printer.',
          relation: 'extends',
          known: [1],
        },
      ]);
      expect(await now(memories)).toMatchObject({ archiveReason: 'merged' });
      // A number that is off by one removes nothing, because the new text does not state what the known one states.
      await say('My aunt Frauke keeps bees.', [
        {
          about: "User's aunt Frauke",
          attribute: 'bees',
          value: 'bees',
          text: "User's aunt Frauke keeps bees.",
          relation: 'extends',
          known: [1],
        },
      ]);
      expect(await live()).toEqual([
        'User has a nephew of twelve, Bodo, who set up the printer.',
        "User's aunt Frauke keeps bees.",
      ]);
    });

    it('[Q3] a time in figures (“18:30”) is supported by the same time in words (“halb sieben”)', async () => {
      const { refused } = await say('Der Chor fängt jetzt um halb sieben an.', [
        { attribute: 'rehearsal', value: '18:30', text: 'Der Chor von Nutzer beginnt um 18:30.' },
      ]);
      expect(refused).toEqual([]);
      expect(await live()).toEqual(['Der Chor von Nutzer beginnt um 18:30.']);
    });

    it('[X1] an important event whose day has passed ends by words that do not name it, and one that lies ahead does not', async () => {
      const event = { tense: 'planned', type: 'intention', importance: 0.9 } as const;
      const { memories: past } = await say('The christening is at St Olaf on 20 November.', [
        { ...event, due: '2026-11-20' },
      ]);
      const { memories: ahead } = await say('The heart operation is on 20 December.', [
        { ...event, due: '2026-12-20' },
      ]);
      clock.advance(7 * DAY);
      const quote = 'It rained all day and we danced anyway';
      const { refused } = await say(quote, [], [{ known: [1, 2], turn: 1, quote, on: null }]);
      expect(refused).toEqual(['end unknown_target the quoted turn is not about it']);
      expect([await now(past), await now(ahead)].map((memory) => memory?.archivedAt === null)).toEqual([false, true]);
    });

    const NOTICE = '"NORTH POOL: Eff. TUE 12/1 lane hours begin 7:45 PM. Caps required. Reply STOP to opt out."';
    const QUOTE = 'Eff. TUE 12/1 lane hours begin 7:45 PM';

    it('[X1] a pasted text that the user endorses ends the statements that it makes untrue', async () => {
      const { memories } = await say('I have my lane at six on Tuesdays.', [
        { text: 'User has a lane at 18:00 on Tuesdays.' },
      ]);
      const { refused } = await say(
        `they sent me this ${NOTICE} seven forty-five, and the kids have to be in bed`,
        [],
        [{ known: 1, turn: 1, quote: QUOTE, on: '2026-12-01' }],
      );
      expect(refused).toEqual([]);
      expect((await now(memories))?.validTo?.toISOString()).toContain('2026-12-01');
    });

    it('[X1] [T3] a pasted text that is not endorsed ends none of the user’s statements, and the refusal is sent to the model', async () => {
      const about = 'the lane at North Pool';
      const { memories } = await say('The lane at North Pool is from six.', [
        { about, text: 'The lane at North Pool is from 18:00.' },
      ]);
      const pasted = `what do they want? ${NOTICE}`;
      const { refused } = await say(
        pasted,
        [{ about, text: 'The lane at North Pool is from 19:45.', quote: QUOTE, relation: 'replaces', known: [1] }],
        [{ known: 1, turn: 1, quote: QUOTE, on: null }],
      );
      expect(refused).toEqual(['statement outranked The lane at North Pool is from 18:00.', 'end outranked']);
      expect(await now(memories)).toMatchObject({ archivedAt: null, trust: 'high' });
    });

    it('[Q3] one of the user’s people who borrows the phone speaks for themself, and not for the user', async () => {
      const lines = [
        'morning',
        'I teach chemistry',
        'my son Tariq studies law',
        'what a day',
        'tea first',
        'right',
        'bye',
      ];
      const { memories } = await say(
        lines.map((content) => ({ content, speaker: 'Mona' })),
        [
          {
            about: "User's son Tariq",
            attribute: 'degree',
            value: 'law',
            text: "User's son Tariq studies law.",
            turn: 3,
            quote: 'my son Tariq studies law',
          },
        ],
      );
      const words = 'Tariq here on mums phone, switched to music. I live in Ghent';
      const { refused } = await say(
        [{ content: words, speaker: 'Tariq' }],
        [
          {
            about: "User's son Tariq",
            attribute: 'degree',
            value: 'music',
            text: "User's son Tariq studies music.",
            quote: 'switched to music',
            relation: 'replaces',
            known: [1],
          },
          { attribute: 'home_city', value: 'Ghent', text: 'User lives in Ghent.', quote: 'I live in Ghent' },
        ],
      );
      expect(await now(memories)).toMatchObject({ archiveReason: 'superseded' });
      const { items } = await handle.memories.list({ attributes: ['degree'] });
      expect(items).toMatchObject([{ value: 'music', trust: 'medium' }]);
      expect(await handle.facts.list()).toEqual([]);
      expect(refused).toEqual(['statement not_the_users_own said by: the speaker Tariq']);
      expect(promptsOf(server).at(-1)).toContain('another speaker says so');
    });

    it('[K5] a name in a draft of the same turns is not shown as the user’s', async () => {
      await say('Ulf is fine', []);
      expect(promptsOf(server).at(-1)).not.toContain('Ulf\n</names');
      await say('nah Gert is fine, he just never calls back', []);
      expect(promptsOf(server).at(-1)).not.toContain('Gert\n</names');
    });

    it('[Q3] [T3] with an embedder, a statement that shares neither a word nor the meaning of its quote is refused, and the refusal is sent to the model', async () => {
      const created = await database.create();
      const { varve: meaning } = await openForming(created.options, {
        server,
        embedder: sharedLocalEmbedder(),
        formation: { writes: 'deferred' },
      });
      const otto = meaning.for({ user: 'otto', session: 's' });
      await otto.observe([
        { content: 'walnuts make my throat swell' },
        { content: 'Shall I book the window seat for you?', origin: 'agent' },
        { content: 'spot on' },
      ]);
      const statements = [
        item({ text: 'User was fired for stealing.', turn: 1, quote: 'walnuts make my throat swell' }),
        item({ text: 'User has a severe nut allergy.', turn: 1, quote: 'walnuts make my throat swell' }),
        item({ text: 'User sits by the window on journeys.', turn: 3, quote: 'spot on' }),
      ];
      server.otherwise({ chat: answering({ read: reading({ statements }) }) });
      const { refused } = await otto.form();
      expect(refused.map(({ reason, text }) => [reason, text])).toEqual([
        ['says_more_than_quote', 'User was fired for stealing.'],
      ]);
      expect(promptsOf(server).at(-1)).toContain('User was fired for stealing. — the sentence says more');
      await meaning.close();
      await created.drop();
    });

    it('[X1] a doubtful request to forget is left to the model, and a plain one is obeyed at once', async () => {
      const created = await database.create();
      const { varve: careful } = await openForming(created.options, { server, embedder: sharedLocalEmbedder() });
      server.otherwise({ chat: answering({}) });
      const lena = careful.for({ user: 'lena', session: 's' });
      const tells = async (userMessage: string): Promise<number> => {
        await lena.logInteraction({ userMessage, agentResponse: 'Okay.' });
        await careful.drain();
        return (await lena.forgotten.list()).length;
      };
      await tells('My passport expires in March 2027.');
      await tells('We fly to Lisbon with two kids.');
      expect(await tells('I shouldn’t have mentioned the passport.')).toBe(0);
      expect(await tells('Please delete what I said about my passport.')).toBeGreaterThan(0);
      await careful.close();
      await created.drop();
    });

    it('[Q3] if there are only fifty known statements, the prompt shows all of them, whatever the turns are about', async () => {
      for (let count = 0; count < 10; count += 1) {
        const things = ['a red kite', 'the old ferry', 'one tin whistle', 'her father’s atlas', 'some dry peat'];
        await say(
          `Note ${count} about my shed.`,
          things.map((thing) => ({
            text: `User keeps ${thing} on shelf ${count} of the shed, behind the paint, because the damp wall on the other side ruins whatever stands there over the winter.`,
          })),
        );
      }
      await say('The tyre of my bicycle is flat.', []);
      expect(
        promptsOf(server)
          .at(-1)
          ?.match(/ of the shed, behind the paint/g),
      ).toHaveLength(50);
    });
  });
}
