import { z } from 'zod';
import { contextSourceSchema, type ContextSource } from './context-source.ts';
import { metadataSchema, textSchema, timeSchema, type Parsed, type TimeInput } from './parse.ts';
import type { Scope } from './scope.ts';
import { type Origin, ORIGINS } from './statement.ts';

export const EVENT_KINDS = ['message', 'observation', 'tool_result', 'decision', 'outcome', 'document_chunk'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The categories of observations. The last two are for an agent that works autonomously. */
const OBSERVATION_CATEGORIES = [
  'fact',
  'preference',
  'project_details',
  'correction',
  'scaffold_update',
  'learned_fact',
] as const;
export type ObservationCategory = (typeof OBSERVATION_CATEGORIES)[number];

/**
 * An entry of the log: a message, a tool result, a decision, a chunk of a document. An event is appended once and never changed, except
 * that forgotten words are replaced by blanks.
 */
export interface Event {
  id: string;
  scope: Scope;
  /** The position in the session, from 0 without gaps; null outside of sessions. */
  position: number | null;
  kind: EventKind;
  origin: Origin;
  /** The name of the speaker, in a conversation with several speakers. */
  speaker: string | null;
  content: string;
  category: string | null;
  /** The id of the event that this one refers to: for an outcome, its decision. */
  refersTo: string | null;
  /** The id of the exchange. The user's message, the tool results and the answer have the same id. */
  interaction: string | null;
  channel: string | null;
  context: ContextSource | null;
  metadata: Record<string, unknown>;
  occurredAt: Date;
  recordedAt: Date;
  /** When formation read the event; null before that. */
  processedAt: Date | null;
}

/** Whether an event has no words left, because all of them were forgotten. */
export function isBlank({ content }: Pick<Event, 'content'>): boolean {
  return content.trim() === '';
}

/** The fields of an event that its text consists of. The metadata may be the stored JSON. */
interface Told {
  kind: string;
  content: string;
  metadata: Record<string, unknown> | string | null;
}

/** The text of an event that recall searches and shows: its content and, for a decision, the reason. */
export function toldText({ kind, content, metadata }: Told): string {
  if (kind !== 'decision' || content.trim() === '' || metadata === null) return content;
  const { reason } = (typeof metadata === 'string' ? JSON.parse(metadata) : metadata) as { reason?: unknown };
  return typeof reason === 'string' && reason.trim() !== '' ? `${content} (reason: ${reason})` : content;
}

const EVENT_CONTENT_LIMIT = 500_000;

/** An event as an application passes it in. Its scope is the handle's. */
export interface NewEvent {
  /** Default: a message. */
  kind?: EventKind;
  /** Default: the origin that the kind implies: the user for a message, `tool` for a tool result, `document` for a chunk of a document. */
  origin?: Origin;
  content: string;
  speaker?: string | null;
  category?: string | null;
  refersTo?: string | null;
  interaction?: string | null;
  channel?: string | null;
  context?: ContextSource | null;
  /** Values of the application. Varve reads one of them: `timeZone`, the speaker's time zone at that time. */
  metadata?: Record<string, unknown>;
  /** When the event happened. Default: now. The offset of a text ("…T23:00:00-06:00") is the time zone, unless the metadata has one. */
  occurredAt?: TimeInput;
  /** Appending again under the same key changes nothing and returns the first event. */
  idempotencyKey?: string;
}

export type ParsedEvent = Parsed<NewEvent> & Required<Pick<NewEvent, 'kind' | 'origin'>>;

/** The origins of events that name none, by kind. The words of a tool or a document never count as the user's by default. */
const ORIGIN_OF: Readonly<Record<EventKind, Origin>> = {
  message: 'user',
  observation: 'agent',
  tool_result: 'tool',
  decision: 'agent',
  outcome: 'system',
  document_chunk: 'document',
};

const withOrigin = <Given extends { kind: EventKind; origin?: Origin | undefined }>(event: Given) => ({
  ...event,
  origin: event.origin ?? ORIGIN_OF[event.kind],
});

const fields = {
  kind: z.enum(EVENT_KINDS).default('message'),
  origin: z.enum(ORIGINS).optional(),
  content: textSchema(EVENT_CONTENT_LIMIT),
  speaker: textSchema(200).nullish(),
  category: textSchema(50).nullish(),
  refersTo: textSchema(200).nullish(),
  interaction: textSchema(200).nullish(),
  channel: textSchema(50).nullish(),
  context: contextSourceSchema.nullish(),
  metadata: metadataSchema.optional(),
  occurredAt: timeSchema.optional(),
  idempotencyKey: textSchema(500).optional(),
};

export const newEventSchema: z.ZodType<ParsedEvent, NewEvent> = z.strictObject(fields).transform(withOrigin);

/**
 * An event in an export. If all of its words were forgotten, its content is blanks of the same length, so that quotes keep their offsets.
 */
export const exportedEventSchema: z.ZodType<ParsedEvent, NewEvent> = z
  .strictObject({
    ...fields,
    content: z.union([fields.content, z.string().max(EVENT_CONTENT_LIMIT).regex(/^\s*$/u)]),
  })
  .transform(withOrigin);

/** The weights, by origin, of an event's tokens in the count that triggers the next formation. */
export const ORIGIN_WEIGHTS: Record<Origin, number> = { user: 1, tool: 0.5, agent: 0.2, document: 0.5, system: 0.5 };

/** The name that is embedded with an event: its speaker, or else `User` or `Assistant` for their messages. Null for other events. */
export function voiceOf({
  kind,
  origin,
  speaker,
}: {
  kind: string;
  origin: Origin;
  speaker: string | null;
}): string | null {
  if (speaker !== null) return speaker;
  if (kind !== 'message') return null;
  return origin === 'user' ? 'User' : origin === 'agent' ? 'Assistant' : null;
}
