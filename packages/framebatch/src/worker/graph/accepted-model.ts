import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { TensorMetadata } from "@framebatch/rows/model/signature.js";
import {
  decodedText,
  fieldsAmong,
  fieldsOf,
  integersOf,
  type Field,
  ATTRIBUTE,
  ATTRIBUTE_LISTS,
  GRAPH,
  MODEL,
  NODE,
  VALUE,
} from "./onnx-graph.js";

/** What the bytes of a model show before ONNX Runtime has them. */
export interface AcceptedModel {
  /**
   * The versions under which ONNX Runtime reads the model, where the file has newer ones; a text for people, or `null`.
   */
  readonly lowered: string | null;
  /** An operator that only the build without a GPU has; `null` if there is none. */
  readonly plainOperator: string | null;
  /** Operators of the graph that compute its outputs, by the name of the output. */
  readonly outputOperators: ReadonlyMap<string, string>;
  /** Paths of the files with weights to which the model refers. */
  readonly externalPaths: readonly string[];
}

/** Adds to an output what the file tells of it. @param operators see `AcceptedModel` */
export function describeOutput(output: TensorMetadata, operators: AcceptedModel["outputOperators"]): TensorMetadata {
  return { ...output, operator: operators.get(output.name) ?? "" };
}

/** What is known of bytes that are not an ONNX model. */
const UNREADABLE: AcceptedModel = { lowered: null, plainOperator: null, outputOperators: new Map(), externalPaths: [] };

/**
 * Reads what a model declares. Writes older versions into the bytes where the newer ones change nothing for this model,
 * since ONNX Runtime refuses a file for its number alone.
 *
 * @param model owned by the caller, and possibly changed
 * @throws MODEL_INVALID for versions that are too new
 */
export function acceptModel(model: Uint8Array): AcceptedModel {
  const declared = readDeclaration(model);
  if (declared === null) return UNREADABLE;
  const lowered = [...lowerIr(declared), ...lowerOpsets(declared)];
  return {
    lowered: lowered.length === 0 ? null : `read as ${[...new Set(lowered)].join(" and ")}`,
    plainOperator: [...declared.operators].find(isOnlyPlain) ?? null,
    outputOperators: declared.outputOperators,
    externalPaths: [...declared.externalPaths],
  };
}

function lowerIr({ irVersion }: ModelDeclaration): string[] {
  if (irVersion === null || irVersion.number <= NEWEST_IR) return [];
  if (irVersion.number > NEWEST_KNOWN_IR) {
    const fix = `model = onnx.load(FILE); model.ir_version = ${NEWEST_IR}; onnx.save(model, FILE)`;
    throw tooNew(`IR version ${NEWEST_IR} or less`, `${irVersion.number}`, fix);
  }
  write(irVersion, NEWEST_IR);
  return [`IR version ${NEWEST_IR}`];
}

function lowerOpsets({ opsets, operators }: ModelDeclaration): string[] {
  return opsets.flatMap((opset) => {
    const newest = NEWEST_OPSETS[opset.domain] ?? Infinity;
    if (opset.number <= newest) return [];
    const name = opset.domain === "" ? "opset" : `opset of ${opset.domain}`;
    if (opset.number > (NEWEST_KNOWN_OPSETS[opset.domain] ?? 0)) {
      throw tooNew(`${name} ${newest} or less`, `${opset.number}`, conversionTo(newest));
    }
    const newer = Object.entries(NEWER_OPERATORS).find(([operator]) => operators.has(operator));
    if (newer !== undefined) {
      const [operator, since] = newer;
      throw tooNew(`operators of ${name} ${newest} or less`, `${operator} of opset ${since}`, conversionTo(newest));
    }
    write(opset, newest);
    return [`${name} ${newest}`];
  });
}

/**
 * A version below 128 is in the first seven bits of its bytes. The eighth says whether others follow, which are then
 * empty.
 */
