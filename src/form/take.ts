import { estimateTokens } from '../language/token-count.ts';
import type { Event } from '../record/event.ts';
import { isMemoryTool } from '../record/memory-answers.ts';
import type { Scope } from '../record/scope.ts';
import type { Session } from '../record/session.ts';
import type { Reader } from '../store/database.ts';
import { findSession, listSessionEvents } from '../store/session-store.ts';
import type { LimitSettings } from './formation-settings.ts';
import { readStatement, type ReadStatement } from './read/reader.ts';

/** The part of a session that one formation reads. */
export interface Stretch {
  session: Session;
  /** Positions: from the first event up to, not including, the last. */
  from: number;
  to: number;
  events: Event[];
  /** The events before, for what an answer replies to. */
  earlier: Event[];
  /** Whether events are left for another formation right after this one. */
  hasMore: boolean;
}

const EARLIER = 12;

/** Takes the events that no formation has read yet, as many as one may read. What comes in later waits for the next. */
export async function takeUnformed(
  reader: Reader,
  scope: Scope,
  { now, limits }: { now: number; limits: Pick<LimitSettings, 'events' | 'tokens'> },
): Promise<Stretch | null> {
  const session = await findSession(reader, scope, now);
  if (session === null || session.eventCount <= session.formedPosition) return null;
  const from = session.formedPosition;
  const last = Math.min(session.eventCount, from + limits.events);
  const events = await listSessionEvents(reader, scope, Math.max(0, from - EARLIER), last);
  const unformed = events.filter((event) => (event.position ?? 0) >= from);
  const taken = withinTokens(unformed, limits);
  const to = from + taken.length;
  return {
    session,
    from,
    to,
    events: taken,
    earlier: events.filter((event) => (event.position ?? 0) < from),
    hasMore: to < session.eventCount,
  };
}

/** The first events that fit together into one prompt: at least one, however long it is. */
function withinTokens(events: readonly Event[], { tokens }: Pick<LimitSettings, 'tokens'>): Event[] {
  let sum = 0;
  const end = events.findIndex((event, index) => {
    sum += estimateTokens(event.content);
    return sum > tokens && index > 0;
  });
  return end === -1 ? [...events] : events.slice(0, end);
}

/** The turns of a session before a given event. */
export async function turnsBefore(reader: Reader, scope: Scope, first: Event | undefined): Promise<Event[]> {
  if (first === undefined || scope.session === null || first.position === null || first.position === 0) return [];
  return listSessionEvents(reader, scope, Math.max(0, first.position - EARLIER), first.position);
}

const LONGEST_VALUE = 60;
const LONGEST_REQUEST = 80;
const MOST_VALUES = 3;
const MOST_WORDS = 30;
const SECRET = /pass(?:word|wd)?|secret|token|api.?key|authorization|credential|cookie/i;

/** What the agent did with its tools, and for which request: one episode for each call. What a tool answered is not read. */
export function toolEpisodes(events: readonly Event[]): ReadStatement[] {
  return events.flatMap((event, index) =>
    callsOf(event)
      .filter(({ name }) => !isMemoryTool(name))
      .map(({ name, input }) => {
        const detail = describeInput(input);
        const request = requestBefore(events, index);
        const text = `Agent ran ${humanName(name)}${detail === '' ? '' : ` (${detail})`} for User${request === null ? '' : ` because User asked "${request}"`}.`;
        return readStatement({
          type: 'episode',
          subject: 'Agent',
          tense: 'happened',
          text: text.split(' ').slice(0, MOST_WORDS).join(' '),
          quotes: [{ turn: index + 1, words: '' }],
          from: event.occurredAt.toISOString(),
          importance: 0.4,
          explicit: false,
          tags: ['tool', name],
        });
      }),
  );
}

function callsOf({ metadata, origin }: Event): { name: string; input: Record<string, unknown> }[] {
  const used = metadata['toolsUsed'];
  if (origin !== 'agent' || !Array.isArray(used)) return [];
  return used.flatMap((use: unknown) => {
    if (typeof use !== 'object' || use === null || !('tool' in use) || typeof use.tool !== 'string') return [];
    const input =
      'arguments' in use && typeof use.arguments === 'object' ? (use.arguments as Record<string, unknown>) : {};
    return [{ name: use.tool, input: input ?? {} }];
  });
}

/** What the user asked for, in the same exchange or just before. */
function requestBefore(events: readonly Event[], index: number): string | null {
  const asked = events.slice(0, index).findLast((event) => event.origin === 'user' && event.kind === 'message');
  return asked === undefined ? null : oneLine(asked.content, LONGEST_REQUEST).toWellFormed();
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .filter(([key, value]) => !SECRET.test(key) && ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, MOST_VALUES)
    .map(([key, value]) => `${humanName(key)}: ${oneLine(String(value), LONGEST_VALUE)}`)
    .join(', ');
}

function humanName(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .toLowerCase()
    .slice(0, LONGEST_VALUE);
}

function oneLine(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
