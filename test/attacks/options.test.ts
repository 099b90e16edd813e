import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VarveError } from '../../src/errors.ts';
import { createVarve } from '../../src/varve.ts';
import { assertNode, isNodeNewEnough, nodeProblem } from '../../src/varve-options.ts';
import { tally } from './tally.ts';

describe('options (N1, N2)', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'varve-options-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('unknown keys and wrong types are refused before any file is created, and the error says what is expected', async () => {
    const counted = tally('options');
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ storage: 'x' }, /storage.*Known options/],
      [{ Store: ':memory:' }, /Did you mean store/],
      [{ language_model: {} }, /Did you mean languageModel/],
      [{ embeder: null }, /embeder/],
      [{ model: 'gpt' }, /Did you mean languageModel/],
      [
        { languageModel: 'gpt-5' },
        /languageModel must be a model object of the AI SDK.* or models from createLanguageModel/,
      ],
      [{ languageModel: { generateText() {} } }, /languageModel must be/],
      [{ embedder: 'text-embedding-3' }, /embedder must be/],
      [{ embedder: { embed() {} } }, /embedder must be/],
      [{ embedder: false }, /embedder must be/],
      [{ previousEmbedder: null }, /previousEmbedder must be/],
      [{ reranker: {} }, /reranker must be/],
      [{ clock: Date }, /clock must be/],
      [{ clock: { now: () => new Date(0) } }, /clock must be .*milliseconds/],
      [{ clock: { now: () => Number.NaN } }, /clock must be/],
      [{ ids: {} }, /ids must be/],
      [{ background: 'yes' }, /background must be/],
      [{ background: { threads: 2 } }, /background must be/],
      [{ recallCacheBytes: '1 GB' }, /recallCacheBytes must be/],
      [{ recallCacheBytes: -1 }, /recallCacheBytes must be/],
      [{ ledger: { price: {} } }, /ledger must be/],
      [{ tracing: true }, /tracing must be/],
      [{ recalledTexts: [] }, /recalledTexts must be/],
      [{ memoryTypes: [] }, /memoryTypes must be/],
      [{ attributes: 'x' }, /attributes must be/],
      [{ formation: { triger: {} } }, /"triger"\. Did you mean triggers\? The fields are /],
      [{ formation: { factz: true } }, /factz/],
      [{ formation: [] }, /formation must be/],
      [{ consolidation: { nightley: {} } }, /nightley/],
      [{ context: { layuot: 'varve' } }, /layuot/],
      [{ context: { sections: { memorys: false } } }, /"memorys" is not a section\. The sections are .*memories/],
      [{ context: { budget: { sections: { memorys: 9 } } } }, /"memorys" is not a section/],
      [{ context: { layout: 'foo' } }, /layout: .*"memory-list"/],
      [{ context: { layout: {} } }, /layout: .*defineLayout/],
      [{ context: { logDays: 'a month' } }, /logDays/],
      [{ attributes: { shoe_size: { values: 'three' } } }, /attribute shoe_size.*values/],
      [{ attributes: { shoe_size: { label: 'Shoe size' } } }, /attribute shoe_size.*label/],
      [{ attributes: { shoe_size: { labels: { de: 'Schuhgröße' } } } }, /attribute shoe_size.*English/],
      [{ memoryTypes: { recipe: { description: 'A dish.', lifespan: 'forever' } } }, /memory type recipe.*lifespan/],
      [{ memoryTypes: { recipe: { description: 'A dish.', expires: 3 } } }, /memory type recipe.*expires/],
      [{ background: { concurrency: 'four' } }, /background must be/],
      [{ ledger: { credit: 'nobody' } }, /ledger must be/],
      [{ webhooks: { allowPrivate: 'yes' } }, /webhooks must be/],
      [{ store: 7 }, /store must be/],
      [{ store: {} }, /store must be/],
      [{ store: '' }, /empty/],
      [{ store: 'postgress://user:secret@host/db' }, /no store for postgress:\/\//],
      [{ store: 'mysql://user:secret@host/db' }, /no store for mysql:\/\//],
      [{ store: { url: 'postgress://user:secret@host/db' } }, /no store for postgress:\/\//],
      [{ store: { path: 'https://user:secret@host/db' } }, /no store for https:\/\//],
    ];
    for (const [options, expected] of wrong) {
      const place = join(folder, 'never', 'varve.db');
      const refused = await createVarve({ store: place, background: false, ...options } as never).then(
        async (varve) => (await varve.close(), ''),
        (error: unknown) => (VarveError.isInstance(error, 'invalid_input') ? error.message : `other: ${String(error)}`),
      );
      counted.note(`${JSON.stringify(options)}: ${refused}`, !expected.test(refused) || refused.includes('secret'));
    }
    counted.close();
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('a Node without full-text search is refused with one line', () => {
    for (const version of ['22.13.0', '22.15.1', '20.19.0', '18.0.0', '22.4.1']) {
      expect(isNodeNewEnough(version)).toBe(false);
      expect(() => assertNode(version)).toThrow(nodeProblem(version));
      expect(nodeProblem(version)).toMatch(/^[^\n]*22\.16[^\n]*$/);
    }
    for (const version of ['22.16.0', '22.20.0', '24.0.0', '25.1.0']) expect(() => assertNode(version)).not.toThrow();
  });
});

describe('store files (S4)', () => {
  it('can be read only by their owner, however they are opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'varve-files-'));
    const counted = tally('store files');
    for (const store of [join(folder, 'a', 'varve.db'), { path: join(folder, 'b', 'varve.db') }]) {
      const varve = await createVarve({ store, embedder: null, background: false });
      await varve.for({ user: 'ana' }).memories.create({ type: 'fact', content: 'Likes tea.' });
      for (const place of ['a', 'b'].filter((name) => existsSync(join(folder, name)))) {
        for (const file of readdirSync(join(folder, place))) {
          const mode = statSync(join(folder, place, file)).mode & 0o777;
          counted.note(`${place}/${file} is ${mode.toString(8)}`, (mode & 0o077) !== 0);
        }
      }
      await varve.close();
    }
    counted.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
