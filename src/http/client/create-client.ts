import { invalidInput, VarveError } from '../../errors.ts';
import type { Handle } from '../../handle/handle.ts';
import type { Acts } from '../../store/doors/admin-acts.ts';
import type { ApiKey, MadeApiKey, NewApiKey } from '../../operate/api-keys.ts';
import type { RecordChange } from '../../operate/follow-changes.ts';
import type { RecordCounts } from '../../store/doors/inspect-scope.ts';
import type { OnlineMetrics } from '../../operate/online-metrics.ts';
import type { HandleScope, ScopeInput } from '../../record/scope.ts';
import { textLines } from '../streams.ts';
import { remoteHandle, type RemoteHandle } from './remote-handle.ts';
import { addressOf, type ClientOptions, createSend, errorOf, reviveDates, TRY_AGAIN } from './request.ts';

export type { ClientOptions, RemoteHandle };
export { VarveError, type ErrorCode } from '../../errors.ts';

/** A scope within the key's tenant. It names a user, or has an explicit `user: null`: see {@link HandleScope}. */
export type ClientScope = Omit<HandleScope, 'tenant'>;

/** A client of a Varve server, with the types of the library. */
export interface Client {
  /** The handle of a scope, for reading and writing its records. */
  for(scope: ClientScope): RemoteHandle;
  /** The keys of the tenant. These methods need an admin key. */
  readonly keys: {
    create(key: NewApiKey): Promise<MadeApiKey>;
    list(): Promise<ApiKey[]>;
    rotate(id: string): Promise<MadeApiKey>;
    revoke(id: string): Promise<ApiKey>;
  };
  acts(options?: { limit?: number; cursor?: string }): ReturnType<Acts['list']>;
  /** Reflects now. */
  reflect(scope: ClientScope): ReturnType<Handle['reflect']>;
  /** Embeds the records that have no vector. */
  backfill(options?: { rate?: number }): Promise<Record<string, number>>;
  stats(scope?: Omit<ScopeInput, 'tenant'>): Promise<RecordCounts>;
  /** The quality of memory in use within a scope. */
  metrics(scope?: Omit<ScopeInput, 'tenant'>): Promise<OnlineMetrics>;
  /** The changes within a scope, as they happen. A lost connection is reopened and continues where it ended. */
  changes(scope: ClientScope, options?: { after?: string; signal?: AbortSignal }): AsyncGenerator<RecordChange>;
}

const SLOW = 24 * 3600_000;

/** Makes a client for a server. Creating it sends no request. */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options);
  // Slow work has a timeout of a day and no retries: the response arrives when the work is done, and the work must not run twice.
  const sendSlow = createSend({ ...options, timeout: SLOW, retries: 0 });
  return {
    for: (scope) => remoteHandle(send, { ...withUser(scope) }, sendSlow),
    keys: {
      create: (key) => send({ method: 'POST', path: '/v1/keys', body: key }),
      list: async () => (await send<{ items: ApiKey[] }>({ method: 'GET', path: '/v1/keys' })).items,
      rotate: (id) => send({ method: 'POST', path: `/v1/keys/${encodeURIComponent(id)}/rotate` }),
      revoke: (id) => send({ method: 'DELETE', path: `/v1/keys/${encodeURIComponent(id)}` }),
    },
    acts: (query) => send({ method: 'GET', path: '/v1/acts', query: { ...query } }),
    reflect: (scope) => sendSlow({ method: 'POST', path: '/v1/reflect', query: { ...withUser(scope) } }),
    backfill: (query) => sendSlow({ method: 'POST', path: '/v1/backfill', query: { ...query } }),
    stats: (scope = {}) => send({ method: 'GET', path: '/v1/stats', query: { ...scope } }),
    metrics: (scope = {}) => send({ method: 'GET', path: '/v1/online-metrics', query: { ...scope } }),
    changes: (scope, settings) => followServer(options, { ...withUser(scope) }, settings),
  };
}

/** Throws if the scope names no user. If the user was left out by accident, all users would share the conversations. */
function withUser(scope: ClientScope): ClientScope {
  if (scope.user !== undefined && scope.user !== '') return scope;
  const message =
    'The scope does not name its user. Name the user, or write `user: null` for memory that belongs to no user.';
  throw invalidInput(message, { field: 'user' });
}

const AGAIN_AFTER = 1_000;

/** Reads the server-sent events of `/v1/changes`, and continues after the last event when the connection is lost. */
async function* followServer(
  { url, key, fetch = globalThis.fetch }: ClientOptions,
  scope: Record<string, unknown>,
  { after, signal }: { after?: string; signal?: AbortSignal } = {},
): AsyncGenerator<RecordChange> {
  let last = after;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    try {
      const response = await fetch(addressOf(url, { path: '/v1/changes', query: scope }), {
        headers: { authorization: `Bearer ${key}`, ...(last === undefined ? {} : { 'last-event-id': last }) },
        signal,
      });
      const isRefused = response.status >= 400 && response.status < 500 && !TRY_AGAIN.has(response.status);
      if (isRefused) throw errorOf(response.status, await response.text());
      if (response.ok)
        for await (const change of changesOf(response)) yield { ...change, cursor: (last = change.cursor) };
    } catch (error) {
      if (isOver()) return;
      if (VarveError.isInstance(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
  }
}

async function* changesOf(response: Response): AsyncGenerator<RecordChange> {
  let cursor = '';
  for await (const line of textLines(response.body)) {
    if (line.startsWith('id: ')) cursor = line.slice(4);
    if (line.startsWith('data: ')) yield { ...(reviveDates(JSON.parse(line.slice(6))) as RecordChange), cursor };
  }
}
