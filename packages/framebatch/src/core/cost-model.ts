import { fitLine, type Line } from "./line-fit.js";
import { ShapeCost, type ShapeCostData } from "./shape-cost.js";
import { sizeLadder } from "./size-ladder.js";

/** What a cost model has learned, as plain data for a store. */
export interface CostModelData {
  readonly version: 1;
  readonly shapes: readonly ShapeCostData[];
}

/** A size is good enough to leave with when its rate is within this of the best: waiting for more gains less. */
const SUFFICIENT_WITHIN = 0.05;

/** Sizes whose rates are this close are as good as each other. */
const BEST_WITHIN = 0.01;

/** Volumes for which the sufficient size is kept. */
const KEPT_SIZES = 64;

/**
 * Runs that the line counts for against a shape's own mean: many where the two differ by no more than noise, so that noise
 * is averaged over all shapes; few where they differ truly.
 */
const LINE_WEIGHT = 4;
const REFUTED_LINE_WEIGHT = 0.5;

/** A shape's mean differs truly from the line when it is so many of its deviations away. */
const TRUE_DEVIATIONS = 3;

/**
 * Predicts the time of a run from its shape: rows times volume of a row. Each shape that has run has a decayed mean of
 * its own; a line through all of them (fixed cost plus cost per volume, both at least 0) fills in the rest and is what
 * a shape's mean starts from.
 */
export class CostModel {
  readonly #maxSize: number;
  readonly #sizes: readonly number[];
  /** Rows that are computed for so many requests. */
  readonly padded: (size: number) => number;
  readonly #shapes = new Map<number, ShapeCost>();
  /** Answers of `sufficientSize` by volume. They change slowly, so one serves for a while: longer once much is known. */
  readonly #sufficient = new Map<number, { readonly size: number; readonly untilRun: number }>();
  #lastVolume = 1;
  #line: Line | null = null;
  #runs = 0;

  /**
   * @param maxSize largest number of rows in a batch
   * @param allowedSizes sizes that batches are padded up to, ascending; empty where sizes are exact
   */
  constructor(maxSize: number, allowedSizes: readonly number[] = []) {
    this.#maxSize = maxSize;
    this.padded = (size) => allowedSizes.find((allowed) => allowed >= size) ?? size;
    this.#sizes = allowedSizes.length > 0 ? allowedSizes : sizeLadder(maxSize);
  }

  /** Whether anything has run yet. Until then every prediction is 0. */
  get isKnown(): boolean {
    return this.#shapes.size > 0;
  }

