import type { Random } from "../../../batcher/model/random.js";

/** Draws from lists and shares. */
export class Dice {
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  list<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: min + Math.floor(this.random() * (max - min + 1)) }, make);
  }

  pick<const T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)]!;
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  below(count: number): number {
    return Math.floor(this.random() * count);
  }
}
