import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ModelSignature, TensorMetadata } from "@framebatch/rows/model/signature.js";
import { describeDims } from "@framebatch/batcher/errors/description.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { type RemoteMetadata, withRank } from "./metadata.js";
import { quoted } from "./remote-errors.js";

/** A model on the device as its server runs it. */
export interface FittedModel {
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
