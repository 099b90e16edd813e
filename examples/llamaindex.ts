// npm run example examples/llamaindex.ts
// LlamaIndex.TS with memory: a block of long-term memory, and a retriever over memory.

import { createMemory } from '@llamaindex/core/memory';
import { createVarve, type Varve } from 'varve';
import { VarveMemoryBlock, VarveRetriever } from 'varve/llamaindex';

/** Fills a short-term memory until older messages leave it, and asks for them. Returns the prompt of the model and the retrieved texts. */
export async function run(varve: Varve): Promise<{ given: string; found: string }> {
  const handle = varve.for({ user: 'ann', session: 'monday' });
  await handle.facts.set({ key: 'home_city', value: 'Porto' });
  const memory = createMemory({
    tokenLimit: 1000,
    shortTermTokenLimitRatio: 0.02,
    memoryBlocks: [new VarveMemoryBlock(handle)],
  });
  for (const content of [
    'My dog is called Max.',
    'He is four years old.',
    'He likes long walks by the sea.',
    'And apples.',
  ])
    await memory.add({ role: 'user', content });
  const messages = await memory.getLLM();
  await varve.drain();
  const [found] = await new VarveRetriever(handle, { limit: 3 }).retrieve('the dog called Max');
  const given = messages.map(({ content }) => String(content)).join('\n');
  return { given, found: found === undefined ? '' : found.node.getContent('NONE' as never) };
}

if (import.meta.main) {
  const varve = await createVarve({ store: ':memory:', background: false });
  console.log(await run(varve));
  await varve.close();
}
