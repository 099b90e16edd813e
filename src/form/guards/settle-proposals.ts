import { contentHash } from '../../record/memory.ts';
import type { Proposal, Rejection } from '../proposal.ts';
import { isSingleValued } from '../slot.ts';

/** What passed the guards and what did not. */
export interface Guarded {
  accepted: Proposal[];
  rejected: Rejection[];
}

/** Within one formation: doubles are one, and of two values of one slot the one said last holds. */
export function settleProposals(accepted: readonly Proposal[], rejected: Rejection[]): Guarded {
  const kept: Proposal[] = [];
  for (const proposal of accepted) {
    const earlier = kept.findIndex((other) => isSameStatement(other, proposal));
    if (earlier === -1) {
      kept.push(proposal);
      continue;
    }
    const [before] = kept.splice(earlier, 1) as [Proposal];
    kept.push(before.content === proposal.content ? before : proposal);
    rejected.push({ what: 'memory', reason: 'double', content: before.content });
  }
  return { accepted: kept, rejected };
}

function isSameStatement(one: Proposal, other: Proposal): boolean {
  if (one.type === 'episode' || other.type === 'episode')
    return one.type === other.type && one.content === other.content;
  if (contentHash(one.content) === contentHash(other.content)) return true;
  return (
    (isSingleValued(one.slot.attribute) || other.correction === true) &&
    one.slot.attribute !== null &&
    one.slot.attribute === other.slot.attribute &&
    one.slot.subject.toLowerCase() === other.slot.subject.toLowerCase()
  );
}
