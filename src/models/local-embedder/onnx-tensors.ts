/** A constant of an ONNX graph. `bytes` is little-endian and a view into the file. */
export interface OnnxTensor {
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** The fields of ONNX's protobuf messages that hold constants (onnx.proto: ModelProto, GraphProto, TensorProto). */
const FIELD = { graph: 7, initializer: 5, dims: 1, floatData: 4, name: 8, rawData: 9 } as const;

/** Reads the constants of an ONNX file by name, without copying them. The graph itself is not read. */
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
