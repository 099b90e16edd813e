import type { SourceType } from '../../record/memory.ts';
import { type Trust, TRUST_LEVELS } from '../../record/statement.ts';

/** What decides between two statements that cannot both hold. */
export interface Claim {
  sourceType: SourceType;
  trust: Trust;
  statedAt: Date;
  validFrom: Date | null;
  /** For a memory: the other claims of the same statement. */
  internal?: Record<string, unknown>;
}

type Rank = Pick<Claim, 'sourceType' | 'trust'>;

/** Explicit statement › inference from chat › autonomous inference. */
const RANK: Record<SourceType, number> = { explicit: 3, conversation: 2, import: 2, inference: 1, consolidation: 1 };

/** Orders two claims by trust, because less trust never wins, and then by rank: negative when `known` outranks `next`. */
export function compareRank(next: Rank, known: Rank): number {
  return (
    TRUST_LEVELS.indexOf(next.trust) - TRUST_LEVELS.indexOf(known.trust) ||
    RANK[next.sourceType] - RANK[known.sourceType]
  );
}

/** Whether a new statement may take the place of a known one: trust, then rank, and among equals the later one. */
export function wins(next: Claim, known: Claim): boolean {
  return (compareRank(next, known) || timeOf(next) - timeOf(known)) >= 0;
}

/** Whether a later statement may change a known one, regardless of the days that the two speak of. */
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

const OTHER = 'otherClaims';
/** Without a limit, the list of a statement that is repeated every day would grow for ever. */
const MOST_CLAIMS = 16;

/** The times that a statement was made, the strongest first. */
export function claimsOf(claim: Claim): MadeClaim[] {
  const { sourceType, trust, internal } = claim;
  return [{ sourceType, trust, at: timeOf(claim) }, ...((internal?.[OTHER] ?? []) as MadeClaim[])];
}

/**
 * The claim that a repeated statement rests on: the one of higher rank with its own time, or of two equals the later one. The rank of one
 * claim with the time of the other would be a claim that nobody made. The other claims are kept beside it: if the strongest claim ends, a
 * later and weaker one still holds the statement, and an earlier one excludes what was said between the two.
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
