// npm run example examples/langgraph.ts
// LangGraph.js with Varve as its long-term store: graph.compile({ store: new VarveStore(varve) }).
// The second label of a namespace is the user: one store serves all users, and no user sees another user's items.

import type { BaseStore } from '@langchain/langgraph-checkpoint';
import { VarveStore } from 'varve/langgraph';
import { createVarve, type Varve } from 'varve';

/** A node of a graph: it reads and writes the store that the graph passes to it. */
async function remember(store: BaseStore, user: string, text: string): Promise<void> {
  await store.put(['memories', user], `note-${text.length}`, { text });
}

/** Stores three items and finds the one that matches a query. */
export async function run(varve: Varve): Promise<string> {
  const store = new VarveStore(varve, { agent: 'graph' });
  for (const text of ['Likes hiking in the Alps', 'Plays the violin every day', 'Drinks tea, never coffee']) {
    await remember(store, 'ann', text);
  }
  await varve.drain();
  const [best] = await store.search(['memories', 'ann'], { query: 'tea or coffee', limit: 1 });
  return String(best?.value['text']);
}

if (import.meta.main) {
  const varve = await createVarve({ store: ':memory:', background: false });
  console.log(await run(varve));
  await varve.close();
}
