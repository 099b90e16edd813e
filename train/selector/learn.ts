import { type Head, HEADS, INPUTS, type SelectorWeights } from '../../src/form/read/local/selector.ts';

/** An example as input of the learning. A label of -1 is unknown. */
export interface Row {
  inputs: Float32Array;
  labels: Record<Head, number>;
  weight: number;
}

export interface LearnOptions {
  epochs: number;
  batch: number;
  rate: number;
  /** How strongly weights are pulled towards 0. */
  decay: number;
  seed: number;
}

export const OPTIONS: LearnOptions = { epochs: 20, batch: 256, rate: 3e-3, decay: 1e-3, seed: 7 };

const NAMES = Object.keys(HEADS) as Head[];
const ROWS: number = NAMES.reduce((sum, head) => sum + HEADS[head].length, 0);

/** The weights of all linear heads, and after them the biases. Each head has its own softmax. */
export type Linear = Float32Array;

/** Softmax regression for all heads together, by Adam with decoupled weight decay. The rate falls to 0. */
export function learn(rows: readonly Row[], { epochs, batch, rate, decay, seed }: LearnOptions): Linear {
  const weights = new Float32Array(ROWS * INPUTS + ROWS);
  const [slopes, means, squares] = [weights.slice(), weights.slice(), weights.slice()];
  const random = seeded(seed);
  const order = rows.map((_, index) => index);
  const steps = epochs * Math.ceil(rows.length / batch);
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, random);
    for (let start = 0; start < order.length; start += batch) {
      const some = order.slice(start, start + batch);
      slopes.fill(0);
      for (const index of some) addSlopes(rows[index] as Row, weights, slopes);
      const now = rate * (1 - step / steps);
      step += 1;
      const [meanShare, squareShare] = [1 - 0.9 ** step, 1 - 0.999 ** step];
      for (let index = 0; index < weights.length; index += 1) {
        const slope = slopes[index]! / some.length;
        const mean = (means[index] = 0.9 * means[index]! + 0.1 * slope);
        const square = (squares[index] = 0.999 * squares[index]! + 0.001 * slope * slope);
        const change = mean / meanShare / (Math.sqrt(square / squareShare) + 1e-8);
        weights[index]! -= now * (change + (index < ROWS * INPUTS ? decay * weights[index]! : 0));
      }
    }
  }
  return weights;
}

function addSlopes({ inputs, labels, weight }: Row, weights: Linear, slopes: Float32Array): void {
  let row = 0;
  for (const head of NAMES) {
    const size = HEADS[head].length;
    if (labels[head] >= 0) {
      const shares = sharesOf(inputs, weights, row, size);
      for (let index = 0; index < size; index += 1) {
        const slope = (shares[index]! - (index === labels[head] ? 1 : 0)) * weight;
        const base = (row + index) * INPUTS;
        for (let at = 0; at < INPUTS; at += 1) slopes[base + at]! += slope * inputs[at]!;
        slopes[ROWS * INPUTS + row + index]! += slope;
      }
    }
    row += size;
  }
}

function sharesOf(inputs: Float32Array, weights: Linear, first: number, size: number): number[] {
  const scores = Array.from({ length: size }, (_, index) => {
    const base = (first + index) * INPUTS;
    let sum = weights[ROWS * INPUTS + first + index]!;
    for (let at = 0; at < INPUTS; at += 1) sum += weights[base + at]! * inputs[at]!;
    return sum;
  });
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** The probabilities of the classes of each head for a row. */
export function predict({ inputs }: Row, weights: Linear): Record<Head, number[]> {
  let row = 0;
  const result = {} as Record<Head, number[]>;
  for (const head of NAMES) {
    result[head] = sharesOf(inputs, weights, row, HEADS[head].length);
    row += HEADS[head].length;
  }
  return result;
}

/** Quantises the weights to int8, with one scale for each row of the matrix. */
export function quantise(weights: Linear): SelectorWeights {
  const bytes = new Int8Array(ROWS * INPUTS);
  const scales = Float32Array.from({ length: ROWS }, (_, row) => {
    const values = weights.subarray(row * INPUTS, (row + 1) * INPUTS);
    const scale = values.reduce((highest, value) => Math.max(highest, Math.abs(value)), 1e-6) / 127;
    for (const [at, value] of values.entries()) bytes[row * INPUTS + at] = Math.round(value / scale);
    return scale;
  });
  const base64 = (data: Int8Array | Float32Array): string =>
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  return { matrix: base64(bytes), scales: base64(scales), biases: base64(weights.slice(ROWS * INPUTS)) };
}

/** A seeded random number generator (Mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

export function shuffle<Item>(items: Item[], random: () => number): void {
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [items[index], items[other]] = [items[other] as Item, items[index] as Item];
  }
}
