import type { Embedder } from '../../src/models/embedder.ts';

/** A turn to remember, with the id by which evidence names it. */
export interface PeerTurn {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  at: Date;
}

/** One user's store in a memory system that takes part in the comparison. */
export interface PeerMemory {
  /** Adds turns in order. They are searchable when the promise resolves. */
  add(turns: readonly PeerTurn[]): Promise<void>;
  /** The ids of the turns that answer a query best, best first. */
  search(query: string, limit: number): Promise<string[]>;
  close(): Promise<void>;
}

/** A system to compare with. Each file in this folder that exports a `peer` is one; run.ts finds it by its file name. */
export interface Peer {
  name: string;
  /** The packages that have to be installed; null when there are none. */
  install: string | null;
  /** Opens an empty store. `modules` is the folder in which the peer's packages were installed. */
  open(options: { folder: string; modules: string; embedder: Embedder; user: string }): Promise<PeerMemory>;
}
