import type { PartReading } from '../src/models/embedder.ts';

/** A reading of parts with the given answers. Questions without an answer have log-odds of -9 for every part. */
export function partReading(count: number, answers: Partial<PartReading> = {}): PartReading {
  const no = (): Float32Array => new Float32Array(count).fill(-9);
  return {
    foreign: no(),
    asks: no(),
    meant: no(),
    takesBack: no(),
    changes: no(),
    ends: no(),
    states: Array.from({ length: count }, () => new Float32Array(384)),
    values: [],
    ...answers,
  };
}
