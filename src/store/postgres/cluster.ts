import { type Kysely, sql, type Transaction } from 'kysely';
import { invalidInput, messageOf } from '../../errors.ts';
import type { StoreProblem } from '../database.ts';
import type { Tables } from '../schema.ts';
import { TENANT_ROLE } from './row-security.ts';

interface Cluster {
  hasCitus: boolean;
  /** The node that the store was opened through; 0 is the coordinator. */
  node: number;
  isDistributed: boolean;
}

const PLAIN_SERVER: Cluster = { hasCitus: false, node: 0, isDistributed: false };

export async function findCluster(reader: Kysely<Tables>, schema: string): Promise<Cluster> {
  const found = await sql`select from pg_extension where extname = 'citus'`.execute(reader);
  if (found.rows.length === 0) return PLAIN_SERVER;
  const { rows } = await sql<Omit<Cluster, 'hasCitus'>>`
    select (select groupid from pg_dist_local_group) as node,
      exists (select from pg_dist_partition where logicalrelid = to_regclass(${`"${schema}".owners`})) as "isDistributed"`.execute(
    reader,
  );
  return { ...PLAIN_SERVER, ...rows[0], hasCitus: true };
}

// Worker n numbers its rows from n × 2^48, and JavaScript represents integers exactly only up to 2^53.
const LAST_NODE = 31;

/**
 * Throws if tables should be distributed without Citus or changed through a worker, or if a store is opened through a worker above {@link
 * LAST_NODE}.
 */
export function assertUsable(
  cluster: Cluster,
  { distributes, migrates }: Record<'distributes' | 'migrates', boolean>,
): void {
  if (distributes && !cluster.hasCitus) {
    throw invalidInput(
      'This database has no extension citus, so its tables cannot be distributed. Run `create extension citus` in it first.',
    );
  }
  if (cluster.node === 0) return;
  if (migrates || (distributes && !cluster.isDistributed)) {
    throw invalidInput(
      'This node is a worker of the cluster, but only the coordinator can create and change tables. Run `varve migrate` there first.',
    );
  }
  if (cluster.node > LAST_NODE) {
    throw invalidInput(
      `This node is worker ${cluster.node}: a store can be opened through workers 1 to ${LAST_NODE} and the coordinator.`,
    );
  }
}

interface PlacedTable {
  name: string;
  /** Whether all unique keys include the tenant. Only then can the table be distributed by tenant. */
  byTenant: boolean;
  /** `h`: distributed by hash. `n`: on all nodes, or only on the coordinator. Null: Citus does not manage the table. */
  method: string | null;
  isReplicated: boolean;
}

async function placedTables(reader: Kysely<Tables>, schema: string): Promise<PlacedTable[]> {
  const { rows } = await sql<PlacedTable>`
    select c.relname as name, p.partmethod as method, coalesce(p.repmodel = 't', false) as "isReplicated",
      exists (select from pg_index i where i.indrelid = c.oid and i.indisunique) and not exists (
        select from pg_index i where i.indrelid = c.oid and i.indisunique and not exists (
          select from pg_attribute a where a.attrelid = c.oid and a.attnum = any(i.indkey) and a.attname = 'tenant_id')) as "byTenant"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_dist_partition p on p.logicalrelid = c.oid
    where n.nspname = ${schema} and c.relkind = 'r' order by c.relname <> 'owners', c.relname`.execute(reader);
  return rows;
}

/**
 * Idempotent. Distributes tables by tenant, colocated with `owners`, if all their unique keys include the tenant. Other tables stay on the
 * coordinator: API keys, schedules, settings, and the queue, whose jobs are leased across tenants with SKIP LOCKED.
 *
 * Citus must manage the tables on the coordinator, too: if a transaction also writes to an unmanaged table, Citus commits the worker's part
 * first and without two-phase commit. They are not reference tables, because those cannot be written while a worker is down, and each write
 * locks the whole table.
 */
export async function distributeTables(transaction: Transaction<Tables>, schema: string): Promise<void> {
  // The coordinator connects to its workers as the role of the transaction, so that role must be able to log in.
  await sql
    .raw(`do $$ begin
    if not (select rolcanlogin from pg_roles where rolname = '${TENANT_ROLE}') then alter role ${TENANT_ROLE} login; end if;
  end $$`)
    .execute(transaction);
  for (const { name, byTenant } of (await placedTables(transaction, schema)).filter(({ method }) => method === null)) {
    const table = `"${schema}"."${name}"`;
    const beside = name === 'owners' ? 'none' : `"${schema}".owners`;
    await (
      byTenant
        ? sql`select create_distributed_table(${table}, 'tenant_id', colocate_with => ${beside})`
        : sql`select citus_add_local_table_to_metadata(${table})`
    ).execute(transaction);
  }
}

