import { FEATURES } from './features.ts';
import { SELECTOR_WEIGHTS } from './selector-weights.ts';

/** The questions that the selector answers of a sentence, each with its classes. */
export const HEADS = {
  keep: ['no', 'yes'],
  type: [
    'fact',
    'preference',
    'goal',
    'decision',
    'context',
    'feedback',
    'personal',
    'episode',
    'intention',
    'instruction',
  ],
  tense: ['holds', 'habit', 'happened', 'planned'],
  request: ['none', 'remember', 'forget', 'wish', 'reminder'],
  foreign: ['own', 'pasted', 'quoted', 'fiction', 'hypothetical', 'joke'],
  about: ['user', 'other'],
} as const;
export type Head = keyof typeof HEADS;
export const DIMENSIONS = 384;
/** Components of a unit vector are about 0.05, features about 1: this brings them nearer to each other (measured: 3 beats 6 and 12). */
export const VECTOR_SCALE = 3;
/** With the vector of the sentence or without one: two sets of weights, because an absent vector is not a vector of zeros. */
export type Variant = 'vector' | 'plain';

/** The probability of each class of each question. */
export type Selection = { [Name in Head]: Record<(typeof HEADS)[Name][number], number> };

/** Weights of one variant, base64: a matrix of classes by inputs in int8, row by row, and for each row a scale and a bias in float32. */
export interface SelectorWeights {
  matrix: string;
  scales: string;
  biases: string;
}

interface Loaded {
  rows: Int8Array;
  scales: Float32Array;
  biases: Float32Array;
  inputs: number;
}

function load({ matrix, scales, biases }: SelectorWeights): Loaded {
  const bytes = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64')).buffer;
  const rows = new Int8Array(bytes(matrix));
  const perRow = new Float32Array(bytes(biases));
  return { rows, scales: new Float32Array(bytes(scales)), biases: perRow, inputs: rows.length / perRow.length };
}

/** Asks all heads about a sentence: its features, and its vector where there is one. */
export function select(features: Float32Array, vector: Float32Array | null): Selection {
  return shipped(features, vector);
}

/** A selector with weights of its own. */
export function createSelector(weights: Record<Variant, SelectorWeights>): typeof select {
  const loaded = new Map<Variant, Loaded>();
  return (features, vector) => {
    const variant: Variant = vector === null ? 'plain' : 'vector';
    let ready = loaded.get(variant);
    if (ready === undefined) loaded.set(variant, (ready = load(weights[variant])));
    return scoreWith(ready, features, vector);
  };
}

const shipped = createSelector(SELECTOR_WEIGHTS);

function scoreWith(
  { rows, scales, biases, inputs }: Loaded,
  features: Float32Array,
  vector: Float32Array | null,
): Selection {
  const filled: number[] = [];
  for (let index = 0; index < FEATURES; index += 1) if (features[index] !== 0) filled.push(index);
  let row = 0;
  const result: Record<string, Record<string, number>> = {};
  for (const [head, classes] of Object.entries(HEADS)) {
    const scores = classes.map(() => {
      const offset = row * inputs;
      let sum = 0;
      for (const index of filled) sum += (rows[offset + index] ?? 0) * (features[index] ?? 0);
      if (vector !== null) {
        let dot = 0;
        for (let index = 0; index < DIMENSIONS; index += 1)
          dot += (rows[offset + FEATURES + index] ?? 0) * (vector[index] ?? 0);
        sum += dot * VECTOR_SCALE;
      }
      const score = sum * (scales[row] ?? 0) + (biases[row] ?? 0);
      row += 1;
      return score;
    });
    result[head] = softmax(scores, classes);
  }
  return result as Selection;
}

function softmax(scores: readonly number[], classes: readonly string[]): Record<string, number> {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return Object.fromEntries(classes.map((name, index) => [name, (powers[index] ?? 0) / total]));
}
