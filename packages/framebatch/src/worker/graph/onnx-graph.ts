import { BinaryWriter, WireType, BinaryReader } from "@bufbuild/protobuf/wire";
import { joinedBytes } from "@framebatch/rows/tensor/joined-bytes.js";

/** Field numbers from onnx.proto. */
export const MODEL = { graph: 7 } as const;
export const GRAPH = { node: 1, initializer: 5, input: 11, output: 12, valueInfo: 13 } as const;
export const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 } as const;
export const ATTRIBUTE = {
  name: 1,
  integer: 3,
  text: 4,
  tensor: 5,
  graph: 6,
  integers: 8,
  graphs: 11,
  type: 20,
} as const;
/** Lists of numbers and of texts. An attribute that has one has no tensor and no graph. */
export const ATTRIBUTE_LISTS: readonly number[] = [7, ATTRIBUTE.integers, 9];
const TENSOR = { dims: 1, dataType: 2, int32Data: 5, int64Data: 7, name: 8, rawData: 9 } as const;
const INT64 = 7;
/** Bytes of an element of the types that are read as a list, by ONNX's number: int32, int64 and bool. */
const LISTED_TYPES: Readonly<Record<number, number>> = { 6: 4, [INT64]: 8, 9: 1 };
const INTEGER_ATTRIBUTE = 2;
const TENSOR_ATTRIBUTE = 4;
export const VALUE = { name: 1, type: 2 } as const;
export const TYPE = { tensor: 1 } as const;
export const TENSOR_TYPE = { element: 1, shape: 2 } as const;
export const SHAPE = { dim: 1 } as const;
export const DIMENSION = { size: 1, symbol: 2 } as const;
/** Maximum length of a constant that is read as a list. Shapes and axes are short; longer constants are weights. */
const LONGEST_LIST = 16;

