import type { Varve } from '../varve.ts';
import type { Output } from './output.ts';

/** What is embedded before a command answers: some 5 ms each. More than that is for a worker. */
const FEW = 24;

/**
 * Embeds the few records that wait for a vector, so that what was just remembered is found by meaning where no server and
 * no worker runs. Says so where there are more than a few.
 */
export async function embedFew(varve: Varve, output: Output): Promise<void> {
  const { vectorsWaiting, embedder } = await varve.operator.status();
  if (vectorsWaiting === 0 || embedder === null) return;
  if (vectorsWaiting <= FEW) await varve.backfill({ rate: Infinity });
  else output.note(`${vectorsWaiting} records have no vector yet and are found by words alone: varve worker --once`);
}
