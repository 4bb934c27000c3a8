import { ShapeCost } from "./shape-cost.js";

/**
 * What a run takes beside its inference: messages, copies, waking a thread. A batch that waits behind another one hides it,
 * and would make its size seem cheaper than the same size is alone.
 */
export class Overhead {
  readonly #seen = new ShapeCost(1, 1);
  #runs = 0;

  /** As last seen, in milliseconds. */
  get ms(): number {
    return this.#seen.meanMs;
  }

  /** How long a run would have kept a free engine. @param hasWaited whether it began as another one ended; all in milliseconds */
  wholeMs(runMs: number, inferenceMs: number, hasWaited: boolean): number {
    if (hasWaited) return Math.max(runMs, inferenceMs + this.#seen.meanMs);
    this.#seen.observe(1, Math.max(0, runMs - inferenceMs), ++this.#runs);
    return runMs;
  }
}
