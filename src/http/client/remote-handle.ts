import { invalidInput, isStoreFailure, VarveError } from '../../errors.ts';
import type { Handle, PastHandle } from '../../handle/handle.ts';
import type { TimeInput } from '../../record/parse.ts';
import type { ToolSchema } from '../../record/session.ts';
import type { ClientRequest, Send } from './request.ts';

/** The methods of a handle that are available over HTTP, with the same types. */
export type RemoteHandle = Omit<Handle, 'scope' | 'asOf' | 'connection'> & {
  asOf(time: TimeInput): RemotePast;
  connection: Omit<Handle['connection'], 'freshToolSchema'>;
  /** Calls a tool of the agent. */
  callTool(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>>;
};

/** What was known at a time, as far as it is available over HTTP. */
export type RemotePast = Omit<PastHandle, 'scope' | 'time' | 'events'>;

function requestsFor(send: Send, scope: Record<string, unknown>) {
  const ask = <Answer>(
    method: ClientRequest['method'],
    path: string,
    rest: Partial<ClientRequest> = {},
  ): Promise<Answer> => send<Answer>({ method, path: `/v1${path}`, ...rest, query: { ...rest.query, ...scope } });
  const get = <Answer>(path: string, query?: object): Promise<Answer> =>
    ask<Answer>('GET', path, { query: { ...query } });
  const post = <Answer>(path: string, body?: unknown): Promise<Answer> => ask<Answer>('POST', path, { body });
  const items = async <Item>(path: string, query?: object): Promise<Item[]> =>
    (await get<{ items: Item[] }>(path, query)).items;
  const orNull = async <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
    answer.catch((error: unknown) => {
      if (VarveError.isInstance(error, 'not_found')) return null;
      throw error;
    });
  return { ask, get, post, items, orNull };
}

type Requests = ReturnType<typeof requestsFor>;

const id = encodeURIComponent;

/** `sendSlow` has a long timeout and no retries, for work that must not run twice. */
export function remoteHandle(send: Send, scope: Record<string, unknown>, sendSlow: Send): RemoteHandle {
  const requests = requestsFor(send, scope);
  const slow = requestsFor(sendSlow, scope);
  const { ask, get, post, items, orNull } = requests;
  return {
    observe: (events) => post('/events', events),
    async logInteraction(interaction) {
      try {
        return { logged: true, ...(await post<{ events: never[] }>('/interactions', interaction)) };
      } catch (error) {
        if (isStoreFailure(error)) return { logged: false, error };
        throw error;
      }
    },
    recordObservation: (content, category, from) => post('/observations', { content, category, ...from }),
    updateUserContext: async (update) => (await post<{ events: never[] }>('/user-context', update)).events,
    form: () => slow.post('/form'),
    reflect: (options) => slow.ask('POST', '/reflect', { query: { dryRun: options?.dryRun }, signal: options?.signal }),
    interactions: (options) => items('/interactions', options),
    indexDocument: (document) => post('/documents', document),
    recall: (query, options) => recallOver(ask, { query, options }),
    context: (options) => post('/context', options ?? {}),
    contexts: (options) => items('/contexts', options),
    noteGiven: (memories) => post('/given', { memories }),
    asOf: (time) => remotePast(requests, time),
    async erase({ reason } = {}) {
      const confirm = scope['session'] ?? scope['user'] ?? scope['agent'];
      if (confirm == null)
        throw invalidInput('A client erases a session, a user or an agent: name one in the scope of the handle.');
      return slow.post('/erase', { confirm, reason });
    },
    eraseMemory: (memory, { reason } = {}) => slow.post(`/memories/${id(memory)}/erase`, { reason }),
    // Those of the whole tenant, so the request has no scope.
    erasures: () => requestsFor(send, {}).items('/erasures'),
    topMemories: (options) => items('/top-memories', options),
    callTool: (name, input) => post(`/tools/${id(name)}`, input),
    decisions: {
      record: (decision) => post('/decisions', decision),
      recordOutcome: (decision, outcome) => post(`/decisions/${id(decision)}/outcomes`, outcome),
      list: (options) => items('/decisions', options),
    },
    events: {
      get: (event) => orNull(get(`/events/${id(event)}`)),
      list: ({ session, ...filter } = {}) => get('/events', session === undefined ? filter : { ...filter, session }),
    },
    session: {
      get: () => orNull(get('/session')),
      window: (size) => items('/session/window', { size }),
      setState: (state) => ask('PATCH', '/session/state', { body: state }),
      close: () => post('/session/close'),
    },
    ...remoteRecords(requests),
    ...remotePeople(requests),
    refusals: { list: (filter) => get('/refusals', filter) },
    consolidation: remoteConsolidation(requests, slow),
  };
}

function remoteConsolidation({ ask, post, get, items, orNull }: Requests, slow: Requests): Handle['consolidation'] {
  return {
    run: (options) => slow.ask('POST', '/consolidate', { query: { dryRun: options?.dryRun }, signal: options?.signal }),
    runs: (filter) => items('/runs', filter),
    held: () => items('/held-changes'),
    accept: (change) => post(`/held-changes/${id(change)}/accept`),
    reject: (change) => post(`/held-changes/${id(change)}/reject`),
    setAside: () => items('/set-aside'),
    retry: (event) => post(`/set-aside/${id(event)}/retry`),
    suggestTools: (options) => items('/tool-suggestions', options),
    use: (memory) => orNull(get(`/memories/${id(memory)}/use`)),
    configure: (settings) => ask('PUT', '/reflection-settings', { body: settings }),
  };
}

function remotePast({ ask, get, items, orNull }: Requests, time: TimeInput): RemotePast {
  const at = new Date(time);
  if (Number.isNaN(at.getTime()))
    throw invalidInput('The time of asOf() must be a Date, an ISO 8601 text or milliseconds since 1970.');
  const asOf = at.toISOString();
  return {
    memories: {
      get: (memory) => orNull(get(`/memories/${id(memory)}`, { asOf })),
      list: (filter) => get(`/past/${id(asOf)}/memories`, filter),
    },
    facts: {
      get: (key) => orNull(get(`/facts/${id(key)}`, { asOf })),
      list: () => items('/facts', { asOf }),
    },
    blocks: {
      read: (kind, place) => orNull(get(`/blocks/${id(kind)}`, { ...place, asOf })),
      basis: (kind, place) => items(`/blocks/${id(kind)}/basis`, { ...place, asOf }),
    },
    recall: (query, options) => recallOver(ask, { query, options, asOf }),
  };
}

function recallOver(ask: Requests['ask'], body: object): ReturnType<Handle['recall']> {
  return ask('POST', '/recall', { query: { fields: 'all', explain: true }, body });
}

function remoteRecords(
  requests: Requests,
): Pick<RemoteHandle, 'memories' | 'facts' | 'notes' | 'savedItems' | 'blocks' | 'learnings' | 'forgotten'> {
  const { ask, get, post, items, orNull } = requests;
  return {
    memories: {
      get: (memory) => orNull(get(`/memories/${id(memory)}`)),
      list: (filter) => get('/memories', filter),
      create: (memory, why) => post('/memories', { memory, why }),
      revise: (memory, change, why) => ask('PATCH', `/memories/${id(memory)}`, { body: { change, why } }),
      archive: (memory, reason = 'pruned', why) =>
        ask('DELETE', `/memories/${id(memory)}`, { query: { reason, why: why?.reason } }),
      forget: (memory, why) => ask('DELETE', `/memories/${id(memory)}`, { query: { why: why?.reason } }),
      restore: (memory, why) => post(`/memories/${id(memory)}/restore`, { why }),
      supersede: (memory, replacement, { as, ...why } = {}) =>
        post(`/memories/${id(memory)}/supersede`, { memory: replacement, as, why }),
      history: async (memory) => (await orNull(items<never>(`/memories/${id(memory)}/history`))) ?? [],
    },
    facts: {
      get: (key) => orNull(get(`/facts/${id(key)}`)),
      list: () => items('/facts'),
      set: ({ key, ...fact }, why) => ask('PUT', `/facts/${id(key)}`, { body: { ...fact, why } }),
      forget: async (key) => (await ask<{ forgotten: boolean }>('DELETE', `/facts/${id(key)}`)).forgotten,
    },
    notes: { add: (note) => post('/notes', note), list: (options) => get('/notes', options) },
    savedItems: { add: (item) => post('/saved-items', item), list: (options) => get('/saved-items', options) },
    blocks: {
      read: (kind, place) => orNull(get(`/blocks/${id(kind)}`, place)),
      basis: (kind, place) => items(`/blocks/${id(kind)}/basis`, place),
      async replace(kind, content, { level, expectedVersion, reason, actor } = {}) {
        const headers = await tagOf(expectedVersion, () =>
          orNull(get<{ id: string }>(`/blocks/${id(kind)}`, { level })),
        );
        return ask('PUT', `/blocks/${id(kind)}`, { query: { level }, body: { content, reason, actor }, headers });
      },
      history: (kind, place) => items(`/blocks/${id(kind)}/history`, place),
    },
    learnings: {
      add: (learning) => post('/learnings', learning),
      list: (options) => items('/learnings', options),
      forget: (learning) => ask('DELETE', `/learnings/${id(learning)}`),
    },
    forgotten: {
      list: (options) => items('/forgotten', options),
      restore: (record, why) => post(`/forgotten/${id(record)}/restore`, { why }),
    },
  };
}

function remotePeople(requests: Requests): Pick<RemoteHandle, 'connection' | 'entities' | 'intentions'> {
  const { ask, get, post, items, orNull } = requests;
  return {
    connection: {
      learnedInfo: () => get('/connection/info'),
      learn: (info) => ask('PATCH', '/connection/info', { body: info }),
      toolSchema: () => orNull(get<ToolSchema>('/connection/tool-schema')),
      saveToolSchema: (schema, options) => ask('PUT', '/connection/tool-schema', { body: { schema, ...options } }),
    },
    entities: {
      add: (entity) => post('/entities', entity),
      get: (entity) => orNull(get(`/entities/${id(entity)}`)),
      find: (names) => items('/entities', { names }),
      list: (options) => items('/entities', options),
    },
    intentions: {
      add: (intention) => post('/intentions', intention),
      due: (options) => items('/intentions', { ...options, due: true }),
      list: () => items('/intentions'),
      done: (intention) => post(`/intentions/${id(intention)}/done`),
      dismiss: (intention) => post(`/intentions/${id(intention)}/dismiss`),
      snooze: (intention, until) => post(`/intentions/${id(intention)}/snooze`, { until }),
    },
  };
}

async function tagOf(
  version: number | undefined,
  read: () => Promise<{ id: string } | null>,
): Promise<Record<string, string>> {
  if (version === undefined) return {};
  if (version === 0) return { 'if-none-match': '*' };
  const block = await read();
  return { 'if-match': `"${block?.id ?? 'none'}.${version}"` };
}
