import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims } from "@framebatch/batcher/errors/description.js";
import type { TensorInfo } from "../tensor/tensor.js";
import type { ModelSignature } from "./signature.js";

/**
 * Checks that requests for the first file of a model can be answered by another one.
 * @param expected `null` if there was no other file yet
 * @throws UNSUPPORTED when an input or output differs in name, type or size
 */
export function checkSameSignature(expected: ModelSignature | null, got: ModelSignature): void {
  if (expected === null) return;
  const [wanted, found] = [describe(expected), describe(got)];
  const hasBatch = got.fixedBatch === null || got.fixedBatch === 1 || got.fixedBatch === expected.fixedBatch;
  const index = hasBatch ? wanted.findIndex((tensor, at) => tensor !== found[at]) : 0;
  if (hasBatch && index < 0 && wanted.length === found.length) return;
  const batch = hasBatch ? "" : ` in batches of ${got.fixedBatch}`;
  throw new FramebatchError(
    "UNSUPPORTED",
    `expected the inputs and outputs of the other provider's file, with ${wanted[index] ?? "no other"}, got ${found[index] ?? found.at(-1) ?? "none"}${batch}; export both files with the same names, types and sizes`,
  );
}

function describe({ inputs, outputs }: ModelSignature): string[] {
  return [...sorted("input", inputs), ...sorted("output", outputs)];
}

/** Sizes are those of an item. Their names do not matter. */
function sorted(kind: string, tensors: readonly TensorInfo[]): string[] {
  return tensors
    .map(({ name, type, dims, batchAxis, isFolded }) => {
      const sizes = describeDims(isFolded === true ? dims : dims.filter((_, axis) => axis !== batchAxis));
      return `${kind} "${name}" of ${type} ${sizes}`;
    })
    .toSorted();
}
