import { largestWithin } from "./forecast.js";

/** Of the rows that there was no memory for, so many are tried the next time. */
const KEPT_SHARE = 0.5;

/** Remembers which batches there was no memory for, so that none as large is made again. */
export class MemoryLimit {
  readonly #padded: (size: number) => number;
  /** Rows times volume that a batch may have. */
  #mostVolume = Infinity;

  /** @param padded rows that are computed for so many requests */
  constructor(padded: (size: number) => number) {
    this.#padded = padded;
  }

  /** There was no memory for so many rows, padding included, of this volume. */
  exceeded(rows: number, volume: number): void {
    this.#mostVolume = Math.min(this.#mostVolume, KEPT_SHARE * rows * volume);
  }

  /** The largest batch of this volume up to `limit` that there may be memory for. At least 1: a single request is always tried. */
  mostRequests(limit: number, volume: number): number {
    if (this.#mostVolume === Infinity) return limit;
    const fits = (size: number): boolean => this.#padded(size) * volume <= this.#mostVolume;
    return Math.max(1, largestWithin(limit, fits));
  }
}
