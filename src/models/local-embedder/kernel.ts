import { KERNEL_BASE64 } from './kernel-binary.ts';

/**
 * The functions in `wasm/bert-kernel.ts`. Arguments are counts or byte addresses in the shared memory. Each token has one row; `from` and
 * `to` are rows.
 */
export interface Kernel {
  writeConstants(at: number): void;
  packWeights(source: number, target: number, sums: number, inputs: number, outputs: number): void;
  embed(ids: number, words: number, scale: number, positions: number, x: number, from: number, to: number): void;
  normalize(x: number, gamma: number, beta: number, from: number, to: number): void;
  quantize(x: number, width: number, q: number, ranges: number, from: number, to: number): void;
  matmul(q: number, weights: number, sums: number, inputs: number, outputs: number, from: number, to: number): void;
  dequantize(sums: number, table: number, outputs: number, ranges: number, out: number, from: number, to: number): void;
  dequantizeGelu(
    sums: number,
    table: number,
    outputs: number,
    ranges: number,
    constants: number,
    from: number,
    to: number,
  ): void;
  dequantizeAdd(sums: number, table: number, ranges: number, x: number, from: number, to: number): void;
  transposeKeys(qkv: number, keys: number, stride: number, from: number, to: number): void;
  attend(
    qkv: number,
    keys: number,
    scores: number,
    context: number,
    constants: number,
    tokens: number,
    stride: number,
    from: number,
    to: number,
  ): void;
  pool(x: number, out: number, tokens: number): void;
}

export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

// TypeScript declares WebAssembly only in its library for browsers.
const { Instance, Memory, Module } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;

interface WebAssemblyApi {
  Memory: new (options: { initial: number; maximum: number; shared: true }) => SharedMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { env: { memory: SharedMemory } }) => { readonly exports: unknown };
}

export function allocateMemory(bytes: number): SharedMemory {
  const pages = Math.ceil(bytes / 65_536);
  return new Memory({ initial: pages, maximum: pages, shared: true });
}

/** Throws if WebAssembly lacks relaxed SIMD (Node before 21). */
export function createKernel(memory: SharedMemory): Kernel {
  const module = new Module(Buffer.from(KERNEL_BASE64, 'base64'));
  return new Instance(module, { env: { memory } }).exports as Kernel;
}
