import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { withoutOrders } from '../form/check/stated-by.ts';
import type { Formation } from '../form/form.ts';
import { decisionEvent, listDecisions, outcomeEvent, recordOutcome } from '../observe/decisions.ts';
import { newDecisionSchema, newOutcomeSchema } from '../observe/decisions.ts';
import type { DecisionWithOutcomes, NewDecision, NewOutcome } from '../observe/decisions.ts';
import { type Appended, appendEvents, assertOwned, type EventInput } from '../observe/observe.ts';
import { asEvents, type Observable } from '../record/chat-message.ts';
import { type Event, EVENT_KINDS, type EventKind, newEventSchema } from '../record/event.ts';
import { limitSchema, parse, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Page } from '../store/rows.ts';
import type { Parts, Writer } from '../store/database.ts';
import { type EventPlace, findEvent, listEvents } from '../store/event-store.ts';

export interface EventListFilter {
  kinds?: EventKind[];
  session?: string;
  /** Whether to return only events that formation has not read yet. */
  waiting?: boolean;
  occurredAfter?: TimeInput;
  occurredBefore?: TimeInput;
  order?: 'newest' | 'oldest';
  /** Default: 100. At most 1,000. */
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

/** A cursor with a single number is from a store before schema 16, whose row numbers were in order. */
function placeOf(cursor: string): EventPlace {
  const [sequence, row = sequence] = cursor.split('-').map(Number);
  return { sequence: sequence as number, row: row as number };
}

/** The handle's log, in which the checks of who stated a text search for the user's turns. */
export function logOf(parts: Parts, scope: Scope): { scope: Scope; events: EventReader } {
  return { scope, events: eventReader(parts, scope, null) };
}

export interface AppendDeps extends Parts {
  formation: Formation;
}

/** The local reader reads the events after the commit, so that it can neither delay the caller nor make the call fail. */
export async function append(
  { database, formation }: AppendDeps,
  scope: Scope,
  work: (writer: Writer) => Promise<Appended>,
): Promise<Appended> {
  const newOf = ({ events, repeated }: Appended): Event[] => (repeated === events.length ? [] : events);
  const appended = await database.write(scope.tenant, async (writer) => {
    const written = await work(writer);
    await formation.afterAppend(writer, scope, newOf(written));
    return written;
  });
  formation.noticed(scope, newOf(appended));
  return appended;
}

export function cleanedEvents({ formation }: AppendDeps, inputs: readonly EventInput[]): EventInput[] {
  return inputs.map((input) => ({
    ...input,
    content: formation.cleaned(input.content),
    metadata: formation.cleanedData(input.metadata),
  }));
}

export async function observe(deps: AppendDeps, scope: Scope, input: Observable): Promise<Appended> {
  const inputs = asEvents(input, scope.session);
  if (inputs.length === 0) return { events: [], repeated: 0 };
  if (inputs.length > MOST_EVENTS)
    throw invalidInput(`One call accepts at most ${MOST_EVENTS} events. Split them into several calls.`);
  const checked = inputs.map((event, index) =>
    parse(newEventSchema, event, inputs.length === 1 ? 'The event' : `Event ${index + 1} of ${inputs.length}`),
  );
  assertOwned(scope, checked);
  const cleaned = cleanedEvents(deps, await withoutOrders(logOf(deps, scope), checked));
  return append(deps, scope, (writer) => appendEvents(writer, deps, scope, cleaned));
}

/** Records an agent's decisions and their outcomes. */
export interface DecisionHandle {
  record(decision: NewDecision): Promise<Event>;
  recordOutcome(decisionId: string, outcome: NewOutcome): Promise<Event>;
  /** Returns the last decisions with their outcomes, newest first. Default: 20. */
  list(options?: { limit?: number }): Promise<DecisionWithOutcomes[]>;
}

export function decisionHandle(parts: AppendDeps, scope: Scope): DecisionHandle {
  const appended = async (
    input: EventInput,
    record: (writer: Writer, event: EventInput) => Promise<Event>,
  ): Promise<Event> => {
    const [event] = cleanedEvents(parts, await withoutOrders(logOf(parts, scope), [input])) as [EventInput];
    const { events } = await append(parts, scope, async (writer) => {
      return { events: [await record(writer, event)], repeated: 0 };
    });
    return events[0] as Event;
  };
  return {
    record: async (decision) =>
      appended(decisionEvent(parse(newDecisionSchema, decision, 'The decision')), async (writer, event) => {
        return (await appendEvents(writer, parts, scope, [event])).events[0] as Event;
      }),
    recordOutcome: async (id, outcome) =>
      appended(outcomeEvent(id, parse(newOutcomeSchema, outcome, 'The outcome')), (writer, event) =>
        recordOutcome(writer, parts, scope, { decision: id, event }),
      ),
    async list({ limit = 20 } = {}) {
      const most = parse(limitSchema, limit, 'The limit');
      return parts.database.read(scope.tenant, (reader) => listDecisions(reader, scope, most));
    },
  };
}
