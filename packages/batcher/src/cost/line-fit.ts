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
