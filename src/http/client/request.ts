import { type ErrorCode, invalidInput, VarveError } from '../../errors.ts';
import { withoutEnd } from '../../language/words.ts';

/** The options of a client. */
export interface ClientOptions {
  /** The base URL, such as `http://127.0.0.1:8787`. */
  url: string;
  key: string;
  /** The maximum number of retries of a request. Default 3. */
  retries?: number;
  /** The timeout of one attempt, in milliseconds. Default 30,000. */
  timeout?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export interface ClientRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export type Send = <Answer>(request: ClientRequest) => Promise<Answer>;

const FIRST_WAIT = 200;
const LONGEST_WAIT = 5_000;
export const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Writes carry an idempotency key, so that a retry after a lost answer does not repeat the work. */
export function createSend(options: ClientOptions): Send {
  checkOptions(options);
  const { retries = 3, timeout = 30_000, fetch = globalThis.fetch } = options;
  return async <Answer>(request: ClientRequest): Promise<Answer> => {
    const isWrite = request.method === 'POST' || request.method === 'PATCH';
    const headers = {
      authorization: `Bearer ${options.key}`,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(isWrite ? { 'idempotency-key': crypto.randomUUID() } : {}),
      ...request.headers,
    };
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const given = request.signal === undefined ? [] : [request.signal];
    for (let attempt = 0; ; attempt += 1) {
      const signal = AbortSignal.any([AbortSignal.timeout(timeout), ...given]);
      const response = await attemptOf(() =>
        fetch(addressOf(options.url, request), { method: request.method, headers, body, signal }),
      );
      if (response instanceof Response && !(await mayTryAgain(response))) return answerOf<Answer>(response);
      if (attempt >= retries || request.signal?.aborted) {
        if (response instanceof Response) return answerOf<Answer>(response);
        const message = `The server at ${options.url} cannot be reached. Check the URL, and that the server is running.`;
        throw new VarveError(message, { code: 'store_unavailable', retryable: true, cause: response });
      }
      const asked = response instanceof Response ? Number(response.headers.get('retry-after') ?? 0) * 1000 : 0;
      const wait = Math.max(asked, Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + Math.random() / 2));
      if (response instanceof Response) await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
}

function checkOptions(options?: Partial<ClientOptions>): void {
  if (!/^https?:\/\//.test(options?.url ?? ''))
    throw invalidInput('The `url` of createClient() must be the address of a server, such as http://127.0.0.1:8787.', {
      field: 'url',
    });
  if (typeof options?.key !== 'string')
    throw invalidInput('The `key` of createClient() must be an API key of the server.', { field: 'key' });
}

// A 409 is retryable if an earlier attempt is still running.
async function mayTryAgain(response: Response): Promise<boolean> {
  if (TRY_AGAIN.has(response.status)) return true;
  return response.status === 409 && parsed(await response.clone().text()).retryable === true;
}

async function attemptOf(work: () => Promise<Response>): Promise<Response | Error> {
  try {
    return await work();
  } catch (error) {
    return error as Error;
  }
}

export function addressOf(url: string, { path, query = {} }: Pick<ClientRequest, 'path' | 'query'>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    search.set(
      name,
      Array.isArray(value) ? value.join(',') : value instanceof Date ? value.toISOString() : String(value),
    );
  }
  const text = search.toString();
  return `${withoutEnd(url, '/')}${path}${text === '' ? '' : `?${text}`}`;
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  if (response.status === 204) return undefined as Answer;
  const text = await response.text();
  if (!response.ok) throw errorOf(response.status, text);
  return reviveDates(JSON.parse(text)) as Answer;
}

interface ProblemBody {
  code?: string;
  detail?: string;
  retryable?: boolean;
  problems?: unknown;
}

export function errorOf(status: number, text: string): VarveError {
  const problem = parsed(text);
  const details = { status, ...(problem.problems === undefined ? {} : { problems: problem.problems }) };
  return new VarveError(problem.detail ?? `The server answered with ${status}.`, {
    code: (problem.code ?? 'store_unavailable') as ErrorCode,
    retryable: problem.retryable ?? status >= 500,
    details,
  });
}

function parsed(text: string): ProblemBody {
  try {
    return JSON.parse(text) as ProblemBody;
  } catch (error) {
    // A proxy may answer with HTML.
    return {
      detail: `The response is not JSON from a Varve server (${(error as Error).name}). Check the URL and proxies.`,
    };
  }
}

// In any other field, a text that looks like a time is the application's own and stays a text.
export const TIMES: ReadonlySet<string> = new Set(
  (
    'occurredAt recordedAt processedAt createdAt updatedAt archivedAt expiresAt lastAccessedAt dueAt ' +
    'validFrom validTo statedAt startedAt endedAt lastEventAt fetchedAt runAt leaseUntil finishedAt at revokedAt ' +
    'saidAgainAt lastConfirmedAt'
  ).split(' '),
);
// These fields are not searched for times: `before` is a record in its stored form, and the others contain the application's data.
export const FREE: ReadonlySet<string> = new Set(
  'metadata internal proposal content payload schema details arguments before'.split(' '),
);

export function reviveDates(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return TIMES.has(field) ? new Date(value) : value;
  if (Array.isArray(value)) return value.map((item) => reviveDates(item));
  if (typeof value !== 'object' || value === null || FREE.has(field)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, reviveDates(inner, name)]));
}
