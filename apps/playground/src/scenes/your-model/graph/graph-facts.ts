import { BlobReader } from "./blob-reader.js";
import { fieldsIn, readVarints, type Field } from "./protobuf.js";

/** What an ONNX file says about itself. */
export interface GraphFacts {
  /** The name of the graph; may be empty. */
  readonly name: string;
  /** The program that wrote the file, with its version; may be empty. */
  readonly producer: string;
  /** The version of the standard operators; `null` if the model has none. */
  readonly opset: number | null;
  /** Number of operators, without those of subgraphs. */
  readonly operators: number;
  /** Number of stored values: the weights, and the tensors of constants. */
  readonly parameters: number;
}

/** Numbers of the fields in onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
const MODEL = { producerName: 2, producerVersion: 3, graph: 7, opsetImport: 8 } as const;
const OPSET = { domain: 1, version: 2 } as const;
const GRAPH = { node: 1, name: 2, initializer: 5 } as const;
const NODE = { opType: 4, attribute: 5 } as const;
const ATTRIBUTE = { tensor: 5 } as const;
const TENSOR = { dims: 1 } as const;

/** Some exporters keep weights in the attributes of these operators instead of the list of stored values. */
const CONSTANT = "Constant";

/** Texts are cut off here, in bytes. */
const MAX_TEXT_BYTES = 200;

const STANDARD_DOMAINS: readonly string[] = ["", "ai.onnx"];

/**
 * Reads an ONNX file without its weights.
 * @returns `null` if the file is no ONNX model
 */
export async function readGraphFacts(file: Blob): Promise<GraphFacts | null> {
  try {
    return await readModel(new BlobReader(file));
  } catch {
    return null;
  }
}

async function readModel(reader: BlobReader): Promise<GraphFacts | null> {
  let [name, version]: string[] = [];
  let [opset, graph]: [number | null, Graph | null] = [null, null];
  for await (const field of fieldsIn(reader, 0, reader.size)) {
    if (field.number === MODEL.producerName) name = await readText(reader, field);
    else if (field.number === MODEL.producerVersion) version = await readText(reader, field);
    else if (field.number === MODEL.opsetImport) opset = (await readStandardOpset(reader, field)) ?? opset;
    else if (field.number === MODEL.graph) graph = await readGraph(reader, field);
  }
  return graph && { ...graph, opset, producer: [name, version].filter(Boolean).join(" ") };
}

type Graph = Pick<GraphFacts, "name" | "operators" | "parameters">;

async function readGraph(reader: BlobReader, { start, end }: Field): Promise<Graph> {
  let [name, operators, parameters] = ["", 0, 0];
  for await (const field of fieldsIn(reader, start, end)) {
    if (field.number === GRAPH.node) {
      operators++;
      parameters += await readConstant(reader, field);
    } else if (field.number === GRAPH.name) name = await readText(reader, field);
    else if (field.number === GRAPH.initializer) parameters += await readVolume(reader, field);
  }
  return { name, operators, parameters };
}

/** The number of values that a node stores; 0 unless it is a constant tensor. */
async function readConstant(reader: BlobReader, { start, end }: Field): Promise<number> {
  let [values, isConstant] = [0, false];
  for await (const field of fieldsIn(reader, start, end)) {
    if (field.number === NODE.opType) isConstant = (await readText(reader, field)) === CONSTANT;
    else if (field.number === NODE.attribute) values += await readAttribute(reader, field);
  }
  return isConstant ? values : 0;
}

async function readAttribute(reader: BlobReader, { start, end }: Field): Promise<number> {
  let values = 0;
  for await (const field of fieldsIn(reader, start, end)) {
    if (field.number === ATTRIBUTE.tensor) values += await readVolume(reader, field);
  }
  return values;
}

/** The product of a tensor's dims. */
async function readVolume(reader: BlobReader, { start, end }: Field): Promise<number> {
  let volume = 1;
  for await (const field of fieldsIn(reader, start, end)) {
    if (field.number !== TENSOR.dims) continue;
    const isPacked = field.start < field.end;
    for (const size of isPacked ? await readVarints(reader, field.start, field.end) : [field.value]) volume *= size;
  }
  return volume;
}

async function readStandardOpset(reader: BlobReader, { start, end }: Field): Promise<number | null> {
  let domain = "";
  let version: number | null = null;
  for await (const field of fieldsIn(reader, start, end)) {
    if (field.number === OPSET.domain) domain = await readText(reader, field);
    if (field.number === OPSET.version) version = field.value;
  }
  return STANDARD_DOMAINS.includes(domain) ? version : null;
}

async function readText(reader: BlobReader, { start, end }: Field): Promise<string> {
  return new TextDecoder().decode(await reader.bytes(start, Math.min(end - start, MAX_TEXT_BYTES)));
}
