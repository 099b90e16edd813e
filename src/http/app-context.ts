import type { Context, Hono } from 'hono';
import type { ApiKey } from '../operate/api-keys.ts';

interface Environment {
  Variables: {
    requestId: string;
    /** The id of the request's key. Null before authentication. */
    caller: string | null;
    headers: Record<string, string>;
  };
  Bindings: {
    address: string;
  };
}

export type VarveApp = Hono<Environment>;
export type AppContext = Context<Environment>;

/** Also applies the key's rate limit. `basic` accepts the key as the password of Basic authentication. */
export type Enter = (context: AppContext, options?: { basic?: boolean }) => Promise<ApiKey>;

export interface Answered {
  status: number;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  headers: Record<string, string>;
}

// The headers are passed to the constructor: adding them afterwards takes longer than the rest of the request.
export function respond(context: AppContext, { status, body, headers }: Answered): Response {
  return context.body(body as string, status as 200, { ...context.get('headers'), ...headers });
}

export function json(body: unknown, status = 200): Answered {
  return { status, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}
