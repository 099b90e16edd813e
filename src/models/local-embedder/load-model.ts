import type { Kernel, SharedMemory } from './kernel.ts';
import { type LayerAddress, type LinearAddress, type MemoryLayout, MODEL, type NormAddress } from './memory-layout.ts';

interface Target {
  memory: SharedMemory;
  layout: MemoryLayout;
  kernel: Kernel;
}

interface AddedWeights {
  memory: Uint8Array;
  reader: Uint8Array;
}

/** Writes all-MiniLM-L6-v2 (the int8 ONNX export) with the trained differences into the memory, in the kernel's layout. */
export function loadModel(file: Uint8Array, added: AddedWeights, target: Target): void {
  const { layout, kernel, memory } = target;
  const source = readSource(file, readDifferences(added.memory));
  kernel.writeConstants(layout.constants);
  writeEmbeddings(target, source);
  writeLayers(target, layout.layers, source);
  const reader = readDifferences(added.reader);
  writeLayers(target, layout.reader.layers, readSource(file, reader));
  const head = reader.get('head');
  if (head === undefined) throw new RangeError('The file with the trained difference has no tensor for the head.');
  new Float32Array(memory.buffer, layout.reader.heads).set([...head.a, ...head.b]);
}

function writeLayers(target: Target, layers: readonly LayerAddress[], source: Source): void {
  for (const [index, layer] of layers.entries()) {
    const prefix = `encoder.layer.${index}`;
    const matrices = source.matrices.slice(index * 6);
    const [query = '', key = '', value = '', attentionOutput = '', intermediate = '', output = ''] = matrices;
    const linear = (address: LinearAddress, matrix: string, module: string, first = 0, factor = 1): void =>
      writeLinear(target, address, source.merged(matrix, `${prefix}.${module}`), { first, factor });
    // Attention divides by √32 per head. Dividing the queries' weights instead costs no time.
    linear(layer.qkv, query, 'attention.self.query', 0, 1 / Math.sqrt(32));
    linear(layer.qkv, key, 'attention.self.key', MODEL.hidden);
    linear(layer.qkv, value, 'attention.self.value', 2 * MODEL.hidden);
    linear(layer.attentionOutput, attentionOutput, 'attention.output.dense');
    writeNorm(target, layer.attentionNorm, source, `${prefix}.attention.output.LayerNorm`);
    linear(layer.intermediate, intermediate, 'intermediate.dense');
    linear(layer.output, output, 'output.dense');
    writeNorm(target, layer.outputNorm, source, `${prefix}.output.LayerNorm`);
  }
}

interface Source {
  readonly matrices: readonly string[];
  tensor(name: string): OnnxTensor;
  floats(name: string): Float32Array;
  merged(matrix: string, module: string): QuantisedMatrix & { bias: Float32Array };
}

function readSource(file: Uint8Array, differences: ReadonlyMap<string, MatrixDifference>): Source {
  const tensors = readOnnxTensors(file);
  const tensor = (name: string): OnnxTensor => {
    const found = tensors.get(name);
    if (!found) throw new RangeError(`The model has no tensor named ${name}.`);
    return found;
  };
  const floats = (name: string): Float32Array => new Float32Array(new Uint8Array(tensor(name).bytes).buffer);
  const merged: Source['merged'] = (matrix, module) => {
    const difference = differences.get(module);
    if (!difference) throw new RangeError(`The file with the trained difference has no tensors for ${module}.`);
    const {
      shape: [inputs = 0, outputs = 0],
      bytes: { buffer, byteOffset, byteLength },
    } = tensor(`${matrix}_quantized`);
    const weights = new Int8Array(buffer, byteOffset, byteLength);
    const published = { inputs, outputs, weights, scales: floats(`${matrix}_scale`) };
    return { ...mergeDifference(published, difference), bias: floats(`${module}.bias`) };
  };
  return { matrices: matrixNames(tensors), tensor, floats, merged };
}

function writeLinear(
  { memory: { buffer }, layout, kernel }: Target,
  linear: LinearAddress,
  { inputs, outputs, weights, scales, bias }: QuantisedMatrix & { bias: Float32Array },
  { first, factor }: { first: number; factor: number },
): void {
  if (inputs !== linear.inputs || first + outputs > linear.outputs)
    throw new RangeError(`A matrix of the model is ${inputs} × ${outputs}, which does not fit its layer.`);
  const numbers = new Float32Array(buffer, linear.table + first * 4);
  numbers.set(scales.map((scale) => scale * factor));
  numbers.set(
    bias.map((value) => value * factor),
    2 * linear.outputs,
  );
  new Uint8Array(buffer).set(new Uint8Array(weights.buffer), layout.staging);
  const sums = linear.table + (first + linear.outputs) * 4;
  kernel.packWeights(layout.staging, linear.weights + first * inputs, sums, inputs, outputs);
}

function writeNorm({ memory }: Target, { gamma, beta }: NormAddress, { floats }: Source, prefix: string): void {
  new Float32Array(memory.buffer, gamma).set(floats(`${prefix}.weight`));
  new Float32Array(memory.buffer, beta).set(floats(`${prefix}.bias`));
}

function writeEmbeddings(target: Target, source: Source): void {
  const { memory, layout } = target;
  const table = (kind: string): { values: Uint8Array; scale: number } => ({
    values: source.tensor(`embeddings.${kind}_embeddings.weight_quantized`).bytes,
    scale: source.floats(`embeddings.${kind}_embeddings.weight_scale`)[0] ?? 0,
  });
  const word = table('word');
  new Uint8Array(memory.buffer).set(word.values, layout.words);
  const numbers = new Float32Array(memory.buffer);
  numbers[layout.wordScale / 4] = word.scale;
  // Every text is one segment, so segment 0's embedding is added to each position's.
  const position = table('position');
  const segment = table('token_type');
  const start = layout.positions / 4;
  for (let i = 0; i < position.values.length; i++) {
    const ofSegment = ((segment.values[i % MODEL.hidden] ?? 0) - 128) * segment.scale;
    numbers[start + i] = ((position.values[i] ?? 0) - 128) * position.scale + ofSegment;
  }
  writeNorm(target, layout.embeddingNorm, source, 'embeddings.LayerNorm');
}

