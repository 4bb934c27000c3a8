/**
 * The measured times of rows of one volume. More rows never take less time: of two measured times that say otherwise,
 * the newer one counts.
 */
export class CostCurve {
  /** Ascending, as are the times. */
  readonly #rows: number[] = [];
  readonly #ms: number[] = [];

  /** Adds a measured time, in milliseconds, as far as all that was added before it allows. */
  add(rows: number, ms: number): void {
    const place = this.#placeOf(rows);
    const fittedMs = this.#fitted(place, rows, ms);
    this.#rows.splice(place, 0, rows);
    this.#ms.splice(place, 0, fittedMs);
  }

  /** Returns the time nearest to `ms` with which the curve still rises. */
  fit(rows: number, ms: number): number {
    return this.#fitted(this.#placeOf(rows), rows, ms);
  }

  /** Index of the first entry of at least `rows`. */
  #placeOf(rows: number): number {
    let place = 0;
    while (place < this.#rows.length && this.#rows[place]! < rows) place += 1;
    return place;
  }

  #fitted(place: number, rows: number, ms: number): number {
    const highestMs = this.#ms[place] ?? Infinity;
    if (this.#rows[place] === rows) return highestMs;
    return Math.max(this.#ms[place - 1] ?? 0, Math.min(highestMs, ms));
  }
}
