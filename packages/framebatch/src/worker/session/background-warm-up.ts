import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";
import type { FeedsReply } from "./feeds-reply.js";
import type { LoadRequest, WorkerNotice } from "../../transport/protocol.js";
import type { Backend } from "./trial.js";
import type { Tensors } from "../../verification/worker/check-runs.js";
import { trialFeeds, type TrialFeeds } from "../../verification/worker/samples.js";

/** Maximum total time of the runs of a background warm-up, in milliseconds. */
const BACKGROUND_BUDGET_MS = 1500;
/** Maximum predicted time of one run, in milliseconds: a request may arrive during the run. */
const MAX_RUN_MS = 100;
/**
 * How much slower the first run of a model is than later ones, at least, because the engine compiles code during it. A
 * model whose first run leaves no budget for a second is timed here for the first time.
 */
const FIRST_RUN_SLOWDOWN = 5;
/** Maximum number of rows in a run: more rows may need memory that no request needs. */
const MAX_BACKGROUND_ROWS = 32;
/** Maximum number of length buckets to warm up. These are the smallest, which hold most items. */
const MAX_BUCKETS = 3;

type Ready = Pick<Backend, "signature" | "padding" | "samples" | "warmedUp">;
type Asked = Pick<LoadRequest, "warmup" | "maxBatchSize" | "allowedBatchSizes">;

/** Runs feeds while the worker is idle. @throws the error of a failed run */
export type RunWhenIdle = (feeds: Tensors) => Promise<Extract<FeedsReply, { readonly ok: true }>>;

interface Shape {
  readonly size: number;
  readonly volume: number;
  readonly rows: TrialFeeds;
}

/**
 * Runs the shapes that requests are likely to have, while the worker is idle, and those that have been timed while the
 * model loaded, when code and memory had hardly been used. Ends with the first run that fails.
 */
export async function runBackgroundWarmUp(
  { signature, padding, samples, warmedUp }: Ready,
  request: Asked,
  run: RunWhenIdle,
  say: (notice: WorkerNotice) => void,
): Promise<void> {
  const [first] = warmedUp.timings;
  if (!request.warmup || signature.fixedBatch !== null || first === undefined) return;
  let last = { ...first, ms: first.ms / FIRST_RUN_SLOWDOWN };
  let leftMs = BACKGROUND_BUDGET_MS;
  const feeds = samples?.shapes.slice(0, MAX_BUCKETS) ?? unseenFeeds(signature, padding, warmedUp);
  for (const { size, volume, rows } of shapesOf(feeds, sizesIn(request, warmedUp.maxRows))) {
    const predictedMs = (last.ms * size * volume) / (last.size * last.volume);
    if (predictedMs > Math.min(leftMs, MAX_RUN_MS)) return;
    // The first run of a shape reserves memory and may compile, so its time does not predict the second.
    const isNew = !warmedUp.timings.some((timed) => timed.size === size && timed.volume === volume);
    if (isNew) leftMs -= (await run(rows.of(size))).inferenceMs;
    const { inferenceMs: ms } = await run(rows.of(size));
    leftMs -= ms;
    last = { size, volume, ms };
    say({ notice: "timed", run: last });
  }
}

/** Returns what the model has run on, for each of the smallest buckets. */
function unseenFeeds(
  signature: ModelSignature,
  padding: PaddingPlan,
  { guesses: [guess = 1], element }: Ready["warmedUp"],
): TrialFeeds[] {
  const buckets = Math.min(MAX_BUCKETS, Math.max(1, ...padding.extents.map((extent) => extent.buckets?.length ?? 1)));
  return Array.from({ length: buckets }, (_, bucket) => trialFeeds(signature, padding, guess, element, bucket));
}

/** Returns all combinations of feeds and sizes, smallest first. */
function shapesOf(feeds: readonly TrialFeeds[], sizes: readonly number[]): Shape[] {
  const shapes = feeds.flatMap((rows) => sizes.map((size) => ({ size, volume: volumeOf(rows.extents), rows })));
  return shapes.toSorted((a, b) => a.size * a.volume - b.size * b.volume);
}

function sizesIn({ allowedBatchSizes, maxBatchSize }: Asked, maxRows: number | null): readonly number[] {
  const most = Math.min(maxBatchSize, MAX_BACKGROUND_ROWS, maxRows ?? Infinity);
  const powers = Array.from({ length: 1 + Math.floor(Math.log2(most)) }, (_, exponent) => 2 ** exponent);
  return allowedBatchSizes.length > 0 ? allowedBatchSizes.filter((size) => size <= most) : powers;
}
