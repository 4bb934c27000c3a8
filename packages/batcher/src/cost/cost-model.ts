import {
  CostCurve,
  FORGOTTEN_AFTER_RUNS,
  type Line,
  LineFit,
  MIN_WEIGHT,
  newestFirst,
  Overhead,
  ShapeCost,
  type ShapeCostData,
  UNKNOWN_DEVIATION,
} from "./shape-cost.js";

/** What a cost model has learned, as plain data for storage. */
export interface CostModelData {
  readonly version: 1;
  readonly shapes: readonly ShapeCostData[];
}

/** A run that has ended, as far as its time shows what runs cost. Times in milliseconds. */
export interface EndedRun {
  /** Number of rows that ran; those of others and padding included. */
  readonly size: number;
  /** Number of rows without those of others. */
  readonly own: number;
  readonly volume: number;
  readonly runMs: number;
  readonly inferenceMs: number;
  /** Whether it began when another one ended. */
  readonly hasWaited: boolean;
}

/**
 * A run is learned from when a prediction is asked for, or when this many have ended. A caller alone, whose requests
 * are never weighed against others, does not pay for the lines and curves of each of its runs.
 */
const MAX_UNLEARNED = 16;

/** An upper estimate is computed again once a run has taken longer than this many times of it. */
const UPPER_ERROR = 2;

/**
 * Weight of the line, in runs, against a shape's own mean. The weight is large if the two differ only by noise, so that
 * noise is averaged over all shapes, and small if they really differ.
 */
const LINE_WEIGHT = 4;
const REFUTED_LINE_WEIGHT = 0.5;

/** How much faster a single run can turn out to be than when it was measured last. */
const SINGLE_GAIN = 2;

/** How many times as many rows a run may have to find out what a row costs. */
const MAX_GROWTH = 2;

/** Maximum weight of a shape in the line, so that the shapes that run most do not determine it alone. */
const MAX_FIT_WEIGHT = 8;

/** A shape's mean really differs from the line if it is more than this many of its deviations away. */
const TRUE_DEVIATIONS = 3;

/**
 * Predicts the time of a run from its shape: the number of rows and the volume of a row. Each shape that has run has
 * its own decayed mean. A line through all shapes (a fixed cost plus a cost per volume, both at least 0) predicts other
 * shapes, and is the prior for each mean.
 */
export class CostModel {
  readonly #sizes: readonly number[];
  readonly #sizesUpTo = new Map<number, readonly number[]>();
  /** Returns the number of rows computed for `size` requests. */
  readonly padded: (size: number) => number;
  readonly #shapes = new Map<number, ShapeCost>();
  readonly #ofVolume = new Map<number, ShapeCost[]>();
  /** By volume, until the next observation. */
  readonly #curves = new Map<number, CostCurve>();
  #lastVolume = 1;
  #knownVolume = 0;
  #line: Line | null = null;
  #runs = 0;
  /** Number of runs at the last single one. */
  #singleAtRun = 0;
  /** Whether that run took as long as the single runs before it. */
  #isSingleConfirmed = false;
  readonly #overhead = new Overhead();
  #unlearned: EndedRun[] = [];
  /** The newest upper estimate. */
  #upper: { readonly size: number; readonly volume: number; readonly ms: number } | null = null;

  /**
   * @param maxSize maximum number of rows in a batch
   * @param allowedSizes sizes that batches are padded up to, ascending; empty if batches are not padded
   */
  constructor(maxSize: number, allowedSizes: readonly number[] = []) {
    this.padded = (size) => allowedSizes.find((allowed) => allowed >= size) ?? size;
    this.#sizes = allowedSizes.length > 0 ? allowedSizes : sizeLadder(maxSize);
  }

  /** Whether any run has been observed. Until then, every prediction is 0. */
  get isKnown(): boolean {
    this.#learn();
    return this.#shapes.size > 0;
  }

  /** Time of a run outside inference. */
  get overhead(): Pick<Overhead, "ms" | "hiddenMs"> {
    this.#learn();
    return this.#overhead;
  }

