import { expect, it } from 'vitest';
import type * as Shared from './shared-embedder.ts';

it('closing one use of the shared embedder, also twice, leaves the other uses as they are', async () => {
  // A module of its own, because the tests hold a use of the usual one (test/random.ts).
  const module = './shared-embedder.ts?alone';
  const { sharedLocalEmbedder } = (await import(module)) as typeof Shared;
  const [one, other] = [sharedLocalEmbedder(), sharedLocalEmbedder()];
  await one.close();
  await one.close();
  const { vectors } = await other.embed(['The cat is called Rollo.']);
  expect(vectors[0]).toHaveLength(other.dimensions);
  await other.close();
  await expect(other.embed(['The dog is called Bella.'])).rejects.toMatchObject({ code: 'embedder_unavailable' });
});
