import { z } from 'zod';
import { notFound } from '../errors.ts';
import type { Event } from '../record/event.ts';
import { metadataSchema, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Reader, Writer } from '../store/database.ts';
import { findEvent, listEvents } from '../store/event-store.ts';
import { appendEvents, type EventInput } from './observe.ts';
import { namedSource, ofTool, sourceFields } from './record-observation.ts';

/** A decision of an agent. */
export interface NewDecision {
  content: string;
  reason?: string;
  /** The page, mail or tool that the decision comes from, which makes it unverified. Absent if it is the agent's own. */
  source?: string | null;
  metadata?: Record<string, unknown>;
  occurredAt?: TimeInput;
  idempotencyKey?: string;
}

/** An outcome of a decision. */
export interface NewOutcome {
  content: string;
  effect: 'positive' | 'negative' | 'neutral';
  /** A measured quantity, such as `{ name: 'views', value: 340 }`. */
  measure?: { name: string; value: number };
  metadata?: Record<string, unknown>;
  occurredAt?: TimeInput;
  idempotencyKey?: string;
}

/** A decision and its outcomes, oldest first. */
export interface DecisionWithOutcomes {
  decision: Event;
  outcomes: Event[];
}

const shared = {
  content: textSchema(20_000),
  metadata: metadataSchema.optional(),
  occurredAt: timeSchema.optional(),
  idempotencyKey: textSchema(500).optional(),
};

export const newDecisionSchema: z.ZodType<Parsed<NewDecision>, NewDecision> = z.strictObject({
  ...shared,
  reason: textSchema(20_000).optional(),
  source: sourceFields.source,
});

export const newOutcomeSchema: z.ZodType<Parsed<NewOutcome>, NewOutcome> = z.strictObject({
  ...shared,
  effect: z.enum(['positive', 'negative', 'neutral']),
  measure: z.strictObject({ name: textSchema(100), value: z.number() }).optional(),
});

export function decisionEvent({ reason, source, ...input }: Parsed<NewDecision>): EventInput {
  const metadata = { ...input.metadata, ...(reason === undefined ? {} : { reason }) };
  const event: EventInput = { ...input, metadata, kind: 'decision', origin: 'agent' };
  const named = namedSource(source);
  return named === null ? event : ofTool(event, named);
}

export function outcomeEvent(decision: string, { effect, measure, ...input }: Parsed<NewOutcome>): EventInput {
  const metadata = { ...input.metadata, effect, ...(measure === undefined ? {} : { measure }) };
  return { ...input, metadata, kind: 'outcome', origin: 'system', refersTo: decision };
}

export async function recordOutcome(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { decision, event }: { decision: string; event: EventInput },
): Promise<Event> {
  const found = await findEvent(writer, scope, decision);
  if (found?.kind !== 'decision') {
    throw notFound(`There is no decision ${decision} that this handle can see.`, decision);
  }
  return (await appendEvents(writer, parts, scope, [event])).events[0] as Event;
}

export async function listDecisions(reader: Reader, scope: Scope, limit: number): Promise<DecisionWithOutcomes[]> {
  const { events: decisions } = await listEvents(reader, scope, { kinds: ['decision'], limit });
  if (decisions.length === 0) return [];
  const { events: outcomes } = await listEvents(reader, scope, {
    kinds: ['outcome'],
    refersTo: decisions.map((decision) => decision.id),
    order: 'oldest',
    limit: 10_000,
  });
  return decisions.map((decision) => ({
    decision,
    outcomes: outcomes.filter((outcome) => outcome.refersTo === decision.id),
  }));
}
