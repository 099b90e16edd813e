import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { type Appended, appendEvents, assertOwned } from '../observe/observe.ts';
import { asEvents, type Observable } from '../record/chat-message.ts';
import { type Event, EVENT_KINDS, type EventKind, newEventSchema } from '../record/event.ts';
import { parse, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Page } from '../store/rows.ts';
import type { Parts } from '../store/database.ts';
import { type EventPlace, findEvent, listEvents } from '../store/event-store.ts';
import { append, type AppendDeps, cleanedEvents } from './change.ts';
import { withoutOrders } from '../form/check/stated-by.ts';

export interface EventListFilter {
  kinds?: EventKind[];
  session?: string;
  /** Only events that formation has not read yet. */
  waiting?: boolean;
  occurredAfter?: TimeInput;
  occurredBefore?: TimeInput;
  order?: 'newest' | 'oldest';
  /** Default 100, at most 1,000. */
  limit?: number;
  cursor?: string;
}

export const eventFilterFields: Readonly<Record<keyof EventListFilter, z.ZodType>> = {
  kinds: z.array(z.enum(EVENT_KINDS)).optional(),
  session: textSchema(200).optional(),
  waiting: z.boolean().optional(),
  occurredAfter: timeSchema.optional(),
  occurredBefore: timeSchema.optional(),
  order: z.enum(['newest', 'oldest']).optional(),
  limit: z.int().min(1).max(1000).optional(),
  cursor: z
    .string()
    .regex(/^\d{1,16}(-\d{1,16})?$/, 'is not a cursor that a list returned')
    .optional(),
};

const eventFilterSchema: z.ZodType<Parsed<EventListFilter>, EventListFilter> = z.strictObject(
  eventFilterFields,
) as z.ZodType<Parsed<EventListFilter>, EventListFilter>;

/** Reading the log of events. */
export interface EventReader {
  get(id: string): Promise<Event | null>;
  list(filter?: EventListFilter): Promise<Page<Event>>;
}

const MOST_EVENTS = 10_000;

export function eventReader(parts: Parts, scope: Scope, asOf: Date | null): EventReader {
  return {
    async get(id) {
      const event = await parts.database.read(scope.tenant, (reader) => findEvent(reader, scope, id));
      return event !== null && asOf !== null && event.recordedAt > asOf ? null : event;
    },
    async list(filter = {}) {
      const { cursor, limit = 100, ...checked } = parse(eventFilterSchema, filter, 'The filter');
      const after = cursor === undefined ? undefined : placeOf(cursor);
      const page = { ...checked, limit, recordedBefore: asOf ?? undefined, after };
      const { events, next } = await parts.database.read(scope.tenant, (reader) => listEvents(reader, scope, page));
      return { items: events, cursor: next === null ? null : `${next.sequence}-${next.row}` };
    },
  };
}

/** Reads a cursor. A cursor with a single number comes from a store before schema 16, whose row numbers were in order. */
function placeOf(cursor: string): EventPlace {
  const [sequence, row = sequence] = cursor.split('-').map(Number);
  return { sequence: sequence as number, row: row as number };
}

/** Appends one event, several events, or the messages of a conversation in one transaction. */
export async function observe(deps: Parts & AppendDeps, scope: Scope, input: Observable): Promise<Appended> {
  const inputs = asEvents(input, scope.session);
  if (inputs.length === 0) return { events: [], repeated: 0 };
  if (inputs.length > MOST_EVENTS)
    throw invalidInput(`One call accepts at most ${MOST_EVENTS} events. Split them into several calls.`);
  const checked = inputs.map((event, index) =>
    parse(newEventSchema, event, inputs.length === 1 ? 'The event' : `Event ${index + 1} of ${inputs.length}`),
  );
  assertOwned(scope, checked);
  const log = { scope, events: eventReader(deps, scope, null) };
  const cleaned = cleanedEvents(deps, await withoutOrders(log, checked));
  return append(
    deps,
    scope,
    (writer) => appendEvents(writer, deps, scope, cleaned),
    ({ events, repeated }) => (repeated === events.length ? [] : events),
  );
}
