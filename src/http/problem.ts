import { VarveError, type ErrorCode } from '../errors.ts';

const DOOR_STATUS = {
  unauthenticated: 401,
  forbidden: 403,
  no_such_route: 404,
  method_not_allowed: 405,
  wrong_host: 403,
  wrong_origin: 403,
  too_large: 413,
  unsupported_media_type: 415,
  precondition_failed: 412,
  rate_limited: 429,
  internal: 500,
};
type DoorCode = keyof typeof DOOR_STATUS;

export type ProblemCode = ErrorCode | DoorCode;

/** Only for HTTP: MCP returns the code itself. */
export const STATUS: Readonly<Record<ProblemCode, number>> = {
  invalid_input: 400,
  not_found: 404,
  conflict: 409,
  outside_scope: 403,
  closed: 503,
  store_busy: 503,
  store_unavailable: 503,
  store_too_new: 503,
  embedder_unavailable: 503,
  model_unavailable: 503,
  model_answer_invalid: 502,
  receiver_unavailable: 502,
  out_of_credit: 402,
  budget_spent: 429,
  cancelled: 503,
  timed_out: 504,
  unsupported: 501,
  ...DOOR_STATUS,
};

export class DoorError extends Error {
  readonly code: DoorCode;
  readonly headers: Record<string, string>;

  constructor(code: DoorCode, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'DoorError';
    this.code = code;
    this.headers = headers;
  }
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  retryable: boolean;
  problems?: unknown;
}

/** Unexpected errors are not described, because their messages may contain text of records. */
export function problemOf(thrown: unknown): { problem: Problem; headers: Record<string, string> } {
  if (thrown instanceof DoorError) {
    return { problem: problem(thrown.code, thrown.message, thrown.code === 'rate_limited'), headers: thrown.headers };
  }
  if (VarveError.isInstance(thrown)) {
    const found = problem(thrown.code, thrown.message, thrown.retryable);
    const { problems, until } = thrown.details;
    if (problems !== undefined) found.problems = problems;
    const wait = typeof until === 'number' ? Math.max(1, Math.ceil((until - Date.now()) / 1000)) : 1;
    return { problem: found, headers: [429, 503].includes(found.status) ? { 'retry-after': String(wait) } : {} };
  }
  const isCancelled = thrown instanceof Error && thrown.name === 'AbortError';
  return {
    problem: isCancelled ? problem('cancelled', CANCELLED, true) : problem('internal', UNEXPECTED, true),
    headers: {},
  };
}

const CANCELLED = 'The request was cancelled, because the server is stopping or the client has closed the connection.';
const UNEXPECTED = 'An unexpected error occurred. The log of the server has the details under the id of this request.';

function problem(code: ProblemCode, detail: string, retryable: boolean): Problem {
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');
  return { type: `urn:varve:problem:${code}`, title, status: STATUS[code] ?? 500, detail, code, retryable };
}
