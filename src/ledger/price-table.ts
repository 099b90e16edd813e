import { invalidInput } from '../errors.ts';

/** A model's price in dollars per million tokens. */
export interface Price {
  input: number;
  /** Default: the same as `input`. */
  cachedInput?: number;
  /** Default: 0, as for embeddings. */
  output?: number;
}

/**
 * Prices by model. A key is a model's name (`gpt-4o-mini`, which includes its dated versions) or its whole id (`openai.chat:gpt-4o-mini`).
 * `*` matches any text, as in `ollama*:*`.
 */
export type Prices = Readonly<Record<string, Price>>;

const FREE: Price = { input: 0 };

/** List prices of November 2026. */
const DEFAULT_PRICES: Prices = {
  'local/*': FREE,
  'local:*': FREE,
  'ollama*:*': FREE,
  'lmstudio*:*': FREE,
  'text-embedding-3-small': { input: 0.02 },
  'text-embedding-3-large': { input: 0.13 },
  'gemini-embedding-001': { input: 0.15 },
  'gpt-4o-mini': { input: 0.15, cachedInput: 0.075, output: 0.6 },
  'gpt-4o': { input: 2.5, cachedInput: 1.25, output: 10 },
  'gpt-4.1': { input: 2, cachedInput: 0.5, output: 8 },
  'gpt-4.1-mini': { input: 0.4, cachedInput: 0.1, output: 1.6 },
  'gpt-4.1-nano': { input: 0.1, cachedInput: 0.025, output: 0.4 },
  'gpt-5': { input: 1.25, cachedInput: 0.125, output: 10 },
  'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
  'gpt-5-nano': { input: 0.05, cachedInput: 0.005, output: 0.4 },
  'gpt-5.4': { input: 2.5, cachedInput: 0.25, output: 15 },
  'gpt-5.4-mini': { input: 0.75, cachedInput: 0.075, output: 4.5 },
  'claude-haiku-4-5': { input: 1, cachedInput: 0.1, output: 5 },
  'claude-sonnet-4-5': { input: 3, cachedInput: 0.3, output: 15 },
  'gemini-2.5-flash': { input: 0.3, cachedInput: 0.03, output: 2.5 },
};

/** The tokens of a call. `tokensIn` includes `tokensCached`. */
export interface PricedTokens {
  tokensIn: number;
  tokensOut: number;
  tokensCached: number;
}

export interface PriceTable {
  /** Null if the price is unknown. */
  priceOf(model: string): Price | null;
  /** In whole micro-dollars, rounded up so that no paid call is free. Null if the model has no price. */
  cost(model: string, tokens: PricedTokens): number | null;
}

export function createPriceTable(prices: Prices = {}): PriceTable {
  for (const [key, price] of Object.entries(prices)) {
    const amounts = [price.input, price.cachedInput ?? 0, price.output ?? 0];
    if (!amounts.every((amount) => Number.isFinite(amount) && amount >= 0)) {
      throw invalidInput(`The price of ${JSON.stringify(key)} must be in dollars per million tokens, and 0 or more.`);
    }
  }
  const patterns = [...Object.entries(prices), ...Object.entries(DEFAULT_PRICES)].map(
    ([key, price]) => [patternOf(key), price] as const,
  );
  const known = new Map<string, Price | null>();

  const priceOf = (model: string): Price | null => {
    const found = known.get(model);
    if (found !== undefined) return found;
    const names = namesOf(model);
    const price = patterns.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? null;
    known.set(model, price);
    return price;
  };

  return {
    priceOf,
    cost(model, tokens) {
      const price = priceOf(model);
      if (price === null) return null;
      // Whole millionths of a micro-dollar: in floating point, 1,000 tokens at 0.15 would cost 150.00000000000003.
      const fresh = (tokens.tokensIn - tokens.tokensCached) * fine(price.input);
      const cached = tokens.tokensCached * fine(price.cachedInput ?? price.input);
      return Math.ceil((fresh + cached + tokens.tokensOut * fine(price.output ?? 0)) / 1_000_000);
    },
  };
}

function fine(dollarsPerMillion: number): number {
  return Math.round(dollarsPerMillion * 1_000_000);
}

const DATED = String.raw`(?:-\d{4}-?\d{2}-?\d{2}|-latest)?`;

function patternOf(key: string): RegExp {
  const escaped = key.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');
  return new RegExp(`^${escaped}${key.includes('*') ? '' : DATED}$`, 'i');
}

/** For `gateway:openai/gpt-5-mini/1536`: also without the dimensions, as `openai/gpt-5-mini` and as `gpt-5-mini`. */
function namesOf(model: string): string[] {
  const bare = model.replace(/\/\d+$/, '');
  const inProvider = bare.slice(bare.indexOf(':') + 1);
  return [...new Set([model, bare, inProvider, inProvider.slice(inProvider.lastIndexOf('/') + 1)])];
}
