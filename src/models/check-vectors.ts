import { VarveError } from '../errors.ts';

/** What is asked of an embedder's answer. */
export interface ExpectedVectors {
  /** Whose answer it is, for the message. */
  name: string;
  count: number;
  dimensions: number;
}

/** Makes vectors of unit length of an embedder's answer, or throws `embedder_unavailable` that says what is wrong with it. */
export function unitVectors(answer: readonly ArrayLike<number>[], expected: ExpectedVectors): Float32Array[] {
  if (!Array.isArray(answer) || answer.length !== expected.count) {
    throw wrong(expected, 'wrong_count', `gave ${answer?.length ?? 'no'} vectors for ${expected.count} texts`);
  }
  return answer.map((vector) => unitVector(vector, expected));
}

function unitVector(vector: ArrayLike<number>, expected: ExpectedVectors): Float32Array {
  if (vector?.length !== expected.dimensions) {
    const found = vector?.length ?? 'no';
    throw wrong(
      expected,
      'wrong_dimensions',
      `gave a vector of ${found} dimensions where ${expected.dimensions} are expected`,
    );
  }
  let sum = 0;
  for (let index = 0; index < vector.length; index += 1) sum += (vector[index] as number) ** 2;
  const length = Math.sqrt(sum);
  // NaN and Infinity in any place, text and null end up here too.
  if (!Number.isFinite(length))
    throw wrong(expected, 'not_finite', 'gave a vector with something in it that is no finite number');
  if (length === 0) throw wrong(expected, 'zero_vector', 'gave a vector of nothing but zeros');
  return Float32Array.from(vector, (value) => value / length);
}

function wrong(expected: ExpectedVectors, reason: string, what: string): VarveError {
  return new VarveError(`${expected.name} ${what}.`, {
    code: 'embedder_unavailable',
    details: { model: expected.name, reason, dimensions: expected.dimensions },
  });
}