/** One operation. */
export interface OnnxNode {
  /** Operator type, prefixed with its domain unless that is ONNX's own. */
  readonly op: string;
  /** Names of values; empty for an omitted input. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Empty if the node has no name. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

function nodeOf(bytes: Uint8Array): OnnxNode {
  const fields = fieldsOf(bytes);
  const texts = (number: number) =>
    fields.filter((field) => field.number === number).map(({ value }) => decodedText(value));
  const [domain = ""] = texts(NODE.domain);
  const [opType = ""] = texts(NODE.opType);
  const [name = ""] = texts(NODE.name);
  return {
    op: domain === "" || domain === "ai.onnx" ? opType : `${domain}.${opType}`,
    inputs: texts(NODE.input),
    outputs: texts(NODE.output),
    name,
    bytes,
  };
}

/** Returns true if the node contains graphs, as a branch or a loop does. */
export function hasSubgraph(node: OnnxNode): boolean {
  const graphs = [ATTRIBUTE.graph, ATTRIBUTE.graphs];
  return attributesOf(node).some((attribute) => [...fieldsAmong(attribute, graphs, ATTRIBUTE_LISTS)].length > 0);
}

/** Returns a graph that the node contains; `null` if there is none of this name. */
export function graphAttribute(node: OnnxNode, name: string): OnnxGraph | null {
  const graph = attributeOf(node, name)?.find(({ number }) => number === ATTRIBUTE.graph);
  return graph === undefined ? null : graphOf(fieldsOf(graph.value));
}

/** Returns an attribute that is a text; `null` if it is missing. */
export function textAttribute(node: OnnxNode, name: string): string | null {
  const text = attributeOf(node, name)?.find(({ number }) => number === ATTRIBUTE.text);
  return text === undefined ? null : decodedText(text.value);
}

/** Returns an attribute of one or several integers; `null` if it is missing. Some writers omit the value 0. */
export function integerAttribute(node: OnnxNode, name: string): readonly number[] | null {
  const fields = attributeOf(node, name);
  if (fields === null) return null;
  const numbers = fields.filter(({ number }) => number === ATTRIBUTE.integer || number === ATTRIBUTE.integers);
  const [type] = fields.filter(({ number }) => number === ATTRIBUTE.type).flatMap(integersOf);
  return numbers.length === 0 && type === INTEGER_ATTRIBUTE ? [0] : numbers.flatMap(integersOf);
}

/** The properties of a constant, without its weights. */
export interface Constant {
  readonly rank: number;
  /** Its elements if it is a short list of integers or of truth values (0 and 1); otherwise `null`. */
  readonly list: readonly number[] | null;
}

/** Returns the output of a `Constant` node; `null` if it is not a tensor. */
export function constantOf(node: OnnxNode): Constant | null {
  const listed = integerAttribute(node, "value_ints");
  if (listed !== null) return { rank: 1, list: listed };
  const tensor = attributeOf(node, "value")?.find(({ number }) => number === ATTRIBUTE.tensor);
  return tensor === undefined ? null : tensorOf(fieldsOf(tensor.value));
}

/** Returns the name and properties of an initializer. */
export function namedConstant(tensor: Uint8Array): [string, Constant] {
  const fields = fieldsOf(tensor);
  const name = fields.find(({ number }) => number === TENSOR.name);
  return [name === undefined ? "" : decodedText(name.value), tensorOf(fields)];
}

function tensorOf(fields: readonly Field[]): Constant {
  const integers = (number: number) => fields.filter((field) => field.number === number).flatMap(integersOf);
  return { rank: integers(TENSOR.dims).length, list: shortListOf(fields) };
}

/** The parts of a graph that are used here. */
export interface OnnxGraph {
  /** Names of inputs and outputs, in order. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nodes: readonly OnnxNode[];
  /** Initializers and outputs of `Constant` nodes, by the name of the value. */
  readonly constants: ReadonlyMap<string, Constant>;
}

/** Reads the graph of a model. @throws when the bytes are not an ONNX model */
export function readOnnx(model: Uint8Array): OnnxGraph {
  const graph = fieldsOf(model).find(({ number }) => number === MODEL.graph);
  return graphOf(fieldsOf(graph?.value ?? new Uint8Array()));
}

export function graphOf(graph: readonly Field[]): OnnxGraph {
  const nodes = graph.flatMap(({ number, value }) => (number === GRAPH.node ? [nodeOf(value)] : []));
  const constants = new Map(
    graph.flatMap(({ number, value }) => (number === GRAPH.initializer ? [namedConstant(value)] : [])),
  );
  for (const node of nodes) {
    const constant = node.op === "Constant" ? constantOf(node) : null;
    if (constant !== null) constants.set(node.outputs[0] ?? "", constant);
  }
  const named = (wanted: number) => graph.flatMap(({ number, value }) => (number === wanted ? [nameOf(value)] : []));
  return { inputs: named(GRAPH.input), outputs: named(GRAPH.output), nodes, constants };
}

function nameOf(value: Uint8Array): string {
  const name = fieldsOf(value).find(({ number }) => number === VALUE.name);
  return name === undefined ? "" : decodedText(name.value);
}

/**
 * Returns a node that outputs a list of integers. Unlike an initializer, it need not be an input in any ONNX version.
 */
export function constantNode(output: string, list: readonly number[]): Uint8Array {
  const raw = new BigInt64Array(list.map(BigInt));
  const text = (writer: BinaryWriter, number: number, value: string) =>
    writer.tag(number, WireType.LengthDelimited).string(value);
  const writer = new BinaryWriter();
  text(writer, NODE.output, output);
  text(writer, NODE.opType, "Constant");
  writer.tag(NODE.attribute, WireType.LengthDelimited).fork();
  text(writer, ATTRIBUTE.name, "value");
  writer.tag(ATTRIBUTE.tensor, WireType.LengthDelimited).fork();
  writer.tag(TENSOR.dims, WireType.Varint).int64(list.length);
  writer.tag(TENSOR.dataType, WireType.Varint).int32(INT64);
  writer.tag(TENSOR.rawData, WireType.LengthDelimited).bytes(new Uint8Array(raw.buffer));
  writer.join();
  return writer.tag(ATTRIBUTE.type, WireType.Varint).int32(TENSOR_ATTRIBUTE).join().finish();
}

function attributesOf({ bytes }: OnnxNode): Uint8Array[] {
  return [...fieldsAmong(bytes, [NODE.attribute])].map(({ value }) => value);
}

/** Returns the fields of an attribute. The others may have lists with millions of elements, which are not read. */
function attributeOf(node: OnnxNode, name: string): Field[] | null {
  const attribute = attributesOf(node).find((bytes) => attributeName(bytes) === name);
  return attribute === undefined ? null : fieldsOf(attribute);
}

function attributeName(attribute: Uint8Array): string | null {
  for (const { value } of fieldsAmong(attribute, [ATTRIBUTE.name])) return decodedText(value);
  return null;
}

function shortListOf(fields: readonly Field[]): readonly number[] | null {
  const integers = (number: number) => fields.filter((field) => field.number === number).flatMap(integersOf);
  const [type = 0] = integers(TENSOR.dataType);
  const width = LISTED_TYPES[type];
  if (width === undefined) return null;
  const dims = integers(TENSOR.dims);
  const [length = 1] = dims;
  if (dims.length > 1 || length > LONGEST_LIST) return null;
  const raw = fields.find(({ number }) => number === TENSOR.rawData);
  const given = type === INT64 ? TENSOR.int64Data : TENSOR.int32Data;
  const list = raw === undefined ? integers(given) : littleEndian(raw.value, width);
  return list.length === length ? list : null;
}

function littleEndian({ buffer, byteOffset, byteLength }: Uint8Array, width: number): number[] {
  const view = new DataView(buffer, byteOffset, byteLength);
  return Array.from({ length: Math.floor(byteLength / width) }, (_, index) => {
    const at = index * width;
    if (width === 1) return view.getUint8(at);
    return width === 4 ? view.getInt32(at, true) : Number(view.getBigInt64(at, true));
  });
}

/** One field of a protobuf message. Both arrays are views of the message. */
export interface Field {
  readonly number: number;
  readonly wireType: WireType;
  /** The encoded value; for text, bytes and messages, without the length prefix. */
  readonly value: Uint8Array;
  /** The whole field, with its tag. */
  readonly whole: Uint8Array;
}

/** Returns the fields of a message, one level deep, in order. @throws when the bytes are not a message */
export function fieldsOf(message: Uint8Array): Field[] {
  const reader = new BinaryReader(message);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    const value = wireType === WireType.LengthDelimited ? reader.bytes() : reader.skip(wireType, number);
    fields.push({ number, wireType, value, whole: message.subarray(start, reader.pos) });
  }
  return fields;
}

