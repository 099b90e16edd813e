import type { Kernel, SharedMemory } from './kernel.ts';
import {
  type LayerAddress,
  type LinearAddress,
  MODEL,
  type MemoryLayout,
  PHASES,
  type Workspace,
} from './memory-layout.ts';

/** One text to encode: its ids lie in the workspace from `firstId` on, its vector goes to place `slot`. */
export interface EncodeText {
  readonly workspace: Workspace;
  readonly firstId: number;
  readonly tokens: number;
  readonly slot: number;
}

/** The forward pass of the model over the shared memory. */
export interface Encoder {
  /** Encodes a text alone. */
  encode(text: EncodeText): void;
  /**
   * Encodes a text together with other threads that make the same call; `parts` is how many pieces to cut it into.
   * True for the one thread that wrote the vector.
   */
  encodeTogether(text: EncodeText, parts: number): boolean;
}

/** How long a thread spins for another's piece before it sleeps: pieces of one phase end within some 100 µs. */
const SPINS = 200_000;

/** Creates the forward pass. The weights must be in the memory before the first call. */
export function createEncoder(kernel: Kernel, memory: SharedMemory, layout: MemoryLayout): Encoder {
  const int32 = new Int32Array(memory.buffer);
  const wordScale = (): number => new Float32Array(memory.buffer, layout.wordScale, 1)[0] ?? 0;

  /** Quantises the input, multiplies it with the weights, and gives the address of the sums; `ranges` says how to read them. */
  function multiply(linear: LinearAddress, input: number, space: Workspace, [from, to]: Rows): number {
    // Matrices of different widths use the same buffers: each thread starts where its rows would at the largest width,
    // so that it never touches another's.
    const q = space.q + from * (MODEL.intermediate - linear.inputs);
    const sums = space.sums + from * (MODEL.intermediate - linear.outputs) * 4;
    kernel.quantize(input, linear.inputs, q, space.ranges, from, to);
    kernel.matmul(q, linear.weights, sums, linear.inputs, linear.outputs, from, to);
    return sums;
  }

  function embedTokens(text: EncodeText, [from, to]: Rows): void {
    const { x } = text.workspace;
    kernel.embed(text.workspace.ids + text.firstId * 4, layout.words, wordScale(), layout.positions, x, from, to);
    kernel.normalize(x, layout.embeddingNorm.gamma, layout.embeddingNorm.beta, from, to);
  }

  function project(layer: LayerAddress, side: 0 | 1, text: EncodeText, rows: Rows): void {
    const space = text.workspace;
    const sums = multiply(layer.qkv, space.x, space, rows);
    kernel.dequantize(sums, layer.qkv.table, layer.qkv.outputs, space.ranges, space.qkv[side], ...rows);
    kernel.transposeKeys(space.qkv[side], space.keys[side], strideOf(text), ...rows);
  }

  function attendAndFeed(layer: LayerAddress, side: 0 | 1, text: EncodeText, rows: Rows): void {
    const space = text.workspace;
    const { qkv, keys, scores, context } = space;
    kernel.attend(qkv[side], keys[side], scores, context, layout.constants, text.tokens, strideOf(text), ...rows);
    const attended = multiply(layer.attentionOutput, context, space, rows);
    kernel.dequantizeAdd(attended, layer.attentionOutput.table, space.ranges, space.x, ...rows);
    kernel.normalize(space.x, layer.attentionNorm.gamma, layer.attentionNorm.beta, ...rows);

    const expanded = multiply(layer.intermediate, space.x, space, rows);
    kernel.dequantizeGelu(
      expanded,
      layer.intermediate.table,
      MODEL.intermediate,
      space.ranges,
      layout.constants,
      ...rows,
    );
    const fed = multiply(layer.output, expanded, space, rows);
    kernel.dequantizeAdd(fed, layer.output.table, space.ranges, space.x, ...rows);
    kernel.normalize(space.x, layer.outputNorm.gamma, layer.outputNorm.beta, ...rows);
  }

  /**
   * Rows depend on each other only in attention, which reads the keys and values of all. So a phase goes from one
   * attention to the next, and threads meet between phases. Keys and values alternate between two sides, since a thread
   * may write those of the next layer while another still reads this one's.
   */
  function runPhase(phase: number, text: EncodeText, rows: Rows): void {
    const side = (phase & 1) as 0 | 1;
    const previous = layout.layers[phase - 1];
    if (previous) attendAndFeed(previous, (1 - side) as 0 | 1, text, rows);
    else embedTokens(text, rows);
    const next = layout.layers[phase];
    if (next) project(next, side, text, rows);
  }

  function pool(text: EncodeText): void {
    kernel.pool(text.workspace.x, text.workspace.vectors + text.slot * MODEL.hidden * 4, text.tokens);
  }

  function waitFor(index: number, count: number): void {
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(int32, index) >= count) return;
    for (let seen = Atomics.load(int32, index); seen < count; seen = Atomics.load(int32, index)) {
      Atomics.wait(int32, index, seen);
    }
  }

  return {
    encode(text) {
      const rows: Rows = [0, evenTokens(text)];
      for (let phase = 0; phase < PHASES; phase++) runPhase(phase, text, rows);
      pool(text);
    },

    encodeTogether(text, parts) {
      const size = Math.ceil(evenTokens(text) / parts / 2) * 2;
      for (let phase = 0; phase < PHASES; phase++) {
        const claimed = text.workspace.progress / 4 + phase * 2;
        const done = claimed + 1;
        // Pieces are claimed, not assigned: a thread that the system starts late leaves its piece to the others.
        for (let part = Atomics.add(int32, claimed, 1); part < parts; part = Atomics.add(int32, claimed, 1)) {
          const from = Math.min(part * size, evenTokens(text));
          runPhase(phase, text, [from, Math.min(from + size, evenTokens(text))]);
          const isLastPiece = Atomics.add(int32, done, 1) === parts - 1;
          Atomics.notify(int32, done);
          if (isLastPiece && phase === PHASES - 1) {
            pool(text);
            return true;
          }
        }
        if (phase < PHASES - 1) waitFor(done, parts);
      }
      return false;
    },
  };
}

type Rows = readonly [from: number, to: number];

/** Rows are computed in pairs; the spare row of an odd text is padding that nothing reads. */
function evenTokens(text: EncodeText): number {
  return text.tokens + (text.tokens & 1);
}

function strideOf(text: EncodeText): number {
  return Math.ceil(text.tokens / 8) * 8;
}
