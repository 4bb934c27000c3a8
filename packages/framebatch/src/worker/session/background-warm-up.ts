import { traitsOf } from "../../core/providers.js";
import { volumeOf } from "../../core/shape.js";
import type { ModelSignature } from "../../core/model/signature.js";
import type { PaddingPlan } from "../../core/padding/plan.js";
import type { LoadRequest, WholeReply, WorkerNotice } from "../../core/protocol/protocol.js";
import type { Backend } from "./trial.js";
import type { Tensors } from "../verify/row-runs.js";
import { zeroFeeds, type TrialFeeds } from "../samples/zero-feeds.js";

/** What the runs of a warm-up that nobody waits for may take together, in milliseconds. */
const BUDGET_MS = 1500;
/** A run that is predicted to take longer is left out, in milliseconds: somebody may come meanwhile. */
const LONGEST_RUN_MS = 100;
/** The warm-up goes no further: more rows may need memory that nobody has asked for. */
const MOST_ROWS = 32;
/** Of the length buckets, so many are warmed up: the smallest are those that most items are in. */
const MOST_BUCKETS = 3;

type Ready = Pick<Backend, "signature" | "padding" | "samples" | "provider" | "warmedUp">;
type Asked = Pick<LoadRequest, "warmup" | "maxBatchSize" | "allowedBatchSizes">;

/** Runs feeds when nobody waits for anything else. @throws what a run ended with */
export type RunInSpareTime = (feeds: Tensors) => Promise<Extract<WholeReply, { readonly ok: true }>>;

interface Shape {
  readonly size: number;
  readonly volume: number;
  readonly rows: TrialFeeds;
}

/** Runs the shapes that are likely to come, as far as nobody has to wait for it. Ends with the first run that fails. */
export async function goOn(
  { signature, padding, samples, provider, warmedUp }: Ready,
  request: Asked,
  run: RunInSpareTime,
  say: (notice: WorkerNotice) => void,
): Promise<void> {
  let last = warmedUp.timings.at(-1);
  let leftMs = BUDGET_MS;
  if (!request.warmup || signature.fixedBatch !== null || last === undefined) return;
  const feeds = samples?.shapes.slice(0, MOST_BUCKETS) ?? zerosFor(signature, padding, warmedUp.guesses[0] ?? 1);
  for (const { size, volume, rows } of shapesOf(feeds, sizesIn(request, warmedUp.mostRows))) {
    if (warmedUp.timings.some((timed) => timed.size === size && timed.volume === volume)) continue;
    const predictedMs = (last.ms * size * volume) / (last.size * last.volume);
    if (predictedMs > Math.min(leftMs, LONGEST_RUN_MS)) return;
    // The first run of a shape may compile for it, which says nothing of the second.
    if (traitsOf(provider).compilesShapes) leftMs -= (await run(rows.of(size))).inferenceMs;
    const { inferenceMs: ms } = await run(rows.of(size));
    leftMs -= ms;
    last = { size, volume, ms };
    say({ notice: "timed", run: last });
  }
}

/** One for each of the smallest buckets. */
function zerosFor(signature: ModelSignature, padding: PaddingPlan, guess: number): TrialFeeds[] {
  const buckets = Math.min(MOST_BUCKETS, Math.max(1, ...padding.extents.map((extent) => extent.buckets?.length ?? 1)));
  return Array.from({ length: buckets }, (_, bucket) => zeroFeeds(signature, padding, guess, bucket));
}

/** The smallest first. */
function shapesOf(feeds: readonly TrialFeeds[], sizes: readonly number[]): Shape[] {
  const shapes = feeds.flatMap((rows) => sizes.map((size) => ({ size, volume: volumeOf(rows.extents), rows })));
  return shapes.toSorted((a, b) => a.size * a.volume - b.size * b.volume);
}

function sizesIn({ allowedBatchSizes, maxBatchSize }: Asked, mostRows: number | null): readonly number[] {
  const most = Math.min(maxBatchSize, MOST_ROWS, mostRows ?? Infinity);
  const powers = Array.from({ length: 1 + Math.floor(Math.log2(most)) }, (_, exponent) => 2 ** exponent);
  return allowedBatchSizes.length > 0 ? allowedBatchSizes.filter((size) => size <= most) : powers;
}
