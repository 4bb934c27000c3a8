import type { CompletedBatch } from "../../core/queue/request.js";
import { after } from "../../time/host-timer.js";

/** The marks of batches come at most this late, in milliseconds. */
const LATEST_MS = 100;

/**
 * Marks spans for the browser's performance panel. A mark takes as long as all else that the page does for a small batch, so those
 * of batches wait until the worker has its next one, or for a moment if there is none: nobody waits for this thread then.
 */
export class Timeline {
  #ended: CompletedBatch[] = [];
  #isTimerSet = false;

  loaded(startMs: number, endMs: number): void {
    mark("framebatch load", startMs, endMs);
  }

  ended(batch: CompletedBatch): void {
    this.#ended.push(batch);
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    after(LATEST_MS, () => {
      this.#isTimerSet = false;
      this.markEnded();
    });
  }

  /** Marks the batches that have ended. */
  markEnded(): void {
    for (const { size, reason, dispatchedAtMs, completedAtMs } of this.#ended) {
      mark(`framebatch batch of ${size} (${reason})`, dispatchedAtMs, completedAtMs);
    }
    this.#ended = [];
  }
}

/** Takes each mark out of the page's own list at once, which never forgets. */
function mark(name: string, start: number, end: number): void {
  performance.measure(name, { start, end });
  performance.clearMeasures(name);
}
