import { invalidInput, VarveError } from '../../errors.ts';
import type { Handle } from '../../handle/handle.ts';
import type { Acts } from '../../store/doors/admin-acts.ts';
import type { ApiKey, MadeApiKey, NewApiKey } from '../../operate/api-keys.ts';
import type { RecordChange } from '../../operate/follow-changes.ts';
import type { RecordCounts } from '../../store/doors/inspect-scope.ts';
import type { OnlineMetrics } from '../../operate/online-metrics.ts';
import type { HandleScope, ScopeInput } from '../../record/scope.ts';
import { textLines } from '../streams.ts';
import { remoteHandle, type RemoteHandle, type RemotePast } from './remote-handle.ts';
import { addressOf, type ClientOptions, createSend, errorOf, reviveDates, TRY_AGAIN } from './request.ts';

export type { ClientOptions, RemoteHandle, RemotePast };
export { VarveError, type ErrorCode } from '../../errors.ts';

/** A scope within the key's tenant. It must name a user or contain `user: null`: see {@link HandleScope}. */
export type ClientScope = Omit<HandleScope, 'tenant'>;

/** A client of a Varve server. Its methods have the same types as the library's. */
export interface Client {
  /** Returns the handle for the records of a scope. */
  for(scope: ClientScope): RemoteHandle;
  /** Manages the tenant's keys. Needs an admin key. */
  readonly keys: {
    create(key: NewApiKey): Promise<MadeApiKey>;
    list(): Promise<ApiKey[]>;
    rotate(id: string): Promise<MadeApiKey>;
    revoke(id: string): Promise<ApiKey>;
  };
  acts(options?: { limit?: number; cursor?: string }): ReturnType<Acts['list']>;
  /** Runs reflection now. */
  reflect(scope: ClientScope): ReturnType<Handle['reflect']>;
  /** Embeds the records that have no vector. */
  backfill(options?: { rate?: number }): Promise<Record<string, number>>;
  stats(scope?: Omit<ScopeInput, 'tenant'>): Promise<RecordCounts>;
  /** Returns quality metrics of the memory within a scope, measured on its real use. */
  metrics(scope?: Omit<ScopeInput, 'tenant'>): Promise<OnlineMetrics>;
  /** Yields the changes within a scope as they happen. Reconnects and continues after the last change. */
  changes(scope: ClientScope, options?: { after?: string; signal?: AbortSignal }): AsyncGenerator<RecordChange>;
}

const SLOW = 24 * 3600_000;

/** Makes a client for a server. Sends no request yet. */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options);
  // These requests are answered when their work is done, which may take hours. A retry would do the work twice.
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

// A scope that leaves out `user` by accident would mix the memories of all users.
function withUser(scope: ClientScope): ClientScope {
  if (scope.user !== undefined && scope.user !== '') return scope;
  const message =
    'The scope does not name its user. Name the user, or write `user: null` for memory that belongs to no user.';
  throw invalidInput(message, { field: 'user' });
}

const AGAIN_AFTER = 1_000;

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
