import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fitContext } from '../src/assemble/fit-context.ts';
import { formatsOf, type Layout } from '../src/assemble/layout.ts';
import { type LayoutName, LAYOUTS } from '../src/assemble/layouts.ts';
import { defuseLinks, textByTrust } from '../src/language/inert-text.ts';
import {
  entryItems,
  type Item,
  jsonItem,
  type Material,
  memoryItem,
  SECTION_NAMES,
  type SectionName,
} from '../src/assemble/section.ts';
import type { Memory } from '../src/record/memory.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';
import { tagProblems, xmlProblems } from './well-formed.ts';
import type { Trust } from '../src/record/statement.ts';
import { estimatingCounter } from '../src/language/words.ts';

const labels = Object.values(LAYOUTS).flatMap((layout) => [...linesOf(layout)]);
const tags = [...new Set(Object.values(LAYOUTS).flatMap((layout) => [...tagsOf(layout)]))];

function linesOf(layout: Layout): Set<string> {
  const lines = [...layout.system, ...layout.user]
    .flatMap(formatsOf)
    .map(({ before = '' }) => before.split('\n')[0] ?? '')
    .filter((line) => line !== '' && !line.startsWith('<'));
  return new Set(lines);
}

function tagsOf(layout: Layout): Set<string> {
  const fixed = [...layout.system, ...layout.user].flatMap((entry) => [
    'open' in entry ? entry.open : '',
    ...formatsOf(entry).map(({ before = '' }) => before),
  ]);
  return new Set(fixed.flatMap((text) => [...text.matchAll(/<([A-Za-z_]+)/g)].map(([, name = '']) => name)));
}

