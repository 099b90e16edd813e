import { invalidInput } from '../errors.ts';
import { enqueue, ownerJob, sessionJob } from '../store/queue/enqueue.ts';
import { MINUTE } from '../record/clock.ts';
import { type Event, type EventKind, ORIGIN_WEIGHTS, type ParsedEvent } from '../record/event.ts';
import { isMemoryAnswer, MEMORY_ANSWER, withoutRecalled } from '../record/memory-answers.ts';
import { offsetOf } from '../record/parse.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { EMPTY_SESSION_STATE, type Session } from '../record/session.ts';
import type { Parts, Writer } from '../store/database.ts';
import { findByIdempotencyKey, insertEvents, type KeyedEvent } from '../store/event-store.ts';
import { hideEchoes } from '../store/forget/forget.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findIdleSessions, findSession, growSession, updateSession } from '../store/session-store.ts';
import { estimateTokens } from '../language/words.ts';

/** The events of one call in the order of its input, whether they are new or existed already. */
export interface Appended {
  events: Event[];
  /** How many events existed already under the same idempotency key. */
  repeated: number;
}

/** A validated event. It already has an id if that is derived from the content. */
export type EventInput = ParsedEvent & { id?: string };

/** The kinds of events in a conversation. Other kinds, such as documents, decisions and outcomes, may be shared by all users on purpose. */
const TALK: ReadonlySet<EventKind> = new Set(['message', 'observation', 'tool_result']);

/** Throws if conversation events have neither a user nor a session. Events without a user are visible only in their session. */
export function assertOwned(scope: Scope, events: readonly Pick<EventInput, 'kind'>[]): void {
  if (scope.user !== null || scope.session !== null || !events.some(({ kind }) => TALK.has(kind))) return;
  throw invalidInput(
    'A message, an observation or a tool result needs a user or a session: name one of the two in the scope.',
    { field: 'user' },
  );
}

/** Appends events to an owner's log, either all of them or none. Skips events whose idempotency key is already in the log. */
export async function appendEvents(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  inputs: readonly EventInput[],
): Promise<Appended> {
  const now = parts.clock.now();
  const version = await changeOwner(writer, scope, now, inputs.length);
  const keys = inputs.flatMap((input) => input.idempotencyKey ?? []);
  const known = await findByIdempotencyKey(writer, scope, keys);
  const { added, events } = makeEvents(parts, scope, inputs, known);
  if (added.length > 0) {
    await givePositions(writer, scope, added, now);
    await insertEvents(writer, parts.database, added, version);
    const appended = added.map(({ event }) => event);
    await hideEchoes(writer, parts, scope, appended);
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

/** Creates an event with the given fields, without storing it. */
export function makeEvent(parts: Parts, scope: Scope, input: EventInput): Event {
  const now = new Date(parts.clock.now());
  const zone = input.occurredAt === undefined ? undefined : offsetOf(input.occurredAt);
  return {
    id: input.id ?? parts.ids.next('evt'),
    scope,
    position: null,
    kind: input.kind,
    origin: input.origin,
    speaker: input.speaker ?? null,
    content: keptContent(input),
    category: input.category ?? null,
    refersTo: input.refersTo ?? null,
    interaction: input.interaction ?? null,
    channel: input.channel ?? null,
    context: input.context ?? null,
    metadata: keptMetadata({ ...(zone === undefined ? {} : { timeZone: zone }), ...input.metadata }),
    occurredAt: input.occurredAt ?? now,
    recordedAt: now,
    processedAt: null,
  };
}

/** Returns an event's text as the log stores it. Leaves out results of Varve's own tools, because they repeat records of the store. */
function keptContent({ kind, origin, content, metadata }: EventInput): string {
  if (kind === 'message') return withoutRecalled(content);
  const isAnswer = (kind === 'tool_result' || origin === 'tool') && isMemoryAnswer(content, metadata?.['tool']);
  return isAnswer ? MEMORY_ANSWER : content;
}

/** Removes results of Varve's own tools from the metadata of an exchange, which lists the tool calls with their results. */
function keptMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  const { toolsUsed } = metadata;
  if (!Array.isArray(toolsUsed)) return metadata;
  const kept = toolsUsed.map((use: unknown) => {
    const { result, ...rest } = (use ?? {}) as { tool?: unknown; result?: unknown };
    const isAnswer = typeof result === 'string' && isMemoryAnswer(result, rest.tool);
    return isAnswer ? rest : use;
  });
  return { ...metadata, toolsUsed: kept };
}

/** Assigns positions in the session to new events. Adds them to the session's counts of messages and tokens since the last formation. */
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

/** After this time without an event, a session is flushed. */
const IDLE_AFTER: number = 5 * MINUTE;

/** This long after a flush, the new memories are consolidated. */
const CONSOLIDATE_AFTER: number = 5 * MINUTE;

/** Marks a session as idle or closed, clears its state and enqueues its formation, in one transaction. Its turns are in the log already. */
export async function flushSession(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  status: 'idle' | 'closed',
): Promise<Session | null> {
  const session = await findSession(writer, scope, parts.clock.now());
  if (session === null || session.status === 'closed') return session;
  await updateSession(writer, scope, { status, state: EMPTY_SESSION_STATE });
  if (session.eventCount > session.formedPosition) {
    await enqueue(writer, sessionJob('form', scope), parts);
    const consolidate = { ...ownerJob('consolidate', scope), uniqueKey: ownerKey(scope), delay: CONSOLIDATE_AFTER };
    await enqueue(writer, consolidate, parts);
  }
  return { ...session, status, state: EMPTY_SESSION_STATE };
}

const SWEEP_SIZE = 200;

/** Flushes the idle sessions of all tenants. */
export async function flushIdleSessions(parts: Parts): Promise<void> {
  for (;;) {
    const before = parts.clock.now() - IDLE_AFTER;
    const idle = await findIdleSessions(parts.database, before, SWEEP_SIZE);
    for (const scope of idle) {
      await parts.database.write(scope.tenant, async (writer) => {
        // Reads the session again under the lock, because a message may have arrived in the meantime.
        const session = await findSession(writer, scope, parts.clock.now());
        if (session?.status !== 'open' || session.lastEventAt.getTime() > before) return;
        await flushSession(writer, parts, scope, 'idle');
      });
    }
    if (idle.length < SWEEP_SIZE) return;
  }
}
