import { z } from 'zod';
import { passagesOf } from '../language/sentences.ts';
import { type ContextSource, contextSourceSchema } from '../record/context-source.ts';
import type { Event } from '../record/event.ts';
import { derivedId } from '../record/id.ts';
import { metadataSchema, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import { type Scope, staysInSession } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import { appendEvents, type EventInput } from './observe.ts';

/** A document, an attachment or a tool's output. Recall finds it by its content. */
export interface NewDocument {
  content: string;
  /** Where the document comes from. Default: the content of an attachment that a tool has extracted. */
  context?: ContextSource;
  metadata?: Record<string, unknown>;
  occurredAt?: TimeInput;
}

export const newDocumentSchema: z.ZodType<Parsed<NewDocument>, NewDocument> = z.strictObject({
  content: textSchema(5_000_000),
  context: contextSourceSchema.optional(),
  metadata: metadataSchema.optional(),
  occurredAt: timeSchema.optional(),
});

/** The result of indexing a document. */
export interface IndexedDocument {
  chunks: Event[];
  /** Number of chunks that existed already. */
  repeated: number;
}

/** Idempotent, because a chunk's id is derived from its content and source. */
export async function indexDocument(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  document: Parsed<NewDocument>,
): Promise<IndexedDocument> {
  const context: ContextSource = document.context ?? {
    type: 'tool_attachment_content',
    source: 'tool_extracted_content',
  };
  // These are the passages that a long event has for embedding.
  const chunks = passagesOf(document.content).map(({ start, end }) => document.content.slice(start, end).trim());
  const inputs = chunks.filter(Boolean).map((content, index): EventInput => {
    const metadata = { ...document.metadata, chunk: index };
    const id = derivedId('evt', [scope.tenant, scope.agent, scope.user, scope.connection, content, context, metadata]);
    return {
      id,
      kind: 'document_chunk',
      origin: 'document',
      content,
      context,
      metadata,
      occurredAt: document.occurredAt,
      idempotencyKey: id,
    };
  });
  // Documents are stored outside of the session. Without a user, they stay in it, so that no other conversation sees them.
  const place = staysInSession(scope) ? scope : { ...scope, session: null };
  const { events, repeated } = await appendEvents(writer, parts, place, inputs);
  return { chunks: events, repeated };
}
