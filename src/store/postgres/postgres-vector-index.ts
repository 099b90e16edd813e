import { sql, type Kysely } from 'kysely';
import { digest } from '../../record/id.ts';
import type { IndexedKind, VectorHit, VectorIndex, VectorModel } from '../database.ts';
import type { Tables } from '../schema.ts';

const RECORD_TABLE: Record<IndexedKind, string> = { memory: 'memories', event: 'events' };

// HNSW indexes vectors of up to 2,000 dimensions; larger ones are scanned exactly.
const MOST_INDEXED_DIMENSIONS = 2000;

export function encodeVector(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

/**
 * pgvector. The column takes vectors of any model; each model has an HNSW index of its own over the vectors cast to
 * its dimensions. The planner reads small owners exactly and large ones through the index, which goes on
 * (iterative scan) until enough rows are of the owner.
 */
export function createPostgresVectorIndex(kysely: Kysely<Tables>, schema: string): VectorIndex {
  const nearest: VectorIndex['nearest'] = async (reader, search) => {
    const { tenant, owners, model, kind, query, limit, archived = false, condition } = search;
    const live = kind === 'memory' && !archived ? sql`and record.archived_at is null` : sql``;
    const also = condition === undefined ? sql`` : sql`and ${condition}`;
    const needsRecord = condition !== undefined || (kind === 'memory' && !archived);
    const join = needsRecord
      ? sql`join ${sql.table(RECORD_TABLE[kind])} as record on record.tenant_id = v.tenant_id and record.row_id = v.record_row`
      : sql``;
    await sql`select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true)`.execute(
      reader,
    );
    const distance = sql`${castTo(model)} <#> ${encodeVector(query)}::vector`;
    const { rows } = await sql<VectorHit>`
      select v.record_row as "rowId", v.passage, -(${distance}) as similarity
      from embeddings v ${join}
      where v.tenant_id = ${tenant} and v.owner_key = any(${[...owners]}) and v.model_id = ${sql.lit(model.id)}
        and v.record_kind = ${kind} ${live} ${also}
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

function castTo(model: VectorModel) {
  return sql`v.vector::vector(${sql.lit(model.dimensions)})`;
}
