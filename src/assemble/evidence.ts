import { redactSensitive } from '../language/privacy-policy.ts';
import type { RecallResult } from '../recall/recall-options.ts';
import type { RecallDeps } from '../recall/recall.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import { isoDay, plannedFor } from '../record/standing.ts';
import type { Quote } from '../record/statement.ts';
import { retiredQuotes } from '../store/context-rows.ts';
import { findEvents } from '../store/event-store.ts';
import { oneLine } from './escape.ts';
import { memoryItem, recalledTurn } from './items.ts';
import { applicationItem, type Item } from './section.ts';

/** What stands behind recalled results. */
export interface Behind {
  /** The turns that recalled statements were read from. */
  turns: ReadonlyMap<string, Event>;
  /** The words of recalled turns that are no longer so. */
  retired: readonly Quote[];
}

/** Reads what stands behind results: the turns of statements that are pieces of them, and what of all turns no longer holds. */
export async function readBehind(
  { database, privacy }: RecallDeps,
  scope: Scope,
  results: readonly RecallResult[],
): Promise<Behind> {
  const pieces = results.flatMap(({ memory }) => (memory !== null && isPiece(memory) ? memory.sourceEvents : []));
  const recalled = results.flatMap(({ event }) => event?.id ?? []);
  return database.read(scope.tenant, async (reader) => {
    const found = await findEvents(reader, scope, [...new Set(pieces)]);
    const turns = new Map(found.map((turn) => [turn.id, { ...turn, content: redactSensitive(turn.content, privacy) }]));
    return { turns, retired: await retiredQuotes(reader, scope, [...new Set([...pieces, ...recalled])]) };
  });
}

export interface EvidenceOrder {
  order?: 'relevance' | 'time';
  /** Whether what no longer holds is asked for: then it is shown, marked, and otherwise left out. */
  isAboutPast: boolean;
}

/**
 * Recalled results as items, each turn and each statement once. A statement in the user's own words is a piece of its turn and is told
 * by the turn. What comes from tools and documents stands last: it never comes before what people say about themselves.
 */
export function evidenceItems(
  results: readonly RecallResult[],
  { turns, retired }: Behind,
  { order = 'relevance', isAboutPast }: EvidenceOrder,
): Item[] {
  const items = new Map<string, Item>();
  for (const result of results) {
    const turn = result.kind === 'event' ? result.event : turnOf(result.memory, turns);
    const key = turn?.id ?? result.id;
    const item = items.get(key) ?? itemOf(result, turn);
    items.set(key, result.kind === 'memory' && turn !== null ? withStatement(item, result.memory) : item);
  }
  const place = ({ date, score }: Item): number => (order === 'time' ? (date?.getTime() ?? 0) : -score);
  return [...items.values()]
    .flatMap((item) => withStanding(item, retired, isAboutPast))
    .sort((one, other) => Number(one.trust === 'low') - Number(other.trust === 'low') || place(one) - place(other));
}

function itemOf(result: RecallResult, turn: Event | null): Item {
  if (turn === null) return memoryItem(result.memory as Memory, result.score);
  return recalledTurn(turn, { text: result.kind === 'event' ? result.text : turn.content, score: result.score });
}

/** Whether a statement is a piece of what was said, and nobody has put it into a sentence that stands alone. */
function isPiece({ reader, attribute, sourceEvents }: Memory): boolean {
  return reader === 'local' && attribute === null && sourceEvents.length === 1;
}

// Of a longer turn its statement is shown alone.
const SHORT_TURN = 400;

/** The turn that tells a statement. */
function turnOf(memory: Memory, turns: Behind['turns']): Event | null {
  const turn = isPiece(memory) ? turns.get(memory.sourceEvents[0] ?? '') : undefined;
  return turn !== undefined && turn.origin === 'user' && turn.content.length <= SHORT_TURN ? turn : null;
}

/** A turn that tells a statement: with the day that the statement means, where the words of the turn leave it open. */
function withStatement(item: Item, memory: Memory): Item {
  const day = plannedFor(memory) ?? (memory.tense === 'happened' ? memory.validFrom : null);
  const isOpen = day !== null && (item.date === undefined || isoDay(day) !== isoDay(item.date));
  const mark = isOpen ? ` (${memory.tense === 'planned' ? 'planned for ' : ''}${isoDay(day)})` : '';
  return {
    ...item,
    text: item.text.endsWith(mark) ? item.text : item.text + mark,
    statements: [...(item.statements ?? []), memory.id],
  };
}

/** A turn as it stands today: marked where something of it has changed, and left out where most of it has and nobody asks for the past. */
function withStanding(item: Item, retired: readonly Quote[], isAboutPast: boolean): Item[] {
  const quotes = item.kind === 'event' ? retired.filter(({ event }) => event === item.id) : [];
  if (quotes.length === 0) return [item];
  const gone = quotes.reduce((sum, { start, end }) => sum + end - start, 0);
  if (gone * 2 >= item.text.length && !isAboutPast) return [];
  return [{ ...item, text: `${item.text} (changed later)` }];
}

/** Whether a message asks for anything: only then can the answer be unknown. */
export function isQuestion(message: string): boolean {
  return /[?？؟]/u.test(message);
}

const LONGEST_QUESTION = 200;

/** What is asked and not known: the layout says so. */
export function unknownItem(message: string): Item {
  const question = oneLine(message);
  return applicationItem(
    question.length <= LONGEST_QUESTION ? question : `${question.slice(0, LONGEST_QUESTION).trimEnd()}…`.toWellFormed(),
  );
}
