import { hash } from 'node:crypto';
import { invalidInput, VarveError } from '../errors.ts';
import type { ApiKey } from '../operate/api-keys.ts';
import { parse, textSchema } from '../record/parse.ts';
import { ownerKey } from '../record/scope.ts';
import type { Varve } from '../varve.ts';
import { assertAccess, isLimited, limitHandle, scopeFor } from './access.ts';
import { type Answered, json } from './app-context.ts';
import { authenticate, bySecret } from './authenticate.ts';
import type { Answer, KeyedRequest } from '../store/doors/request-answers.ts';
import type { FailureLimit, FollowerLimit, RateLimit } from './limits.ts';
import { type Operation, Reply } from './operation.ts';
import { DoorError } from './problem.ts';
import { assertPlain, readBody, readQuery } from './read-request.ts';
import type { DoorSettings } from './settings.ts';

export interface DoorParts {
  varve: Varve;
  settings: DoorSettings;
  rates: RateLimit;
  failures: FailureLimit;
  followers: FollowerLimit;
  stopping: AbortSignal;
}

interface OperationRequest {
  request: Request;
  params: Record<string, string>;
  address: string;
  /** Called after authentication, for the log. */
  onKey(key: ApiKey): void;
}

export async function runOperation(
  parts: DoorParts,
  operation: Operation,
  { request, params, address, onKey }: OperationRequest,
): Promise<Answered> {
  const { varve, settings, rates, failures } = parts;
  const { headers } = request;
  const enter = async (): Promise<ApiKey> =>
    (operation.secret ? await bySecret(headers, settings, { failures, address }) : null) ??
    authenticate(headers, { varve, failures, address });
  const key = await enter();
  onKey(key);
  rates.take(key.id, key.rate ?? settings.rateLimit);
  assertAccess(key, operation.access);
  if (operation.tenantWide && isLimited(key)) throw tenantWide();
  for (const [name, value] of Object.entries(params)) parse(textSchema(200), value, `The ${name} in the path`);
  const search = await openCursor(searchOf(request.url), varve, key.tenant);
  const { scope: named, query } = readQuery(operation, search);
  const scope = operation.scoped ? scopeFor(key, named) : { tenant: key.tenant, user: null };
  const handle = limitHandle(varve.for(scope), key);
  const { body, text } = await inTime(readBody(operation, request, settings.bodyLimit), settings.timeout);
  const gone = (): AbortSignal => request.signal;
  const goneOrStopping = (): AbortSignal => AbortSignal.any([request.signal, parts.stopping]);
  const follow = (until: AbortSignal): void => parts.followers.enter(key.id, until);
  const isAllowed = async (): Promise<boolean> => {
    try {
      return (await enter()).id === key.id;
    } catch (error) {
      if (error instanceof DoorError) return false;
      throw error;
    }
  };

  const run = async (): Promise<Reply> => {
    if (operation.streams !== undefined) assertPlain(request);
    const stream = operation.streams === undefined ? null : request.body;
    const [id = ''] = Object.values(params);
    const about = { varve, handle, scope: handle.scope, key, id, query, body, headers, stream };
    const result = await operation.run({ ...about, gone, goneOrStopping, follow, isAllowed });
    const { act } = operation;
    // The audit trail outlives erased records. `ownerKey` is a digest, so it names no user.
    const subject = id === '' ? ownerKey(handle.scope) : id;
    if (act !== undefined) await varve.operator.acts.record({ tenant: key.tenant, actor: key.id, act, subject });
    const made = Array.isArray(result) ? { items: result } : result;
    return sealCursor(made instanceof Reply ? made : new Reply({ body: made }), varve, key.tenant);
  };
  const isSlow = operation.unhurried || operation.streams !== undefined || operation.answer.media !== undefined;
  const hurried = <Result>(work: Promise<Result>): Promise<Result> => (isSlow ? work : inTime(work, settings.timeout));
  const idempotencyKey = headers.get('idempotency-key');
  if (operation.once === false || idempotencyKey === null) return answered(operation, await hurried(run()));
  const asked = `${request.method} ${targetOf(request.url)}\n${text}`;
  const fingerprint = hash('sha256', asked, 'base64url');
  const once = { scope: handle.scope, caller: key.id, key: idempotencyKey, fingerprint };
  // The work continues after the time limit. A repeated request gets its answer.
  return hurried(runOnce(varve, operation, once, run));
}

async function runOnce(
  varve: Varve,
  operation: Operation,
  once: KeyedRequest,
  run: () => Promise<Reply>,
): Promise<Answered> {
  if (operation.once === 'again') return runAgain(varve, operation, once, run);
  if (!/^[\x21-\x7e]{1,200}$/.test(once.key))
    throw invalidInput('The Idempotency-Key must have 1 to 200 visible characters.');
  const { status, body, repeated } = await varve.operator.answers.once(once, async () => {
    const { status = operation.answer.status, body: made } = await run();
    return { status, body: JSON.stringify(made ?? null) };
  });
  return {
    status,
    body,
    headers: { 'content-type': 'application/json', ...(repeated ? { 'idempotent-replayed': 'true' } : {}) },
  };
}

// For an operation that is idempotent by itself. Throws if the same owner has used the key for a different request.
async function runAgain(
  varve: Varve,
  operation: Operation,
  { scope, key, ...request }: KeyedRequest,
  run: () => Promise<Reply>,
): Promise<Answered> {
  let reply: Reply | undefined;
  const work = async (): Promise<Answer> => {
    reply = await run();
    return { status: operation.answer.status, body: '' };
  };
  try {
    await varve.operator.answers.once({ ...request, scope, key: `${ownerKey(scope)} ${key}` }, work);
  } catch (error) {
    // The same request is already running. Both may run.
    if (!VarveError.isInstance(error, 'conflict') || !error.retryable) throw error;
  }
  return answered(operation, reply ?? (await run()));
}

// Clients get encrypted cursors: see {@link CursorSeal}.
async function openCursor(search: URLSearchParams, varve: Varve, tenant: string): Promise<URLSearchParams> {
  const sealed = search.getAll('cursor');
  if (sealed.length === 1) search.set('cursor', await varve.operator.cursors.open(tenant, sealed[0] ?? ''));
  return search;
}

async function sealCursor(answer: Reply, varve: Varve, tenant: string): Promise<Reply> {
  const body = answer.body as { cursor?: unknown } | null | undefined;
  if (typeof body !== 'object' || body === null || typeof body.cursor !== 'string') return answer;
  return new Reply({ ...answer, body: { ...body, cursor: await varve.operator.cursors.seal(tenant, body.cursor) } });
}

function answered(operation: Operation, answer: Reply): Answered {
  const { status = operation.answer.status, body, stream, headers = {} } = answer;
  if (stream !== undefined || body === undefined) return { status, body: stream ?? null, headers };
  const made = json(body, status);
  return { ...made, headers: { ...made.headers, ...headers } };
}

// Without the host, because a retry may reach another server process under another host name.
function targetOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

// Faster than parsing the whole URL.
function searchOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

/** Throws `timed_out` after the limit, but the work itself continues. */
export async function inTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `The request took longer than ${milliseconds / 1000} seconds, which is the limit of this server. If its work has begun, the work continues: repeat the request with the same Idempotency-Key to get its answer.`;
    timer = setTimeout(() => reject(new VarveError(message, { code: 'timed_out', retryable: true })), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function tenantWide(): VarveError {
  return new VarveError(
    'This operation concerns the whole tenant, and the key of this request is limited to some agents or users. Use an unlimited key.',
    { code: 'outside_scope' },
  );
}
