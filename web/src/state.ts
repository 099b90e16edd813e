import { computed, effect, signal } from '@preact/signals';
import { follow, get, isAbort, messageOf, useSecret } from './api.ts';
import type { Change, Me, Memory, MemoryType, Owner, Scope } from './types.ts';

// The state that all views share: the key, the owner whose memory is shown, the route, and recent changes.

const STORED_KEY = 'varve.key';

export const me = signal<Me | null>(null);
export const signInMessage = signal('');
export const owners = signal<Owner[]>([]);
/** The memory types of the server by name, including those of the application. */
export const memoryTypes = signal<ReadonlyMap<string, MemoryType>>(new Map());
/** Whether the store has no owner at all, whatever the owner picker searches for. */
export const isEmpty = signal(false);

/** Whether the key is for one user, who sees their own memory in plain words. */
export const isPersonal = computed(() => me.value?.key.users?.length === 1);
export const mayWrite = computed(() => me.value !== null && me.value.key.access !== 'read');
export const isAdmin = computed(() => me.value?.key.access === 'admin');
/** Whether the key covers the whole tenant, so that keys, jobs and costs can be read. */
export const isOperator = computed(() => isAdmin.value && me.value?.isLimited === false);

export async function signIn(secret: string): Promise<void> {
  useSecret(secret, signOut);
  try {
    const found = await get<Me>('/v1/whoami');
    sessionStorage.setItem(STORED_KEY, secret);
    signInMessage.value = '';
    // Owners are loaded before the shell is drawn, because the shell shows the welcome page for an empty store.
    await Promise.all([loadOwners(), loadMemoryTypes()]);
    me.value = found;
  } catch (error) {
    useSecret(null, signOut);
    throw error;
  }
}

export function signOut(message = ''): void {
  sessionStorage.removeItem(STORED_KEY);
  useSecret(null, signOut);
  me.value = null;
  owners.value = [];
  signInMessage.value = message;
}

/** Signs in with the key of this tab, if it has one. */
export async function resume(): Promise<void> {
  const secret = sessionStorage.getItem(STORED_KEY);
  if (secret === null) return;
  await signIn(secret).catch((error: unknown) => signOut(messageOf(error)));
}

export async function loadOwners(match?: string): Promise<void> {
  const { items } = await get<{ items: Owner[] }>('/v1/owners', { query: { match, limit: 500 } });
  owners.value = items;
  if (match === undefined) isEmpty.value = items.length === 0;
}

async function loadMemoryTypes(): Promise<void> {
  memoryTypes.value = new Map(Object.entries(await get<Record<string, MemoryType>>('/v1/memory-types')));
}

/** Whether a memory belongs to a whole conversation and not to a turn. */
export function isOfConversation({ type }: Pick<Memory, 'type'>): boolean {
  return ['summaries', 'reflections'].includes(memoryTypes.value.get(type)?.section ?? '');
}

// The address: #/view/part?agent=…&user=…

export interface Route {
  view: string;
  parts: string[];
  query: URLSearchParams;
}

function readRoute(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', ...parts] = path.split('/').map((part) => decodeURIComponent(part));
  return { view, parts, query: new URLSearchParams(search) };
}

export const route = signal<Route>(readRoute());
window.addEventListener('hashchange', () => {
  route.value = readRoute();
});

/** Whose memory is shown, from the address. */
export const scope = computed<Scope>(() => ({
  agent: route.value.query.get('agent'),
  user: route.value.query.get('user'),
}));

/** Whether one owner is chosen. Recall and contexts work for one agent and user at a time. */
export const hasOwner = computed(() => scope.value.user !== null || scope.value.agent !== null);

