import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { parse } from '../../record/parse.ts';
import { ofTenant, type Page, pageOf, rowsWhere } from '../rows.ts';
import type { Parts, Reader, Writer } from '../database.ts';
import type { ApiKeyTable } from '../schema.ts';

/** An administrator's act, for the audit trail. Never contains content of memories or events. */
export interface Act {
  id: string;
  at: Date;
  /** The id of a key, or `cli`. */
  actor: string;
  /** The kind of act, such as `key.create`, `erase` or `export`. */
  act: string;
  /** What the act changed: the id of a key or a job, or a scope. */
  subject: string | null;
  details: Record<string, unknown>;
}

export interface NewAct {
  tenant: string;
  actor: string;
  act: string;
  subject?: string | null;
  details?: Record<string, unknown>;
}

/** Lists and records administrative acts. */
export interface Acts {
  record(act: NewAct): Promise<void>;
  /** The acts of a tenant, newest first. Default limit 100, at most 1,000. */
  list(tenant: string, options?: { limit?: number; cursor?: string }): Promise<Page<Act>>;
}

const pageSchema: z.ZodType<{ limit: number; cursor?: string }, { limit?: number; cursor?: string }> = z.strictObject({
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().startsWith('act_', 'is not a cursor that a list has returned').max(100).optional(),
});

export function createActs(parts: Parts): Acts {
  const { database } = parts;
  return {
    record: (act) => database.write(act.tenant, (writer) => recordAct(writer, parts, act)),
    async list(tenant, options = {}) {
      const { limit, cursor } = parse(pageSchema, options, 'The page of acts');
      const before = cursor === undefined ? sql`` : sql`and id < ${cursor}`;
      const latest = sql`${ofTenant(tenant)} ${before} order by id desc limit ${limit + 1}`;
      const rows = await database.read(tenant, (reader) => rowsWhere(reader, 'admin_acts', latest));
      return pageOf(rows, limit, ({ id, at, actor, act, subject, details }) => {
        return { id, at: new Date(at), actor, act, subject, details: JSON.parse(details) as Record<string, unknown> };
      });
    },
  };
}

/** Call this in the transaction that performs the act. */
export async function recordAct(
  writer: Writer,
  { clock, ids }: Pick<Parts, 'clock' | 'ids'>,
  { tenant, actor, act, subject = null, details = {} }: NewAct,
): Promise<void> {
  const row = { id: ids.next('act'), at: clock.now(), actor, act, subject, details: JSON.stringify(details) };
  await writer
    .insertInto('admin_acts')
    .values({ tenant_id: tenant, ...row })
    .execute();
}

export async function detailsOfLastAct(
  reader: Reader,
  tenant: string,
  act: string,
): Promise<Record<string, unknown> | null> {
  const latest = sql`${ofTenant(tenant)} and act = ${act} order by id desc limit 1`;
  const [last] = await rowsWhere(reader, 'admin_acts', latest, ['details']);
  return last === undefined ? null : (JSON.parse(last.details) as Record<string, unknown>);
}

/** A row of an API key, the actor of most acts. */
export type KeyRow = Selectable<ApiKeyTable>;

export async function insertKey(writer: Writer, row: KeyRow): Promise<void> {
  await writer.insertInto('api_keys').values(row).execute();
}

export async function findKey(reader: Reader, id: string): Promise<KeyRow | undefined> {
  return (await rowsWhere(reader, 'api_keys', sql`id = ${id}`))[0];
}

export async function listKeys(reader: Reader, tenant: string): Promise<KeyRow[]> {
  return rowsWhere(reader, 'api_keys', sql`tenant_id = ${tenant} order by created_at desc`);
}

export async function hasLiveKey(reader: Reader): Promise<boolean> {
  return (await rowsWhere(reader, 'api_keys', sql`revoked_at is null limit 1`)).length > 0;
}

/** A revoked key never changes again. */
export async function updateKey(
  writer: Writer,
  { tenant, id }: { tenant: string; id: string },
  fields: Partial<KeyRow>,
): Promise<KeyRow | undefined> {
  return writer
    .updateTable('api_keys')
    .set(fields)
    .where('id', '=', id)
    .where('tenant_id', '=', tenant)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
