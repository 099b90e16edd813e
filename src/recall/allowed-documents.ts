import { ownerKey, visibleOwners, type Scope } from '../record/scope.ts';
import type { Database, IndexedKind, Reader } from '../store/database.ts';
import { rowsThat } from '../store/recall-rows.ts';
import type { RecallDocument } from './document-profile.ts';
import { filterCondition, type RecallFilter } from './recall-filter.ts';
import type { RecallOptions, RecallSource } from './recall-options.ts';
import type { RecallView } from './recall-view.ts';

const SOURCE_OF_TYPE: Record<string, RecallSource> = {
  note: 'notes',
  saved_item: 'saved_items',
  summary: 'summaries',
  document_chunk: 'documents',
};

function sourceOf({ kind, type }: RecallDocument): RecallSource {
  return SOURCE_OF_TYPE[type] ?? (kind === 'memory' ? 'memories' : 'events');
}

/** Marks the documents that a recall may find: visible, live, of the wanted sources, and with what the filter asks for. */
export async function allowedDocuments(
  reader: Reader,
  database: Database,
  { scope, view, options, now }: { scope: Scope; view: RecallView; options: RecallOptions; now: number },
): Promise<Uint8Array> {
  const sources = options.sources === undefined ? null : new Set(options.sources);
  const connections = new Set([
    ...(options.connections ?? []),
    ...(scope.connection === null ? [] : [scope.connection]),
  ]);
  const ownSession = `${ownerKey(scope)} ${scope.session}`;
  const mayFind = (document: RecallDocument): boolean =>
    (document.staysInSession !== true || (scope.user === null && document.session === ownSession)) &&
    (document.expiresAt === null || document.expiresAt > now) &&
    (document.connection === null || connections.has(document.connection)) &&
    (document.kind === 'event' || document.session === null || document.session === scope.session) &&
    (sources === null || sources.has(sourceOf(document)));
  const { live, restricted, documents } = view;
  const allowed = live.slice();
  for (let ordinal = 0; ordinal < allowed.length; ordinal += 1) {
    if (allowed[ordinal] === 0 || (sources === null && restricted[ordinal] === 0)) continue;
    allowed[ordinal] = mayFind(documents[ordinal] as RecallDocument) ? 1 : 0;
  }
  const filter = wholeFilter(options);
  if (filter !== null) await narrow(reader, database, { scope, view, allowed, filter });
  return allowed;
}

function wholeFilter({ filter, minimumImportance }: RecallOptions): RecallFilter | null {
  if (minimumImportance === undefined) return filter ?? null;
  return { and: [{ minimumImportance }, ...(filter === undefined ? [] : [filter])] };
}

async function narrow(
  reader: Reader,
  database: Database,
  { scope, view, allowed, filter }: { scope: Scope; view: RecallView; allowed: Uint8Array; filter: RecallFilter },
): Promise<void> {
  const kept: Record<IndexedKind, Set<number>> = { memory: new Set(), event: new Set() };
  for (const kind of ['memory', 'event'] as const) {
    const condition = filterCondition(filter, kind, database.syntax);
    kept[kind] = await rowsThat(reader, { tenant: scope.tenant, owners: visibleOwners(scope), kind, condition });
  }
  for (const [ordinal, { kind, rowId }] of view.documents.entries()) {
    if (!kept[kind].has(rowId)) allowed[ordinal] = 0;
  }
}
