import { type ExecutionProvider, traitsOf } from "../../core/providers.js";
import type { InferenceSession } from "onnxruntime-web/wasm";
import { FramebatchError } from "../../core/errors.js";
import type { ModelSignature } from "../../core/model/signature.js";
import type { PaddingPlan } from "../../core/padding/plan.js";
import type { LoadRequest, TimedRun } from "../../core/protocol/protocol.js";
import { endsWorker, FewerRows, runError } from "../ort/runtime-error.js";
import type { Runtime } from "../ort/runtime.js";
import type { Samples } from "../samples/samples.js";
import { toFeeds } from "../ort/tensor-bridge.js";
import { TimedRuns } from "./timed-runs.js";
import { zeroFeeds, type TrialFeeds } from "../samples/zero-feeds.js";

/** A session that has not run yet. */
export interface WarmUpTarget {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  /** `null` where there are none: sizes are guessed. */
  readonly samples: Samples | null;
  readonly provider: ExecutionProvider;
  /** As in `SessionMaker`. */
  readonly settled: () => Promise<void>;
  readonly onChecking: (rows: number) => void;
}

export interface WarmUpResult {
  readonly timings: readonly TimedRun[];
  /** What one run takes at the most, in milliseconds; `null` where none was made. */
  readonly runMs: number | null;
  /** What speaks against a provider that was chosen nevertheless. */
  readonly doubt: string | null;
  /** Whether the model ran with none of the sizes that were guessed, which says nothing of the sizes that it is made for. */
  readonly isProvisional: boolean;
  /** The size of dynamic dimensions with which the model ran; those that are worth trying where it has not been run. */
  readonly guesses: readonly number[];
  /** Rows that batches may have, where there was no memory for more; `null` where there was for all that were tried. */
  readonly mostRows: number | null;
}

/**
 * WebGPU compiles pipelines at the first row and a few more at the second, and none for larger batches. Eight rows tell what
 * a row costs apart from what a run costs.
 */
const BATCH_SIZES = [1, 2, 8];

/** Sizes tried for the items' own dynamic dimensions, whose right sizes nothing tells: tokens, pixels, a single one. */
const USUAL_SIZES = [16, 64, 1];
/** And then ever longer windows, as models of sound need: a shape that does not fit is refused fast. */
const GUESSED_SIZES = [...USUAL_SIZES, 256, 1024, 4096, 16_384];
/** Items of more elements are not guessed: they may take memory that no item needs. */
const MOST_GUESSED_ELEMENTS = 2 ** 22;
/** No further size is tried after so long, in milliseconds: runs that take time before they fail are not refused shapes. */
const GUESSING_MS = 1000;

/** What fails here is not the user's concern: ONNX Runtime need not write it to the console. */
const QUIET = { logSeverityLevel: 4 } as const;

/**
 * Runs the model on its first sample, or on zeros, since some faults of a provider show only then, and times runs of several sizes.
 * With `warmup` off, runs no more than the trial of the provider needs: WebGPU refuses some models only at their first run.
 *
 * A failure on guessed sizes proves nothing against a provider: it is accepted for the time being, and the first item decides.
 * @throws UNSUPPORTED; OUT_OF_MEMORY, as `FewerRows` where fewer rows are worth trying in another worker.
 */
export async function warmUp(
  target: WarmUpTarget,
  request: Pick<LoadRequest, "warmup" | "maxBatchSize">,
): Promise<WarmUpResult> {
  const isGuessing = target.samples === null && target.padding.extents.length > 0;
  const guesses = isGuessing ? USUAL_SIZES : [1];
  const notRun = { timings: [], runMs: null, isProvisional: false, guesses, mostRows: null };
  if (!request.warmup && !traitsOf(target.provider).mayRefuseLate) return { ...notRun, doubt: "not warmed up" };
  const untilMs = performance.now() + GUESSING_MS;
  let failure: ReturnType<typeof runError> | null = null;
  for (const guess of isGuessing ? GUESSED_SIZES : [1]) {
    const feeds = target.samples?.shapes[0] ?? zeroFeeds(target.signature, target.padding, guess);
    if (failure !== null && feeds.elements > MOST_GUESSED_ELEMENTS) break;
    try {
      return { ...notRun, ...(await runSizes(target, request, feeds)), doubt: null, guesses: [guess] };
    } catch (thrown) {
      failure = runError(thrown);
      if (failure.fatal || failure.error.code === "OUT_OF_MEMORY" || performance.now() > untilMs) break;
    }
  }
  const { error, fatal } = failure!;
  const isMemory = error.code === "OUT_OF_MEMORY" && traitsOf(target.provider).keepsRefusedMemory;
  if (isGuessing && !fatal && !isMemory) {
    return { ...notRun, isProvisional: true, doubt: `not run yet: on guessed sizes, ${error.message}` };
  }
  if (error.code === "OUT_OF_MEMORY") throw error;
  throw new FramebatchError("UNSUPPORTED", error.message, { cause: error });
}

async function runSizes(
  { runtime, session, signature, provider, settled, onChecking }: WarmUpTarget,
  { warmup, maxBatchSize }: Pick<LoadRequest, "warmup" | "maxBatchSize">,
  feeds: TrialFeeds,
): Promise<Pick<WarmUpResult, "timings" | "runMs" | "mostRows">> {
  const [first = 1, ...others] =
    signature.fixedBatch === null ? BATCH_SIZES.filter((size) => size <= maxBatchSize) : [signature.fixedBatch];
  let rows = first;
  const run = async (size: number) => {
    rows = size;
    // A batch that takes the worker down where a single item does not is as good as a check that fails.
    if (size > first) onChecking(size);
    try {
      await session.run(toFeeds(runtime, feeds.of(size)), QUIET);
      await settled();
      onChecking(0);
    } catch (thrown) {
      if (!endsWorker(thrown) || runError(thrown).error.code === "OUT_OF_MEMORY") onChecking(0);
      throw thrown;
    }
  };
  const runs = new TimedRuns(run, feeds.extents, traitsOf(provider).compilesShapes);
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
function rowsAfter(thrown: unknown, rows: number, least: number, provider: ExecutionProvider): number | null {
  const { error, fatal } = runError(thrown);
  const isMemory = error.code === "OUT_OF_MEMORY";
  if (!isMemory && !endsWorker(thrown)) return null;
  if (!isMemory || rows === least) throw thrown;
  const mostRows = rows >> 1;
  // ONNX Runtime keeps the buffers of a GPU for later runs, and those that it was refused as well.
  if (!fatal && !traitsOf(provider).keepsRefusedMemory) return mostRows;
  throw new FewerRows(mostRows, error);
}
