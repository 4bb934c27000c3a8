import { Draw } from "../batcher/model/draw.js";

/** Draws values from a random stream. Small numbers give the simplest values, so that fast-check can shrink them. */
export class PartDraw extends Draw {
  /** Draws one value. The first is the simplest. */
  oneOf<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.integer(0, values.length - 1)] ?? values[0];
  }

  chance(probability: number): boolean {
    return this.random() >= 1 - probability;
  }

  /** Zero in half of the cases. */
  rate(most: number): number {
    return this.chance(0.5) ? this.upTo(most) : 0;
  }
}
