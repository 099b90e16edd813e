import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { budgetTable } from '../src/assemble/context-report.ts';
import { fitContext, type FitRequest } from '../src/assemble/fit-context.ts';
import { factsAndProfileLayout, fixedBudgetsLayout, varveLayout } from '../src/assemble/layouts.ts';
import { applicationItem, type Item } from '../src/assemble/section.ts';
import { contentHash } from '../src/record/id.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';
import type { TokenCounter } from '../src/language/words.ts';

/** Counts one token for each word, so that the numbers in tests can be checked by hand. */
const byWord: TokenCounter = { id: 'words', count: (text) => text.match(/\S+/gu)?.length ?? 0 };
const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');

function memory(tokens: number, importance: number): Item {
  // "- [fact] … (importance: 0.90)" adds four words.
  return {
    text: words(tokens - 4),
    kind: 'memory',
    id: `mem_${importance}`,
    trust: 'high',
    score: importance,
    label: 'fact',
    importance,
  };
}

/**
 * The example of requirement L12, in tokens: instructions 480, structured profile 185, six memories 1120, service data 1650, history 45,
 * tools 1200.
 */
function exampleOf(reserve: number): FitRequest {
  const service = { kind: 'application', id: null, trust: 'high', label: 'blog' } as const;
  return {
    layout: fixedBudgetsLayout,
    budget: fixedBudgetsLayout.budget ?? {},
    reserve,
    toolTokens: 1200,
    counter: byWord,
    material: {
      instructions: [applicationItem(words(480))],
      // "TENANT CONTEXT:" has two words, and "- Business:" has two more.
      structuredProfile: [{ ...service, text: words(181), title: 'Business', score: 0 }],
      // The heading takes seven words.
      recall: [0.9, 0.85, 0.82, 0.78, 0.75, 0.71].map((importance, index) =>
        memory(index === 5 ? 188 : 185, importance),
      ),
      // "CURRENT DATA (blog):" has three words, and the dash is one.
      services: [{ ...service, text: words(1646), score: 1 }],
      // "CONVERSATION:" and "User:" are two words.
      history: [{ ...applicationItem(words(43)), label: 'user' }],
    },
  };
}

