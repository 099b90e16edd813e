import { type RawBuilder, sql } from 'kysely';
import { type IndexedKind, type TextIndex, tellingWords } from '../database.ts';

const TEXT_TABLE: Record<IndexedKind, RawBuilder<unknown>> = {
  memory: sql.table('memory_text'),
  event: sql.table('event_text'),
};
const VOCABULARY: Record<IndexedKind, RawBuilder<unknown>> = {
  memory: sql.table('memory_vocabulary'),
  event: sql.table('event_vocabulary'),
};
const RECORD_TABLE: Record<IndexedKind, RawBuilder<unknown>> = {
  memory: sql.table('memories'),
  event: sql.table('events'),
};

/**
 * FTS5. Every word is indexed behind its owner's key, so that the postings of a word are those of one owner:
 * a search costs what its owner has, not what the file has, and word frequencies are the owner's own.
 */
export const sqliteTextIndex: TextIndex = {
  async add(writer, kind, entries) {
    const rows = entries.map(({ owner, rowId, words }) => [
      rowId,
      words.map((word) => ownedWord(owner, word)).join(' '),
    ]);
    await sql`insert or replace into ${TEXT_TABLE[kind]} (rowid, words)
      select value ->> 0, value ->> 1 from json_each(${JSON.stringify(rows)})`.execute(writer);
  },

  async remove(writer, kind, rowIds) {
    await sql`delete from ${TEXT_TABLE[kind]}
      where rowid in (select value from json_each(${JSON.stringify(rowIds)}))`.execute(writer);
  },

  async search(reader, search) {
    const { kind, tenant, owners, limit, archived = false, condition } = search;
    const words = await tellingWords(sqliteTextIndex, reader, search);
    if (words.length === 0) return [];
    const query = owners.flatMap((owner) => words.map((word) => `"${ownedWord(owner, word)}"`)).join(' OR ');
    const live = kind === 'memory' && !archived ? sql`and record.archived_at is null` : sql``;
    const also = condition === undefined ? sql`` : sql`and ${condition}`;
    const { rows } = await sql<{ rowId: number; score: number }>`
      select record.row_id as "rowId", -bm25(${TEXT_TABLE[kind]}) as score
      from ${TEXT_TABLE[kind]} join ${RECORD_TABLE[kind]} as record on record.row_id = ${TEXT_TABLE[kind]}.rowid
      where ${TEXT_TABLE[kind]} match ${query} and record.tenant_id = ${tenant} ${live} ${also}
      order by score desc, record.row_id desc limit ${limit}`.execute(reader);
    return rows;
  },

  async frequencies(reader, kind, owners, words) {
    if (words.length === 0 || owners.length === 0) return new Map();
    const owned = new Map(owners.flatMap((owner) => words.map((word) => [ownedWord(owner, word), word] as const)));
    const { rows } = await sql<{ term: string; doc: number }>`
      select term, doc from ${VOCABULARY[kind]} where term in (${sql.join([...owned.keys()])})`.execute(reader);
    const counts = new Map<string, number>();
    for (const { term, doc } of rows) {
      const word = owned.get(term);
      if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + doc);
    }
    return counts;
  },
};

// A quote cannot be in a word: segmentation keeps letters, digits and symbols only. Doubled all the same.
function ownedWord(owner: string, word: string): string {
  return `${owner}${word.replaceAll('"', '""')}`;
}
