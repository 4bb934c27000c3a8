import type { InferenceSession } from "onnxruntime-web/wasm";
import { FramebatchError } from "../core/errors.js";
import type { ModelSignature } from "../core/model-signature.js";
import type { Provider } from "../core/protocol.js";
import { elementOf } from "../core/tensor-element.js";
import type { Tensor, TensorInfo } from "../core/tensor.js";
import { runError } from "./runtime-error.js";
import type { Runtime } from "./runtime.js";
import { toFeeds } from "./tensor-bridge.js";

interface WarmUpTarget {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly provider: Provider;
}

/** WebGPU compiles its pipelines at the first row and a few more at the second; larger batches need no new ones. */
const BATCH_SIZES = [1, 2];

/** Sizes tried for dynamic dimensions other than the batch, whose right sizes no one tells: tokens, then pixels. */
const GUESSED_SIZES = [1, 16, 64];

/**
 * Runs the model on zeros, since some faults of a provider show only then. Resolves to a doubt where there is one.
 *
 * A failure on guessed sizes proves nothing against WASM, which has no other provider to fall back to.
 * @throws UNSUPPORTED.
 */
export async function warmUp(target: WarmUpTarget): Promise<string | null> {
  const { inputs } = target.signature;
  const guesses = inputs.some(hasGuessedSize) ? GUESSED_SIZES : [1];
  let failure: ReturnType<typeof runError> | null = null;
  for (const guess of guesses) {
    try {
      await runSizes(target, guess);
      return null;
    } catch (thrown) {
      failure = runError(thrown);
      if (failure.fatal) break;
    }
  }
  if (failure === null) return null;
  const { error, fatal } = failure;
  if (target.provider === "wasm" && guesses.length > 1 && !fatal)
    return `not warmed up: on guessed sizes, ${error.message}`;
  throw new FramebatchError("UNSUPPORTED", error.message, { cause: error });
}

async function runSizes({ runtime, session, signature }: WarmUpTarget, guess: number): Promise<void> {
  const sizes = signature.fixedBatch === null ? BATCH_SIZES : [signature.fixedBatch];
  for (const size of sizes) await session.run(toFeeds(runtime, zeroFeeds(signature.inputs, size, guess)));
}

function hasGuessedSize({ dims, batchAxis }: TensorInfo): boolean {
  return dims.some((size, axis) => size === null && axis !== batchAxis);
}

function zeroFeeds(inputs: readonly TensorInfo[], rows: number, guess: number): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {};
  for (const { name, type, dims, batchAxis } of inputs) {
    const sizes = dims.map((size, axis) => (axis === batchAxis ? rows : (size ?? guess)));
    const volume = sizes.reduce((product, size) => product * size, 1);
    feeds[name] = { type, dims: sizes, data: elementOf(type).create(volume) };
  }
  return feeds;
}
