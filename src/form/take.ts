import { estimateTokens } from '../language/token-count.ts';
import type { Event } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import type { Session } from '../record/session.ts';
import type { Reader } from '../store/database.ts';
import { findSession, listSessionEvents } from '../store/session-store.ts';
import type { LimitSettings } from './formation-settings.ts';

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