/**
 * Yields those of the length-delimited fields that are wanted, and skips the others. Ends at a field whose number is in
 * `ends`: a list may have millions of elements, a field for each.
 */
export function* fieldsAmong(
  message: Uint8Array,
  wanted: readonly number[],
  ends: readonly number[] = [],
): Generator<Pick<Field, "number" | "value">> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (ends.includes(number)) return;
    if (wireType === WireType.LengthDelimited && wanted.includes(number)) yield { number, value: reader.bytes() };
    else reader.skip(wireType, number);
  }
}

/** Changes each field of this number, or removes it if `change` returns `null`. Keeps all other bytes as they are. */
export function withFields(
  message: Uint8Array,
  number: number,
  change: (value: Uint8Array, index: number) => Uint8Array | null,
): Uint8Array {
  let index = 0;
  const parts = fieldsOf(message).flatMap((field) => {
    if (field.number !== number) return [field.whole];
    const changed = change(field.value, index++);
    return changed === null ? [] : delimited(number, [changed]);
  });
  return joinedBytes(parts);
}

/** Returns a length-delimited field whose value is `parts`. Does not copy the parts. */
export function delimited(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return [new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(length).finish(), ...parts];
}

export function decodedText(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}

/** Returns the integers of a repeated field, packed or not. Integers beyond 2^53 are rounded. */
export function integersOf({ wireType, value }: Field): number[] {
  const reader = new BinaryReader(value);
  if (wireType === WireType.Varint) return [Number(reader.int64())];
  const integers: number[] = [];
  while (reader.pos < reader.len) integers.push(Number(reader.int64()));
  return integers;
}
