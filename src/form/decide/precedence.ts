import type { SourceType } from '../../record/memory.ts';
import { type Trust, TRUST_LEVELS } from '../../record/statement.ts';

/** What decides between two statements that cannot both hold. */
export interface Claim {
  sourceType: SourceType;
  trust: Trust;
  statedAt: Date;
  validFrom: Date | null;
  /** Of a memory: its claims that are weaker and later. */
  internal?: Record<string, unknown>;
}

type Rank = Pick<Claim, 'sourceType' | 'trust'>;

const RANK: Record<SourceType, number> = { explicit: 3, conversation: 2, import: 2, inference: 1, consolidation: 1 };

/** Explicit statement › inference from chat › autonomous inference. */
function rankOf(sourceType: SourceType): number {
  return RANK[sourceType];
}

/** Orders two claims by trust, because less trust never wins, and then by rank: negative when `known` outranks `next`. */
export function compareRank(next: Rank, known: Rank): number {
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

/** One time that a statement was made. */
export interface MadeClaim extends Rank {
  at: number;
}

const LATER = 'laterClaims';

/** The times that a statement was made: the strongest, and those that are weaker and later. */
export function claimsOf(claim: Claim): MadeClaim[] {
  const { sourceType, trust, internal } = claim;
  return [{ sourceType, trust, at: timeOf(claim) }, ...((internal?.[LATER] ?? []) as MadeClaim[])];
}

/**
 * What a statement that is said again rests on: the claim of higher rank with its own time, and of two equals the later one. The rank of
 * one and the time of the other would make a claim that nobody made. Weaker claims that came later are kept beside it: the statement holds
 * by them when the strongest claim turns out to have ended before they were made.
 */
export function strongerClaim(next: Claim, known: Claim): Rank & Pick<Claim, 'statedAt' | 'internal'> {
  const { sourceType, trust, statedAt } = wins(next, known) ? next : known;
  let latest = Number.NEGATIVE_INFINITY;
  const later = [...claimsOf(next), ...claimsOf(known)]
    .toSorted((one, other) => compareRank(other, one) || other.at - one.at)
    .filter(({ at }) => at > latest && Number.isFinite((latest = at)))
    .slice(1);
  const isKept = later.length > 0 || known.internal?.[LATER] !== undefined;
  return { sourceType, trust, statedAt, ...(isKept ? { internal: { ...known.internal, [LATER]: later } } : {}) };
}
