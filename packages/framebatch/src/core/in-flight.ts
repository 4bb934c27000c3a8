/** A batch on its way: when it was handed over, and how long it should take once it runs. */
export interface Flight {
  readonly dispatchedAtMs: number;
  readonly predictedMs: number;
}

/** The batches that the engine has been given and has not answered, in the order in which they were handed over. */
export class InFlight {
  readonly #engines: number;
  readonly #flights = new Set<Flight>();
  #lastEndMs = -Infinity;

  /** @param engines how many batches run side by side */
  constructor(engines: number) {
    this.#engines = engines;
  }

  get size(): number {
    return this.#flights.size;
  }

  left(flight: Flight): void {
    this.#flights.add(flight);
  }

  /** Takes an answered batch out. Returns how long it ran: without the time in which the engine still ran the one before. */
  ended(flight: Flight, nowMs: number): number {
    this.#flights.delete(flight);
    const startMs = this.#engines === 1 ? Math.max(flight.dispatchedAtMs, this.#lastEndMs) : flight.dispatchedAtMs;
    this.#lastEndMs = nowMs;
    return nowMs - startMs;
  }

  /** When the engine would start another batch: now if it is free, else the predicted end of what it has. */
  freeAtMs(nowMs: number): number {
    if (this.#flights.size < this.#engines) return nowMs;
    const ends = Array.from({ length: this.#engines }, () => this.#lastEndMs);
    for (const flight of this.#flights) {
      const first = ends.indexOf(Math.min(...ends));
      ends[first] = Math.max(nowMs, Math.max(flight.dispatchedAtMs, ends[first]!) + flight.predictedMs);
    }
    return Math.min(...ends);
  }
}
