/** A seeded random generator of numbers from 0 to 1 (mulberry32), so that a run is repeatable. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A value of one item (a question, a memory) of a conversation; NaN if the item has no value. */
export interface Observation {
  conversation: string;
  item: string;
  value: number;
}

/** A mean over items with its confidence interval. */
export interface Estimate {
  mean: number;
  /** The limits of the 95 % interval. */
  low: number;
  high: number;
  /** The number of items with a value, and of the conversations that they come from. */
  items: number;
  conversations: number;
}

/** The difference between two runs over their common items. */
export interface Difference extends Estimate {
  /** The two-sided p-value of a paired permutation test over conversations. */
  p: number;
}

export interface ResamplingOptions {
  /** The number of resampling rounds. Default 2,000. */
  rounds?: number;
  /** Default 1. */
  seed?: number;
}

/**
 * The mean and its 95 % interval, by bootstrap over conversations, because items of one conversation are correlated. A single conversation
 * has no interval (NaN).
 */
export function estimate(observations: readonly Observation[], options: ResamplingOptions = {}): Estimate {
  const known = observations.filter(({ value }) => !Number.isNaN(value));
  const groups = byConversation(known);
  const means = groups.length < 2 ? [] : bootstrapMeans(groups, options);
  return {
    mean: meanOf(groups),
    low: quantile(means, 0.025),
    high: quantile(means, 0.975),
    items: known.length,
    conversations: groups.length,
  };
}

/** The difference between `after` and `before` over their common items, with interval and significance. */
export function difference(
  before: readonly Observation[],
  after: readonly Observation[],
  options: ResamplingOptions = {},
): Difference {
  const keyOf = ({ conversation, item }: Observation): string => JSON.stringify([conversation, item]);
  const earlier = new Map(before.map((one) => [keyOf(one), one.value]));
  const paired = after.flatMap((one) => {
    const value = one.value - (earlier.get(keyOf(one)) ?? Number.NaN);
    return Number.isNaN(value) ? [] : [{ ...one, value }];
  });
  return { ...estimate(paired, options), p: permutationP(byConversation(paired), options) };
}

interface Group {
  sum: number;
  count: number;
}

function byConversation(observations: readonly Observation[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { conversation, value } of observations) {
    const group = groups.get(conversation) ?? { sum: 0, count: 0 };
    groups.set(conversation, { sum: group.sum + value, count: group.count + 1 });
  }
  // Sorted, so that the order of the data does not change the interval.
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

function meanOf(groups: readonly Group[]): number {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return count === 0 ? Number.NaN : groups.reduce((sum, group) => sum + group.sum, 0) / count;
}

function bootstrapMeans(groups: readonly Group[], { rounds = 2000, seed = 1 }: ResamplingOptions): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: rounds }, () =>
    meanOf(groups.map(() => groups[Math.floor(random() * groups.length)] as Group)),
  ).sort((one, other) => one - other);
}

/** Swaps the two runs for whole conversations: under the null hypothesis, the sign of each conversation's difference is arbitrary. */
function permutationP(groups: readonly Group[], { rounds = 2000, seed = 1 }: ResamplingOptions): number {
  if (groups.length === 0) return Number.NaN;
  const random = seededRandom(seed + 1);
  const observed = Math.abs(meanOf(groups));
  let asLarge = 0;
  for (let round = 0; round < rounds; round += 1) {
    const flipped = groups.map(({ sum, count }) => ({ sum: random() < 0.5 ? -sum : sum, count }));
    if (Math.abs(meanOf(flipped)) >= observed - 1e-12) asLarge += 1;
  }
  return (asLarge + 1) / (rounds + 1);
}

function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  return below + (place - Math.floor(place)) * ((sorted[Math.ceil(place)] as number) - below);
}
