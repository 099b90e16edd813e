/** Why something changes, through whom, and in which run of background work. */
export interface Change {
  /** A few words a person understands: "user said so", "merged near doubles". */
  reason: string;
  /** Who did it: `application`, `agent`, `user`, or the name of a job. */
  actor?: string;
  /** The run of background work that it belongs to. */
  run?: string | null;
}

/** One change of a memory or a block. */
export interface Revision {
  recordId: string;
  /** The version that this change made. */
  version: number;
  at: Date;
  reason: string;
  actor: string;
  run: string | null;
  /** The record as it was before; null for its creation. */
  before: Record<string, unknown> | null;
}
