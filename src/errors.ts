/** The code of a {@link VarveError}. */
export type ErrorCode =
  | 'invalid_input'
  | 'not_found'
  | 'conflict'
  | 'outside_scope'
  | 'closed'
  | 'store_busy'
  | 'store_unavailable'
  | 'store_too_new'
  | 'embedder_unavailable'
  | 'model_unavailable'
  | 'model_answer_invalid'
  | 'receiver_unavailable'
  | 'out_of_credit'
  | 'budget_spent'
  | 'cancelled'
  | 'timed_out'
  | 'unsupported';

/** The options of a {@link VarveError}. */
export interface ErrorOptions {
  code: ErrorCode;
  /** Whether the same call may succeed later without a change by the caller. Default false. */
  retryable?: boolean;
  cause?: unknown;
  /** Details for debugging. They never contain the text of memories or events. */
  details?: Record<string, unknown>;
}

// A globally registered symbol replaces `instanceof`, because a program may load two copies of the package.
const MARKER = Symbol.for('varve.error');

/** The class of all errors that the library throws to an application. Distinguish errors by `code`. */
export class VarveError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;

  constructor(message: string, options: ErrorOptions) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'VarveError';
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** Checks for a Varve error, also from another copy of the package. With `code`, only errors with this code match. */
  static isInstance(value: unknown, code?: ErrorCode): value is VarveError {
    return (
      typeof value === 'object' &&
      value !== null &&
      MARKER in value &&
      (code === undefined || (value as unknown as VarveError).code === code)
    );
  }
}

/** For bad input. Thrown before anything is written. */
export function invalidInput(message: string, details?: Record<string, unknown>): VarveError {
  return new VarveError(message, { code: 'invalid_input', details });
}

/** For a record that does not exist, or that the caller may not see. */
export function notFound(message: string, id?: string): VarveError {
  return new VarveError(message, { code: 'not_found', details: id === undefined ? {} : { id } });
}

export function conflict(message: string, options: Omit<ErrorOptions, 'code'> = {}): VarveError {
  return new VarveError(message, { ...options, code: 'conflict' });
}

/** A message that the store accepts: PostgreSQL refuses NUL, and `slice` may split a surrogate pair. */
export function storedMessageOf(thrown: unknown): string {
  return messageOf(thrown).slice(0, 1000).replaceAll('\0', '').toWellFormed();
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Whether the store, or the server in front of it, could not be reached. */
export function isStoreFailure(error: unknown): error is VarveError {
  return VarveError.isInstance(error, 'store_unavailable') || VarveError.isInstance(error, 'store_busy');
}

/** " Did you mean user?", or nothing if no known name resembles the misspelt one. */
export function didYouMean(name: string, known: readonly string[], called = (one: string): string => one): string {
  const plain = (text: string): string => text.slice(0, 60).toLowerCase().replaceAll(/[-_]/g, '');
  const given = plain(name);
  const likeness = (other: string): number => {
    const [shorter, longer] = [given, other].toSorted((one, two) => one.length - two.length) as [string, string];
    const isPart = shorter.length > 2 && longer.includes(shorter);
    return Math.max(isPart ? 0.6 : 0, lettersInCommon(given, other) / Math.max(longer.length, 1));
  };
  const [best] = known
    .map((other) => ({ other, alike: likeness(plain(other)) }))
    .toSorted((one, two) => two.alike - one.alike);
  return best === undefined || best.alike < 0.6 ? '' : ` Did you mean ${called(best.other)}?`;
}

// The length of the longest common subsequence.
function lettersInCommon(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const letter of one) {
    const next = [0];
    for (let i = 0; i < other.length; i++)
      next.push(letter === other[i] ? row[i]! + 1 : Math.max(next[i]!, row[i + 1]!));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** A sentence about a name that does not exist, with the names that do. */
export function noSuch(what: string, name: string, known: readonly string[]): string {
  const said = JSON.stringify(name.slice(0, 60));
  return `There is no ${what} ${said}.${didYouMean(name, known)}${known.length === 0 ? '' : ` Known ${what}s: ${known.join(', ')}.`}`;
}
