import { signal } from "@preact/signals";
import type { BatchedModel, ModelStats } from "framebatch";

const TICK_MS = 500;

/** The last moment of a model's work. `null`: nothing ran. */
export interface Activity {
  readonly perSecond: number;
  readonly meanBatchSize: number;
  /** Median wait from call to result since the watching began, in milliseconds. */
  readonly p50Ms: number;
}

interface Sample {
  readonly atMs: number;
  readonly stats: ModelStats;
}

/** Shows what a model is doing, twice a second while batches run; an idle model is left alone. */
export class LiveStatistics {
  readonly activity = signal<Activity | null>(null);
  readonly #model: BatchedModel;
  readonly #watching = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: Sample;

  constructor(model: BatchedModel) {
    this.#model = model;
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
    this.activity.value = between(this.#last, sample);
    this.#last = sample;
    this.#timer = this.activity.value === null ? undefined : setTimeout(() => this.#tick(), TICK_MS);
  }

  #sample(): Sample {
    return { atMs: performance.now(), stats: this.#model.stats() };
  }
}

function between(before: Sample, after: Sample): Activity | null {
  const completed = after.stats.requests.completed - before.stats.requests.completed;
  const [earlier, later] = [before.stats.batchSize, after.stats.batchSize];
  const batches = later.count - earlier.count;
  if (completed === 0 || batches === 0) return null;
  return {
    perSecond: (completed / (after.atMs - before.atMs)) * 1000,
    meanBatchSize: (later.mean * later.count - earlier.mean * earlier.count) / batches,
    p50Ms: after.stats.totalMs.p50,
  };
}
