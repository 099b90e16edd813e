import { join } from 'node:path';
import { createVarve } from '../../src/varve.ts';
import type { Peer } from './peer.ts';

/** Varve on turns alone: no memories are formed, so that all peers search the same texts. */
export const peer: Peer = {
  name: 'varve',
  install: null,
  async open({ folder, embedder, user }) {
    const varve = await createVarve({
      store: join(folder, 'varve.db'),
      background: false,
      embedder,
      tracing: false,
      formation: { facts: false, reflections: false, summaries: false },
    });
    const turnOf = new Map<string, string>();
    const handle = varve.for({ user, session: 'talk' });
    return {
      async add(turns) {
        for (const { id, role, text, at } of turns) {
          const origin = role === 'user' ? 'user' : 'agent';
          const { events } = await handle.observe({ content: text, origin, occurredAt: at });
          turnOf.set(events[0]?.id ?? '', id);
        }
        await varve.drain();
      },
      async search(query, limit) {
        const asking = varve.for({ user });
        const { results } = await asking.recall(query, { limit, abstain: false, track: false, sources: ['events'] });
        return results.flatMap(({ id }) => turnOf.get(id) ?? []);
      },
      close: () => varve.close(),
    };
  },
};
