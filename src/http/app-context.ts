import type { Context, Hono } from 'hono';
import type { ApiKey } from '../operate/api-keys.ts';

interface Environment {
  Variables: {
    requestId: string;
    /** The id of the request's key, or null before authentication. */
    caller: string | null;
    headers: Record<string, string>;
  };
  Bindings: {
    address: string;
  };
}

export type VarveApp = Hono<Environment>;
export type AppContext = Context<Environment>;

/**
 * Authenticates a request and counts it against its key's rate limit. With `basic`, the key may be the password of Basic authentication.
 */
export type Enter = (context: AppContext, options?: { basic?: boolean }) => Promise<ApiKey>;

/** A response without the headers that every response gets. */
export interface Answered {
  status: number;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  headers: Record<string, string>;
}

/**
 * Makes a response with the headers that every response gets. They are passed to its constructor, because adding them afterwards would take
 * longer than the rest of the request handling.
 */
export function respond(context: AppContext, { status, body, headers }: Answered): Response {
  return context.body(body as string, status as 200, { ...context.get('headers'), ...headers });
}

export function json(body: unknown, status = 200): Answered {
  return { status, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}
