import type { BatchedModel } from "framebatch";
import { seededRandom } from "../seeded-random.js";
import type { ComparisonPlan } from "./comparison-plan.js";
import type { LaneName, SliceFigures } from "./gain.js";
import { summariseWaits } from "./latency-statistics.js";
import type { Slice, SliceTimes } from "./slice.js";

const SEED = 20;

/** Maximum time to wait for batches that a cut-off slice left running, in ms. */
const SETTLE_MS = 10_000;

export type Models = Readonly<Record<LaneName, BatchedModel>>;
export type RunSlice = (lane: LaneName, times: SliceTimes) => Promise<Slice>;

export interface LaneSlice {
  readonly slice: Slice;
  readonly figures: SliceFigures;
  /** With its warm-up. */
  readonly totalMs: number;
}

/**
 * Runs slices in pairs, each pair both lanes. The order is random with a fixed seed, so that a slow period of the device
 * affects both lanes.
 */
export class SliceSeries {
  readonly runs: LaneSlice[] = [];
  readonly #models: Models;
  readonly #run: RunSlice;
  readonly #plan: Pick<ComparisonPlan, "warmUp" | "slice">;
  readonly #onSlice: (next: LaneName, wanted: number) => void;
  readonly #random = seededRandom(SEED);

  /** @param onSlice called before each slice with its lane and the wanted number of slices */
  constructor(
    models: Models,
    run: RunSlice,
    plan: Pick<ComparisonPlan, "warmUp" | "slice">,
    onSlice: (next: LaneName, wanted: number) => void = () => {},
  ) {
    this.#models = models;
    this.#run = run;
    this.#plan = plan;
    this.#onSlice = onSlice;
  }

  get figures(): SliceFigures[] {
    return this.runs.map(({ figures }) => figures);
  }

  async extendTo(pairs: number): Promise<void> {
    while (this.runs.length < 2 * pairs) {
      const order: LaneName[] = this.#random() < 0.5 ? ["batched", "single"] : ["single", "batched"];
      for (const lane of order) {
        this.#onSlice(lane, 2 * pairs);
        this.runs.push(await this.#measure(lane));
      }
    }
  }

  async #measure(lane: LaneName): Promise<LaneSlice> {
    const { warmUp, slice: times } = this.#plan;
    const startMs = performance.now();
    if (warmUp !== null) await this.#run(lane, warmUp);
    const slice = await this.#run(lane, times);
    await settle(this.#models[lane]);
    return { slice, figures: figuresOf(lane, slice), totalMs: performance.now() - startMs };
  }
}

/** Waits for batches that a cut-off slice left running, since they would slow down the next slice. */
export async function settle(model: BatchedModel): Promise<void> {
  const giveUp = AbortSignal.timeout(SETTLE_MS);
  while (model.stats().batches.inFlight > 0 && !giveUp.aborted) {
    await new Promise<void>((resolve) => {
      model.addEventListener("batch", () => resolve(), { once: true, signal: giveUp });
      giveUp.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

function figuresOf(lane: LaneName, { answered, durationMs, waits, firstAnswer }: Slice): SliceFigures {
  const { p50, p99 } = summariseWaits(waits);
  return { lane, throughput: (answered / durationMs) * 1000, median: p50, p99, first: firstAnswer };
}
