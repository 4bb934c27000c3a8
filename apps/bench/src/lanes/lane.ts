import type { ExecutionProvider, ProviderTrial } from "framebatch";
import type { BenchModel } from "../models.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Backend, CostCurve } from "../results.js";

/** The statistics of a lane since the last reset. */
export interface LaneCounts {
  readonly meanBatchSize: number;
  /** `null` if the lane does not count it. */
  readonly busyShare: number | null;
  readonly paddingWaste: number | null;
}

/** Run times by batch size that a lane has learned. */
export type LearnedCurve = Pick<CostCurve, "targetSize" | "points">;

/** How a lane runs, and the ways to run that it has tried or measured. */
export interface LaneWays {
  readonly provider: ExecutionProvider;
  readonly trials: readonly ProviderTrial[];
}

/** An open lane, ready to be measured. */
interface OpenLaneBase {
  /** Returns the first output of one item, to check that all lanes compute the same result. */
  answer(item: BenchItem): Promise<Numbers>;
  /** Returns the size of the lane's WebAssembly memory, in bytes. Undefined if the lane cannot measure it. */
  wasmBytes?(): Promise<number>;
  close(): Promise<void>;
}

/** Options of a call. A lane that cannot supersede or withdraw calls still runs them. */
export interface AskOptions {
  /** A newer call with the same key supersedes this one. */
  readonly key?: string;
  /** Aborts when the answer is no longer needed. The call then rejects, unless it has already settled. */
  readonly signal?: AbortSignal;
}

/** A lane that answers calls. The load decides when the calls are made. */
export interface CalledLane extends OpenLaneBase {
  readonly kind: "called";
  /** Resolves when the caller has the result. Rejects if the call is superseded or withdrawn. */
  predict(item: BenchItem, options?: AskOptions): Promise<unknown>;
  resetCounts(): void;
  counts(): LaneCounts | null;
  /** Returns the learned run times; `null` for a lane that does not learn. */
  curve(): LearnedCurve | null;
  /** Undefined if the lane has only one way to run. */
  ways?(): LaneWays;
}

/** A lane that drives itself, without callers and messages. The other lanes are compared with it. */
export interface SelfDrivenLane extends OpenLaneBase {
  readonly kind: "self-driven";
  /**
   * Runs batches of at most `maxBatchSize` for `sliceMs` milliseconds. Ends after the batch that is running at that
   * time.
   */
  drive(maxBatchSize: number, sliceMs: number): Promise<DrivenSlice>;
}

export interface DrivenSlice {
  readonly predictions: number;
  readonly elapsedMs: number;
  readonly batchSize: number;
}

export type OpenLane = CalledLane | SelfDrivenLane;

export interface Lane {
  /** The name in the JSON. */
  readonly name: string;
  /** Returns whether the lane supports a model on a backend. Undefined means all. */
  readonly runs?: (model: BenchModel, backend: Backend) => boolean;
  /** @param items a sample of the items of later calls */
  open(model: BenchModel, backend: Backend, items: readonly BenchItem[]): Promise<OpenLane>;
}