  /** Learns from a run of `size` rows (as computed: padding included) of `volume` each that took `ms`. */
  observe(size: number, volume: number, ms: number): void {
    this.#runs += 1;
    this.#lastVolume = volume;
    const key = shapeKey(size, volume);
    let shape = this.#shapes.get(key);
    if (shape === undefined) this.#shapes.set(key, (shape = new ShapeCost(size, volume)));
    shape.observe(size * volume, ms, this.#runs);
    this.#line = null;
  }

  /** Predicted time of a run with `size` requests, padding of the batch axis included, in milliseconds. */
  predict(size: number, volume = 1): number {
    const rows = this.padded(size);
    const line = this.#fitted();
    const expected = line.fixedMs + line.msPerVolume * rows * volume;
    const shape = this.#shapes.get(shapeKey(rows, volume));
    if (shape === undefined) return expected;
    const own = Math.max(0, shape.meanMs + line.msPerVolume * (rows * volume - shape.meanVolume));
    const isNoise = Math.abs(own - expected) <= TRUE_DEVIATIONS * shape.deviationMs;
    const lineWeight = isNoise ? LINE_WEIGHT : REFUTED_LINE_WEIGHT;
    const weight = shape.weightAt(this.#runs);
    return (expected * lineWeight + own * weight) / (lineWeight + weight);
  }

  /**
   * As `predict`, for whoever waits and must not give up too soon: a shape that has not run may cost as much as its rows one
   * by one. `null` while nothing is known.
   */
  longest(size: number, volume = 1): number | null {
    if (!this.isKnown) return null;
    const predictedMs = this.predict(size, volume);
    return this.weight(size, volume) > 0
      ? predictedMs
      : Math.max(predictedMs, this.padded(size) * this.predict(1, volume));
  }

  /** The line through all shapes: what a run costs however small, and what each volume in it adds. */
  get line(): Line {
    return this.#fitted();
  }

  /** Typical distance between a prediction and the run, in milliseconds. */
  deviation(size: number, volume = 1): number {
    const shape = this.#shapes.get(shapeKey(this.padded(size), volume));
    return shape === undefined ? UNKNOWN_DEVIATION * this.predict(size, volume) : shape.deviationMs;
  }

  /** Runs that the prediction for this size rests on, decayed: 0 where it is only inferred. */
  weight(size: number, volume = 1): number {
    return this.#shapes.get(shapeKey(this.padded(size), volume))?.weightAt(this.#runs) ?? 0;
  }

  /** The smallest size whose rate is within 5 % of the best of all sizes. 1 means that batching does not pay. */
  sufficientSize(volume = 1): number {
    const known = this.#sufficient.get(volume);
    if (known !== undefined && this.#runs < known.untilRun) return known.size;
    const size = this.#sizesWithin(SUFFICIENT_WITHIN, this.#maxSize, volume)[0]!;
    if (this.#sufficient.size >= KEPT_SIZES) this.#sufficient.clear();
    this.#sufficient.set(volume, { size, untilRun: this.#runs + 1 + Math.min(16, this.#runs >> 2) });
    return size;
  }

  /**
   * The size to take when `queued` requests wait. Of the sizes whose rate is within 1 % of the best that so many can have,
   * the largest that runs no longer than `longestMs`: the larger, the fewer are left behind; the shorter, the sooner
   * something urgent gets its turn. Where all run longer, the smallest.
   */
  bestSize(queued: number, volume = 1, longestMs = Infinity): number {
    const limit = Math.min(queued, this.#maxSize);
    if (limit <= 1) return limit;
    const sizes = this.#sizesWithin(BEST_WITHIN, limit, volume);
    const size = sizes.findLast((candidate) => this.predict(candidate, volume) <= longestMs) ?? sizes[0]!;
    return Math.max(sizes[0]!, evenPart(queued, size));
  }

  /**
   * A size next to `size` (half or double, at most `limit`) that no recent run has measured, or `null`. Trying it now
   * and then is how a better size is found that the line does not predict.
   */
  unmeasuredNeighbour(size: number, limit: number, volume = 1): number | null {
    const neighbours = [Math.ceil(size / 2), size * 2].filter((n) => n !== size && n <= limit && n <= this.#maxSize);
    return neighbours.find((neighbour) => this.weight(neighbour, volume) < 0.5) ?? null;
  }

  /** Volume of a row in the run that was observed last. */
  get lastVolume(): number {
    return this.#lastVolume;
  }

  /** Predictions for the ladder of sizes, for charts. */
  curve(volume = 1): { size: number; ms: number; weight: number }[] {
    if (!this.isKnown) return [];
    return this.#sizes.map((size) => ({
      size,
      ms: this.predict(size, volume),
      weight: this.weight(size, volume),
    }));
  }

  toData(): CostModelData {
    return { version: 1, shapes: [...this.#shapes.values()].map((shape) => shape.toData(this.#runs)) };
  }

  /** Starts from what an earlier model learned. Its weights count, so what has changed since is unlearned quickly. */
  restore(data: CostModelData): void {
    for (const shape of data.shapes) {
      const restored = ShapeCost.from(shape, this.#runs);
      this.#shapes.set(shapeKey(shape.size, shape.volume), restored);
      this.#lastVolume = shape.volume;
    }
    this.#line = null;
  }

  /** The sizes up to `limit`, ascending, whose rate is within a share of the best of them. There is at least one. */
  #sizesWithin(share: number, limit: number, volume: number): number[] {
    if (!this.isKnown) return [limit];
    const sizes = this.#sizes.filter((size) => size < limit);
    sizes.push(limit);
    const msPerRow = sizes.map((size) => this.predict(size, volume) / size);
    const enough = Math.min(...msPerRow) * (1 + share);
    return sizes.filter((_, index) => msPerRow[index]! <= enough);
  }

  #fitted(): Line {
    if (this.#line !== null) return this.#line;
    const points = [...this.#shapes.values()].map((shape) => ({
      volume: shape.meanVolume,
      ms: shape.meanMs,
      weight: Math.min(8, shape.weightAt(this.#runs)),
    }));
    return (this.#line = fitLine(points));
  }
}

/** Parts of at most `size`, as few and as even as they can be: an uneven rest would wait for a run of its own. */
function evenPart(queued: number, size: number): number {
  return Math.ceil(queued / Math.ceil(queued / size));
}

/** Share of a prediction by which a shape that never ran may be off. */
const UNKNOWN_DEVIATION = 0.1;

/**
 * Sizes and volumes within the same eighth of an octave are one shape; sizes up to 16 are all told apart. A volume of 0, which
 * has no logarithm, shares the bucket of the smallest number there is.
 */
function shapeKey(size: number, volume: number): number {
  const sizeBucket = size <= 16 ? size : Math.round(8 * Math.log2(size));
  const volumeBucket = volume === 1 ? 0 : Math.round(8 * Math.log2(Math.max(volume, Number.MIN_VALUE)));
  return sizeBucket + 1024 * volumeBucket;
}
