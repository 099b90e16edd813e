import type { Change, Revision } from '../record/revision.ts';
import type { Reader, Writer } from './database.ts';

/** What a revision records of a change. */
export interface RevisionInput {
  tenant: string;
  ownerKey: string;
  recordId: string;
  version: number;
  at: number;
  change: Change;
  /** The record before the change, as JSON; null when it is new. */
  before: string | null;
}

/** Writes the revision that belongs to a change, in the transaction of the change. */
export async function recordRevision(writer: Writer, input: RevisionInput): Promise<void> {
  await writer
    .insertInto('revisions')
    .values({
      tenant_id: input.tenant,
      owner_key: input.ownerKey,
      record_id: input.recordId,
      version: input.version,
      at: input.at,
      reason: input.change.reason,
      actor: input.change.actor ?? 'application',
      run: input.change.run ?? null,
      before: input.before,
    })
    .execute();
}

/** All changes of a record, oldest first. */
export async function listRevisions(reader: Reader, tenant: string, recordId: string): Promise<Revision[]> {
  const rows = await reader
    .selectFrom('revisions')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('record_id', '=', recordId)
    .orderBy('version')
    .execute();
  return rows.map((row) => ({
    recordId: row.record_id,
    version: row.version,
    at: new Date(row.at),
    reason: row.reason,
    actor: row.actor,
    run: row.run,
    before: row.before === null ? null : (JSON.parse(row.before) as Record<string, unknown>),
  }));
}

/** The records as they were at a time, for those that have changed since: id → JSON. */
export async function snapshotsAsOf(
  reader: Reader,
  tenant: string,
  recordIds: readonly string[],
  at: Date,
): Promise<Map<string, string>> {
  if (recordIds.length === 0) return new Map();
  const rows = await reader
    .selectFrom('revisions')
    .select(['record_id', 'before'])
    .where('tenant_id', '=', tenant)
    .where('record_id', 'in', [...recordIds])
    .where('at', '>', at.getTime())
    .where('before', 'is not', null)
    .orderBy('version', 'desc')
    .execute();
  // The earliest change after `at` wins: its `before` is what held then.
  return new Map(rows.map((row) => [row.record_id, row.before ?? '']));
}
