import type { Kernel, SharedMemory } from './kernel.ts';
import {
  HEADS,
  type LayerAddress,
  type LinearAddress,
  MODEL,
  PART_SIZE,
  type MemoryLayout,
  PHASES,
  type Workspace,
} from './memory-layout.ts';

/** With `parts`, the reader's layers encode the text, and each head's output for each part is written instead of the vector. */
interface EncodeText {
  readonly workspace: Workspace;
  readonly firstId: number;
  readonly tokens: number;
  readonly slot: number;
  readonly parts?: readonly TextPart[] | undefined;
}

export type TextPart = readonly [from: number, count: number];

/** Checks before a waiting thread sleeps. The pieces of a phase end within about 100 µs of each other. */
const SPINS = 200_000;

/** The weights must be in the shared memory before the first call. */
export class Encoder {
  readonly #kernel: Kernel;
  readonly #layout: MemoryLayout;
  readonly #int32: Int32Array;
  readonly #floats: Float32Array;

  constructor(kernel: Kernel, memory: SharedMemory, layout: MemoryLayout) {
    this.#kernel = kernel;
    this.#layout = layout;
    this.#int32 = new Int32Array(memory.buffer);
    this.#floats = new Float32Array(memory.buffer);
  }

  encode(text: EncodeText): void {
    const rows: Rows = [0, evenTokens(text)];
    for (let phase = 0; phase < PHASES; phase++) this.#runPhase(phase, text, rows);
    this.#pool(text);
  }

  /** Encodes a text together with other threads that make the same call. Returns true in the thread that wrote the vector. */
  encodeTogether(text: EncodeText, parts: number): boolean {
    const size = Math.ceil(evenTokens(text) / parts / 2) * 2;
    for (let phase = 0; phase < PHASES; phase++) {
      const claimed = text.workspace.progress / 4 + phase * 2;
      const done = claimed + 1;
      // Threads claim pieces as they become free. If the system starts a thread late, the others take over its work.
      for (let part = Atomics.add(this.#int32, claimed, 1); part < parts; part = Atomics.add(this.#int32, claimed, 1)) {
        const from = Math.min(part * size, evenTokens(text));
        this.#runPhase(phase, text, [from, Math.min(from + size, evenTokens(text))]);
        const isLastPiece = Atomics.add(this.#int32, done, 1) === parts - 1;
        Atomics.notify(this.#int32, done);
        if (isLastPiece && phase === PHASES - 1) {
          this.#pool(text);
          return true;
        }
      }
      if (phase < PHASES - 1) this.#waitFor(done, parts);
    }
    return false;
  }

  #multiply(linear: LinearAddress, input: number, space: Workspace, [from, to]: Rows): number {
    // Matrices of different widths share these buffers. Each thread starts at the offset of its rows in the widest matrix, so that no two
    // threads write to the same address.
    const q = space.q + from * (MODEL.intermediate - linear.inputs);
    const sums = space.sums + from * (MODEL.intermediate - linear.outputs) * 4;
    this.#kernel.quantize(input, linear.inputs, q, space.ranges, from, to);
    this.#kernel.matmul(q, linear.weights, sums, linear.inputs, linear.outputs, from, to);
    return sums;
  }

  #embedTokens(text: EncodeText, [from, to]: Rows): void {
    const { x } = text.workspace;
    this.#kernel.embed(
      text.workspace.ids + text.firstId * 4,
      this.#layout.words,
      this.#floats[this.#layout.wordScale / 4] ?? 0,
      this.#layout.positions,
      x,
      from,
      to,
    );
    this.#kernel.normalize(x, this.#layout.embeddingNorm.gamma, this.#layout.embeddingNorm.beta, from, to);
  }

