import { isMemoryAnswer, MEMORY_ANSWER } from '../record/memory-answers.ts';
import { type Scope, staysInSession, visibleOwners } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import {
  type EventForRecall,
  eventsForRecall,
  memoriesAsOf,
  memoriesForRecall,
  type MemoryForRecall,
} from '../store/load-records.ts';
import { type OwnerState, ownerStates } from '../store/owner-store.ts';
import type { RecallDocument } from './document-profile.ts';
import { RecallView } from './recall-view.ts';

/** The views of this process: one for each set of owners that a handle sees. */
export interface ViewCache {
  /** The view of a handle, updated with everything that any process has committed. */
  open(reader: Reader, scope: Scope): Promise<RecallView>;
}

interface CachedView {
  view: RecallView;
  owners: Map<string, LoadedOwner>;
}

interface LoadedOwner {
  version: number;
  incarnation: string;
}

const DEFAULT_BYTES = 128 * 1024 * 1024;

/** A cache of views of up to `bytes` in total, which evicts the least recently used ones. */
export function createViewCache({ bytes = DEFAULT_BYTES, isRecalled }: ViewCacheOptions): ViewCache {
  const cache = new Map<string, CachedView>();
  return {
    async open(reader, scope) {
      const owners = visibleOwners(scope);
      const key = owners.join(' ');
      const states = await ownerStates(reader, scope.tenant, owners);
      let cached = cache.get(key);
      if (cached === undefined || isOutdated(cached, states)) {
        cached = { view: new RecallView(), owners: new Map() };
      }
      for (const state of states) await refresh(reader, scope.tenant, state, cached, isRecalled);
      cache.delete(key);
      cache.set(key, cached);
      shrink(cache, bytes);
      return cached.view;
    },
  };
}

interface ViewCacheOptions {
  bytes?: number;
  /** Whether memories of a type are ever recalled. */
  isRecalled(type: string): boolean;
}

/** A view is rebuilt after an erasure, and when so many documents were replaced that rebuilding is cheaper. */
function isOutdated({ view, owners }: CachedView, states: readonly OwnerState[]): boolean {
  if (view.withdrawn > 200 && view.withdrawn > view.documents.length / 3) return true;
  for (const [owner, loaded] of owners) {
    const state = states.find((candidate) => candidate.owner === owner);
    if (state === undefined || state.incarnation !== loaded.incarnation || state.version < loaded.version) return true;
  }
  return false;
}

async function refresh(
  reader: Reader,
  tenant: string,
  { owner, version, incarnation }: OwnerState,
  { view, owners }: CachedView,
  isRecalled: (type: string) => boolean,
): Promise<void> {
  const loaded = owners.get(owner) ?? { version: -1, incarnation };
  if (loaded.version === version) return;
  // Events are added first, so that a memory can be linked to the turns that it was formed from.
  const documentOf = eventDocuments(owner);
  for (const event of await eventsForRecall(reader, tenant, owner, loaded.version)) {
    // An event that was written between the two reads of the last update is in the view already.
    if (!isOwnAnswer(event) && view.ordinalOf('event', event.rowId) === undefined) {
      view.add(documentOf(event));
    }
  }
  for (const memory of await memoriesForRecall(reader, tenant, owner, loaded.version)) {
    if (isRecalled(memory.type)) addMemory(view, memory);
  }
  owners.set(owner, { ...loaded, version });
}

/** The view of a handle as of a past time, built for one recall. A memory that has changed since is matched by its earlier text. */
export async function pastView(
  reader: Reader,
  scope: Scope,
  time: Date,
  isRecalled: (type: string) => boolean,
): Promise<RecallView> {
  const view = new RecallView();
  for (const owner of visibleOwners(scope)) {
    const documentOf = eventDocuments(owner);
    for (const event of await eventsForRecall(reader, scope.tenant, owner, -1)) {
      if (event.recordedAt <= time.getTime() && !isOwnAnswer(event)) view.add(documentOf(event));
    }
    for (const memory of await memoriesAsOf(reader, scope.tenant, owner, time)) {
      if (isRecalled(memory.type)) view.add(memoryDocument(memory));
    }
  }
  return view;
}

function addMemory(view: RecallView, memory: MemoryForRecall): void {
  const known = view.ordinalOf('memory', memory.rowId);
  const document = memoryDocument(memory);
  const isGone = memory.isArchived && memory.successor === null;
  if (known !== undefined && isGone) view.withdraw(known);
  if (isGone) return;
  const before = known === undefined ? undefined : view.documents[known];
  const isSame =
    before !== undefined &&
    before.text === document.text &&
    before.isPermanent === document.isPermanent &&
    before.successor === document.successor &&
    before.time === document.time &&
    before.until === document.until &&
    before.expiresAt === document.expiresAt &&
    view.live[known as number] === 1;
  if (!isSame) view.add(document);
}

/** Whether an event is an earlier answer of Varve, which recall must not find again. Old logs contain such answers. */
function isOwnAnswer({ kind, content }: EventForRecall): boolean {
  return content === MEMORY_ANSWER || (kind === 'tool_result' && isMemoryAnswer(content));
}

function memoryDocument(memory: MemoryForRecall): RecallDocument {
  return {
    kind: 'memory',
    rowId: memory.rowId,
    id: memory.id,
    text: memory.title === null ? memory.content : `${memory.title}. ${memory.content}`,
    type: memory.type,
    attribute: memory.attribute,
    value: memory.value,
    category: memory.category,
    isPermanent: memory.isPermanent,
    speaker: null,
    role: null,
    session: memory.session === '' ? null : memory.session,
    connection: memory.connection === '' ? null : memory.connection,
    sources: memory.sources,
    time: memory.time,
    until: memory.until,
    expiresAt: memory.expiresAt,
    successor: memory.isArchived ? memory.successor : null,
  };
}

/** Converts an owner's events to documents. The turns of a session share one string for its name, so that it is hashed only once. */
function eventDocuments(owner: string): (event: EventForRecall) => RecallDocument {
  const names = new Map<string, string>();
  return (event) => {
    const { session } = event;
    if (session === null) return eventDocument(event, null);
    const name = names.get(session) ?? `${owner} ${session}`;
    names.set(session, name);
    return eventDocument(event, name);
  };
}

function eventDocument(event: EventForRecall, session: string | null): RecallDocument {
  const isSpoken = event.origin === 'user' || event.origin === 'agent';
  return {
    kind: 'event',
    rowId: event.rowId,
    id: event.id,
    text: event.content,
    type: event.kind,
    attribute: null,
    category: null,
    isPermanent: false,
    // Without named speakers the user and the agent are still two speakers, under names that no query can contain.
    speaker: event.speaker ?? (isSpoken ? `\u0001${event.origin}` : null),
    role: event.speaker !== null && event.origin === 'user' ? null : event.origin,
    session,
    staysInSession: staysInSession(event),
    connection: event.connection,
    sources: [],
    time: event.occurredAt,
    until: null,
    expiresAt: null,
    successor: null,
  };
}

function shrink(cache: Map<string, CachedView>, limit: number): void {
  let size = 0;
  for (const { view } of cache.values()) size += view.bytes;
  for (const [key, { view }] of cache) {
    if (size <= limit || cache.size === 1) return;
    cache.delete(key);
    size -= view.bytes;
  }
}
