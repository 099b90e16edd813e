/** Why a record changes, who changes it, and in which run. */
export interface Change {
  /** A short reason for people, such as "merged near doubles". */
  reason: string;
  /** Who makes the change: `application`, `agent`, `user`, or the name of a job. */
  actor?: string;
  /** The run of background work that makes the change. */
  run?: string | null;
}

/** One change of a memory or a block. */
export interface Revision {
  recordId: string;
  /** The version after the change. */
  version: number;
  at: Date;
  reason: string;
  actor: string;
  run: string | null;
  /** The record before the change. Null if the change created it. */
  before: Record<string, unknown> | null;
}
