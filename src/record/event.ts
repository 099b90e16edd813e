import { z } from 'zod';
import { contextSourceSchema, type ContextSource } from './context-source.ts';
import { metadataSchema, textSchema, timeSchema, type Parsed, type TimeInput } from './parse.ts';
import type { Scope } from './scope.ts';
import { type Origin, ORIGINS } from './statement.ts';

export const EVENT_KINDS = ['message', 'observation', 'tool_result', 'decision', 'outcome', 'document_chunk'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The categories of observations. The last two are only for agents that work autonomously. */
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
 * An entry in the log: a message, a tool result, a decision, a chunk of a document. It is appended once and never changed, with one
 * exception: forgotten words are replaced by blanks.
 */
export interface Event {
  id: string;
  scope: Scope;
  /** The position in the session, counted from 0 without gaps. Null outside of sessions. */
  position: number | null;
  kind: EventKind;
  origin: Origin;
  /** The speaker's name, in a conversation with several speakers. */
  speaker: string | null;
  content: string;
  category: string | null;
  /** The id of the event that this one refers to. For an outcome, it is the decision. */
  refersTo: string | null;
  /** The id of the exchange, which the user's message, the tool results and the answer share. */
  interaction: string | null;
  channel: string | null;
  context: ContextSource | null;
  metadata: Record<string, unknown>;
  occurredAt: Date;
  recordedAt: Date;
  /** When formation read the event. Null until then. */
  processedAt: Date | null;
}

/** Checks whether all words of an event were forgotten. */
export function isBlank({ content }: Pick<Event, 'content'>): boolean {
  return content.trim() === '';
}

/** The fields that make up an event's text. `metadata` may be an object or the stored JSON. */
interface Told {
  kind: string;
  content: string;
  metadata: Record<string, unknown> | string | null;
}

/** Returns the text of an event that recall searches and shows: the content and, for a decision, the reason. */
export function toldText({ kind, content, metadata }: Told): string {
  if (kind !== 'decision' || content.trim() === '' || metadata === null) return content;
  const { reason } = (typeof metadata === 'string' ? JSON.parse(metadata) : metadata) as { reason?: unknown };
  return typeof reason === 'string' && reason.trim() !== '' ? `${content} (reason: ${reason})` : content;
}

const EVENT_CONTENT_LIMIT = 500_000;

/** An event as an application passes it in. The scope comes from the handle. */
export interface NewEvent {
  /** Default: a message. */
  kind?: EventKind;
  /** Default: depends on the kind. A message gets `user`, a tool result `tool`, and a chunk of a document `document`. */
  origin?: Origin;
  content: string;
  speaker?: string | null;
  category?: string | null;
  refersTo?: string | null;
  interaction?: string | null;
  channel?: string | null;
  context?: ContextSource | null;
  /** The application's own values. Varve reads only `timeZone`, the speaker's time zone at that time. */
  metadata?: Record<string, unknown>;
  /**
   * When the event happened. Default: now. If a text has an offset ("…T23:00:00-06:00") and the metadata has no time zone, the offset is
   * used as the time zone.
   */
  occurredAt?: TimeInput;
  /** If the log already has an event with this key, nothing is appended, and that event is returned. */
  idempotencyKey?: string;
}

export type ParsedEvent = Parsed<NewEvent> & Required<Pick<NewEvent, 'kind' | 'origin'>>;

/** The default origin of each kind of event. Words of a tool or a document never pass for the user's by default. */
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

/** An event in an export. If all its words were forgotten, the content consists of as many blanks, so that quotes keep their offsets. */
export const exportedEventSchema: z.ZodType<ParsedEvent, NewEvent> = z
  .strictObject({
    ...fields,
    content: z.union([fields.content, z.string().max(EVENT_CONTENT_LIMIT).regex(/^\s*$/u)]),
  })
  .transform(withOrigin);

/** How much an event's tokens count towards the next formation, by the event's origin. */
export const ORIGIN_WEIGHTS: Record<Origin, number> = { user: 1, tool: 0.5, agent: 0.2, document: 0.5, system: 0.5 };

/**
 * Returns the name that is embedded with an event: the speaker's, or else `User` or `Assistant` for messages of these two. Returns null for
 * other events.
 */
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
