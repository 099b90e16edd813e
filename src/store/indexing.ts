import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { invalidInput } from '../errors.ts';
import { passagesOf } from '../language/sentences.ts';
import { indexWords } from '../language/words.ts';
import { bundledCalibration, type Calibration, calibrationSchema, type Embedder } from '../models/embedder.ts';
import { toldText, voiceOf } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import { ownerKey } from '../record/scope.ts';
import {
  type Database,
  EVERY_TENANT,
  type IndexedKind,
  type Parts,
  type Reader,
  type Tenant,
  type TextIndex,
  type TextSearch,
  type Writer,
} from './database.ts';
import { searchableText } from './record-rows.ts';
import type { Origin } from '../record/statement.ts';
import { findMeta, readMeta, setMeta } from './meta-store.ts';
import { chunks, countRows, insertion, insertNew, ofTenant, removeRows, rowsWhere } from './rows.ts';

/** In the table `meta`. Queries use the vectors of this model. */
export const ACTIVE_MODEL = 'embedding_model';

/** During a migration to a new model, queries use the previous embedder as long as its model is the active one. */
export interface EmbeddingModels {
  readonly current: Embedder | null;
  forQueries(reader: Reader): Promise<Embedder | null>;
  /** Includes the previous embedder during a migration. */
  forRecords(reader: Reader): Promise<Embedder[]>;
  /** The calibration measured in this store, or else the one bundled with Varve. */
  calibrationOf(embedder: Embedder): Calibration;
  calibrated(calibration: Calibration): Promise<void>;
  isChanging(reader: Reader): Promise<boolean>;
  close(): Promise<void>;
}

export async function createEmbeddingModels(
  database: Database,
  { current, previous = null }: { current: Embedder | null; previous?: Embedder | null },
): Promise<EmbeddingModels> {
  if (current !== null && previous?.id === current.id) {
    throw invalidInput(
      `The embedder and the previous embedder are the same, ${current.id}. Leave out the previous embedder.`,
    );
  }
  if (current !== null) {
    await database.vectors.prepare({ id: current.id, dimensions: current.dimensions });
    await database.write(EVERY_TENANT, async (writer) => {
      if ((await findMeta(writer, ACTIVE_MODEL)) === null) await setMeta(writer, ACTIVE_MODEL, current.id);
    });
  }
  const calibrations = new Map<string, Calibration>();
  for (const embedder of [current, previous]) {
    const stored = embedder === null ? null : await readMeta(database, calibrationKey(embedder.id));
    if (stored !== null) calibrations.set(embedder?.id ?? '', calibrationSchema.parse(JSON.parse(stored)));
  }
  const isChanging = async (reader: Reader): Promise<boolean> =>
    current !== null && (await findMeta(reader, ACTIVE_MODEL)) !== current.id;
  const answering = async (reader: Reader): Promise<Embedder | null> => {
    if (current === null || previous === null) return null;
    return (await findMeta(reader, ACTIVE_MODEL)) === previous.id ? previous : null;
  };
  return {
    current,
    isChanging,
    calibrationOf: ({ id }) => calibrations.get(id) ?? bundledCalibration(id),
    async calibrated(calibration) {
      const text = JSON.stringify(calibration);
      await database.write(EVERY_TENANT, (writer) => setMeta(writer, calibrationKey(calibration.embedder), text));
      calibrations.set(calibration.embedder, calibration);
    },
    forQueries: async (reader) => (await answering(reader)) ?? current,
    async forRecords(reader) {
      const before = await answering(reader);
      return [current, before].filter((embedder) => embedder !== null);
    },
    async close() {
      await current?.close?.();
      await previous?.close?.();
    },
  };
}

function calibrationKey(embedder: string): string {
  return `calibration ${embedder}`;
}

export function recordTable(kind: IndexedKind): RawBuilder<unknown> {
  return sql.table(kind === 'memory' ? 'memories' : 'events');
}

export function textTable(kind: IndexedKind): RawBuilder<unknown> {
  return sql.table(`${kind}_text`);
}

