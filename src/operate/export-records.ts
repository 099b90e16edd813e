import { type RawBuilder, type Selectable, sql } from 'kysely';
import { ownerKey, type Scope } from '../record/scope.ts';
import { toBlock } from '../store/block-store.ts';
import type { Database, Parts, Reader } from '../store/database.ts';
import { toEntity } from '../store/entity-store.ts';
import { digestsFor, type ForgottenDigests, newSalt, spansOf, toForgotten } from '../store/forget/forgotten-store.ts';
import { withinScope } from '../store/owner-store.ts';
import { toRefusal, toRevision } from '../store/history-store.ts';
import { type MemoryRow, toMemory } from '../store/memory-rows.ts';
import type {
  BlockTable,
  EntityTable,
  ForgottenTable,
  OwnerTable,
  RefusalTable,
  RevisionTable,
} from '../store/schema.ts';
import type { RecordLine } from './record-line.ts';
import { type EventRow, toEvent } from '../store/session-store.ts';

const PAGE = 500;

/**
 * Everything within a scope, as lines. A record comes after the records that it refers to. Memory use does not grow with the store. Records
 * that are written during the export may or may not be in it. Where the agents of a user share facts, an export of one agent has them too.
 */
export async function* exportRecords(
  { database, clock, sharesFacts = false }: Pick<Parts, 'database' | 'clock' | 'sharesFacts'>,
  scope: Scope,
): AsyncGenerator<RecordLine> {
  const now = new Date(clock.now());
  const here = sharesFacts && scope.user !== null && scope.session === null ? withShared(scope) : withinScope(scope);
  yield { record: 'header', format: 'varve', version: 2, exportedAt: now };
  const read = <Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> =>
    database.read(scope.tenant, work);
  if (scope.session === null) {
    for await (const row of pages<Selectable<EntityTable>>((after) =>
      read((reader) => byId(reader, 'entities', here, after)),
    )) {
      const { id, scope: place, type, name, aliases, metadata } = toEntity(row);
      yield { record: 'entity', id, scope: place, data: { type, name, aliases, metadata } };
    }
  }
  if (scope.session === null) yield* forgottenLines(database, scope.tenant, here);
  for await (const row of pages<EventRow>((after) => read((reader) => inOrder(reader, here, after)))) {
    yield eventLine(row);
  }
  for await (const row of pages<Selectable<RefusalTable>>((after) =>
    read((reader) => byId(reader, 'refusals', here, after)),
  )) {
    yield { record: 'refusal', ...toRefusal(row) };
  }
  if (scope.session === null) yield* revisionLines(database, scope.tenant, here);
  for await (const row of pages<MemoryRow>((after) => read((reader) => byRow(reader, here, IS_KEPT, after)))) {
    yield memoryLine(row);
  }
  for await (const row of pages<Selectable<BlockTable>>((after) =>
    read((reader) => byId(reader, 'blocks', here, after)),
  )) {
    const { id, scope: place, kind, content, basis, version, createdAt, updatedAt } = toBlock(row);
    yield { record: 'block', id, scope: place, kind, content, basis, version, createdAt, updatedAt };
  }
}

/** The records within a scope, and the user's facts that are shared by all agents. */
function withShared(scope: Scope): RawBuilder<unknown> {
  const ofAgent = scope.agent === null ? sql`1 = 1` : sql`(agent_id = ${scope.agent} or agent_id is null)`;
  return sql`${withinScope({ ...scope, agent: null })} and ${ofAgent}`;
}

