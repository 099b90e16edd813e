import { type Kysely, type RawBuilder, sql } from 'kysely';
import { digest } from '../../record/id.ts';
import type { TextIndex, VectorHit, VectorIndex } from '../database.ts';
import type { Tables } from '../schema.ts';
import { TENANT_ROLE } from './row-security.ts';
import { chunks } from '../rows.ts';
import { recordConditions, recordTable, tellingWords, textTable } from '../indexing.ts';

const CONDITION_FACTOR = 20;

/**
 * A tsvector of the words that Varve has segmented. As in SQLite, each word is prefixed with its owner's key.
 *
 * The operator `@@` is not leakproof, so PostgreSQL would not use the index for it under row-level security. The search is therefore a
 * function that runs with the rights of the tables' owner and checks the tenant itself. Citus cannot look into a function, so in a
 * distributed store the statement itself searches and reads all rows of the owners.
 */
export function createPostgresTextIndex(isDistributed: boolean): TextIndex {
  const index: TextIndex = {
    async add(writer, kind, entries) {
      // An upsert must not affect a row twice, so only the last entry of each row is written.
      const last = [...new Map(entries.map((entry) => [entry.rowId, entry])).values()];
      for (const some of chunks(last)) {
        const rows = some.map(({ tenant, owner, rowId, words }) => {
          const vector = toTsvector(words.map((word) => ownedWord(owner, word)));
          return sql`(${tenant}, ${owner}, ${rowId}, ${vector}::tsvector)`;
        });
        await sql`insert into ${textTable(kind)} (tenant_id, owner_key, row_id, words)
          values ${sql.join(rows)}
          on conflict (tenant_id, row_id) do update set words = excluded.words`.execute(writer);
      }
    },

    async remove(writer, kind, tenant, rowIds) {
      if (rowIds.length === 0) return;
      await sql`delete from ${textTable(kind)}
        where tenant_id = ${tenant} and row_id = any(${[...rowIds]}::bigint[])`.execute(writer);
    },

    async search(reader, search) {
      const { kind, tenant, owners, limit, archived = false } = search;
      const words = await tellingWords(index, reader, search);
      if (words.length === 0) return [];
      const query = owners.flatMap((owner) => words.map((word) => quoted(ownedWord(owner, word)))).join(' | ');
      // The condition is checked outside the function, so the function must return more rows than requested.
      const most = search.condition === undefined ? limit : limit * CONDITION_FACTOR;
      const found = isDistributed
        ? sql`(select row_id, ts_rank(words, ${query}::tsquery)::double precision as score from ${textTable(kind)}
            where tenant_id = ${tenant} and owner_key = any(${[...owners]}) and words @@ ${query}::tsquery)`
        : sql`${sql.ref(`varve_search_${kind}`)}(${query}, ${most}, ${archived})`;
      const { rows } = await sql<{ rowId: number; score: number }>`
        select found.row_id as "rowId", found.score from ${found} as found
        join ${recordTable(kind)} as record on record.row_id = found.row_id
        where record.tenant_id = ${tenant} ${recordConditions(search)}
        order by found.score desc, found.row_id desc limit ${limit}`.execute(reader);
      return rows;
    },

    async frequencies(reader, { tenant, kind, owners, words }) {
      const counts = new Map<string, number>();
      if (words.length === 0 || owners.length === 0) return counts;
      const owned = words.flatMap((word) => owners.map((owner) => [word, quoted(ownedWord(owner, word))] as const));
      const terms = owned.map(([, term]) => term);
      const counted = isDistributed
        ? sql`select term, count(*) as count from ${textTable(kind)}, unnest(${terms}::text[]) as term
            where tenant_id = ${tenant} and owner_key = any(${[...owners]}) and words @@ term::tsquery group by term`
        : sql`select term, count from ${sql.ref(`varve_count_${kind}`)}(${terms}::text[])`;
      const { rows } = await (counted as RawBuilder<{ term: string; count: number }>).execute(reader);
      const found = new Map(rows.map((row) => [row.term, row.count]));
      for (const [word, term] of owned) counts.set(word, (counts.get(word) ?? 0) + (found.get(term) ?? 0));
      for (const [word, count] of counts) if (count === 0) counts.delete(word);
      return counts;
    },
  };
  return index;
}

