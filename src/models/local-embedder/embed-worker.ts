import { parentPort, workerData } from 'node:worker_threads';
import { Encoder, type TextPart } from './encoder.ts';
import { createKernel, type SharedMemory } from './kernel.ts';
import { layoutMemory } from './memory-layout.ts';
import { openPrepared } from './prepared-weights.ts';

export interface WorkerSetup {
  readonly memory: SharedMemory;
  readonly maximumTokens: number;
  readonly workspaces: number;
  /** Only set for the one worker that reads the weights into the shared memory. */
  readonly weightsFolder?: string;
}

/** If `parts` is greater than 1, there is a single text, which that many workers share. */
export interface WorkerTask {
  readonly workspace: number;
  /** In tokens. The ids of the texts follow each other, and each text starts at an even position. */
  readonly lengths: readonly number[];
  readonly parts: number;
  /** If set, the reader classifies these parts of the text, and no vector is computed. */
  readonly textParts?: readonly TextPart[] | undefined;
}

export type WorkerReply = { type: 'ready' } | { type: 'failed'; message: string } | { type: 'done'; vectors: boolean };

function serve(setup: WorkerSetup, port: NonNullable<typeof parentPort>): void {
  const reply = (message: WorkerReply): void => port.postMessage(message);
  const { memory } = setup;
  const layout = layoutMemory(setup);
  const kernel = createKernel(memory);
  const encoder = new Encoder(kernel, memory, layout);

  port.on('message', ({ workspace: index, lengths, parts, textParts }: WorkerTask) => {
    const workspace = layout.workspaces[index];
    if (!workspace) throw new RangeError(`There is no workspace ${index}.`);
    let firstId = 0;
    let wroteVector = false;
    for (const [slot, tokens] of lengths.entries()) {
      const text = { workspace, firstId, tokens, slot, parts: textParts };
      if (parts === 1) encoder.encode(text);
      wroteVector = parts === 1 || encoder.encodeTogether(text, parts);
      firstId += tokens + (tokens & 1);
    }
    reply({ type: 'done', vectors: wroteVector });
  });

  if (setup.weightsFolder !== undefined) {
    const weights = openPrepared(setup.weightsFolder, { memory, layout });
    weights.readAllWords();
    weights.readReader();
    weights.close();
  }
  reply({ type: 'ready' });
}

if (parentPort) {
  const port = parentPort;
  try {
    serve(workerData as WorkerSetup, port);
  } catch (error) {
    port.postMessage({
      type: 'failed',
      message: error instanceof Error ? error.message : String(error),
    } satisfies WorkerReply);
  }
}
