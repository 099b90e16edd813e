export const RECIPROCAL_RANK_CONSTANT = 60;

/** Reciprocal rank fusion: each list adds 1 / (k + rank), ranks from 1. */
export function fuseByReciprocalRank<Item>(
  rankings: readonly (readonly Item[])[],
  k: number = RECIPROCAL_RANK_CONSTANT,
): Map<Item, number> {
  const scores = new Map<Item, number>();
  for (const ranking of rankings) {
    for (const [index, item] of ranking.entries()) scores.set(item, (scores.get(item) ?? 0) + 1 / (k + index + 1));
  }
  return scores;
}
