import type { TokenCounter } from '../language/token-count.ts';
import type { ContextHooks } from './context-options.ts';
import { fitSection } from './fit-section.ts';
import { defuseImages, oneLine } from './safe-text.ts';
import type { Item } from './section.ts';

/** Turns that stay as they are, and those before them in short. */
export interface DigestedHistory {
  verbatim: Item[];
  earlier: Item[];
}

/** So many turns stay verbatim, whatever they take. */
const ALWAYS_VERBATIM = 4;
// The share of the history's budget that older turns may take in short.
const SHARE_OF_EARLIER = 0.2;
const LONGEST_DIGEST = 160;
const SHORTEST_DIGEST = 24;
const LABEL = 8;
// Tokens for the lines around the section.
const HEADING = 10;

/** When the turns are over their budget: the last ones verbatim, older ones summarised (L12). */
export async function digestTurns(
  turns: readonly Item[],
  { budget, counter, summarise }: { budget: number; counter: TokenCounter } & Pick<ContextHooks, 'summarise'>,
): Promise<DigestedHistory> {
  const tokens = turns.map(({ text }) => counter.count(text));
  if (tokens.reduce((sum, count) => sum + count, 0) <= budget) return { verbatim: [...turns], earlier: [] };
  const room = budget * (1 - SHARE_OF_EARLIER);
  let first = turns.length;
  for (let used = 0; first > 0; first -= 1) {
    used += tokens[first - 1] ?? 0;
    if (used > room && turns.length - first >= ALWAYS_VERBATIM) break;
  }
  const verbatim = turns.slice(first);
  const used = tokens.slice(first).reduce((sum, count) => sum + count, 0);
  const left = Math.max(budget - used - HEADING, 0);
  return { verbatim, earlier: await inShort(turns.slice(0, first), { room: left, counter, summarise }) };
}

async function inShort(
  older: readonly Item[],
  { room, counter, summarise }: { room: number; counter: TokenCounter } & Pick<ContextHooks, 'summarise'>,
): Promise<Item[]> {
  if (older.length === 0 || room === 0) return [];
  if (summarise !== undefined) {
    const text = await summarise(older.map(({ label = 'user', text }) => ({ role: label, text })));
    const item: Item = { text, kind: 'event', id: null, trust: 'medium', score: 0 };
    return fitSection({ items: [item], rule: 'cut', budget: room, reason: '', measure: countOf(counter) }).items;
  }
  // About four characters a token: all of them a little, rather than a few of them in full.
  const longest = Math.min(Math.max(Math.floor((room * 4) / older.length) - LABEL, SHORTEST_DIGEST), LONGEST_DIGEST);
  const lines = older.map((turn) => ({
    ...turn,
    text: `${turn.label === 'agent' ? 'You' : 'User'}: ${beginning(turn.text, longest)}`,
  }));
  return fitSection({ items: lines, rule: 'drop-oldest', budget: room, reason: '', measure: countOf(counter) }).items;
}

function countOf(counter: TokenCounter): (items: readonly Item[]) => number {
  return (items) => counter.count(items.map(({ text }) => `- ${text}`).join('\n'));
}

/** The first sentence, or as much of it as says what it is about. */
function beginning(text: string, longest: number): string {
  const line = oneLine(defuseImages(text));
  const sentence = /^.{20,}?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  return sentence.length <= longest ? sentence : `${sentence.slice(0, longest).trimEnd()}…`.toWellFormed();
}
