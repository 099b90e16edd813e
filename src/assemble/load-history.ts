import { messageOf } from '../errors.ts';
import { redactSensitive } from '../language/privacy-policy.ts';
import { recall, type RecallDeps } from '../recall/recall.ts';
import { type Event, isBlank } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import { listEvents } from '../store/event-store.ts';
import type { HistoryOptions } from './context-options.ts';

/** Past turns, oldest first. */
export interface History {
  turns: Event[];
  mode: 'chronological' | 'semantic';
  /** Why the semantic mode was not to be had. */
  failed?: string;
}

export interface HistoryRequest extends HistoryOptions {
  scope: Scope;
  message: string;
}

const DEFAULT_TURNS = 40;
const LONGEST_QUERY = 1500;

/** The turns of the session, or of the user where there is none; any trouble with meaning gives the last ones. */
export async function loadHistory(deps: RecallDeps, request: HistoryRequest): Promise<History> {
  const turns = await lastTurns(deps, request);
  if (request.mode !== 'semantic') return { turns, mode: 'chronological' };
  const recent = request.recent ?? 3;
  const relevant = request.relevant ?? 3;
  const exchanges = toExchanges(turns);
  try {
    const last = recent === 0 ? [] : exchanges.slice(-recent);
    const older = await relevantTurns(deps, request, last.flat(), relevant);
    const chosen = [...older, ...last.flat()];
    return { turns: unique(chosen), mode: 'semantic' };
  } catch (error) {
    const last = exchanges.slice(-(recent + relevant)).flat();
    return { turns: last, mode: 'chronological', failed: messageOf(error) };
  }
}

async function lastTurns(
  deps: RecallDeps,
  { scope, message, turns = DEFAULT_TURNS }: HistoryRequest,
): Promise<Event[]> {
  if (turns === 0 || (scope.session === null && scope.user === null)) return [];
  const { events } = await deps.database.read(scope.tenant, (reader) =>
    listEvents(reader, scope, {
      kinds: ['message'],
      session: scope.session ?? undefined,
      order: 'newest',
      limit: turns + 1,
    }),
  );
  const spoken = events
    .filter((event) => (event.origin === 'user' || event.origin === 'agent') && !isBlank(event))
    .map((event) => ({ ...event, content: redactSensitive(event.content, deps.privacy) }))
    .reverse();
  // The message of this turn may have been observed already.
  if (spoken.at(-1)?.origin === 'user' && spoken.at(-1)?.content === redactSensitive(message, deps.privacy))
    spoken.pop();
  return spoken.slice(-turns);
}

/** Turns by exchange: each begins with what the user says. */
export function toExchanges(turns: readonly Event[]): Event[][] {
  const exchanges: Event[][] = [];
  for (const turn of turns) {
    const current = exchanges.at(-1);
    if (current === undefined || turn.origin === 'user') exchanges.push([turn]);
    else current.push(turn);
  }
  return exchanges;
}

async function relevantTurns(
  deps: RecallDeps,
  { scope, message, minimumSimilarity = 0.6 }: HistoryRequest,
  recent: readonly Event[],
  limit: number,
): Promise<Event[]> {
  if (limit === 0 || message.trim() === '') return [];
  const recalled = await recall(deps, scope, message.slice(0, LONGEST_QUERY).toWellFormed(), {
    mode: 'semantic',
    sources: ['events'],
    filter: { types: ['message'], origins: ['user', 'agent'] },
    minimumSimilarity,
    recencyBoost: true,
    neighbours: 1,
    limit: 50,
    track: false,
  });
  if (recalled.degraded.length > 0) throw new Error(recalled.degraded.join('; '));
  const known = new Set(recent.map(({ id }) => id));
  const exchanges: Event[][] = [];
  for (const { event, before, after } of recalled.results) {
    if (event === null || known.has(event.id) || exchanges.length === limit) continue;
    if (event.content === message) continue;
    const pair = event.origin === 'user' ? [event, ...answerAmong(after)] : [...questionAmong(before), event];
    for (const turn of pair) known.add(turn.id);
    exchanges.push(pair);
  }
  return exchanges.flat().sort((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime());
}

function answerAmong(after: readonly Event[]): Event[] {
  return after.filter(({ kind, origin }) => kind === 'message' && origin === 'agent').slice(0, 1);
}

function questionAmong(before: readonly Event[]): Event[] {
  return before.filter(({ kind, origin }) => kind === 'message' && origin === 'user').slice(-1);
}

function unique(turns: readonly Event[]): Event[] {
  return [...new Map(turns.map((turn) => [turn.id, turn])).values()];
}
