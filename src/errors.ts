/** The kinds of errors that a program can act on. */
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

/** The parts of a {@link VarveError} besides its message. */
export interface ErrorOptions {
  code: ErrorCode;
  /** Whether the same call may succeed later without a change by the caller. Default false. */
  retryable?: boolean;
  cause?: unknown;
  /** Details that help to find the cause. They never contain text of memories or events. */
  details?: Record<string, unknown>;
}

// The symbol is registered globally and replaces `instanceof`, so that two copies of the package recognise each other's errors.
const MARKER = Symbol.for('varve.error');

/** The only class of errors that Varve throws. Distinguish errors by `code`. */
export class VarveError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;

  constructor(message: string, options: ErrorOptions) {
    super(message, { cause: options.cause });
    this.name = 'VarveError';
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** Returns true for a Varve error, also one from another copy of the package. With `code`, only for errors that have this code. */
  static isInstance(value: unknown, code?: ErrorCode): value is VarveError {
    return (
      typeof value === 'object' &&
      value !== null &&
      MARKER in value &&
      (code === undefined || (value as unknown as VarveError).code === code)
    );
  }
}

/** Makes the error for bad input. It is thrown before anything is written. */
export function invalidInput(message: string, details?: Record<string, unknown>): VarveError {
  return new VarveError(message, { code: 'invalid_input', details });
}

/** Makes the error for a record that does not exist or that the caller may not see. */
export function notFound(message: string, id?: string): VarveError {
  return new VarveError(message, { code: 'not_found', details: id === undefined ? {} : { id } });
}

/** Makes the error for a change that the store's current state does not allow. */
export function conflict(message: string, options: Omit<ErrorOptions, 'code'> = {}): VarveError {
  return new VarveError(message, { ...options, code: 'conflict' });
}

/**
 * Returns the message of any thrown value in a form that the store accepts. PostgreSQL refuses NUL, and truncation may split a surrogate
 * pair.
 */
export function storedMessageOf(thrown: unknown): string {
  return messageOf(thrown).slice(0, 1000).replaceAll('\0', '').toWellFormed();
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
