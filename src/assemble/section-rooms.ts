import type { Budget } from './layout.ts';
import type { SectionName } from './section.ts';

/** The room that sections have. */
export interface SectionRooms {
  of(section: SectionName, wanted: number): number;
  /** Takes tokens out of what sections share. */
  take(section: SectionName, tokens: number): void;
}

/** The room that each section has: its own budget, or what others have left of a shared one. */
export function createRooms({ budget, reserve }: { budget: Budget; reserve?: number }): SectionRooms {
  const left = (budget.shared ?? []).map(({ tokens }) => tokens);
  const sharedBy = (section: SectionName): number =>
    (budget.shared ?? []).findIndex(({ sections }) => sections.includes(section));
  // More must stay free than was planned for: the memories make room for it.
  const excess = Math.max((reserve ?? 0) - (budget.reserve ?? reserve ?? 0), 0);
  return {
    of(section, wanted) {
      const own = budget.sections?.[section] ?? Infinity;
      const place = sharedBy(section);
      const shared = place === -1 ? Infinity : (left[place] ?? 0);
      return Math.min(own, shared, section === 'recall' && excess > 0 ? wanted - excess : Infinity);
    },
    take(section, tokens) {
      const place = sharedBy(section);
      if (place !== -1) left[place] = Math.max((left[place] ?? 0) - tokens, 0);
    },
  };
}
