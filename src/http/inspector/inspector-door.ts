import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { conflict } from '../../errors.ts';
import { type ApiKey, sameText } from '../../operate/api-keys.ts';
import { parseJson } from '../../record/json.ts';
import { HOUR } from '../../record/clock.ts';
import { parse } from '../../record/parse.ts';
import type { Varve } from '../../varve.ts';
import { assertAccess, isLimited } from '../access.ts';
import { DoorError } from '../problem.ts';
import { bodyText } from '../read-request.ts';
import { inTime, tenantWide } from '../run-operation.ts';
import { DOCS_POLICY, notBuilt, readWebFiles, siteFolder, type WebFiles } from './web-files.ts';

/** A demo life: the conversations of one invented person, which can be replayed into a tenant, beside other users. */
export interface DemoLife {
  /** One sentence about the person. */
  title: string;
  /** The id under which the person is stored. */
  user: string;
  sessions: number;
  /** Replays the life into a tenant; `onSession` is called with the number of finished conversations. */
  load(tenant: string, onSession: (done: number) => void): Promise<void>;
}

export interface InspectorOptions {
  /** The one-time sign-in link; only for a server on the loopback address. */
  link?: SignInLink;
  /** The demo life that is offered while a tenant has no data of its user. */
  demo?: DemoLife;
}

export interface InspectorRequest {
  request: Request;
  /** The path of the URL. */
  path: string;
  /** The address of the client. */
  address: string;
  /** Authenticates the request. */
  enter(): Promise<ApiKey>;
}

interface InspectorAnswer {
  status: number;
  body: Uint8Array<ArrayBuffer> | string;
  headers: Record<string, string>;
}

interface InspectorRoute {
  method: 'GET' | 'POST';
  path: string;
  run(asked: InspectorRequest): Promise<InspectorAnswer>;
}

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const SIGNED_IN_FOR = 12 * HOUR;
const LINK_IS_OVER =
  'This link was used already, has expired, or belongs to another start of the server. Restart the server for a new link.';
const LOADED_ALREADY = 'The demo life can only be loaded once: its user has data already, or it is being loaded.';
const SIGN_IN_BYTES = 1024;
const SIGN_IN_TIME = 5_000;
const signInSchema = z.strictObject({ code: z.string().max(200) });

/**
 * The routes outside of `/v1`: the files of the inspector and of the docs, the sign-in by the one-time link, and the demo life. The files
 * hold no data and need no key.
 */
export function inspectorRoutes(
  varve: Varve,
  { link, demo }: InspectorOptions = {},
  clock: { now(): number } = Date,
): readonly InspectorRoute[] {
  const page = siteDoor('web');
  const docs = siteDoor('docs');

  const signIn = async ({ request, address }: InspectorRequest): Promise<InspectorAnswer> => {
    // The client is not authenticated yet, so long and slow bodies are refused.
    const text = await inTime(bodyText(request, SIGN_IN_BYTES), SIGN_IN_TIME);
    const { code } = parse(signInSchema, parseJson(text, 'The body'), 'The body');
    if (link === undefined || !LOOPBACK.test(address) || !link.redeem(code))
      throw new DoorError('unauthenticated', LINK_IS_OVER);
    const { secret } = await varve.operator.keys.create(
      link.tenant,
      { name: 'inspector, by one-time link', access: 'admin', expiresAt: new Date(clock.now() + SIGNED_IN_FOR) },
      'one-time link',
    );
    return json({ secret });
  };

  return [
    { method: 'GET', path: '/', run: page },
    { method: 'GET', path: '/icon.svg', run: page },
    { method: 'GET', path: '/assets/:file', run: page },
    // Links within the docs are relative to a folder, so the path must end with a slash.
    { method: 'GET', path: '/docs', run: async () => ({ status: 308, body: '', headers: { location: '/docs/' } }) },
    { method: 'GET', path: '/docs/*', run: docs },
    { method: 'POST', path: '/inspector/sign-in', run: signIn },
    ...demoRoutes(varve, demo),
  ];
}

