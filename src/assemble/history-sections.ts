import { digestTurns, type DigestedHistory } from './digest-turns.ts';
import type { GatherRequest, GatherTurn } from './gather-request.ts';
import { turnItem } from './items.ts';
import { loadHistory, type History } from './load-history.ts';

const NO_HISTORY: History = { turns: [], mode: 'chronological' };
// The share of the total that past turns may take where they have no budget of their own.
const SHARE_OF_HISTORY = 0.25;
const DEFAULT_TOTAL = 8000;

/** Past turns, as the options ask for them. */
export async function pastTurns(
  { deps, scope, options, on }: GatherRequest,
  { message, attempt, failed }: GatherTurn,
): Promise<History> {
  if (!on.has('history')) return NO_HISTORY;
  const how = options.history === false ? {} : (options.history ?? {});
  const mode = options.sections?.lookups === false ? 'chronological' : how.mode;
  const past = await attempt('history', () => loadHistory(deps, { ...how, mode, scope, message }), NO_HISTORY);
  if (past.failed !== undefined) failed.push({ section: 'semanticHistory', error: past.failed });
  return past;
}

/** Past turns as items: verbatim, or the older ones in short where the layout has a place for that. */
export async function historyItems(
  { options, budget, counter, on }: GatherRequest,
  { turns }: History,
  { attempt }: GatherTurn,
): Promise<DigestedHistory> {
  const items = turns.map((turn, index) => turnItem(turn, index));
  const drops = options.history !== false && options.history?.older === 'drop';
  if (drops || !on.has('earlier')) return { verbatim: items, earlier: [] };
  const room = budget.sections?.history ?? Math.floor((budget.total ?? DEFAULT_TOTAL) * SHARE_OF_HISTORY);
  const { summarise } = options;
  const bySummary =
    summarise === undefined
      ? null
      : await attempt('earlier', () => digestTurns(items, { budget: room, counter, summarise }), null);
  return bySummary ?? digestTurns(items, { budget: room, counter });
}
