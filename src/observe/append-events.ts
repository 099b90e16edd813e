import { estimateTokens } from '../language/token-count.ts';
import { ORIGIN_WEIGHTS, type Event, type ParsedEvent } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { findByIdempotencyKey, insertEvents, type KeyedEvent } from '../store/event-store.ts';
import { changeOwner } from '../store/owner-store.ts';
import type { Parts } from '../store/parts.ts';
import { growSession } from '../store/session-store.ts';

/** Events that were appended, in the order in which they were handed in. */
export interface Appended {
  events: Event[];
  /** How many of them were there already, under the same idempotency key. */
  repeated: number;
}

/** A checked event, and its id where that is derived from what it says. */
export type EventInput = ParsedEvent & { id?: string };

/** Appends events to an owner's log: all of them or none, each once. */
export async function appendEvents(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  inputs: readonly EventInput[],
): Promise<Appended> {
  const now = parts.clock.now();
  await changeOwner(writer, scope, now);
  const keys = inputs.flatMap((input) => input.idempotencyKey ?? []);
  const known = await findByIdempotencyKey(writer, scope, keys);
  const { added, events } = makeEvents(parts, scope, inputs, known);
  if (added.length > 0) {
    await givePositions(writer, scope, added, now);
    await insertEvents(writer, parts.database, added);
  }
  return { events, repeated: events.length - added.length };
}

function makeEvents(
  parts: Parts,
  scope: Scope,
  inputs: readonly EventInput[],
  known: Map<string, Event>,
): { added: KeyedEvent[]; events: Event[] } {
  const seen = new Map(known);
  const added: KeyedEvent[] = [];
  const events = inputs.map((input) => {
    const key = input.idempotencyKey;
    const before = key === undefined ? undefined : seen.get(key);
    if (before !== undefined) return before;
    const event = makeEvent(parts, scope, input);
    if (key !== undefined) seen.set(key, event);
    added.push({ event, idempotencyKey: key ?? null });
    return event;
  });
  return { added, events };
}

function makeEvent(parts: Parts, scope: Scope, input: EventInput): Event {
  const now = new Date(parts.clock.now());
  return {
    id: input.id ?? parts.ids.next('evt'),
    scope,
    position: null,
    kind: input.kind,
    origin: input.origin,
    speaker: input.speaker ?? null,
    content: input.content,
    category: input.category ?? null,
    refersTo: input.refersTo ?? null,
    interaction: input.interaction ?? null,
    channel: input.channel ?? null,
    context: input.context ?? null,
    metadata: input.metadata ?? {},
    occurredAt: input.occurredAt ?? now,
    recordedAt: now,
    processedAt: null,
  };
}

/** Gives events of a session their places in it, and counts what waits for the next formation. */
async function givePositions(writer: Writer, scope: Scope, added: readonly KeyedEvent[], now: number): Promise<void> {
  if (scope.session === null) return;
  const weightedTokens = added.reduce(
    (sum, { event }) => sum + estimateTokens(event.content) * ORIGIN_WEIGHTS[event.origin],
    0,
  );
  const messages = added.filter(({ event }) => event.kind === 'message').length;
  const first = await growSession(writer, scope, { events: added.length, messages, weightedTokens }, now);
  for (const [index, { event }] of added.entries()) event.position = first + index;
}
