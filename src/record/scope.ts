import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { cached } from './cache.ts';
import { digest } from './id.ts';
import { parse } from './parse.ts';

/** The owner of a record (tenant › agent › user › session) and, if the record is about a tool connection, that connection. */
export interface Scope {
  tenant: string;
  agent: string | null;
  user: string | null;
  session: string | null;
  connection: string | null;
}

/** From the widest to the narrowest. */
export const SCOPE_LEVELS = ['tenant', 'agent', 'user', 'session'] as const;
/** Who owns a record: everybody in the tenant, an agent, a user, or one session. */
export type ScopeLevel = (typeof SCOPE_LEVELS)[number];

const partSchema = z
  .string()
  .min(1, 'is empty')
  .max(200, 'is longer than 200 characters')
  .regex(/^[^\p{C}]*$/u, 'contains control characters')
  .refine((text) => text === text.trim(), 'starts or ends with white space');

export const scopeSchema: z.ZodType<Scope, ScopeInput> = z
  .strictObject({
    tenant: partSchema.default('default'),
    agent: partSchema.nullish(),
    user: partSchema.nullish(),
    session: partSchema.nullish(),
    connection: partSchema.nullish(),
  })
  .transform((scope) => ({
    tenant: scope.tenant,
    agent: scope.agent ?? null,
    user: scope.user ?? null,
    session: scope.session ?? null,
    connection: scope.connection ?? null,
  }));

/** A scope as an application writes it. Default of `tenant`: "default". */
export interface ScopeInput {
  tenant?: string;
  agent?: string | null;
  user?: string | null;
  session?: string | null;
  connection?: string | null;
}

/** The scope of a handle. `user` is required, so that an undefined variable cannot open the memory that everybody shares. */
export interface HandleScope extends ScopeInput {
  user: string | null;
}

export function parseHandleScope(input: HandleScope): Scope {
  const scope = parseScope(input);
  if (input.user === undefined) {
    throw invalidInput(
      'The scope does not name its user. Name the user, or write `user: null` for memory that belongs to no user.',
      { field: 'user' },
    );
  }
  return scope;
}

/** Events that belong to no user stay in their session, because no other conversation may see them. */
export function staysInSession(scope: Pick<Scope, 'user' | 'session'>): boolean {
  return scope.user === null && scope.session !== null;
}

/** Refuses unknown fields, because a misspelt `usr` would silently widen the scope. */
export function parseScope(input: ScopeInput): Scope {
  return parse(scopeSchema, input, 'The scope');
}

/** Every record has the key of its owner. It has 80 bits of SHA-256: finding another owner with the same key takes 2^80 attempts. */
export function ownerKey(owner: Pick<Scope, 'tenant' | 'agent' | 'user'>): string {
  return keyOf(JSON.stringify([owner.tenant, owner.agent, owner.user]));
}

const MOST_KEYS = 10_000;
// Every row of a batch needs its owner's key, and hashing costs more than the rest of building a row.
const keyOf = cached(MOST_KEYS, (owner) => digest(JSON.parse(owner) as unknown[], 16));

/** The keys of all owners whose records a handle sees: its own, and those without its agent, its user or both. */
export function visibleOwners(scope: Scope): string[] {
  const agents = scope.agent === null ? [null] : [null, scope.agent];
  const users = scope.user === null ? [null] : [null, scope.user];
  return agents.flatMap((agent) => users.map((user) => ownerKey({ tenant: scope.tenant, agent, user })));
}

export function ownerOf({ tenant, agent, user }: Pick<Scope, 'tenant' | 'agent' | 'user'>): Scope {
  return { tenant, agent, user, session: null, connection: null };
}

/** A user's own value precedes the agent's, and the agent's the tenant's. If facts are shared, all agents of a user are equal. */
export function depthOf({ agent, user, connection }: Scope, sharesFacts: boolean | undefined): number {
  const isOfAgent = agent !== null && (sharesFacts !== true || user === null);
  return Number(isOfAgent) + 2 * Number(user !== null) + Number(connection !== null);
}

export function sharedOwner({ tenant, user }: Pick<Scope, 'tenant' | 'user'>): Scope {
  return ownerOf({ tenant, agent: null, user });
}

/** Keeps the connection. Throws `invalid_input` if the scope has no such level. */
export function scopeAt(scope: Scope, level: ScopeLevel): Scope {
  const missing =
    (level === 'agent' && scope.agent === null) ||
    (level === 'user' && scope.user === null) ||
    (level === 'session' && scope.session === null);
  if (missing) {
    throw invalidInput(`This handle has no ${level}: open it with varve.for({ …, ${level}: '…' }).`, { level });
  }
  return {
    tenant: scope.tenant,
    agent: level === 'tenant' ? null : scope.agent,
    user: level === 'user' || level === 'session' ? scope.user : null,
    session: level === 'session' ? scope.session : null,
    connection: scope.connection,
  };
}

export function ownerLevel(scope: Pick<Scope, 'agent' | 'user'>): Exclude<ScopeLevel, 'session'> {
  if (scope.user !== null) return 'user';
  return scope.agent === null ? 'tenant' : 'agent';
}
