import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { ownerKey, type Scope, visibleOwners } from '../record/scope.ts';
import { type Database, EVERY_TENANT, type Tenant } from './database.ts';

// Whose rows a statement reads or changes. A condition that is too wide shows the records of one user to another, so choose it by who asks:
//
// | who asks | rows | condition |
// | --- | --- | --- |
// | a handle, for what it shows | those of its scope and of the wider scopes, without other sessions and connections | `visibleFrom` |
// | a handle, in tables without sessions | those of its owner and of the wider owners | `ofVisibleOwners` |
// | recall, by row numbers that it has already selected by session | those of the same owners | `isSeenFrom` |
// | a handle that names an id | those that it sees, and all of its agent and user, in every session | `withinReach`, `rowsInReach()` |
// | formation and background work | those of one owner, or of one session of the owner | `ofOwner`, `ofOwnerKey`, `ofSession` |
// | an operator, an export, an erasure | all below a scope: a part that is null matches every value | `withinScope`, `ofOwnersWithin` |
// | an operator, the jobs of embedding | all of one tenant or of all tenants | `ofTenant` |
// | code that has checked the owner | the one with an id | `ofId` |

/**
 * The memories and blocks that a handle sees: those of its own scope and of the wider scopes above it. Records of other sessions and
 * connections are excluded; `connections` names further active connections.
 */
export function visibleFrom(scope: Scope, connections: readonly string[] = []): RawBuilder<SqlBool> {
  const sessions = new Set(['', scope.session ?? '']);
  const open = new Set(['', scope.connection ?? '', ...connections]);
  return sql`${ofVisibleOwners(scope)} and session_id in (${sql.join([...sessions])})
    and connection_id in (${sql.join([...open])})`;
}

/** The rows of the owners that a handle sees. */
export function ofVisibleOwners(scope: Scope): RawBuilder<SqlBool> {
  return sql`tenant_id = ${scope.tenant} and owner_key in (${sql.join(visibleOwners(scope))})`;
}

/** The same as `ofVisibleOwners`, as a condition for which the planner uses no index. */
export function isSeenFrom(scope: Scope, { syntax }: Database): RawBuilder<SqlBool> {
  return sql<SqlBool>`${syntax.unindexed('tenant_id')} = ${scope.tenant}
    and ${syntax.unindexed('owner_key')} in (${sql.join(visibleOwners(scope))})`;
}

/** The rows that a handle may refer to by id: all rows that it sees, and all rows of its agent and user. */
export function withinReach(scope: Scope): RawBuilder<SqlBool> {
  const agent = scope.agent === null ? sql`1 = 1` : sql`agent_id = ${scope.agent}`;
  const user = scope.user === null ? sql`1 = 1` : sql`user_id = ${scope.user}`;
  return sql`tenant_id = ${scope.tenant}
    and (owner_key in (${sql.join(visibleOwners(scope))}) or (${agent} and ${user}))`;
}

/** The rows of exactly one owner. */
export function ofOwner(scope: Scope): RawBuilder<SqlBool> {
  return ofOwnerKey(scope.tenant, ownerKey(scope));
}

export function ofOwnerKey(tenant: string, owner: string): RawBuilder<SqlBool> {
  return sql`tenant_id = ${tenant} and owner_key = ${owner}`;
}

/**
 * The rows of one session of an owner. For a scope without a session: the rows outside of sessions, in tables that store their session as
 * `''`.
 */
export function ofSession(scope: Scope): RawBuilder<SqlBool> {
  return sql`${ofOwner(scope)} and session_id = ${scope.session ?? ''}`;
}

/**
 * The rows within a scope, as a condition on any table with columns for tenant, agent, user and session. A part of the scope that is null
 * matches every row. Operators and erasures use this condition.
 */
export function withinScope(scope: Scope): RawBuilder<SqlBool> {
  const conditions = [sql`tenant_id = ${scope.tenant}`];
  if (scope.agent !== null) conditions.push(sql`agent_id = ${scope.agent}`);
  if (scope.user !== null) conditions.push(sql`user_id = ${scope.user}`);
  if (scope.session !== null) conditions.push(sql`session_id = ${scope.session}`);
  return sql.join<SqlBool>(conditions, sql` and `);
}

/** The rows of the owners within a scope, for tables without columns for agent and user. */
export function ofOwnersWithin(scope: Scope): RawBuilder<SqlBool> {
  return sql`tenant_id = ${scope.tenant}
    and owner_key in (select owner_key from owners where ${withinScope({ ...scope, session: null })})`;
}

/** The rows of one tenant or of all tenants. */
export function ofTenant(tenant: Tenant): RawBuilder<SqlBool> {
  return tenant === EVERY_TENANT ? sql`1 = 1` : sql`tenant_id = ${tenant}`;
}

/** The record of a tenant with this id. */
export function ofId(tenant: string, id: string): RawBuilder<SqlBool> {
  return sql`tenant_id = ${tenant} and id = ${id}`;
}
