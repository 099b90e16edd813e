import { createHash } from 'node:crypto';
import { invalidInput, VarveError } from '../errors.ts';
import { isIdempotencyKey } from './idempotency-key.ts';
import type { ApiKey } from '../operate/api-key.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Varve } from '../varve.ts';
import { assertAccess, isLimited, limitHandle, scopeFor } from './access.ts';
import { authenticate, bySecret } from './authenticate.ts';
import type { Operation, OperationAnswer } from './operation.ts';
import { subjectOf } from './operations/admin-operations.ts';
import { DoorError } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import { readBody } from './read-body.ts';
import { readQuery } from './read-query.ts';
import type { DoorSettings } from './settings.ts';

/** What the door works with. */
export interface DoorParts {
  varve: Varve;
  settings: DoorSettings;
  rates: RateLimit;
  /** Ends when the server stops. */
  stopping: AbortSignal;
}

export interface OperationRequest {
  request: Request;
  params: Record<string, string>;
  /** Told who asks, for the log. */
  onKey(key: ApiKey): void;
}

/** What goes out. */
export interface Answered {
  status: number;
  body: string | ReadableStream<Uint8Array> | null;
  headers: Record<string, string>;
}

/** Answers one request: who asks, may they, what do they ask, do it, note it. */
export async function runOperation(
  parts: DoorParts,
  operation: Operation,
  { request, params, onKey }: OperationRequest,
): Promise<Answered> {
  const { varve, settings, rates } = parts;
  const key =
    (operation.secret ? bySecret(request.headers, settings) : null) ?? (await authenticate(varve, request.headers));
  onKey(key);
  rates.take(key.id, key.rate ?? settings.rateLimit);
  assertAccess(key, operation.access);
  if (operation.tenantWide && isLimited(key)) {
    throw new VarveError('This concerns the whole tenant, and this key reaches only a part.', {
      code: 'outside_scope',
    });
  }
  for (const [name, value] of Object.entries(params)) parse(textSchema(200), value, `The ${name} in the path`);
  const { scope: asked, query } = readQuery(operation, searchOf(request.url));
  const handle = limitHandle(varve.for(operation.scoped ? scopeFor(key, asked) : { tenant: key.tenant }), key);
  const { body, text } = await readBody(operation, request, settings.bodyLimit);
  const gone = (): AbortSignal => request.signal;
  const goneOrStopping = (): AbortSignal => AbortSignal.any([request.signal, parts.stopping]);

  const run = async (): Promise<OperationAnswer> => {
    const input = {
      varve,
      handle,
      scope: handle.scope,
      key,
      params,
      query,
      body,
      headers: request.headers,
      gone,
      goneOrStopping,
    };
    const isSlow = operation.unhurried || operation.streams !== undefined || operation.answer.media !== undefined;
    const work = operation.run({ ...input, stream: operation.streams === undefined ? null : request.body });
    const answer = isSlow ? await work : await inTime(work, settings.timeout);
    if (operation.act !== undefined) await noteAct(varve, operation.act, { key, scope: handle.scope, params });
    return answer;
  };
  const idempotencyKey = request.headers.get('idempotency-key');
  if (!operation.once || idempotencyKey === null) return respond(operation, await run());
  if (!isIdempotencyKey(idempotencyKey))
    throw invalidInput('The Idempotency-Key must have 1 to 200 visible characters.');
  const fingerprint = createHash('sha256').update(`${request.method} ${request.url}\n${text}`).digest('base64url');
  const once = { scope: handle.scope, caller: key.id, key: idempotencyKey, fingerprint };
  const answer = await varve.operator.answers.once(once, async () => {
    const { status = operation.answer.status, body: made } = await run();
    return { status, body: JSON.stringify(made ?? null) };
  });
  const replayed: Record<string, string> = answer.repeated ? { 'idempotent-replayed': 'true' } : {};
  return { status: answer.status, body: answer.body, headers: { ...JSON_TYPE, ...replayed } };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function respond(operation: Operation, answer: OperationAnswer): Answered {
  const { status = operation.answer.status, body, stream, headers = {} } = answer;
  if (stream !== undefined) return { status, body: stream, headers };
  if (body === undefined) return { status, body: null, headers };
  return { status, body: JSON.stringify(body), headers: { ...JSON_TYPE, ...headers } };
}

/** The query string alone: taking the whole address apart costs more than reading it. */
function searchOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

async function inTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new VarveError('This took too long.', { code: 'timed_out', retryable: true })),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function noteAct(
  varve: Varve,
  act: string,
  { key, scope, params }: { key: ApiKey; scope: Scope; params: Record<string, string> },
): Promise<void> {
  const subject = params['id'] ?? subjectOf(scope);
  await varve.operator.acts.record({ tenant: key.tenant, actor: key.id, act, subject });
}

/** For everything that is no operation: a key is needed to learn that it is not there. */
export async function refuse(parts: DoorParts, request: Request): Promise<never> {
  await authenticate(parts.varve, request.headers);
  throw new DoorError('no_such_route', 'There is nothing here. GET /openapi.json says what there is.');
}
