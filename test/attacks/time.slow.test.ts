import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { numbersSaid } from '../../src/language/quotes.ts';
import { createVarve } from '../../src/varve.ts';
import { cpuTime } from '../cpu-time.ts';
import { tally } from './tally.ts';

// A long text of one kind, and a last character that makes a greedy pattern backtrack.
const KINDS = [
  ' ',
  '\n',
  '[',
  ']',
  '![',
  '<',
  '.',
  ',',
  '-',
  '_',
  '#',
  '/',
  "'",
  'a',
  'A',
  'I am ',
  'a ',
  'a.',
  'a, ',
  'a@a.',
  '1',
  '1 ',
  'http://',
  '我',
  '\u200B',
  '😀',
  '{"a":',
  '> a\n',
  'x=',
];

// Words that are in several lists of a language. A pattern that repeats such lists without a bound takes exponential time.
const LISTED_WORDS = [
  'and ',
  'please ',
  'so ',
  'bitte ',
  'na ',
  'y ',
  'por favor ',
  'e ',
  'le ',
  'en ',
  '请',
  '忘れて',
];

function hostile(kind: string, length: number, end: string): string {
  return kind.repeat(Math.ceil(length / kind.length)).slice(0, length) + end;
}

/** The shortest of three times, because other work of the process can only lengthen a time. */
function leastOf(time: () => number): number {
  return Math.min(time(), time(), time());
}

/** Functions that get the whole of a stored text, a tool’s text or a model’s text, by module. */
const FUNCTIONS: Record<string, readonly string[]> = {
  'src/language/entities.ts': ['extractEntities', 'entitySlug'],
  'src/language/foreign-text.ts': ['foreignSpans', 'asksAboutText'],
  'src/language/sentences.ts': ['bareStatement', 'splitSentences', 'statementsIn', 'passagesOf'],
  'src/language/words.ts': ['words', 'queryWords', 'indexWords', 'contentStems', 'estimateTokens'],
  'src/recall/recall-document.ts': ['profileDocument'],
  'src/models/tolerant-json.ts': ['readTolerantJson'],
  'src/record/id.ts': ['contentHash'],
  'src/record/attribute-table.ts': ['snakeCase'],
  'src/record/statement.ts': ['normalValue'],
  'src/language/privacy-policy.ts': ['findSecrets'],
  'src/language/inert-text.ts': [
    'visibleText',
    'inertText',
    'withoutMarkers',
    'defuseImages',
    'defuseLinks',
    'xmlWriting.block',
    'oneLine',
    'safeJson',
  ],
  'src/record/memory-answers.ts': ['isMemoryAnswer', 'withoutRecalled'],
};

/** A function of a module, or of an object in the module: `xmlWriting.block`. */
async function functionOf(file: string, name: string): Promise<(text: string) => unknown> {
  const module: unknown = await import(pathToFileURL(file).href);
  const found = name.split('.').reduce((of, key) => (of as Record<string, unknown> | undefined)?.[key], module);
  if (typeof found !== 'function') throw new Error(`${file} has no ${name}.`);
  return found as (text: string) => unknown;
}

// Limits of processor time. A quadratic pattern takes seconds for 100 kB and minutes for 1 MB.
const MOST_FOR_100_KB = 1_500;
const MOST_FOR_1_MB = 8_000;
// Linear patterns take one or two milliseconds for 8 kB and four times as long for 32 kB. A quadratic one takes sixteen times as long.
const MOST_FOR_8_KB = 30;
// An exponential pattern would not end within years.
const MOST_OF_ALL = 20_000;
const MOST_GROWTH = 9;
const ROUNDS = 4;

/**
 * Every pattern that modules build from data. They are collected in a separate process, because the modules of this one are already loaded.
 */
