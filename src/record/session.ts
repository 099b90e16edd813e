import { z } from 'zod';
import { metadataSchema, textSchema } from './parse.ts';
import type { Scope } from './scope.ts';

/** A conversation, with its state and the progress of its formation. */
export interface Session {
  scope: Scope;
  status: 'open' | 'idle' | 'closed';
  startedAt: Date;
  lastEventAt: Date;
  /** When the state is dropped. The events stay. */
  expiresAt: Date;
  eventCount: number;
  /** Formation has read all events before this position. */
  formedPosition: number;
  messagesSinceFormation: number;
  /** Tokens since the last formation, weighted by the origin of each event. */
  weightedTokensSinceFormation: number;
  state: SessionState;
}

/** What an agent keeps in mind during a conversation. */
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

/** Absent fields stay unchanged. */
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

/** The cached schema of a tool connection. */
export interface ToolSchema {
  scope: Scope;
  schema: unknown;
  fetchedAt: Date;
  expiresAt: Date;
  /** Whether the schema is older than its time to live. It is still returned, because a stale schema is better than none. */
  stale: boolean;
}
