import { markSpan } from "@framebatch/host/span-mark.js";
import type { CompletedBatch } from "@framebatch/batcher/queue/request.js";
import { after } from "@framebatch/host/host-timer.js";

/** Maximum delay of the marks of a batch, in milliseconds. */
const MAX_MARK_DELAY_MS = 100;

/**
 * Marks spans for the browser's performance panel. A mark costs as much time as all other page work for a small batch.
 * So the marks of batches wait until the worker has its next batch, or for `MAX_MARK_DELAY_MS` if there is none: no request
 * waits for the page's thread then.
 */
export class Timeline {
  #ended: CompletedBatch[] = [];
  #isTimerSet = false;

  /** Marks the loading of the model. Times are in milliseconds on the time line of `performance.now()`. */
  loaded(startMs: number, endMs: number): void {
    markSpan("framebatch load", startMs, endMs);
  }

  /** Notes a batch that has ended, to be marked later. */
  ended(batch: CompletedBatch): void {
    this.#ended.push(batch);
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    after(MAX_MARK_DELAY_MS, () => {
      this.#isTimerSet = false;
      this.markEnded();
    });
  }

  /** Marks the batches that have ended since the last call. */
  markEnded(): void {
    for (const { size, reason, dispatchedAtMs, completedAtMs } of this.#ended) {
      markSpan(`framebatch batch of ${size} (${reason})`, dispatchedAtMs, completedAtMs);
    }
    this.#ended = [];
  }
}