async function builtPatterns(): Promise<RegExp[]> {
  const fixture = join(import.meta.dirname, '../fixtures/built-patterns.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [fixture], { maxBuffer: 2 ** 26 });
  return (JSON.parse(stdout) as [string, string][]).map(([source, flags]) => new RegExp(source, flags));
}

describe('time is linear in the length of a text (S2)', () => {
  it('every function that gets whole texts takes linear time, at 100 kB and 1 MB', { timeout: 600_000 }, async () => {
    const counted = tally('time, functions over text');
    const slowest: [number, string][] = [];
    for (const [file, names] of Object.entries(FUNCTIONS)) {
      for (const name of names) {
        const run = await functionOf(file, name);
        for (const kind of KINDS) {
          const text = hostile(kind, 100_000, '!');
          const took = cpuTime(() => run(text));
          counted.note(`${name}(${JSON.stringify(kind)}): ${took} ms for 100 kB`, took > MOST_FOR_100_KB);
          slowest.push([took, `${name}(${JSON.stringify(kind)})`]);
        }
      }
    }
    // The longest texts are tried with the functions that took longest for 100 kB, because a quadratic function is slowest there.
    slowest.sort(([one], [other]) => other - one);
    for (const [, label] of new Map(slowest.slice(0, 25).map((entry) => [entry[1], entry]))) {
      const [name = '', kind = ''] = label[1].slice(0, -1).split('(', 2);
      const file = Object.entries(FUNCTIONS).find(([, names]) => names.includes(name))?.[0] ?? '';
      const run = await functionOf(file, name);
      const text = hostile(JSON.parse(kind) as string, 1_000_000, '!');
      const took = cpuTime(() => run(text));
      counted.note(`${label[1]}: ${took} ms for 1 MB`, took > MOST_FOR_1_MB);
    }
    counted.close();
  });

  it('every pattern that is built from data takes linear time, at 8 kB', { timeout: 600_000 }, async () => {
    const counted = tally('time, built patterns');
    const patterns = await builtPatterns();
    expect(patterns.length).toBeGreaterThan(200);
    for (const pattern of patterns) {
      for (const kind of [...KINDS, ...LISTED_WORDS]) {
        const timeFor = (length: number): number => {
          const text = hostile(kind, length, '!');
          pattern.lastIndex = 0;
          const context = createContext({ pattern, text });
          const search = pattern.global ? 'text.match(pattern)' : 'pattern.test(text)';
          return cpuTime(() => void runInContext(search, context, { timeout: MOST_OF_ALL }));
        };
        const took = timeFor(8_000);
        const growthNow = (): number => {
          const least = leastOf(() => timeFor(8_000));
          return least > MOST_FOR_8_KB ? leastOf(() => timeFor(32_000)) / least : 1;
        };
        let growth = took > MOST_FOR_8_KB ? growthNow() : 1;
        // Other processes slow single rounds. A pattern that is not linear fails in every round.
        for (let round = 1; round < ROUNDS && growth > MOST_GROWTH; round += 1) growth = growthNow();
        const label = `${String(pattern).slice(0, 200)} on ${JSON.stringify(kind)}`;
        counted.note(`${label}: ${took} ms for 8 kB, ${growth} times as long for 32 kB`, growth > MOST_GROWTH);
      }
    }
    counted.close();
  });

  it(
    'a whole turn takes linear time: observed, formed, recalled and put into a prompt',
    { timeout: 600_000 },
    async () => {
      const counted = tally('time, whole turns of 100 kB');
      const varve = await createVarve({ store: ':memory:', embedder: null, background: false });
      for (const kind of [' ', '[', '.', 'a', 'a ', '![', '> a\n', 'I am ', '1 ', 'http://', 'and ']) {
        const handle = varve.for({ user: 'ana', session: `s-${kind.codePointAt(0)}-${kind.length}` });
        const before = process.cpuUsage();
        await handle.observe([
          { content: hostile(kind, 100_000, '!') },
          { content: hostile(kind, 100_000, '.'), kind: 'tool_result', origin: 'tool' },
        ]);
        await handle.form();
        await varve.drain();
        await handle.recall(hostile(kind, 2_000, '?'));
        await handle.context({ message: hostile(kind, 20_000, '?'), lookup: 'always', budget: 200_000 });
        const { user, system } = process.cpuUsage(before);
        const took = (user + system) / 1000;
        counted.note(`${JSON.stringify(kind)}: ${took} ms`, took > 6_000);
      }
      await varve.close();
      counted.close();
    },
  );
});

describe('endless requests to forget', () => {
  it('never block the other work of the process for long', { timeout: 300_000 }, async () => {
    const varve = await createVarve({ store: ':memory:', background: false });
    const handle = varve.for({ agent: 'a', user: 'u', session: 's' });
    // The first exchange loads the model.
    await handle.logInteraction({ userMessage: 'I keep bees.', agentResponse: 'Nice.' });
    await varve.drain();
    await handle.observe(Array.from({ length: 200 }, (_, index) => ({ content: `Please erase my bonus ${index}` })));
    let longest = 0;
    let isOver = false;
    const watch = (before: NodeJS.CpuUsage): void => {
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1000);
      const now = process.threadCpuUsage();
      if (!isOver) setImmediate(() => watch(now));
    };
    watch(process.threadCpuUsage());
    await varve.drain();
    isOver = true;
    expect(longest).toBeLessThan(200);
    await varve.close();
  });

  it('the numbers of a long message are read in a fraction of a second, because every statement is compared with them', () => {
    const sign = (index: number): string => String.fromCodePoint(0x4e00 + (index % 5000));
    const text = Array.from({ length: 80_000 }, (_, index) => `汉${sign(index)}住在堡。`).join('');
    expect(leastOf(() => cpuTime(() => numbersSaid(text)))).toBeLessThan(100);
  });
});
