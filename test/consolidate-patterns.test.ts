import { describe, expect, it } from 'vitest';
import { DAY } from '../src/record/clock.ts';
import type { Memory } from '../src/record/memory.ts';
import { consolidationSuite, type Opened } from './consolidate-fixture.ts';
import { databases } from './databases.ts';
import { item, reading } from './form-model.ts';
import { from, json, text, type ProtocolServer } from './protocol-server.ts';

const STYLE = [
  'User dislikes corporate buzzwords.',
  'User wants the summary on one page.',
  'User writes in the first person.',
  'User uses British spelling.',
  'User avoids exclamation marks.',
  'User likes Georgia as a typeface.',
  'User puts dates as 2026-01-05.',
];
const POSTS: [string, number][] = [
  ['Suggested recipe post', 340],
  ['Suggested recipe post', 290],
  ['Suggested recipe post', 280],
  ['Suggested news post', 95],
  ['Suggested news post', 110],
];

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`tags and patterns on ${database.name}`, () => {
    let server: ProtocolServer;
    const open = consolidationSuite(database, (started) => (server = started));
    const tagged = async ({ ana }: Opened, count: number): Promise<Memory[]> => {
      const made: Memory[] = [];
      for (const content of STYLE.slice(0, count)) {
        made.push((await ana.memories.create({ type: 'preference', content, tags: ['writing-style'] })).memory);
      }
      return made;
    };

    it.each([4, 5])('[Q8] %i memories of a tag are not merged', async (count) => {
      const one = await open();
      await tagged(one, count);
      expect((await one.ana.consolidation.run()).tags).toEqual([]);
      expect((await one.ana.memories.list()).items).toHaveLength(count);
    });

    it('[Q8] six memories of a tag become one text that replaces them in the prompt; each can still be found and replaced', async () => {
      const one = await open();
      const originals = await tagged(one, 6);
      await one.ana.memories.create({ type: 'note', title: 'A note', content: 'Stays.', tags: ['writing-style'] });
      const report = await one.ana.consolidation.run();
      expect(report.tags).toHaveLength(1);
      const { into } = report.tags[0]!;
      const text = await one.ana.memories.get(into);
      expect(text).toMatchObject({ sourceType: 'consolidation', tags: ['writing-style'] });
      for (const content of STYLE.slice(0, 6)) expect(text?.content).toContain(content);
      for (const { id } of originals)
        expect(await one.ana.memories.get(id)).toMatchObject({ archivedAt: null, contradictedBy: into });
      const [run] = await one.ana.consolidation.runs({ kinds: ['merge-tags'] });
      expect(run).toMatchObject({ read: { tag: 'writing-style', memories: 6 }, model: 'local' });
      // The prompt contains each statement once, in the merged text.
      await one.ana.consolidation.run();
      const said = JSON.stringify(await one.ana.context({ message: 'Hello.', layout: 'varve' }));
      expect(said.split('corporate buzzwords')).toHaveLength(2);
      const { results } = await one.ana.recall('Which typeface does the user like?');
      expect(results.map((found) => found.id)).toContain(originals[5]!.id);

      // A statement that is replaced, changed or forgotten changes the merged text immediately.
      await one.ana.memories.revise(originals[3]!.id, { content: 'User uses American spelling.' });
      await one.ana.memories.archive(originals[1]!.id, 'forgotten');
      await one.ana.memories.create({
        type: 'preference',
        content: 'User likes Arial.',
        contradicts: originals[5]!.id,
      });
      const now = (await one.ana.memories.get(into))?.content ?? '';
      expect(now).toContain('American');
      expect(now).not.toMatch(/British|one page|Georgia/);
      for (const each of [0, 2, 3]) await one.ana.memories.archive(originals[each]!.id, 'forgotten');
      expect((await one.ana.memories.get(into))?.archivedAt).not.toBeNull();
      expect(await one.ana.memories.get(originals[4]!.id)).toMatchObject({ archivedAt: null, contradictedBy: null });
    });

    it('[Q8] a merged text says when a statement in it ends, and no longer contains the statement once it has expired', async () => {
      const one = await open();
      const originals = await tagged(one, 6);
      const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
      const text = async (): Promise<string> => (await one.ana.memories.get(into))?.content ?? '';
      await one.ana.memories.revise(originals[3]!.id, { validTo: '2026-02-01T00:00:00Z' });
      expect(await text()).toContain('British spelling. (until 2026-02-01)');
      one.clock.advance(40 * DAY);
      await one.varve.maintain({ tenant: 't' });
      expect(await one.ana.memories.get(originals[3]!.id)).toMatchObject({ archiveReason: 'expired' });
      expect(await text()).not.toContain('British');
      expect((await text()).split('\n')).toHaveLength(5);
      await one.ana.memories.archive(originals[0]!.id, 'expired');
      expect((await text()).split('\n')).toHaveLength(4);
    });

    it('[Q8] a merged text and the prompt no longer contain a statement that the application has archived', async () => {
      const one = await open();
      const originals = await tagged(one, 6);
      const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
      await one.ana.memories.archive(originals[3]!.id);
      expect((await one.ana.memories.get(into))?.content.split('\n')).toHaveLength(5);
      const { system } = await one.ana.context({ message: 'Hello.' });
      expect(system).not.toContain('British');
      expect(system).toContain(originals[0]!.content.slice(0, 20));
    });

    it.each([1, 5])(
      '[Q8] [Q9] maintenance archives a merged text of which %i statements expire while the others decay',
      async (count) => {
        const one = await open();
        const originals: Memory[] = [];
        for (const content of STYLE.slice(0, 6)) {
          const given = { type: 'preference', content, tags: ['writing-style'], importance: 0.2 };
          originals.push((await one.ana.memories.create(given)).memory);
        }
        const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
        for (const { id } of originals.slice(0, count))
          await one.ana.memories.revise(id, { expiresAt: new Date(one.clock.now() + 20 * DAY) });
        one.clock.advance(60 * DAY);
        expect((await one.varve.maintain({ tenant: 't' })).archived).toMatchObject({ expired: count });
        const reasons: (string | null | undefined)[] = [];
        for (const { id } of originals) reasons.push((await one.ana.memories.get(id))?.archiveReason);
        expect(reasons).toEqual(originals.map((_, index) => (index < count ? 'expired' : 'decayed')));
        expect((await one.ana.memories.get(into))?.archivedAt).not.toBeNull();
        one.clock.advance(DAY);
        expect((await one.varve.maintain({ tenant: 't' })).archived).toEqual({ decayed: 0, pruned: 0, expired: 0 });
      },
    );

    it('[Q8] [X1] forgetting a merged text makes a record of each statement, and restoring them returns each statement once', async () => {
      const one = await open();
      const originals = await tagged(one, 6);
      const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
      expect(await one.ana.memories.forget(into)).toMatchObject({ id: into, archiveReason: 'forgotten', content: '' });
      const records = await one.ana.forgotten.list();
      expect(records.map(({ memory }) => memory).toSorted()).toEqual(originals.map(({ id }) => id).toSorted());
      for (const { id } of records) await one.ana.forgotten.restore(id);
      await one.ana.memories.supersede(originals[4]!.id, { type: 'preference', content: 'User ends mails loudly.' });
      one.clock.advance(DAY);
      await one.ana.consolidation.run();
      const live = (await one.ana.memories.list()).items.map(({ content }) => content);
      const expected = [...STYLE.slice(0, 4), STYLE[5], 'User ends mails loudly.'];
      expect(live.toSorted()).toEqual(expected.toSorted());
      expect((await one.ana.context({ refresh: true })).system).not.toContain('exclamation marks');
    });

    it('[Q8] [X1] erasing a merged text erases the statements in it', async () => {
      const one = await open();
      const originals = await tagged(one, 6);
      const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
      expect(await one.ana.eraseMemory(into)).toMatchObject({ counts: { memories: 7 } });
      for (const { id } of originals) expect(await one.ana.memories.get(id)).toBeNull();
      expect(await one.ana.forgotten.list()).toEqual([]);
      expect((await one.ana.context({ refresh: true })).system).not.toMatch(/buzzwords|Georgia/);
    });

    it('[Q8] [X1] a request to forget may name every statement of a merged text', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      const originals = await tagged(one, 6);
      server.otherwise(text(STYLE.slice(0, 6).join(' ')));
      const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
      const quote = 'Drop the lot that you have on how I write, please.';
      server.otherwise(
        from((request) => {
          const prompt = String(request.body.messages?.at(-1)?.content);
          const known = STYLE.slice(0, 6).flatMap(
            (said) => new RegExp(`(\\d+)\\. [^\\n]*${said.slice(0, -1)}`).exec(prompt)?.slice(1).map(Number) ?? [],
          );
          return json(reading({ forgets: [{ about: 'the writing style', turn: 1, quote, known }] }));
        }),
      );
      const session = one.of('s1');
      await session.logInteraction({ userMessage: quote, agentResponse: 'Done.' });
      one.clock.advance(DAY);
      expect((await session.form()).forgotten).toHaveLength(6);
      for (const { id } of [...originals, { id: into }])
        expect(await one.ana.memories.get(id)).toMatchObject({ archiveReason: 'forgotten' });
    });

    it('[Q8] [X1] forgetting cuts a sentence out of a single statement and out of the merged text that contains it', async () => {
      const one = await open({ server, formation: { writes: 'deferred' } });
      const habits = ['User sets titles in bold. Learned it from Maren Quist.', ...STYLE.slice(0, 5)];
      const statements = habits.map((said) => item({ text: said, tags: ['writing-style'], turn: 1, quote: said }));
      server.otherwise(json(reading({ statements })));
      const session = one.of('s1');
      await session.observe({ content: habits.join(' ') });
      one.clock.advance(DAY);
      await session.form();
      server.otherwise(text(habits.join(' ')));
      const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
      const given = {
        type: 'fact',
        content: 'Learned it from Maren Quist.',
        attribute: 'teacher',
        value: 'Maren Quist',
      };
      await one.ana.memories.forget((await one.ana.memories.create(given)).memory.id);
      const live = (await one.ana.memories.list()).items.map(({ content }) => content);
      expect(live).toContain('User sets titles in bold.');
      expect(live.join()).not.toContain('Maren');
      const merged = await one.ana.memories.get(into);
      expect(merged).toMatchObject({ archivedAt: null, content: expect.stringContaining('titles in bold') });
    });

    it.each([
      ['forgotten', 0],
      ['pruned', 6],
    ] as const)(
      '[Q8] when a merged text is archived as %s, %i statements are live, and the text is written again only after a new statement',
      async (reason, left) => {
        const one = await open();
        await tagged(one, 6);
        const into = (await one.ana.consolidation.run()).tags[0]?.into ?? '';
        await one.ana.memories.archive(into, reason);
        expect((await one.ana.memories.list()).items).toHaveLength(left);
        one.clock.advance(DAY);
        expect((await one.ana.consolidation.run()).tags).toEqual([]);
        const more = { type: 'preference', content: 'User numbers all pages.', tags: ['writing-style'] };
        await one.ana.memories.create(more);
        expect((await one.ana.consolidation.run()).tags).toHaveLength(left === 0 ? 0 : 1);
      },
    );

    it('[Q8] without a model, the newest statements that fit into the text are merged, and older statements stay separate', async () => {
      const one = await open({ consolidation: { tags: { words: 30, moreThan: 2 } } });
      const originals = await tagged(one, 7);
      const { tags } = await one.ana.consolidation.run();
      expect(tags.map(({ originals: gone }) => gone)).toEqual([originals.slice(3).map(({ id }) => id)]);
      expect((await one.ana.memories.get(tags[0]!.into))?.content).toBe(
        STYLE.slice(3)
          .map((content) => `- 2026-01-05: ${content}`)
          .join('\n'),
      );
      expect(await one.ana.memories.get(originals[2]!.id)).toMatchObject({ contradictedBy: null });
      one.clock.advance(DAY);
      expect((await one.ana.consolidation.run()).tags).toEqual([]);
      const more = { type: 'preference', content: 'User numbers all pages.', tags: ['writing-style'] };
      const { memory } = await one.ana.memories.create(more);
      const again = (await one.ana.consolidation.run()).tags;
      expect(again.map(({ originals: gone }) => gone)).toEqual([[...originals.slice(4), memory].map(({ id }) => id)]);
      one.clock.advance(DAY);
      expect((await one.ana.consolidation.run()).tags).toEqual([]);
    });

    it('[Q8] a merged text is rewritten from its original statements and never merged itself; statements with fields stay separate', async () => {
      const one = await open({ server });
      server.otherwise(
        from((request) => {
          const prompt = String(request.body.messages?.at(-1)?.content);
          return text([...prompt.matchAll(/\d+\. (User [^\n]*)/g)].map(([, said]) => said).join(' '));
        }),
      );
      await tagged(one, 6);
      const [first] = (await one.ana.consolidation.run()).tags;
      const make = (content: string, given: object = {}) =>
        one.ana.memories.create({ type: 'preference', content, tags: ['writing-style'], ...given });
      for (const value of ['Caslon', 'Garamond', 'Bodoni'])
        await make(`User likes ${value}.`, { attribute: 'likes', value });
      await make('User will switch to Futura.', { tense: 'planned', validFrom: '2026-09-01' });
      await make('User writes by hand.');
      expect((await one.ana.consolidation.run()).tags).toEqual([]);
      for (const what of [
        'numbers all pages',
        'skips titles',
        'hates columns',
        'prints on both sides',
        'signs in green',
      ])
        await make(`User ${what}.`);
      const [second] = (await one.ana.consolidation.run()).tags;
      expect(second?.originals).toHaveLength(12);
      expect(await one.ana.memories.get(first!.into)).toMatchObject({ archiveReason: 'superseded' });
      const asked = String(server.requests.at(-1)?.body.messages?.at(-1)?.content);
      expect(asked.match(/^\d+\. /gm)).toHaveLength(12);
      expect(asked.split('corporate buzzwords')).toHaveLength(2);
    });

    it('[Q8] a statement that the merged text omits stays live, and an unusable merge is not requested again', async () => {
      const one = await open({ server });
      server.otherwise(text(`${STYLE.slice(0, 5).join(' ')}`));
      const originals = await tagged(one, 6);
      await one.ana.consolidation.run();
      expect(await one.ana.memories.get(originals[4]!.id)).not.toMatchObject({ contradictedBy: null });
      expect(await one.ana.memories.get(originals[5]!.id)).toMatchObject({ archivedAt: null, contradictedBy: null });

      const other = await open({ server });
      server.reset();
      server.otherwise(text('The user is nice.'));
      await tagged(other, 6);
      expect((await other.ana.consolidation.run()).tags).toEqual([]);
      expect(server.requests).toHaveLength(1);
      await other.ana.consolidation.run();
      expect(server.requests).toHaveLength(1);
    });

    it('[L8] five episodes on a theme become a pattern with counted numbers; the episodes stay in the store, and the prompt omits them', async () => {
      const { ana } = await open();
      for (const [done, views] of POSTS.slice(0, 4))
        await ana.memories.create({ type: 'episode', content: `${done} → ${views} views` });
      await ana.memories.create({ type: 'episode', content: 'Rebooted the mail server → 3 errors' });
      expect((await ana.consolidation.run()).patterns).toEqual([]);
      const [done, views] = POSTS[4] as [string, number];
      await ana.memories.create({ type: 'episode', content: `${done} → ${views} views` });
      const { patterns } = await ana.consolidation.run();
      expect(patterns).toHaveLength(1);
      const [pattern] = (await ana.memories.list({ types: ['pattern'] })).items;
      // The numbers are (340 + 290 + 280) / 3 and (95 + 110) / 2, and their ratio.
      expect(pattern?.content).toBe(
        '“Suggested ___ post” worked best with recipe: 303 views on average in 3 cases, against 103 in 2 cases with news (2.9 times as many).',
      );
      expect(pattern?.importance).toBe(0.85);
      const episodes = (await ana.memories.list({ types: ['episode'] })).items;
      expect(episodes.map(({ content }) => content)).toEqual(['Rebooted the mail server → 3 errors']);
      const absorbed = await ana.memories.list({ types: ['episode'], archiveReasons: ['absorbed'] });
      expect(absorbed.items).toHaveLength(5);
      expect(absorbed.items.every(({ contradictedBy }) => contradictedBy === pattern?.id)).toBe(true);
      expect((await ana.consolidation.run()).patterns).toEqual([]);
    });

    it.each(['forgotten', 'pruned'] as const)(
      '[L8] a pattern that is archived as %s is written again only with new evidence',
      async (reason) => {
        const { ana, clock } = await open();
        const tell = (post: string, views: number): Promise<unknown> =>
          ana.memories.create({ type: 'episode', content: `${post} → ${views} views` });
        for (const [post, views] of POSTS) await tell(post, views);
        const [first] = (await ana.consolidation.run()).patterns;
        await ana.memories.archive(first ?? '', reason);
        clock.advance(DAY);
        expect((await ana.consolidation.run()).patterns).toEqual([]);
        await tell('Suggested recipe post', 310);
        expect((await ana.consolidation.run()).patterns).toHaveLength(1);
      },
    );

    it('[L14] [T17] decisions with outcomes of several sessions become one pattern, which the next decision updates', async () => {
      const { ana, of, clock } = await open();
      const decide = async (session: string, [content, value]: [string, number]): Promise<void> => {
        const handle = of(session);
        const decision = await handle.decisions.record({ content, metadata: { tool: 'publish_post' } });
        await handle.decisions.recordOutcome(decision.id, {
          content: 'Views counted.',
          effect: value > 200 ? 'positive' : 'negative',
          measure: { name: 'views', value },
        });
        clock.advance(DAY);
      };
      for (const [index, post] of POSTS.entries()) await decide(`s${index}`, post);
      await ana.consolidation.run();
      const [pattern] = (await ana.memories.list({ types: ['pattern'] })).items;
      expect(pattern?.content).toBe(
        '“Suggested ___ post” worked best with recipe: 303 views on average in 3 cases, against 103 in 2 cases with news (2.9 times as many).',
      );
      expect(pattern?.metadata).toEqual({});
      expect(pattern?.internal).toMatchObject({ sessions: 5, tools: { publish_post: 5 } });
      await decide('s9', ['Suggested recipe post', 600]);
      await ana.consolidation.run();
      const patterns = (await ana.memories.list({ types: ['pattern'] })).items;
      expect(patterns).toHaveLength(1);
      expect(patterns[0]?.content).toContain('378 views on average in 4 cases');
      expect(await ana.memories.get(pattern!.id)).toMatchObject({
        archiveReason: 'superseded',
        contradictedBy: patterns[0]?.id,
      });
      const [suggestion] = await ana.consolidation.suggestTools({ message: 'Which post should I suggest next?' });
      expect(suggestion).toMatchObject({ tool: 'publish_post', times: 6, pattern: patterns[0]?.id });
      expect(await ana.consolidation.suggestTools({ message: 'Play some jazz.' })).toEqual([]);
    });

    it('[L8] a model words the pattern, and its numbers are replaced by the counted ones', async () => {
      const one = await open({ server });
      server.otherwise(text('Recipe posts outperform news posts by 500 percent'));
      for (const [done, views] of POSTS)
        await one.ana.memories.create({ type: 'episode', content: `${done} → ${views} views` });
      await one.ana.consolidation.run();
      const [pattern] = (await one.ana.memories.list({ types: ['pattern'] })).items;
      expect(pattern?.content).not.toContain('500');
      expect(pattern?.content).toContain('2.9 times as many');

      const other = await open({ server });
      server.reset();
      server.otherwise(text('Recipe posts consistently outperform news posts.'));
      for (const [done, views] of POSTS)
        await other.ana.memories.create({ type: 'episode', content: `${done} → ${views} views` });
      await other.ana.consolidation.run();
      const [worded] = (await other.ana.memories.list({ types: ['pattern'] })).items;
      expect(worded?.content).toBe(
        'Recipe posts consistently outperform news posts (303 views on average in 3 cases with recipe and 103 in 2 cases with news).',
      );
    });

    it.each([
      [
        'Kannst du mir sagen, was heute im Laden noch zu tun ist?',
        ['Rezept als Beitrag vorgeschlagen', 'Nachricht als Beitrag vorgeschlagen', 'Aufrufe'],
        '„___ als Beitrag vorgeschlagen“ lief am besten mit Rezept: im Schnitt 303 Aufrufe in 3 Fällen; dagegen 103 in 2 Fällen mit Nachricht (2,9 Mal so viel).',
      ],
      [
        'Hola, ¿qué tenemos que hacer hoy en la tienda con los pedidos?',
        ['Publiqué un vídeo de cocina', 'Publiqué un vídeo de viajes', 'visitas'],
        '«Publiqué un vídeo de ___» funcionó mejor con cocina: 303 visitas de media en 3 casos, frente a 103 en 2 casos con viajes (2,9 veces más).',
      ],
    ] as const)('[L14] a pattern has the language of the conversation: %s', async (talk, [good, bad, name], told) => {
      const { ana, of } = await open();
      await of('s').logInteraction({ userMessage: talk, agentResponse: 'Ok.' });
      for (const [index, [, value]] of POSTS.entries()) {
        const { id } = await ana.decisions.record({ content: index < 3 ? good : bad });
        const measure = { name, value };
        const effect = index < 3 ? ('positive' as const) : ('negative' as const);
        await ana.decisions.recordOutcome(id, { content: `${value} ${name}`, effect, measure });
      }
      await ana.consolidation.run();
      expect((await ana.memories.list({ types: ['pattern'] })).items[0]?.content).toBe(told);
    });

    it('[L14] a pattern of three variants has no ratio, also if one of them has a single case', async () => {
      const { ana } = await open();
      const clicks = { long: [42, 40, 41], short: [5, 6], funny: [20] };
      for (const [kind, counts] of Object.entries(clicks)) {
        for (const value of counts) {
          const { id } = await ana.decisions.record({ content: `Wrote a ${kind} headline` });
          const measure = { name: 'clicks', value };
          await ana.decisions.recordOutcome(id, { content: 'Counted.', effect: 'neutral', measure });
        }
      }
      await ana.consolidation.run();
      const [pattern] = (await ana.memories.list({ types: ['pattern'] })).items;
      expect(pattern?.content).toContain('worked best with long: 41 clicks on average in 3 cases');
      expect(pattern?.content).toContain('with others');
      expect(pattern?.content).not.toContain('times as many');
    });

    it('[L14] a difference that is small, or that rests on one case, makes no pattern', async () => {
      for (const clicks of [
        { long: [900, 20, 30], short: [200, 220, 210] },
        { long: [104, 103, 105], short: [100, 101, 99] },
      ]) {
        const { ana } = await open();
        for (const [kind, counts] of Object.entries(clicks)) {
          for (const value of counts) {
            const { id } = await ana.decisions.record({ content: `Wrote a ${kind} headline` });
            const measure = { name: 'clicks', value };
            await ana.decisions.recordOutcome(id, { content: 'Counted.', effect: 'neutral', measure });
          }
        }
        await ana.consolidation.run();
        const [pattern] = (await ana.memories.list({ types: ['pattern'] })).items;
        expect(pattern?.content).toMatch(/^“Wrote a ___ headline”: \d+ clicks on average in 3 cases with long and /);
        expect(pattern?.internal['best']).toBeNull();
      }
    });

    it('[L14] an action that was repeated without variants is reported with its rate of success', async () => {
      const { ana } = await open();
      for (const effect of ['positive', 'positive', 'negative', 'positive', 'positive'] as const) {
        const { id } = await ana.decisions.record({ content: 'Restarted the build server' });
        await ana.decisions.recordOutcome(id, { content: 'Looked at it.', effect });
      }
      await ana.consolidation.run();
      const [pattern] = (await ana.memories.list({ types: ['pattern'] })).items;
      expect(pattern?.content).toBe('“Restarted the build server”: a good result in 4 of 5 cases.');
    });

    it('[L14] a variant that mostly went badly is never called the best, however many cases it has, and two cases of five make no pattern', async () => {
      const ship = async ({ ana }: Opened, carrier: string, complaints: number, effect: 'positive' | 'negative') => {
        const { id } = await ana.decisions.record({ content: `Shipped the parcel with ${carrier}` });
        const measure = { name: 'complaints', value: complaints };
        await ana.decisions.recordOutcome(id, { content: `${complaints} complaints`, effect, measure });
      };
      const one = await open();
      for (const complaints of [9, 8, 7]) await ship(one, 'Postnl', complaints, 'negative');
      for (const complaints of [1, 2]) await ship(one, 'Dpd', complaints, 'positive');
      await one.ana.consolidation.run();
      const pattern = async ({ ana }: Opened) => (await ana.memories.list({ types: ['pattern'] })).items[0]?.content;
      expect(await pattern(one)).toBe(
        '“Shipped the parcel with ___”: 1.5 complaints on average in 2 cases with Dpd and 8 in 3 cases with Postnl.',
      );
      await ship(one, 'Dpd', 0, 'positive');
      await one.ana.consolidation.run();
      expect(await pattern(one)).toBe(
        '“Shipped the parcel with ___” worked best with Dpd: 1 complaint on average in 3 cases, against 8 in 3 cases with Postnl.',
      );
    });
  });
}
