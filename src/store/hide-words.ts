import { indexWords } from '../language/words.ts';
import { splitSentences } from '../language/sentences.ts';
import type { Quote } from '../record/statement.ts';
import type { Writer } from './database.ts';
import { queueForEmbedding } from './embedding-store.ts';
import { toEvent, type EventRow } from './event-store.ts';
import { spansOf, type CutSpan } from './forgotten-store.ts';
import type { Parts } from './parts.ts';
import { redactJson, type Says } from './redact-documents.ts';

/** What of an event is to be out of sight. */
export interface Hiding {
  /** Words that are out of sight whatever they say. */
  quotes: readonly Pick<Quote, 'start' | 'end'>[];
  /** Sentences that say something which is out of sight. */
  says: Says;
}

/**
 * The words of an event to take out. A quote takes its sentence along where it is most of it, or where what is left still says it. An
 * event of which no word is left is blank as a whole.
 */
export function spansToHide(row: EventRow, { quotes, says }: Hiding): CutSpan[] {
  const { content } = row;
  const spans: { start: number; end: number }[] = [];
  for (const { text, span } of splitSentences(content)) {
    const inside = quotes.flatMap(({ start, end }) => {
      const part = { start: Math.max(start, span.start), end: Math.min(end, span.end) };
      return part.start < part.end ? [part] : [];
    });
    const quoted = inside.reduce((sum, { start, end }) => sum + end - start, 0);
    if (quoted * 2 >= text.length || says(text)) spans.push(span);
    else spans.push(...inside);
  }
  const isAll = !/[\p{L}\p{N}]/u.test(withBlanks(content, spans));
  const hidden = spans.length > 0 && isAll ? [{ start: 0, end: content.length }] : spans;
  const cut: CutSpan[] = hidden
    .filter(({ start, end }) => content.slice(start, end).trim() !== '')
    .map(({ start, end }) => ({ event: row.id, start, end, field: 'content', words: content.slice(start, end) }));
  if (redactJson(row.metadata, says) !== row.metadata)
    cut.push({ event: row.id, start: 0, end: row.metadata.length, field: 'metadata', words: row.metadata });
  return cut;
}

/** A text with blanks in place of some of its words: every other character keeps its place, so that quotes of it stay true. */
function withBlanks(text: string, spans: readonly Pick<Quote, 'start' | 'end'>[]): string {
  return spans.reduce(
    (left, { start, end }) => left.slice(0, start) + ' '.repeat(Math.max(0, end - start)) + left.slice(end),
    text,
  );
}

/** Takes words out of an event, with its place in the text index and its vector. */
export async function hideInEvent(
  writer: Writer,
  parts: Parts,
  row: EventRow,
  spans: readonly CutSpan[],
  says: Says,
): Promise<void> {
  if (spans.length === 0) return;
  const content = withBlanks(
    row.content,
    spans.filter(({ field }) => field === 'content'),
  );
  await rewriteEvent(writer, parts, row, { content, metadata: redactJson(row.metadata, says) });
}

/** Puts the words of a record back into its events; what other records have taken out of them stays out. */
export async function showWords(writer: Writer, parts: Parts, tenant: string, id: string): Promise<void> {
  const spans = (await spansOf(writer, tenant, [id])).get(id) ?? [];
  for (const event of new Set(spans.map((span) => span.event))) {
    const row = await writer
      .selectFrom('events')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('id', '=', event)
      .executeTakeFirst();
    if (row === undefined) continue;
    const own = spans.filter((span) => span.event === event);
    const shown = own
      .filter(({ field }) => field === 'content')
      .reduce((text, { start, words }) => text.slice(0, start) + words + text.slice(start + words.length), row.content);
    const others = await writer
      .selectFrom('forgotten_spans')
      .select(['start_at as start', 'end_at as end'])
      .where('tenant_id', '=', tenant)
      .where('event_id', '=', event)
      .where('field', '=', 'content')
      .where('forgotten_id', '!=', id)
      .execute();
    const metadata = own.find(({ field }) => field === 'metadata')?.words ?? row.metadata;
    await rewriteEvent(writer, parts, row, { content: withBlanks(shown, others), metadata });
  }
}

async function rewriteEvent(
  writer: Writer,
  parts: Parts,
  row: EventRow,
  { content, metadata }: { content: string; metadata: string },
): Promise<void> {
  const { tenant_id: tenant, owner_key: owner, row_id: rowId } = row;
  await writer
    .updateTable('events')
    .set({ content, metadata })
    .where('tenant_id', '=', tenant)
    .where('id', '=', row.id)
    .execute();
  if (content === row.content) return;
  await parts.database.text.remove(writer, 'event', [rowId]);
  const ofEvent = (table: 'embeddings' | 'embedding_queue') =>
    writer
      .deleteFrom(table)
      .where('tenant_id', '=', tenant)
      .where('record_kind', '=', 'event')
      .where('record_row', '=', rowId);
  await ofEvent('embeddings').execute();
  await ofEvent('embedding_queue').execute();
  if (content.trim() === '') return;
  const { speaker } = toEvent(row);
  const words = indexWords(speaker === null ? content : `${speaker} ${content}`);
  await parts.database.text.add(writer, 'event', [{ tenant, owner, rowId, words }]);
  // Not version 0: a vector of the words as they were may be under way, and must not be saved.
  await queueForEmbedding(writer, [{ tenant, owner, kind: 'event', rowId, version: parts.clock.now() }]);
}
