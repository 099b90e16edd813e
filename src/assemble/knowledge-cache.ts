import { MINUTE } from '../record/clock.ts';
import { visibleOwners } from '../record/scope.ts';
import { knowledgeStamp } from '../store/context-rows.ts';
import type { Reader } from '../store/database.ts';
import { ownerStates } from '../store/recall-rows.ts';
import { loadKnowledge, NOTHING_KNOWN, type Knowledge, type KnowledgeRequest } from './knowledge.ts';

/** Knowledge is read anew after this long, whatever happened. */
export const STALE_AFTER: number = 5 * MINUTE;

/** What the sessions of this process know. */
export interface KnowledgeCache {
  /** The knowledge of a session, brought up to date with what any process has committed. */
  open(reader: Reader, request: KnowledgeRequest, refresh: boolean): Promise<OpenedKnowledge>;
  /** What was last known, however old: for when the store is down. */
  last(request: KnowledgeRequest): Knowledge | null;
}

export interface OpenedKnowledge {
  knowledge: Knowledge;
  /** True when it was read, and so counts as an access. */
  loaded: boolean;
}

interface Kept {
  knowledge: Knowledge;
  /** The versions of the owners at the last look: as long as they stand, nothing at all has happened. */
  owners: string;
}

const MOST_SESSIONS = 1000;

/** Makes an empty cache for up to 1,000 sessions; those unused for longest go first. */
export function createKnowledgeCache(staleAfter: number = STALE_AFTER): KnowledgeCache {
  const cache = new Map<string, Kept>();
  const keep = (key: string, kept: Kept): void => {
    cache.delete(key);
    cache.set(key, kept);
    if (cache.size > MOST_SESSIONS) cache.delete(cache.keys().next().value as string);
  };
  return {
    async open(reader, request, refresh) {
      const key = keyOf(request);
      const { scope, now } = request;
      const kept = cache.get(key);
      const states = await ownerStates(reader, scope.tenant, visibleOwners(scope));
      const owners = JSON.stringify(states);
      const isFresh = kept !== undefined && !refresh && now - kept.knowledge.loadedAt < staleAfter;
      if (isFresh && kept.owners === owners) {
        keep(key, kept);
        return { knowledge: kept.knowledge, loaded: false };
      }
      // Before the rest: what changes while we read is then read again.
      const incarnations = JSON.stringify(states.map(({ owner, incarnation }) => [owner, incarnation]));
      const stamp = await knowledgeStamp(reader, scope);
      // A turn that was observed changes its owner, and changes nothing that is known.
      if (isFresh && kept.knowledge.stamp === stamp && kept.knowledge.incarnations === incarnations) {
        keep(key, { ...kept, owners });
        return { knowledge: kept.knowledge, loaded: false };
      }
      const before = kept?.knowledge ?? NOTHING_KNOWN;
      const knowledge = await loadKnowledge(reader, request, { stamp, incarnations }, before);
      keep(key, { knowledge: kept === undefined ? knowledge : steady(knowledge, kept.knowledge), owners });
      return { knowledge: (cache.get(key) as Kept).knowledge, loaded: true };
    },
    last: (request) => cache.get(keyOf(request))?.knowledge ?? null,
  };
}

/**
 * Reading counts, and counts decide between memories that matter alike. As long as no memory has changed, the same
 * ones are given in the same order, so that the prompt stays what it was.
 */
function steady(next: Knowledge, before: Knowledge): Knowledge {
  if (next.stamp !== before.stamp || next.incarnations !== before.incarnations) return next;
  const live = before.memories.filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > next.loadedAt);
  return live.length === before.memories.length ? { ...next, memories: before.memories } : next;
}

function keyOf({ scope, connections, topMemories }: KnowledgeRequest): string {
  return JSON.stringify([scope, connections, topMemories]);
}
