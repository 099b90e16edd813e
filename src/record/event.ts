import { z } from 'zod';
import { contextSourceSchema, type ContextSource } from './context-source.ts';
import { metadataSchema, textSchema, timeSchema, type Parsed, type TimeInput } from './parse.ts';
import type { Scope } from './scope.ts';
import { type Origin, ORIGINS } from './statement.ts';

export const EVENT_KINDS = ['message', 'observation', 'tool_result', 'decision', 'outcome', 'document_chunk'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** An entry in the log. It is appended once and never changed, except that forgotten words become blanks. */
export interface Event {
  id: string;
  scope: Scope;
  /** Position in the session, from 0 without gaps. Null outside of sessions. */
  position: number | null;
  kind: EventKind;
  origin: Origin;
  /** The speaker's name, in a conversation with several speakers. */
  speaker: string | null;
  content: string;
  category: string | null;
  /** The event that this one refers to: for an outcome, the decision. */
  refersTo: string | null;
  /** The id that the user's message, the tool results and the answer of one exchange share. */
  interaction: string | null;
  channel: string | null;
  context: ContextSource | null;
  metadata: Record<string, unknown>;
  occurredAt: Date;
  recordedAt: Date;
  /** When formation read the event. Null until then. */
  processedAt: Date | null;
}

/** An event is blank once all its words were forgotten. */
export function isBlank({ content }: Pick<Event, 'content'>): boolean {
  return content.trim() === '';
}

interface Told {
  kind: string;
  content: string;
  metadata: Record<string, unknown> | string | null;
}

/** The text that recall searches and shows. For a decision, it includes the reason. */
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
  /** Default: depends on the kind. A message gets `user`, a tool result `tool`, a chunk of a document `document`. */
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
  /** When the event happened. Default: now. A UTC offset in the text sets the time zone, unless the metadata has one. */
  occurredAt?: TimeInput;
  /** If the log already has an event with this key, nothing is appended, and that event is returned. */
  idempotencyKey?: string;
}

export type ParsedEvent = Parsed<NewEvent> & Required<Pick<NewEvent, 'kind' | 'origin'>>;

/** No default lets the words of a tool or a document pass for the user's. */
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

/** An event in an export. Forgotten words are exported as blanks, so that quotes keep their offsets. */
export const exportedEventSchema: z.ZodType<ParsedEvent, NewEvent> = z
  .strictObject({
    ...fields,
    content: z.union([fields.content, z.string().max(EVENT_CONTENT_LIMIT).regex(/^\s*$/u)]),
  })
  .transform(withOrigin);

/** How much an event's tokens count towards the next formation. */
export const ORIGIN_WEIGHTS: Record<Origin, number> = { user: 1, tool: 0.5, agent: 0.2, document: 0.5, system: 0.5 };

/** The name that is embedded with an event: the speaker's, or else `User` or `Assistant` for their messages. */
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
