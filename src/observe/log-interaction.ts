import { z } from 'zod';
import type { Event, ParsedEvent } from '../record/event.ts';
import { isMemoryAnswer } from '../record/memory-answers.ts';
import { metadataSchema, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Reader, Writer } from '../store/database.ts';
import { type EventPlace, findByIdempotencyKey, listEvents } from '../store/event-store.ts';
import { appendEvents } from './observe.ts';

/** One exchange between a user and an agent. */
export interface NewInteraction {
  userMessage: string;
  /** The agent's answer. If the model failed, leave it out: a later call with the same `idempotencyKey` can add it. */
  agentResponse?: string;
  toolsUsed?: ToolUse[];
  /** The channel of the exchange, such as telegram, cli or web. */
  channel?: string;
  metadata?: Record<string, unknown>;
  occurredAt?: TimeInput;
  idempotencyKey?: string;
}

/** A tool call that the agent made in order to answer. */
export interface ToolUse {
  tool: string;
  arguments?: Record<string, unknown>;
  result?: string;
}

/** An exchange as it was logged. */
export interface Interaction {
  id: string;
  userMessage: string;
  agentResponse: string;
  toolsUsed: ToolUse[];
  channel: string | null;
  user: string | null;
  session: string | null;
  occurredAt: Date;
}

const toolUseSchema: z.ZodType<ToolUse, ToolUse> = z.strictObject({
  tool: textSchema(200),
  arguments: metadataSchema.optional(),
  result: textSchema(100_000).optional(),
});

export const newInteractionSchema: z.ZodType<Parsed<NewInteraction>, NewInteraction> = z.strictObject({
  userMessage: textSchema(500_000),
  agentResponse: textSchema(500_000).optional(),
  toolsUsed: z.array(toolUseSchema).max(200).optional(),
  channel: textSchema(50).optional(),
  metadata: metadataSchema.optional(),
  occurredAt: timeSchema.optional(),
  idempotencyKey: textSchema(400).optional(),
});

/** Logs the user's message, the tool results and the agent's answer as events that share one `interaction`. */
export async function logInteraction(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  input: Parsed<NewInteraction>,
): Promise<Event[]> {
  const { agentResponse, idempotencyKey, toolsUsed = [] } = input;
  const keyOf = (index: number): string[] => (idempotencyKey === undefined ? [] : [`${idempotencyKey}#${index}`]);
  const [unanswered] = (await findByIdempotencyKey(writer, scope, keyOf(0))).values();
  const shared = {
    interaction: unanswered?.interaction ?? parts.ids.next('int'),
    channel: input.channel,
    metadata: input.metadata,
    occurredAt: input.occurredAt,
  };
  const events: Omit<ParsedEvent, 'idempotencyKey'>[] = [
    { ...shared, kind: 'message', origin: 'user', content: input.userMessage },
  ];
  for (const { tool, result, arguments: given = {} } of toolsUsed) {
    if (result === undefined || isMemoryAnswer(result, tool)) continue;
    const metadata = { ...input.metadata, tool, arguments: given };
    events.push({ ...shared, kind: 'tool_result', origin: 'tool', content: result, metadata });
  }
  if (agentResponse !== undefined) {
    const metadata = { ...input.metadata, toolsUsed };
    events.push({ ...shared, kind: 'message', origin: 'agent', content: agentResponse, metadata });
  }
  const keyed = events.map((event, index) => ({ ...event, idempotencyKey: keyOf(index)[0] }));
  return (await appendEvents(writer, parts, scope, keyed)).events;
}

export async function listInteractions(
  reader: Reader,
  scope: Scope,
  { limit, since, before }: { limit: number; since?: Date; before?: Date },
): Promise<Interaction[]> {
  const found = new Map<string, Interaction>();
  let after: EventPlace | undefined;
  while (found.size <= limit) {
    const page = await listEvents(reader, scope, {
      kinds: ['message'],
      occurredAfter: since,
      occurredBefore: before,
      order: 'newest',
      limit: 200,
      after,
    });
    for (const event of page.events) if (event.interaction !== null) addTo(found, event.interaction, event);
    if (page.next === null) break;
    after = page.next;
  }
  return [...found.values()].slice(0, limit);
}

function addTo(found: Map<string, Interaction>, id: string, event: Event): void {
  const interaction: Interaction = found.get(id) ?? {
    id,
    userMessage: '',
    agentResponse: '',
    toolsUsed: [],
    channel: event.channel,
    user: event.scope.user,
    session: event.scope.session,
    occurredAt: event.occurredAt,
  };
  if (event.origin === 'user') interaction.userMessage = event.content;
  else {
    interaction.agentResponse = event.content;
    interaction.toolsUsed = (event.metadata['toolsUsed'] ?? []) as ToolUse[];
  }
  found.set(id, interaction);
}
