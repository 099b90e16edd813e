import { z } from 'zod';
import { parse } from '../record/parse.ts';

export interface DoorSettings {
  /** If true, only host names of this machine are accepted. For a server that is bound to the loopback address. */
  local: boolean;
  /** The host names that are accepted besides those of this machine. If the list is empty and `local` is false, any name is accepted. */
  allowedHosts: readonly string[];
  /** The origins of web pages that may call the server from a browser. Default: none. */
  corsOrigins: readonly string[];
  /** The maximum size of a body in bytes. Streams have no such limit. */
  bodyLimit: number;
  /** The time limit of a request in milliseconds. Streams and background work have none. */
  timeout: number;
  /** The maximum requests per second for a key without a limit of its own. 0 allows any number. */
  rateLimit: number;
  /** The maximum wrong keys per minute from one address. Further wrong keys get 429 instead of 401. 0 allows any number. */
  failureLimit: number;
  /** The maximum streams of changes that one key may have open. 0 allows any number. */
  followerLimit: number;
  /**
   * Whether `/openapi.json` and `/docs` need a key. The key may be the password of Basic authentication. These pages contain no data of
   * tenants.
   */
  docsNeedKey: boolean;
  /**
   * The secret that starts reflection and backfill in `tenant` when a request sends it as `X-Reflection-Secret`. If it is null, the header
   * is ignored.
   */
  reflectionSecret: string | null;
  /** The operator's tenant. Its keys can read the metrics of the whole process. */
  tenant: string;
}

const numberText = z.coerce.number().min(0);
const listText = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const environmentSchema = z.object({
  VARVE_ALLOWED_HOSTS: listText,
  VARVE_CORS_ORIGINS: listText,
  VARVE_BODY_LIMIT: numberText.default(10 * 1024 * 1024),
  VARVE_TIMEOUT: numberText.default(30_000),
  VARVE_RATE_LIMIT: numberText.default(5_000),
  VARVE_FAILURE_LIMIT: numberText.default(60),
  VARVE_FOLLOWER_LIMIT: numberText.default(100),
  VARVE_DOCS_NEED_KEY: z.enum(['0', '1']).default('0'),
  VARVE_REFLECTION_SECRET: z.string().min(16, 'is too short: a secret has at least 16 characters').optional(),
  VARVE_TENANT: z.string().min(1).default('default'),
});

export function settingsFrom(environment: NodeJS.ProcessEnv, { local }: { local: boolean }): DoorSettings {
  // Ignores empty variables, because compose files create them for settings that are not set.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const read = parse(environmentSchema, set, 'The environment');
  return {
    local,
    allowedHosts: read.VARVE_ALLOWED_HOSTS,
    corsOrigins: read.VARVE_CORS_ORIGINS,
    bodyLimit: read.VARVE_BODY_LIMIT,
    timeout: read.VARVE_TIMEOUT,
    rateLimit: read.VARVE_RATE_LIMIT,
    failureLimit: read.VARVE_FAILURE_LIMIT,
    followerLimit: read.VARVE_FOLLOWER_LIMIT,
    docsNeedKey: read.VARVE_DOCS_NEED_KEY === '1',
    reflectionSecret: read.VARVE_REFLECTION_SECRET ?? null,
    tenant: read.VARVE_TENANT,
  };
}

export const DEFAULT_SETTINGS: DoorSettings = settingsFrom({}, { local: true });
