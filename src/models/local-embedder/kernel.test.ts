import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { KERNEL_SOURCE_SHA256 } from './kernel-binary.ts';
import { allocateMemory, createKernel } from './kernel.ts';
import { layoutMemory } from './memory-layout.ts';
import { findWeights, openPrepared } from './prepared-weights.ts';

describe('the kernel', () => {
  it('is compiled from the source in the repository (if not, run node scripts/build-kernel.mjs)', async () => {
    const source = await readFile(new URL('../../../wasm/bert-kernel.ts', import.meta.url));
    expect(createHash('sha256').update(source).digest('hex')).toBe(KERNEL_SOURCE_SHA256);
  });

  it('multiplies exactly', () => {
    const [rows, inputs, outputs] = [6, 96, 32];
    const memory = allocateMemory(65_536);
    const kernel = createKernel(memory);
    const [q, source, weights, sums, out] = [0, 4096, 8192, 16_384, 20_480];
    const bytes = new Int8Array(memory.buffer);
    for (let i = 0; i < rows * inputs; i++) bytes[q + i] = (i * 7919) % 125;
    // The weights are at most ±44, so that the sum of any six products fits into 16 bits.
    for (let i = 0; i < inputs * outputs; i++) bytes[source + i] = ((i * 104_729) % 89) - 44;
    kernel.packWeights(source, weights, sums, inputs, outputs);
    kernel.matmul(q, weights, out, inputs, outputs, 0, rows);
    for (let row = 0; row < rows; row++) {
      for (let n = 0; n < outputs; n++) {
        let expected = 0;
        for (let k = 0; k < inputs; k++) expected += bytes[q + row * inputs + k]! * bytes[source + k * outputs + n]!;
        expect(new Int32Array(memory.buffer, out)[row * outputs + n]).toBe(expected);
      }
    }
  });

  it('cannot overflow 16 bits with the weights of this model', async () => {
    const layout = layoutMemory({ maximumTokens: 8, workspaces: 1 });
    const memory = allocateMemory(layout.bytes);
    openPrepared(await findWeights(), { memory, layout }).close();
    let heaviest = 0;
    for (const { qkv, attentionOutput, intermediate, output } of layout.layers) {
      for (const { weights, inputs, outputs } of [qkv, attentionOutput, intermediate, output]) {
        for (let n = 0; n < outputs; n++) {
          const row = new Int8Array(memory.buffer, weights + n * inputs, inputs);
          heaviest = Math.max(heaviest, heaviestGroup(row));
        }
      }
    }
    expect(heaviest).toBeGreaterThan(200);
    // Activations are between 0 and 124 (LEVELS in the kernel).
    expect(heaviest * 124).toBeLessThanOrEqual(32_767);
  });
});

/**
 * The largest sum of the positive weights, or of the negative ones, among the six that one 16-bit lane adds: k, k+1, k+16, k+17, k+32,
 * k+33.
 */
function heaviestGroup(row: Int8Array): number {
  let heaviest = 0;
  for (let block = 0; block < row.length; block += 48) {
    for (let lane = 0; lane < 16; lane += 2) {
      let positive = 0;
      let negative = 0;
      for (const k of [0, 1, 16, 17, 32, 33]) {
        const weight = row[block + lane + k] ?? 0;
        if (weight > 0) positive += weight;
        else negative -= weight;
      }
      heaviest = Math.max(heaviest, positive, negative);
    }
  }
  return heaviest;
}
