import { OpenSet } from "../queue/open-set.js";

/** A run is overdue when it takes longer than predicted by more than this share and this time, in milliseconds. */
const OVERDUE_SHARE = 1 / 4;
const OVERDUE_MS = 4;

/** A batch in flight: when it was dispatched, and its predicted run time. */
export interface InFlightBatch {
  readonly dispatchedAtMs: number;
  readonly expectedMs: number;
  /** The part of this time that an urgent request behind it waits for background requests. */
  readonly backgroundMs: number;
  /** When the engine started it; `null` while it waits for another one to end. Only `InFlight` changes it. */
  startedAtMs: number | null;
}

/**
 * The batches in flight. The engine starts them in the order of dispatch, as soon as fewer are running than it can run
 * in parallel.
 */
export class InFlight<Flight extends InFlightBatch = InFlightBatch> {
  /** In the order of dispatch. */
  readonly batches = new OpenSet<Flight>();
  /** The predicted time of all background requests dispatched so far, in milliseconds. */
  backgroundMs = 0;
  readonly #engines: number;

  /** @param engines number of batches that run in parallel */
  constructor(engines: number) {
    this.#engines = engines;
  }

  dispatched(flight: Flight): void {
    if (this.batches.size < this.#engines) flight.startedAtMs = flight.dispatchedAtMs;
    this.batches.add(flight);
    this.backgroundMs += flight.backgroundMs;
  }

  /**
   * Removes an answered batch. Returns its run time in milliseconds, without the time that it waited for other batches.
   */
  ended(flight: Flight, nowMs: number): number {
    const { dispatchedAtMs, startedAtMs } = flight;
    if (!this.batches.delete(flight) || startedAtMs === null) return nowMs - dispatchedAtMs;
    if (this.batches.size > 0) this.#startNext(nowMs);
    return nowMs - startedAtMs;
  }

  /** When the engine would start another batch: now if it is free, otherwise the predicted end of its current work. */
  freeAtMs(nowMs: number): number {
    return this.#freeAtMs(nowMs, ({ expectedMs }) => expectedMs);
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
    for (const { expectedMs, startedAtMs } of this.batches) {
      if (startedAtMs === null) continue;
      firstMs = Math.min(firstMs, startedAtMs + (1 + OVERDUE_SHARE) * expectedMs + OVERDUE_MS);
    }
    return firstMs;
  }

  /** When the first engine would be free if each batch in flight counted only for a part of its time. */
  #freeAtMs(nowMs: number, part: (flight: Flight) => number): number {
    if (this.batches.size < this.#engines) return nowMs;
    const ends: number[] = [];
    for (const flight of this.batches) {
      const { expectedMs, startedAtMs } = flight;
      const partMs = part(flight);
      if (startedAtMs === null) ends[ends.indexOf(Math.min(...ends))]! += partMs;
      else ends.push(Math.max(nowMs, Math.min(startedAtMs + Math.max(expectedMs, partMs), nowMs + partMs)));
    }
    return Math.min(...ends);
  }

  #startNext(nowMs: number): void {
    for (const flight of this.batches) {
      if (flight.startedAtMs === null) return void (flight.startedAtMs = nowMs);
    }
  }
}
