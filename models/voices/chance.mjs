import { seededRandom } from "../src/random.mjs";

/** What the generators of sound draw from a seed. */
export class Chance {
  /** @readonly */
  #random;

  /** @param {number} seed any integer except 0 */
  constructor(seed) {
    this.#random = seededRandom(seed);
    // The first numbers of neighbouring seeds are alike.
    for (let turn = 0; turn < 16; turn++) this.#random();
  }

  /** A number in [-1, 1): white noise. */
  noise() {
    return this.#random();
  }

  /** @param {number} least @param {number} most */
  between(least, most) {
    return least + ((most - least) * (this.#random() + 1)) / 2;
  }

  /** As often below the geometric mean of the two as above it. @param {number} least @param {number} most */
  factor(least, most) {
    return least * (most / least) ** this.between(0, 1);
  }

  /** @param {number} share */
  happens(share) {
    return this.between(0, 1) < share;
  }

  /** @template Value @param {readonly [Value, ...Value[]]} values @returns {Value} */
  oneOf(values) {
    return values[Math.floor(this.between(0, values.length))] ?? values[0];
  }
}
