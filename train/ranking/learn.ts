/** The candidates of one question. */
export interface Example {
  set: string;
  group: string;
  weight: number;
  /** The signals, row by row, with one row for each candidate. */
  rows: Float32Array;
  /** For each piece of evidence, the rows of the candidates that contain it. */
  pieces: readonly (readonly number[])[];
}

export const FOLDS = 5;

/** The fold of a name. A fold is judged by weights that were learned from the other folds. */
export function foldOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % FOLDS;
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export interface LearningOptions {
  /** How many times every example is used. */
  rounds: number;
  rate: number;
  /** The weight decay. */
  decay: number;
  /** The weights that are not learned, by column. */
  fixed?: ReadonlyMap<number, number>;
  /** The columns whose weight is never negative. */
  positive?: ReadonlySet<number>;
}

export const LEARNING: LearningOptions = { rounds: 12, rate: 0.06, decay: 0.001 };

const BATCH = 64;

/**
 * Learns the weights of a linear score by a listwise softmax: each piece of evidence competes with all candidates that are not evidence.
 * The optimiser is Adam, on batches in a seeded order, so that the result depends only on the data.
 */
export function learnWeights(examples: readonly Example[], columns: number, options: LearningOptions): Float64Array {
  const weights = Float64Array.from({ length: columns }, (_, column) => options.fixed?.get(column) ?? 0);
  const first = new Float64Array(columns);
  const second = new Float64Array(columns);
  const mean = examples.reduce((sum, { weight }) => sum + weight, 0) / examples.length;
  const random = seededRandom(7);
  const steps = options.rounds * Math.ceil(examples.length / BATCH);
  let step = 0;
  for (let round = 0; round < options.rounds; round += 1) {
    const order = shuffled(examples, random);
    for (let at = 0; at < order.length; at += BATCH) {
      step += 1;
      const slope = gradientOf(order.slice(at, at + BATCH), weights, mean);
      const rate = options.rate * (1 - (0.95 * step) / steps);
      for (let column = 0; column < columns; column += 1) {
        if (options.fixed?.has(column) === true) continue;
        const gradient = (slope[column] as number) + options.decay * (weights[column] as number);
        first[column] = 0.9 * (first[column] as number) + 0.1 * gradient;
        second[column] = 0.99 * (second[column] as number) + 0.01 * gradient * gradient;
        const momentum = (first[column] as number) / (1 - 0.9 ** step);
        const spread = Math.sqrt((second[column] as number) / (1 - 0.99 ** step));
        const next = (weights[column] as number) - (rate * momentum) / (spread + 1e-9);
        weights[column] = options.positive?.has(column) === true ? Math.max(0, next) : next;
      }
    }
  }
  return weights;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const list = [...items];
  for (let index = list.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [list[index], list[other]] = [list[other] as Item, list[index] as Item];
  }
  return list;
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** The scores of an example's candidates. */
export function scoresOf({ rows }: Example, weights: Float64Array): Float64Array {
  const columns = weights.length;
  const scores = new Float64Array(rows.length / columns);
  for (let row = 0; row < scores.length; row += 1) {
    let score = 0;
    for (let column = 0; column < columns; column += 1) {
      score += (rows[row * columns + column] as number) * (weights[column] as number);
    }
    scores[row] = score;
  }
  return scores;
}

/** The gradient of the loss. `mean` is the mean weight of all examples. */
function gradientOf(examples: readonly Example[], weights: Float64Array, mean: number): Float64Array {
  const columns = weights.length;
  const slope = new Float64Array(columns);
  for (const example of examples) {
    const pull = pullOf(example, scoresOf(example, weights));
    for (let row = 0; row < pull.length; row += 1) {
      if (Math.abs(pull[row] as number) < 1e-6) continue;
      const force = (pull[row] as number) * example.weight;
      for (let column = 0; column < columns; column += 1) {
        slope[column] = (slope[column] as number) + force * (example.rows[row * columns + column] as number);
      }
    }
  }
  return slope.map((value) => value / (mean * examples.length));
}

/** The derivative of the loss of an example by each score. */
function pullOf({ pieces }: Example, scores: Float64Array): Float64Array {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const isEvidence = new Uint8Array(scores.length);
  for (const row of pieces.flat()) isEvidence[row] = 1;
  let others = 0;
  for (let row = 0; row < powers.length; row += 1) if (isEvidence[row] === 0) others += powers[row] as number;
  const pull = new Float64Array(scores.length);
  const share = 1 / pieces.length;
  for (const piece of pieces) {
    const own = piece.reduce((sum, row) => sum + (powers[row] as number), 0);
    for (let row = 0; row < powers.length; row += 1) {
      if (isEvidence[row] === 0) pull[row] = (pull[row] as number) + (share * (powers[row] as number)) / (others + own);
    }
    for (const row of piece) {
      const power = powers[row] as number;
      pull[row] = (pull[row] as number) + share * (power / (others + own) - power / own);
    }
  }
  return pull;
}

/** A labelled case for the logistic model. */
export interface Case {
  group: string;
  inputs: readonly number[];
  isTrue: boolean;
  weight: number;
}

/**
 * Fits a logistic model. `signs` restricts the sign of each weight, so that peculiarities of the training data cannot reverse it. For
 * example, a nearer text is never a reason to abstain.
 */
export function fitLogistic(
  cases: readonly Case[],
  signs: readonly (1 | -1 | 0)[],
  { rounds = 400, decay = 0.002 }: { rounds?: number; decay?: number } = {},
): { bias: number; weights: number[] } {
  const columns = signs.length;
  const total = cases.reduce((sum, { weight }) => sum + weight, 0);
  const mean = signs.map(
    (_, column) => cases.reduce((sum, { inputs, weight }) => sum + weight * (inputs[column] as number), 0) / total,
  );
  const spread = signs.map(
    (_, column) =>
      Math.sqrt(
        cases.reduce(
          (sum, { inputs, weight }) => sum + weight * ((inputs[column] as number) - (mean[column] as number)) ** 2,
          0,
        ) / total,
      ) || 1,
  );
  const scaled = cases.map(({ inputs }) =>
    inputs.map((value, column) => (value - (mean[column] as number)) / (spread[column] as number)),
  );
  const weights = Array.from({ length: columns }, () => 0);
  let bias = 0;
  for (let round = 0; round < rounds; round += 1) {
    const slope = Array.from({ length: columns }, () => 0);
    let biasSlope = 0;
    cases.forEach(({ isTrue, weight }, index) => {
      const row = scaled[index] as number[];
      const logit = row.reduce((sum, value, column) => sum + value * (weights[column] as number), bias);
      const error = ((1 / (1 + Math.exp(-logit)) - (isTrue ? 1 : 0)) * weight) / total;
      biasSlope += error;
      row.forEach((value, column) => {
        slope[column] = (slope[column] as number) + error * value;
      });
    });
    bias -= 2 * biasSlope;
    for (let column = 0; column < columns; column += 1) {
      const next = (weights[column] as number) - 2 * ((slope[column] as number) + decay * (weights[column] as number));
      weights[column] = signs[column] === 0 || Math.sign(next) === signs[column] ? next : 0;
    }
  }
  const plain = weights.map((weight, column) => weight / (spread[column] as number));
  return { bias: plain.reduce((sum, weight, column) => sum - weight * (mean[column] as number), bias), weights: plain };
}

export function logitOf(
  { bias, weights }: { bias: number; weights: readonly number[] },
  inputs: readonly number[],
): number {
  return weights.reduce((sum, weight, column) => sum + weight * (inputs[column] as number), bias);
}

export interface Figures {
  questions: number;
  recallAt5: number;
  recallAt10: number;
  reciprocalRank: number;
}

/** The quality of a ranking: the share of evidence among the first 5 and 10 candidates, and the mean reciprocal rank of the first piece. */
export function figuresOf(list: readonly { example: Example; scores: ArrayLike<number> }[]): Figures {
  const sum = { recallAt5: 0, recallAt10: 0, reciprocalRank: 0 };
  for (const { example, scores } of list) {
    const ranks = example.pieces.map((piece) => Math.min(...piece.map((row) => rankOf(scores, row))));
    sum.recallAt5 += ranks.filter((rank) => rank <= 5).length / ranks.length;
    sum.recallAt10 += ranks.filter((rank) => rank <= 10).length / ranks.length;
    sum.reciprocalRank += 1 / Math.min(...ranks);
  }
  const count = Math.max(1, list.length);
  return {
    questions: list.length,
    recallAt5: sum.recallAt5 / count,
    recallAt10: sum.recallAt10 / count,
    reciprocalRank: sum.reciprocalRank / count,
  };
}

/** The rank of a row, counted from 1. At equal scores, the earlier row comes first. */
function rankOf(scores: ArrayLike<number>, row: number): number {
  const own = scores[row] as number;
  let rank = 1;
  for (let other = 0; other < scores.length; other += 1) {
    const score = scores[other] as number;
    if (score > own || (score === own && other < row)) rank += 1;
  }
  return rank;
}
