/**
 * The role for transactions of one tenant. It owns no tables, so row-level security applies even if Varve connects as their owner or as a
 * superuser. It can log in only on a Citus cluster.
 */
export const TENANT_ROLE = 'varve_tenant';

export function guardTable(schema: string, table: string): string[] {
  const name = `"${schema}"."${table}"`;
  return [
    `alter table ${name} enable row level security`,
    `create policy varve_tenant_wall on ${name}
      using (tenant_id = current_setting('varve.tenant', true))
      with check (tenant_id = current_setting('varve.tenant', true))`,
    `grant select, insert, update, delete on ${name} to ${TENANT_ROLE}`,
  ];
}
