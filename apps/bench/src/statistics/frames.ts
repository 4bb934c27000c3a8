/** How many of the sorted times are before `timeMs`. */
function countBefore(sorted: ArrayLike<number>, timeMs: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The frames that a page painted, among those that a steady page would have painted: a frame that never came because the
 * main thread was busy counts as one that its callers had to wait for.
 */
export class FrameLine {
  readonly #timesMs: ArrayLike<number>;
  readonly #periodMs: number;
  /** Where each frame would stand among those of a steady page. */
  readonly #places: Float64Array;

  constructor(timesMs: ArrayLike<number>, periodMs: number) {
    this.#timesMs = timesMs;
    this.#periodMs = periodMs;
    this.#places = new Float64Array(timesMs.length);
    for (let index = 1; index < timesMs.length; index++) {
      const gapMs = (timesMs[index] ?? 0) - (timesMs[index - 1] ?? 0);
      this.#places[index] = (this.#places[index - 1] ?? 0) + Math.max(1, Math.round(gapMs / periodMs));
    }
  }

  /** Frames due from a call to the paint that shows its answer: 1 where the very next one does. `NaN` where that paint was not seen. */
  framesToPaint(calledMs: number, answeredMs: number): number {
    const paint = countBefore(this.#timesMs, answeredMs);
    if (paint === this.#timesMs.length) return Number.NaN;
    return (this.#places[paint] ?? 0) - this.#placeOfNext(calledMs) + 1;
  }

  /** Frames between the first and the last that were due and never came. */
  dropped(): number {
    const frames = this.#places.length;
    return frames === 0 ? 0 : (this.#places[frames - 1] ?? 0) - (frames - 1);
  }

  /** The place of the first frame that was due at or after a time which is no later than the last frame. */
  #placeOfNext(timeMs: number): number {
    const next = countBefore(this.#timesMs, timeMs);
    const place = this.#places[next] ?? 0;
    const missed = Math.floor(((this.#timesMs[next] ?? 0) - timeMs) / this.#periodMs);
    return next === 0 ? place - missed : Math.max(place - missed, (this.#places[next - 1] ?? 0) + 1);
  }
}
