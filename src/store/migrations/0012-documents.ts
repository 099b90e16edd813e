import type { Migration } from './migration.ts';

/** What each sentence of a document rests on. Documents from before have none: their sentences stand until they are written anew. */
export const documents: Migration = {
  version: 12,
  name: 'documents',
  statements: () => [`alter table blocks add column basis text not null default '{}'`],
  tenantTables: [],
};
