import { type ExecutionProvider, traitsOf } from "../../transport/providers.js";
import type { InferenceSession } from "onnxruntime-web/wasm";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { type ModelSignature, outputNames } from "@framebatch/rows/model/signature.js";
import type { PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";
import type { LoadRequest, TimedRun } from "../../transport/protocol.js";
import { endsWorker, RetryWithFewerRows, runError } from "../ort/runtime-error.js";
import type { OutputProbe } from "../graph/output-probe.js";
import type { Runtime } from "../ort/runtime-handover.js";
import { type Samples, trialFeeds, type TrialElement, type TrialFeeds } from "../../verification/worker/samples.js";
import { toFeeds } from "../ort/tensor-bridge.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";

/** A session that has not run yet. */
export interface WarmUpTarget {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  /** `null` if the user gave none; sizes are then guessed. */
  readonly samples: Samples | null;
  readonly provider: ExecutionProvider;
  /** See `SessionMaker`. */
  readonly settled: () => Promise<void>;
  readonly onChecking: (rows: number) => void;
  /** Hears the outputs of runs, and may want some that the warm-up does not need. */
  readonly outputs: Pick<OutputProbe, "saw" | "wanted">;
}

export interface WarmUpResult {
  readonly timings: readonly TimedRun[];
  /** Upper bound of the time of one run, in milliseconds; `null` if none was made. */
  readonly runMs: number | null;
  /** Why the chosen provider may still fail; `null` if it has run. */
  readonly doubt: string | null;
  /** True if the model ran with none of the guessed sizes. It may still run with the sizes that it is made for. */
  readonly isProvisional: boolean;
  /** Size of dynamic dimensions with which the model ran; if it has not run, the sizes to try. */
  readonly guesses: readonly number[];
  /** The elements with which it ran, if there are no samples. */
  readonly element: TrialElement;
  /** Maximum number of rows in a batch, if there was no memory for more; `null` if all sizes that were tried ran. */
  readonly maxRows: number | null;
}

/**
 * Batch sizes to run. WebGPU compiles pipelines for one row, a few more for two rows, and none for larger batches.
 * Eight rows separate the cost of a row from the cost of a run.
 */
const BATCH_SIZES = [1, 2, 8];

/**
 * Sizes to try first for the dynamic dimensions of items, whose valid sizes are unknown: tokens, pixels, one element.
 */
const USUAL_SIZES = [16, 64, 1];
/** All sizes to try. Audio models need ever longer windows; ONNX Runtime rejects an invalid shape fast. */
const GUESSED_SIZES = [...USUAL_SIZES, 256, 1024, 4096, 16_384];
/**
 * Maximum number of elements in a guessed item, after the first guess: more may take memory that no real item needs.
 */
const MAX_GUESSED_ELEMENTS = 2 ** 22;
/**
 * Time after which no further size is tried, in milliseconds: a run that fails slowly was not rejected for its shape.
 */
const GUESSING_MS = 1000;

/** What to try where no size is guessed: as a divisor, a step or a size, 0 is refused by models that run. */
const ELEMENTS: readonly { readonly guess: number; readonly element: TrialElement }[] = [
  { guess: 1, element: 0 },
  { guess: 1, element: 1 },
];

/** Keeps ONNX Runtime from writing warm-up failures to the console: they are not the user's concern. */
const RUN_OPTIONS = { logSeverityLevel: 4 } as const;

/**
 * Runs the model on its first sample, or on zeros or ones, because some faults of a provider appear only in a run.
 * Times runs of several batch sizes. If `warmup` is false, makes only the runs that the trial of the provider needs,
 * because WebGPU rejects some models only at their first run, and those that show how outputs are divided.
 *
 * A failure on guessed sizes does not prove that the provider fails. Accepts the provider provisionally; the first item
 * decides.
 *
 * @throws UNSUPPORTED when the model does not run
 * @throws OUT_OF_MEMORY when there is not enough memory, as `RetryWithFewerRows` if another worker should try fewer
 * rows
 */
export async function warmUp(
  target: WarmUpTarget,
  request: Pick<LoadRequest, "warmup" | "maxBatchSize">,
): Promise<WarmUpResult> {
  const isGuessing = target.samples === null && target.padding.extents.length > 0;
  const guesses = isGuessing ? USUAL_SIZES : [1];
  const notRun = { timings: [], runMs: null, isProvisional: false, guesses, element: 0, maxRows: null } as const;
  const isNeeded = () => traitsOf(target.provider).mayRefuseLate || target.outputs.wanted !== null;
  if (!request.warmup && !isNeeded()) return { ...notRun, doubt: "not warmed up" };
  const untilMs = performance.now() + GUESSING_MS;
  let failure: ReturnType<typeof runError> | null = null;
  const tries = isGuessing ? GUESSED_SIZES.map((guess) => ({ guess, element: 0 }) as const) : ELEMENTS;
  for (const { guess, element } of target.samples === null ? tries : ELEMENTS.slice(0, 1)) {
    const feeds = target.samples?.shapes[0] ?? trialFeeds(target.signature, target.padding, guess, element);
    if (failure !== null && feeds.elements > MAX_GUESSED_ELEMENTS) break;
    try {
      return { ...notRun, ...(await runSizes(target, request, feeds)), doubt: null, guesses: [guess], element };
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
  const { ran, fix } = target.samples === null ? UNSEEN : SEEN;
  throw new FramebatchError("UNSUPPORTED", `expected the model to run ${ran}, got: ${error.message}; ${fix}`, {
    cause: error,
  });
}

/** What a model did not run, and the remedy. */
const UNSEEN = { ran: "generated items", fix: "if it runs others, pass them as samples" } as const;
const SEEN = { ran: "the first of samples", fix: "pass items that it runs" } as const;

async function runSizes(
  { runtime, session, signature, provider, settled, onChecking, outputs }: WarmUpTarget,
  { warmup, maxBatchSize }: Pick<LoadRequest, "warmup" | "maxBatchSize">,
  feeds: TrialFeeds,
): Promise<Pick<WarmUpResult, "timings" | "runMs" | "maxRows">> {
  const [first = 1, ...others] =
    signature.fixedBatch === null ? BATCH_SIZES.filter((size) => size <= maxBatchSize) : [signature.fixedBatch];
  let rows = first;
  const run = async (size: number) => {
    rows = size;
    // If a batch ends the worker and a single item does not, that counts as a failed check.
    if (size > first) onChecking(size);
    try {
      const results = await session.run(toFeeds(runtime, feeds.of(size)), outputNames(signature), RUN_OPTIONS);
      await settled();
      onChecking(0);
      outputs.saw(size, results);
    } catch (thrown) {
      if (!endsWorker(thrown) || runError(thrown).error.code === "OUT_OF_MEMORY") onChecking(0);
      throw thrown;
    }
  };
  const runs = new TimedRuns(run, feeds.extents, traitsOf(provider).compilesShapes);
  await runs.first(first);
  const maxRows = warmup
    ? await runs.measure(first, others).then(
        () => null,
        (thrown) => rowsAfter(thrown, rows, first, provider),
      )
    : null;
  await runWanted(run, first, outputs, maxRows);
  return { timings: runs.timings, runMs: runs.timings[0]?.ms ?? runs.firstMs, maxRows };
}

/** Makes the runs that are left to show how outputs are divided. If the model does not make one, they show nothing. */
async function runWanted(
  run: (size: number) => Promise<void>,
  first: number,
  outputs: Pick<OutputProbe, "wanted">,
  maxRows: number | null,
): Promise<void> {
  const { wanted } = outputs;
  if (wanted === null || wanted <= first || wanted > (maxRows ?? Infinity)) return;
  await run(wanted).catch((thrown: unknown) => {
    if (endsWorker(thrown)) throw thrown;
  });
}

/**
 * Returns the maximum number of rows after a failed run of `rows` rows. Returns `null` for no limit: if a model runs
 * one item but not two, the check of its batches detects it.
 *
 * @throws the error when this worker cannot continue after it
 */
function rowsAfter(thrown: unknown, rows: number, least: number, provider: ExecutionProvider): number | null {
  const { error, fatal } = runError(thrown);
  const isMemory = error.code === "OUT_OF_MEMORY";
  if (!isMemory && !endsWorker(thrown)) return null;
  if (!isMemory || rows === least) throw thrown;
  const maxRows = rows >> 1;
  // ONNX Runtime keeps GPU buffers for later runs, even those whose allocation was refused.
  if (!fatal && !traitsOf(provider).keepsRefusedMemory) return maxRows;
  throw new RetryWithFewerRows(maxRows, error);
}

/** Maximum total time of the runs after the first, in milliseconds: the caller waits for the model. */
const WARM_UP_BUDGET_MS = 150;

/** A measurement repeats a run up to this time, in milliseconds: browser clocks tick in tenths of a millisecond. */
const MIN_MEASURED_MS = 1;

/** Maximum number of runs in a measurement. */
const MAX_REPEATS = 16;

/**
 * Times runs of several batch sizes within a budget. The first run of a size prepares it, so its time counts only if
 * there is no other run.
 */
export class TimedRuns {
  readonly #run: (size: number) => Promise<void>;
  readonly #volume: number;
  readonly #compiles: boolean;
  readonly #now: () => number;
  readonly timings: TimedRun[] = [];
  #firstMs = 0;
  #leftMs = WARM_UP_BUDGET_MS;

  /** @param compiles whether the first run of a size may compile, so that its time is not representative */
  constructor(
    run: (size: number) => Promise<void>,
    extents: readonly number[],
    compiles: boolean,
    now: () => number = () => performance.now(),
  ) {
    this.#run = run;
    this.#volume = volumeOf(extents);
    this.#compiles = compiles;
    this.#now = now;
  }

  /** Makes the first run. It proves that the model runs at all, so no budget applies. */
  async first(size: number): Promise<void> {
    const startMs = this.#now();
    await this.#run(size);
    this.#firstMs = this.#now() - startMs;
  }

  /** Time of the first run, with its preparation, in milliseconds. */
  get firstMs(): number {
    return this.#firstMs;
  }

  /**
   * Times the size that has run, then the larger sizes until one is predicted to exceed the budget, then the first size
   * again: its earlier time was that of code and memory that had hardly been used, so batches would seem to pay.
   */
  async measure(size: number, larger: readonly number[]): Promise<void> {
    await this.#again(size, this.#firstMs, this.#compiles ? 0 : this.#firstMs);
    for (const next of larger) {
      const predictedMs = this.#predict(next);
      if (predictedMs > this.#leftMs) break;
      await this.#again(next, await this.#spend(next, 1), predictedMs);
    }
    await this.#correctFirst();
  }

  async #correctFirst(): Promise<void> {
    const [first, ...others] = this.timings;
    if (first === undefined || others.length === 0 || first.ms > this.#leftMs) return;
    this.timings[0] = { ...first, ms: Math.min(first.ms, await this.#spend(first.size, MAX_REPEATS)) };
  }

  /** Times a size whose first run took `preparingMs`. */
  async #again(size: number, preparingMs: number, predictedMs: number): Promise<void> {
    if (predictedMs <= this.#leftMs) this.#note(size, await this.#spend(size, MAX_REPEATS));
    else if (!this.#compiles) this.#note(size, preparingMs);
  }

  #note(size: number, ms: number): void {
    this.timings.push({ size, volume: this.#volume, ms });
  }

  /** Runs a size at most `mostRuns` times. Returns the mean time of a run, in milliseconds. */
  async #spend(size: number, mostRuns: number): Promise<number> {
    const startMs = this.#now();
    let [runs, takenMs] = [0, 0];
    do {
      await this.#run(size);
      runs += 1;
      takenMs = this.#now() - startMs;
    } while (runs < mostRuns && takenMs < MIN_MEASURED_MS);
    this.#leftMs -= takenMs;
    return takenMs / runs;
  }

  /** Extrapolates linearly from the last two timings, in milliseconds. A size that only compiled has no timing. */
  #predict(size: number): number {
    const [before, last] = this.timings.length > 1 ? this.timings.slice(-2) : [undefined, this.timings[0]];
    if (last === undefined) return Infinity;
    if (before === undefined) return (last.ms * size) / last.size;
    return last.ms + (Math.max(0, last.ms - before.ms) / (last.size - before.size)) * (size - last.size);
  }
}
