import type { BatchedModel, ModelStats } from "framebatch";
import type { ActivityLog, PaintTotals } from "./activity-log.js";

const TICK_MS = 500;

/** What a model does right now. */
export interface Recent {
  readonly perSecond: number;
  readonly meanBatchSize: number;
  /** From the frame before a call to the frame that shows its answer; `null` where no answer was shown. */
  readonly framesToPaint: number | null;
  /** Share of the frames due that were not painted, 0 to 1; `null` where no frame was. */
  readonly droppedShare: number | null;
}

export interface Activity {
  /** `null` while the model rests. */
  readonly recent: Recent | null;
  /** Everything since the watching began. */
  readonly stats: ModelStats;
}

interface Sample {
  readonly atMs: number;
  readonly stats: ModelStats;
  readonly paint: PaintTotals;
}

/** Tells what a model is doing, twice a second while batches run; an idle model is left alone. */
export class LiveStatistics {
  readonly #model: BatchedModel;
  readonly #log: ActivityLog;
  readonly #tell: (activity: Activity) => void;
  readonly #watching = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: Sample;

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
    this.#last = sample;
    this.#timer = recent === null ? undefined : setTimeout(() => this.#tick(), TICK_MS);
    this.#tell({ recent, stats: sample.stats });
  }

  #sample(): Sample {
    return { atMs: performance.now(), stats: this.#model.stats(), paint: { ...this.#log.totals } };
  }
}

function between(before: Sample, after: Sample): Recent | null {
  const completed = after.stats.requests.completed - before.stats.requests.completed;
  const [earlier, later] = [before.stats.batchSize, after.stats.batchSize];
  const batches = later.count - earlier.count;
  if (completed === 0 || batches === 0) return null;
  const paint = (key: keyof PaintTotals): number => after.paint[key] - before.paint[key];
  return {
    perSecond: (completed / (after.atMs - before.atMs)) * 1000,
    meanBatchSize: (later.sum - earlier.sum) / batches,
    framesToPaint: paint("shown") === 0 ? null : paint("framesToShow") / paint("shown"),
    droppedShare: paint("painted") === 0 ? null : paint("dropped") / (paint("painted") + paint("dropped")),
  };
}
