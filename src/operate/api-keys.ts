import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { notFound } from '../errors.ts';
import { createLru } from '../record/cache.ts';
import { parse, type Parsed, textSchema, type TimeInput, timeSchema } from '../record/parse.ts';
import { EVERY_TENANT, type Parts } from '../store/database.ts';
import {
  findKey,
  hasLiveKey,
  insertKey,
  type KeyRow,
  listKeys,
  recordAct,
  updateKey,
} from '../store/doors/admin-acts.ts';

/** Each level includes those before it. */
export const KEY_ACCESS = ['read', 'write', 'admin'] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];

/** A key to the server, without its secret, which is stored only as a hash. */
export interface ApiKey {
  id: string;
  tenant: string;
  name: string;
  access: KeyAccess;
  /** The only agents and users that the key can reach. Null allows all of the tenant's. */
  agents: string[] | null;
  users: string[] | null;
  /** Requests per second. Null: the server's own limit. */
  rate: number | null;
  createdAt: Date;
  /** The id of the key that created this key, or `cli`. */
  createdBy: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** The options of a new key. */
export interface NewApiKey {
  name: string;
  /** Default `write`. */
  access?: KeyAccess;
  agents?: string[];
  users?: string[];
  rate?: number;
  expiresAt?: TimeInput;
}

const namesSchema = z
  .array(textSchema(200))
  .min(1, 'must name at least one; leave the field out to reach all')
  .max(1000)
  .optional();

export const newApiKeySchema: z.ZodType<Parsed<NewApiKey>, NewApiKey> = z.strictObject({
  name: textSchema(100),
  access: z.enum(KEY_ACCESS).optional(),
  agents: namesSchema,
  users: namesSchema,
  rate: z.number().positive().max(1_000_000).optional(),
  expiresAt: timeSchema.optional(),
});

const SECRET_BYTES = 32;
const SECRET_PATTERN = /^varve_([0-9a-z]{26})_([A-Za-z0-9_-]{43})$/;

/** `varve_`, the characters of the id, and 32 random bytes. */
function newSecret(id: string): { secret: string; hash: string } {
  const bytes = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret: `varve_${id.slice('key_'.length)}_${bytes}`, hash: hashOf(bytes) };
}

function readSecret(secret: string): { id: string; bytes: string } | null {
  const match = SECRET_PATTERN.exec(secret);
  return match === null ? null : { id: `key_${match[1]}`, bytes: match[2] ?? '' };
}

// SHA-256 without a slow hash is safe here, because 256 random bits cannot be guessed.
function hashOf(bytes: string): string {
  return hash('sha256', bytes, 'base64url');
}

export function sameText(one: string, other: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(one), digest(other));
}

/** A key with its secret, which is shown only now. */
export interface MadeApiKey {
  key: ApiKey;
  secret: string;
}

/** Manages the keys to the server. */
export interface Keys {
  /** `by` is the id of the key that creates the new one, or `cli`. */
  create(tenant: string, key: NewApiKey, by: string): Promise<MadeApiKey>;
  /** Returns null for an unknown, revoked or expired key. */
  verify(secret: string): Promise<ApiKey | null>;
  /** Newest first. */
  list(tenant: string): Promise<ApiKey[]>;
  /** Makes a new secret. The old one stops working at once in this process, and within a second in others. */
  rotate(tenant: string, id: string, by: string): Promise<MadeApiKey>;
  revoke(tenant: string, id: string, by: string): Promise<ApiKey>;
  /** Whether the store has any key at all. */
  any(): Promise<boolean>;
}

// Milliseconds. A key that another process revokes still works here for this long.
const BELIEVED_FOR = 1_000;
const MOST_KNOWN = 10_000;

export function createKeys(parts: Parts): Keys {
  const { database, clock, ids } = parts;
  const cache = createKeyCache(parts);

  const change = async (
    { act, by, ...key }: { tenant: string; id: string; by: string; act: string },
    fields: Partial<KeyRow>,
  ): Promise<ApiKey> => {
    const row = await database.write(EVERY_TENANT, async (writer) => {
      const changed = await updateKey(writer, key, fields);
      if (changed === undefined) throw notFound(`There is no key ${key.id} in this tenant, or it was revoked.`, key.id);
      await recordAct(writer, parts, { tenant: key.tenant, actor: by, act, subject: key.id });
      return changed;
    });
    cache.drop(key.id);
    return toKey(row);
  };

  return {
    async create(tenant, input, by) {
      const id = ids.next('key');
      const { secret, hash } = newSecret(id);
      const made = { id, tenant_id: tenant, hash, created_at: clock.now(), created_by: by };
      const row = newKeyRow(parse(newApiKeySchema, input, 'The key'), made);
      await database.write(EVERY_TENANT, async (writer) => {
        await insertKey(writer, row);
        const details = { name: row.name, access: row.access };
        await recordAct(writer, parts, { tenant, actor: by, act: 'key.create', subject: id, details });
      });
      return { key: toKey(row), secret };
    },
    async verify(secret) {
      const read = readSecret(secret);
      const row = read === null ? null : await cache.find(read.id);
      // Also compares for an unknown id, so that the time does not reveal whether the id exists.
      const fits = sameText(hashOf(read?.bytes ?? ''), row?.hash ?? '');
      if (row === null || !fits || row.revoked_at !== null) return null;
      if (row.expires_at !== null && row.expires_at <= clock.now()) return null;
      return toKey(row);
    },
    list: async (tenant) => (await database.read(EVERY_TENANT, (reader) => listKeys(reader, tenant))).map(toKey),
    async rotate(tenant, id, by) {
      const { secret, hash } = newSecret(id);
      return { key: await change({ tenant, id, by, act: 'key.rotate' }, { hash }), secret };
    },
    revoke: (tenant, id, by) => change({ tenant, id, by, act: 'key.revoke' }, { revoked_at: clock.now() }),
    any: () => database.read(EVERY_TENANT, hasLiveKey),
  };
}

function createKeyCache({ database, clock }: Parts) {
  const known = createLru<{ row: KeyRow; until: number }>({ most: MOST_KNOWN });
  return {
    async find(id: string): Promise<KeyRow | null> {
      const cached = known.get(id);
      if (cached !== undefined && cached.until > clock.now()) return cached.row;
      const row = await database.read(EVERY_TENANT, (reader) => findKey(reader, id));
      if (row === undefined) known.delete(id);
      else known.set(id, { row, until: clock.now() + BELIEVED_FOR });
      return row ?? null;
    },
    drop: known.delete,
  };
}

function newKeyRow(
  { name, access = 'write', agents, users, rate, expiresAt }: Parsed<NewApiKey>,
  made: Pick<KeyRow, 'id' | 'tenant_id' | 'hash' | 'created_at' | 'created_by'>,
): KeyRow {
  return {
    ...made,
    name,
    access,
    agents: agents === undefined ? null : JSON.stringify(agents),
    users: users === undefined ? null : JSON.stringify(users),
    rate: rate ?? null,
    expires_at: expiresAt?.getTime() ?? null,
    revoked_at: null,
  };
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    tenant: row.tenant_id,
    name: row.name,
    access: row.access as KeyAccess,
    agents: row.agents === null ? null : (JSON.parse(row.agents) as string[]),
    users: row.users === null ? null : (JSON.parse(row.users) as string[]),
    rate: row.rate,
    createdAt: new Date(row.created_at),
    createdBy: row.created_by,
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
  };
}