  #project(layer: LayerAddress, side: 0 | 1, text: EncodeText, rows: Rows): void {
    const space = text.workspace;
    const sums = this.#multiply(layer.qkv, space.x, space, rows);
    this.#kernel.dequantize(sums, layer.qkv.table, layer.qkv.outputs, space.ranges, space.qkv[side], ...rows);
    this.#kernel.transposeKeys(space.qkv[side], space.keys[side], strideOf(text), ...rows);
  }

  #attendAndFeed(layer: LayerAddress, side: 0 | 1, text: EncodeText, rows: Rows): void {
    const space = text.workspace;
    const { qkv, keys, scores, context } = space;
    this.#kernel.attend(
      qkv[side],
      keys[side],
      scores,
      context,
      this.#layout.constants,
      text.tokens,
      strideOf(text),
      ...rows,
    );
    const attended = this.#multiply(layer.attentionOutput, context, space, rows);
    this.#kernel.dequantizeAdd(attended, layer.attentionOutput.table, space.ranges, space.x, ...rows);
    this.#kernel.normalize(space.x, layer.attentionNorm.gamma, layer.attentionNorm.beta, ...rows);

    const expanded = this.#multiply(layer.intermediate, space.x, space, rows);
    this.#kernel.dequantizeGelu(
      expanded,
      layer.intermediate.table,
      MODEL.intermediate,
      space.ranges,
      this.#layout.constants,
      ...rows,
    );
    const fed = this.#multiply(layer.output, expanded, space, rows);
    this.#kernel.dequantizeAdd(fed, layer.output.table, space.ranges, space.x, ...rows);
    this.#kernel.normalize(space.x, layer.outputNorm.gamma, layer.outputNorm.beta, ...rows);
  }

  /**
   * Rows depend on each other only in attention, so a phase lasts from one attention to the next. Keys and values alternate between two
   * buffers, because a thread may already write the next layer's while another still reads this layer's.
   */
  #runPhase(phase: number, text: EncodeText, rows: Rows): void {
    const side = (phase & 1) as 0 | 1;
    const layers = text.parts === undefined ? this.#layout.layers : this.#layout.reader.layers;
    const previous = layers[phase - 1];
    if (previous) this.#attendAndFeed(previous, (1 - side) as 0 | 1, text, rows);
    else this.#embedTokens(text, rows);
    const next = layers[phase];
    if (next) this.#project(next, side, text, rows);
  }

  #pool({ workspace: { x, vectors, context }, slot, tokens, parts }: EncodeText): void {
    if (parts === undefined) {
      this.#kernel.pool(x, vectors + slot * MODEL.hidden * 4, tokens);
      return;
    }
    const heads = this.#layout.reader.heads / 4;
    for (const [place, [from, count]] of parts.entries()) {
      // A head is linear, so applying it to the tokens' mean gives the mean of its values for each token.
      this.#kernel.pool(x + from * MODEL.hidden * 4, context, count);
      for (let head = 0; head < HEADS; head++) {
        const weights = heads + head * MODEL.hidden;
        let sum = this.#floats[heads + HEADS * MODEL.hidden + head] ?? 0;
        for (let i = 0; i < MODEL.hidden; i++) sum += this.#floats[weights + i]! * this.#floats[context / 4 + i]!;
        this.#floats[vectors / 4 + place * PART_SIZE + head] = sum;
      }
      const mean = this.#floats.subarray(context / 4, context / 4 + MODEL.hidden);
      this.#floats.set(mean, vectors / 4 + place * PART_SIZE + HEADS);
    }
  }

  #waitFor(index: number, count: number): void {
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(this.#int32, index) >= count) return;
    for (let seen = Atomics.load(this.#int32, index); seen < count; seen = Atomics.load(this.#int32, index)) {
      Atomics.wait(this.#int32, index, seen);
    }
  }
}

type Rows = readonly [from: number, to: number];

/** Rows are computed in pairs. With an odd number of tokens, the last row is padding that nothing reads. */
function evenTokens(text: EncodeText): number {
  return text.tokens + (text.tokens & 1);
}

function strideOf(text: EncodeText): number {
  return Math.ceil(text.tokens / 8) * 8;
}
