import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { declaredSignature } from "@framebatch/rows/model/batch-axis.js";
import { type TensorMetadata, wantedOutputs } from "@framebatch/rows/model/signature.js";
import type { TensorInfo, TensorType } from "@framebatch/rows/tensor/tensor.js";
import { acceptModel, describeOutput } from "../worker/graph/accepted-model.js";
import { OutputProbe } from "../worker/graph/output-probe.js";
import { declaredTensors, type DeclaredTensors } from "../worker/graph/declared-tensors.js";

/** The array of each tensor type, as `TensorData` describes it. */
const ARRAYS: Readonly<Record<TensorType, string>> = {
  float32: "Float32Array",
  float64: "Float64Array",
  float16: "Float16Data",
  int8: "Int8Array",
  int16: "Int16Array",
  int32: "Int32Array",
  int64: "BigInt64Array",
  uint8: "Uint8Array",
  uint16: "Uint16Array",
  uint32: "Uint32Array",
  uint64: "BigUint64Array",
  bool: "Uint8Array",
  string: "readonly string[]",
};

/** The interface that describes a model, as a file of TypeScript. */
export interface ModelInterface {
  readonly code: string;
  /** Why the batch axis of the tensors is unknown; `null` if it is known. */
  readonly unknownBatch: string | null;
}

/** What is known of a tensor. */
type InfoOf = (name: string, kind: "input" | "output") => TensorInfo | null;

/**
 * Writes the interface for a model.
 * @param model may be changed
 * @param file the name of its file, for the comment
 * @param name the name of the interface
 * @param recurrent the option `recurrent`: neither items nor outputs have its tensors
 * @param outputs the option `outputs`; default: all outputs
 * @throws MODEL_INVALID for bytes that are not an ONNX model, a model that is too new, and a type that has no array in
 * JavaScript; INVALID_OPTION if the model has no such state or output
 */
export function modelInterface(
  model: Uint8Array,
  file: string,
  name: string,
  recurrent: Readonly<Record<string, string>> = {},
  outputs?: readonly string[],
): ModelInterface {
  const declared = declaredIn(model, file, (all) => wantedOutputs(all, outputs, recurrent));
  const states = { inputs: Object.keys(recurrent), outputs: Object.values(recurrent) };
  for (const side of ["inputs", "outputs"] as const) checkStates(states[side], declared[side], side);
  const { infoOf, unknownBatch } = batchOf(declared, model);
  const members = (["inputs", "outputs"] as const).flatMap((side) => [
    `  ${side}: {`,
    ...declared[side]
      .filter((tensor) => !states[side].includes(tensor.name))
      .flatMap((tensor) => memberOf(tensor, side === "inputs" ? "input" : "output", infoOf)),
    "  };",
  ]);
  const hasHalves = members.some((line) => line.endsWith(": Float16Data;"));
  const remark =
    unknownBatch === null ? "" : ` The file does not tell which axis is the batch: set the option \`batchAxis\`.`;
  const lines = [
    ...(hasHalves ? ['import type { Float16Data } from "framebatch";', ""] : []),
    `/** The inputs and outputs of ${commentOf(file)}, as \`npx framebatch types\` has read them.${remark} */`,
    `export interface ${name} {`,
    ...members,
    "}",
  ];
  return { code: `${lines.join("\n")}\n`, unknownBatch };
}

function declaredIn(
  model: Uint8Array,
  file: string,
  choose: (outputs: readonly TensorMetadata[]) => readonly TensorMetadata[],
): DeclaredTensors {
  const declared = declaredOrNull(model);
  if (declared === null || declared.outputs.length === 0) {
    throw new FramebatchError(
      "MODEL_INVALID",
      `${file}: expected an ONNX model, got ${model.length} bytes that are none; give the path of an .onnx file`,
    );
  }
  const { outputOperators } = acceptModel(model);
  const outputs = declared.outputs.map((output) => describeOutput(output, outputOperators));
  return { inputs: declared.inputs, outputs: choose(outputs) };
}

/** Bytes may be fields of a protobuf message by chance, but then have no outputs. */
function declaredOrNull(model: Uint8Array): DeclaredTensors | null {
  try {
    return declaredTensors(model);
  } catch {
    return null;
  }
}

function checkStates(states: readonly string[], tensors: readonly TensorMetadata[], side: "inputs" | "outputs"): void {
  const names = tensors.map(({ name }) => name);
  const unknown = states.find((state) => !names.includes(state));
  if (unknown === undefined) return;
  throw new FramebatchError(
    "INVALID_OPTION",
    `recurrent: expected one of the ${side} ${names.join(", ")}, got "${unknown}"; write the input of the state = its output`,
  );
}

/** Finds the batch axis of each tensor, as a model does that is loaded. */
function batchOf(
  { inputs, outputs }: DeclaredTensors,
  model: Uint8Array,
): {
  readonly infoOf: InfoOf | null;
  unknownBatch: string | null;
} {
  try {
    const signature = new OutputProbe(declaredSignature(inputs, outputs), model).settled();
    return {
      infoOf: (name, kind) =>
        (kind === "input" ? signature.inputs : signature.outputs).find((tensor) => tensor.name === name) ?? null,
      unknownBatch: null,
    };
  } catch (error) {
    if (!(error instanceof FramebatchError) || error.code !== "INVALID_OPTION") throw error;
    return { infoOf: null, unknownBatch: error.message };
  }
}

function memberOf(tensor: TensorMetadata, kind: "input" | "output", infoOf: InfoOf | null): string[] {
  const { name, type = "" } = tensor;
  const axis = infoOf === null ? "" : describeAxis(tensor, kind, infoOf(name, kind));
  const property = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
  return [
    `    /** ${commentOf(`${type} ${describeShape(sizesOf(tensor))}${axis}`)} */`,
    `    ${property}: ${Reflect.get(ARRAYS, type)};`,
  ];
}

function describeAxis(tensor: TensorMetadata, kind: "input" | "output", info: TensorInfo | null): string {
  const axis = info?.batchAxis ?? null;
  if (axis !== null && info?.isFolded === true) return `; axis ${axis} has several entries for each item`;
  if (axis !== null) {
    const item = sizesOf(tensor).toSpliced(axis, 1);
    return `; axis ${axis} is the batch, so an item has dims ${describeShape(item)}`;
  }
  return kind === "input" ? "; the whole batch shares it" : "; each item gets the whole of it";
}

function sizesOf({ shape = [] }: TensorMetadata): (string | number)[] {
  return shape.map((size) => (typeof size === "number" && size < 0 ? "?" : size));
}

function describeShape(sizes: readonly (string | number)[]): string {
  return `[${sizes.join(", ")}]`;
}

/** Returns a text as a comment can contain it. */
function commentOf(text: string): string {
  return text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ");
}

/**
 * Returns the name of the interface for the model in a file: "text-encoder.onnx" gives `TextEncoder`.
 * @param file a file name, without folders
 */
export function interfaceName(file: string): string {
  const words = file.replace(/\.onnx$/i, "").split(/[^\p{ID_Continue}]+|_+/u);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return isInterfaceName(name) ? name : `Model${name}`;
}

/**
 * Whether an interface can have this name. The words of the language and its types begin with a small letter. Within
 * the file, an interface named after an array would be the type of the members that are arrays.
 */
export function isInterfaceName(name: string): boolean {
  return /^\p{Lu}\p{ID_Continue}*$/u.test(name) && !Object.values(ARRAYS).includes(name);
}