/** Every migration recreates these functions. They bypass row-level security, so they must check the tenant. */
export function textSearchFunctions(schema: string): string[] {
  return (['memory', 'event'] as const).flatMap((kind) => {
    const live = kind === 'memory' ? 'and (archived or r.archived_at is null)' : '';
    const records = kind === 'memory' ? 'memories' : 'events';
    const head = `language sql stable security definer set search_path = "${schema}", pg_temp`;
    const search = `"${schema}".varve_search_${kind}(query text, most bigint, archived boolean)`;
    const count = `"${schema}".varve_count_${kind}(terms text[])`;
    return [
      `create or replace function ${search} returns table (row_id bigint, score double precision) ${head} as $$
        select t.row_id, ts_rank(t.words, query::tsquery)::double precision as score
        from ${kind}_text t join ${records} r on r.tenant_id = t.tenant_id and r.row_id = t.row_id
        where t.words @@ query::tsquery and t.tenant_id = current_setting('varve.tenant') ${live}
        order by score desc, t.row_id desc limit most $$`,
      `create or replace function ${count} returns table (term text, count bigint) ${head} as $$
        select term, (select count(*) from ${kind}_text t
          where t.words @@ term::tsquery and t.tenant_id = current_setting('varve.tenant'))
        from unnest(terms) as term $$`,
      `revoke all on function ${search} from public`,
      `revoke all on function ${count} from public`,
      `grant execute on function ${search} to ${TENANT_ROLE}`,
      `grant execute on function ${count} to ${TENANT_ROLE}`,
    ];
  });
}

function ownedWord(owner: string, word: string): string {
  return `${owner}${word}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

// PostgreSQL's limits: positions go up to 16,383, and a word has at most 256 of them.
const LAST_POSITION = 16_383;

function toTsvector(words: readonly string[]): string {
  const positions = new Map<string, number[]>();
  for (const [index, word] of words.entries()) {
    const places = positions.get(word) ?? [];
    if (places.length < 256) places.push(Math.min(index + 1, LAST_POSITION));
    positions.set(word, places);
  }
  return [...positions].map(([word, places]) => `${quoted(word)}:${places.join(',')}`).join(' ');
}

// HNSW indexes only vectors of up to 2,000 dimensions. With larger ones, each search reads all vectors of its owners.
const MOST_INDEXED_DIMENSIONS = 2000;

export function encodeVector(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

/**
 * One column for the vectors of all models, and one HNSW index per model, over the vectors cast to its dimensions. For small owners, the
 * planner compares all vectors; for large ones, it scans the index until enough rows belong to the owner.
 */
export function createPostgresVectorIndex(kysely: Kysely<Tables>, schema: string): VectorIndex {
  const nearest: VectorIndex['nearest'] = async (reader, search) => {
    const { tenant, owners, model, kind, query, limit, archived = false, condition } = search;
    const needsRecord = condition !== undefined || (kind === 'memory' && !archived);
    const join = needsRecord
      ? sql`join ${recordTable(kind)} as record on record.tenant_id = v.tenant_id and record.row_id = v.record_row`
      : sql``;
    const distance = sql`v.vector::vector(${sql.lit(model.dimensions)}) <#> ${encodeVector(query)}::vector`;
    const { rows } = await sql<VectorHit>`
      select v.record_row as "rowId", v.passage, -(${distance}) as similarity
      from embeddings v ${join}
      where v.tenant_id = ${tenant} and v.owner_key = any(${[...owners]}) and v.model_id = ${sql.lit(model.id)}
        and v.record_kind = ${kind} ${recordConditions(search)}
      order by ${distance} limit ${limit}`.execute(reader);
    return rows.sort((one, other) => other.similarity - one.similarity);
  };
  return {
    async prepare(model) {
      if (model.dimensions > MOST_INDEXED_DIMENSIONS) return;
      const name = `embeddings_${digest([model.id, model.dimensions], 12)}`;
      await sql`create index concurrently if not exists ${sql.ref(name)} on ${sql.table(`${schema}.embeddings`)}
        using hnsw ((vector::vector(${sql.lit(model.dimensions)})) vector_ip_ops)
        where model_id = ${sql.lit(model.id)}`.execute(kysely);
    },
    nearest,
    scan: async () => null,
  };
}
