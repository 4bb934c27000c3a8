import protobuf from "protobufjs/light.js";

/**
 * The part of the ONNX format that a simple inference graph needs. The field numbers are those of onnx.proto. Other
 * fields are optional and omitted.
 */
const schema = {
  ModelProto: {
    fields: {
      irVersion: { id: 1, type: "int64" },
      producerName: { id: 2, type: "string" },
      graph: { id: 7, type: "GraphProto" },
      opsetImport: { id: 8, type: "OperatorSetIdProto", rule: "repeated" },
    },
  },
  OperatorSetIdProto: {
    fields: { domain: { id: 1, type: "string" }, version: { id: 2, type: "int64" } },
  },
  GraphProto: {
    fields: {
      node: { id: 1, type: "NodeProto", rule: "repeated" },
      name: { id: 2, type: "string" },
      initializer: { id: 5, type: "TensorProto", rule: "repeated" },
      input: { id: 11, type: "ValueInfoProto", rule: "repeated" },
      output: { id: 12, type: "ValueInfoProto", rule: "repeated" },
      valueInfo: { id: 13, type: "ValueInfoProto", rule: "repeated" },
    },
  },
  NodeProto: {
    fields: {
      input: { id: 1, type: "string", rule: "repeated" },
      output: { id: 2, type: "string", rule: "repeated" },
      opType: { id: 4, type: "string" },
      attribute: { id: 5, type: "AttributeProto", rule: "repeated" },
      domain: { id: 7, type: "string" },
    },
  },
  AttributeProto: {
    fields: {
      name: { id: 1, type: "string" },
      i: { id: 3, type: "int64" },
      s: { id: 4, type: "bytes" },
      g: { id: 6, type: "GraphProto" },
      floats: { id: 7, type: "float", rule: "repeated" },
      ints: { id: 8, type: "int64", rule: "repeated" },
      strings: { id: 9, type: "bytes", rule: "repeated" },
      type: { id: 20, type: "int32" },
    },
  },
  TensorProto: {
    fields: {
      dims: { id: 1, type: "int64", rule: "repeated" },
      dataType: { id: 2, type: "int32" },
      name: { id: 8, type: "string" },
      rawData: { id: 9, type: "bytes" },
      externalData: { id: 13, type: "StringStringEntryProto", rule: "repeated" },
      dataLocation: { id: 14, type: "int32" },
    },
  },
  StringStringEntryProto: {
    fields: { key: { id: 1, type: "string" }, value: { id: 2, type: "string" } },
  },
  ValueInfoProto: {
    fields: { name: { id: 1, type: "string" }, type: { id: 2, type: "TypeProto" } },
  },
  TypeProto: {
    fields: {
      tensorType: { id: 1, type: "TensorTypeProto" },
      sequenceType: { id: 4, type: "SequenceTypeProto" },
      mapType: { id: 5, type: "MapTypeProto" },
    },
  },
  SequenceTypeProto: { fields: { elemType: { id: 1, type: "TypeProto" } } },
  MapTypeProto: { fields: { keyType: { id: 1, type: "int32" }, valueType: { id: 2, type: "TypeProto" } } },
  TensorTypeProto: {
    fields: { elemType: { id: 1, type: "int32" }, shape: { id: 2, type: "TensorShapeProto" } },
  },
  TensorShapeProto: {
    fields: { dim: { id: 1, type: "DimensionProto", rule: "repeated" } },
  },
  DimensionProto: {
    oneofs: { value: { oneof: ["dimValue", "dimParam"] } },
    fields: { dimValue: { id: 1, type: "int64" }, dimParam: { id: 2, type: "string" } },
  },
};

const modelType = protobuf.Root.fromJSON({ nested: schema }).lookupType("ModelProto");

/** ONNX's numbers of the element types. */
export const elementTypes = Object.freeze({
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint64: 13,
  bfloat16: 16,
});

/** ONNX's number of the place "outside the model's file". */
const EXTERNAL = 1;

const attributeTypes = Object.freeze({ int: 2, string: 3, graph: 5, floats: 6, ints: 7, strings: 8 });

/** Domains of operators that are not ONNX's own, and their versions. */
const DOMAINS = Object.freeze({ "com.microsoft": 1, "ai.onnx.ml": 3 });

