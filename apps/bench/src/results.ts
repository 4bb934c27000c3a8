// The JSON that the benchmark writes. README.md in this package explains how each number comes about.
import type { Estimate, Interval } from "./statistics/bootstrap.js";

export type Backend = "wasm" | "webgpu";

/** What one row is about. */
export interface Cell {
  readonly model: string;
  readonly backend: Backend;
  /** `closed-K`: K callers, each of which asks again as soon as it has its answer. */
  readonly load: string;
  /** Who answers: `frame`, `idle`, `off`, `limit`, `ort-main`. */
  readonly lane: string;
}

/** One measurement. Medians over slices; `null` where the lane or the browser cannot tell. Rates per second, times in ms. */
export interface Row extends Cell {
  /** The GPU, by the name that the browser gives it; `null` on WASM. */
  readonly adapter: string | null;
  readonly throughputPerSec: number;
  readonly throughputInterval: Interval;
  readonly p50Ms: number | null;
  readonly p50Interval: Interval | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
  readonly meanMs: number | null;
  /** When the first and the last answer of an isolated burst come. */
  readonly firstAnswerMs: number | null;
  readonly lastAnswerMs: number | null;
  /** The callers did not get round twice within a slice: the latencies are at least this long. */
  readonly latencyIsLowerBound: boolean;
  /** The median is too short for the browser's timer: trust no digit of the latencies. */
  readonly latencyIsCoarse: boolean;
  /** Mean number of frames from a call to the paint that can show its result; 1 is the next frame. */
  readonly framesToPaint: number | null;
  /** Frames that did not come, and tasks of over 50 ms on the main thread, in each second of the slice. */
  readonly droppedFramesPerSec: number;
  readonly longTasksPerSec: number;
  /** Time of all main-thread tasks, the benchmark's own callers included, for each prediction, in microseconds. */
  readonly mainThreadUsPerPrediction: number | null;
  readonly busyShare: number | null;
  readonly meanBatchSize: number | null;
  readonly paddingWaste: number | null;
  readonly slices: number;
  /** Calls answered within the slices, all together. */
  readonly samples: number;
}

/** One lane over another on the same model, backend and load: median of the ratios in each round. */
export interface Ratio extends Cell {
  readonly adapter: string | null;
  /** The lane that stands below the line. */
  readonly over: string;
  readonly throughput: Estimate | null;
  readonly p50: Estimate | null;
  readonly rounds: number;
}

/** Which ratios keep a promise. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** One promise in one cell, held against the peer that is best at it there: median of the ratios in each round. */
export interface Standing extends Cell {
  readonly what: string;
  readonly peer: string;
  /** Ours over theirs. */
  readonly ratio: Estimate;
  readonly goal: Goal;
  /** By the whole interval; it may be too wide to tell. */
  readonly outcome: "won" | "lost" | "cannot tell";
  /** By the median alone. */
  readonly isMet: boolean;
}

/** A cost on the main thread, in microseconds a request. */
export interface MicroRow {
  readonly name: string;
  /** Requests made in one task. */
  readonly burst: number;
  readonly usPerRequest: Estimate;
  readonly samples: number;
}

/** How long a page waits for its first prediction. */
export interface StartRow {
  readonly model: string;
  readonly backend: Backend;
  readonly lane: string;
  /** `first`: nothing is cached. `second`: the same browser profile once more. */
  readonly visit: "first" | "second";
  /** From asking for the model to the answer; the page itself was there before. */
  readonly firstPredictionMs: Estimate;
  /** The same over bare onnxruntime-web's first visit in the same round. */
  readonly overBareFirst: Estimate;
  /** What the server sent for it, without headers. */
  readonly networkBytes: number;
  readonly samples: number;
}

/** The memory of a lane with one model. */
export interface MemoryRow {
  readonly model: string;
  readonly backend: Backend;
  readonly lane: string;
  /** What the page has more of it once the lane is open and has answered a call; `null` where the browser did not say. */
  readonly addedBytes: number | null;
  /** Whether workers, and the WebAssembly memory in them, are in that; else it is the page's JavaScript alone. */
  readonly hasWorkers: boolean;
  /** The lane's WebAssembly memory after all its loads, where it can tell. */
  readonly wasmBytes: number | null;
}

/** What framebatch has learned of a model's run times by the end of a run. */
export interface CostCurve {
  readonly model: string;
  readonly backend: Backend;
  readonly lane: string;
  /** The size that it aims for. */
  readonly targetSize: number;
  /** Predicted time of a run by batch size; `weight` is 0 where no run of that size stands behind it. */
  readonly points: readonly { readonly size: number; readonly ms: number; readonly weight: number }[];
}

/** A cell that was asked for and has no row. */
export interface Gap extends Cell {
  readonly reason: string;
}

/** The page that measured. */
export interface PageFacts {
  readonly crossOriginIsolated: boolean;
  readonly timerResolutionMs: number;
  readonly framePeriodMs: number;
  /** What the benchmark's own caller loop costs the main thread for each call, in microseconds; not subtracted. */
  readonly callerUsPerPrediction: number;
}

/** What one page measured on one backend. */
export interface PageReport {
  readonly backend: Backend;
  readonly adapter: string | null;
  readonly page: PageFacts;
  readonly rows: readonly Row[];
  readonly ratios: readonly Ratio[];
  readonly standings: readonly Standing[];
  readonly curves: readonly CostCurve[];
  readonly memory: readonly MemoryRow[];
  readonly micro: readonly MicroRow[];
  readonly gaps: readonly Gap[];
}
