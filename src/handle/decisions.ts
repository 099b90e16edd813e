import { listDecisions, recordDecision, recordOutcome } from '../observe/decisions.ts';
import { newDecisionSchema, newOutcomeSchema } from '../observe/decisions.ts';
import type { DecisionWithOutcomes, NewDecision, NewOutcome } from '../observe/decisions.ts';
import type { Event } from '../record/event.ts';
import { limitSchema, parse } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import { append, type AppendDeps } from './change.ts';

/** The decisions of an agent and their outcomes. */
export interface DecisionHandle {
  record(decision: NewDecision): Promise<Event>;
  recordOutcome(decisionId: string, outcome: NewOutcome): Promise<Event>;
  /** The last decisions with their outcomes, newest first. Default 20. */
  list(options?: { limit?: number }): Promise<DecisionWithOutcomes[]>;
}

export function decisionHandle(parts: Parts & AppendDeps, scope: Scope): DecisionHandle {
  const appended = async (record: (writer: Writer) => Promise<Event>): Promise<Event> => {
    const recorded = async (writer: Writer): Promise<Event[]> => [await record(writer)];
    const [event] = await append(parts, scope, recorded, (events) => events);
    return event as Event;
  };
  return {
    async record(decision) {
      const input = parse(newDecisionSchema, decision, 'The decision');
      return appended((writer) => recordDecision(writer, parts, scope, input));
    },
    async recordOutcome(id, outcome) {
      const input = parse(newOutcomeSchema, outcome, 'The outcome');
      return appended((writer) => recordOutcome(writer, parts, scope, { decision: id, outcome: input }));
    },
    async list({ limit = 20 } = {}) {
      const most = parse(limitSchema, limit, 'The limit');
      return parts.database.read(scope.tenant, (reader) => listDecisions(reader, scope, most));
    },
  };
}
