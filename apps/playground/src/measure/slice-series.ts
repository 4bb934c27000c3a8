import type { BatchedModel } from "framebatch";
import { seededRandom } from "../seeded-random.js";
import type { ComparisonPlan } from "./comparison-plan.js";
import type { LaneName, RateFigures, SliceFigures } from "./gain.js";
import { summariseWaits, type Quantile } from "./latency-statistics.js";
import { throughputOf } from "./recording.js";
import { settle } from "./settle.js";
import type { Slice, SliceTimes } from "./slice.js";

const SEED = 20;

/** How long the bursts of a slice take, in ms, about. */
const EXPECTED_BURSTS_MS = 250;

export type Models = Readonly<Record<LaneName, BatchedModel>>;

/** Runs the parts of a slice of one lane. */
export interface LaneRuns {
  readonly slice: (lane: LaneName, times: SliceTimes) => Promise<Slice>;
  /** @param burstsMs see `BurstOptions` */
  readonly firstAnswer: (lane: LaneName, burstsMs: number) => Promise<Quantile>;
}

type SlicePlan = Pick<ComparisonPlan, "warmUp" | "slice" | "burstsMs">;

/** Until when pairs may begin. */
export interface PairLimit {
  /** Number of pairs in total. */
  readonly pairs: number;
  /** No pair begins that would end later, unless there are fewer than `least`; a time of `performance.now()`. */
  readonly endMs: number;
  readonly least: number;
}

/** A finished slice of a lane, without its bursts. */
export interface LaneSlice {
  readonly slice: Slice;
  readonly figures: RateFigures;
  /** With its warm-up. */
  readonly totalMs: number;
}

/**
 * Runs slices in pairs, each pair both lanes, and then the bursts of each slice. The order is random with a fixed seed,
 * so that a slow period of the device affects both lanes. The bursts come together, because requests without a pause
 * change how a model batches those that follow.
 */
export class SliceSeries {
  readonly runs: LaneSlice[] = [];
  readonly figures: SliceFigures[] = [];
  readonly #models: Models;
  readonly #run: LaneRuns;
  readonly #plan: SlicePlan;
  readonly #onSlice: (next: LaneName, wanted: number) => void;
  readonly #random = seededRandom(SEED);

  /** @param onSlice called before each slice with its lane and the wanted number of slices */
  constructor(
    models: Models,
    run: LaneRuns,
    plan: SlicePlan,
    onSlice: (next: LaneName, wanted: number) => void = () => {},
  ) {
    this.#models = models;
    this.#run = run;
    this.#plan = plan;
    this.#onSlice = onSlice;
  }

  async extendTo({ pairs, endMs, least }: PairLimit): Promise<void> {
    while (this.runs.length < 2 * pairs && (this.runs.length < 2 * least || this.nextEndMs < endMs)) {
      const order: LaneName[] = this.#random() < 0.5 ? ["batched", "single"] : ["single", "batched"];
      for (const lane of order) {
        this.#onSlice(lane, 2 * pairs);
        this.runs.push(await this.#measure(lane));
      }
    }
    for (const run of this.runs.slice(this.figures.length)) {
      const { figures } = run;
      this.figures.push({ ...figures, first: await this.#firstAnswer(run) });
    }
  }

  /** When the next pair would end if it began now, with its bursts. */
  get nextEndMs(): number {
    const lastMs = this.runs.slice(-2).reduce((sum, { totalMs }) => sum + totalMs, 0);
    const bursts = this.#plan.burstsMs === null ? 0 : this.runs.length + 2 - this.figures.length;
    return performance.now() + lastMs + bursts * EXPECTED_BURSTS_MS;
  }

  #firstAnswer({ slice, figures }: LaneSlice): Promise<Quantile> | Quantile {
    const { burstsMs } = this.#plan;
    if (burstsMs !== null) return this.#run.firstAnswer(figures.lane, burstsMs);
    const [firstMs] = slice.answersMs;
    return { ms: firstMs ?? slice.durationMs, isAtLeast: firstMs === undefined };
  }

  async #measure(lane: LaneName): Promise<LaneSlice> {
    const { warmUp, slice: times } = this.#plan;
    const startMs = performance.now();
    if (warmUp !== null) await this.#run.slice(lane, warmUp);
    const slice = await this.#run.slice(lane, times);
    await settle(this.#models[lane]);
    return { slice, figures: figuresOf(lane, slice), totalMs: performance.now() - startMs };
  }
}

function figuresOf(lane: LaneName, slice: Slice): RateFigures {
  const { p50, p99 } = summariseWaits(slice.waits);
  return { lane, throughput: throughputOf(slice), median: p50, p99 };
}
