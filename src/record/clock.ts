/** A source of the current time. All code takes its clock as a parameter, so that a test can advance it by a year. */
export interface Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock for tests, which moves only by `advance` and `set`. */
export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
  set(time: Date | number): void;
}

/** Creates a {@link ManualClock} that starts at `start`. */
export function manualClock(start: Date | number): ManualClock {
  let time = Number(start);
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    set: (next) => {
      time = Number(next);
    },
  };
}

export const SECOND = 1000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;
