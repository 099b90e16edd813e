import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { digest } from '../record/id.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader, Writer } from './database.ts';
import type { ErasureTable } from './schema.ts';

/** What proves that something was erased, without saying what it was. */
export interface ErasureCertificate {
  id: string;
  at: Date;
  actor: string;
  reason: string;
  /** A digest of the scope or the record that was erased: who knows it can find the certificate again. */
  subject: string;
  counts: Record<string, number>;
  /** How many records went. */
  removed: number;
  /** SHA-256 of their ids, sorted, one a line. */
  removedHash: string;
}

/** The digest by which an erased scope or record is known. */
export function erasureSubject(scope: Scope, id?: string): string {
  return digest(['erased', scope.tenant, scope.agent, scope.user, scope.session, id ?? null], 24);
}

/** The hash of a list of ids, in whatever order it comes. */
export function hashIds(ids: readonly string[]): string {
  return createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex');
}

export async function insertErasure(writer: Writer, tenant: string, certificate: ErasureCertificate): Promise<void> {
  await writer
    .insertInto('erasures')
    .values({
      tenant_id: tenant,
      id: certificate.id,
      at: certificate.at.getTime(),
      actor: certificate.actor,
      reason: certificate.reason,
      subject: certificate.subject,
      counts: JSON.stringify(certificate.counts),
      removed: certificate.removed,
      removed_hash: certificate.removedHash,
    })
    .execute();
}

/** The certificates of a tenant, newest first. */
export async function listErasures(
  reader: Reader,
  tenant: string,
  { subject, limit = 100 }: { subject?: string; limit?: number } = {},
): Promise<ErasureCertificate[]> {
  let query = reader
    .selectFrom('erasures')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  return (await query.execute()).map(toCertificate);
}

function toCertificate(row: Selectable<ErasureTable>): ErasureCertificate {
  return {
    id: row.id,
    at: new Date(row.at),
    actor: row.actor,
    reason: row.reason,
    subject: row.subject,
    counts: JSON.parse(row.counts) as Record<string, number>,
    removed: row.removed,
    removedHash: row.removed_hash,
  };
}
