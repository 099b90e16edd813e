import { z } from 'zod';
import { type ContextSource, contextSourceSchema } from '../record/context-source.ts';
import type { Event } from '../record/event.ts';
import { derivedId } from '../record/id.ts';
import { metadataSchema, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import { type Scope, staysInSession } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import type { Parts } from '../store/parts.ts';
import { appendEvents, type EventInput } from './append-events.ts';

/** A document, an attachment or a tool's output, to be found again by what it says. */
export interface NewDocument {
  content: string;
  /** Where it comes from. Default: content of an attachment that a tool has extracted. */
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

/** What became of a document. */
export interface IndexedDocument {
  chunks: Event[];
  /** How many of the chunks were there already. */
  repeated: number;
}

/**
 * Appends a document as chunks. The id of a chunk is derived from what it says and where it comes from,
 * so that indexing the same document again changes nothing.
 */
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
  const inputs = chunkText(document.content).map((content, index): EventInput => {
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
  // Outside of the session: a document is not a turn of the conversation.
  const { events, repeated } = await appendEvents(
    writer,
    parts,
    // What somebody without a name attaches stays in their session.
    staysInSession(scope) ? scope : { ...scope, session: null },
    inputs,
  );
  return { chunks: events, repeated };
}

/** Chunks have about this many characters: six sentences in one vector blur what each of them says. */
const CHUNK_SIZE = 600;

/** Cuts a text into chunks at paragraphs, then sentences, then words. Nothing is lost but white space. */
export function chunkText(text: string, size: number = CHUNK_SIZE): string[] {
  const pieces = text
    .split(/\n\s*\n/u)
    .flatMap((paragraph) => split(paragraph.trim(), size))
    .filter((piece) => piece !== '');
  return join(pieces, size);
}

let segmenter: Intl.Segmenter | undefined;

function split(paragraph: string, size: number): string[] {
  if (paragraph.length <= size) return [paragraph];
  // Made when it is needed: it loads the language data, which takes 6 ms.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'sentence' });
  const sentences = Array.from(segmenter.segment(paragraph), ({ segment }) => segment.trim());
  return join(sentences, size).flatMap((sentence) => splitWords(sentence, size));
}

function splitWords(sentence: string, size: number): string[] {
  if (sentence.length <= size) return [sentence];
  const words = sentence.split(/\s+/u).flatMap((word) => cut(word, size));
  return join(words, size);
}

function cut(word: string, size: number): string[] {
  const characters = [...word];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size)
    pieces.push(characters.slice(start, start + size).join(''));
  return pieces;
}

function join(pieces: readonly string[], size: number): string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last !== undefined && last.length + piece.length + 1 <= size) joined[joined.length - 1] = `${last} ${piece}`;
    else joined.push(piece);
  }
  return joined;
}