/** Each condition begins with `and`. */
export function recordConditions({
  kind,
  archived = false,
  condition,
}: Omit<TextSearch, 'words'>): RawBuilder<unknown> {
  const live = kind === 'memory' && !archived ? sql`and record.archived_at is null` : sql``;
  return condition === undefined ? live : sql`${live} and ${condition}`;
}

export async function rowsThat(
  reader: Reader,
  search: { tenant: string; owners: readonly string[]; kind: IndexedKind; condition: RawBuilder<SqlBool> },
): Promise<Set<number>> {
  const { rows } = await sql<{ rowId: number }>`
    select record.row_id as "rowId" from ${recordTable(search.kind)} as record
    where record.tenant_id = ${search.tenant} and record.owner_key in (${sql.join([...search.owners])})
      and ${search.condition}`.execute(reader);
  return new Set(rows.map((row) => row.rowId));
}

interface QueuedRecord {
  tenant: string;
  owner: string;
  kind: IndexedKind;
  rowId: number;
  /** The record's version when it was queued. For events: 0, or the time when words were last hidden or restored. */
  version: number;
}

export async function queueForEmbedding(writer: Writer, records: readonly QueuedRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map((record) => ({
    tenant_id: record.tenant,
    owner_key: record.owner,
    record_kind: record.kind,
    record_row: record.rowId,
    version: record.version,
  }));
  await sql`${insertion('embedding_queue', rows)} on conflict (tenant_id, record_kind, record_row)
    do update set version = excluded.version`.execute(writer);
}

export interface RecordToEmbed extends QueuedRecord {
  /** One text per passage of an event, each with the speaker; one text for a whole memory. */
  texts: string[];
  /** The memory's type or the event's kind, for reports. */
  type: string;
}

interface QueuedText extends QueuedRecord {
  text: string;
  type: string;
  speaker: string | null;
  origin: Origin | null;
  metadata: string | null;
}

export async function nextToEmbed(
  reader: Reader,
  tenant: string,
  owner: string,
  limit: number,
): Promise<RecordToEmbed[]> {
  const { rows } = await sql<QueuedText>`
    select q.tenant_id as tenant, q.owner_key as owner, q.record_kind as kind, q.record_row as "rowId", q.version,
      coalesce(e.content, case when m.title is null then m.content else m.title || '. ' || m.content end, '') as text,
      coalesce(e.kind, m.type, '') as type, e.speaker, e.origin, case when e.kind = 'decision' then e.metadata end as metadata
    from embedding_queue q
    left join events e on q.record_kind = 'event' and e.tenant_id = q.tenant_id and e.row_id = q.record_row
    left join memories m on q.record_kind = 'memory' and m.tenant_id = q.tenant_id and m.row_id = q.record_row
    where q.tenant_id = ${tenant} and q.owner_key = ${owner}
    order by q.record_row desc limit ${limit}`.execute(reader);
  return rows.map(({ text, speaker, origin, metadata, ...record }) => {
    const { type: kind } = record;
    const content = toldText({ kind, content: text, metadata });
    return { ...record, texts: origin === null ? [text] : textsOfEvent({ content, kind, origin, speaker }) };
  });
}

function textsOfEvent(event: { content: string; kind: string; origin: Origin; speaker: string | null }): string[] {
  const voice = voiceOf(event);
  return passagesOf(event.content).map(({ start, end }) => {
    const passage = event.content.slice(start, end);
    return voice === null ? passage : `${voice}: ${passage}`;
  });
}

interface EmbeddedRecord extends QueuedRecord {
  vectors: readonly Float32Array[];
}

// 8 columns per row: far below the parameter limits of both databases.
const VECTORS_PER_INSERT = 100;

