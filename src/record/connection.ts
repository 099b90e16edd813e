import type { Scope } from './scope.ts';

/** A tool connection: what was learned of it is a `learned_info` block, this is the cache of its schema. */
export interface ToolSchema {
  scope: Scope;
  schema: unknown;
  fetchedAt: Date;
  expiresAt: Date;
  /** Whether its time to live has passed. It is still given: an old schema beats none. */
  stale: boolean;
}
