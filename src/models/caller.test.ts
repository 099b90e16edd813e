import { describe, expect, it } from 'vitest';
import { manualDelay } from '../../test/manual-delay.ts';
import { VarveError } from '../errors.ts';
import { manualClock } from '../record/clock.ts';
import { createCaller, type CallSettings } from './caller.ts';

function callerWith(settings: CallSettings = {}) {
  const clock = manualClock(Date.UTC(2026, 10, 15));
  const time = manualDelay(clock);
  const caller = createCaller('test:model', 'model_unavailable', {
    clock,
    delay: time.delay,
    random: () => 1,
    ...settings,
  });
  return { clock, caller, time };
}

function httpError(statusCode: number, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error(`HTTP ${statusCode}`), {
    statusCode,
    responseHeaders: headers,
    requestBodyValues: { secret: 'what Ada said' },
  });
}

/** A call that throws each of these errors once and then succeeds. */
function failing(...errors: unknown[]) {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    call: async () => {
      calls += 1;
      if (errors.length > 0) throw errors.shift();
      return 'done';
    },
  };
}

describe('the caller', () => {
  it('retries after 429, 5xx and network failures, with exponential backoff', async () => {
    const { caller, time } = callerWith();
    const flaky = failing(httpError(503), new TypeError('fetch failed'));
    expect(await caller(flaky.call)).toBe('done');
    expect(time.pauses).toEqual([500, 1000]);
  });

  it('multiplies the backoff by a random factor from 0.5 to 1', async () => {
    const { caller, time } = callerWith({ random: () => 0 });
    await caller(failing(httpError(500)).call);
    expect(time.pauses).toEqual([250]);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['milliseconds', { 'retry-after-ms': '1234' }, 1234],
    ['a date', { 'retry-after': 'Sun, 15 Nov 2026 00:00:09 GMT' }, 9000],
  ])('waits as long as Retry-After asks, in %s', async (_name, headers, pause) => {
    const { caller, time } = callerWith();
    await caller(failing(httpError(429, headers)).call);
    expect(time.pauses).toEqual([pause]);
  });

  it('does not wait for a long Retry-After: it throws a retryable error that names the time', async () => {
    const { caller, time } = callerWith();
    const error = await caller(failing(httpError(429, { 'retry-after': '3600' })).call).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'model_unavailable',
      retryable: true,
      details: { reason: 'rate_limited', retryAfter: 3_600_000 },
    });
    expect(time.pauses).toEqual([]);
  });

  it('does not retry a call that the provider rejects', async () => {
    const { caller } = callerWith();
    const refused = failing(httpError(401));
    await expect(caller(refused.call)).rejects.toMatchObject({ code: 'model_unavailable', retryable: false });
    expect(refused.calls).toBe(1);
  });

  it('throws after the last retry, without the request in the error', async () => {
    const { caller } = callerWith({ retries: 1 });
    const down = failing(...Array.from({ length: 9 }, () => httpError(500)));
    const error = (await caller(down.call).catch((thrown: unknown) => thrown)) as VarveError;
    expect(VarveError.isInstance(error, 'model_unavailable')).toBe(true);
    expect(error.retryable).toBe(true);
    expect(down.calls).toBe(2);
    expect(JSON.stringify(error.details)).not.toContain('Ada');
    expect(error.cause).not.toHaveProperty('requestBodyValues');
  });

  it('times out although the model ignores its signal, and aborts that signal', async () => {
    const { caller, time } = callerWith({ retries: 0 });
    let signal: AbortSignal | undefined;
    const pending = caller((given) => {
      signal = given;
      return new Promise(() => {});
    });
    await Promise.resolve();
    time.timeOut();
    await expect(pending).rejects.toMatchObject({ code: 'timed_out', retryable: true });
    expect(signal?.aborted).toBe(true);
  });

  it('leaves no timer behind', async () => {
    const { caller, time } = callerWith();
    await caller(async () => 'done');
    await expect(caller(failing(httpError(400)).call)).rejects.toThrow('HTTP 400');
    expect(time.waiting).toBe(0);
  });

  it('rejects immediately when it is cancelled during a call, during a backoff or before the start', async () => {
    for (const when of ['calling', 'pausing', 'before']) {
      const cancelling = new AbortController();
      const delay = (ms: number, signal?: AbortSignal) =>
        new Promise<void>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          if (when === 'pausing' && ms < 1000) cancelling.abort();
        });
      const caller = createCaller('test:model', 'model_unavailable', { delay });
      if (when === 'before') cancelling.abort();
      const pending = caller(() => (when === 'pausing' ? Promise.reject(httpError(500)) : new Promise(() => {})), {
        signal: cancelling.signal,
      });
      if (when === 'calling') setImmediate(() => cancelling.abort());
      await expect(pending).rejects.toMatchObject({ code: 'cancelled', retryable: false });
    }
  });

  it('throws timed_out when the caller’s own deadline has passed', async () => {
    const { caller } = callerWith();
    const aborted = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    await expect(caller(async () => 'x', { signal: aborted })).rejects.toMatchObject({
      code: 'timed_out',
      retryable: true,
    });
  });

  it('opens its breaker while the model is down, and closes it when the model is back', async () => {
    const { caller, clock } = callerWith({ retries: 0, breaker: { failures: 2, cooldown: 1000 } });
    const down = failing(httpError(500), httpError(500));
    await expect(caller(down.call)).rejects.toThrow('HTTP 500');
    await expect(caller(down.call)).rejects.toThrow('HTTP 500');
    await expect(caller(down.call)).rejects.toMatchObject({
      code: 'model_unavailable',
      retryable: true,
      details: { reason: 'circuit_open' },
    });
    expect(down.calls).toBe(2);
    clock.advance(1000);
    expect(await caller(down.call)).toBe('done');
    expect(await caller(down.call)).toBe('done');
  });

  it('keeps the breaker closed for rejections and rate limits, because the provider answers', async () => {
    const { caller } = callerWith({ retries: 0, breaker: { failures: 1 } });
    await expect(caller(failing(httpError(400)).call)).rejects.toThrow('HTTP 4');
    await expect(caller(failing(httpError(429)).call)).rejects.toThrow('HTTP 4');
    expect(await caller(async () => 'done')).toBe('done');
  });

  it('lets another call use its slot during a backoff', async () => {
    const { caller } = callerWith({ parallel: 1 });
    const flaky = failing(httpError(500));
    expect(await Promise.all([caller(flaky.call), caller(async () => 'other')])).toEqual(['done', 'other']);
  });
});
