import { type BatcherOptions, MAX_ROWS } from "@framebatch/batcher/options/options.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";

/**
 * Maximum size of a batch's inputs if the user sets no batch size, in bytes. It is limited because WASM memory grows
 * and never shrinks.
 */
const MAX_BATCH_BYTES = 32 * 2 ** 20;

/**
 * Maximum size of the inputs of a batch whose size a server fixes, in bytes: the page copies and sends all of it even
 * for a single item.
 */
const MAX_FIXED_BATCH_BYTES = 256 * 2 ** 20;

/** Assumed size of a string, in bytes: an array of strings has no byte length. */
const STRING_BYTES = 8;

/**
 * Returns the limits on batch sizes that depend on the model. A model with a fixed batch of N rows always runs N rows.
 * Otherwise, unless the user has set a size, a batch holds at most as many rows as fit into its memory limit.
 * @param states inputs that the worker adds
 */
export function sizeLimits(
  signature: ModelSignature,
  options: BatcherOptions,
  maxBatchSize: number,
  states: readonly TensorInfo[] = [],
) {
  const { fixedBatch } = signature;
  if (fixedBatch !== null) {
    return { maxBatchSize: fixedBatch, allowedBatchSizes: [fixedBatch], fixedBatchSize: fixedBatch };
  }
  const isChosen = options.maxBatchSize !== undefined || options.allowedBatchSizes !== undefined;
  return isChosen
    ? {}
    : {
        maxBatchSize: Math.min(
          maxBatchSize,
          maxRowsInMemory({ ...signature, inputs: [...signature.inputs, ...states] }),
        ),
      };
}

/**
 * Checks the batch that a server fixes in its metadata, which need not be true.
 * @throws REMOTE_INVALID when the page cannot make such a batch
 */
export function checkServedBatch({ inputs, fixedBatch }: ModelSignature): void {
  if (fixedBatch === null) return;
  if (fixedBatch >= 1 && fixedBatch <= MAX_ROWS && fixedBatch * rowBytes(inputs) <= MAX_FIXED_BATCH_BYTES) return;
  throw new FramebatchError(
    "REMOTE_INVALID",
    `expected a server whose batch has 1 to ${MAX_ROWS} rows and at most ${MAX_FIXED_BATCH_BYTES} bytes of inputs, got one that is fixed at ${fixedBatch} rows; serve the model with a dynamic batch dimension`,
    { details: { rows: fixedBatch } },
  );
}

/** Returns how many rows fit into the memory that a batch may take, at least 1. Dynamic dimensions count as 1. */
export function maxRowsInMemory({ inputs }: ModelSignature): number {
  return Math.max(1, Math.floor(MAX_BATCH_BYTES / Math.max(1, rowBytes(inputs))));
}

function rowBytes(inputs: readonly TensorInfo[]): number {
  const batched = inputs.filter(({ batchAxis }) => batchAxis !== null);
  return batched.reduce((sum, input) => sum + bytesPerRow(input), 0);
}

function bytesPerRow({ type, dims, batchAxis }: TensorInfo): number {
  const one = elementOf(type).create(1);
  const elementBytes = "byteLength" in one ? one.byteLength : STRING_BYTES;
  return elementBytes * volumeOf(dims.map((size, axis) => (axis === batchAxis ? 1 : (size ?? 1))));
}
