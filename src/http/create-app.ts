import { Hono } from 'hono';
import { randomUUID } from 'node:crypto';
import type { ApiKey } from '../operate/api-keys.ts';
import { assertDepth } from '../record/json.ts';
import type { Varve } from '../varve.ts';
import { isLimited } from './access.ts';
import { type Answered, type AppContext, type Enter, json, respond, type VarveApp } from './app-context.ts';
import { authenticate, checkOrigin, corsHeaders } from './authenticate.ts';
import { type InspectorOptions, routeInspector } from './inspector/inspector-door.ts';
import { createFailureLimit, createFollowerLimit, createRateLimit, networkOf } from './limits.ts';
import { errorFields, type Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import { OPERATIONS } from './operations/operations.ts';
import { DoorError, problemOf } from './problem.ts';
import { bodyText } from './read-request.ts';
import { type DoorParts, inTime, runOperation, tenantWide } from './run-operation.ts';
import { DEFAULT_SETTINGS, type DoorSettings } from './settings.ts';

interface AppOptions {
  varve: Varve;
  settings?: Partial<DoorSettings>;
  version?: string;
  log?: Log;
  /** Aborts when the server stops. Streams then end, and `/ready` reports it. */
  stopping?: AbortSignal;
  inspector?: InspectorOptions;
  mcp?(request: Request, key: ApiKey): Promise<Response>;
}

export interface App {
  /** `address` is the client's IP address. */
  fetch(request: Request, address: string): Response | Promise<Response>;
  metrics: Metrics;
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

// As in the MCP SDK.
const MCP_BODY_LIMIT = 4 * 1024 * 1024;

interface Door extends DoorParts {
  app: VarveApp;
  metrics: Metrics;
  log: Log;
  enter: Enter;
}

export function createApp(options: AppOptions): App {
  const { varve, log = () => {}, version = '0', stopping = new AbortController().signal } = options;
  const settings: DoorSettings = { ...DEFAULT_SETTINGS, ...options.settings };
  const failures = createFailureLimit(settings.failureLimit);
  const followers = createFollowerLimit(settings.followerLimit);
  const rates = createRateLimit();
  const app: VarveApp = new Hono();
  const enter: Enter = async (context, { basic = false } = {}) => {
    const { address } = context.env;
    const key = await authenticate(context.req.raw.headers, { varve, failures, address, basic });
    context.set('caller', key.id);
    rates.take(key.id, key.rate ?? settings.rateLimit);
    return key;
  };
  const metrics = createMetrics(failures);
  const door: Door = { varve, settings, rates, failures, followers, stopping, app, metrics, log, enter };
  logRequests(door);
  setHeaders(door);
  routeProbes(door);
  routeDescription(door, version);
  routeMcp(door, options.mcp);
  routeInspector(app, { varve, enter, ...options.inspector });
  routeOperations(door);
  app.onError((error, context) => problemResponse(door, context, error));
  // Hono does not pass an error of a not-found handler to `onError`.
  app.notFound((context) => refuse(door, context).catch((error: unknown) => problemResponse(door, context, error)));
  return { fetch: (request, address) => app.fetch(request, { address }), metrics };
}

function logRequests({ app, metrics, log }: Door): void {
  app.use(async (context, next) => {
    const start = performance.now();
    metrics.begin();
    context.set('requestId', randomUUID());
    context.set('caller', null);
    await next();
    const seconds = (performance.now() - start) / 1000;
    const { method } = context.req;
    const { status } = context.res;
    const route = routeOf(context);
    metrics.end({ method, route, status, seconds });
    const fields = { request: context.get('requestId'), method, route, status };
    const ms = Math.round(seconds * 100_000) / 100;
    log(status >= 500 ? 'error' : 'info', 'request', { ...fields, ms, key: context.get('caller') });
  });
}

function setHeaders({ app, settings }: Door): void {
  app.use(async (context, next) => {
    const { headers } = context.req.raw;
    const cors = settings.corsOrigins.length === 0 ? {} : corsHeaders(headers.get('origin'), settings);
    context.set('headers', { ...SECURITY_HEADERS, 'x-request-id': context.get('requestId'), ...cors });
    checkOrigin(headers, settings);
    if (context.req.method === 'OPTIONS' && Object.keys(cors).length > 0) return context.body(null, 204, cors);
    return next();
  });
}

function problemResponse({ log }: Door, context: AppContext, error: unknown): Response {
  const { problem, headers } = problemOf(error);
  if (problem.status >= 500) log('error', problem.code, { request: context.get('requestId'), ...errorFields(error) });
  const type = { 'content-type': 'application/problem+json' };
  return respond(context, { status: problem.status, body: JSON.stringify(problem), headers: { ...type, ...headers } });
}

// Authenticates first, because only a valid key may learn which paths exist.
async function refuse({ enter }: Door, context: AppContext): Promise<never> {
  await enter(context);
  const { path } = context.req;
  const allowed = OPERATIONS.filter((one) => patternOf(one.path).test(path)).map(({ method }) => method.toUpperCase());
  if (allowed.length === 0)
    throw new DoorError('no_such_route', 'No operation has this path. GET /openapi.json lists all operations.');
  const allow = [...new Set(allowed)].join(', ');
  throw new DoorError('method_not_allowed', `This path accepts ${allow} only.`, { allow });
}

function routeProbes({ app, varve, stopping }: Door): void {
  app.get('/health', (context) => respond(context, json({ status: 'ok' })));
  app.get('/ready', async (context) => {
    if (stopping.aborted) return respond(context, json({ status: 'stopping' }, 503));
    // This query needs no worker of a cluster: if one worker is down, the server stays ready for the tenants of the others.
    await varve.operator.keys.any();
    // `varve doctor` compares the store with its own.
    return respond(context, json({ status: 'ready', store: await varve.operator.cursors.storeId() }));
  });
}

function routeDescription({ app, varve, settings, metrics, enter }: Door, version: string): void {
  // Separate buckets, so that requests without a key cannot evict the buckets of keys.
  const addresses = createRateLimit();
  for (const path of ['/openapi.json', '/docs', '/docs/*']) {
    app.use(path, async (context, next) => {
      if (settings.docsNeedKey) await enter(context, { basic: true });
      else addresses.take(networkOf(context.env.address), settings.rateLimit);
      return next();
    });
  }
  let description: Answered | undefined;
  app.get('/openapi.json', (context) => respond(context, (description ??= json(openApi(OPERATIONS, version)))));
  app.get('/metrics', async (context) => {
    const key = await enter(context, { basic: true });
    if (isLimited(key)) throw tenantWide();
    const body = await metrics.text(varve, key.tenant, { isOperator: key.tenant === settings.tenant });
    return respond(context, { status: 200, body, headers: { 'content-type': 'text/plain; version=0.0.4' } });
  });
}

function routeMcp(door: Door, mcp: AppOptions['mcp']): void {
  door.app.all('/mcp', async (context) => {
    if (mcp === undefined) return refuse(door, context);
    const key = await door.enter(context);
    const { body, status, headers } = await mcp(await wholeRequest(context.req.raw, door.settings), key);
    return respond(context, { status, body, headers: Object.fromEntries(headers) });
  });
}

function routeOperations(door: Door): void {
  for (const operation of OPERATIONS) {
    door.app.on(operation.method.toUpperCase(), operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      const answered = await runOperation(door, operation, {
        request: context.req.raw,
        params: context.req.param() as Record<string, string>,
        address: context.env.address,
        onKey: (key) => context.set('caller', key.id),
      });
      return respond(context, answered);
    });
  }
}

// In the SDK, a large body would drop the connection without an answer, a slow body block it, and deep nesting overflow the stack.
async function wholeRequest(request: Request, { bodyLimit, timeout }: DoorSettings): Promise<Request> {
  if (request.method !== 'POST') return request;
  const body = await inTime(bodyText(request, Math.min(bodyLimit, MCP_BODY_LIMIT)), timeout);
  assertDepth(body, 'The body');
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, body, signal });
}

function routeOf(context: AppContext): string {
  const paths = context.req.matchedRoutes.map(({ path }) => path).filter((path) => path !== '/*' && path !== '*');
  return paths.at(-1) ?? 'none';
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
