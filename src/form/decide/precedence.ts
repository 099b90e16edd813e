import type { SourceType } from '../../record/memory.ts';
import { type Trust, TRUST_LEVELS } from '../../record/statement.ts';

/** What decides between two statements that cannot both hold. */
export interface Claim {
  sourceType: SourceType;
  trust: Trust;
  statedAt: Date;
  validFrom: Date | null;
}

const RANK: Record<SourceType, number> = { explicit: 3, conversation: 2, import: 2, inference: 1, consolidation: 1 };

/** Explicit statement › inference from chat › autonomous inference. */
function rankOf(sourceType: SourceType): number {
  return RANK[sourceType];
}

/** Orders two claims by trust, because less trust never wins, and then by rank: negative when `known` outranks `next`. */
export function compareRank(next: Claim, known: Claim): number {
  return (
    TRUST_LEVELS.indexOf(next.trust) - TRUST_LEVELS.indexOf(known.trust) ||
    rankOf(next.sourceType) - rankOf(known.sourceType)
  );
}

/** Whether a new statement may take the place of a known one: trust, then rank, and among equals the later one. */
export function wins(next: Claim, known: Claim): boolean {
  return (compareRank(next, known) || timeOf(next) - timeOf(known)) >= 0;
}

/** Whether what somebody says later may change what is known, whatever the days that the two speak of. */
export function maySupersede(next: Claim, known: Claim): boolean {
  return (compareRank(next, known) || next.statedAt.getTime() - known.statedAt.getTime()) >= 0;
}

/** When a claim was made; a plan that has taken effect counts from its day. */
export function timeOf({ statedAt, validFrom }: Claim): number {
  return Math.max(statedAt.getTime(), validFrom?.getTime() ?? Number.NEGATIVE_INFINITY);
}

/**
 * What a statement that is said again rests on: the claim of higher rank with its own time, and of two equals the later one. The rank
 * of one and the time of the other would make a claim that nobody made.
 */
export function strongerClaim(next: Claim, known: Claim): Pick<Claim, 'sourceType' | 'trust' | 'statedAt'> {
  const { sourceType, trust, statedAt } = wins(next, known) ? next : known;
  return { sourceType, trust, statedAt };
}
