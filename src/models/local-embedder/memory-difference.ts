/** What training has added to one matrix, as the product of two narrow ones: W' = W + b·a. */
export interface MatrixDifference {
  /** rank × inputs */
  readonly a: Float32Array;
  /** outputs × rank */
  readonly b: Float32Array;
}

/** A matrix of the published file: int8 weights [inputs][outputs] around 0, and a scale for each output. */
export interface QuantisedMatrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly weights: Int8Array;
  readonly scales: Float32Array;
}

/**
 * The largest weight after merging. The published file has 7 bits as well. The kernel adds six products in 16 bits, so
 * the six heaviest neighbours of an output may sum to 264 at most (`kernel.test.ts`); with ±127 they sum to more.
 */
const LARGEST_WEIGHT = 64;

/** Reads the differences from a safetensors file, by the name of the module that each belongs to. */
export function readDifferences(file: Uint8Array): Map<string, MatrixDifference> {
  const headerLength = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerLength))) as Record<
    string,
    { dtype: string; data_offsets: [number, number] }
  >;
  const tensor = (name: string): Float32Array => {
    const entry = header[name];
    if (entry?.dtype !== 'F16') throw new RangeError(`The difference has no fp16 tensor named ${name}.`);
    const [start, end] = entry.data_offsets;
    return fromHalves(file.subarray(8 + headerLength + start, 8 + headerLength + end));
  };
  const modules = Object.keys(header).flatMap((name) => (name.endsWith('.a') ? [name.slice(0, -2)] : []));
  return new Map(modules.map((module) => [module, { a: tensor(`${module}.a`), b: tensor(`${module}.b`) }]));
}

/**
 * Adds a difference to a matrix and quantises the sum anew, each output to its own scale. Only additions,
 * multiplications and rounding in double precision: every machine gets the same weights.
 */
export function mergeDifference(matrix: QuantisedMatrix, { a, b }: MatrixDifference): QuantisedMatrix {
  const { inputs, outputs, weights, scales } = matrix;
  const rank = a.length / inputs;
  if (b.length !== outputs * rank) throw new RangeError(`The difference does not fit a matrix ${inputs} × ${outputs}.`);
  const merged = new Int8Array(inputs * outputs);
  const newScales = new Float32Array(outputs);
  const column = new Float64Array(inputs);
  for (let output = 0; output < outputs; output += 1) {
    const scale = scales[output] as number;
    for (let input = 0; input < inputs; input += 1) {
      column[input] = (weights[input * outputs + output] as number) * scale;
    }
    for (let r = 0; r < rank; r += 1) {
      const factor = b[output * rank + r] as number;
      const row = r * inputs;
      for (let input = 0; input < inputs; input += 1) {
        column[input] = (column[input] as number) + factor * (a[row + input] as number);
      }
    }
    let largest = 0;
    for (const value of column) largest = Math.max(largest, Math.abs(value));
    const newScale = largest / LARGEST_WEIGHT || 1;
    newScales[output] = newScale;
    for (let input = 0; input < inputs; input += 1) {
      merged[input * outputs + output] = Math.round((column[input] as number) / newScale);
    }
  }
  return { inputs, outputs, weights: merged, scales: newScales };
}

/** Numbers of half precision (IEEE 754) from their bytes. `Float16Array` needs Node 24. */
function fromHalves(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(new Uint8Array(bytes).buffer);
  // The bits of a half, moved to where a float has them, are the number but for an exponent that is smaller by 112.
  const bits = Uint32Array.from(halves, (half) => ((half & 0x80_00) << 16) | ((half & 0x7f_ff) << 13));
  return new Float32Array(bits.buffer).map((value) => value * 2 ** 112);
}
