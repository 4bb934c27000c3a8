import type { BatchedModel, ModelStats } from "framebatch";
import type { ActivityLog, PaintTotals } from "./activity-log.js";
import { medianSince } from "./median-since.js";

const TICK_MS = 500;

/** The activity of a model in the last interval with an answer: half a second, or longer for a slow model. */
export interface Recent {
  readonly perSecond: number;
  /** Median latency. */
  readonly p50Ms: number;
  readonly meanBatchSize: number;
  /**
   * Mean number of frames from the one before a call to the one that shows its answer; `null` if no answer was painted.
   */
  readonly framesToPaint: number | null;
  /** Share of due frames that were dropped, 0 to 1; `null` if no frame was painted. */
  readonly droppedShare: number | null;
}

export interface Activity {
  /** The last interval with an answer; `null` before the first one. */
  readonly recent: Recent | null;
  /** All statistics since the recording began. */
  readonly stats: ModelStats;
}

interface Sample {
  readonly atMs: number;
  readonly stats: ModelStats;
  readonly paint: PaintTotals;
}

/** Reports the activity of a model twice per second while it runs batches. It does not poll an idle model. */
export class LiveStatistics {
  readonly #model: BatchedModel;
  readonly #log: ActivityLog;
  readonly #tell: (activity: Activity) => void;
  readonly #watching = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: Sample;
  #recent: Recent | null = null;

  constructor(model: BatchedModel, log: ActivityLog, tell: (activity: Activity) => void) {
    this.#model = model;
    this.#log = log;
    this.#tell = tell;
    model.resetStats();
    this.#last = this.#sample();
    model.addEventListener("batch", () => this.#wake(), this.#watching);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#watching.abort();
  }

  #wake(): void {
    if (this.#timer !== undefined) return;
    this.#last = this.#sample();
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const sample = this.#sample();
    const recent = between(this.#last, sample);
    // Without an answer, the interval continues.
    if (recent !== null) this.#last = sample;
    this.#recent = recent ?? this.#recent;
    this.#timer = recent === null && isIdle(sample) ? undefined : setTimeout(() => this.#tick(), TICK_MS);
    this.#tell({ recent: this.#recent, stats: sample.stats });
  }

  #sample(): Sample {
    return { atMs: performance.now(), stats: this.#model.stats(), paint: { ...this.#log.totals } };
  }
}

function isIdle({ stats: { requests } }: Sample): boolean {
  return requests.queued + requests.inFlight === 0;
}

function between(before: Sample, after: Sample): Recent | null {
  const completed = after.stats.requests.completed - before.stats.requests.completed;
  const [earlier, later] = [before.stats.batchSize, after.stats.batchSize];
  const batches = later.count - earlier.count;
  if (completed === 0 || batches === 0) return null;
  const paint = (key: keyof PaintTotals): number => after.paint[key] - before.paint[key];
  return {
    perSecond: (completed / (after.atMs - before.atMs)) * 1000,
    p50Ms: medianSince(before.stats.totalMs, after.stats.totalMs),
    meanBatchSize: (later.sum - earlier.sum) / batches,
    framesToPaint: paint("shown") === 0 ? null : paint("framesToShow") / paint("shown"),
    droppedShare: paint("painted") === 0 ? null : paint("dropped") / (paint("painted") + paint("dropped")),
  };
}
