/** Decides whether threads share a single text, by what that has cost lately. */
export interface SharingChoice {
  shouldShare(): boolean;
  /** Tells how long a text of so many tokens took. */
  record(text: { isShared: boolean; milliseconds: number; tokens: number }): void;
}

/** How much the latest text counts in the average. */
const WEIGHT = 0.3;

/** One text in so many is done the other way, to notice when that has become the better one. */
const TRIAL_EVERY = 64;

/**
 * Sharing halves the time of a text while cores are free. When other programs keep them busy, the threads wait for one
 * another instead, and it takes longer than on one thread.
 */
export function createSharingChoice(): SharingChoice {
  const cost = { shared: 0, alone: Number.POSITIVE_INFINITY };
  let asked = 0;
  return {
    shouldShare() {
      asked++;
      const isBetter = cost.shared <= cost.alone;
      return asked % TRIAL_EVERY === 0 ? !isBetter : isBetter;
    },
    record({ isShared, milliseconds, tokens }) {
      const way = isShared ? 'shared' : 'alone';
      const latest = milliseconds / tokens;
      const before = cost[way];
      const isFirst = before === 0 || before === Number.POSITIVE_INFINITY;
      cost[way] = isFirst ? latest : before + WEIGHT * (latest - before);
    },
  };
}
