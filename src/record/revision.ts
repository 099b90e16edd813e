/** Why a record changes, who changes it, and in which run of background work. */
export interface Change {
  /** A short reason for people to read, such as "merged near doubles". */
  reason: string;
  /** Who made the change: `application`, `agent`, `user`, or the name of a job. */
  actor?: string;
  /** The run of background work that made the change. */
  run?: string | null;
}

/** One change of a memory or a block. */
export interface Revision {
  recordId: string;
  /** The version that the change produced. */
  version: number;
  at: Date;
  reason: string;
  actor: string;
  run: string | null;
  /** The record as it was before; null for its creation. */
  before: Record<string, unknown> | null;
}
