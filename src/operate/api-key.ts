import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { textSchema, timeSchema, type Parsed, type TimeInput } from '../record/parse.ts';

/** What a key may do: each one may do what those before it may. */
export const KEY_ACCESS = ['read', 'write', 'admin'] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];

/** A key to the server, without its secret: that is shown once and only its hash is stored. */
export interface ApiKey {
  id: string;
  tenant: string;
  name: string;
  access: KeyAccess;
  /** The only agents and users it reaches; null: all of the tenant's. */
  agents: string[] | null;
  users: string[] | null;
  /** The most requests a second; null: the server's own limit. */
  rate: number | null;
  createdAt: Date;
  /** The key that made it, or `cli`. */
  createdBy: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** A key as it is asked for. */
export interface NewApiKey {
  name: string;
  /** Default `write`. */
  access?: KeyAccess;
  agents?: string[];
  users?: string[];
  rate?: number;
  expiresAt?: TimeInput;
}

const namesSchema = z.array(textSchema(200)).min(1, 'names nobody: leave it out to reach all').max(1000).optional();

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

/** A new secret: `varve_` + the id's characters + 32 random bytes. */
export function newSecret(id: string): { secret: string; hash: string } {
  const bytes = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret: `varve_${id.slice('key_'.length)}_${bytes}`, hash: hashOf(bytes) };
}

/** The id and the random part of a secret; null when it is none. */
export function readSecret(secret: string): { id: string; bytes: string } | null {
  const match = SECRET_PATTERN.exec(secret);
  return match === null ? null : { id: `key_${match[1]}`, bytes: match[2] ?? '' };
}

// Of SHA-256 in base64url.
const HASH_LENGTH = 43;

// 256 random bits cannot be guessed, so one round of SHA-256 protects them as well as a slow hash would.
function hashOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/** Whether the random part of a secret fits a stored hash, in constant time. */
export function fitsHash(bytes: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(bytes)), Buffer.from(hash.padEnd(HASH_LENGTH).slice(0, HASH_LENGTH)));
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function sameText(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
