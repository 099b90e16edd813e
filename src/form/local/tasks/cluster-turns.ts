import { extractKeywords } from '../../../language/extract-keywords.ts';
import { words } from '../../../language/words.ts';
import type { Turn } from '../../../models/distiller.ts';

/** Turns that speak of the same things. */
export interface TurnCluster {
  /** Numbers of the turns, from 1, in order. */
  turns: number[];
  /** How often each keyword's stem was said. */
  stems: Map<string, number>;
}

const KEYWORDS_PER_TURN = 12;
// A reply belongs to what it replies to unless it shares more with something else.
const OF_THE_LAST = 0.5;

/** Groups turns by their keywords, into as many clusters as asked for at most, the weightiest first. */
export function clusterTurns(turns: readonly Turn[], mostClusters: number): TurnCluster[] {
  const clusters: TurnCluster[] = [];
  const speakers = speakerStems(turns);
  let last: TurnCluster | undefined;
  for (const [index, turn] of turns.entries()) {
    const stems = keywordStems(turn.content, speakers);
    if (stems.size === 0) {
      if (last !== undefined && turn.origin === 'agent') last.turns.push(index + 1);
      continue;
    }
    const replies = turn.origin === 'agent';
    const scored = clusters
      .map((cluster) => ({
        cluster,
        score: shared(stems, cluster) + (cluster === last ? (replies ? 1 : OF_THE_LAST) : 0),
      }))
      .toSorted((left, right) => right.score - left.score);
    const best = scored[0];
    const joined =
      best !== undefined && best.score >= 1 ? best.cluster : { turns: [], stems: new Map<string, number>() };
    if (best === undefined || joined !== best.cluster) clusters.push(joined);
    joined.turns.push(index + 1);
    for (const stem of stems) joined.stems.set(stem, (joined.stems.get(stem) ?? 0) + 1);
    last = joined;
  }
  return joinSmallest(clusters, mostClusters);
}

/** Stems of what a text is about, but for those left out. */
export function keywordStems(text: string, without: ReadonlySet<string> = new Set()): Set<string> {
  const stems = extractKeywords(text, KEYWORDS_PER_TURN).flatMap((keyword) => words(keyword));
  return new Set(stems.filter((stem) => !without.has(stem)));
}

/** The names of those who speak are on their lips whatever the topic is. */
export function speakerStems(turns: readonly Turn[]): Set<string> {
  return new Set(turns.flatMap(({ speaker }) => (speaker === null ? [] : words(speaker))));
}

function joinSmallest(clusters: readonly TurnCluster[], most: number): TurnCluster[] {
  const left = clusters.toSorted((one, other) => weight(other) - weight(one));
  while (left.length > Math.max(1, most)) {
    const smallest = left.pop();
    if (smallest === undefined) break;
    // What shares nothing with the rest is no topic of the session.
    const nearest = left
      .map((cluster) => ({ cluster, score: shared(new Set(smallest.stems.keys()), cluster) }))
      .reduce((best, next) => (next.score > best.score ? next : best));
    if (nearest.score === 0) continue;
    nearest.cluster.turns.push(...smallest.turns);
    nearest.cluster.turns.sort((one, other) => one - other);
    for (const [stem, times] of smallest.stems)
      nearest.cluster.stems.set(stem, (nearest.cluster.stems.get(stem) ?? 0) + times);
  }
  return left;
}

function weight({ stems, turns }: TurnCluster): number {
  return turns.length + stems.size / 4;
}

function shared(stems: ReadonlySet<string>, cluster: TurnCluster): number {
  let count = 0;
  for (const stem of stems) if (cluster.stems.has(stem)) count += 1;
  return count;
}
