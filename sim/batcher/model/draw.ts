import type { Random } from "./random.js";

/** Draws values from one random stream. */
export class Draw {
  protected readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  upTo(most: number): number {
    return most * this.random();
  }

  integer(from: number, to: number): number {
    return from + Math.floor(this.upTo(to - from + 1));
  }
}
