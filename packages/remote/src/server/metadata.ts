import type { ModelSignature, TensorMetadata } from "@framebatch/rows/model/signature.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { typeOf } from "./datatypes.js";
import { quoted, type RemoteErrors } from "./remote-errors.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims } from "@framebatch/batcher/errors/description.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";

/** Maximum number of dimensions of a tensor: a nested list of a hostile server could be arbitrarily deep. */
export const MAX_RANK = 32;

/** The inputs and outputs of a model, as its server describes them. */
export interface RemoteMetadata {
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
}

/** Reads the metadata of a model. @throws REMOTE_INVALID when it does not describe the inputs and outputs */
export function readMetadata(json: unknown, errors: RemoteErrors): RemoteMetadata {
  if (!isOptionsObject(json)) throw errors.invalid("no metadata of a model", "check the address");
  return {
    inputs: readTensors(json["inputs"], "inputs", errors),
    outputs: readTensors(json["outputs"], "outputs", errors),
  };
}

/** Returns whether the server names the extension for binary tensors. A server that names nothing takes JSON. */
export function namesBinaryTensors(json: unknown): boolean {
  const extensions = isOptionsObject(json) ? json["extensions"] : undefined;
  return Array.isArray(extensions) && extensions.includes("binary_tensor_data");
}

/** Returns whether a value is the shape of a tensor: a list of integers from `least`. */
export function isShape(value: unknown, least: number): value is number[] {
  if (!Array.isArray(value) || value.length > MAX_RANK) return false;
  return value.every((size) => Number.isSafeInteger(size) && size >= least);
}

/** Returns the sizes of an output with another rank, by sizes of 1 at their end; `null` if that is not possible. */
export function withRank<Size>(sizes: readonly Size[], rank: number): readonly (Size | 1)[] | null {
  if (sizes.slice(rank).some((size) => size !== 1)) return null;
  return Array.from({ length: rank }, (_, axis) => (axis < sizes.length ? sizes[axis]! : 1));
}

function readTensors(list: unknown, kind: "inputs" | "outputs", errors: RemoteErrors): TensorMetadata[] {
  if (!Array.isArray(list) || list.length === 0) {
    throw errors.invalid(`metadata without ${kind}`, `let the server describe the model's ${kind}`);
  }
  const found = list.map((entry: unknown) => readTensor(entry, kind, errors));
  const names = new Set(found.map(({ name }) => name));
  if (names.size === found.length) return found;
  throw errors.invalid(`two ${kind} of one name`, "check the model on the server");
}

function readTensor(entry: unknown, kind: string, errors: RemoteErrors): TensorMetadata {
  const { name, datatype, shape } = isOptionsObject(entry) ? entry : {};
  if (typeof name !== "string" || typeof datatype !== "string" || !Array.isArray(shape)) {
    throw errors.invalid(`${kind} without name, datatype or shape`, "check the model on the server");
  }
  // Results are objects by output name, in which such a name would mean something else.
  if (name in Object.prototype) {
    throw errors.invalid(`a tensor with the name ${quoted(name)}`, "export the model with another name");
  }
  if (!isShape(shape, -1)) {
    throw errors.invalid(`a shape of ${quoted(name)} that is not a list of sizes`, "check the model on the server");
  }
  return { name, type: typeOf(datatype), shape };
}

/** A model on the device as its server runs it. */
interface FittedModel {
  /** The signature of the device, with the batch size that the server or the device fixes. */
  readonly signature: ModelSignature;
  /** The outputs of the device, with the dims that the server gives them. */
  readonly outputs: readonly TensorInfo[];
}

type Kind = "input" | "output";

/**
 * Checks that a server has the same model as the device. A server may have further outputs, which it is not asked for.
 * @throws REMOTE_INVALID when a name, type or size differs
 */
export function fitToDevice(signature: ModelSignature, metadata: RemoteMetadata): FittedModel {
  const inputs = signature.inputs.map((info) => fitTensor("input", info, metadata.inputs));
  const outputs = signature.outputs.map((info) => fitTensor("output", info, metadata.outputs));
  const extra = metadata.inputs.find(({ name }) => !signature.inputs.some((input) => input.name === name));
  if (extra !== undefined) throw otherModel("input", extra.name, "no such input", "one");
  return { signature: { ...signature, fixedBatch: fixedBatchOf(signature, inputs) }, outputs };
}

/**
 * Checks that items which were prepared for one signature fit another one. Both must have no dynamic sizes but the
 * batch.
 * @throws REMOTE_INVALID when the order of the inputs, or what the batch axis is, differs
 */
export function checkSameItems(device: ModelSignature, server: ModelSignature): void {
  const [expected, got] = [device, server].map(({ inputs, outputs }) => {
    const sorted = outputs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return [...inputs, ...sorted].map(({ name, batchAxis }) => `${name}: ${batchAxis}`).join(", ");
  });
  if (expected === got) return;
  throw new FramebatchError(
    "REMOTE_INVALID",
    `expected a server with the inputs and the batch axes of the device (${expected}), got ${got}; set batchAxis, or prefer the device`,
  );
}

function fitTensor(kind: Kind, info: TensorInfo, tensors: readonly TensorMetadata[]): TensorInfo {
  const tensor = tensors.find(({ name }) => name === info.name);
  if (tensor === undefined) throw otherModel(kind, info.name, "one of this name", "none");
  if (tensor.type !== info.type) throw otherModel(kind, info.name, info.type, tensor.type ?? "none");
  // The metadata of a scalar and of an unknown rank are both `[]`.
  const found = (tensor.shape ?? []).map((size) => (Number(size) < 0 ? null : Number(size)));
  if (found.length === 0) return info;
  const rank = info.dims.length;
  const dims = kind === "output" ? withRank(found, rank) : found;
  if (dims?.length !== rank || !info.dims.every((size, axis) => isSizeOf(info, axis, size, dims[axis]))) {
    throw otherModel(kind, info.name, describeDims(info.dims, info.symbols), describeDims(found));
  }
  return { ...info, dims };
}

/** The sizes of the batch are compared for the whole model, by `fixedBatchOf`. */
function isSizeOf(
  { batchAxis }: TensorInfo,
  axis: number,
  size: number | null,
  got: number | null | undefined,
): boolean {
  return axis === batchAxis || got === null || got === size;
}

function fixedBatchOf({ fixedBatch }: ModelSignature, inputs: readonly TensorInfo[]): number | null {
  let rows = fixedBatch;
  for (const { name, dims, batchAxis } of inputs) {
    const size = batchAxis === null ? null : (dims[batchAxis] ?? null);
    if (size !== null && rows !== null && rows !== size) throw otherModel("input", name, `${rows} rows`, `${size}`);
    rows ??= size;
  }
  return rows;
}

function otherModel(kind: Kind, name: string, expected: string, got: string): FramebatchError {
  return new FramebatchError(
    "REMOTE_INVALID",
    `expected a server with the same model as the device, with ${expected} for the ${kind} ${quoted(name)}, got ${got}; serve the same file, or check remote.model and remote.version`,
    { details: { [kind]: name } },
  );
}