export function href(
  view: string,
  parts: readonly string[] = [],
  change: Record<string, string | null | undefined> = {},
): string {
  const search = new URLSearchParams();
  const { agent, user } = scope.value;
  for (const [name, value] of Object.entries({ agent, user, ...change })) if (value) search.set(name, value);
  const path = [view, ...parts].map((part) => encodeURIComponent(part)).join('/');
  const text = search.toString();
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

export function go(address: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState(null, '', address);
    route.value = readRoute();
  } else location.hash = address;
}

// Recent changes, from the server's stream.

/** Incremented with every change, so that visible data is read again. */
export const changes = signal<{ count: number; last: Change | null }>({ count: 0, last: null });
export const isLive = signal(false);

export function reread(): void {
  changes.value = { ...changes.value, count: changes.value.count + 1 };
}

const RECONNECT_AFTER = 2_000;

// Browsers allow six connections to a server for all tabs together, so a hidden tab does not follow the stream. Among several tabs with the
// same memory and key, one follows the stream and informs the others.
const isVisible = signal(document.visibilityState === 'visible');
document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible';
});
let hasFollowed = false;

/** Messages between tabs: a change, the notice that a tab follows the stream, or the question whether any tab does. */
type Told = { change: Change } | 'following' | 'who follows?';

effect(() => {
  const current = me.value;
  const { agent, user } = scope.value;
  if (current === null || !isVisible.value) return undefined;
  const over = new AbortController();
  const name = `varve ${current.key.id} ${JSON.stringify([agent, user])}`;
  const channel = new BroadcastChannel(name);
  let isLeader = false;
  channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
    if (data === 'who follows?') {
      if (isLeader && isLive.peek()) channel.postMessage('following' satisfies Told);
    } else if (data === 'following') heardAgain();
    else note(data.change);
  });
  const lead = (): Promise<void> => {
    isLeader = true;
    return stayConnected({ agent, user }, { signal: over.signal, tell: (told) => channel.postMessage(told) });
  };
  // The Web Locks API needs a secure context: a page over plain http from another machine follows the stream by itself.
  if (navigator.locks === undefined) void lead();
  else {
    channel.postMessage('who follows?' satisfies Told);
    navigator.locks.request(name, { signal: over.signal }, lead).catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
  }
  return () => {
    over.abort();
    channel.close();
    isLive.value = false;
  };
});

function note(change: Change): void {
  changes.value = { count: changes.value.count + 1, last: change };
}

/**
 * Called when a tab begins to follow the stream. The server does not resend changes from a time when no tab was connected, so after a
 * reconnect the data is read again.
 */
function heardAgain(): void {
  isLive.value = true;
  if (hasFollowed) reread();
  hasFollowed = true;
}

async function stayConnected(
  place: Scope,
  { signal, tell }: { signal: AbortSignal; tell(told: Told): void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(place, {
        signal,
        onOpen: () => {
          heardAgain();
          tell('following');
        },
        onChange: (data) => {
          note(data as Change);
          tell({ change: data as Change });
        },
      });
    } catch (error) {
      if (isAbort(error)) return;
    }
    isLive.value = false;
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
  }
}

// Short messages, with an undo action where possible.

export interface Toast {
  id: number;
  text: string;
  isError: boolean;
  undo: (() => Promise<void>) | null;
}

export const toasts = signal<Toast[]>([]);
let lastToast = 0;
const TOAST_STAYS = 9_000;

export function say(text: string, { isError = false, undo = null }: Partial<Toast> = {}): void {
  const toast = { id: (lastToast += 1), text, isError, undo };
  toasts.value = [...toasts.value.slice(-3), toast];
  setTimeout(() => dismiss(toast.id), TOAST_STAYS);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Runs an action and reports its result. */
export async function act(
  text: string,
  work: () => Promise<unknown>,
  undo: (() => Promise<unknown>) | null = null,
): Promise<boolean> {
  try {
    await work();
    say(text, { undo: undo === null ? null : async () => void (await undo()) });
    reread();
    return true;
  } catch (error) {
    say(messageOf(error), { isError: true });
    return false;
  }
}
