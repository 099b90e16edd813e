import type { Migration } from './migration.ts';

/**
 * What each sentence of a document rests on. Documents from before have none: their sentences stand until they are written again. And of
 * a memory that was given to a model, whether it is always given or was looked up for the turn.
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
