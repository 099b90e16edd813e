import type { Reader, TextIndex, TextSearch } from './database.ts';

// Ranking costs a few microseconds a row: this many are a few milliseconds.
const MOST_ROWS = 1000;

/**
 * The words of a search that tell one row from another: the rarest ones, as long as all the rows that have any of them
 * are not too many. A word that every row has, such as "user" in memories, says nothing and costs the most.
 */
export async function tellingWords(index: TextIndex, reader: Reader, search: TextSearch): Promise<string[]> {
  const { kind, owners, words } = search;
  const counts = await index.frequencies(reader, kind, owners, words);
  const known = [...new Set(words)].filter((word) => counts.has(word));
  known.sort((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
  let rows = 0;
  return known.filter((word, place) => {
    rows += counts.get(word) ?? 0;
    return place === 0 || rows <= MOST_ROWS;
  });
}
