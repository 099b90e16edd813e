import { splitClauses } from '../../language/clauses.ts';
import { withoutEnd } from '../../language/words.ts';
import { unlessUnavailable } from '../../models/embedder.ts';
import type { Event } from '../../record/event.ts';
import { normalValue } from '../../record/attributes.ts';
import { mayStillChange, type Memory } from '../../record/memory.ts';
import { findEvents } from '../../store/event-store.ts';
import { nearStatements } from '../compare.ts';
import { readStatement, type ReadStatement } from '../read/reader.ts';
import type { CheckedRequests } from '../statement.ts';
import type { TellWork } from './find-meant.ts';

/** How many of the statements nearest to a message are read with it. */
const MOST_NEAR = 10;
/**
 * The log-odds of the reading layers above which a message makes a statement untrue, for facts with an attribute and for others: to keep two
 * statements is better than to lose one. Of 118 pairs of outsiders, 37 of 59 changes are above 3 and 27 above 6; of 59 everyday sentences
 * that change nothing, 2 and none.
 */
const ENDS = { fact: 8, other: 3 };

/**
 * The statements that a message of the user makes untrue: "they've taken me off warfarin" ends "I take warfarin". The reading layers read the
 * message together with the statements that are nearest to it.
 */
export async function endedBy(work: TellWork, event: Event): Promise<CheckedRequests['ends']> {
  const { deps, signal } = work;
  const near = (await nearStatements(work, event.content, MOST_NEAR)).filter((memory) => canEnd(memory, event));
  if (near.length === 0) return [];
  const ids = near.flatMap(({ quotes }) => quotes.map((quote) => quote.event));
  const sources = await deps.database.read(work.scope.tenant, (reader) => findEvents(reader, work.scope, ids));
  const parts = clausesOf(event.content);
  const said = near.map((memory) => saidIn(memory, sources));
  const told = await unlessUnavailable(deps.readParts(parts, { said, signal }));
  const evidence = { event, start: 0, end: event.content.length };
  let read = parts.length;
  return near.flatMap((target, index) => {
    const odds = told?.ends.subarray(read, (read += said[index]?.length ?? 0)) ?? [];
    const least = target.attribute === null ? ENDS.other : ENDS.fact;
    return Math.max(-Infinity, ...odds) > least ? [{ target, evidence, on: null }] : [];
  });
}

function clausesOf(text: string): string[] {
  return splitClauses(text).map(({ start, end }) => text.slice(start, end));
}

/** The user's own clauses from which a statement was formed: those with its value, if it has one. */
function saidIn({ quotes, value, content }: Memory, sources: readonly Event[]): string[] {
  const words = quotes.map(({ event, start, end }) =>
    sources.find(({ id }) => id === event)?.content.slice(start, end),
  );
  const clauses = words.flatMap((each) => clausesOf(each ?? ''));
  const naming = clauses.filter((clause) => value !== null && normalValue(clause).includes(normalValue(value)));
  return [naming, clauses, [content]].find(({ length }) => length > 0) ?? [];
}

/** Whether a statement was made before a message and claims something that can end. What has happened stays true. */
function canEnd(memory: Memory, event: Event): boolean {
  const { statedBy, statedAt, sourceEvents, tense, dueAt } = memory;
  const isClaim = tense !== 'happened' || dueAt !== null;
  const isEarlier = statedAt <= event.occurredAt && !sourceEvents.includes(event.id);
  return isClaim && isEarlier && statedBy === 'user' && mayStillChange(memory);
}

const FEW_WORDS = 6;

/**
 * "No, Friday": a message that makes a statement untrue and from which nothing was read is kept in the user's words, a short one after the
 * words that it corrects.
 */
export function correctionBy(event: Event, number: number, [first]: CheckedRequests['ends']): ReadStatement[] {
  if (first === undefined || event.content.length > MOST_CHARACTERS) return [];
  const { target } = first;
  const words = event.content.trim();
  const isShort = words.split(/\s+/u).length < FEW_WORDS;
  const { subject, type, tense, importance } = target;
  const text = isShort ? `${withoutEnd(target.content, ' .!\n')} — ${words}` : words;
  return [readStatement({ subject, type, tense, importance, text, quotes: [{ turn: number, words }] })];
}

/** A longer message says more than the correction. */
const MOST_CHARACTERS = 200;