/**
 * @typedef {keyof typeof elementTypes} ElementType
 * @typedef {number | string | null} Dim a size, the name of a dynamic dimension, or null for an unnamed dynamic one
 * @typedef {{ texts: readonly string[] }} Texts
 * @typedef {number | string | Float32Array | readonly number[] | Graph | Texts} Attribute numbers are integers
 * @typedef {Record<string, Attribute>} Attributes
 * @typedef {object} Node
 * @property {string} opType prefixed with its domain unless that is ONNX's own
 * @property {readonly string[]} inputs
 * @property {readonly string[]} outputs
 * @property {Attributes} attributes
 * @typedef {{ name: string, type: ElementType | "maps", dims: readonly Dim[] }} ValueInfo "maps": a sequence of maps from strings to float32
 * @typedef {{ ir: number, opset: number }} Versions of the format and of ONNX's operators
 * @typedef {{ path: string, offset: number, bytes: number }} FilePart a part of a file beside the model
 * @typedef {{ name: string, type: ElementType, dims: readonly number[] }} Constant
 * @typedef {Constant & ({ data: ArrayBufferView } | { file: FilePart })} Initializer
 * @typedef {object} Graph
 * @property {string} name
 * @property {readonly Node[]} nodes
 * @property {readonly Initializer[]} initializers
 * @property {readonly ValueInfo[]} inputs
 * @property {readonly ValueInfo[]} outputs
 * @property {readonly ValueInfo[]} values inside the graph with a declared shape
 */

/**
 * Encodes a graph as the bytes of an ONNX file.
 *
 * @param {Graph} graph
 * @param {Versions} [versions]
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function encodeModel(graph, { ir, opset } = { ir: 8, opset: 17 }) {
  const bytes = modelType
    .encode({
      irVersion: ir,
      producerName: "framebatch-models",
      opsetImport: [{ domain: "", version: opset }, ...domainsOf(graph)],
      graph: encodeGraph(graph),
    })
    .finish();
  return new Uint8Array(bytes); // a copy, because the encoder's buffer may come from a shared pool
}

/** @param {Graph} graph */
function encodeGraph(graph) {
  return {
    name: graph.name,
    node: graph.nodes.map(encodeNode),
    initializer: graph.initializers.map(encodeInitializer),
    input: graph.inputs.map(encodeValueInfo),
    output: graph.outputs.map(encodeValueInfo),
    valueInfo: graph.values.map(encodeValueInfo),
  };
}

/** @param {Graph} graph */
function domainsOf({ nodes }) {
  return Object.entries(DOMAINS)
    .filter(([domain]) => nodes.some(({ opType }) => opType.startsWith(`${domain}.`)))
    .map(([domain, version]) => ({ domain, version }));
}

/** @param {Node} node */
function encodeNode({ opType, inputs, outputs, attributes }) {
  const domain = Object.keys(DOMAINS).find((known) => opType.startsWith(`${known}.`));
  return {
    ...(domain !== undefined && { domain }),
    opType: domain === undefined ? opType : opType.slice(domain.length + 1),
    input: inputs,
    output: outputs,
    attribute: Object.entries(attributes).map(([name, value]) => ({ name, ...encodeAttribute(value) })),
  };
}

/**
 * @param {Attribute} value
 * @returns {object}
 */
function encodeAttribute(value) {
  if (typeof value === "number") return { type: attributeTypes.int, i: value };
  if (typeof value === "string") return { type: attributeTypes.string, s: new TextEncoder().encode(value) };
  if (value instanceof Float32Array) return { type: attributeTypes.floats, floats: [...value] };
  if ("texts" in value) {
    return { type: attributeTypes.strings, strings: value.texts.map((text) => new TextEncoder().encode(text)) };
  }
  return "nodes" in value
    ? { type: attributeTypes.graph, g: encodeGraph(value) }
    : { type: attributeTypes.ints, ints: value };
}

/** @param {Initializer} initializer */
function encodeInitializer(initializer) {
  const { name, type, dims } = initializer;
  return { name, dims, dataType: elementTypes[type], ...encodeData(initializer) };
}

/** @param {Initializer} initializer */
function encodeData(initializer) {
  if ("data" in initializer) {
    const { buffer, byteOffset, byteLength } = initializer.data;
    return { rawData: new Uint8Array(buffer, byteOffset, byteLength) };
  }
  const { path, offset, bytes } = initializer.file;
  const place = { location: path, offset: String(offset), length: String(bytes) };
  return { externalData: Object.entries(place).map(([key, value]) => ({ key, value })), dataLocation: EXTERNAL };
}

/** @param {ValueInfo} value */
function encodeValueInfo({ name, type, dims }) {
  if (type === "maps") {
    const scores = { tensorType: { elemType: elementTypes.float32 } };
    return {
      name,
      type: { sequenceType: { elemType: { mapType: { keyType: elementTypes.string, valueType: scores } } } },
    };
  }
  return { name, type: { tensorType: { elemType: elementTypes[type], shape: { dim: dims.map(encodeDim) } } } };
}

/** @param {Dim} dim */
function encodeDim(dim) {
  if (dim === null) return {};
  return typeof dim === "number" ? { dimValue: dim } : { dimParam: dim };
}