/** Rows by pages: `page` reads those after a row. */
async function* pages<Row>(page: (after: Row | null) => Promise<{ rows: Row[] }>): AsyncGenerator<Row> {
  let after: Row | null = null;
  do {
    const { rows }: { rows: Row[] } = await page(after);
    yield* rows;
    after = rows.length < PAGE ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

/** The next events in the order in which they were written. */
function inOrder(
  reader: Reader,
  here: RawBuilder<unknown>,
  after: Pick<EventRow, 'sequence' | 'row_id'> | null,
): Promise<{ rows: EventRow[] }> {
  return sql<EventRow>`select * from events where ${here}
    and (sequence, row_id) > (${after?.sequence ?? -1}, ${after?.row_id ?? 0})
    order by sequence, row_id limit ${PAGE}`.execute(reader);
}

// The words of what was forgotten stay in the store, where they can be restored or erased, and are in no export.
const IS_KEPT: RawBuilder<unknown> = sql`coalesce(archive_reason, '') <> 'forgotten'`;

function byRow(
  reader: Reader,
  here: RawBuilder<unknown>,
  which: RawBuilder<unknown>,
  after: Pick<MemoryRow, 'row_id'> | null,
): Promise<{ rows: MemoryRow[] }> {
  return sql<MemoryRow>`select * from memories where ${here} and row_id > ${after?.row_id ?? 0}
    and ${which} order by row_id limit ${PAGE}`.execute(reader);
}

function byId<Row extends { id: string }>(
  reader: Reader,
  table: 'entities' | 'blocks' | 'refusals' | 'forgotten',
  here: RawBuilder<unknown>,
  after: { id: string } | null,
): Promise<{ rows: Row[] }> {
  return sql<Row>`select * from ${sql.table(table)}
    where ${here} and id > ${after?.id ?? ''} order by id limit ${PAGE}`.execute(reader);
}

/** Says that something was forgotten, without its words. All lines of an export have one salt. */
async function* forgottenLines(
  database: Database,
  tenant: string,
  here: RawBuilder<unknown>,
): AsyncGenerator<RecordLine> {
  const salt = newSalt();
  const read = <Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> => database.read(tenant, work);
  for await (const row of pages<Selectable<ForgottenTable>>((after) =>
    read((reader) => byId(reader, 'forgotten', here, after)),
  )) {
    const record = toForgotten(row, []);
    const { id, scope, as, memory, by, request, at, saidAgainAt } = record;
    const cut = (await read((reader) => spansOf(reader, tenant, [id]))).get(id) ?? [];
    const spans = cut.map(({ event, start, end, field }) => ({ event, start, end, field }));
    const kept = row.digests === null ? null : (JSON.parse(row.digests) as ForgottenDigests);
    const digests = kept ?? (await digestsFor(record, salt));
    yield { record: 'forgotten', id, scope, as, memory, spans, by, request, at, saidAgainAt, digests };
  }
  // Derived records that were removed with it, such as a summary, have no record of their own.
  for await (const row of pages<MemoryRow>((after) =>
    read((reader) => byRow(reader, here, IS_MADE_OF_FORGOTTEN, after)),
  )) {
    const { id, scope, content, archivedAt: at, ...fields } = toMemory(row);
    const digests = await digestsFor({ ...fields, text: content }, salt);
    const line = { record: 'forgotten', id: id.replace('mem_', 'fgt_'), scope: { ...scope, session: null } } as const;
    yield { ...line, as: 'forgotten', memory: id, spans: [], by: 'system', at: at ?? new Date(0), digests };
  }
}

const IS_MADE_OF_FORGOTTEN: RawBuilder<unknown> = sql`archive_reason = 'forgotten' and not exists (select 1 from forgotten f
  where f.tenant_id = memories.tenant_id and f.memory_id = memories.id)`;

/** Revisions are kept by owner: those of each owner within the scope, in the order of their records. */
async function* revisionLines(
  database: Database,
  tenant: string,
  here: RawBuilder<unknown>,
): AsyncGenerator<RecordLine> {
  const { rows: owners } = await database.read(tenant, (reader) =>
    sql<Selectable<OwnerTable>>`select * from owners where ${here} order by owner_key`.execute(reader),
  );
  for (const { agent_id: agent, user_id: user } of owners) {
    const place = { tenant, agent, user, session: null, connection: null };
    let last: Selectable<RevisionTable> | undefined;
    do {
      const { rows } = await database.read(tenant, (reader) => {
        const after = last === undefined ? sql`` : sql`and (record_id, version) > (${last.record_id}, ${last.version})`;
        return sql<Selectable<RevisionTable>>`select * from revisions
          where tenant_id = ${tenant} and owner_key = ${ownerKey(place)} ${after}
            and not exists (select 1 from memories m where m.tenant_id = revisions.tenant_id and m.id = revisions.record_id
              and m.archive_reason = 'forgotten')
          order by record_id, version limit ${PAGE}`.execute(reader);
      });
      for (const row of rows) yield { record: 'revision', scope: place, ...toRevision(row) };
      last = rows.length < PAGE ? undefined : rows.at(-1);
    } while (last !== undefined);
  }
}

function eventLine(row: EventRow): RecordLine {
  const { id, scope, position: _position, recordedAt, processedAt, ...data } = toEvent(row);
  const idempotencyKey = row.idempotency_key ?? undefined;
  return { record: 'event', id, scope, data: { ...data, idempotencyKey }, recordedAt, processedAt };
}

function memoryLine(row: MemoryRow): RecordLine {
  const memory = toMemory(row);
  const { id, scope, contradictedBy, createdAt, updatedAt, archivedAt, archiveReason, ...rest } = memory;
  const { accessCount, lastAccessedAt, version, reader, internal, ...data } = rest;
  return {
    record: 'memory',
    id,
    scope,
    data: { ...data, level: levelOf(scope) },
    reader,
    internal,
    contradictedBy,
    createdAt,
    updatedAt,
    archivedAt,
    archiveReason,
    accessCount,
    lastAccessedAt,
    version,
  };
}

function levelOf(scope: Scope): 'tenant' | 'agent' | 'user' | 'session' {
  if (scope.session !== null) return 'session';
  if (scope.user !== null) return 'user';
  return scope.agent === null ? 'tenant' : 'agent';
}
