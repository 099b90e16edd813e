import type { Context, Hono } from 'hono';
import type { ApiKey } from '../operate/api-keys.ts';

interface Environment {
  Variables: {
    requestId: string;
    /** The id of the key, once it is known. */
    caller: string | null;
    headers: Record<string, string>;
  };
  Bindings: {
    address: string;
  };
}

export type VarveApp = Hono<Environment>;
export type AppContext = Context<Environment>;

/** Authenticates a request, and counts it against the rate of its key. `basic`: the key may be the password of Basic authentication. */
export type Enter = (context: AppContext, options?: { basic?: boolean }) => Promise<ApiKey>;

/** The response to a request, without the headers of every response. */
export interface Answered {
  status: number;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  headers: Record<string, string>;
}

/**
 * Responds with the headers of every response. They are passed to the response instead of being added afterwards, which would cost more
 * than the rest of the request handling.
 */
export function respond(context: AppContext, { status, body, headers }: Answered): Response {
  return context.body(body as string, status as 200, { ...context.get('headers'), ...headers });
}

export function json(body: unknown, status = 200): Answered {
  return { status, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}