/** Six matrices per layer. The numbers in their names are in the graph's order. */
export function matrixNames(tensors: ReadonlyMap<string, OnnxTensor>): string[] {
  const numbered = [...tensors.keys()].flatMap((name) => {
    const number = /^onnx::MatMul_(\d+)_quantized$/.exec(name)?.[1];
    return number ? [Number(number)] : [];
  });
  if (numbered.length !== 6 * MODEL.layers)
    throw new RangeError(`The model has ${numbered.length} matrices, not ${6 * MODEL.layers}.`);
  return numbered.sort((a, b) => a - b).map((number) => `onnx::MatMul_${number}`);
}

/** `bytes` is little-endian and a view into the file. */
interface OnnxTensor {
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** From onnx.proto. */
const FIELD = { graph: 7, initializer: 5, dims: 1, floatData: 4, name: 8, rawData: 9 } as const;

/** Reads the constants without copying them. Ignores the graph itself. */
export function readOnnxTensors(file: Uint8Array): Map<string, OnnxTensor> {
  const tensors = new Map<string, OnnxTensor>();
  for (const model of fields(file)) {
    if (model.field !== FIELD.graph) continue;
    for (const graph of fields(model.bytes)) {
      if (graph.field !== FIELD.initializer) continue;
      const shape: number[] = [];
      let name = '';
      let bytes: Uint8Array = new Uint8Array();
      for (const { field, number, bytes: value } of fields(graph.bytes)) {
        if (field === FIELD.dims) shape.push(number);
        else if (field === FIELD.name) name = new TextDecoder().decode(value);
        else if (field === FIELD.rawData || field === FIELD.floatData) bytes = value;
      }
      tensors.set(name, { shape, bytes });
    }
  }
  return tensors;
}

interface ProtobufField {
  readonly field: number;
  readonly number: number;
  readonly bytes: Uint8Array;
}

const WIRE = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;
const NO_BYTES = new Uint8Array();

function* fields(message: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new RangeError('The file ends inside a number.');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = varint();
    const field = Math.floor(key / 8);
    const wire = key % 8;
    if (wire === WIRE.varint) {
      yield { field, number: varint(), bytes: NO_BYTES };
      continue;
    }
    const length =
      wire === WIRE.lengthDelimited ? varint() : wire === WIRE.fixed64 ? 8 : wire === WIRE.fixed32 ? 4 : -1;
    if (length < 0 || at + length > message.length) throw new RangeError(`Not a protobuf message at byte ${at}.`);
    yield { field, number: 0, bytes: message.subarray(at, at + length) };
    at += length;
  }
}

/** A trained difference (LoRA) as the product of two narrow matrices: W' = W + b·a. */
interface MatrixDifference {
  /** rank × inputs */
  readonly a: Float32Array;
  /** outputs × rank */
  readonly b: Float32Array;
}

/** int8 weights [inputs][outputs], centred on 0, and a scale for each output. */
interface QuantisedMatrix {
  readonly inputs: number;
  readonly outputs: number;
  readonly weights: Int8Array;
  readonly scales: Float32Array;
}

/**
 * The kernel adds six products in one 16-bit lane, so the six weights in a lane may sum to at most 264 (`kernel.test.ts`). With weights up
 * to ±127, their sum would be larger. The published weights have 7 bits as well.
 */
const LARGEST_WEIGHT = 64;

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

/** Uses only additions, multiplications and rounding in double precision, so that every machine gets the same weights. */
function mergeDifference(matrix: QuantisedMatrix, { a, b }: MatrixDifference): QuantisedMatrix {
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
    addDifference(column, a, b.subarray(output * rank, (output + 1) * rank));
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

/** Four rows at a time take half as long as one. */
function addDifference(column: Float64Array, a: Float32Array, factors: Float32Array): void {
  const inputs = column.length;
  let r = 0;
  for (; r + 4 <= factors.length; r += 4) {
    const [f0 = 0, f1 = 0, f2 = 0, f3 = 0] = factors.subarray(r, r + 4);
    const [row0, row1, row2, row3] = [r * inputs, (r + 1) * inputs, (r + 2) * inputs, (r + 3) * inputs];
    for (let input = 0; input < inputs; input += 1) {
      let sum = column[input] as number;
      sum += f0 * (a[row0 + input] as number);
      sum += f1 * (a[row1 + input] as number);
      sum += f2 * (a[row2 + input] as number);
      column[input] = sum + f3 * (a[row3 + input] as number);
    }
  }
  for (; r < factors.length; r += 1) {
    const factor = factors[r] as number;
    const row = r * inputs;
    for (let input = 0; input < inputs; input += 1) {
      column[input] = (column[input] as number) + factor * (a[row + input] as number);
    }
  }
}

/** `Float16Array` needs Node 24. */
function fromHalves(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(new Uint8Array(bytes).buffer);
  const bits = new Uint32Array(halves.length);
  const floats = new Float32Array(bits.buffer);
  // Shifted to their positions in a float, the bits give the same number with an exponent that is 112 too small.
  for (let index = 0; index < halves.length; index += 1) {
    const half = halves[index] as number;
    bits[index] = ((half & 0x80_00) << 16) | ((half & 0x7f_ff) << 13);
    floats[index] = (floats[index] as number) * 2 ** 112;
  }
  return floats;
}
