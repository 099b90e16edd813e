import { estimateTokens } from '../language/token-count.ts';
import type { Turn } from '../models/distiller.ts';
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
  { now, limits }: { now: number; limits: Pick<LimitSettings, 'events' | 'tokens' | 'turnCharacters'> },
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
function withinTokens(
  events: readonly Event[],
  { tokens, turnCharacters }: Pick<LimitSettings, 'tokens' | 'turnCharacters'>,
): Event[] {
  let sum = 0;
  const end = events.findIndex((event, index) => {
    sum += estimateTokens(event.content.slice(0, turnCharacters));
    return sum > tokens && index > 0;
  });
  return end === -1 ? [...events] : events.slice(0, end);
}

/** An event as a distiller sees it, not longer than `characters`. */
export function toTurn(event: Event, characters: number = Infinity): Turn {
  const used = event.metadata['toolsUsed'];
  return {
    kind: event.kind,
    origin: event.origin,
    speaker: event.speaker,
    content: shortened(event.content, characters),
    category: event.category,
    occurredAt: event.occurredAt,
    ...(Array.isArray(used) ? { tools: used.flatMap(toolOf) } : {}),
  };
}

function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // The end of a long message often holds what it was about.
  const head = Math.ceil(characters * 0.7);
  return `${text.slice(0, head)} … ${text.slice(text.length - (characters - head))}`.toWellFormed();
}

function toolOf(use: unknown): NonNullable<Turn['tools']> {
  if (typeof use !== 'object' || use === null || !('tool' in use) || typeof use.tool !== 'string') return [];
  const input =
    'arguments' in use && typeof use.arguments === 'object' ? (use.arguments as Record<string, unknown>) : {};
  return [{ name: use.tool, input: input ?? {} }];
}
