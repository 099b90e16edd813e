import {
  DIMENSIONS,
  FEATURES,
  type Head,
  HEADS,
  type SelectorWeights,
  VECTOR_SCALE,
} from '../../src/form/read/local/selector.ts';

/** An example as input of the learning. */
export interface Row {
  /** The indexes and values of the features that are not zero. */
  places: Int32Array;
  values: Float32Array;
  vector: Float32Array | null;
  labels: Record<Head, number>;
  weight: number;
}

export interface LearnOptions {
  epochs: number;
  rate: number;
  decay: number;
  seed: number;
  withVector: boolean;
}

export const OPTIONS: LearnOptions = { epochs: 14, rate: 0.06, decay: 1e-4, seed: 7, withVector: true };

const NAMES = Object.keys(HEADS) as Head[];
export const ROWS: number = NAMES.reduce((sum, head) => sum + HEADS[head].length, 0);

/** The weights of all linear heads. Each head has its own softmax. */
export interface Linear {
  weights: Float32Array;
  biases: Float32Array;
  inputs: number;
}

export function rowOf(
  features: Float32Array,
  vector: Float32Array | null,
  labels: Record<Head, number>,
  weight: number,
): Row {
  const places: number[] = [];
  for (let index = 0; index < features.length; index += 1) if (features[index] !== 0) places.push(index);
  return {
    places: Int32Array.from(places),
    values: Float32Array.from(places, (place) => features[place] ?? 0),
    vector,
    labels,
    weight,
  };
}

/** Softmax regression for all heads together, by stochastic gradient descent with a separate learning rate for each weight (Adagrad). */
export function learn(rows: readonly Row[], options: LearnOptions): Linear {
  const inputs = FEATURES + (options.withVector ? DIMENSIONS : 0);
  const weights = new Float32Array(ROWS * inputs);
  const biases = new Float32Array(ROWS);
  const squares = new Float32Array(ROWS * inputs).fill(0.1);
  const biasSquares = new Float32Array(ROWS).fill(0.1);
  const random = seeded(options.seed);
  const order = rows.map((_, index) => index);
  const average = new Float32Array(ROWS * inputs);
  const averageBias = new Float32Array(ROWS);
  let averaged = 0;
  for (let epoch = 0; epoch < options.epochs; epoch += 1) {
    shuffle(order, random);
    const keep = 1 - options.decay * rows.length * options.rate;
    for (const at of order) {
      const row = rows[at];
      if (row === undefined) continue;
      let offset = 0;
      for (const head of NAMES) {
        const size = HEADS[head].length;
        const label = row.labels[head];
        if (label >= 0 && row.weight > 0)
          step(row, {
            offset,
            size,
            label,
            inputs,
            weights,
            biases,
            squares,
            biasSquares,
            rate: options.rate,
            withVector: options.withVector,
          });
        offset += size;
      }
    }
    for (let index = 0; index < weights.length; index += 1) weights[index] = (weights[index] ?? 0) * keep;
    // The mean of the later epochs varies less than the last epoch alone.
    if (epoch >= options.epochs / 2) {
      averaged += 1;
      for (let index = 0; index < weights.length; index += 1)
        average[index] = (average[index] ?? 0) + (weights[index] ?? 0);
      for (let index = 0; index < ROWS; index += 1)
        averageBias[index] = (averageBias[index] ?? 0) + (biases[index] ?? 0);
    }
  }
  return {
    weights: average.map((value) => value / averaged),
    biases: averageBias.map((value) => value / averaged),
    inputs,
  };
}

interface Step {
  offset: number;
  size: number;
  label: number;
  inputs: number;
  weights: Float32Array;
  biases: Float32Array;
  squares: Float32Array;
  biasSquares: Float32Array;
  rate: number;
  withVector: boolean;
}

function step(row: Row, state: Step): void {
  const { offset, size, label, inputs, weights, biases, squares, biasSquares, rate } = state;
  const scores = new Float64Array(size);
  for (let index = 0; index < size; index += 1)
    scores[index] = scoreOf(row, (offset + index) * inputs, weights, state.withVector) + (biases[offset + index] ?? 0);
  const highest = Math.max(...scores);
  let total = 0;
  for (let index = 0; index < size; index += 1) total += scores[index] = Math.exp((scores[index] ?? 0) - highest);
  for (let index = 0; index < size; index += 1) {
    const gradient = ((scores[index] ?? 0) / total - (index === label ? 1 : 0)) * row.weight;
    if (Math.abs(gradient) < 1e-4) continue;
    const base = (offset + index) * inputs;
    const change = (place: number, value: number): void => {
      const slope = gradient * value;
      const square = (squares[place] ?? 0) + slope * slope;
      squares[place] = square;
      weights[place] = (weights[place] ?? 0) - (rate * slope) / Math.sqrt(square);
    };
    for (let at = 0; at < row.places.length; at += 1) change(base + (row.places[at] ?? 0), row.values[at] ?? 0);
    if (state.withVector && row.vector !== null) {
      for (let at = 0; at < DIMENSIONS; at += 1) change(base + FEATURES + at, (row.vector[at] ?? 0) * VECTOR_SCALE);
    }
    const square = (biasSquares[offset + index] ?? 0) + gradient * gradient;
    biasSquares[offset + index] = square;
    biases[offset + index] = (biases[offset + index] ?? 0) - (rate * gradient) / Math.sqrt(square);
  }
}

function scoreOf(row: Row, base: number, weights: Float32Array, withVector: boolean): number {
  let sum = 0;
  for (let at = 0; at < row.places.length; at += 1)
    sum += (weights[base + (row.places[at] ?? 0)] ?? 0) * (row.values[at] ?? 0);
  if (withVector && row.vector !== null) {
    for (let at = 0; at < DIMENSIONS; at += 1)
      sum += (weights[base + FEATURES + at] ?? 0) * (row.vector[at] ?? 0) * VECTOR_SCALE;
  }
  return sum;
}

/** The probabilities of the classes of each head for a row. */
export function predict(row: Row, model: Linear): Record<Head, number[]> {
  let offset = 0;
  const result = {} as Record<Head, number[]>;
  for (const head of NAMES) {
    const size = HEADS[head].length;
    const scores = Array.from(
      { length: size },
      (_, index) =>
        scoreOf(row, (offset + index) * model.inputs, model.weights, model.inputs > FEATURES) +
        (model.biases[offset + index] ?? 0),
    );
    const highest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - highest));
    const total = powers.reduce((sum, power) => sum + power, 0);
    result[head] = powers.map((power) => power / total);
    offset += size;
  }
  return result;
}

/** Quantises the weights to int8, with one scale for each row of the matrix. */
export function quantise(model: Linear): SelectorWeights {
  const bytes = new Int8Array(model.weights.length);
  const scales: number[] = [];
  for (let row = 0; row < ROWS; row += 1) {
    let highest = 1e-6;
    for (let column = 0; column < model.inputs; column += 1)
      highest = Math.max(highest, Math.abs(model.weights[row * model.inputs + column] ?? 0));
    const scale = highest / 127;
    for (let column = 0; column < model.inputs; column += 1)
      bytes[row * model.inputs + column] = Math.round((model.weights[row * model.inputs + column] ?? 0) / scale);
    scales.push(scale);
  }
  const base64 = (data: Int8Array | Float32Array): string =>
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  return { matrix: base64(bytes), scales: base64(Float32Array.from(scales)), biases: base64(model.biases) };
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
