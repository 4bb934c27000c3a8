import type { TensorMetadata } from "@framebatch/rows/model/signature.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { typeOf } from "./datatypes.js";
import { quoted, type RemoteErrors } from "./remote-errors.js";

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
