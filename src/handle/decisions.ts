import { decisionEvent, listDecisions, outcomeEvent, recordOutcome } from '../observe/decisions.ts';
import { newDecisionSchema, newOutcomeSchema } from '../observe/decisions.ts';
import type { DecisionWithOutcomes, NewDecision, NewOutcome } from '../observe/decisions.ts';
import type { Event } from '../record/event.ts';
import { limitSchema, parse } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import { appendEvents, type EventInput } from '../observe/observe.ts';
import { append, type AppendDeps, cleanedEvents } from './change.ts';
import { eventReader } from './events.ts';
import { withoutOrders } from '../form/check/stated-by.ts';

/** The decisions of an agent and their outcomes. */
export interface DecisionHandle {
  record(decision: NewDecision): Promise<Event>;
  recordOutcome(decisionId: string, outcome: NewOutcome): Promise<Event>;
  /** The last decisions with their outcomes, newest first. Default 20. */
  list(options?: { limit?: number }): Promise<DecisionWithOutcomes[]>;
}

export function decisionHandle(parts: Parts & AppendDeps, scope: Scope): DecisionHandle {
  const log = { scope, events: eventReader(parts, scope, null) };
  const checked = async (input: EventInput): Promise<EventInput> =>
    cleanedEvents(parts, await withoutOrders(log, [input]))[0] as EventInput;
  const appended = async (record: (writer: Writer) => Promise<Event>): Promise<Event> => {
    const recorded = async (writer: Writer): Promise<Event[]> => [await record(writer)];
    const [event] = await append(parts, scope, recorded, (events) => events);
    return event as Event;
  };
  return {
    async record(decision) {
      const event = await checked(decisionEvent(parse(newDecisionSchema, decision, 'The decision')));
      return appended(async (writer) => (await appendEvents(writer, parts, scope, [event])).events[0] as Event);
    },
    async recordOutcome(id, outcome) {
      const event = await checked(outcomeEvent(id, parse(newOutcomeSchema, outcome, 'The outcome')));
      return appended((writer) => recordOutcome(writer, parts, scope, { decision: id, event }));
    },
    async list({ limit = 20 } = {}) {
      const most = parse(limitSchema, limit, 'The limit');
      return parts.database.read(scope.tenant, (reader) => listDecisions(reader, scope, most));
    },
  };
}