  /** Records a run that a request has caused. */
  ran(run: EndedRun): void {
    this.#unlearned.push(run);
    if (this.#upper !== null && run.runMs > UPPER_ERROR * this.#upper.ms) this.#upper = null;
    if (this.#unlearned.length === MAX_UNLEARNED) this.#learn();
  }

  /** Learns from the runs that have ended, in their order. Called before anything that was learned is read. */
  #learn(): void {
    if (this.#unlearned.length === 0) return;
    const runs = this.#unlearned;
    this.#unlearned = [];
    for (const { size, own, volume, runMs, inferenceMs, hasWaited } of runs) {
      const wholeMs = this.#overhead.wholeMs(runMs, inferenceMs, hasWaited);
      // A run of no rows shows no cost.
      if (size > 0) this.observe(size, volume, wholeMs, own);
    }
  }

  /**
   * Records a run of `size` rows, padding included, of `volume` each.
   * @param ms time of the run, in milliseconds
   * @param own number of rows without those of others that ran with them
   */
  observe(size: number, volume: number, ms: number, own = size): void {
    this.#learn();
    this.#runs += 1;
    this.#lastVolume = volume;
    this.#knownVolume = Math.max(this.#knownVolume, size * volume);
    const key = shapeKey(size, volume);
    let shape = this.#shapes.get(key);
    const isFirst = shape === undefined;
    if (shape === undefined) this.#add(key, (shape = new ShapeCost(size, volume)));
    const isNewLevel = shape.observe(size * volume, ms, this.#runs);
    this.#changed();
    if (own !== this.padded(1)) return;
    this.#singleAtRun = this.#runs;
    if (own < size || !isFirst) this.#isSingleConfirmed = !isNewLevel;
  }

  /**
   * Returns the predicted time of a run of `size` requests, padding of the batch axis included, in milliseconds. More
   * requests of a volume are never predicted to take less time.
   */
  predict(size: number, volume = 1): number {
    this.#learn();
    const rows = this.padded(size);
    return this.#curve(volume).fit(rows, this.#estimate(rows, volume));
  }

  /** What the runs of this shape alone and the line say. */
  #estimate(rows: number, volume: number): number {
    const line = this.#fitted();
    const expected = line.fixedMs + line.msPerVolume * rows * volume;
    const shape = this.#shapes.get(shapeKey(rows, volume));
    if (shape === undefined) return expected;
    const own = Math.max(0, shape.meanMs + line.msPerVolume * (rows * volume - shape.meanVolume));
    const weight = shape.weightAt(this.#runs);
    const isNoise = Math.abs(own - expected) <= TRUE_DEVIATIONS * shape.deviationMs;
    const lineWeight = isNoise ? LINE_WEIGHT : REFUTED_LINE_WEIGHT;
    return (expected * lineWeight + own * weight) / (lineWeight + weight);
  }

  /**
   * Like `predict`, but an upper estimate for callers that must not give up too soon: a shape that has not run may take
   * as long as its rows one by one. Returns `null` while no run time is known. An estimate holds for the next runs of
   * the same shape too, unless one of them takes far longer.
   */
  longest(size: number, volume = 1): number | null {
    const { size: lastSize, volume: lastVolume, ms: lastMs = null } = this.#upper ?? {};
    if (lastSize === size && lastVolume === volume) return lastMs;
    if (!this.isKnown) return null;
    const predictedMs = this.predict(size, volume);
    const ms =
      this.weight(size, volume) > 0 ? predictedMs : Math.max(predictedMs, this.padded(size) * this.predict(1, volume));
    this.#upper = { size, volume, ms };
    return ms;
  }

  /**
   * Like `predict`, but a lower estimate while runs of a volume had one size only, so that what a row costs is not
   * known: twice as many rows may take no longer. Without a try, it would never be known.
   */
  shortest(size: number, volume = 1): number {
    this.#learn();
    const rows = this.padded(size);
    const ran = (this.#ofVolume.get(volumeBucket(volume)) ?? []).filter(
      (shape) => shape.weightAt(this.#runs) >= MIN_WEIGHT,
    );
    const [only] = ran;
    const mayBeFree = only !== undefined && ran.length === 1 && rows > only.size && rows <= MAX_GROWTH * only.size;
    return this.predict(mayBeFree ? only.size : size, volume);
  }

  /** The line through all shapes: the fixed cost of a run, and the cost per volume. */
  get line(): Line {
    this.#learn();
    return this.#fitted();
  }

  /** Returns the typical distance between a prediction and the actual run time, in milliseconds. */
  deviation(size: number, volume = 1): number {
    this.#learn();
    const shape = this.#shapes.get(shapeKey(this.padded(size), volume));
    return shape === undefined ? UNKNOWN_DEVIATION * this.predict(size, volume) : shape.deviationMs;
  }

  /** Returns the typical error of a prediction, as a share of it: that of the mean of the runs behind it. */
  relativeError(size: number, volume = 1): number {
    const runs = Math.max(1, this.weight(size, volume));
    return this.deviation(size, volume) / (this.predict(size, volume) * Math.sqrt(runs));
  }

  /** Returns the decayed number of runs behind the prediction for this size; 0 if it is only inferred. */
  weight(size: number, volume = 1): number {
    this.#learn();
    return this.#shapes.get(shapeKey(this.padded(size), volume))?.weightAt(this.#runs) ?? 0;
  }

  /**
   * Returns the size to run instead of `best`, of those up to `limit`, so that a time is measured again that speaks for
   * `best` and would never be corrected otherwise: that of a single run, because a batch pays compared with it, or a
   * forgotten one of twice the size, because once all larger sizes seem too slow, nothing shows that one pays. Returns
   * `best` if neither is in doubt.
   */
  probe(best: number, limit: number, volume = 1): number {
    if (!this.isKnown) return best;
    const leastMs = this.predict(1, volume) / SINGLE_GAIN;
    if (best > 1 && !this.#isSingleKnown && leastMs < this.predict(best, volume) / best) return 1;
    const twice = Math.min(2 * best, limit);
    return twice > best && this.weight(twice, volume) < MIN_WEIGHT ? twice : best;
  }

  /**
   * Whether the time of a single run is recent, and two runs agree on it. One that was measured while the engine
   * compiled code, or the page was loading, makes every batch seem to pay.
   */
  get #isSingleKnown(): boolean {
    return this.#isSingleConfirmed && this.#runs - this.#singleAtRun < FORGOTTEN_AFTER_RUNS;
  }

  /**
   * Returns the sizes up to `limit` that are worth comparing, ascending: those of the ladder below it, and the limit
   * itself.
   */
  sizesUpTo(limit: number): readonly number[] {
    let sizes = this.#sizesUpTo.get(limit);
    if (sizes === undefined) {
      sizes = [...this.#sizes.filter((size) => size < limit), limit];
      this.#sizesUpTo.set(limit, sizes);
    }
    return sizes;
  }

  /** Volume of a row in the last observed run. */
  get lastVolume(): number {
    this.#learn();
    return this.#lastVolume;
  }

  /** The largest volume of a whole run so far. Predictions far beyond it are guesses. */
  get knownVolume(): number {
    this.#learn();
    return this.#knownVolume;
  }

  /** Returns predictions for the ladder of sizes, for charts. */
  curve(volume = 1): { size: number; ms: number; weight: number }[] {
    if (!this.isKnown) return [];
    return this.#sizes.map((size) => ({
      size,
      ms: this.predict(size, volume),
      weight: this.weight(size, volume),
    }));
  }

  toData(): CostModelData {
    this.#learn();
    return { version: 1, shapes: [...this.#shapes.values()].map((shape) => shape.toData(this.#runs)) };
  }

  /**
   * Replaces what was learned by what another model has learned, with its decayed weights, so that outdated values are
   * corrected quickly.
   */
  restore(data: CostModelData): void {
    this.#shapes.clear();
    this.#ofVolume.clear();
    this.#isSingleConfirmed = false;
    for (const shape of data.shapes) {
      const restored = ShapeCost.from(shape, this.#runs);
      this.#add(shapeKey(shape.size, shape.volume), restored);
      this.#lastVolume = shape.volume;
      this.#knownVolume = Math.max(this.#knownVolume, shape.size * shape.volume);
      if (shape.size === this.padded(1) && shape.weight > 1) this.#isSingleConfirmed = true;
    }
    this.#changed();
  }

  #add(key: number, shape: ShapeCost): void {
    this.#shapes.set(key, shape);
    const bucket = volumeBucket(shape.volume);
    const others = this.#ofVolume.get(bucket);
    if (others === undefined) this.#ofVolume.set(bucket, [shape]);
    else others.push(shape);
  }

  #changed(): void {
    this.#upper = null;
    this.#line = null;
    this.#curves.clear();
  }

  #curve(volume: number): CostCurve {
    let curve = this.#curves.get(volume);
    if (curve === undefined) {
      const shapes = this.#ofVolume.get(volumeBucket(volume)) ?? [];
      curve = new CostCurve();
      for (const { size } of shapes.toSorted(newestFirst)) curve.add(size, this.#estimate(size, volume));
      this.#curves.set(volume, curve);
    }
    return curve;
  }

  #fitted(): Line {
    if (this.#line !== null) return this.#line;
    const fit = new LineFit();
    for (const shape of this.#shapes.values()) {
      fit.add(shape.meanVolume, shape.meanMs, Math.min(MAX_FIT_WEIGHT, shape.weightAt(this.#runs)));
    }
    return (this.#line = fit.line());
  }
}

/**
 * Maps sizes and volumes within the same eighth of an octave to the same shape. Sizes up to 16 are all distinct. A
 * volume of 0, which has no logarithm, shares the bucket of the smallest positive number.
 */
function shapeKey(size: number, volume: number): number {
  const sizeBucket = size <= 16 ? size : Math.round(8 * Math.log2(size));
  return sizeBucket + 1024 * volumeBucket(volume);
}

function volumeBucket(volume: number): number {
  return volume === 1 ? 0 : Math.round(8 * Math.log2(Math.max(volume, Number.MIN_VALUE)));
}

/**
 * Returns sizes from 1 to `max`: every size up to 4, then four per octave, which is enough for rates that change
 * smoothly.
 */
export function sizeLadder(max: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < max; size += Math.max(1, 2 ** (Math.floor(Math.log2(size)) - 2))) sizes.push(size);
  sizes.push(max);
  return sizes;
}
