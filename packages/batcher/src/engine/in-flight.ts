import { ShapeCost } from "../cost/shape-cost.js";
import { OpenSet } from "../queue/open-set.js";

/** A run is overdue when it takes longer than predicted by more than this share and this time, in milliseconds. */
const OVERDUE_SHARE = 1 / 4;
const OVERDUE_MS = 4;

/** A batch in flight: when it was dispatched, and its predicted run time. Only `InFlight` creates and changes it. */
export interface InFlightBatch {
  readonly dispatchedAtMs: number;
  readonly predictedMs: number;
  /** The part of this time that an urgent request behind it waits for background requests. */
  readonly backgroundMs: number;
  /** When the engine started it; `null` while it waits for another one to end. */
  startedAtMs: number | null;
}

/** What the batches in flight ask of the engine. */
export type EngineLoad = Pick<InFlight, "freeAtMs" | "overdueAtMs" | "backgroundMs" | "backgroundLeftMs">;

/**
 * The batches in flight. The engine starts them in the order of dispatch, as soon as fewer are running than it can run
 * in parallel.
 */
export class InFlight {
  readonly #engines: number;
  #backgroundMs = 0;
  /** In the order of dispatch. */
  readonly #batches = new OpenSet<InFlightBatch>();

  /** @param engines number of batches that run in parallel */
  constructor(engines: number) {
    this.#engines = engines;
  }

  get size(): number {
    return this.#batches.size;
  }

  dispatched(nowMs: number, predictedMs: number, backgroundMs = 0): InFlightBatch {
    const startedAtMs = this.size < this.#engines ? nowMs : null;
    const flight: InFlightBatch = { dispatchedAtMs: nowMs, predictedMs, backgroundMs, startedAtMs };
    this.#batches.add(flight);
    this.#backgroundMs += backgroundMs;
    return flight;
  }

  /**
   * Removes an answered batch. Returns its run time in milliseconds, without the time that it waited for other batches.
   */
  ended(flight: InFlightBatch, nowMs: number): number {
    const { dispatchedAtMs, startedAtMs } = flight;
    if (!this.#batches.delete(flight) || startedAtMs === null) return nowMs - dispatchedAtMs;
    this.#startNext(nowMs);
    return nowMs - startedAtMs;
  }

  /** When the engine would start another batch: now if it is free, otherwise the predicted end of its current work. */
  freeAtMs(nowMs: number): number {
    return this.#freeAtMs(nowMs, ({ predictedMs }) => predictedMs);
  }

  /** The predicted time of all background requests dispatched so far, in milliseconds. */
  get backgroundMs(): number {
    return this.#backgroundMs;
  }

  /** How long an urgent request waits for the background requests in flight, until an engine is free, in milliseconds. */
  backgroundLeftMs(nowMs: number): number {
    return this.#freeAtMs(nowMs, ({ backgroundMs }) => backgroundMs) - nowMs;
  }

  /**
   * When the first of the running batches is overdue; in the past if it is already, and `Infinity` if none runs. Nothing
   * may wait for its answer alone any longer, because it may never come.
   */
  get overdueAtMs(): number {
    let firstMs = Infinity;
    for (const { predictedMs, startedAtMs } of this.#batches) {
      if (startedAtMs === null) continue;
      firstMs = Math.min(firstMs, startedAtMs + (1 + OVERDUE_SHARE) * predictedMs + OVERDUE_MS);
    }
    return firstMs;
  }

  /** When the first engine would be free if each batch in flight counted only for a part of its time. */
  #freeAtMs(nowMs: number, part: (flight: InFlightBatch) => number): number {
    if (this.size < this.#engines) return nowMs;
    const ends: number[] = [];
    for (const flight of this.#batches) {
      const { predictedMs, startedAtMs } = flight;
      const partMs = part(flight);
      if (startedAtMs === null) ends[ends.indexOf(Math.min(...ends))]! += partMs;
      else ends.push(Math.max(nowMs, Math.min(startedAtMs + Math.max(predictedMs, partMs), nowMs + partMs)));
    }
    return Math.min(...ends);
  }

  #startNext(nowMs: number): void {
    for (const flight of this.#batches) {
      if (flight.startedAtMs === null) return void (flight.startedAtMs = nowMs);
    }
  }
}

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
