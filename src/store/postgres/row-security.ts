/**
 * The role for transactions of one tenant. It owns no tables, and can log in only on a Citus cluster. Row-level security therefore
 * applies even if Varve connects as the owner of the tables or as a superuser.
 */
export const TENANT_ROLE = 'varve_tenant';

/** Returns the statements that enable row-level security on a table. */
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
