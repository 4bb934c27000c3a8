/** The numbers of callers that a slider offers, in ascending order, each about as many times the one before. */
export class Counts {
  readonly values: readonly number[];
  readonly least: number;
  readonly most: number;

  constructor(values: readonly [number, ...number[]]) {
    this.values = values;
    this.least = values[0];
    this.most = values.at(-1) ?? values[0];
  }

  /** The position of a number on the slider, 0 to 1. */
  positionOf(count: number): number {
    return Math.min(1, Math.max(0, Math.log(count / this.least) / Math.log(this.most / this.least)));
  }

  /** The index of the value that is nearest to a number. */
  stopOf(count: number): number {
    const distances = this.values.map((value) => Math.abs(this.positionOf(value) - this.positionOf(count)));
    return distances.indexOf(Math.min(...distances));
  }

  /** The value that is nearest to a number. */
  nearest(count: number): number {
    return this.values[this.stopOf(count)] ?? this.least;
  }
}

export const CAR_COUNTS = new Counts([16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024]);

export const STREAM_COUNTS = new Counts([4, 8, 16, 32, 64, 128, 256, 512]);
