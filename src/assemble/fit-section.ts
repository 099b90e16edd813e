import type { Budget, OverflowRule } from './layout.ts';
import type { Item, SectionName } from './section.ts';

/** What of a section fits into its budget. */
export interface FittedSection {
  items: Item[];
  tokens: number;
  dropped: { id: string | null; reason: string }[];
  cut: boolean;
}

export interface Fitting {
  items: readonly Item[];
  rule: OverflowRule;
  budget: number;
  /** Why there is no more room. */
  reason: string;
  /** The tokens that items take, written as they will be. */
  measure(items: readonly Item[]): number;
}

const CUT = '[...cut to fit]';

/** Takes as much of a section as its budget allows, by its rule. Never more, except of what is to be kept. */
export function fitSection(fitting: Fitting): FittedSection {
  const { items, rule, budget, measure } = fitting;
  const tokens = measure(items);
  if (tokens <= budget || rule === 'keep') return { items: [...items], tokens, dropped: [], cut: false };
  return rule === 'cut' ? cutToFit(fitting) : dropToFit(fitting);
}

function dropToFit({ items, rule, budget, reason, measure }: Fitting): FittedSection {
  const order = items.map((item, index) => ({ item, index }));
  order.sort((one, other) => worth(other, rule) - worth(one, rule) || one.index - other.index);
  const best = (count: number): Item[] => {
    const chosen = new Set(order.slice(0, count).map(({ index }) => index));
    return items.filter((_item, index) => chosen.has(index));
  };
  // More items never take fewer tokens, as near as makes no difference; the loop below makes sure.
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(best(middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  while (low > 0 && measure(best(low)) > budget) low -= 1;
  const chosen = new Set(order.slice(0, low).map(({ index }) => index));
  const kept = (): Item[] => items.filter((_item, index) => chosen.has(index));
  // The first that has no room may be a long one: shorter ones after it may still have room.
  for (const { index } of rule === 'drop-lowest' ? order.slice(low + 1, low + 1 + MOST_TRIES) : []) {
    chosen.add(index);
    if (measure(kept()) > budget) chosen.delete(index);
  }
  const dropped = order.filter(({ index }) => !chosen.has(index)).map(({ item }) => ({ id: item.id, reason }));
  return { items: kept(), tokens: measure(kept()), dropped, cut: false };
}

const MOST_TRIES = 8;

function worth({ item, index }: { item: Item; index: number }, rule: OverflowRule): number {
  return rule === 'drop-oldest' && item.score !== Infinity ? index : item.score;
}

function cutToFit({ items, budget, reason, measure }: Fitting): FittedSection {
  const kept: Item[] = [];
  for (const [index, item] of items.entries()) {
    if (measure([...kept, item]) <= budget) {
      kept.push(item);
      continue;
    }
    const shortened = cutItem(item, (text) => measure([...kept, { ...item, text }]) <= budget);
    if (shortened !== null) kept.push(shortened);
    const dropped = items.slice(shortened === null ? index : index + 1).map(({ id }) => ({ id, reason }));
    return { items: kept, tokens: measure(kept), dropped, cut: shortened !== null };
  }
  return { items: kept, tokens: measure(kept), dropped: [], cut: false };
}

// Less than this says nothing.
const SHORTEST = 40;

function cutItem(item: Item, fits: (text: string) => boolean): Item | null {
  let low = 0;
  let high = item.text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cutText(item.text, middle, CUT))) low = middle;
    else high = middle - 1;
  }
  const text = cutText(item.text, low, CUT);
  return low < SHORTEST || !fits(text) ? null : { ...item, text };
}

/** The beginning of a text and a notice that it goes on. Half a character is left off. */
export function cutText(text: string, characters: number, notice: string): string {
  if (text.length <= characters) return text;
  const end = /[\uD800-\uDBFF]/.test(text[characters - 1] ?? '') ? characters - 1 : characters;
  return `${text.slice(0, end).trimEnd()}\n${notice}`;
}

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
