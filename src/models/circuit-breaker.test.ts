import { describe, expect, it } from 'vitest';
import { manualClock } from '../record/clock.ts';
import { createCircuitBreaker } from './caller.ts';

describe('the circuit breaker', () => {
  const opened = () => {
    const clock = manualClock(0);
    const breaker = createCircuitBreaker(clock, { failures: 3, cooldown: 1000, longestCooldown: 3000 });
    for (let index = 0; index < 3; index += 1) breaker.begin()('failed');
    return { clock, breaker };
  };

  it('opens after consecutive failures only', () => {
    const clock = manualClock(0);
    const breaker = createCircuitBreaker(clock, { failures: 3 });
    for (const outcome of ['failed', 'failed', 'healthy', 'failed', 'failed', 'neutral'] as const)
      breaker.begin()(outcome);
    expect(breaker.state).toBe('closed');
    breaker.begin()('failed');
    expect(breaker.state).toBe('open');
  });

  it('allows one trial after the cooldown, and closes when it succeeds', () => {
    const { clock, breaker } = opened();
    expect(breaker.blockedUntil()).toBe(1000);
    clock.advance(1000);
    expect(breaker.state).toBe('half_open');
    expect(breaker.blockedUntil()).toBeNull();
    const end = breaker.begin();
    expect(breaker.blockedUntil()).not.toBeNull();
    end('healthy');
    expect(breaker.state).toBe('closed');
    expect(breaker.blockedUntil()).toBeNull();
  });

  it('allows a trial when the clock was set back', () => {
    const clock = manualClock(new Date('2026-05-01'));
    const breaker = createCircuitBreaker(clock, { failures: 1, cooldown: 1000 });
    breaker.begin()('failed');
    expect(breaker.state).toBe('open');
    clock.set(new Date('2026-04-30'));
    expect([breaker.state, breaker.blockedUntil()]).toEqual(['half_open', null]);
  });

  it('stays open twice as long after each failed trial, up to a limit', () => {
    const { clock, breaker } = opened();
    const durations: number[] = [];
    for (let trial = 0; trial < 3; trial += 1) {
      clock.set(breaker.blockedUntil() ?? 0);
      breaker.begin()('failed');
      durations.push((breaker.blockedUntil() ?? 0) - clock.now());
    }
    expect(durations).toEqual([2000, 3000, 3000]);
  });

  it('allows another trial when a trial is cancelled', () => {
    const { clock, breaker } = opened();
    clock.advance(1000);
    breaker.begin()('neutral');
    expect(breaker.blockedUntil()).toBeNull();
    expect(breaker.state).toBe('half_open');
  });

  it('ignores failures of calls that had started before it opened', () => {
    const clock = manualClock(0);
    const breaker = createCircuitBreaker(clock, { failures: 2, cooldown: 1000 });
    const ends = [breaker.begin(), breaker.begin(), breaker.begin()];
    for (const end of ends) end('failed');
    expect(breaker.blockedUntil()).toBe(1000);
  });
});
