import { estimateTokens } from '../language/token-count.ts';
import { invalidInput } from '../errors.ts';
import { ORIGIN_WEIGHTS, type Event, type EventKind, type ParsedEvent } from '../record/event.ts';
import { isMemoryAnswer, MEMORY_ANSWER, withoutRecalled } from '../record/memory-answers.ts';
import type { Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { findByIdempotencyKey, insertEvents, type KeyedEvent } from '../store/event-store.ts';
import { hideEchoes } from '../store/forget.ts';
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

/** What is said and seen in a conversation. Documents, decisions and their outcomes may be shared by everybody on purpose. */
const TALK: ReadonlySet<EventKind> = new Set(['message', 'observation', 'tool_result']);

/** Refuses talk that belongs to nobody: without a user it needs a session, where it stays. */
export function assertOwned(scope: Scope, events: readonly Pick<EventInput, 'kind'>[]): void {
  if (scope.user !== null || scope.session !== null || !events.some(({ kind }) => TALK.has(kind))) return;
  throw invalidInput(
    'A message, an observation or a tool result needs a user, or a session that it stays in: name one of the two in the scope.',
    { field: 'user' },
  );
}

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
    await hideEchoes(
      writer,
      parts,
      scope,
      added.map(({ event }) => event),
    );
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
    content: keptContent(input),
    category: input.category ?? null,
    refersTo: input.refersTo ?? null,
    interaction: input.interaction ?? null,
    channel: input.channel ?? null,
    context: input.context ?? null,
    metadata: keptMetadata(input.metadata ?? {}),
    occurredAt: input.occurredAt ?? now,
    recordedAt: now,
    processedAt: null,
  };
}

/** What the log keeps of an event: what memory itself has answered is known already. */
function keptContent({ kind, origin, content, metadata }: EventInput): string {
  if (kind === 'message') return withoutRecalled(content);
  const isAnswer = (kind === 'tool_result' || origin === 'tool') && isMemoryAnswer(content, metadata?.['tool']);
  return isAnswer ? MEMORY_ANSWER : content;
}

/** An exchange notes its tools with their results: those of memory's own tools are left out. */
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
