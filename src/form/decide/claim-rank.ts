import type { SourceType } from '../../record/memory.ts';
import { type Trust, TRUST_LEVELS } from '../../record/statement.ts';

export interface Claim {
  sourceType: SourceType;
  trust: Trust;
  statedAt: Date;
  validFrom: Date | null;
  /** For a stored memory, this contains the other occasions on which its statement was made. */
  internal?: Record<string, unknown>;
}

type Rank = Pick<Claim, 'sourceType' | 'trust'>;

/** The scaffold's notes store these numbers, so another scale needs a migration. There, a correction has the rank 3. */
export const SOURCE_RANK: Readonly<Record<SourceType, number>> = {
  explicit: 4,
  conversation: 2,
  import: 2,
  inference: 1,
  consolidation: 1,
};

/** Trust decides before the source. Negative if `known` outranks `next`. */
export function compareRank(next: Rank, known: Rank): number {
  return (
    TRUST_LEVELS.indexOf(next.trust) - TRUST_LEVELS.indexOf(known.trust) ||
    SOURCE_RANK[next.sourceType] - SOURCE_RANK[known.sourceType]
  );
}

/** Trust decides first, then rank, then time. */
export function wins(next: Claim, known: Claim): boolean {
  return (compareRank(next, known) || timeOf(next) - timeOf(known)) >= 0;
}

/** Like `wins`, but by the time of stating, not by the days from which the statements are true. */
export function maySupersede(next: Claim, known: Claim): boolean {
  return (compareRank(next, known) || next.statedAt.getTime() - known.statedAt.getTime()) >= 0;
}

/** A plan that has taken effect counts from its day. */
export function timeOf({ statedAt, validFrom }: Claim): number {
  return Math.max(statedAt.getTime(), validFrom?.getTime() ?? Number.NEGATIVE_INFINITY);
}

export interface MadeClaim extends Rank {
  at: number;
}

const OTHER = 'otherClaims';
/** Without a limit, the list would grow for ever if a statement is repeated every day. */
const MOST_CLAIMS = 16;

/** Strongest first. */
export function claimsOf(claim: Claim): MadeClaim[] {
  const { sourceType, trust, internal } = claim;
  return [{ sourceType, trust, at: timeOf(claim) }, ...((internal?.[OTHER] ?? []) as MadeClaim[])];
}

/**
 * The claim that supports a repeated statement from now on. Rank and time come from the same claim, because a mixture would be a claim that
 * nobody made. The other claims are kept: if the strongest one ends, a later, weaker claim still supports the statement, and an earlier one
 * still excludes statements that were made between the two.
 */
export function strongerClaim(next: Claim, known: Claim): Rank & Pick<Claim, 'statedAt' | 'internal'> {
  const { sourceType, trust, statedAt } = wins(next, known) ? next : known;
  const [strongest, ...others] = [...claimsOf(next), ...claimsOf(known)]
    .toSorted((one, other) => compareRank(other, one) || other.at - one.at)
    .slice(0, MOST_CLAIMS);
  const kept = others.filter(({ at }) => at !== strongest?.at);
  return {
    sourceType,
    trust,
    statedAt,
    ...(kept.length > 0 ? { internal: { ...known.internal, [OTHER]: kept } } : {}),
  };
}
