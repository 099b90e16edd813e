import type { Transaction } from 'kysely';
import type { Tables } from '../schema.ts';

interface ColumnTypes {
  time: string;
  integer: string;
  real: string;
  json: string;
  blob: string;
  rowId: string;
}

/** A released step is never changed. */
export interface Migration {
  version: number;
  name: string;
  /** For both databases. Run before the statements for one database. */
  statements?(types: ColumnTypes): string[];
  sqlite?: readonly string[];
  postgres?: readonly string[];
  /** Runs after the statements, in the same transaction. */
  transform?(transaction: Transaction<Tables>): Promise<void>;
  /** Tables with a tenant_id, which PostgreSQL guards with row-level security. */
  tenantTables?: readonly string[];
}

const TYPES: Record<'sqlite' | 'postgres', ColumnTypes> = {
  sqlite: {
    time: 'integer',
    integer: 'integer',
    real: 'real',
    json: 'text',
    blob: 'blob',
    rowId: 'row_id integer primary key autoincrement',
  },
  postgres: {
    time: 'bigint',
    integer: 'bigint',
    real: 'double precision',
    json: 'jsonb',
    blob: 'vector',
    // Not the primary key, which is (tenant_id, row_id), so that a table can be distributed by tenant.
    rowId: 'row_id bigint generated always as identity',
  },
};

export function statementsOf(migration: Migration, dialect: 'sqlite' | 'postgres'): string[] {
  return [...(migration.statements?.(TYPES[dialect]) ?? []), ...(migration[dialect] ?? [])];
}
