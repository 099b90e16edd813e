import { type Selectable, sql } from 'kysely';
import type { Reader, Writer } from '../database.ts';
import { chunks, ofId, removeRows, rowsWhere } from '../rows.ts';
import type { WebhookDeliveryTable, WebhookTable } from '../schema.ts';

export type WebhookRow = Selectable<WebhookTable>;
export type DeliveryRow = Selectable<WebhookDeliveryTable>;

export async function tenantsWithWebhooks(reader: Reader): Promise<string[]> {
  const rows = await reader.selectFrom('webhooks').select('tenant_id').distinct().where('enabled', '=', 1).execute();
  return rows.map((row) => row.tenant_id);
}

export async function listWebhooks(reader: Reader, tenant: string): Promise<WebhookRow[]> {
  return rowsWhere(reader, 'webhooks', sql`tenant_id = ${tenant} order by id desc`);
}

export async function insertWebhook(writer: Writer, row: WebhookRow): Promise<void> {
  await writer.insertInto('webhooks').values(row).execute();
}

export async function updateWebhook(
  writer: Writer,
  tenant: string,
  id: string,
  fields: Partial<WebhookRow>,
): Promise<WebhookRow | undefined> {
  return writer.updateTable('webhooks').set(fields).where(ofId(tenant, id)).returningAll().executeTakeFirst();
}

export async function removeWebhook(writer: Writer, tenant: string, id: string): Promise<boolean> {
  await removeRows(writer, tenant, 'webhook_deliveries', { webhook_id: [id] });
  return (await removeRows(writer, tenant, 'webhooks', { id: [id] })) > 0;
}

/** Idempotent: returns the ids of those that were new. */
export async function insertDeliveries(writer: Writer, deliveries: readonly DeliveryRow[]): Promise<Set<string>> {
  const added = new Set<string>();
  for (const some of chunks(deliveries)) {
    const rows = await writer
      .insertInto('webhook_deliveries')
      .values(some)
      .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
      .returning('id')
      .execute();
    for (const { id } of rows) added.add(id);
  }
  return added;
}

export async function listDeliveries(
  reader: Reader,
  tenant: string,
  { webhook, before, limit }: { webhook: string; before?: { at: number; id: string }; limit: number },
): Promise<DeliveryRow[]> {
  const older = before === undefined ? sql`` : sql`and (created_at, id) < (${before.at}, ${before.id})`;
  const latest = sql`tenant_id = ${tenant} and webhook_id = ${webhook} ${older}
    order by created_at desc, id desc limit ${limit}`;
  return rowsWhere(reader, 'webhook_deliveries', latest);
}

export async function removeOldDeliveries(writer: Writer, tenant: string, before: number): Promise<void> {
  await sql`delete from webhook_deliveries where tenant_id = ${tenant} and created_at < ${before}`.execute(writer);
}
