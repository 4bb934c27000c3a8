import { LogHistogram } from "@framebatch/batcher/stats/log-histogram.js";
import type { PipelineStats, RunEnding } from "./pipeline-stats.js";

/** Counts the runs of a pipeline. */
export class RunStatistics {
  readonly #endings: Record<RunEnding, number> = {
    completed: 0,
    failed: 0,
    aborted: 0,
    timedOut: 0,
    superseded: 0,
    disposed: 0,
  };
  readonly #totalMs = new LogHistogram();
  #accepted: number;

  /** @param open number of runs that are open already */
  constructor(open = 0) {
    this.#accepted = open;
  }

  accepted(): void {
    this.#accepted += 1;
  }

  ended(ending: RunEnding, totalMs: number): void {
    this.#endings[ending] += 1;
    if (ending === "completed") this.#totalMs.record(totalMs);
  }

  snapshot(inFlight: number): Pick<PipelineStats, "runs" | "totalMs"> {
    return { runs: { accepted: this.#accepted, ...this.#endings, inFlight }, totalMs: this.#totalMs.snapshot() };
  }
}