describe('the budget', () => {
  it('[L12] has the token counts of the example of the requirement, and drops the least important memory when more tokens are reserved', () => {
    const fitted = fitContext(exampleOf(320));
    const wanted = Object.fromEntries(fitted.sections.map((section) => [section.section, section.wanted]));
    expect(wanted).toEqual({ instructions: 480, structuredProfile: 185, recall: 1120, services: 1650, history: 45 });
    expect(fitted.tokens).toMatchObject({ wanted: 4680, limit: 8000, reserve: 320, plannedReserve: 300, tools: 1200 });
    const memories = fitted.sections.find(({ section }) => section === 'recall');
    expect(memories).toMatchObject({ budget: 1500, items: 5, taken: 932 });
    expect(memories?.dropped).toEqual([{ id: 'mem_0.71', reason: 'over the budget of its section' }]);
    expect(fitted.tokens.total).toBe(4680 - 188);
  });

  it('[L12] keeps all six memories with the planned safety buffer, and shows the table', () => {
    const fitted = fitContext(exampleOf(300));
    expect(fitted.tokens.total).toBe(4680);
    const table = budgetTable({ ...fitted, id: '', layout: '', counter: '' } as never);
    expect(table).toContain('System prompt:          480 / 500 ✅');
    expect(table).toContain('Memories (6 items):     1120 / 1500 ✅');
    expect(table).toContain('Service data:           1650 / 2000 ✅');
    expect(table).toContain('Conversation:           45 / 2000 ✅');
    expect(table).toContain('Total:                  4680 / 8000 ✅');
  });

  it('[L12] never exceeds its total, and drops memories first', () => {
    const request = exampleOf(0);
    const fitted = fitContext({ ...request, budget: { ...request.budget, total: 4000, reserve: 0 } });
    expect(fitted.tokens.total).toBeLessThanOrEqual(4000);
    const taken = Object.fromEntries(fitted.sections.map((section) => [section.section, section.taken]));
    expect(taken['services']).toBe(1650);
    expect(taken['recall']).toBeLessThan(1120 - 600);
  });

  it('[L12] keeps only the service data that the question needs', () => {
    const line = (text: string, score: number): Item => ({
      text,
      kind: 'application',
      id: null,
      trust: 'high',
      score,
      label: 'blog',
    });
    const { user } = fitContext({
      ...exampleOf(0),
      budget: { sections: { services: 50 } },
      material: { services: [line(words(50), 0), line('Traffic dropped by half', 2)] },
    });
    expect(user).toContain('Traffic dropped');
    expect(user).not.toContain('w49');
  });

  it('shows the best recalled records, also with equal scores', () => {
    const request = exampleOf(0);
    const recall = [0.1, 0.1, 0.2].map((score, index) => ({ ...memory(20, score), id: `mem_${index}` }));
    const { sections } = fitContext({ ...request, material: { recall }, mostRecalled: 2 });
    expect(sections.find(({ section }) => section === 'recall')?.ids).toEqual(['mem_0', 'mem_2']);
  });

  it('throws a clear error when the application’s own text exceeds the budget', () => {
    expect(() => fitContext({ ...exampleOf(0), budget: { total: 1000 } })).toThrow(/application's own text takes/);
  });

  it('[K2] shares 1,000 tokens among notes, summaries and saved items in that order', () => {
    const note = (id: string, title: string): Item => ({
      text: 'x',
      kind: 'memory',
      id,
      trust: 'high',
      score: 1,
      title,
    });
    const long = words(900);
    const fitted = fitContext({
      layout: factsAndProfileLayout,
      budget: factsAndProfileLayout.budget ?? {},
      toolTokens: 0,
      counter: byWord,
      material: {
        notes: [note('mem_a', long)],
        summaries: [note('mem_b', words(40)), note('mem_c', words(300))],
        savedItems: [note('mem_d', words(100))],
      },
    });
    const ids = Object.fromEntries(fitted.sections.map(({ section, ids }) => [section, ids]));
    expect(ids).toEqual({ notes: ['mem_a'], summaries: ['mem_b'], savedItems: [] });
  });

  it('[K11] cuts the profile at 4,800 characters and reports it', () => {
    const profile: Item = { text: 'p'.repeat(6000), kind: 'block', id: 'blk', trust: 'medium', score: 1 };
    const request = {
      layout: factsAndProfileLayout,
      budget: factsAndProfileLayout.budget ?? {},
      toolTokens: 0,
      counter: byWord,
    };
    const { system, sections } = fitContext({ ...request, material: { profile: [profile] } });
    expect(system).toContain(`${'p'.repeat(4800)}\n[...profile truncated for context]`);
    expect(system).not.toContain('p'.repeat(4801));
    expect(sections[0]?.cut).toBe(true);
    const short = fitContext({ ...request, material: { profile: [{ ...profile, text: 'p'.repeat(4800) }] } });
    expect(short.system).not.toContain('truncated');
  });

  describe('of a document', () => {
    const lines = [
      '- 2026-03-02: Camille habite à Nantes, rue Crébillon.',
      '- 2026-03-20: mon numéro de portable est le 06 42 17 88 03.',
      '- 2026-04-01: maman est maintenant à la chambre 118.',
    ];
    const text = `## About\nMarion is a speech therapist. She lives in Lyon.\n\n${lines.join('\n')}\n\n## Notes\n- 2026-03-19: révision de la 308, 412 € chez Morel.`;
    const cut = (total: number, restsOn: Item['restsOn'] = new Map(), document = text): string => {
      const profile: Item = { text: document, kind: 'block', id: 'blk', trust: 'medium', score: 1, restsOn };
      const request = { layout: varveLayout, toolTokens: 0, counter: byWord, material: { profile: [profile] } };
      return fitContext({ ...request, budget: { total } }).system;
    };
    const shown = (system: string): string[] => system.split('\n').filter((line) => /^(?:-|##|Marion)/.test(line));

    it('drops whole lines, the oldest first, and says that more is stored', () => {
      const system = cut(80);
      expect(shown(system)).toEqual([
        '## About',
        'Marion is a speech therapist. She lives in Lyon.',
        ...lines.slice(1),
      ]);
      expect(system).toContain('more is stored');
    });

    it('keeps important lines before newer ones', () => {
      const key = contentHash((lines[0] as string).slice('- 2026-03-02: '.length));
      const restsOn = new Map([[key, [{ id: 'mem_1', quotes: [], importance: 0.9 }]]]);
      expect(shown(cut(66, restsOn))).toContain(lines[0]);
    });

    it('drops whole sentences of prose', () => {
      expect(
        shown(
          cut(
            55,
            new Map(),
            'Marion is a speech therapist. She lives in Lyon with her dog Pixel, two cats and a parrot that speaks three languages.',
          ),
        ),
      ).toEqual(['Marion is a speech therapist.']);
    });

    it.each([40, 50, 54, 56, 58, 62, 66, 70, 75, 80, 85, 90])('never cuts a line within %i words', (total) => {
      for (const line of shown(cut(total))) expect(text).toContain(line);
      for (const line of shown(cut(total)).filter((each) => each.startsWith('- ')))
        expect(text.split('\n')).toContain(line);
    });
  });
});

describe('history', () => {
  let varve: Varve;
  beforeAll(async () => {
    ({ varve } = await openVarve());
    for (const user of ['chatty', 'topics']) {
      const handle = varve.for({ user, session: 's' });
      for (let turn = 0; turn < 12; turn += 1) {
        const topic = user === 'topics' && turn === 1 ? 'sourdough starter hydration' : `matter ${turn}`;
        await handle.logInteraction({
          userMessage: `Tell me about ${topic} ${turn}`,
          agentResponse: `Answer ${turn}. ${words(100)}`,
        });
      }
    }
    await varve.drain();
  });
  afterAll(() => varve.close());

  const base = { message: 'and now?', layout: 'facts-and-profile', tokenCounter: byWord } as const;

  it('[K1] drops the oldest turns first, within 6,000 tokens by default', async () => {
    const chatty = varve.for({ user: 'chatty', session: 's' });
    const all = await chatty.context(base);
    expect(all.messages).toHaveLength(24);
    expect(all.report.sections.find(({ section }) => section === 'history')).toMatchObject({ budget: 6000 });
    const few = await chatty.context({ ...base, budget: { sections: { history: 330 } } });
    expect(few.messages.map(({ content }) => content.slice(0, 9))).toEqual(
      ['Tell me a', 'Answer 9.', 'Tell me a', 'Answer 10', 'Tell me a', 'Answer 11'].slice(0, few.messages.length),
    );
    expect(few.messages.at(-1)?.content).toMatch(/^Answer 11/);
    expect(few.report.sections.find(({ section }) => section === 'history')).toMatchObject({ budget: 330 });
    expect(few.report.tokens.history).toBeLessThanOrEqual(330);
  });

  it('[K1] keeps the last three exchanges and the most relevant older ones in semantic mode', async () => {
    const topics = varve.for({ user: 'topics', session: 's' });
    const { messages, report } = await topics.context({
      ...base,
      message: 'sourdough starter hydration about tell me',
      history: { mode: 'semantic', relevant: 1 },
    });
    expect(report.failed).toEqual([]);
    const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(asked).toEqual([
      'Tell me about sourdough starter hydration 1',
      'Tell me about matter 9 9',
      'Tell me about matter 10 10',
      'Tell me about matter 11 11',
    ]);
  });

  it('[K1] falls back to the last turns when the embedder is unavailable', async () => {
    const broken = await openVarve({
      embedder: {
        id: 'down',
        dimensions: 8,
        embed: async () => {
          throw new Error('the embedder is down');
        },
      },
    });
    const handle = broken.varve.for({ user: 'u', session: 's' });
    for (let turn = 0; turn < 8; turn += 1) {
      await handle.logInteraction({ userMessage: `question ${turn}`, agentResponse: `answer ${turn}` });
    }
    const { messages, report } = await handle.context({ ...base, message: 'question', history: { mode: 'semantic' } });
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(
      [2, 3, 4, 5, 6, 7].map((turn) => `question ${turn}`),
    );
    expect(report.failed).toContainEqual({
      section: 'semanticHistory',
      error: expect.stringContaining('down') as string,
    });
    await broken.varve.close();
  });

  it('[L12] summarises older turns and keeps the last four verbatim', async () => {
    const chatty = varve.for({ user: 'chatty', session: 's' });
    const { user, report } = await chatty.context({
      ...base,
      layout: 'fixed-budgets',
      budget: { sections: { history: 400, recall: 0 } },
      lookup: 'never',
    });
    const [earlier = '', conversation = ''] = user.split('\n\nCONVERSATION:');
    expect(earlier).toMatch(/^EARLIER IN THIS CONVERSATION:\n/);
    expect(earlier).toContain('- User: Tell me about matter 9 9');
    expect(earlier).toMatch(/- You: Answer 8\. w0 w1.*…$/m);
    expect(byWord.count(earlier) + byWord.count(conversation)).toBeLessThanOrEqual(400 + 10);
    expect(conversation.match(/^(User|Assistant): /gm)?.length).toBeGreaterThanOrEqual(5);
    expect(conversation).toContain(`Assistant: Answer 11. ${words(100)}`);
    expect(conversation).toContain(`Assistant: Answer 10. ${words(100)}`);
    expect(report.sections.find(({ section }) => section === 'history')?.taken).toBeLessThanOrEqual(400);
  });
});
