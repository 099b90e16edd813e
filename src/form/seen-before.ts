import type { Event } from '../record/event.ts';
import { contentHash } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { isSaidByKeys } from './keyed-alone.ts';
import { formedBefore } from './known-memories.ts';
import type { Proposal } from './proposal.ts';

/**
 * Tells which statements were formed from these events before: by their words, or by the keys that say all of them. What
 * was retired since must not come back when its events are read again.
 */
export async function seenBefore(
  reader: Reader,
  scope: Scope,
  events: readonly Event[],
): Promise<(proposal: Proposal) => boolean> {
  const formed = await formedBefore(reader, scope, events);
  const hashes = new Set(formed.map(({ content }) => contentHash(content)));
  const keys = new Set(formed.flatMap(({ key, value }) => (key === null ? [] : `${key} ${value ?? ''}`)));
  return (proposal) =>
    hashes.has(contentHash(proposal.content)) ||
    (isSaidByKeys(proposal) &&
      [proposal.keyed, ...(proposal.moreKeyed ?? [])].every(
        (fact) => fact === null || keys.has(`${fact.key} ${fact.value}`),
      ));
}
