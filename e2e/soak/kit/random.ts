/** A seeded random number generator (mulberry32). The same seed gives the same sequence, in the page and in Node. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 0;
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** Returns `count` kinds in random order. The numbers of each kind differ by at most one. */
  deal<Kind>(kinds: readonly Kind[], count: number): Kind[] {
    const deck = Array.from({ length: count }, (_, index) => kinds.slice(index % kinds.length)).flatMap(
      ([kind]) => kind ?? [],
    );
    for (let last = deck.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      const [moved] = deck.splice(other, 1);
      if (moved !== undefined) deck.push(moved);
    }
    return deck;
  }
}
