/** Returns how many of the sorted times are before `timeMs`. */
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
 * The painted frames of a page on the grid of a steady page. A frame that was dropped because the main thread was busy
 * counts as a frame of waiting time.
 */
export class FrameLine {
  readonly #timesMs: ArrayLike<number>;
  readonly #periodMs: number;
  /** The index of each frame on the grid. */
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

  /**
   * Returns the number of due frames from a call to the frame that shows its answer; 1 is the next frame. `NaN` if that
   * frame was not recorded.
   */
  framesToPaint(calledMs: number, answeredMs: number): number {
    const paint = countBefore(this.#timesMs, answeredMs);
    if (paint === this.#timesMs.length) return Number.NaN;
    return (this.#places[paint] ?? 0) - this.#placeOfNext(calledMs) + 1;
  }

  /** Returns the number of dropped frames from `startMs`, or from the first recorded frame if it was earlier, to the last. */
  dropped(startMs: number): number {
    const frames = this.#places.length;
    if (frames === 0) return 0;
    const beforeFirst = Math.round(((this.#timesMs[0] ?? 0) - startMs) / this.#periodMs) - 1;
    return Math.max(0, beforeFirst) + (this.#places[frames - 1] ?? 0) - (frames - 1);
  }

  /**
   * Returns the grid index of the first frame due at or after `timeMs`, which must not be later than the last frame.
   */
  #placeOfNext(timeMs: number): number {
    const next = countBefore(this.#timesMs, timeMs);
    const place = this.#places[next] ?? 0;
    const missed = Math.floor(((this.#timesMs[next] ?? 0) - timeMs) / this.#periodMs);
    return next === 0 ? place - missed : Math.max(place - missed, (this.#places[next - 1] ?? 0) + 1);
  }
}
