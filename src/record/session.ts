import { z } from 'zod';
import { metadataSchema, textSchema } from './parse.ts';
import type { Scope } from './scope.ts';

/** A conversation: its state, and the number of events that wait for formation. */
export interface Session {
  scope: Scope;
  status: 'open' | 'idle' | 'closed';
  startedAt: Date;
  lastEventAt: Date;
  /** After this time the state is dropped; the events stay. */
  expiresAt: Date;
  eventCount: number;
  /** Formation has read the events before this position. */
  formedPosition: number;
  messagesSinceFormation: number;
  /** The tokens of each event are weighted by its origin: see `ORIGIN_WEIGHTS`. */
  weightedTokensSinceFormation: number;
  state: SessionState;
}

/** The state that an agent keeps during a conversation. */
export interface SessionState {
  activePreferences: string[];
  pendingConfirmations: PendingConfirmation[];
  toolResults: ToolResult[];
}

export interface PendingConfirmation {
  id: string;
  question: string;
  metadata?: Record<string, unknown>;
}

export interface ToolResult {
  tool: string;
  result: string;
  metadata?: Record<string, unknown>;
}

export const EMPTY_SESSION_STATE: SessionState = { activePreferences: [], pendingConfirmations: [], toolResults: [] };

/** The fields of the state that an application may set. Absent fields keep their values. */
export const sessionStateSchema: z.ZodType<Partial<SessionState>, Partial<SessionState>> = z.strictObject({
  activePreferences: z.array(textSchema(2000)).max(100).optional(),
  pendingConfirmations: z
    .array(z.strictObject({ id: textSchema(200), question: textSchema(2000), metadata: metadataSchema.optional() }))
    .max(100)
    .optional(),
  toolResults: z
    .array(z.strictObject({ tool: textSchema(200), result: textSchema(20_000), metadata: metadataSchema.optional() }))
    .max(100)
    .optional(),
});

/** The cached schema of a tool connection. Knowledge about the connection itself is in a `learned_info` block. */
export interface ToolSchema {
  scope: Scope;
  schema: unknown;
  fetchedAt: Date;
  expiresAt: Date;
  /** Whether the time to live of the schema has passed. A stale schema is still returned, because it is better than none. */
  stale: boolean;
}
