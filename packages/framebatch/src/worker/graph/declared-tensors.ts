import type { TensorMetadata } from "@framebatch/rows/model/signature.js";
import {
  decodedText,
  fieldsOf,
  integersOf,
  type Field,
  DIMENSION,
  GRAPH,
  MODEL,
  namedConstant,
  SHAPE,
  TENSOR_TYPE,
  TYPE,
  VALUE,
} from "./onnx-graph.js";

/** The inputs and outputs that a model declares, in the form in which ONNX Runtime reports them. */
export interface DeclaredTensors {
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
}

/** Names of element types by ONNX's number. */
const ELEMENT_TYPES: Readonly<Record<number, string>> = {
  1: "float32",
  2: "uint8",
  3: "int8",
  4: "uint16",
  5: "int16",
  6: "int32",
  7: "int64",
  8: "string",
  9: "bool",
  10: "float16",
  11: "float64",
  12: "uint32",
  13: "uint64",
  14: "complex64",
  15: "complex128",
  16: "bfloat16",
  17: "float8e4m3fn",
  18: "float8e4m3fnuz",
  19: "float8e5m2",
  20: "float8e5m2fnuz",
  21: "uint4",
  22: "int4",
};
const UNKNOWN_SIZE = -1;

/**
 * Reads the inputs and outputs of a model without loading it. Weights that older files list as inputs are none.
 * @throws when the bytes are not an ONNX model
 */
export function declaredTensors(model: Uint8Array): DeclaredTensors {
  const graph = childOf(fieldsOf(model), MODEL.graph);
  const weights = new Set(valuesOf(graph, GRAPH.initializer).map((tensor) => namedConstant(tensor)[0]));
  const inputs = valuesOf(graph, GRAPH.input).map(metadataOf);
  return {
    inputs: inputs.filter(({ name }) => !weights.has(name)),
    outputs: valuesOf(graph, GRAPH.output).map(metadataOf),
  };
}

function metadataOf(value: Uint8Array): TensorMetadata {
  const fields = fieldsOf(value);
  const name = textOf(fields, VALUE.name);
  const tensor = childOf(childOf(fields, VALUE.type), TYPE.tensor);
  // A value of another kind (a sequence, a map) has no tensor type.
  if (tensor.length === 0) return { name };
  const type = integerOf(tensor, TENSOR_TYPE.element) ?? 0;
  const dims = valuesOf(childOf(tensor, TENSOR_TYPE.shape), SHAPE.dim);
  return { name, type: ELEMENT_TYPES[type] ?? `type ${type}`, shape: dims.map(sizeOf) };
}

function sizeOf(dimension: Uint8Array): string | number {
  const fields = fieldsOf(dimension);
  const symbol = textOf(fields, DIMENSION.symbol);
  return symbol === "" ? (integerOf(fields, DIMENSION.size) ?? UNKNOWN_SIZE) : symbol;
}

function valuesOf(fields: readonly Field[], wanted: number): Uint8Array[] {
  return fields.flatMap(({ number, value }) => (number === wanted ? [value] : []));
}

function childOf(fields: readonly Field[], wanted: number): Field[] {
  const [value] = valuesOf(fields, wanted);
  return value === undefined ? [] : fieldsOf(value);
}

function textOf(fields: readonly Field[], wanted: number): string {
  const [value] = valuesOf(fields, wanted);
  return value === undefined ? "" : decodedText(value);
}

function integerOf(fields: readonly Field[], wanted: number): number | undefined {
  return fields.filter(({ number }) => number === wanted).flatMap(integersOf)[0];
}