export async function examineCluster(kysely: Kysely<Tables>, schema: string): Promise<StoreProblem[]> {
  const cluster = await findCluster(kysely, schema);
  if (!cluster.hasCitus) return [];
  if (!cluster.isDistributed) {
    return [
      { problem: 'this server has Citus, and the tables are not distributed', remedy: 'varve migrate --distribute' },
    ];
  }
  const problems = misplaced(await placedTables(kysely, schema));
  const { rows: nodes } = await sql<{ node: string; isWorker: boolean; isActive: boolean; answers: boolean | null }>`
    select nodename || ':' || nodeport as node, groupid <> 0 as "isWorker", isactive and metadatasynced as "isActive",
      citus_check_connection_to_node(nodename, nodeport) as answers from pg_dist_node order by nodeid`.execute(kysely);
  if (!nodes.some(({ isWorker }) => isWorker)) {
    problems.push({ problem: 'the cluster has no worker', remedy: "select citus_add_node('<host>', <port>)" });
  }
  for (const { node, isActive, answers } of nodes) {
    if (answers !== true) {
      problems.push({
        problem: `the node ${node} does not answer: its tenants cannot be reached, and work across tenants stops`,
        remedy: 'start the node, or check the network and pg_hba.conf',
      });
    } else if (!isActive) {
      problems.push({
        problem: `the node ${node} is not active, or does not know the tables yet`,
        remedy: 'wait a minute, then run select start_metadata_sync_to_all_nodes()',
      });
    }
  }
  if (nodes.every(({ answers }) => answers === true)) problems.push(...(await examineNodes(kysely, schema)));
  return problems;
}

function misplaced(tables: readonly PlacedTable[]): StoreProblem[] {
  const unplaced = tables.filter(({ method }) => method === null).map(({ name }) => name);
  const wrong = tables.filter(
    ({ method, byTenant, isReplicated }) => method !== null && ((method === 'h') !== byTenant || isReplicated),
  );
  return [
    ...(unplaced.length === 0
      ? []
      : [{ problem: `not managed by Citus: ${unplaced.join(', ')}`, remedy: 'varve migrate --distribute' }]),
    ...wrong.map(({ name, byTenant }) => ({
      problem: `${name} is ${byTenant ? 'not distributed by tenant' : 'not on the coordinator alone'}`,
      remedy: `run select undistribute_table('${name}'), then varve migrate --distribute`,
    })),
  ];
}

async function examineNodes(kysely: Kysely<Tables>, schema: string): Promise<StoreProblem[]> {
  const ask = async (statement: string): Promise<{ node: string; ok: boolean; result: string }[]> => {
    const { rows } = await sql<{ node: string; ok: boolean; result: string }>`
      select n.nodename || ':' || n.nodeport as node, r.success as ok, r.result
      from run_command_on_all_nodes(${statement}) r join pg_dist_node n using (nodeid) order by n.nodeid`.execute(
      kysely,
    );
    return rows;
  };
  const problems: StoreProblem[] = [];
  for (const { node, result } of await ask('show max_prepared_transactions')) {
    if (Number(result) > 0) continue;
    problems.push({
      problem: `${node} has max_prepared_transactions = 0: a write to two nodes cannot be committed`,
      remedy: 'set max_prepared_transactions to max_connections and restart the node',
    });
  }
  const versions = await ask("select extversion from pg_extension where extname = 'vector'");
  if (new Set(versions.map(({ result }) => result)).size > 1) {
    const said = versions.map(({ node, result }) => `${node} ${result || 'none'}`).join(', ');
    problems.push({
      problem: `the nodes have different versions of pgvector: ${said}`,
      remedy: 'install the same version on all nodes',
    });
  }
  for (const { node, ok, result } of await ask(`select rolcanlogin from pg_roles where rolname = '${TENANT_ROLE}'`)) {
    if (ok && result === 't') continue;
    problems.push({ problem: `${TENANT_ROLE} cannot log in to ${node}`, remedy: `alter role ${TENANT_ROLE} login` });
  }
  try {
    await kysely.transaction().execute(async (transaction) => {
      await sql.raw(`set local role ${TENANT_ROLE}`).execute(transaction);
      await sql`select count(*) from ${sql.table(`${schema}.owners`)}`.execute(transaction);
    });
  } catch (error) {
    problems.push({
      problem: `work for a tenant does not reach the workers: ${messageOf(error)}`,
      remedy: `allow ${TENANT_ROLE} to connect between the nodes, in pg_hba.conf or with pg_dist_authinfo`,
    });
  }
  return problems;
}
