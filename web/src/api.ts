import type { Scope } from './types.ts';

/** A refusal by the server, with the text of its problem document. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>;

export interface RequestOptions {
  scope?: Scope | null;
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

let secret: string | null = null;
let onSignedOut: (message: string) => void = () => {};

/** The key is held here and in the session storage of this tab. No other code of the page can read it. */
export function useSecret(key: string | null, whenSignedOut: (message: string) => void): void {
  secret = key;
  onSignedOut = whenSignedOut;
}

function addressOf(path: string, { scope, query = {} }: Pick<RequestOptions, 'scope' | 'query'> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...scope, ...query })) {
    if (value === null || value === undefined || value === '') continue;
    if (Array.isArray(value)) {
      if (value.length > 0) search.set(name, value.join(','));
    } else search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Sends a request to the server. Throws {@link ApiError} if the server refuses it. */
export async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  const response = await fetch(addressOf(path, options), {
    method,
    headers: {
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: options.body === undefined ? undefined : JSON.stringify(options.body),
    signal: options.signal,
    cache: 'no-store',
  }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, 'unreachable', 'The server does not answer.');
  });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  const error = new ApiError(
    response.status,
    problem.code ?? 'unknown',
    problem.detail ?? `The server answered ${response.status}.`,
  );
  if (error.status === 401 && secret !== null) onSignedOut('The key was revoked or has expired. Sign in again.');
  throw error;
}

export async function ask<Answer>(method: string, path: string, options?: RequestOptions): Promise<Answer> {
  const response = await send(method, path, options);
  return response.status === 204 ? (undefined as Answer) : ((await response.json()) as Answer);
}

export const get = <Answer>(path: string, options?: RequestOptions): Promise<Answer> =>
  ask<Answer>('GET', path, options);
export const post = <Answer>(path: string, options?: RequestOptions): Promise<Answer> =>
  ask<Answer>('POST', path, options);

/** The answer, or `none` if the server has no such record. */
export async function orNone<Answer>(asked: Promise<Answer>): Promise<Answer | 'none'> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'none';
    throw error;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Follows the stream of changes until the signal aborts. Reads with `fetch`: `EventSource` cannot send a key in a header. */
export async function follow(
  scope: Scope | null,
  { signal, onChange, onOpen }: { signal: AbortSignal; onChange(data: unknown): void; onOpen(): void },
): Promise<void> {
  const response = await send('GET', '/v1/changes', { scope, signal });
  onOpen();
  const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const messages = (rest + value).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const data = message
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n');
      if (data !== '') onChange(JSON.parse(data));
    }
  }
}
