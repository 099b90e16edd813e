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
  /** Details for the reader of the error, never content of memories or events. */
  details?: Record<string, unknown>;
}

// A registered symbol instead of `instanceof`, so that two copies of the package recognise each other's errors.
const MARKER = Symbol.for('varve.error');

/** The one error class of Varve. Distinguish errors by `code`. */
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

  /** True for a Varve error from any copy of the package, with this code if one is given. */
  static isInstance(value: unknown, code?: ErrorCode): value is VarveError {
    return (
      typeof value === 'object' &&
      value !== null &&
      MARKER in value &&
      (code === undefined || (value as unknown as VarveError).code === code)
    );
  }
}

/** An error for bad input, thrown before anything is written. */
export function invalidInput(message: string, details?: Record<string, unknown>): VarveError {
  return new VarveError(message, { code: 'invalid_input', details });
}

/** An error for a record that does not exist, or that the caller may not see. */
export function notFound(message: string, id?: string): VarveError {
  return new VarveError(message, { code: 'not_found', details: id === undefined ? {} : { id } });
}

/** An error for a change that the present state of the store does not allow. */
export function conflict(message: string, options: Omit<ErrorOptions, 'code'> = {}): VarveError {
  return new VarveError(message, { ...options, code: 'conflict' });
}

/** The message of any thrown value, as a text that the store accepts: PostgreSQL refuses NUL, and cutting may split a surrogate pair. */
export function storedMessageOf(thrown: unknown): string {
  return messageOf(thrown).slice(0, 1000).replaceAll('\0', '').toWellFormed();
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
