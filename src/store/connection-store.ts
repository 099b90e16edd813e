import { ownerKey, type Scope } from '../record/scope.ts';
import type { ToolSchema } from '../record/session.ts';
import type { Reader, Writer } from './database.ts';

/** Keeps the schema of a connection's tools until its time to live has passed. */
export async function saveToolSchema(
  writer: Writer,
  scope: Scope,
  { schema, timeToLive, now }: { schema: unknown; timeToLive: number; now: number },
): Promise<void> {
  const fields = { schema: JSON.stringify(schema), fetched_at: now, expires_at: now + timeToLive };
  await writer
    .insertInto('tool_schemas')
    .values({
      tenant_id: scope.tenant,
      owner_key: ownerKey(scope),
      agent_id: scope.agent,
      user_id: scope.user,
      connection_id: scope.connection ?? '',
      ...fields,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'owner_key', 'connection_id']).doUpdateSet(fields))
    .execute();
}

/** The cached schema of a connection's tools, also when it is stale; null when there is none. */
export async function findToolSchema(reader: Reader, scope: Scope, now: number): Promise<ToolSchema | null> {
  const row = await reader
    .selectFrom('tool_schemas')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('connection_id', '=', scope.connection ?? '')
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    scope: { ...scope, session: null },
    schema: JSON.parse(row.schema) as unknown,
    fetchedAt: new Date(row.fetched_at),
    expiresAt: new Date(row.expires_at),
    stale: row.expires_at <= now,
  };
}
