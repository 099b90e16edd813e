import fc from 'fast-check';
import { inject } from 'vitest';
import { seededRandom } from '../src/evaluate/statistics.ts';
import { sharedLocalEmbedder } from '../src/models/shared-embedder.ts';

// A setup file of every run. Property tests use the seed of the run, which the first lines of the output name.
fc.configureGlobal({ seed: inject('seed') });

// This use is never closed, so that the local embedder starts once for each worker and not for each store that a test opens.
sharedLocalEmbedder();

/** Random numbers from 0 to 1 from the seed of the run, different for each `stream`. */
export function randomOf(stream: string): () => number {
  const own = [...stream].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, inject('seed'));
  return seededRandom(own);
}

/** All items of a list if every cell is run, otherwise one that the seed of the run chooses. `stream` distinguishes lists. */
export function allOrOne<Item>(list: readonly Item[], { isAll, stream }: { isAll: boolean; stream: string }): Item[] {
  return isAll ? [...list] : list.slice(Math.floor(randomOf(stream)() * list.length)).slice(0, 1);
}

/**
 * All items of a list if every cell of a matrix is run (`npm run test:all`, and `npm run test:slow` for the suites that it names).
 * Otherwise one item in turn, so that every row and every column of the matrix is still run.
 */
export function allOrTurn<Item>(list: readonly Item[], turn: number): Item[] {
  return inject('depth') === 'all' ? [...list] : list.filter((_, index) => index === turn % list.length);
}

/** All items of a list if every cell is run, otherwise one in `step`, of which the seed of the run chooses the first. */
export function allOrOneIn<Item>(step: number, list: readonly Item[]): Item[] {
  const first = inject('seed') % step;
  return inject('depth') === 'all' ? [...list] : list.filter((_, index) => index % step === first);
}
