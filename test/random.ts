import fc from 'fast-check';
import { inject } from 'vitest';
import { seededRandom } from '../src/evaluate/statistics.ts';

// A setup file of every run: property tests draw from the seed of the run, which its first lines name.
fc.configureGlobal({ seed: inject('seed') });

/** Numbers from 0 to 1 that the seed of the run decides, others for each `stream`. */
export function randomOf(stream: string): () => number {
  const own = [...stream].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, inject('seed'));
  return seededRandom(own);
}

/** All of a list where every cell is run, otherwise one that the seed of the run decides. `stream` tells lists apart. */
export function allOrOne<Item>(list: readonly Item[], { isAll, stream }: { isAll: boolean; stream: string }): Item[] {
  return isAll ? [...list] : list.slice(Math.floor(randomOf(stream)() * list.length)).slice(0, 1);
}

/**
 * All of a list where every cell of a matrix is run (`npm run test:all`, and `npm run test:slow` for the suites that it names), otherwise the
 * one whose turn it is: every row and every column of the matrix is still run.
 */
export function allOrTurn<Item>(list: readonly Item[], turn: number): Item[] {
  return inject('depth') === 'all' ? [...list] : list.filter((_, index) => index === turn % list.length);
}
