// The JSON that the benchmark writes. README.md in this package defines each number.
import type { Slice } from "./run/slice.js";
import type { Estimate, Interval } from "./statistics/bootstrap.js";

export type Backend = "wasm" | "webgpu";

/** Whether the page is cross-origin isolated, which few sites are: it may share memory with its worker, and its timer is finer. */
export type Site = "ordinary" | "isolated";

/** The subject of one row. */
export interface Cell {
  readonly model: string;
  readonly backend: Backend;
  readonly site: Site;
  /**
   * For example `closed-K`: K callers, each of which sends its next request as soon as its previous one is answered.
   */
  readonly load: string;
  /** The way to get predictions, for example `frame`, `idle`, `off`, `limit` or `ort-main`. */
  readonly lane: string;
}

/** The cells that are measured together: a model on a backend and a site, under a load. */
export type GroupName = Omit<Cell, "lane">;

/** The slices of a group on one page, by lane. Slices at the same index are from the same round. */
export interface MeasuredGroup {
  readonly name: GroupName;
  readonly slices: readonly (readonly [lane: string, slices: readonly Slice[]])[];
}

/**
 * One measurement: medians over slices; `null` if the lane or the browser cannot measure it. Rates are per second,
 * times in ms.
 */
export interface Row extends Cell {
  /** The browser's name of the GPU; `null` on WASM. */
  readonly adapter: string | null;
  readonly throughputPerSec: number;
  readonly throughputInterval: Interval;
  readonly p50Ms: number | null;
  readonly p50Interval: Interval | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
  readonly meanMs: number | null;
  /** Times of the first and the last answer of an isolated burst. */
  readonly firstAnswerMs: number | null;
  readonly lastAnswerMs: number | null;
  /** True if the callers did not complete two rounds within a slice. The latencies are then lower bounds. */
  readonly latencyIsLowerBound: boolean;
  /** True if the median is too short for the browser's timer. The latencies are then imprecise. */
  readonly latencyIsCoarse: boolean;
  /** Mean number of frames from a call to the frame that can show its result; 1 is the next frame. */
  readonly framesToPaint: number | null;
  /** Dropped frames, and main-thread tasks longer than 50 ms, per second of the slice. */
  readonly droppedFramesPerSec: number;
  readonly longTasksPerSec: number;
  /** Duration of all main-thread tasks per prediction, in microseconds, including the benchmark's own callers. */
  readonly mainThreadUsPerPrediction: number | null;
  readonly busyShare: number | null;
  readonly meanBatchSize: number | null;
  readonly paddingWaste: number | null;
  readonly pages: number;
  readonly slices: number;
  /** Number of calls answered within all slices. */
  readonly samples: number;
}

/** A lane relative to another one on the same model, backend and load: the median of the ratios of each round. */
export interface Ratio extends Cell {
  readonly adapter: string | null;
  /** The lane in the denominator. */
  readonly over: string;
  readonly throughput: Estimate | null;
  readonly p50: Estimate | null;
  readonly p99: Estimate | null;
  /** Of isolated bursts. */
  readonly firstAnswer: Estimate | null;
  /** Numbers of pages and rounds in which both lanes have a throughput. */
  readonly pages: number;
  readonly rounds: number;
}

/** The bound that a ratio must satisfy. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** One promise in one cell, compared with the peer that is best at it there: the median of the ratios of each round. */
export interface Standing extends Cell {
  readonly what: string;
  readonly peer: string;
  /** framebatch relative to the peer. */
  readonly ratio: Estimate;
  readonly goal: Goal;
  /**
   * The result by the whole interval. If the interval is too wide to tell, `cannot feel` if the difference is below what
   * a page can feel all the same.
   */
  readonly outcome: "won" | "lost" | "cannot tell" | "cannot feel";
  /** The result by the median alone. */
  readonly isMet: boolean;
}

/** A cost on the main thread, in microseconds per request. */
export interface MicroRow {
  readonly name: string;
  /** Number of requests in one task. */
  readonly burst: number;
  readonly usPerRequest: Estimate;
  readonly samples: number;
}

/** The time to the first prediction of a page. */
export interface StartRow {
  readonly model: string;
  readonly backend: Backend;
  readonly lane: string;
  /** `first`: nothing is cached. `second`: a repeated visit with the same browser profile. */
  readonly visit: "first" | "second";
  /** Time from opening the model to the answer. The page itself is already loaded. */
  readonly firstPredictionMs: Estimate;
  /** The same time relative to the first visit of plain onnxruntime-web in the same round. */
  readonly overBareFirst: Estimate;
  /** Bytes that the server sent, without headers. */
  readonly networkBytes: number;
  readonly samples: number;
}

/** The memory of a lane with one model. */
export interface MemoryRow {
  readonly model: string;
  readonly backend: Backend;
  readonly site: Site;
  readonly lane: string;
  /** Memory that the page gains when the lane opens and answers one call; `null` if the browser did not report it. */
  readonly addedBytes: number | null;
  /**
   * Whether `addedBytes` includes workers and their WebAssembly memory. Otherwise it is the JavaScript memory of the
   * page alone.
   */
  readonly hasWorkers: boolean;
  /** The lane's WebAssembly memory after all its loads; `null` if the lane cannot measure it. */
  readonly wasmBytes: number | null;
}

/** The run times of a model that framebatch has learned by the end of a run. */
export interface CostCurve {
  readonly model: string;
  readonly backend: Backend;
  readonly site: Site;
  readonly lane: string;
  /** The target batch size. */
  readonly targetSize: number;
  /** Predicted run time by batch size; `weight` is 0 if no run of that size was measured. */
  readonly points: readonly { readonly size: number; readonly ms: number; readonly weight: number }[];
}

/** A requested cell without a row. */
export interface Gap extends Cell {
  readonly reason: string;
}

/** The properties of the page that ran the measurements. */
export interface PageFacts {
  readonly crossOriginIsolated: boolean;
  readonly timerResolutionMs: number;
  readonly framePeriodMs: number;
  /** Main-thread cost of the benchmark's own caller loop per call, in microseconds. Not subtracted from the results. */
  readonly callerUsPerPrediction: number;
}

/** The measurements of one page on one backend. */
export interface PageReport {
  readonly backend: Backend;
  readonly adapter: string | null;
  readonly page: PageFacts;
  readonly groups: readonly MeasuredGroup[];
  readonly curves: readonly CostCurve[];
  readonly memory: readonly MemoryRow[];
  readonly micro: readonly MicroRow[];
  readonly gaps: readonly Gap[];
}
