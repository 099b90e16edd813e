import { invalidInput } from '../errors.ts';

/** The share of the first k ranks with a relevant result. The divisor is always k, so missing results count as wrong. */
export function precisionAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return hits(ranked, relevant, k) / checkedK(k);
}

/** The share of the relevant ids among the first k results; NaN if `relevant` is empty. */
export function recallAt(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return relevant.size === 0 ? Number.NaN : hits(ranked, relevant, k) / relevant.size;
}

/** 1 / rank of the first relevant result; 0 without one; NaN if `relevant` is empty. */
export function reciprocalRank(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  if (relevant.size === 0) return Number.NaN;
  const place = distinct(ranked).findIndex((id) => relevant.has(id));
  return place === -1 ? 0 : 1 / (place + 1);
}

/** NDCG with the discount 1 / log2(rank + 1). `relevant` is a set (gain 1) or a map from id to gain. NaN if nothing is relevant. */
export function ndcgAt(
  ranked: readonly string[],
  relevant: ReadonlySet<string> | ReadonlyMap<string, number>,
  k: number,
): number {
  const gainOf = (id: string): number => (relevant instanceof Map ? (relevant.get(id) ?? 0) : relevant.has(id) ? 1 : 0);
  const discounted = (gains: readonly number[]): number =>
    gains.slice(0, checkedK(k)).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
  const ideal = discounted([...relevant.keys()].map(gainOf).toSorted((one, other) => other - one));
  return ideal === 0 ? Number.NaN : discounted(distinct(ranked).map(gainOf)) / ideal;
}

/** One point of {@link abstentionCurve}. */
export interface AbstentionPoint {
  threshold: number;
  /** Share of the unanswerable questions on which recall abstains. */
  silentOnUnanswerable: number;
  /** Share of the answerable questions on which recall abstains. */
  silentOnAnswerable: number;
}

/** For each threshold, the shares of questions on which recall would abstain; NaN without such questions. */
export function abstentionCurve(
  questions: readonly { isAnswerable: boolean; confidence: number }[],
  thresholds: readonly number[],
): AbstentionPoint[] {
  const silent = (isAnswerable: boolean, threshold: number): number => {
    const asked = questions.filter((question) => question.isAnswerable === isAnswerable);
    return asked.filter(({ confidence }) => confidence < threshold).length / (asked.length || Number.NaN);
  };
  return thresholds.map((threshold) => ({
    threshold,
    silentOnUnanswerable: silent(false, threshold),
    silentOnAnswerable: silent(true, threshold),
  }));
}

/** The probability that an answerable question has a higher confidence than an unanswerable one. 0.5 is chance; NaN without both kinds. */
export function abstentionArea(questions: readonly { isAnswerable: boolean; confidence: number }[]): number {
  const answerable = questions.filter((question) => question.isAnswerable);
  const unanswerable = questions.filter((question) => !question.isAnswerable);
  let wins = 0;
  for (const one of answerable) {
    for (const other of unanswerable) {
      if (one.confidence > other.confidence) wins += 1;
      else if (one.confidence === other.confidence) wins += 0.5;
    }
  }
  return wins / (answerable.length * unanswerable.length || Number.NaN);
}

// An id counts at its first rank. Otherwise duplicates could raise recall and NDCG above 1.
function distinct(ranked: readonly string[]): string[] {
  return [...new Set(ranked)];
}

function hits(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  return distinct(ranked)
    .slice(0, checkedK(k))
    .filter((id) => relevant.has(id)).length;
}

function checkedK(k: number): number {
  if (!Number.isInteger(k) || k < 1) throw invalidInput(`The cut-off k must be a positive whole number, not ${k}.`);
  return k;
}
