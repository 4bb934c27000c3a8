import type { InferenceSession } from "onnxruntime-web/wasm";
import { FramebatchError } from "../core/errors.js";
import type { ModelSignature } from "../core/model-signature.js";
import type { PaddingPlan } from "../core/padding-plan.js";
import type { LoadRequest, Provider, TimedRun } from "../core/protocol.js";
import { endsWorker, runError } from "./runtime-error.js";
import type { Runtime } from "./runtime.js";
import { toFeeds } from "./tensor-bridge.js";
import { TimedRuns } from "./timed-runs.js";
import { zeroFeeds } from "./zero-feeds.js";

/** A session that has not run yet. */
export interface WarmUpTarget {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly provider: Provider;
  /** As in `SessionMaker`. */
  readonly settled: () => Promise<void>;
}

export interface WarmUpResult {
  readonly timings: readonly TimedRun[];
  /** What one run takes at the most, in milliseconds; `null` where none was made. */
  readonly runMs: number | null;
  /** What speaks against a provider that was chosen nevertheless. */
  readonly doubt: string | null;
  /** The size of dynamic dimensions with which the model ran; all that are worth trying where it has not run. */
  readonly guesses: readonly number[];
  /** Rows that batches may have, where there was no memory for more; `null` where there was for all that were tried. */
  readonly mostRows: number | null;
}

/**
 * WebGPU compiles pipelines at the first row and a few more at the second, and none for larger batches. Eight rows tell what
 * a row costs apart from what a run costs.
 */
const BATCH_SIZES = [1, 2, 8];

/** Sizes tried for the items' own dynamic dimensions, whose right sizes no one tells: tokens, then pixels, then just one. */
const GUESSED_SIZES = [16, 64, 1];

/**
 * Runs the model on zeros, since some faults of a provider show only then, and times runs of several sizes. With `warmup`
 * off, runs no more than the trial of the provider needs: WebGPU refuses some models only at their first run.
 *
 * A failure on guessed sizes proves nothing against WASM, which has no other provider to fall back to.
 * @throws UNSUPPORTED; OUT_OF_MEMORY, with `mostRows` where fewer rows are worth trying in another worker.
 */
export async function warmUp(
  target: WarmUpTarget,
  request: Pick<LoadRequest, "warmup" | "maxBatchSize">,
): Promise<WarmUpResult> {
  const guesses = target.padding.extents.length > 0 ? GUESSED_SIZES : [1];
  if (!request.warmup && target.provider === "wasm")
    return { timings: [], runMs: null, doubt: "not warmed up", guesses, mostRows: null };
  let failure: ReturnType<typeof runError> | null = null;
  for (const guess of guesses) {
    try {
      return { ...(await runSizes(target, request, guess)), doubt: null, guesses: [guess] };
    } catch (thrown) {
      failure = runError(thrown);
      if (failure.fatal || isWorthAnother(failure.error)) break;
    }
  }
  const { error, fatal } = failure!;
  if (isWorthAnother(error)) throw error;
  if (target.provider === "wasm" && guesses.length > 1 && !fatal) {
    const doubt = `not warmed up: on guessed sizes, ${error.message}`;
    return { timings: [], runMs: null, doubt, guesses, mostRows: null };
  }
  if (error.code === "OUT_OF_MEMORY") throw error;
  throw new FramebatchError("UNSUPPORTED", error.message, { cause: error });
}

async function runSizes(
  { runtime, session, signature, padding, provider, settled }: WarmUpTarget,
  { warmup, maxBatchSize }: Pick<LoadRequest, "warmup" | "maxBatchSize">,
  guess: number,
): Promise<Pick<WarmUpResult, "timings" | "runMs" | "mostRows">> {
  const zeros = zeroFeeds(signature, padding, guess);
  let rows = 1;
  const run = async (size: number) => {
    rows = size;
    await session.run(toFeeds(runtime, zeros.of(size)));
    await settled();
  };
  const [first = 1, ...others] =
    signature.fixedBatch === null ? BATCH_SIZES.filter((size) => size <= maxBatchSize) : [signature.fixedBatch];
  const runs = new TimedRuns(run, zeros.extents, provider === "webgpu");
  await runs.first(first);
  const mostRows = warmup
    ? await runs.measure(first, others).then(
        () => null,
        (thrown) => rowsAfter(thrown, rows, first, provider),
      )
    : null;
  return { timings: runs.timings, runMs: runs.timings[0]?.ms ?? runs.firstMs, mostRows };
}

/**
 * Rows to go on with after a run of so many more than the least has failed; `null` for no limit: a model that runs one item and no
 * two is one that the check of its batches tells of. @throws what this worker cannot go on after
 */
function rowsAfter(thrown: unknown, rows: number, least: number, provider: Provider): number | null {
  const { error, fatal } = runError(thrown);
  const isMemory = error.code === "OUT_OF_MEMORY";
  if (!isMemory && !endsWorker(thrown)) return null;
  if (!isMemory || rows === least) throw thrown;
  const mostRows = rows >> 1;
  // ONNX Runtime keeps the buffers of a GPU for later runs, and those that it was refused as well.
  if (!fatal && provider === "wasm") return mostRows;
  throw new FramebatchError("OUT_OF_MEMORY", error.message, { details: { mostRows }, cause: error });
}

/** Whether fewer rows may run in another worker. */
function isWorthAnother({ details }: FramebatchError): boolean {
  return details["mostRows"] !== undefined;
}
