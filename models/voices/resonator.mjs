import { RATE } from "./rate.mjs";

/** A filter that lets one band of frequencies through, and low ones as they are. */
export class Resonator {
  #gain = 1;
  #once = 0;
  #twice = 0;
  #last = 0;
  #before = 0;

  /** @param {number} hertz @param {number} widthHertz */
  tune(hertz, widthHertz) {
    const radius = Math.exp((-Math.PI * widthHertz) / RATE);
    this.#once = 2 * radius * Math.cos((2 * Math.PI * hertz) / RATE);
    this.#twice = -radius * radius;
    this.#gain = 1 - this.#once - this.#twice;
  }

  /** @param {number} sample */
  pass(sample) {
    const passed = this.#gain * sample + this.#once * this.#last + this.#twice * this.#before;
    this.#before = this.#last;
    this.#last = passed;
    return passed;
  }
}
