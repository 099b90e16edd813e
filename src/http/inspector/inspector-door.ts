import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { conflict } from '../../errors.ts';
import { sameText } from '../../operate/api-keys.ts';
import { parseJson } from '../../record/json.ts';
import { HOUR } from '../../record/clock.ts';
import { parse } from '../../record/parse.ts';
import type { Varve } from '../../varve.ts';
import { assertAccess, isLimited } from '../access.ts';
import { type Answered, type AppContext, type Enter, json, respond, type VarveApp } from '../app-context.ts';
import { DoorError } from '../problem.ts';
import { bodyText } from '../read-request.ts';
import { inTime, tenantWide } from '../run-operation.ts';
import { DOCS_POLICY, notBuilt, readWebFiles, siteFolder, type WebFiles } from './web-files.ts';

export interface DemoLife {
  title: string;
  user: string;
  sessions: number;
  /** Replays the life. `done` is the number of finished conversations. */
  load(tenant: string, onSession: (done: number) => void): Promise<void>;
}

export interface InspectorOptions {
  /** The one-time sign-in link. Only for a server on the loopback address. */
  link?: SignInLink;
  /** Offered as long as the tenant has no data of the demo's user. */
  demo?: DemoLife;
}

interface InspectorDoor extends InspectorOptions {
  varve: Varve;
  enter: Enter;
}

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const SIGNED_IN_FOR = 12 * HOUR;
const LINK_IS_OVER =
  'This link was used already, has expired, or belongs to another start of the server. Restart the server for a new link.';
const LOADED_ALREADY = 'The demo life can only be loaded once: its user has data already, or it is being loaded.';
const SIGN_IN_BYTES = 1024;
const SIGN_IN_TIME = 5_000;
const signInSchema = z.strictObject({ code: z.string().max(200) });

/** Adds the routes outside of `/v1`. The files of the inspector and the docs contain no data, so they need no key. */
export function routeInspector(app: VarveApp, door: InspectorDoor): void {
  app.on('GET', ['/', '/icon.svg', '/assets/:file'], siteDoor('web'));
  // Links within the docs are relative, so the path must end with a slash.
  app.get('/docs', (context) => respond(context, { status: 308, body: '', headers: { location: '/docs/' } }));
  app.get('/docs/*', siteDoor('docs'));
  app.post('/inspector/sign-in', async (context) => respond(context, await signIn(context, door)));
  routeDemo(app, door);
}

async function signIn({ req, env }: AppContext, { varve, link }: InspectorDoor): Promise<Answered> {
  // Limits size and time, because the client is not authenticated yet.
  const text = await inTime(bodyText(req.raw, SIGN_IN_BYTES), SIGN_IN_TIME);
  const { code } = parse(signInSchema, parseJson(text, 'The body'), 'The body');
  const expiresAt = link !== undefined && LOOPBACK.test(env.address) ? link.redeem(code) : null;
  if (link === undefined || expiresAt === null) throw new DoorError('unauthenticated', LINK_IS_OVER);
  const key = { name: 'inspector, by one-time link', access: 'admin', expiresAt } as const;
  const { secret } = await varve.operator.keys.create(link.tenant, key, 'one-time link');
  return json({ secret });
}

function routeDemo(app: VarveApp, { varve, enter, demo }: InspectorDoor): void {
  let loading: { tenant: string; done: number } | null = null;
  const tenantOf = async (context: AppContext): Promise<string> => {
    const key = await enter(context);
    assertAccess(key, 'admin');
    if (isLimited(key)) throw tenantWide();
    return key.tenant;
  };
  const isOffered = async (tenant: string): Promise<boolean> => {
    if (demo === undefined || loading !== null) return false;
    const { events, memories } = await varve.operator.count({ tenant, user: demo.user });
    return events === 0 && memories === 0;
  };
  const stateFor = async (tenant: string): Promise<Answered> => {
    const about = { title: demo?.title ?? '', user: demo?.user, done: loading?.done ?? 0, of: demo?.sessions ?? 0 };
    if (loading !== null && loading.tenant === tenant) return json({ state: 'loading', ...about });
    return json({ state: (await isOffered(tenant)) ? 'offered' : 'unavailable', ...about });
  };
  const load = async (tenant: string): Promise<Answered> => {
    // Checks `loading` again, because another request may have started to load during `isOffered`.
    if (demo === undefined || !(await isOffered(tenant)) || loading !== null) throw conflict(LOADED_ALREADY);
    const progress = { tenant, done: 0 };
    loading = progress;
    void demo
      .load(tenant, (done) => void (progress.done = done))
      .catch((error: unknown) => process.emitWarning(error as Error))
      .finally(() => (loading = null));
    return stateFor(tenant);
  };
  app.get('/inspector/demo', async (context) => respond(context, await stateFor(await tenantOf(context))));
  app.post('/inspector/demo', async (context) => respond(context, await load(await tenantOf(context))));
}

function siteDoor(name: 'web' | 'docs'): (context: AppContext) => Response {
  const root = name === 'web' ? '/' : '/docs/';
  let files: WebFiles | null = null;
  return (context) => {
    const { path, raw } = context.req;
    const folder = files === null ? siteFolder(name) : null;
    if (folder !== null) files = readWebFiles(folder, name === 'docs' ? DOCS_POLICY : undefined);
    const file = files?.get(`/${path.slice(root.length)}`, raw.headers.get('accept-encoding') ?? '') ?? null;
    if (file === null) {
      const what = name === 'web' ? 'The inspector is' : 'The docs are';
      if (files === null && path === root)
        return respond(context, { status: 200, ...notBuilt(what, `npm run build:${name}`) });
      throw new DoorError('no_such_route', `There is no file ${JSON.stringify(path.slice(0, 200))}.`);
    }
    const isKnown = raw.headers.get('if-none-match') === file.headers['etag'];
    return respond(context, isKnown ? { ...file, status: 304, body: null } : { ...file, status: 200 });
  };
}

/** Lets the person who reads the server's terminal sign in to the inspector once. */
interface SignInLink {
  /** The link contains the code after `#`, because browsers do not send that part of a URL to servers. */
  readonly code: string;
  readonly tenant: string;
  /** Returns the end of the new session and invalidates the code. Returns null if the code is wrong, used or expired. */
  redeem(code: string): Date | null;
}

const CODE_BYTES = 24;

/** A wrong guess does not invalidate the code, because its 192 bits cannot be guessed. `lifetime` is in milliseconds. */
export function createSignInLink(options: { now(): number; lifetime: number; tenant: string }): SignInLink {
  const { now, lifetime, tenant } = options;
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const until = now() + lifetime;
  let isUsed = false;
  return {
    code,
    tenant,
    redeem(given) {
      if (isUsed || now() > until || !sameText(given, code)) return null;
      isUsed = true;
      return new Date(now() + SIGNED_IN_FOR);
    },
  };
}
