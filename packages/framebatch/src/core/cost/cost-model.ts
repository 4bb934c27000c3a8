import { type Line, fitLine } from "./line-fit.js";
import { ShapeCost, type ShapeCostData } from "./shape-cost.js";

/** What a cost model has learned, as plain data for a store. */
export interface CostModelData {
  readonly version: 1;
  readonly shapes: readonly ShapeCostData[];
}

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
  readonly #sizes: readonly number[];
  /** Rows that are computed for so many requests. */
  readonly padded: (size: number) => number;
  readonly #shapes = new Map<number, ShapeCost>();
  #lastVolume = 1;
  #line: Line | null = null;
  #runs = 0;

  /**
   * @param maxSize largest number of rows in a batch
   * @param allowedSizes sizes that batches are padded up to, ascending; empty where sizes are exact
   */
  constructor(maxSize: number, allowedSizes: readonly number[] = []) {
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

  /** The sizes up to `limit` worth comparing, ascending: those of the ladder below it, and the limit itself. */
  sizesUpTo(limit: number): number[] {
    return [...this.#sizes.filter((size) => size < limit), limit];
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

/** Sizes from 1 to `max`, every one up to 4 and then four an octave: close enough for rates that change smoothly. */
export function sizeLadder(max: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < max; size += Math.max(1, 2 ** (Math.floor(Math.log2(size)) - 2))) sizes.push(size);
  sizes.push(max);
  return sizes;
}
