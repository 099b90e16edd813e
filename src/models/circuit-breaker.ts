import type { Clock } from '../record/clock.ts';

/** When a breaker opens, and for how long. */
export interface BreakerSettings {
  /** Failures in a row that open it. Default 5. */
  failures?: number;
  /** Milliseconds that it stays open the first time; each failed trial doubles it. Default 10,000. */
  cooldown?: number;
  /** The longest it stays open, in milliseconds. Default 300,000. */
  longestCooldown?: number;
}

/** What a call came to: `healthy` when anything sensible answered, `neutral` when it says nothing about the other side. */
export type CallOutcome = 'healthy' | 'failed' | 'neutral';

/** Spares a service that is down, and the caller that would wait for it. */
export interface CircuitBreaker {
  /** Null when a call may go out; else the time at which to ask again. */
  blockedUntil(): number | null;
  /** Announces a call that goes out now; what comes back is told how it ended. */
  begin(): (outcome: CallOutcome) => void;
  readonly state: 'closed' | 'open' | 'half_open';
}

/** A breaker that opens after some failures in a row; later one trial call at a time may go out, and closes it by success. */
export function createCircuitBreaker(clock: Clock, settings: BreakerSettings = {}): CircuitBreaker {
  const { failures = 5, cooldown = 10_000, longestCooldown = 300_000 } = settings;
  let inARow = 0;
  let openUntil: number | null = null;
  let nextCooldown = cooldown;
  let trialRunning = false;

  const open = (): void => {
    openUntil = clock.now() + nextCooldown;
    nextCooldown = Math.min(nextCooldown * 2, longestCooldown);
  };

  const close = (): void => {
    inARow = 0;
    openUntil = null;
    nextCooldown = cooldown;
  };

  return {
    blockedUntil() {
      if (openUntil === null) return null;
      if (clock.now() < openUntil) return openUntil;
      return trialRunning ? clock.now() + cooldown : null;
    },
    begin() {
      const isTrial = openUntil !== null;
      if (isTrial) trialRunning = true;
      return (outcome) => {
        if (isTrial) trialRunning = false;
        if (outcome === 'healthy') close();
        if (outcome !== 'failed') return;
        inARow += 1;
        // A call that was under way when it opened tells nothing new.
        if (isTrial || (openUntil === null && inARow >= failures)) open();
      };
    },
    get state() {
      if (openUntil === null) return 'closed';
      return clock.now() < openUntil ? 'open' : 'half_open';
    },
  };
}
