import { ShapeCost } from "../cost/shape-cost.js";

/** A batch on its way: when it was handed over, and how long it should take once it runs. */
export interface Flight {
  readonly dispatchedAtMs: number;
  readonly predictedMs: number;
}

/**
 * The batches that the engine has been given and has not answered. It starts them in the order in which they were handed
 * over, as soon as fewer run than it can run side by side.
 */
export class InFlight {
  readonly #engines: number;
  /** When each started, in the order in which they were handed over; `null` for those that wait for others to end. */
  readonly #startsMs = new Map<Flight, number | null>();

  /** @param engines how many batches run side by side */
  constructor(engines: number) {
    this.#engines = engines;
  }

  get size(): number {
    return this.#startsMs.size;
  }

  left(flight: Flight): void {
    this.#startsMs.set(flight, this.size < this.#engines ? flight.dispatchedAtMs : null);
  }

  /** Takes an answered batch out. Returns how long it ran: without the time in which it waited for others to end. */
  ended(flight: Flight, nowMs: number): number {
    const startMs = this.#startsMs.get(flight) ?? null;
    this.#startsMs.delete(flight);
    if (startMs === null) return nowMs - flight.dispatchedAtMs;
    this.#startNext(nowMs);
    return nowMs - startMs;
  }

  /** When the engine would start another batch: now if it is free, else the predicted end of what it has. */
  freeAtMs(nowMs: number): number {
    if (this.size < this.#engines) return nowMs;
    const ends: number[] = [];
    for (const [{ predictedMs }, startMs] of this.#startsMs) {
      if (startMs !== null) ends.push(Math.max(nowMs, startMs + predictedMs));
      else ends[ends.indexOf(Math.min(...ends))]! += predictedMs;
    }
    return Math.min(...ends);
  }

  #startNext(nowMs: number): void {
    for (const [flight, startMs] of this.#startsMs) {
      if (startMs !== null) continue;
      this.#startsMs.set(flight, nowMs);
      return;
    }
  }
}

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