function write({ bytes }: DeclaredVersion, version: number): void {
  bytes[0] = (bytes[0]! & 0x80) | version;
}

function conversionTo(opset: number): string {
  return `onnx.save(onnx.version_converter.convert_version(onnx.load(FILE), ${opset}), FILE), or export it with that opset (torch: opset_version=${opset}; skl2onnx: target_opset)`;
}

function tooNew(expected: string, got: string, fix: string): FramebatchError {
  return new FramebatchError(
    "MODEL_INVALID",
    `expected a model of ${expected}, got ${got}; save it again in Python: ${fix}`,
  );
}

/**
 * What the packaged ONNX Runtime takes, and what its builds lack. A test fails when another version is packaged. The
 * operators were found by creating a session of each operator of ONNX 1.23.2 and of `com.microsoft`, in each of its
 * versions, in each build.
 */
export const CONTENTS_OF = "1.30.0";

/** The newest IR version that it takes. */
export const NEWEST_IR = 13;
/**
 * The newest IR version that is known to differ from that in nothing but types that no build has (ONNX 1.23.2,
 * `onnx.proto`).
 */
const NEWEST_KNOWN_IR = 14;

/** The newest opset that it takes, by domain. Of other domains it takes each version that it knows. */
export const NEWEST_OPSETS: Readonly<Record<string, number>> = { "": 26, "ai.onnx.ml": 5 };
/** The newest opsets whose changes are known: ONNX 1.23.2. */
const NEWEST_KNOWN_OPSETS: Readonly<Record<string, number>> = { "": 28, "ai.onnx.ml": 5 };

/**
 * Operators of the opsets 27 and 28 that are new or may compute something else than under 26. The others that these
 * opsets change (Cast, Celu, Compress, DepthToSpace, DequantizeLinear, Einsum, OneHot, Optional, OptionalGetElement,
 * OptionalHasElement, QuantizeLinear, Range, ReduceLogSum, ReduceLogSumExp, ReverseSequence, SpaceToDepth, Unique) take
 * more types or another attribute than under 26, where ONNX Runtime refuses those, or fewer types (`onnx.defs` of ONNX
 * 1.23.2).
 */
const NEWER_OPERATORS: Readonly<Record<string, number>> = {
  LinearAttention: 27,
  CausalConvWithState: 27,
  SwiGLU: 28,
  Mod: 28,
  BitShift: 28,
};

const PLAIN_DOMAIN = "ai.onnx.ml.";
const PLAIN_OPERATORS: ReadonlySet<string> = new Set([
  "OptionalGetElement",
  "OptionalHasElement",
  "RegexFullMatch",
  "StringConcat",
  "StringNormalizer",
  "StringSplit",
  "TfIdfVectorizer",
  "com.microsoft.Tokenizer",
]);

/**
 * Whether only the build without a GPU has the operator. The others also lack some types of operators that they have,
 * such as the addition of float64, and some operators that ONNX Runtime mostly removes: the session then shows it.
 */
function isOnlyPlain(operator: string): boolean {
  return operator.startsWith(PLAIN_DOMAIN) || PLAIN_OPERATORS.has(operator);
}

/** Field numbers from onnx.proto. */
const VERSIONS = { ir: 1, opset: 8, function: 25 } as const;
const OPSET = { domain: 1, version: 2 } as const;
const FUNCTION = { node: 7, opset: 9 } as const;
const TENSOR = { external: 13 } as const;
const ENTRY = { key: 1, value: 2 } as const;

/** A version number, and its bytes in the model. */
interface DeclaredVersion {
  readonly number: number;
  /** A view of the model. */
  readonly bytes: Uint8Array;
}

/** What a model declares about what it needs. */
interface ModelDeclaration {
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

/**
 * Reads what a model declares. Returns `null` for bytes that are not an ONNX model: ONNX Runtime also has a format of
 * its own.
 */
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
