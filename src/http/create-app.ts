import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import type { ApiKey } from '../operate/api-key.ts';
import type { Varve } from '../varve.ts';
import { authenticate } from './authenticate.ts';
import { checkOrigin, corsHeaders } from './check-origin.ts';
import { docsPage } from './docs-page.ts';
import { errorFields, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openApi, type OpenApiDocument } from './openapi.ts';
import { OPERATIONS } from './operations/operations.ts';
import { problemOf } from './problem.ts';
import { createRateLimit } from './rate-limit.ts';
import { refuse, runOperation, type DoorParts } from './run-operation.ts';
import { DEFAULT_SETTINGS, type DoorSettings } from './settings.ts';

export interface AppOptions {
  varve: Varve;
  settings?: Partial<DoorSettings>;
  version?: string;
  log?: Log;
  /** Ends when the server stops: streams end with it, and the server is no longer ready. */
  stopping?: AbortSignal;
  /** Answers `/mcp` for a key. */
  mcp?(request: Request, key: ApiKey): Promise<Response>;
}

interface Variables {
  requestId: string;
  /** The id of the key, once it is known. */
  caller: string | null;
  /** Headers of every answer. */
  headers: Record<string, string>;
}

type AppContext = Context<{ Variables: Variables }>;

/** An app that answers web-standard requests, and what it counts. */
export interface App {
  fetch(request: Request): Response | Promise<Response>;
  metrics: Metrics;
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Makes the HTTP API of an open memory. */
export function createApp(options: AppOptions): App {
  const { varve, log = () => {}, version = '0', stopping = new AbortController().signal } = options;
  const settings: DoorSettings = { ...DEFAULT_SETTINGS, ...options.settings };
  const parts: DoorParts = { varve, settings, rates: createRateLimit(), stopping };
  const metrics = createMetrics();
  const app = new Hono<{ Variables: Variables }>();
  let document: OpenApiDocument | undefined;
  const described = (): OpenApiDocument => (document ??= openApi(OPERATIONS, version));

  app.use(async (context, next) => {
    const start = performance.now();
    metrics.begin();
    context.set('requestId', randomUUID());
    context.set('caller', null);
    await next();
    const seconds = (performance.now() - start) / 1000;
    const { status } = context.res;
    const route = routeOf(context);
    metrics.end({ method: context.req.method, route, status, seconds });
    const fields = { request: context.get('requestId'), method: context.req.method, route, status };
    log(status >= 500 ? 'error' : 'info', 'request', {
      ...fields,
      ms: round(seconds * 1000),
      key: context.get('caller'),
    });
  });

  const problemResponse = (context: AppContext, error: unknown): Response => {
    const { problem, headers } = problemOf(error);
    if (problem.status >= 500) log('error', problem.code, { request: context.get('requestId'), ...errorFields(error) });
    const all = { ...context.get('headers'), 'content-type': 'application/problem+json', ...headers };
    return context.body(JSON.stringify(problem), problem.status as 500, all);
  };
  app.onError((error, context) => problemResponse(context, error));

  app.use(async (context, next) => {
    // Headers are given with each answer and not added afterwards: that would cost more than the rest of the door.
    const { headers } = context.req.raw;
    const cors = settings.corsOrigins.length === 0 ? {} : corsHeaders(headers.get('origin'), settings);
    context.set('headers', { ...SECURITY_HEADERS, 'x-request-id': context.get('requestId'), ...cors });
    checkOrigin(headers, settings);
    if (context.req.method === 'OPTIONS' && Object.keys(cors).length > 0) return context.body(null, 204, cors);
    return next();
  });

  app.get('/health', (context) => context.json({ status: 'ok' }, 200, context.get('headers')));
  app.get('/ready', async (context) => {
    if (stopping.aborted) return context.json({ status: 'stopping' }, 503, context.get('headers'));
    await varve.operator.status();
    return context.json({ status: 'ready' }, 200, context.get('headers'));
  });

  const guarded = async (context: AppContext): Promise<ApiKey> => {
    const key = await authenticate(varve, context.req.raw.headers, { basic: context.req.method === 'GET' });
    context.set('caller', key.id);
    parts.rates.take(key.id, key.rate ?? settings.rateLimit);
    return key;
  };
  app.get(
    '/openapi.json',
    async (context) => (await guarded(context), context.json(described(), 200, context.get('headers'))),
  );
  app.get('/docs', async (context) => {
    await guarded(context);
    const policy = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" };
    return context.html(docsPage(described()), 200, { ...context.get('headers'), ...policy });
  });
  app.get('/metrics', async (context) => {
    const key = await guarded(context);
    return context.text(await metrics.text(varve, key.tenant), 200, {
      ...context.get('headers'),
      'content-type': 'text/plain; version=0.0.4',
    });
  });
  app.all('/mcp', async (context) => {
    const key = await authenticate(varve, context.req.raw.headers);
    context.set('caller', key.id);
    parts.rates.take(key.id, key.rate ?? settings.rateLimit);
    return (await options.mcp?.(context.req.raw, key)) ?? refuse(parts, context.req.raw);
  });

  for (const operation of OPERATIONS) {
    app.on(operation.method.toUpperCase(), operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      const { status, body, headers } = await runOperation(parts, operation, {
        request: context.req.raw,
        params: context.req.param() as Record<string, string>,
        onKey: (key) => context.set('caller', key.id),
      });
      return context.body(body as string, status as 200, { ...context.get('headers'), ...headers });
    });
  }
  // Hono does not let a not-found handler throw into onError.
  app.notFound((context) => refuse(parts, context.req.raw).catch((error: unknown) => problemResponse(context, error)));
  return { fetch: (request) => app.fetch(request), metrics };
}

/** The pattern of the route that answered; one word for all that is nowhere. */
function routeOf(context: AppContext): string {
  const paths = context.req.matchedRoutes.map(({ path }) => path).filter((path) => path !== '/*' && path !== '*');
  return paths.at(-1) ?? 'none';
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
