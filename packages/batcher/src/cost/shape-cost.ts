/** The time of a run as a linear function of its volume. */
export interface Line {
  readonly fixedMs: number;
  readonly msPerVolume: number;
}

/**
 * With a single measured shape, the share of its time that is assumed to grow with volume: neither all of it nor none.
 */
const ASSUMED_GROWTH = 0.5;

/** Volumes below this cannot show the cost per volume: the slope would divide by nearly 0. */
const MIN_VOLUME = 1e-9;

/**
 * Fits a line by weighted least squares on relative errors. Neither part is below 0. The errors are relative because a
 * run of 64 rows is measured no more accurately than a run of one row, and would otherwise dominate. Both parts are
 * finite for volumes up to 2^65.
 */
export class LineFit {
  #n = 0;
  #v = 0;
  #m = 0;
  #vv = 0;
  #vm = 0;

  /** Adds a measured run time, and its weight in the fit. */
  add(volume: number, ms: number, weight: number): void {
    const w = weight / Math.max(ms, 1e-6) ** 2;
    this.#n += w;
    this.#v += w * volume;
    this.#m += w * ms;
    this.#vv += w * volume * volume;
    this.#vm += w * volume * ms;
  }

  line(): Line {
    const [n, v, m, vv, vm] = [this.#n, this.#v, this.#m, this.#vv, this.#vm];
    if (n === 0) return { fixedMs: 0, msPerVolume: 0 };
    const spread = n * vv - v * v;
    if (spread <= 1e-9 * n * vv) return lineThrough(m / n, v / n);
    const slope = (n * vm - v * m) / spread;
    if (slope <= 0) return { fixedMs: m / n, msPerVolume: 0 };
    const fixed = (m - slope * v) / n;
    return fixed >= 0 ? { fixedMs: fixed, msPerVolume: slope } : { fixedMs: 0, msPerVolume: vm / vv };
  }
}

/** Returns the line for a single shape. */
function lineThrough(ms: number, volume: number): Line {
  if (volume < MIN_VOLUME) return { fixedMs: ms, msPerVolume: 0 };
  return { fixedMs: ms * (1 - ASSUMED_GROWTH), msPerVolume: (ASSUMED_GROWTH * ms) / volume };
}

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

/**
 * Orders shapes by their last run. Of shapes that are equally old, the largest comes first: no run is too fast by
 * chance.
 */
export function newestFirst(a: ShapeCost, b: ShapeCost): number {
  return b.seenAtRun - a.seenAtRun || b.size - a.size;
}

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

/** A mean of less weight is forgotten, and restarts. */
export const MIN_WEIGHT = 0.5;

/** Number of further runs after which a single run is forgotten: 346. */
export const FORGOTTEN_AFTER_RUNS = Math.log(MIN_WEIGHT) / Math.log(FORGETTING);

/**
 * Runs that are slower than the mean by more than this many deviations are clipped as outliers, until
 * `LEVEL_SHIFT_RUNS` of them in a row agree.
 */
const CLIP_DEVIATIONS = 4;
const LEVEL_SHIFT_RUNS = 3;

/** Assumed deviation until runs have shown it, as a share of the time. */
export const UNKNOWN_DEVIATION = 0.1;

/** Minimum deviation used for clipping, as a share of the mean. */
const MIN_DEVIATION = 0.02;

/**
 * The decayed mean of the run times of one shape. A single slow outlier (a garbage collection, a throttled tab) is
 * clipped. Several in a row are a new level, from which the mean restarts. So is a single fast one: a run is never too
 * fast by chance, but all before it can have been slow, while code was compiled or the page was loading.
 */
export class ShapeCost {
  readonly size: number;
  readonly volume: number;
  meanVolume = 0;
  meanMs = 0;
  deviationMs = 0;
  #weight = 0;
  #seenAtRun = 0;
  /** Number of slow outliers in a row. */
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

  /** Number of the last run that was observed. */
  get seenAtRun(): number {
    return this.#seenAtRun;
  }

  weightAt(run: number): number {
    return this.#weight * FORGETTING ** (run - this.#seenAtRun);
  }

  /** Records a run. Returns true if the mean restarts from it, because it differs too much from the runs before it. */
  observe(volume: number, ms: number, run: number): boolean {
    const weight = this.weightAt(run);
    this.#seenAtRun = run;
    const isNewLevel = this.#isNewLevel(ms);
    if (weight < MIN_WEIGHT || isNewLevel) this.#startAt(volume, ms);
    else this.#add(volume, ms, weight);
    return isNewLevel;
  }

  #startAt(volume: number, ms: number): void {
    this.meanVolume = volume;
    this.meanMs = ms;
    this.deviationMs = UNKNOWN_DEVIATION * ms;
    // Several slow runs agree on a new level.
    this.#weight = Math.max(1, this.#outliers);
    this.#outliers = 0;
  }

  #add(volume: number, ms: number, weight: number): void {
    const clipped = Math.min(ms, this.meanMs + this.#reachMs());
    this.#weight = Math.min(weight + 1, MEMORY_RUNS);
    const step = 1 / this.#weight;
    this.deviationMs += step * (Math.abs(clipped - this.meanMs) - this.deviationMs);
    this.meanMs += step * (clipped - this.meanMs);
    this.meanVolume += step * (volume - this.meanVolume);
  }

  #reachMs(): number {
    if (this.meanMs === 0) return Infinity;
    return CLIP_DEVIATIONS * Math.max(this.deviationMs, MIN_DEVIATION * this.meanMs);
  }

  #isNewLevel(ms: number): boolean {
    const reachMs = this.#reachMs();
    this.#outliers = ms > this.meanMs + reachMs ? this.#outliers + 1 : 0;
    // A coarse clock shows short runs as 0 by chance.
    return this.#outliers >= LEVEL_SHIFT_RUNS || (ms > 0 && ms < this.meanMs - reachMs);
  }
}

/**
 * Learns the time of a run outside inference: messages, copies and thread wake-ups. For a batch that waits behind
 * another one, this time is hidden, which would make its size seem cheaper than it is for a batch that does not wait.
 */
export class Overhead {
  readonly #seen = new ShapeCost(1, 1);
  /** The overhead of runs that waited behind another one, without the wait. */
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
