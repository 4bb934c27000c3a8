import type { BenchModel } from "../models.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Backend, CostCurve } from "../results.js";

/** What a lane counts about itself, since the last reset. */
export interface LaneCounts {
  readonly meanBatchSize: number;
  /** `null` where the lane does not count it. */
  readonly busyShare: number | null;
  readonly paddingWaste: number | null;
}

/** Run times by batch size, as a lane has learned them. */
export type LearnedCurve = Pick<CostCurve, "targetSize" | "points">;

/** A way to get predictions, ready to be measured. */
interface OpenLaneBase {
  /** The first output of one item, to check that all lanes compute the same. */
  answer(item: BenchItem): Promise<Numbers>;
  /** WebAssembly memory that it has by now, in bytes; left out where it cannot tell. */
  wasmBytes?(): Promise<number>;
  close(): Promise<void>;
}

/** What a caller may say with a call. A lane that cannot supersede or withdraw does the work all the same. */
export interface AskOptions {
  /** A newer call with the same key makes this one pointless. */
  readonly key?: string;
  /** Aborted once nobody waits for the answer any more; the call rejects then, unless it has its answer. */
  readonly signal?: AbortSignal;
}

/** Answers callers: the load decides when they ask. */
export interface CalledLane extends OpenLaneBase {
  readonly kind: "called";
  /** Settles when the result is in the caller's hands; rejects where it is superseded or withdrawn. */
  predict(item: BenchItem, options?: AskOptions): Promise<unknown>;
  resetCounts(): void;
  counts(): LaneCounts | null;
  /** What it has learned of run times; `null` for a lane that learns nothing. */
  curve(): LearnedCurve | null;
}

/** Runs by itself, with no callers and no messages: what the others are measured against. */
export interface SelfDrivenLane extends OpenLaneBase {
  readonly kind: "self-driven";
  /** Runs batches of at most `maxBatchSize` for `sliceMs`, and ends with the batch during which they are over. */
  drive(maxBatchSize: number, sliceMs: number): Promise<DrivenSlice>;
}

export interface DrivenSlice {
  readonly predictions: number;
  readonly elapsedMs: number;
  readonly batchSize: number;
}

export type OpenLane = CalledLane | SelfDrivenLane;

export interface Lane {
  /** As in the JSON. */
  readonly name: string;
  /** Whether it can run a model on a backend; any, if left out. */
  readonly runs?: (model: BenchModel, backend: Backend) => boolean;
  /** `items` are some of those that it will be asked for. */
  open(model: BenchModel, backend: Backend, items: readonly BenchItem[]): Promise<OpenLane>;
}
