// node train/embedder/reference.ts: prints the entries of test/golden/golden-vectors.ts. It computes a plain forward pass of the merged
// model in double precision, without the kernel and without quantising the merged weights. The vectors of the kernel are compared with the
// result.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GOLDEN_VECTORS } from '../../test/golden/golden-vectors.ts';
import { matrixNames, readDifferences, readOnnxTensors } from '../../src/models/local-embedder/load-model.ts';
import { createGlossary, createWordPiece, SPECIAL_IDS } from '../../src/models/local-embedder/token-windows.ts';
import { createLocalEmbedder } from '../../src/models/local-embedder/local-embedder.ts';
import { MODEL } from '../../src/models/local-embedder/memory-layout.ts';
import { findSources, readPieces } from '../../src/models/local-embedder/prepare-weights.ts';

type Rows = Float64Array[];

const { hidden, layers } = MODEL;
const HEADS = 12;
const HEAD = hidden / HEADS;
const sources = findSources(join(import.meta.dirname, '../..'));
const tensors = readOnnxTensors(readFileSync(join(sources.published, 'onnx/model_quantized.onnx')));
const differences = readDifferences(readFileSync(sources.memory));
const wordPiece = createWordPiece(new Map(readPieces(sources.published).map((piece, id) => [piece, id])));
const glossary = createGlossary(() =>
  readdirSync(sources.lexicons)
    .map((file) => readFileSync(join(sources.lexicons, file), 'utf8'))
    .join(''),
);
const modules = [
  'attention.self.query',
  'attention.self.key',
  'attention.self.value',
  'attention.output.dense',
  'intermediate.dense',
  'output.dense',
];
const matrices = new Map(
  matrixNames(tensors).map((name, index) => {
    const module = `encoder.layer.${Math.floor(index / 6)}.${modules[index % 6]}`;
    return [module, merged(name, module)] as const;
  }),
);

function bytesOf(name: string): Uint8Array {
  const found = tensors.get(name);
  if (found === undefined) throw new RangeError(`The model has no tensor named ${name}.`);
  return new Uint8Array(found.bytes);
}

function floats(name: string): Float32Array {
  return new Float32Array(bytesOf(name).buffer);
}

/** The rows of a merged matrix, one for each output. */
function merged(name: string, module: string): Rows {
  const weights = new Int8Array(bytesOf(`${name}_quantized`).buffer);
  const scales = floats(`${name}_scale`);
  const outputs = scales.length;
  const inputs = weights.length / outputs;
  const { a, b } = differences.get(module) ?? { a: new Float32Array(), b: new Float32Array() };
  const rank = a.length / inputs;
  return Array.from({ length: outputs }, (_row, output) =>
    Float64Array.from({ length: inputs }, (_value, input) => {
      let value = (weights[input * outputs + output] ?? 0) * (scales[output] ?? 0);
      for (let r = 0; r < rank; r += 1) value += (b[output * rank + r] ?? 0) * (a[r * inputs + input] ?? 0);
      return value;
    }),
  );
}

function linear(x: Rows, module: string): Rows {
  const bias = floats(`${module}.bias`);
  const rows = matrices.get(module) ?? [];
  return x.map((row) => Float64Array.from(rows, (weights, output) => dot(weights, row) + (bias[output] ?? 0)));
}

function normalise(x: Rows, module: string): Rows {
  const [gamma, beta] = [floats(`${module}.weight`), floats(`${module}.bias`)];
  return x.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const deviation = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length + 1e-12);
    return row.map((value, index) => ((value - mean) / deviation) * (gamma[index] ?? 0) + (beta[index] ?? 0));
  });
}

function attend(x: Rows, layer: string): Rows {
  const [query, key, value] = modules.slice(0, 3).map((module) => linear(x, `${layer}.${module}`)) as [
    Rows,
    Rows,
    Rows,
  ];
  return query.map((row) => {
    const context = new Float64Array(hidden);
    for (let start = 0; start < hidden; start += HEAD) {
      const part = (of: Float64Array): Float64Array => of.subarray(start, start + HEAD);
      const weights = key.map((other) => Math.exp(dot(part(row), part(other)) / Math.sqrt(HEAD)));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (let i = 0; i < HEAD; i += 1) {
        context[start + i] = value.reduce(
          (sum, of, at) => sum + ((weights[at] ?? 0) / total) * (of[start + i] ?? 0),
          0,
        );
      }
    }
    return context;
  });
}

function encode(text: string): Float64Array {
  const ids = [SPECIAL_IDS.start, ...wordPiece.encode(glossary.gloss(text), 254), SPECIAL_IDS.end];
  const table = (kind: string): ((row: number, index: number) => number) => {
    const values = bytesOf(`embeddings.${kind}_embeddings.weight_quantized`);
    const scale = floats(`embeddings.${kind}_embeddings.weight_scale`)[0] ?? 0;
    return (row, index) => ((values[row * hidden + index] ?? 0) - 128) * scale;
  };
  const [word, position, segment] = [table('word'), table('position'), table('token_type')];
  let x: Rows = ids.map((id, at) =>
    Float64Array.from({ length: hidden }, (_, i) => word(id, i) + position(at, i) + segment(0, i)),
  );
  x = normalise(x, 'embeddings.LayerNorm');
  for (let index = 0; index < layers; index += 1) {
    const layer = `encoder.layer.${index}`;
    x = normalise(
      added(x, linear(attend(x, layer), `${layer}.attention.output.dense`)),
      `${layer}.attention.output.LayerNorm`,
    );
    const expanded = linear(x, `${layer}.intermediate.dense`).map((row) => row.map(gelu));
    x = normalise(added(x, linear(expanded, `${layer}.output.dense`)), `${layer}.output.LayerNorm`);
  }
  return Float64Array.from({ length: hidden }, (_, i) => x.reduce((sum, row) => sum + (row[i] ?? 0), 0));
}

function dot(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}

function added(left: Rows, right: Rows): Rows {
  return left.map((row, at) => row.map((value, index) => value + (right[at]?.[index] ?? 0)));
}

/** x · Φ(x), by numerical integration of the normal density. It is slow. */
function gelu(x: number): number {
  const bound = Math.min(Math.abs(x), 8);
  const steps = 200;
  let sum = 0;
  for (let step = 0; step < steps; step += 1) {
    const t = ((step + 0.5) / steps) * bound;
    sum += Math.exp((-t * t) / 2);
  }
  const half = (sum * bound) / steps / Math.sqrt(2 * Math.PI);
  return x * (0.5 + Math.sign(x) * half);
}

const embedder = createLocalEmbedder();
for (const { text } of GOLDEN_VECTORS) {
  const exact = encode(text);
  const largest = Math.max(...exact.map(Math.abs));
  const [vector = new Float32Array()] = (await embedder.embed([text])).vectors;
  const cosine = dot(exact, Float64Array.from(vector)) / Math.hypot(...exact);
  const reference = Buffer.from(Int8Array.from(exact, (value) => Math.round((value / largest) * 127)).buffer);
  const parts = reference.toString('base64').match(/.{1,110}/g) ?? [];
  console.log(`  // cosine with the kernel's vector: ${cosine.toFixed(4)}
  {
    text: '${text}',
    vectorSha256: '${hash('sha256', new Uint8Array(vector.buffer))}',
    reference:
${parts.map((part) => `      '${part}'`).join(' +\n')},
  },`);
}
await embedder.close?.();
