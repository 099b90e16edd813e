import { z } from 'zod';
import { parse } from '../record/parse.ts';

export interface DoorSettings {
  /** Accepts only host names of this machine. For a server on the loopback address. */
  local: boolean;
  /** Host names that are accepted besides those of this machine. If the list is empty and `local` is false, any name is accepted. */
  allowedHosts: readonly string[];
  /** The origins of web pages that may call the server from a browser. */
  corsOrigins: readonly string[];
  /** In bytes. Streams have no limit. */
  bodyLimit: number;
  /** In milliseconds. Streams and background work have no limit. */
  timeout: number;
  /** Requests per second for a key without a limit of its own. 0: no limit. */
  rateLimit: number;
  /** Wrong keys per minute from one address. Further ones get 429 instead of 401. 0: no limit. */
  failureLimit: number;
  /** Open streams of changes per key. 0: no limit. */
  followerLimit: number;
  /** Whether `/openapi.json` and `/docs` need a key, also as the password of Basic authentication. They contain no data of tenants. */
  docsNeedKey: boolean;
  /** Starts reflection and backfill in `tenant` when a request sends it as `X-Reflection-Secret`. If null, the header is ignored. */
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
  // Compose files set variables without a value to an empty text.
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
