import type { RecallResult } from '../recall/recall-options.ts';
import type { Event } from '../record/event.ts';
import { plannedFor, isoDay } from '../record/standing.ts';
import type { Memory } from '../record/memory.ts';
import { memoryItem, recalledTurn } from './items.ts';
import { oneLine } from './escape.ts';
import { applicationItem, type Item } from './section.ts';

/**
 * Recalled results as items, each turn and each statement once. A statement in the user's own words is a piece of its turn and is told
 * by the turn, where `results` bring it along. What comes from tools and documents stands last: it never comes before what people say
 * about themselves.
 */
export function evidenceItems(results: readonly RecallResult[], order: 'relevance' | 'time' = 'relevance'): Item[] {
  const items = new Map<string, Item>();
  for (const result of results) {
    const turn = result.kind === 'event' ? result.event : quotedTurn(result);
    const key = turn?.id ?? result.id;
    const item = items.get(key) ?? itemOf(result, turn);
    items.set(key, result.kind === 'memory' && turn !== null ? withStatement(item, result.memory) : item);
  }
  const place = ({ date, score }: Item): number => (order === 'time' ? (date?.getTime() ?? 0) : -score);
  return [...items.values()].sort(
    (one, other) => Number(one.trust === 'low') - Number(other.trust === 'low') || place(one) - place(other),
  );
}

function itemOf(result: RecallResult, turn: Event | null): Item {
  if (turn === null) return memoryItem(result.memory as Memory, result.score);
  return recalledTurn(turn, { text: result.kind === 'event' ? result.text : turn.content, score: result.score });
}

// Of a longer turn its statement is shown alone.
const SHORT_TURN = 400;

/** The turn that a statement is a piece of, where nobody has put the statement into a sentence that stands alone. */
function quotedTurn({ memory, sources }: RecallResult): Event | null {
  if (memory === null || memory.reader !== 'local' || memory.attribute !== null) return null;
  const [turn, ...others] = sources;
  if (turn === undefined || others.length > 0 || turn.origin !== 'user') return null;
  return turn.content.length <= SHORT_TURN ? turn : null;
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
