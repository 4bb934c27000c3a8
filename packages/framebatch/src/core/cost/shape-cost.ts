/** What has been learned about one shape, as plain data. */
export interface ShapeCostData {
  readonly size: number;
  readonly volume: number;
  readonly meanVolume: number;
  readonly meanMs: number;
  readonly deviationMs: number;
  readonly weight: number;
}

/** Maximum number of runs in the decayed mean. */
const MEMORY_RUNS = 16;

/**
 * Factor by which a shape's weight decays with each run of any shape, so that a shape that has not run for long is
 * measured anew.
 */
const FORGETTING = 0.998;

/** A mean of less weight restarts. A single run reaches this weight after about 350 further runs. */
const MIN_WEIGHT = 0.5;

/**
 * Runs more than this many deviations away are clipped as outliers, until `LEVEL_SHIFT_RUNS` of them in a row agree.
 */
const CLIP_DEVIATIONS = 4;
const LEVEL_SHIFT_RUNS = 3;

/** Minimum deviation used for clipping, as a share of the mean. */
const MIN_DEVIATION = 0.02;

/**
 * The decayed mean of the run times of one shape. A single outlier (a garbage collection, a throttled tab) is clipped.
 * Several in a row on the same side are a new level, from which the mean restarts.
 */
export class ShapeCost {
  readonly size: number;
  readonly volume: number;
  meanVolume = 0;
  meanMs = 0;
  deviationMs = 0;
  #weight = 0;
  #seenAtRun = 0;
  #outliers = 0;

  constructor(size: number, volume: number) {
    this.size = size;
    this.volume = volume;
  }

  static from(data: ShapeCostData, run: number): ShapeCost {
    const shape = new ShapeCost(data.size, data.volume);
    shape.meanVolume = data.meanVolume;
    shape.meanMs = data.meanMs;
    shape.deviationMs = data.deviationMs;
    shape.#weight = data.weight;
    shape.#seenAtRun = run;
    return shape;
  }

  toData(run: number): ShapeCostData {
    const { size, volume, meanVolume, meanMs, deviationMs } = this;
    return { size, volume, meanVolume, meanMs, deviationMs, weight: this.weightAt(run) };
  }

  weightAt(run: number): number {
    return this.#weight * FORGETTING ** (run - this.#seenAtRun);
  }

  observe(volume: number, ms: number, run: number): void {
    const weight = this.weightAt(run);
    this.#seenAtRun = run;
    if (weight < MIN_WEIGHT || this.#isNewLevel(ms, weight)) return this.#startAt(volume, ms);
    const clipped = this.#clip(ms, weight);
    const step = 1 / Math.min(weight + 1, MEMORY_RUNS);
    this.deviationMs += step * (Math.abs(clipped - this.meanMs) - this.deviationMs);
    this.meanMs += step * (clipped - this.meanMs);
    this.meanVolume += step * (volume - this.meanVolume);
    this.#weight = Math.min(weight + 1, MEMORY_RUNS);
  }

  #startAt(volume: number, ms: number): void {
    this.meanVolume = volume;
    this.meanMs = ms;
    this.deviationMs = 0.1 * ms;
    this.#weight = 1;
    this.#outliers = 0;
  }

  #reachMs(): number {
    return CLIP_DEVIATIONS * Math.max(this.deviationMs, MIN_DEVIATION * this.meanMs);
  }

  #isNewLevel(ms: number, weight: number): boolean {
    const distance = ms - this.meanMs;
    if (weight < LEVEL_SHIFT_RUNS || Math.abs(distance) <= this.#reachMs()) this.#outliers = 0;
    else if (Math.sign(distance) === Math.sign(this.#outliers)) this.#outliers += Math.sign(distance);
    else this.#outliers = Math.sign(distance);
    return Math.abs(this.#outliers) >= LEVEL_SHIFT_RUNS;
  }

  #clip(ms: number, weight: number): number {
    if (weight < LEVEL_SHIFT_RUNS) return ms;
    const reach = this.#reachMs();
    return Math.max(this.meanMs - reach, Math.min(this.meanMs + reach, ms));
  }
}
