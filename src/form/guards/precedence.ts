import type { Memory, SourceType } from '../../record/memory.ts';
import { TRUST_LEVELS, type Trust } from '../../record/trust.ts';

/** What decides between two statements that contradict each other. */
export interface Claim {
  sourceType: SourceType;
  trust: Trust;
  /** Whether somebody was corrected by it: that ranks above inferences. */
  correction: boolean;
  statedAt: Date;
}

const RANK: Record<SourceType, number> = { explicit: 4, conversation: 2, import: 2, inference: 1, consolidation: 1 };
const CORRECTION_RANK = 3;

/** Explicit statement › correction › inference from chat › autonomous inference. */
export function rankOf({ sourceType, correction }: Pick<Claim, 'sourceType' | 'correction'>): number {
  return correction ? Math.max(RANK[sourceType], CORRECTION_RANK) : RANK[sourceType];
}

/** Whether a new statement wins over a known one: the higher rank, and among equals the newer. Less trust never wins. */
export function wins(next: Claim, known: Claim): boolean {
  if (TRUST_LEVELS.indexOf(next.trust) < TRUST_LEVELS.indexOf(known.trust)) return false;
  const difference = rankOf(next) - rankOf(known);
  return difference === 0 ? next.statedAt >= known.statedAt : difference > 0;
}

/** A stored memory as a claim. */
export function claimOf(memory: Pick<Memory, 'sourceType' | 'trust' | 'metadata' | 'createdAt'>): Claim {
  const { statedAt: stated, statedAs } = memory.metadata;
  const isKnown = typeof statedAs === 'string' && Object.hasOwn(RANK, statedAs);
  return {
    // An update by a higher rank lifts the memory: its own source type is where it first came from.
    sourceType: isKnown ? (statedAs as SourceType) : memory.sourceType,
    trust: memory.trust,
    correction: memory.metadata['correction'] === true,
    statedAt: typeof stated === 'string' ? new Date(stated) : memory.createdAt,
  };
}
