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