/** Drops the vectors of a record that was revised meanwhile: it stays in the queue. */
export async function saveVectors(
  writer: Writer,
  database: Database,
  records: readonly EmbeddedRecord[],
  { model, sequence }: { model: string; sequence: number },
): Promise<void> {
  for (const record of records) {
    const isCurrent = await sql`select 1 from embedding_queue
      where tenant_id = ${record.tenant} and record_kind = ${record.kind} and record_row = ${record.rowId}
        and version = ${record.version}`.execute(writer);
    if (isCurrent.rows.length === 0) continue;
    const rows = record.vectors.map((vector, passage) => ({
      tenant_id: record.tenant,
      owner_key: record.owner,
      record_kind: record.kind,
      record_row: record.rowId,
      model_id: model,
      passage,
      sequence,
      vector: database.syntax.encodeVector(vector),
    }));
    for (const some of chunks(rows, VECTORS_PER_INSERT)) {
      await sql`${insertion('embeddings', some)} on conflict (tenant_id, record_kind, record_row, model_id, passage)
        do update set vector = excluded.vector, sequence = excluded.sequence`.execute(writer);
    }
  }
}

/** Keeps records that were revised meanwhile. */
export async function unqueue(writer: Writer, records: readonly QueuedRecord[]): Promise<void> {
  for (const { tenant, kind, rowId, version } of records) {
    await sql`delete from embedding_queue where tenant_id = ${tenant} and record_kind = ${kind}
      and record_row = ${rowId} and version = ${version}`.execute(writer);
  }
}

/** Also removes the records from the queue. Returns the number of removed vectors. */
export async function removeVectors(
  writer: Writer,
  tenant: string,
  kind: IndexedKind,
  rows: readonly number[],
): Promise<number> {
  const ofKind = sql`and record_kind = ${kind}`;
  await removeRows(writer, tenant, 'embedding_queue', { record_row: rows }, ofKind);
  return removeRows(writer, tenant, 'embeddings', { record_row: rows }, ofKind);
}

export async function ownersToEmbed(
  database: Database,
  limit: number,
  tenant: Tenant = EVERY_TENANT,
): Promise<{ tenant: string; owner: string }[]> {
  const { rows } = await database.read(tenant, (reader) =>
    sql<{ tenant: string; owner: string }>`
      select distinct tenant_id as tenant, owner_key as owner from embedding_queue
      where ${ofTenant(tenant)} limit ${limit}`.execute(reader),
  );
  return rows;
}

export async function countQueued(database: Database): Promise<number> {
  return database.read(EVERY_TENANT, (reader) => countRows(reader, 'embedding_queue', sql`1 = 1`));
}

/** Returns vectors by row number. For a long event, the vector of its first passage. */
export async function findVectors(
  reader: Reader,
  database: Database,
  { tenant, model, kind, rowIds }: { tenant: string; model: string; kind: IndexedKind; rowIds: readonly number[] },
): Promise<Map<number, Float32Array>> {
  if (rowIds.length === 0) return new Map();
  const { syntax } = database;
  const isMeant = sql`tenant_id = ${tenant} and record_kind = ${kind} and ${syntax.isAnyOf('record_row', rowIds)}
    and model_id = ${model} and passage = 0`;
  const rows = await rowsWhere(reader, 'embeddings', isMeant, ['record_row', 'vector']);
  return new Map(rows.map((row) => [row.record_row, syntax.decodeVector(row.vector)]));
}

interface MissingVectors {
  kind: IndexedKind;
  model: string;
  tenant?: Tenant;
  after: number;
  limit: number;
}

/** Each call covers one range of rows and returns its last row, after which the next call continues; null at the end. */
export async function queueMissing(
  database: Database,
  { kind, model, tenant = EVERY_TENANT, after, limit }: MissingVectors,
): Promise<number | null> {
  const table = recordTable(kind);
  const version = kind === 'memory' ? sql`r.version` : sql`0`;
  return database.write(tenant, async (writer) => {
    const { rows } = await sql<{ last: number | null }>`
      select max(row_id) as last from (select row_id from ${table} r
        where row_id > ${after} and ${ofTenant(tenant)} order by row_id limit ${limit}) as stretch`.execute(writer);
    const last = rows[0]?.last ?? null;
    if (last === null) return null;
    await sql`insert into embedding_queue (tenant_id, owner_key, record_kind, record_row, version)
      select r.tenant_id, r.owner_key, ${kind}, r.row_id, ${version} from ${table} r
      where r.row_id > ${after} and r.row_id <= ${last} and ${ofTenant(tenant)} and not exists (
        select 1 from embeddings v where v.tenant_id = r.tenant_id and v.record_kind = ${kind}
          and v.record_row = r.row_id and v.model_id = ${model})
      on conflict do nothing`.execute(writer);
    return last;
  });
}

