import { invalidInput } from '../errors.ts';
import { enqueue, ownerJob, sessionJob } from '../store/queue/enqueue.ts';
import { DAY, MINUTE, systemClock } from '../record/clock.ts';
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

/** Its id is set if it is derived from the content. */
export type EventInput = ParsedEvent & { id?: string };

/** Other kinds, such as documents, decisions and outcomes, may be shared by all users on purpose. */
const TALK: ReadonlySet<EventKind> = new Set(['message', 'observation', 'tool_result']);

/** Without a user, an event is visible only in its session. Without both, everybody would see the conversation. */
export function assertOwned(scope: Scope, events: readonly Pick<EventInput, 'kind'>[]): void {
  if (scope.user !== null || scope.session !== null || !events.some(({ kind }) => TALK.has(kind))) return;
  throw invalidInput(
    'A message, an observation or a tool result needs a user or a session: name one of the two in the scope.',
    { field: 'user' },
  );
}

/** Appends all events or none. Skips events whose idempotency key is already in the log. */
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
    // Frameworks stamp their messages with the clock of the machine, even if the store has a simulated one.
    assertNotAhead(input.occurredAt, Math.max(parts.clock.now(), systemClock.now()));
    const event = makeEvent(parts, scope, input);
    if (key !== undefined) seen.set(key, event);
    added.push({ event, idempotencyKey: key ?? null });
    return event;
  });
  return { added, events };
}

/** A wrong unit or a typing error. Days that a text mentions are not the time of its event. */
function assertNotAhead(occurredAt: Date | undefined, now: number): void {
  if (occurredAt === undefined || occurredAt.getTime() <= now + DAY) return;
  const [given, present] = [occurredAt.toISOString(), new Date(now).toISOString()];
  throw invalidInput(
    `The event has the time ${given} (\`occurredAt\`), which is more than a day in the future: the clock says ${present}. Give the time at which it was said.`,
    { field: 'occurredAt' },
  );
}

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

/** Leaves out results of Varve's own tools, because they repeat records of the store. */
function keptContent({ kind, origin, content, metadata }: EventInput): string {
  if (kind === 'message') return withoutRecalled(content);
  const isAnswer = (kind === 'tool_result' || origin === 'tool') && isMemoryAnswer(content, metadata?.['tool']);
  return isAnswer ? MEMORY_ANSWER : content;
}

/** The metadata of an exchange lists the tool calls with their results. Removes those of Varve's own tools. */
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

/** Also adds the events to the session's counts of messages and tokens since the last formation. */
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

/** Marks a session as idle or closed, clears its state and enqueues its formation, in one transaction. */
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

export async function flushIdleSessions(parts: Parts): Promise<void> {
  for (;;) {
    const before = parts.clock.now() - IDLE_AFTER;
    const idle = await findIdleSessions(parts.database, before, SWEEP_SIZE);
    for (const scope of idle) {
      await parts.database.write(scope.tenant, async (writer) => {
        // A message may have arrived since, so the session is read again under the lock.
        const session = await findSession(writer, scope, parts.clock.now());
        if (session?.status !== 'open' || session.lastEventAt.getTime() > before) return;
        await flushSession(writer, parts, scope, 'idle');
      });
    }
    if (idle.length < SWEEP_SIZE) return;
  }
}
