import type { RecordChange } from '../operate/follow-changes.ts';

const ENCODER = new TextEncoder();
// Enough that a line does not cost a write of its own, little enough to stay small.
const CHUNK = 64 * 1024;
// Proxies close connections on which nothing moves.
const KEEP_ALIVE = 15_000;

/** Values as NDJSON. The next one is asked for only when the reader has room. */
export function ndjsonStream(values: AsyncGenerator<unknown>, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = '';
      while (text.length < CHUNK) {
        // An export that is cut off must not look like one that is complete.
        if (signal.aborted) return controller.error(new Error('The reader is gone.'));
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

/** Changes as server-sent events. A bad cursor fails before the stream begins. */
export async function eventStream(
  changes: AsyncGenerator<RecordChange>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  // The first look at the store happens now, so that nothing written after the answer is missed.
  let next = changes.next();
  await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 50))]);
  let beat: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(ENCODER.encode(': following\n\n'));
      beat = setInterval(() => controller.enqueue(ENCODER.encode(': still here\n\n')), KEEP_ALIVE);
      const end = (): void => clearInterval(beat);
      signal.addEventListener('abort', end, { once: true });
    },
    async pull(controller) {
      const { value, done } = await next;
      if (done || value === undefined) {
        clearInterval(beat);
        controller.close();
        return;
      }
      next = changes.next();
      const { cursor, ...change } = value;
      controller.enqueue(ENCODER.encode(`id: ${cursor}\nevent: ${change.kind}\ndata: ${JSON.stringify(change)}\n\n`));
    },
    async cancel() {
      clearInterval(beat);
      await changes.return(undefined);
    },
  });
}
