import { parse, timeSchema, type TimeInput } from '../record/parse.ts';

// Known by name, as VarveError is: two copies of the package recognise each other's.
const MARKER = Symbol.for('varve.postponed');

/** Thrown by a handler whose job has to wait without having failed. Made by {@link postpone}. */
export class Postponed extends Error {
  readonly until: Date;

  constructor(until: Date, reason: string) {
    super(reason);
    this.name = 'Postponed';
    this.until = until;
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** True for a postponement from any copy of the package. */
  static isInstance(value: unknown): value is Postponed {
    return typeof value === 'object' && value !== null && MARKER in value;
  }
}

/** `throw postpone(tomorrow, 'The daily budget is spent')`: the job waits until then, and no attempt is counted. */
export function postpone(until: TimeInput, reason: string): Postponed {
  return new Postponed(parse(timeSchema, until, 'The time to postpone to'), reason);
}
