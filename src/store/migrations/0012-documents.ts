import type { Migration } from './migration.ts';

/**
 * Adds the sources of the sentences of documents. Older documents have no sources, so their sentences stay until the documents are written
 * again. Also records whether a memory is part of every prompt or was looked up for the turn.
 */
export const documents: Migration = {
  version: 12,
  name: 'documents',
  statements: ({ integer }) => [
    `alter table blocks add column basis text not null default '{}'`,
    `alter table given_memories add column always ${integer} not null default 0`,
  ],
  tenantTables: [],
};
