import { TENANT_ROLE } from '../postgres/row-security.ts';
import type { Migration } from './migration.ts';

/**
 * Hides the key that encrypts cursors from the role of the tenants, which reads other settings of the same table. With the key, a tenant
 * could read from its cursors how much other tenants write.
 */
export const walls: Migration = {
  version: 9,
  name: 'walls',
  tenantTables: [],
  statements: () => [],
  postgres: [
    'alter table meta enable row level security',
    `create policy varve_settings on meta for select to ${TENANT_ROLE} using (key <> 'cursor_key')`,
  ],
};
