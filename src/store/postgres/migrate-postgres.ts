import { type Kysely, sql, type Transaction } from 'kysely';
import { invalidInput, VarveError } from '../../errors.ts';
import { statementsOf } from '../migrations/migration.ts';
import { pendingMigrations } from '../migrations/migrations.ts';
import type { Tables } from '../schema.ts';
import { assertUsable, distributeTables, findCluster } from './cluster.ts';
import { textSearchFunctions } from './postgres-indexes.ts';
import { guardTable, TENANT_ROLE } from './row-security.ts';

// An arbitrary number that all processes share: "varv" in ASCII.
const MIGRATION_LOCK = 0x76617276;

/** Several processes may open the store at once: the others wait for the first. Returns whether the tables are distributed. */
export async function migratePostgres(kysely: Kysely<Tables>, schema: string, distribute: boolean): Promise<boolean> {
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) {
    throw invalidInput(
      `The schema name ${JSON.stringify(schema)} is not valid: use lower-case letters, digits and underscores, at most 51 characters, and no digit first.`,
    );
  }
  return kysely.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
    const cluster = await findCluster(transaction, schema);
    const isDistributed = cluster.isDistributed || distribute;
    const version = await storedVersion(transaction, schema);
    const pending = pendingMigrations(version);
    assertUsable(cluster, { distributes: distribute, migrates: pending.length > 0 });
    if (cluster.node > 0) return isDistributed;
    // Changes of roles and functions on shards require one connection per worker.
    if (cluster.hasCitus) await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction);
    if (pending.length === 0) {
      if (distribute) await distributeTables(transaction, schema);
      return isDistributed;
    }
    if (version === 0) await prepare(transaction, schema);
    await sql.raw(`set local search_path = "${schema}", public`).execute(transaction);
    for (const migration of pending) {
      const guards = (migration.tenantTables ?? []).flatMap((table) => guardTable(schema, table));
      for (const statement of [...statementsOf(migration, 'postgres'), ...guards]) {
        await sql.raw(statement).execute(transaction);
      }
      await migration.transform?.(transaction);
      // After every step, because a later step may join tables from an earlier one.
      if (cluster.isDistributed) await distributeTables(transaction, schema);
    }
    for (const statement of textSearchFunctions(schema)) await sql.raw(statement).execute(transaction);
    await sql.raw(`grant usage on all sequences in schema "${schema}" to ${TENANT_ROLE}`).execute(transaction);
    const newest = String(pending.at(-1)?.version);
    await sql`insert into meta (key, value) values ('schema_version', ${newest})
      on conflict (key) do update set value = excluded.value`.execute(transaction);
    if (distribute) await distributeTables(transaction, schema);
    return isDistributed;
  });
}

async function storedVersion(transaction: Transaction<Tables>, schema: string): Promise<number> {
  const table = `"${schema}".meta`;
  const found = await sql<{ name: string | null }>`select to_regclass(${table})::text as name`.execute(transaction);
  if (found.rows[0]?.name == null) return 0;
  const { rows } = await sql<{ value: string }>`
    select value from ${sql.table(`${schema}.meta`)} where key = 'schema_version'`.execute(transaction);
  return Number(rows[0]?.value ?? 0);
}

async function prepare(transaction: Transaction<Tables>, schema: string): Promise<void> {
  // Citus forwards even a statement without effect to the workers, where only the extension's owner may run it.
  const { rows } = await sql`select from pg_extension where extname = 'vector'`.execute(transaction);
  if (rows.length === 0) {
    await explained(
      transaction,
      'create extension if not exists vector',
      'Install pgvector 0.8 or newer on the server.',
    );
  }
  await explained(
    transaction,
    `do $$ begin
      if not exists (select from pg_roles where rolname = '${TENANT_ROLE}') then
        create role ${TENANT_ROLE} nologin;
      end if;
      if not pg_has_role(current_user, '${TENANT_ROLE}', 'member') then
        execute format('grant ${TENANT_ROLE} to %I', current_user);
      end if;
    end $$`,
    `Ask a database administrator to run this once: create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to <the role you connect as>;`,
  );
  await sql.raw(`create schema if not exists "${schema}"`).execute(transaction);
  await sql.raw(`grant usage on schema "${schema}" to ${TENANT_ROLE}`).execute(transaction);
  await sql.raw(`create table "${schema}".meta (key text primary key, value text not null)`).execute(transaction);
  await sql.raw(`grant select on "${schema}".meta to ${TENANT_ROLE}`).execute(transaction);
}

async function explained(transaction: Transaction<Tables>, statement: string, remedy: string): Promise<void> {
  try {
    await sql.raw(statement).execute(transaction);
  } catch (error) {
    throw new VarveError(`The database cannot be prepared: ${(error as Error).message}. ${remedy}`, {
      code: 'store_unavailable',
      cause: error,
    });
  }
}
