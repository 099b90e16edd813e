import { ownerLevel, type Scope } from '../record/scope.ts';
import { toBlock } from '../store/block-store.ts';
import type { Database, Parts } from '../store/database.ts';
import { type ExportedRows, exportedRows } from '../store/doors/transfer-store.ts';
import { toEntity } from '../store/entity-store.ts';
import { digestsFor, type ForgottenDigests, newSalt, spansOf, toForgotten } from '../store/forget/forgotten-store.ts';
import { toRefusal } from '../store/history-store.ts';
import { type EventRow, type MemoryRow, toEvent, toMemory } from '../store/record-rows.ts';
import type { RecordLine } from './record-line.ts';

/** A record comes after those that it refers to. Memory use is constant. Records that are written meanwhile may be missing. */
export async function* exportRecords(
  { database, clock, sharesFacts = false }: Pick<Parts, 'database' | 'clock' | 'sharesFacts'>,
  scope: Scope,
): AsyncGenerator<RecordLine> {
  const now = new Date(clock.now());
  const withShared = sharesFacts && scope.user !== null && scope.session === null;
  const rows = exportedRows(database, scope, withShared);
  yield { record: 'header', format: 'varve', version: 2, exportedAt: now };
  if (scope.session === null) {
    for await (const row of rows.of('entities')) {
      const { id, scope: place, type, name, aliases, metadata } = toEntity(row);
      yield { record: 'entity', id, scope: place, data: { type, name, aliases, metadata } };
    }
    yield* forgottenLines(database, scope.tenant, rows);
  }
  for await (const row of rows.events()) yield eventLine(row);
  for await (const row of rows.of('refusals')) yield { record: 'refusal', ...toRefusal(row) };
  if (scope.session === null) for await (const revision of rows.revisions()) yield { record: 'revision', ...revision };
  for await (const row of rows.memories('kept')) yield memoryLine(row);
  for await (const row of rows.of('blocks')) {
    const { id, scope: place, kind, content, basis, version, createdAt, updatedAt } = toBlock(row);
    yield { record: 'block', id, scope: place, kind, content, basis, version, createdAt, updatedAt };
  }
}

/** Digests replace the words. All lines of an export have the same salt. */
async function* forgottenLines(database: Database, tenant: string, rows: ExportedRows): AsyncGenerator<RecordLine> {
  const salt = newSalt();
  for await (const row of rows.of('forgotten')) {
    const record = toForgotten(row, []);
    const { id, scope, as, memory, by, request, at, saidAgainAt } = record;
    const cut = (await database.read(tenant, (reader) => spansOf(reader, tenant, [id]))).get(id) ?? [];
    const spans = cut.map(({ event, start, end, field }) => ({ event, start, end, field }));
    const kept = row.digests === null ? null : (JSON.parse(row.digests) as ForgottenDigests);
    const digests = kept ?? (await digestsFor(record, salt));
    yield { record: 'forgotten', id, scope, as, memory, spans, by, request, at, saidAgainAt, digests };
  }
  for await (const row of rows.memories('hidden')) {
    const { id, scope, content, archivedAt: at, ...fields } = toMemory(row);
    const digests = await digestsFor({ ...fields, text: content }, salt);
    const line = { record: 'forgotten', id: id.replace('mem_', 'fgt_'), scope: { ...scope, session: null } } as const;
    yield { ...line, as: 'forgotten', memory: id, spans: [], by: 'system', at: at ?? new Date(0), digests };
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
    data: { ...data, level: scope.session === null ? ownerLevel(scope) : 'session' },
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
