import { decodedText, fieldsAmong, fieldsOf, integersOf, type Field } from "./onnx-fields.js";
import { ATTRIBUTE, ATTRIBUTE_LISTS, GRAPH, MODEL, NODE, VALUE } from "./onnx-graph.js";

/** Field numbers from onnx.proto. */
const VERSIONS = { ir: 1, opset: 8, function: 25 } as const;
const OPSET = { domain: 1, version: 2 } as const;
const FUNCTION = { node: 7, opset: 9 } as const;
const TENSOR = { external: 13 } as const;
const ENTRY = { key: 1, value: 2 } as const;

/** A version number, and its bytes in the model. */
export interface DeclaredVersion {
  readonly number: number;
  /** A view of the model. */
  readonly bytes: Uint8Array;
}

/** What a model declares about what it needs. */
export interface ModelDeclaration {
  readonly irVersion: DeclaredVersion | null;
  /** The opsets of the model and of each function in it. The domain of ONNX's own operators is empty. */
  readonly opsets: readonly (DeclaredVersion & { readonly domain: string })[];
  /** Operators of the graph, of graphs in it and of functions, prefixed with their domain unless that is ONNX's own. */
  readonly operators: ReadonlySet<string>;
  /** Operators of the graph that compute its outputs, by the name of the output. */
  readonly outputOperators: ReadonlyMap<string, string>;
  /** Paths of the files with weights to which the model refers. */
  readonly externalPaths: ReadonlySet<string>;
}

/** Reads what a model declares. Returns `null` for bytes that are not an ONNX model: ONNX Runtime also has a format of its own. */
export function readDeclaration(model: Uint8Array): ModelDeclaration | null {
  try {
    return declarationOf(fieldsOf(model));
  } catch {
    return null;
  }
}

function declarationOf(model: readonly Field[]): ModelDeclaration | null {
  const graph = model.find(({ number }) => number === MODEL.graph);
  if (graph === undefined) return null;
  const found = { operators: new Set<string>(), externalPaths: new Set<string>() };
  const outputOperators = visitGraph(graph.value, found);
  const functions = valuesOf(model, VERSIONS.function).map(fieldsOf);
  for (const node of functions.flatMap((fields) => valuesOf(fields, FUNCTION.node))) visitNode(node, found);
  const opsets = [model, ...functions].flatMap((fields, index) =>
    valuesOf(fields, index === 0 ? VERSIONS.opset : FUNCTION.opset).flatMap(opsetOf),
  );
  return { irVersion: versionIn(model, VERSIONS.ir), opsets, outputOperators, ...found };
}

function opsetOf(opset: Uint8Array): ModelDeclaration["opsets"][number][] {
  const fields = fieldsOf(opset);
  const version = versionIn(fields, OPSET.version);
  const domain = plainDomain(valuesOf(fields, OPSET.domain).map(decodedText)[0] ?? "");
  return version === null ? [] : [{ ...version, domain }];
}

function versionIn(fields: readonly Field[], wanted: number): DeclaredVersion | null {
  const field = fields.find(({ number }) => number === wanted);
  const [number] = field === undefined ? [] : integersOf(field);
  return field === undefined || number === undefined ? null : { number, bytes: field.value };
}

interface Found {
  readonly operators: Set<string>;
  readonly externalPaths: Set<string>;
}

/** Returns the operators that compute the outputs of the graph. */
function visitGraph(graph: Uint8Array, found: Found): ReadonlyMap<string, string> {
  const computed = new Map<string, string>();
  const outputs = new Set<string>();
  for (const { number, value } of fieldsAmong(graph, [GRAPH.node, GRAPH.initializer, GRAPH.output])) {
    if (number === GRAPH.output) outputs.add(valuesOf(fieldsOf(value), VALUE.name).map(decodedText)[0] ?? "");
    else if (number === GRAPH.initializer) visitTensor(value, found);
    else {
      const node = visitNode(value, found);
      for (const output of node.outputs) computed.set(output, node.operator);
    }
  }
  return new Map([...computed].filter(([output]) => outputs.has(output)));
}

function visitNode(node: Uint8Array, found: Found): { readonly operator: string; readonly outputs: readonly string[] } {
  let [domain, type] = ["", ""];
  const outputs: string[] = [];
  for (const { number, value } of fieldsAmong(node, [NODE.output, NODE.opType, NODE.domain, NODE.attribute])) {
    if (number === NODE.output) outputs.push(decodedText(value));
    else if (number === NODE.opType) type = decodedText(value);
    else if (number === NODE.domain) domain = plainDomain(decodedText(value));
    else visitAttribute(value, found);
  }
  const operator = domain === "" ? type : `${domain}.${type}`;
  found.operators.add(operator);
  return { operator, outputs };
}

function visitAttribute(attribute: Uint8Array, found: Found): void {
  const { tensor, graph, graphs } = ATTRIBUTE;
  for (const { number, value } of fieldsAmong(attribute, [tensor, graph, graphs], ATTRIBUTE_LISTS)) {
    if (number === tensor) visitTensor(value, found);
    else visitGraph(value, found);
  }
}

function visitTensor(tensor: Uint8Array, { externalPaths }: Found): void {
  for (const { value: entry } of fieldsAmong(tensor, [TENSOR.external])) {
    const fields = fieldsOf(entry);
    const [key, value] = [ENTRY.key, ENTRY.value].map((number) => valuesOf(fields, number).map(decodedText)[0] ?? "");
    if (key === "location" && value !== undefined && value !== "") externalPaths.add(value);
  }
}

function valuesOf(fields: readonly Field[], wanted: number): Uint8Array[] {
  return fields.flatMap(({ number, value }) => (number === wanted ? [value] : []));
}

function plainDomain(domain: string): string {
  return domain === "ai.onnx" ? "" : domain;
}