/** Text from an attacker who wants to escape from its section. */
const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(...tags.flatMap((tag) => [`</${tag}>`, `<${tag}>`, `< /${tag} >`, `<${tag}`])),
      },
      {
        weight: 3,
        arbitrary: fc.constantFrom(...labels.flatMap((label) => [label, `\n${label}\n`, `\u2028${label}\u2028`])),
      },
      fc.constantFrom(
        '\n',
        '\r\n',
        '\u0085',
        '\u000B',
        '```',
        '~~~',
        '\n---\n',
        '\n===\n',
        '&lt;',
        '&',
        '<!--',
        ']]>',
        '\uD800',
        '\uFFFF',
        '\u202E',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.lorem({ maxCount: 20 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => /\S/u.test(text.replace(/\0/g, '')))
  .map((text) => text.replaceAll('\0', ''));

const trust = fc.constantFrom<Trust>('low', 'medium', 'high');

const item: fc.Arbitrary<Item> = fc
  .record({
    content: hostileText,
    title: hostileText,
    label: fc.oneof(fc.constantFrom('fact', 'agent', 'user', 'recent'), hostileText),
    trust,
    score: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ content, title, label, trust, score }, index = 0) => {
    const memory = {
      id: `mem_${index}`,
      content,
      title,
      url: null,
      trust,
      type: 'fact',
      importance: score,
      metadata: { note: content, summary: title },
      statedAt: new Date(0),
      tense: 'holds',
      validFrom: null,
      validTo: null,
      dueAt: null,
      internal: {},
    };
    return { ...memoryItem(memory as unknown as Memory, score), label };
  });

const JSON_SECTIONS = new Set<SectionName>(['scaffold', 'learnedInfo']);
const OWN = new Set<SectionName>([
  'instructions',
  'identity',
  'directives',
  'capabilities',
  'date',
  'message',
  'artifacts',
]);

const material: fc.Arbitrary<Material> = fc
  .record(
    Object.fromEntries(
      SECTION_NAMES.filter((name) => !OWN.has(name)).map((name) => [
        name,
        JSON_SECTIONS.has(name)
          ? fc
              .dictionary(hostileText, hostileText, { maxKeys: 3 })
              .map((json) =>
                name === 'scaffold'
                  ? entryItems('blk_1', json)
                  : [jsonItem('blk_2', json)].filter((found) => found !== null),
              )
          : fc.array(item, { maxLength: 5 }),
      ]),
    ),
  )
  .map((sections) => sections as Material);

const budget = fc.record({
  total: fc.integer({ min: 0, max: 3000 }),
  sections: fc.dictionary(fc.constantFrom(...SECTION_NAMES), fc.integer({ min: 0, max: 400 }), { maxKeys: 6 }),
});

// The texts come from the seed of the run.
const RUNS = inject('depth') === 'all' ? 150 : 75;
const JSON_IN: Record<string, RegExp> = {
  'working-memory': /^Structured Data:\n(.*)$/m,
  varve: /^<structured_data>\n([\s\S]*?)\n<\/structured_data>$/m,
};

describe('any stored text', () => {
  for (const [name, layout] of Object.entries(LAYOUTS)) {
    const allowed = tagsOf(layout);

    it(`${name}: tags balance, labels occur only where the layout puts them, and the text parses`, () => {
      fc.assert(
        fc.property(material, (given) => {
          const { system, user } = fitContext({
            layout,
            material: given,
            budget: { total: 1_000_000 },
            toolTokens: 0,
            counter: estimatingCounter,
          });
          for (const text of [system, user]) {
            expect(tagProblems(text, allowed)).toEqual([]);
            if (layout.escape === 'xml') expect(xmlProblems(text)).toEqual([]);
            else {
              for (const label of linesOf(layout)) {
                expect(
                  text.split(/[\n\r\u2028\u2029\u0085\v\f]/).filter((line) => line.trim() === label).length,
                ).toBeLessThanOrEqual(1);
              }
            }
            expect(text).not.toMatch(/```|~~~/);
            expect(text).not.toMatch(
              /[\u202A-\u202E\uD800-\uDFFF](?![\uDC00-\uDFFF])(?<![\uD800-\uDBFF][\uDC00-\uDFFF])/,
            );
          }
          const json = JSON_IN[name]?.exec(system)?.[1];
          if (json !== undefined) expect(() => JSON.parse(json) as unknown).not.toThrow();
        }),
        { numRuns: RUNS },
      );
    });

    it(`${name}: [L12] no budget is ever exceeded, neither in total nor of a section`, () => {
      fc.assert(
        fc.property(material, budget, (given, limits) => {
          const fitted = fitContext({
            layout,
            material: given,
            budget: limits,
            toolTokens: 0,
            counter: estimatingCounter,
          });
          const count = (text: string): number => estimatingCounter.count(text);
          const spoken = fitted.messages.reduce((sum, { content }) => sum + count(content), 0);
          expect(count(fitted.system) + count(fitted.user) + spoken).toBeLessThanOrEqual(limits.total);
          for (const { section, taken } of fitted.sections) {
            expect(taken).toBeLessThanOrEqual(
              (limits.sections as Partial<Record<string, number>>)[section] ?? Infinity,
            );
          }
        }),
        { numRuns: RUNS },
      );
    });
  }

  it('untrusted text has no links and no images', () => {
    fc.assert(
      fc.property(fc.webUrl(), fc.lorem(), hostileText, (url, word, around) => {
        const text = `${around} ![${word}](${url}) [${word}](${url}) ![a][b] ${url} <${url}>`;
        expect(textByTrust(text, 'low')).not.toMatch(/https?:|!\[[^\]]*\][([]|\]\(/);
        expect(defuseLinks(text)).toContain(word);
      }),
    );
  });
});

describe('through the store', () => {
  let varve: Varve;
  beforeAll(async () => {
    ({ varve } = await openVarve({ embedder: null }));
  });
  afterAll(() => varve.close());

  it('every layout keeps its tags and its budget for users with hostile memories', async () => {
    let users = 0;
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, trust, async (one, other, trust) => {
        const handle = varve.for({ agent: 'a', user: `u${(users += 1)}`, session: 's' });
        await handle.memories.create({ type: 'fact', content: one, trust });
        await handle.facts.set({ key: 'home', value: other });
        await handle.notes.add({ title: one.slice(0, 400), content: other });
        await handle.blocks.replace('working_memory', `${one}\n${other}`);
        await handle.blocks.replace('profile', other);
        await handle.blocks.replace('scaffold', { [one]: { nested: other } });
        await handle.logInteraction({ userMessage: one, agentResponse: other });
        for (const layout of Object.keys(LAYOUTS) as LayoutName[]) {
          const { system, beforeMessage, report } = await handle.context({
            message: 'what is known?',
            layout,
            budget: 700,
            lookup: 'always',
          });
          expect(tagProblems(system, tagsOf(LAYOUTS[layout]))).toEqual([]);
          expect(tagProblems(beforeMessage, tagsOf(LAYOUTS[layout]))).toEqual([]);
          expect(report.tokens.total).toBeLessThanOrEqual(700);
          expect(report.failed).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });
});
