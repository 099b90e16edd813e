import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordChange } from '../operate/follow-changes.ts';
import { eventStream, type EventStreamOptions } from './streams.ts';

const BEAT = 15_000;
const change = (index: number): RecordChange => ({
  cursor: String(index),
  kind: 'event',
  id: `evt_${index}`,
  version: 1,
  at: new Date(0),
  reason: 'observed',
  actor: 'user',
});
const options = (rest: Partial<EventStreamOptions> = {}): EventStreamOptions => ({
  signal: new AbortController().signal,
  seal: async (cursor) => `sealed-${cursor}`,
  isAllowed: async () => true,
  stop: () => {},
  ...rest,
});
const text = async (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

// Half of these tests check for unhandled rejections, which make the run fail.
describe('the stream of changes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('sends each change with its sealed cursor, and ends after the last change', async () => {
    async function* two(): AsyncGenerator<RecordChange> {
      yield change(1);
      yield change(2);
    }
    const said = await text(await eventStream(two(), options()));
    expect(said.match(/^id: .*$/gm)).toEqual(['id: sealed-1', 'id: sealed-2']);
  });

  it('reads no further than its consumer (backpressure)', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<RecordChange> {
      for (;;) yield change((asked += 1));
    }
    const stream = await eventStream(endless(), options());
    await new Promise((resolve) => setTimeout(resolve, 50));
    await vi.advanceTimersByTimeAsync(10 * BEAT);
    expect(asked).toBeLessThan(5);
    const reader = stream.getReader();
    for (let index = 0; index < 20; index += 1) await reader.read();
    expect(asked).toBeGreaterThan(15);
    await reader.cancel();
  });

  it('ends when its source fails, and sends no heartbeat afterwards', async () => {
    async function* broken(): AsyncGenerator<RecordChange> {
      yield change(1);
      throw new Error('The database went away.');
    }
    const stream = await eventStream(broken(), options());
    await expect(text(stream)).rejects.toThrow('went away');
    await vi.advanceTimersByTimeAsync(2 * BEAT);
  });

  it('causes no unhandled rejection when its source fails while nobody reads', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      let fail = (): void => {};
      const failing = new Promise<void>((resolve) => (fail = resolve));
      async function* broken(): AsyncGenerator<RecordChange> {
        yield change(1);
        await failing;
        throw new Error('The database went away.');
      }
      const reader = (await eventStream(broken(), options())).getReader();
      // Reading makes room for the first change. The second one is then requested, and awaited after the first is read.
      await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 20));
      fail();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(unhandled).toEqual([]);
      await expect(reader.read().then(() => reader.read())).rejects.toThrow('went away');
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('sends heartbeats, and ends when the key is no longer valid', async () => {
    const over = new AbortController();
    async function* silent(): AsyncGenerator<RecordChange> {
      await once(over.signal, 'abort');
      yield* [];
    }
    let isAllowed = true;
    const stream = await eventStream(
      silent(),
      options({ signal: over.signal, isAllowed: async () => isAllowed, stop: () => over.abort() }),
    );
    const said = text(stream);
    await vi.advanceTimersByTimeAsync(BEAT);
    isAllowed = false;
    await vi.advanceTimersByTimeAsync(BEAT);
    expect(await said).toBe(': following\n\n: still here\n\n');
  });
});