/** Two routes: one reports whether the demo life can be loaded, and the progress of loading; the other loads it. */
function demoRoutes(varve: Varve, demo: InspectorOptions['demo']): InspectorRoute[] {
  let loading: { tenant: string; done: number } | null = null;
  const operatorOf = async ({ enter }: InspectorRequest): Promise<ApiKey> => {
    const key = await enter();
    assertAccess(key, 'admin');
    if (isLimited(key)) throw tenantWide();
    return key;
  };
  const isOffered = async (tenant: string): Promise<boolean> => {
    if (demo === undefined || loading !== null) return false;
    const { events, memories } = await varve.operator.count({ tenant, user: demo.user });
    return events === 0 && memories === 0;
  };
  const stateFor = async (tenant: string): Promise<InspectorAnswer> => {
    const about = { title: demo?.title ?? '', user: demo?.user, done: loading?.done ?? 0, of: demo?.sessions ?? 0 };
    if (loading !== null && loading.tenant === tenant) return json({ state: 'loading', ...about });
    return json({ state: (await isOffered(tenant)) ? 'offered' : 'unavailable', ...about });
  };
  const load = async (asked: InspectorRequest): Promise<InspectorAnswer> => {
    const { tenant } = await operatorOf(asked);
    // `loading` is checked again, because another request may have begun to load while this one counted.
    if (demo === undefined || !(await isOffered(tenant)) || loading !== null) throw conflict(LOADED_ALREADY);
    const progress = { tenant, done: 0 };
    loading = progress;
    void demo
      .load(tenant, (done) => void (progress.done = done))
      .catch((error: unknown) => process.emitWarning(error as Error))
      .finally(() => (loading = null));
    return stateFor(tenant);
  };
  return [
    { method: 'GET', path: '/inspector/demo', run: async (asked) => stateFor((await operatorOf(asked)).tenant) },
    { method: 'POST', path: '/inspector/demo', run: load },
  ];
}

/** Serves the files of a built site. They are read at the first request. */
function siteDoor(name: 'web' | 'docs'): InspectorRoute['run'] {
  const root = name === 'web' ? '/' : '/docs/';
  let files: WebFiles | null = null;
  return async ({ request, path }) => {
    const folder = files === null ? siteFolder(name) : null;
    if (folder !== null) files = readWebFiles(folder, name === 'docs' ? DOCS_POLICY : undefined);
    const file = files?.get(`/${path.slice(root.length)}`, request.headers.get('accept-encoding') ?? '') ?? null;
    if (file === null) {
      const what = name === 'web' ? 'The inspector is' : 'The docs are';
      if (files === null && path === root) return { status: 200, ...notBuilt(what, `npm run build:${name}`) };
      throw new DoorError('no_such_route', `There is no file ${JSON.stringify(path.slice(0, 200))}.`);
    }
    const isKnown = request.headers.get('if-none-match') === file.headers['etag'];
    return isKnown ? { ...file, status: 304, body: '' } : { ...file, status: 200 };
  };
}

function json(body: unknown): InspectorAnswer {
  return { status: 200, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** A one-time code for signing in to the inspector, for the person who reads the server's terminal. */
interface SignInLink {
  /** The code. It is in the fragment of the link (after `#`), because browsers do not send the fragment to servers. */
  readonly code: string;
  /** The tenant that the code gives access to. */
  readonly tenant: string;
  /** Whether the code is correct, unused and not expired. Checking a correct code uses it up. */
  redeem(code: string): boolean;
}

const CODE_BYTES = 24;

/** Makes a code that works once within `lifetime` milliseconds. Wrong guesses do not invalidate it, because 192 bits cannot be guessed. */
export function createSignInLink(options: { now(): number; lifetime: number; tenant: string }): SignInLink {
  const { now, lifetime, tenant } = options;
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const until = now() + lifetime;
  let isUsed = false;
  return {
    code,
    tenant,
    redeem(given) {
      if (isUsed || now() > until || !sameText(given, code)) return false;
      isUsed = true;
      return true;
    },
  };
}
