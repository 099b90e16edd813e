import { invalidInput, messageOf } from '../errors.ts';
import type { RecordChange } from '../operate/follow-changes.ts';
import { parseJson } from '../record/json.ts';

const ENCODER = new TextEncoder();
// Fits many lines into one write and keeps memory low.
const CHUNK = 64 * 1024;
// Milliseconds between heartbeats. Proxies close idle connections.
const KEEP_ALIVE = 15_000;

export function ndjsonStream(values: AsyncGenerator<unknown>, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      while (text.length < CHUNK) {
        // A truncated export must not look complete, so the stream fails.
        if (signal.aborted) return controller.error(new Error('The consumer has disconnected.'));
        const { value, done } = await values.next();
        if (done) {
          if (text !== '') controller.enqueue(ENCODER.encode(text));
          controller.close();
          return;
        }
        text += `${JSON.stringify(value)}\n`;
      }
      controller.enqueue(ENCODER.encode(text));
    },
    cancel: async () => void (await values.return(undefined)),
  });
}

export interface EventStreamOptions {
  signal: AbortSignal;
  seal(cursor: string): Promise<string>;
  /** Whether the client's key is still valid. Called at every heartbeat. */
  isAllowed(): Promise<boolean>;
  stop(): void;
}

/** Streams changes as server-sent events, with backpressure. Throws before the stream begins if the cursor is bad. */
export async function eventStream(
  changes: AsyncGenerator<RecordChange>,
  { signal, seal, isAllowed, stop }: EventStreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const ask = (): Promise<IteratorResult<RecordChange>> => {
    const asked = changes.next();
    // A slow consumer awaits this promise late. Until then, its rejection would count as unhandled and end the process.
    asked.catch(() => {});
    return asked;
  };
  // Reads the store before the response is sent, so that no later write is missed.
  let next = ask();
  await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 50))]);
  let beat: NodeJS.Timeout | undefined;
  const end = (): void => clearInterval(beat);
  const keepAlive = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (!(await isAllowed().catch(() => true))) stop();
    else if (!signal.aborted && (controller.desiredSize ?? 0) > 0)
      controller.enqueue(ENCODER.encode(': still here\n\n'));
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Nothing would stop a heartbeat after a disconnect, and it would keep the process alive.
      if (signal.aborted) return;
      controller.enqueue(ENCODER.encode(': following\n\n'));
      beat = setInterval(() => void keepAlive(controller).catch(end), KEEP_ALIVE);
      signal.addEventListener('abort', end, { once: true });
    },
    async pull(controller) {
      try {
        const { value, done } = await next;
        if (done || value === undefined) {
          end();
          controller.close();
          return;
        }
        next = ask();
        const { cursor, ...change } = value;
        const id = await seal(cursor);
        controller.enqueue(ENCODER.encode(`id: ${id}\nevent: ${change.kind}\ndata: ${JSON.stringify(change)}\n\n`));
      } catch (error) {
        // A heartbeat on an ended stream would throw an uncaught error.
        end();
        throw error;
      }
    },
    async cancel() {
      end();
      stop();
      await changes.return(undefined);
    },
  });
}

const MOST_PER_LINE = 10 * 1024 * 1024;

/** Yields the values of an NDJSON stream. For a line that is not JSON, yields the error message, which the import reports. */
export async function* lines(stream: AsyncIterable<Uint8Array> | null): AsyncGenerator<unknown> {
  for await (const line of textLines(stream)) {
    if (line.trim() === '') continue;
    try {
      yield parseJson(line, 'The line');
    } catch (error) {
      yield messageOf(error);
    }
  }
}

export async function* textLines(stream: AsyncIterable<Uint8Array> | null): AsyncGenerator<string> {
  if (stream === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    // Splits only the new chunk, because a long line arrives in many chunks.
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    for (const next of more) {
      yield rest;
      rest = next;
    }
    if (rest.length > MOST_PER_LINE)
      throw invalidInput('A line is longer than 10 MiB, which is the limit of an import.');
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