export type Links = Pick<Memory, 'tags' | 'sourceEvents' | 'entities'>;

export async function indexMemory(
  writer: Writer,
  parts: Parts,
  rowId: number,
  memory: Memory,
  before: Links,
  textChanged = true,
): Promise<void> {
  const tenant = memory.scope.tenant;
  const owner = ownerKey(memory.scope);
  if (textChanged) {
    await parts.database.text.add(writer, 'memory', [
      { tenant, owner, rowId, words: indexWords(searchableText(memory)) },
    ]);
    await queueForEmbedding(writer, [{ tenant, owner, kind: 'memory', rowId, version: memory.version }]);
  }
  const ofMemory = sql`and memory_id = ${memory.id}`;
  await removeRows(writer, tenant, 'memory_tags', { tag: added(before.tags, memory.tags) }, ofMemory);
  await removeRows(writer, tenant, 'memory_entities', { entity_id: added(before.entities, memory.entities) }, ofMemory);
  const link = { tenant_id: tenant, memory_id: memory.id };
  const tags = added(memory.tags, before.tags).map((tag) => ({ ...link, owner_key: owner, tag }));
  await insertNew(writer, 'memory_tags', tags);
  const sources = added(memory.sourceEvents, before.sourceEvents).map((event_id) => ({ ...link, event_id }));
  await insertNew(writer, 'memory_sources', sources);
  const entities = added(memory.entities, before.entities).map((entity_id) => ({ ...link, entity_id }));
  await insertNew(writer, 'memory_entities', entities);
}

function added(after: readonly string[], before: readonly string[]): string[] {
  return after.filter((item) => !before.includes(item));
}

/** Removes at most `limit` vectors of other models, but always all passages of a record. Returns the number of removed vectors. */
export async function removeVectorsExcept(writer: Writer, model: string, limit: number): Promise<number> {
  const { rows } = await sql`delete from embeddings
    where (tenant_id, record_kind, record_row, model_id) in
      (select tenant_id, record_kind, record_row, model_id from embeddings where model_id <> ${model} limit ${limit})
    returning record_row as row`.execute(writer);
  return rows.length;
}

// Ranking costs a few microseconds per row, so this many rows take a few milliseconds.
const MOST_ROWS = 1000;

/**
 * The rarest words, until `MOST_ROWS` rows contain them. A word in every row, such as "user" in memories, costs the most and does not help
 * to rank.
 */
export async function tellingWords(index: TextIndex, reader: Reader, search: TextSearch): Promise<string[]> {
  const counts = await index.frequencies(reader, search);
  const known = [...new Set(search.words)].filter((word) => counts.has(word));
  known.sort((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0));
  let rows = 0;
  return known.filter((word, place) => {
    rows += counts.get(word) ?? 0;
    return place === 0 || rows <= MOST_ROWS;
  });
}

type Condition = RawBuilder<SqlBool>;

export function isOfTypes(types: readonly string[]): Condition {
  return sql<SqlBool>`record.type in (${sql.join(types)}) and record.source_type <> 'consolidation' and record.connection_id = ''`;
}

export function isExpiredSince(condition: Condition, since: number): Condition {
  return sql<SqlBool>`${condition} and record.archive_reason = 'expired' and record.archived_at >= ${since}`;
}

export function mayBeDoubleOf(memory: Memory, row: number): Condition {
  return sql<SqlBool>`record.type = ${memory.type} and record.row_id <> ${row}
    and record.connection_id = ${memory.scope.connection ?? ''} and record.source_type <> 'consolidation'
    and record.polarity = ${memory.polarity} and record.tense = ${memory.tense}`;
}
