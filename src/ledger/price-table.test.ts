import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPriceTable } from './price-table.ts';

const tokens = (tokensIn: number, tokensOut = 0, tokensCached = 0) => ({ tokensIn, tokensOut, tokensCached });

describe('[Q12] prices', () => {
  const table = createPriceTable();

  it.each([
    ['openai.chat:gpt-4o-mini', tokens(1_000_000, 1_000_000), 750_000],
    ['openai.chat:gpt-4o-mini', tokens(1000), 150],
    ['openai.chat:gpt-4o-mini', tokens(1000, 0, 1000), 75],
    ['openai.chat:gpt-4o-mini-2024-07-18', tokens(1000), 150],
    ['gateway:openai/gpt-5-mini', tokens(1000, 100), 450],
    ['openai.embedding:text-embedding-3-small/1536', tokens(1_000_000), 20_000],
    ['openai.embedding:text-embedding-3-small/1536', tokens(3), 1],
    ['local/memory-minilm-l6-int8@3', tokens(1_000_000), 0],
    ['local/memory-minilm-l6-int8@3-128', tokens(1_000_000), 0],
    ['local:minilm/384', tokens(1_000_000), 0],
    ['ollama.chat:llama3.2', tokens(1_000_000, 500), 0],
  ])('%s: %o cost %i micro-dollars', (model, used, cost) => {
    expect(table.cost(model, used)).toBe(cost);
  });

  it('has no price for an unknown model, even if its name resembles a known one', () => {
    for (const model of ['openai.chat:gpt-5.9-ultra', 'openai.chat:gpt-4o-minimal', 'x:gpt-5-pro', 'x:my-gpt-4o']) {
      expect(table.cost(model, tokens(1000))).toBeNull();
    }
  });

  it('prefers the application’s prices', () => {
    const own = createPriceTable({
      'gpt-4o-mini': { input: 1 },
      'acme:*': { input: 2, output: 4 },
      'openai.chat:gpt-4o': { input: 0 },
    });
    expect(own.cost('openai.chat:gpt-4o-mini', tokens(10))).toBe(10);
    expect(own.cost('acme:anything', tokens(10, 10))).toBe(60);
    expect(own.cost('openai.chat:gpt-4o', tokens(10))).toBe(0);
    expect(own.cost('azure:gpt-4o', tokens(10))).toBe(25);
    expect(() => createPriceTable({ x: { input: -1 } })).toThrow(/0 or more/);
  });

  it('rounds the exact amount up to a whole number', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(100_000), fc.nat(100_000), fc.nat(20_000), (fresh, out, cached, price) => {
        const dollars = price / 1000;
        const own = createPriceTable({ m: { input: dollars, cachedInput: dollars / 2, output: dollars * 4 } });
        const cost = own.cost('p:m', tokens(fresh + cached, out, cached)) as number;
        const exact = (fresh * price * 2 + cached * price + out * price * 8) / 2000;
        expect(Number.isSafeInteger(cost)).toBe(true);
        expect(cost).toBe(Math.ceil(exact));
      }),
    );
  });
});
