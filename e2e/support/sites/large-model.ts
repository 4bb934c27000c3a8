/** Field numbers of onnx.proto. */
const MODEL_GRAPH = 7;
const GRAPH_INITIALIZER = 5;
const TENSOR_DIMS = 1;
const TENSOR_TYPE = 2;
const TENSOR_NAME = 8;
const TENSOR_RAW_DATA = 9;
const UINT8 = 2;

/**
 * Appends `bytes` bytes of unused weights to a model. Protocol buffers merge when they are concatenated, so the weights
 * become part of the model's graph.
 */
export function withWeights(model: Uint8Array, bytes: number): Uint8Array {
  const tensor = Buffer.concat([
    Buffer.from([TENSOR_DIMS << 3, ...varint(bytes), TENSOR_TYPE << 3, UINT8]),
    field(TENSOR_NAME, Buffer.from("unused")),
    field(TENSOR_RAW_DATA, Buffer.alloc(bytes, 1)),
  ]);
  return Buffer.concat([model, field(MODEL_GRAPH, field(GRAPH_INITIALIZER, tensor))]);
}

/** Encodes a field of bytes: the field number with the wire type, the length, the bytes. */
function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}
