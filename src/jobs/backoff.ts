import { MINUTE, SECOND } from '../record/clock.ts';

/** How long to wait, in milliseconds, after the attempt with this number (from 1) has failed. */
export type Backoff = (attempt: number) => number;

export interface BackoffOptions {
  /** After the first failure. Default 15 seconds. */
  first?: number;
  /** Never longer than this. Default one hour. */
  most?: number;
  /** From 0 to 1. Default `Math.random`. */
  random?: () => number;
}

/**
 * Twice as long after every failure, less up to half of it by chance, so that jobs that failed together
 * do not come back together. With the defaults eight attempts span about half an hour: an outage of a model.
 */
export function exponentialBackoff(options: BackoffOptions = {}): Backoff {
  const { first = 15 * SECOND, most = 60 * MINUTE, random = Math.random } = options;
  return (attempt) => Math.round(Math.min(first * 2 ** (attempt - 1), most) * (1 - random() / 2));
}
