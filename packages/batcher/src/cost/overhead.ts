import { ShapeCost } from "./shape-cost.js";

/**
 * Learns the time of a run outside inference: messages, copies and thread wake-ups. For a batch that waits behind
 * another one, this time is hidden, which would make its size seem cheaper than it is for a batch that does not wait.
 */
export class Overhead {
  readonly #seen = new ShapeCost(1, 1);
  /** The same time of runs that waited behind another one, without the wait. */
  readonly #notHidden = new ShapeCost(1, 1);
  #runs = 0;

  /** Recent mean, in milliseconds. */
  get ms(): number {
    return this.#seen.meanMs;
  }

  /** The part of it that overlaps with another run, in milliseconds. */
  get hiddenMs(): number {
    return Math.max(0, this.#seen.meanMs - this.#notHidden.meanMs);
  }

  /**
   * Returns how long the run would take on a free engine. All times are in milliseconds.
   * @param hasWaited whether the run began when another one ended
   */
  wholeMs(runMs: number, inferenceMs: number, hasWaited: boolean): number {
    this.#runs += 1;
    // During the first run, the page's code is compiled, and the worker may not be idle yet.
    if (this.#runs === 1) return inferenceMs;
    const outsideMs = Math.max(0, runMs - inferenceMs);
    (hasWaited ? this.#notHidden : this.#seen).observe(1, outsideMs, this.#runs);
    return hasWaited ? Math.max(runMs, inferenceMs + this.#seen.meanMs) : runMs;
  }
}
