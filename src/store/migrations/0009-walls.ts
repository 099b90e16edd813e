import { TENANT_ROLE } from '../postgres/row-security.ts';
import type { Migration } from './migration.ts';

/**
 * The key that seals cursors stands among the settings of the store. The role that works for one tenant reads some of those settings,
 * and has no use for that key: with it, cursors would tell a tenant how much the others write.
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
